"""The reader of QIF, Quicken's old format: fields of one letter, no currency, no account number, ambiguous dates."""

import re
from collections import deque
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Final

from webapp.importers.balance_lines import REASON, label_of, unclear
from webapp.importers.bank_files import (
    MAX_LINES,
    BankFile,
    FileLine,
    FileRefusedError,
    MappingNeededError,
    SkippedRow,
    StatedBalance,
    Statement,
)
from webapp.importers.decoding import decode, opening
from webapp.importers.qif.days import Order, day, is_day, option, order
from webapp.importers.qif.records import QifRecord, records
from webapp.importers.texts import joined, quoted, refuse_too_large, refuse_too_many_lines
from webapp.importers.values import MAX_DIGITS

_HEADING: Final = re.compile(rb"(?:^|[\r\n])[ \t]*!(?:type:|account|option:|clear:)", re.IGNORECASE)
_RECORD_END: Final = re.compile(r"[\r\n][ \t]*\^")
_MAX_NAME: Final = 255
_SECURITIES: Final = frozenset({"invst", "port"})
_OF_SECURITIES: Final = "It is a securities transaction; only cash is imported."
# Lists that Quicken exports beside the accounts: names, not transactions.
_LISTS: Final = frozenset(
    {"budget", "bug", "cat", "class", "cust", "emp", "invitem", "memorized", "payee", "prices"}
    | {"security", "tag", "tax", "template", "vendor"}
)
_WITHOUT_LINES: Final = _LISTS | {"account"}
_MARKS: Final = ".,"
_GROUPS: Final = re.compile(r"\d{1,3}(?:[.,' ]\d{3})+", re.ASCII)
_NUMBER: Final = re.compile(r"\d+(?:\.\d*)?|\.\d+", re.ASCII)
_MAX_LENGTH: Final = 80


def recognises(data: bytes) -> bool:
    """Return whether one of the first lines is a QIF heading (!Type:Bank)."""
    return bool(_HEADING.search(opening(data)))


def read(data: bytes, *, mapping: Mapping[str, object] | None = None) -> BankFile:
    """Read a whole QIF file, or raise FileRefusedError.

    Whether 3/4 is the third of April or the fourth of March is decided by `dateFormat` of the mapping (strptime's),
    by an option of the file or by its other dates; else DaysUnclearError asks for it.
    """
    refuse_too_large(data)
    text = decode(data)
    refuse_too_many_lines(text)
    # Counted before anything is made of them, as too many lines are in the other formats.
    if sum(1 for _ in _RECORD_END.finditer(text)) > MAX_LINES:
        raise FileRefusedError(f"The file has more than {MAX_LINES:,} records; export it in shorter periods.")
    booked: deque[tuple[str | None, QifRecord]] = deque()
    skipped: list[SkippedRow] = []
    account: str | None = None
    for record in records(text):
        if record.section in _WITHOUT_LINES:
            _refuse_lost_line(record)
            account = _account(record) if record.section == "account" else account
        elif reason := _skip_reason(record):
            skipped.append(SkippedRow(record.row, joined(record.texts()), reason))
        else:
            booked.append((account, record))
    days = order([record.first("D") or "" for _, record in booked], mapping or {}, option(text))
    mark = decimal_mark((record.first("TU") or "" for _, record in booked), mapping or {})
    accounts: dict[tuple[str | None, str], list[FileLine]] = {}
    openings: dict[tuple[str | None, str], StatedBalance] = {}
    # A long file is in memory as its records or as their lines.
    del text
    while booked:
        name, record = booked.popleft()
        key, line = (name, record.section), _line(record, days, mark)
        is_first = key not in accounts
        lines = accounts.setdefault(key, [])
        if line.amount and is_first and _opens(record, name, mapping or {}):
            openings[key] = StatedBalance(line.amount, line.booked_on)
            skipped.append(SkippedRow(record.row, line.description, REASON))
        else:
            lines.append(line)
    return BankFile("qif", _statements(accounts, openings), _warnings(accounts, skipped), tuple(skipped))


def _opens(record: QifRecord, account: str | None, mapping: Mapping[str, object]) -> bool:
    """Return whether a record is the opening balance, which Quicken writes as a transfer from the account itself.

    Raises MappingNeededError for one that says nothing of where the money came from.
    """
    named = record.first("P") or record.first("M") or ""
    if label_of(named) != "BALANCE":
        return False
    category = record.first("L")
    if category is None and "leaveOut" not in mapping:
        raise unclear(record.row, named, "description")
    own = f"[{account}]".casefold() if account else category and category.casefold()
    return category is not None and category.startswith("[") and category.casefold() == own


def _account(record: QifRecord) -> str | None:
    """Return the name of the account whose records come next."""
    return (record.first("N") or "")[:_MAX_NAME] or None


def _refuse_lost_line(record: QifRecord) -> None:
    """Refuse a statement line among accounts or categories: its own heading is lost."""
    dated, stated = record.first("D"), record.first("T")
    if dated and stated and is_day(dated) and any(exact(stated, mark) is not None for mark in ".,"):
        raise record.error(
            "it has a date and an amount, but no heading of an account (!Type:Bank) before it."
        )


def _skip_reason(record: QifRecord) -> str | None:
    """Return why a record is no statement line, or None; raises FileRefusedError for a damaged record."""
    if record.section in _SECURITIES:
        return _OF_SECURITIES
    if record.has_any("DTU"):
        return None
    # A day without its letter is that of a line; a remark alone is not.
    if any(map(is_day, record.written())):
        raise record.error("the letters before its date and its amount (D, T) are lost; download it again.")
    return "It has neither a date nor an amount."


def _statements(
    accounts: Mapping[tuple[str | None, str], list[FileLine]],
    openings: Mapping[tuple[str | None, str], StatedBalance],
) -> tuple[Statement, ...]:
    """Return a statement per account; accounts without a name differ by their type (bank, ccard)."""
    nameless = sum(name is None for name, _ in accounts)
    return tuple(
        Statement(
            external_id=name or (section if nameless > 1 else None),
            currency=None,
            lines=tuple(lines),
            name=name,
            opening=openings.get((name, section)),
        )
        for (name, section), lines in accounts.items()
    )


def _warnings(
    accounts: Mapping[tuple[str | None, str], list[FileLine]], skipped: list[SkippedRow]
) -> tuple[str, ...]:
    securities = sum(row.reason == _OF_SECURITIES for row in skipped)
    warnings = []
    if securities:
        warnings.append(f"Securities transactions are not imported ({securities:,}); only cash is.")
    if not accounts:
        warnings.append("The file has no transaction, so there is nothing to import.")
    return tuple(warnings)


def _line(record: QifRecord, days: Order, mark: str) -> FileLine:
    """Read a record as a line; the splits of its amount are Quicken's categories and are ignored."""
    for letter in "DTU":
        # Two equal values are two equal lines without an end between them.
        if len(record.fields.get(letter, ())) > 1:
            raise record.error(f"{letter} appears twice; the end of a record (^) may be missing.")
    dated, stated = record.first("D"), record.first("TU")
    if not dated or not stated:
        raise record.error("it has no date (D)." if stated else "it has no amount (T).")
    booked_on, amount = day(dated, days), exact(stated, mark)
    if not booked_on:
        raise record.error(f"D is not a date: {quoted(dated)}.")
    if amount is None:
        raise record.error(f"T is not an amount: {quoted(stated)}.")
    again = record.first("U")
    if again and exact(again, mark) != amount:
        raise record.error(f"T and U are different amounts: {quoted(stated)} and {quoted(again)}.")
    number = record.first("N")
    return FileLine(
        row=record.row,
        booked_on=booked_on,
        amount=amount,
        description=joined([record.first("P"), record.first("M")]),
        counterparty=record.first("P"),
        reference=number if number and any(map(str.isdigit, number)) else None,
    )


def decimal_mark(texts: Iterable[str], mapping: Mapping[str, object]) -> str:
    """Find the decimal mark of a file: `decimal` of the mapping, else from all amounts.

    >>> decimal_mark(["1,000.00", "7"], {}), decimal_mark(["12,50-", "1.000"], {}), decimal_mark(["(5,00)"], {})
    ('.', ',', '.')

    Raises MappingNeededError where all amounts are ambiguous: 1,234 may be a thousand or a little more than one.
    """
    decimal = mapping.get("decimal")
    if decimal in {".", ","}:
        return str(decimal)
    unclear = None
    for text in texts:
        plain = text.strip().strip("+-\u2212")[:_MAX_LENGTH]
        last = max(plain.rfind(mark) for mark in _MARKS)
        if last < 0 or not (plain[last + 1 :] or "0").isdecimal():
            continue
        mark, behind = plain[last], len(plain) - last - 1
        if plain.count(mark) > 1:
            return _MARKS.replace(mark, "")
        if behind != 3 or any(other in plain for other in _MARKS.replace(mark, "")):  # noqa: PLR2004
            return mark
        unclear = unclear or text
    if unclear:
        raise MappingNeededError(
            f"Amounts such as {quoted(unclear)} can be read in two ways; name the mark before the cents in the"
            " mapping, as decimal.",
            "decimal",
            example=unclear.strip(),
        )
    return "."


def exact(text: str, mark: str) -> Decimal | None:
    """Read an amount exactly with this decimal mark, or None where it is not an amount.

    >>> [str(exact(text, ".")) for text in ("-1,000.00", "+5", "12.5", "-0.00", "1,00", "1 000.00", "5-")]
    ['-1000.00', '5', '12.5', '0.00', 'None', '1000.00', '-5']
    """
    plain = text.strip().replace("\u2212", "-")
    if len(plain) > _MAX_LENGTH:
        return None
    is_negative = plain.startswith("-") or plain.endswith("-")
    plain = plain[1:].lstrip() if plain[:1] in {"+", "-"} else plain.removesuffix("-")
    integer, _, fraction = plain.partition(mark)
    if _GROUPS.fullmatch(integer):
        integer = re.sub(r"[.,' ]", "", integer)
    number = f"{integer}.{fraction}" if fraction else integer
    if not _NUMBER.fullmatch(number) or len(number.replace(".", "").lstrip("0")) > MAX_DIGITS:
        return None
    value = Decimal(number)
    return value.copy_negate() if is_negative and value else value
