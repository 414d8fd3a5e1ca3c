"""The reader of MT940, SWIFT's bank statement, with or without an envelope, in the dialects of many banks."""

import re
from collections.abc import Mapping
from typing import Final

from webapp.importers.bank_files import MAX_LINES, BankFile, FileRefusedError
from webapp.importers.decoding import decode, opening
from webapp.importers.mt940.fields import fields
from webapp.importers.mt940.parser import Mt940Parser
from webapp.importers.texts import refuse_too_large, refuse_too_many_lines

_TAG: Final = re.compile(rb"(?:^|[\r\n]|@@|\{4:)[ \t]*:(20|25P?|28C?|60[FM]|61|62[FM]):")
_FEWEST_TAGS: Final = 3


def recognises(data: bytes) -> bool:
    """Return whether the bytes begin like MT940, by the tags at the start of lines."""
    return len(set(_TAG.findall(opening(data)))) >= _FEWEST_TAGS


def read(data: bytes, *, mapping: Mapping[str, object] | None = None) -> BankFile:  # noqa: ARG001
    """Read a whole MT940 file, or raise FileRefusedError; `mapping` is not used."""
    refuse_too_large(data)
    text = decode(data)
    refuse_too_many_lines(text)
    # Counted before anything is parsed: a hundred thousand lines take seconds.
    if text.count(":61:") > MAX_LINES:
        raise FileRefusedError(f"The file has more than {MAX_LINES:,} lines; export it in shorter periods.")
    parser = Mt940Parser()
    for field in fields(text):
        parser.feed(field)
    return parser.finish(may_lack_closing=text.endswith(("\n", "\r")) and "{4:" not in text)
