"""Untrusted XML, given to Python's own expat piece by piece, without document types, entities or external references.

A document type is refused where it begins, so that no entity can be declared; no handler fetches anything.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final
from xml.parsers import expat

from webapp.importers.bank_files import FileRefusedError
from webapp.ledger.files.xml_pieces import MOST_TAG

# Enough for a hundred thousand lines with all possible fields.
MAX_TAGS: Final = 5_000_000
# Four in each of these lines. Expat compares the names of a tag's attributes, which takes longer than more tags would.
MAX_ATTRIBUTES: Final = 1_500_000
_ATTRIBUTE: Final = re.compile(r"=\s*[\"']")
_FORBIDDEN: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_ENDS_EARLY: Final = frozenset(
    {3, 5, 6, 20}
)  # expat's codes for no element, a token, a character, CDATA cut off


def new_parser() -> expat.XMLParserType:
    """Return a parser of expat that refuses document types and gives texts in one piece."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_document_type
    return parser


def refuse_damaged(pieces: Iterable[str]) -> None:
    """Read a whole file without keeping it; raises FileRefusedError for anything that `feed` refuses.

    Without handlers expat reads a hundred megabytes in about a second, handlers for each element take ten times as
    long. So a truncated download, or one with a damaged end, is refused before its lines are read.
    """
    for _piece in feed(new_parser(), pieces):
        pass


def feed(parser: expat.XMLParserType, pieces: Iterable[str]) -> Iterator[None]:
    """Feed the pieces of a file's text to a parser, and yield after each.

    Raises FileRefusedError for text that is not XML, is cut off, declares a document type, has a tag without an end,
    or more than MAX_TAGS tags or MAX_ATTRIBUTES attributes.
    """
    fed = tags = attributes = 0
    for piece in pieces:
        text = _FORBIDDEN.sub("", piece)
        # Some systems put an empty line before the declaration.
        text = text if fed else text.lstrip()
        tags += text.count("<")
        if tags > MAX_TAGS:
            raise FileRefusedError(f"The file has more than {MAX_TAGS:,} tags; export it in shorter periods.")
        attributes += len(_ATTRIBUTE.findall(text))
        if attributes > MAX_ATTRIBUTES:
            raise FileRefusedError(
                f"The file has more than {MAX_ATTRIBUTES:,} attributes; export it in shorter periods."
            )
        fed += len(text.encode())
        _parse(parser, text)
        if fed - parser.CurrentByteIndex > MOST_TAG:
            raise FileRefusedError("The file has a tag without an end; it is damaged.")
        yield
    _parse(parser, "", final=True)
    yield


def _parse(parser: expat.XMLParserType, text: str, *, final: bool = False) -> None:
    try:
        parser.Parse(text, final)
    except expat.ExpatError as error:
        if final and error.code in _ENDS_EARLY:
            raise FileRefusedError("The file is cut off before its end; download it again.") from None
        reason = expat.errors.messages.get(error.code, "not well-formed")
        raise FileRefusedError(
            f"Line {error.lineno:,} of the file is not valid XML ({reason}); it is damaged, download it again."
        ) from None


def _refuse_document_type(*_declared: object) -> None:
    raise FileRefusedError(
        "The file has a document type declaration, which bank files never have; it was not read."
    )
