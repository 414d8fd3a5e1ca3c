"""The pack of a close: its statements, lists and proofs as tables, for paper and for a workbook."""

import json
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import IO, Any, Final

from webapp.exporters import workbooks
from webapp.exporters.csv_files import Cell, Table
from webapp.ledger.closing.balances import PROVED_BY, STATES
from webapp.ledger.money import Money
from webapp.ledger.periods import Period
from webapp.ledger.report_columns import ReportColumns
from webapp.ledger.texts.words import Words
from webapp.models import FeedAccount
from webapp.queries.access import organizations
from webapp.queries.closes import closes, documents
from webapp.queries.closes.closes import CloseRecord
from webapp.queries.common import lookups
from webapp.queries.reports import report_tables
from webapp.queries.reports.report_tables import ReportChoice
from webapp.queries.reports.statements import RESULTS

# The name under which a close freezes its pack.
PACK: Final = "pack"
PROFIT_AND_LOSS: Final = "profit_and_loss"
STATEMENTS: Final = (
    *(PROFIT_AND_LOSS, "balance_sheet", "cash_flow", "changes_in_equity", "trial_balance"),
    *("aged_receivables", "aged_payables"),
)
# The columns whose cells are our words, and not names of the books.
WORDED: Final = frozenset({"What", "Holds", "Proved by", "State", "Step"})
Rows = Iterator[Sequence[Cell]]


def of_close(organization_id: str, period: str, now: datetime) -> list[Table]:
    """Write the pack of the close of a month: as it was frozen once it is closed, before by the books as they are.

    Its first table says what is closed, and whether its figures still hold.
    """
    found = closes.read(organization_id, period, now)
    cover = Table("Month end", ("What", "Figure"), list(_cover(organization_id, found)))
    frozen = json.loads(found.row.document).get(PACK) if found.row and found.verdict else None
    if frozen is None:
        return [cover, *tables(organization_id, found)]
    return [
        cover,
        *(
            Table(each["title"], each["heads"], [tuple(map(_thawed, row)) for row in each["rows"]])
            for each in frozen
        ),
    ]


def as_json(found: Sequence[Table]) -> list[dict[str, Any]]:
    """Write tables as a close freezes them: an amount with its currency, a day by its name."""
    return [
        {"title": each.title, "heads": [*each.heads], "rows": [[*map(_frozen, row)] for row in each.rows]}
        for each in found
    ]


def _frozen(cell: Cell) -> object:
    if isinstance(cell, Money):
        return {"amount": str(cell), "currency": cell.currency}
    if isinstance(cell, Words):
        return {"words": cell}
    return {"day": cell.isoformat()} if isinstance(cell, date) else cell


def _thawed(cell: Any) -> Cell:
    if not isinstance(cell, dict):
        return cell  # type: ignore[no-any-return]
    if "words" in cell:
        return Words(cell["words"])
    return date.fromisoformat(cell["day"]) if "day" in cell else Money.of(cell["amount"], cell["currency"])


def tables(organization_id: str, found: CloseRecord) -> list[Table]:
    """Write the tables of a close by the books as they are."""
    return [
        *(_without_types(each) for each in _reports(organization_id, Period(found.from_, found.to))),
        Table(
            "Proofs of banks",
            ("Account", "Statement of", "Balance", Words("Holds"), Words("Digest")),
            list(_proofs(organization_id, found)),
        ),
        Table(
            "Proofs of balances",
            ("Code", "Account", "Proved by", "Balance", "Figure", "Difference", "Explained", "State"),
            [
                (
                    *(each.account_code, each.account_name, PROVED_BY[each.proof], each.balance),
                    *(each.figure, each.difference, each.explained, STATES[each.state]),
                )
                for each in found.looked.balances
            ],
        ),
        Table(
            Words("Cut-off"),
            ("About", "Booked", "Number", "Description", "Amount", "Result"),
            [
                (each.fact_on, each.effective_on, each.number, each.description, each.amount, each.result)
                for each in found.cut_off.rows
            ],
        ),
        Table(
            "Large changes",
            ("Account", "Before", "Now", "Change", "Why"),
            [(each.name, *each.shown, each.note) for each in found.looked.changes],
        ),
        Table(
            Words("Steps"),
            ("Step", "State", Words("Count"), "Amount", "By", "Note"),
            list(_steps(found)),
        ),
    ]


def _reports(organization_id: str, days: Period) -> list[Table]:
    """Write the statements and the aged lists: what flows with the year to date, at a year's end equity of the year."""
    year = organizations.financial_years(organization_id).of(days.last)
    whole = Period(year.first, days.last)
    to_date = ReportColumns(days, year_to_date=whole if year.first < days.first else None)
    columns = {
        PROFIT_AND_LOSS: to_date,
        "cash_flow": to_date,
        "changes_in_equity": ReportColumns(whole if year.last == days.last else days),
    }
    return [
        report_tables.of(organization_id, each, columns.get(each, ReportColumns(days)), ReportChoice())
        for each in STATEMENTS
    ]


def write(tables: Sequence[Table], file: IO[bytes]) -> str:
    """Write a pack to a file as a workbook, and give its media type."""
    workbooks.write(file, *tables)
    return workbooks.MEDIA_TYPE


def figures_of(table: Table) -> set[int]:
    """Find the columns of a table that have amounts."""
    return {place for row in table.rows for place, cell in enumerate(row) if isinstance(cell, Money)}


def _cover(organization_id: str, found: CloseRecord) -> Rows:
    yield ("Organization", organizations.get(organization_id).name)
    yield ("From", found.from_)
    yield ("To", found.to)
    yield ("State", _words(found.status))
    for what, name, at in (
        ("Prepared by", found.prepared_by, found.prepared_at),
        ("Approved by", found.approved_by, found.approved_at),
    ):
        if name:
            yield (what, f"{name}, {at:%Y-%m-%d %H:%M} UTC" if at else name)
    if found.digest:
        yield ("Digest", found.digest)
    if found.verdict:
        yield ("Figures since", _words(found.verdict))


def _proofs(organization_id: str, found: CloseRecord) -> Rows:
    proofs = documents.proofs(organization_id, Period(found.from_, found.to))
    accounts = lookups.by_id(FeedAccount, organization_id, {each.feed_account_id for each, _ in proofs})
    for each, holds in proofs:
        balance = documents.stated(each)
        name = accounts[each.feed_account_id].name
        yield (name, each.statement_date, balance, Words("Yes") if holds else Words("No"), each.digest)


def _steps(found: CloseRecord) -> Rows:
    """Yield the steps; what a close was prepared with stays accepted, though the lock has done it since."""
    accepted = [] if found.row is None else json.loads(found.row.document)["accepted"]
    notes = {each["step"]: each["note"] for each in accepted}
    for each in found.steps:
        facts = (each.count, each.amount, each.done_by or (found.prepared_by if each.code in notes else None))
        state = "Accepted" if each.code in notes else _words(each.state)
        yield (each.sentence, state, *facts, notes.get(each.code, each.note))


def _without_types(table: Table) -> Table:
    """Leave out the column of types, which the groups of statements say."""
    heads, rows = list(table.heads), list(table.rows)
    if "Type" not in heads:
        return Table(table.title, heads, rows)
    place = heads.index("Type")
    # An account without a code is no sum: that has no type either, or is the result that a balance sheet adds.
    rows = [
        (row[0] if row[1] in RESULTS or not row[place] else row[0] or "", *row[1:place], *row[place + 1 :])
        for row in rows
    ]
    return Table(table.title, [*heads[:place], *heads[place + 1 :]], rows)


def _words(code: str) -> Words:
    return Words(code.replace("_", " ").capitalize())
