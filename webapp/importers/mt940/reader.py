"""MT940, the statement of SWIFT as banks hand it to customers: with an envelope or without, in any dialect."""

import re
from collections.abc import Mapping
from typing import Final

from webapp.importers.bank_files import BankFile
from webapp.importers.decoding import decode, opening
from webapp.importers.mt940.documents import Document
from webapp.importers.mt940.fields import fields
from webapp.importers.texts import refuse_endless

_TAG: Final = re.compile(rb"(?:^|[\r\n]|@@|\{4:)[ \t]*:(20|25P?|28C?|60[FM]|61|62[FM]):")
_FEWEST_TAGS: Final = 3


def recognises(data: bytes) -> bool:
    """Tell whether the bytes open like MT940, by the fields that stand at the start of its lines."""
    return len(set(_TAG.findall(opening(data)))) >= _FEWEST_TAGS


def read(data: bytes, *, mapping: Mapping[str, object] | None = None) -> BankFile:  # noqa: ARG001
    """Read a whole MT940 file, or raise FileRefusedError; a `mapping` is for formats that need one."""
    text = decode(data)
    refuse_endless(text)
    document = Document()
    for field in fields(text):
        document.take(field)
    return document.finished(may_end_anywhere=text.endswith(("\n", "\r")) and "{4:" not in text)
