"""Untrusted XML for expat in pieces, with bounds on attributes and tags, which cost more time than bytes.

Expat reads a tag again from its beginning whenever more of it arrives, and compares each attribute's name with those
before it; a megabyte of either takes longer than all lines of an invoice.
"""

from typing import Any, Final
from xml.parsers import expat

PIECE: Final = 64 * 1024
# Of a tag, a comment or an instruction; texts come in parts.
MOST_TAG: Final = 512 * 1024
# Ten thousand lines of thirty elements; a larger tree would need more memory than a request may take.
MOST_ELEMENTS: Final = 300_000
MOST_ATTRIBUTES: Final = MOST_ELEMENTS
# What follows "<" where no element begins.
_OTHERS: Final = (b"</", b"<!", b"<?")


class TooMuchMarkupError(ValueError):
    """The XML has a tag without an end, or more elements or attributes than any invoice; the message says which."""


def parse(parser: expat.XMLParserType, data: bytes) -> None:
    """Parse XML with a prepared parser; raises TooMuchMarkupError, and the errors of expat and of the handlers."""
    if _elements(data) > MOST_ELEMENTS:
        raise TooMuchMarkupError(f"The XML has more than {MOST_ELEMENTS:,} elements, which no invoice has.")
    start: Any = parser.StartElementHandler
    attributes = 0

    def count(number: int) -> None:
        nonlocal attributes
        attributes += number
        if attributes > MOST_ATTRIBUTES:
            raise TooMuchMarkupError(
                f"The XML has more than {MOST_ATTRIBUTES:,} attributes, which no invoice has."
            )

    def begin(name: str, found: Any) -> None:
        count(len(found))
        start(name, found)

    parser.StartElementHandler = begin
    parser.StartNamespaceDeclHandler = lambda *_: count(1)
    for at in range(0, len(data), PIECE):
        piece = data[at : at + PIECE]
        parser.Parse(piece, False)  # noqa: FBT003  (expat's own argument)
        if at + len(piece) - parser.CurrentByteIndex > MOST_TAG:
            raise TooMuchMarkupError("The XML has a tag or a comment that is longer than any invoice has.")
    parser.Parse(b"", True)  # noqa: FBT003


def _elements(data: bytes) -> int:
    """Count the likely beginnings of elements, faster than a parser.

    Letters of two bytes are not counted: the builder of a tree counts for itself.
    """
    return 0 if b"\x00" in data[:64] else data.count(b"<") - sum(map(data.count, _OTHERS))
