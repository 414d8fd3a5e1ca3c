"""Untrusted XML for expat piece by piece, within bounds on what costs it more time than bytes do: attributes and tags.

Expat reads a tag from its beginning each time that more of it comes, and compares each attribute's name with those
before it; a megabyte of either takes longer than all lines of an invoice.
"""

from __future__ import annotations

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
    """Parse XML with a parser that has its handlers; raises TooMuchMarkupError, and what expat and they raise."""
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
    """Count what looks like the beginning of an element, before a parser takes a second to see a part of them.

    Letters of two bytes are not counted: whoever builds a tree counts for itself.
    """
    return 0 if b"\x00" in data[:64] else data.count(b"<") - sum(map(data.count, _OTHERS))
