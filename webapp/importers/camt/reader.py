"""The reader of CAMT (ISO 20022): statements camt.053, intraday reports camt.052, notifications camt.054."""

import re
from collections.abc import Mapping
from typing import Final

from webapp.importers.bank_files import MAX_LINES, BankFile, FileRefusedError, SkippedRow, Statement
from webapp.importers.camt.statements import CamtStatementBuilder
from webapp.importers.decoding import opening, pieces
from webapp.importers.xml_feeding import refuse_damaged
from webapp.importers.xml_records import XmlRecords

_FIRST_TAG: Final = re.compile(rb"<(?:[\w.-]{1,40}:)?(?:BkToCstmr\w{4,40}|Document)[\s>/]")
_MESSAGE: Final = "BkToCstmr"
_STATEMENTS: Final = frozenset({"Stmt", "Rpt", "Ntfctn"})
_LINES: Final = (b"Ntry>", b"TxDtls>")
_MAX_STATEMENTS: Final = 10_000
_MAX_WARNINGS: Final = 20
_PAYMENTS: Final = re.compile(r"Cstmr(?:CdtTrf|DrctDbt|Pmt)\w+")


def recognises(data: bytes) -> bool:
    """Return whether the bytes begin like an ISO 20022 message, with or without a namespace prefix."""
    return bool(_FIRST_TAG.search(opening(data)))


def read(data: bytes, *, mapping: Mapping[str, object] | None = None) -> BankFile:  # noqa: ARG001
    """Read a whole CAMT file, or raise FileRefusedError; `mapping` is not used.

    An entry is one line, even for a batch of many payments: the bank booked one amount, and its balances
    count one. The payments of a batch are the parts of its line.
    """
    # Counted before anything is parsed: each has a tag that begins and one that ends it.
    if any(data.count(tag) > 2 * MAX_LINES for tag in _LINES):
        raise FileRefusedError("The file has too many lines; export it in shorter periods.")
    refuse_damaged(pieces(data))
    records = XmlRecords(pieces(data), _STATEMENTS, within=_MESSAGE, part="TxDtls")
    statements: list[Statement] = []
    warnings: list[str] = []
    skipped: list[SkippedRow] = []
    statement, rows, payments = CamtStatementBuilder(), 0, 0
    for event in records:
        if event.starts:
            statement = CamtStatementBuilder()
        elif event.ends:
            statements += statement.build()
            warnings += statement.warnings()
            skipped += statement.skipped
        elif event.record.name == "Ntry":
            rows += 1
            payments += max(1, len(event.record.parts))
            statement.add_entry(event.record, rows)
        else:
            statement.add(event.record)
        if payments > MAX_LINES or len(statements) > _MAX_STATEMENTS:
            raise FileRefusedError("The file has too many lines; export it in shorter periods.")
    if not statements:
        raise FileRefusedError(_message(records.names))
    return BankFile("camt", tuple(statements), tuple(dict.fromkeys(warnings))[:_MAX_WARNINGS], tuple(skipped))


def _message(names: list[str]) -> str:
    """Return the refusal of a document without a statement, by the names of its first elements.

    >>> _message(["Document", "CstmrCdtTrfInitn"])
    'The file is a payment order (CstmrCdtTrfInitn), not a bank statement; download the statement (camt.053).'
    """
    if any(name.startswith(_MESSAGE) for name in names):
        return "The file is a message of the bank without a statement; download it again."
    if order := next(filter(_PAYMENTS.fullmatch, names), None):
        return (
            f"The file is a payment order ({order}), not a bank statement; download the statement (camt.053)."
        )
    return "The file is XML, but not a bank statement (camt.053, camt.052 or camt.054)."
