"""QIF, Quicken's old format: one letter a field, no currency, no number, and days in either order."""

import re
from collections.abc import Mapping
from typing import Final

from webapp.importers.bank_files import BankFile, Line, SkippedRow, Statement
from webapp.importers.decoding import decode, opening
from webapp.importers.qif.amounts import decimal_mark, exact
from webapp.importers.qif.days import Order, day, option, order
from webapp.importers.qif.records import Record, records
from webapp.importers.texts import joined, quoted, refuse_endless

_HEADING: Final = re.compile(rb"(?:^|[\r\n])[ \t]*!(?:type:|account|option:|clear:)", re.IGNORECASE)
_MAX_NAME: Final = 255
_SECURITIES: Final = frozenset({"invst", "port"})
_OF_SECURITIES: Final = "A movement of securities; only cash is imported."
# What Quicken keeps beside the accounts: names, not movements of money.
_LISTS: Final = frozenset(
    {"budget", "bug", "cat", "class", "cust", "emp", "invitem", "memorized", "payee", "prices"}
    | {"security", "tag", "tax", "template", "vendor"}
)


def recognises(data: bytes) -> bool:
    """Tell whether one of the first lines is a heading of QIF (!Type:Bank)."""
    return bool(_HEADING.search(opening(data)))


def read(data: bytes, *, mapping: Mapping[str, object] | None = None) -> BankFile:
    """Read a whole QIF file, or raise FileRefusedError.

    Whether 3/4 is the third of April or the fourth of March is told by `dateFormat` of the mapping (strptime's),
    by an option of the file or by its other days, else it is asked for: DaysUnclearError.
    """
    text = decode(data)
    refuse_endless(text)
    booked: list[tuple[str | None, Record]] = []
    skipped: list[SkippedRow] = []
    account: str | None = None
    for record in records(text):
        if record.section == "account":
            account = (record.first("N") or "")[:_MAX_NAME] or None
        elif record.section in _LISTS:
            continue
        elif reason := _no_line(record):
            skipped.append(SkippedRow(record.row, joined(record.texts()), reason))
        else:
            booked.append((account, record))
    days = order([record.first("D") or "" for _, record in booked], mapping or {}, option(text))
    mark = decimal_mark((record.first("TU") or "" for _, record in booked), mapping or {})
    accounts: dict[tuple[str | None, str], list[Line]] = {}
    for name, record in booked:
        accounts.setdefault((name, record.section), []).append(_line(record, days, mark))
    return BankFile("qif", _statements(accounts), _warnings(accounts, skipped), tuple(skipped))


def _no_line(record: Record) -> str | None:
    """Say why a record is no line of a bank, or None where it is one."""
    if record.section in _SECURITIES:
        return _OF_SECURITIES
    return None if record.says("DTU") else "It has neither a day nor an amount."


def _statements(accounts: Mapping[tuple[str | None, str], list[Line]]) -> tuple[Statement, ...]:
    """A statement for each account; where several have no name, their kinds (bank, ccard) tell them apart."""
    nameless = sum(name is None for name, _ in accounts)
    return tuple(
        Statement(
            external_id=name or (section if nameless > 1 else None),
            currency=None,
            lines=tuple(lines),
            name=name,
        )
        for (name, section), lines in accounts.items()
    )


def _warnings(
    accounts: Mapping[tuple[str | None, str], list[Line]], skipped: list[SkippedRow]
) -> tuple[str, ...]:
    securities = sum(row.reason == _OF_SECURITIES for row in skipped)
    said = []
    if securities:
        said.append(f"Movements of securities are not imported ({securities:,}); only cash is.")
    if not accounts:
        said.append("The file holds no transaction, so there is nothing to import.")
    return tuple(said)


def _line(record: Record, days: Order, mark: str) -> Line:
    """Read a record as a line; the splits of its amount are categories of Quicken's and no bank's."""
    texts = {letter: set(record.fields.get(letter, ())) for letter in "DTU"}
    for letter, values in texts.items():
        if len(values) > 1:
            raise record.refused(f"{letter} is there twice; a record may have lost its end (^).")
    dated, stated = record.first("D"), record.first("TU")
    if not dated or not stated:
        raise record.refused("it has no day (D)." if stated else "it has no amount (T).")
    booked_on, amount = day(dated, days), exact(stated, mark)
    if not booked_on:
        raise record.refused(f"D is no day: {quoted(dated)}.")
    if amount is None:
        raise record.refused(f"T is no amount: {quoted(stated)}.")
    number = record.first("N")
    return Line(
        row=record.row,
        booked_on=booked_on,
        amount=amount,
        description=joined([record.first("P"), record.first("M")]),
        counterparty=record.first("P"),
        reference=number if number and any(map(str.isdigit, number)) else None,
    )
