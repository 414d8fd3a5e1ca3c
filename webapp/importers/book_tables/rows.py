"""The rows of tables that move books in, read exactly: accounts, balances, open items, and postings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from webapp.importers.bank_files import SkippedRow
from webapp.importers.book_tables.columns import KINDS
from webapp.importers.records.record_layouts import RecordTable
from webapp.importers.records.record_rows import RecordReader
from webapp.importers.tables.rows import TableRow
from webapp.ledger.chart import BANK, AccountType

_DEBIT: Final = frozenset({"s", "d", "dr", "soll", "debit", "debet"})
_CREDIT: Final = frozenset({"h", "c", "k", "cr", "haben", "credit", "kredit"})


@dataclass(frozen=True, slots=True)
class AccountKind:
    """What a word for the type of an account means."""

    type: AccountType
    group: str | None = None
    keeps_items: bool = False


_A, _L, _X = AccountType.ASSET, AccountType.LIABILITY, AccountType.EXPENSE
_KINDS: Final[tuple[tuple[AccountKind, str], ...]] = (
    (AccountKind(_A), "asset; assets; aktiv; aktiva; aktivkonto; vermögen"),
    (AccountKind(_A, BANK), "bank; cash; bank accounts; kasse; finanzkonto; geldkonto"),
    (
        AccountKind(_A, "CURRENT_ASSETS"),
        "other current asset; other current assets; current asset; umlaufvermögen",
    ),
    (AccountKind(_A, "FIXED_ASSETS"), "fixed asset; fixed assets; other asset; other assets; anlagevermögen"),
    (
        AccountKind(_A, "DEBTORS", keeps_items=True),
        "accounts receivable; accounts receivable a r; a r; debtors",
    ),
    (AccountKind(_A, "DEBTORS", keeps_items=True), "receivables; trade debtors; forderungen; debitoren"),
    (AccountKind(_L), "liability; liabilities; passiv; passiva; passivkonto; credit card; rückstellungen"),
    (
        AccountKind(_L, "CURRENT_LIABILITIES"),
        "other current liability; other current liabilities; current liability",
    ),
    (AccountKind(_L, "LONG_TERM_LIABILITIES"), "long term liability; long term liabilities; darlehen; loan"),
    (
        AccountKind(_L, "CREDITORS", keeps_items=True),
        "accounts payable; accounts payable a p; a p; creditors",
    ),
    (
        AccountKind(_L, "CREDITORS", keeps_items=True),
        "payables; trade creditors; verbindlichkeiten; kreditoren",
    ),
    (AccountKind(AccountType.EQUITY), "equity; capital; eigenkapital; kapital; privat"),
    (
        AccountKind(AccountType.INCOME, "SALES"),
        "income; sales; revenue; turnover; ertrag; erträge; erlös; erlöse",
    ),
    (AccountKind(AccountType.INCOME, "OTHER_INCOME"), "other income; sonstiger ertrag; sonstige erträge"),
    (
        AccountKind(_X),
        "expense; expenses; overhead; overheads; other expense; other expenses; aufwand; kosten",
    ),
    (
        AccountKind(_X, "COST_OF_SALES"),
        "cost of goods sold; cost of sales; direct costs; wareneinsatz; wareneinkauf",
    ),
    (AccountKind(_X, "DEPRECIATION"), "depreciation; abschreibung; abschreibungen"),
)
TYPES: Final = {word.strip(): kind for kind, texts in _KINDS for word in texts.split(";")}


@dataclass(frozen=True, slots=True)
class StatedAccount:
    """An account as a row states it; `row` counts the file's lines from 1."""

    row: int
    code: str | None
    name: str
    kind: AccountKind
    currency: str | None


@dataclass(frozen=True, slots=True)
class StatedPosting:
    """A balance, an item or a posting as a row states it; a debit is above zero.

    `account` and `contra_account` are codes or names. The rows of one `key` are one entry or one item; None is a row of
    its own. `source` is manual or closing.
    """

    row: int
    key: str | None
    account: str | None
    amount: Decimal
    currency: str | None = None
    amount_base: Decimal | None = None
    day: date | None = None
    due_on: date | None = None
    contra_account: str | None = None
    party: str | None = None
    number: str | None = None
    description: str | None = None
    tax_code: str | None = None
    tax: Decimal | None = None
    tax_point: date | None = None
    received_on: date | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class BookTable:
    """The rows of a table, those without a record, and the whole mapping that read it."""

    kind: str
    rows: Sequence[StatedAccount | StatedPosting]
    skipped: Sequence[SkippedRow]
    mapping: dict[str, object]


def table_of(table: RecordTable, name: str) -> BookTable:
    """Read the records of a table of a kind in KINDS; raises FileRefusedError with row, column and value."""
    reader = RecordReader(table, KINDS[name])
    skipped = reader.skipped(f"It has no {KINDS[name].noun}, or states a sum.")
    return BookTable(name, _READ[name](reader), tuple(skipped), table.mapping)


def _accounts(reader: RecordReader) -> list[StatedAccount]:
    found = []
    for row in reader.rows:
        word = reader.needed(row, "type").casefold()
        kind = TYPES.get(" ".join("".join(each if each.isalnum() else " " for each in word).split()))
        if kind is None:
            why = "its type is none of assets, liabilities, equity, income and expenses"
            raise reader.layout.refusal(row, reader.layout.columns["type"], why)
        facts = reader.text(row, "code"), reader.needed(row, "name")
        found.append(StatedAccount(row.number, *facts, kind, reader.currency(row)))
    return found


def _balances(reader: RecordReader) -> list[StatedPosting]:
    return [
        StatedPosting(
            row.number,
            None,
            reader.needed(row, "account"),
            _amount(reader, row) or Decimal(0),
            reader.currency(row),
            reader.number(row, "amount_base"),
        )
        for row in reader.rows
    ]


def _items(reader: RecordReader) -> list[StatedPosting]:
    return [
        StatedPosting(
            row.number,
            f"{reader.needed(row, 'number')} {(reader.needed(row, 'party')).casefold()}",
            reader.text(row, "account"),
            _owed(reader, row),
            reader.currency(row),
            reader.number(row, "amount_base"),
            reader.needed_day(row, "date"),
            reader.day(row, "due_date"),
            party=reader.text(row, "party"),
            number=reader.text(row, "number"),
            description=reader.text(row, "description"),
            tax_code=reader.text(row, "tax_code"),
            tax=reader.number(row, "tax"),
        )
        for row in reader.rows
    ]


def _owed(reader: RecordReader, row: TableRow) -> Decimal:
    """Read what is open of an item, with its tax."""
    amount, base = reader.number(row, "amount"), reader.number(row, "base")
    if amount is None:
        if base is None:
            columns = reader.layout.columns
            raise reader.layout.refusal(
                row, columns.get("amount", columns.get("base", 0)), "the item has no amount"
            )
        amount = base + (reader.number(row, "tax") or 0)
    return amount


def _postings(reader: RecordReader) -> list[StatedPosting]:
    """Read postings; a row that repeats neither the entry nor the day of the one above belongs to that entry."""
    found: list[StatedPosting] = []
    for row in reader.rows:
        key, day, above = reader.text(row, "entry"), reader.day(row, "date"), found[-1] if found else None
        if day is None and above is not None and (key is None or key == above.key):
            key, day = above.key, above.day
        if day is None:
            day = reader.needed_day(row, "date")
        amount = _amount(reader, row)
        if amount is None:
            raise reader.layout.refusal(row, reader.layout.columns["account"], "the posting has no amount")
        source = (reader.text(row, "source") or "manual").casefold()
        found.append(
            StatedPosting(
                row.number,
                key if key is None or reader.text(row, "contra_account") is None else f"{key} {row.number}",
                reader.needed(row, "account"),
                amount,
                reader.currency(row),
                reader.number(row, "amount_base"),
                day,
                contra_account=reader.text(row, "contra_account"),
                party=reader.text(row, "party"),
                number=reader.text(row, "reference") or reader.text(row, "entry"),
                description=reader.text(row, "description"),
                tax_code=reader.text(row, "tax_code"),
                tax_point=reader.day(row, "tax_point"),
                received_on=reader.day(row, "received_on"),
                source="closing" if source == "closing" else "manual",
            )
        )
    return found


def _amount(reader: RecordReader, row: TableRow) -> Decimal | None:
    """Read an amount with its side: signed, with a column that names the side, or in columns of debit and credit."""
    amount, side = reader.number(row, "amount"), (reader.text(row, "side") or "").casefold()
    if amount is not None:
        if side and side not in _DEBIT | _CREDIT:
            raise reader.layout.refusal(row, reader.layout.columns["side"], "it is neither debit nor credit")
        return -amount if side in _CREDIT else amount
    debit, credit = reader.number(row, "debit"), reader.number(row, "credit")
    return None if debit is None and credit is None else (debit or Decimal(0)) - (credit or Decimal(0))


_READ: Final[Mapping[str, Callable[[RecordReader], Sequence[StatedAccount | StatedPosting]]]] = {
    "ACCOUNTS": _accounts,
    "OPENING": _balances,
    "ITEMS": _items,
    "JOURNAL": _postings,
}
