"""The reader of OFX: 1.x in SGML, 2.x in XML, QFX; bank and card accounts, and the cash of securities accounts."""

import re
from collections.abc import Mapping
from typing import Final

from webapp.importers.bank_files import MAX_LINES, BankFile, FileRefusedError
from webapp.importers.decoding import decode, opening
from webapp.importers.ofx.parser import OfxParser
from webapp.importers.ofx.sgml import tags
from webapp.importers.ofx.values import charsets
from webapp.importers.texts import refuse_too_large

_FIRST_TAG: Final = re.compile(rb"<(?:[\w.-]{1,20}:)?OFX[\s>/]|\bOFXHEADER\b", re.IGNORECASE)
_LINE: Final = re.compile(r"<(?:[\w.-]{1,20}:)?STMTTRN", re.IGNORECASE)


def recognises(data: bytes) -> bool:
    """Return whether the bytes begin like OFX, with or without its header, in one or two bytes per character."""
    return bool(_FIRST_TAG.search(opening(data)))


def read(data: bytes, *, mapping: Mapping[str, object] | None = None) -> BankFile:  # noqa: ARG001
    """Read a whole OFX file, or raise FileRefusedError; `mapping` is not used."""
    refuse_too_large(data)
    text = decode(data, charsets(data))
    # Counted before anything is parsed: a hundred thousand lines take seconds.
    if sum(1 for _ in _LINE.finditer(text)) > MAX_LINES:
        raise FileRefusedError(f"The file has more than {MAX_LINES:,} lines; export it in shorter periods.")
    parser = OfxParser(text)
    for tag in tags(text):
        parser.feed(tag)
    return parser.finish()
