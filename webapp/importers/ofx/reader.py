"""OFX, all of it that banks call so: 1.x in SGML, 2.x in XML, QFX; bank, card and cash of securities accounts."""

import re
from collections.abc import Mapping
from typing import Final

from webapp.importers.bank_files import BankFile
from webapp.importers.decoding import decode, opening
from webapp.importers.ofx.documents import Document
from webapp.importers.ofx.sgml import tags
from webapp.importers.ofx.values import charsets

_FIRST_TAG: Final = re.compile(rb"<(?:[\w.-]{1,20}:)?OFX[\s>/]|\bOFXHEADER\b", re.IGNORECASE)


def recognises(data: bytes) -> bool:
    """Tell whether the bytes open like OFX, with its header or without, in an encoding of one byte or two."""
    return bool(_FIRST_TAG.search(opening(data)))


def read(data: bytes, *, mapping: Mapping[str, object] | None = None) -> BankFile:  # noqa: ARG001
    """Read a whole OFX file, or raise FileRefusedError; a `mapping` is for formats that need one."""
    text = decode(data, charsets(data))
    document = Document(text)
    for tag in tags(text):
        document.take(tag)
    return document.finished()
