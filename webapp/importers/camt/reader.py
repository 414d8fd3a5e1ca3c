"""CAMT, the statements of ISO 20022: camt.053, the reports of the day camt.052, the notifications camt.054."""

import re
from collections.abc import Mapping
from typing import Final

from webapp.importers.bank_files import MAX_LINES, BankFile, FileRefusedError, SkippedRow, Statement
from webapp.importers.camt.statements import StatementInTheMaking
from webapp.importers.decoding import opening, pieces
from webapp.importers.xml_records import Records

_FIRST_TAG: Final = re.compile(rb"<(?:[\w.-]{1,40}:)?(?:BkToCstmr\w{4,40}|Document)[\s>/]")
_MESSAGE: Final = "BkToCstmr"
_STATEMENTS: Final = frozenset({"Stmt", "Rpt", "Ntfctn"})
_MAX_STATEMENTS: Final = 10_000
_MAX_WARNINGS: Final = 20
_PAYMENTS: Final = re.compile(r"Cstmr(?:CdtTrf|DrctDbt|Pmt)\w+")


def recognises(data: bytes) -> bool:
    """Tell whether the bytes open like a message of ISO 20022, with a prefix of its namespace or without."""
    return bool(_FIRST_TAG.search(opening(data)))


def read(data: bytes, *, mapping: Mapping[str, object] | None = None) -> BankFile:  # noqa: ARG001
    """Read a whole CAMT file, or raise FileRefusedError; a `mapping` is for formats that need one.

    An entry is a line, also where it is a batch of many payments: that is what the bank booked and what its
    balances count. The payments of a batch are the parts of its line.
    """
    records = Records(pieces(data), _STATEMENTS, within=_MESSAGE, part="TxDtls")
    statements: list[Statement] = []
    warnings: list[str] = []
    skipped: list[SkippedRow] = []
    making, rows, payments = StatementInTheMaking(), 0, 0
    for event in records:
        if event.starts:
            making = StatementInTheMaking()
        elif event.ends:
            statements += making.finished()
            warnings += making.warnings()
            skipped += making.skipped
        elif event.record.name == "Ntry":
            rows += 1
            payments += max(1, len(event.record.parts))
            making.add_entry(event.record, rows)
        else:
            making.take(event.record)
        if payments > MAX_LINES or len(statements) > _MAX_STATEMENTS:
            raise FileRefusedError("The file has more lines than any export; export it in shorter periods.")
    if not statements:
        raise FileRefusedError(_what_it_is(records.names))
    return BankFile("camt", tuple(statements), tuple(dict.fromkeys(warnings))[:_MAX_WARNINGS], tuple(skipped))


def _what_it_is(names: list[str]) -> str:
    """Say why a document without a statement is none, as far as its first elements tell.

    >>> _what_it_is(["Document", "CstmrCdtTrfInitn"])
    'The file is an order to pay (CstmrCdtTrfInitn), not what the bank booked; download its statement (camt.053).'
    """
    if any(name.startswith(_MESSAGE) for name in names):
        return "The file is a message of the bank without any statement in it; download it again."
    if order := next(filter(_PAYMENTS.fullmatch, names), None):
        return f"The file is an order to pay ({order}), not what the bank booked; download its statement (camt.053)."
    return "The file is XML, but no statement of a bank (camt.053, camt.052 or camt.054)."
