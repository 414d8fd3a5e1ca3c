"""Reports as tables of typed cells, signed as people read them: income, liabilities and equity above zero."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Final

from webapp.exporters import csv_files, workbooks
from webapp.exporters.csv_files import Cell, Table
from webapp.ledger.closing.layouts import PRESET
from webapp.ledger.money import Money
from webapp.ledger.open_items.ageing import OwedSide
from webapp.ledger.periods import Period
from webapp.ledger.report_columns import ReportColumns
from webapp.queries.access import organizations
from webapp.queries.items import aged_tables, party_statements
from webapp.queries.items.party_statements import PartyStatement, StatementCurrency
from webapp.queries.journal import day_books
from webapp.queries.reports import (
    cash_flows,
    equity_changes,
    ledger_tables,
    registers,
    statements,
    trial_balances,
)
from webapp.queries.reports.cash_flows import CashFigures
from webapp.queries.reports.figures import PartFigures, Sums
from webapp.queries.reports.ledger_tables import LINES_AT_ONCE, NO_PART, PART_HEADS, LedgerQuestion
from webapp.queries.reports.statements import ReportLine, StatementRow
from webapp.queries.reports.trial_balances import TrialLine, TrialPart


@dataclass(frozen=True, slots=True)
class ReportChoice:
    """What reports are asked for beside their columns."""

    account_id: int | None = None
    layout: str = PRESET
    turnovers: bool = False
    percent_of_sales: bool = False


Figured = ReportLine | Sums | PartFigures
Row = Sequence[Cell]
# Of the statement of a party.
STATEMENT_HEADS: Final = (
    *("Part", "Day", "Number", "Reference", "Description", "Due", "Currency", "Amount", "Balance"),
)


def party_statement(organization_id: str, merchant_id: int | None, period: Period) -> Table:
    """Write the movements of a party by currency, between what was owed before and after them, and its open items."""
    statement = party_statements.statement(organization_id, merchant_id, period)
    rows = [*_addresses(statement)]
    for currency in statement.currencies:
        rows += _movements(currency, period)
    rows += _open_items(statement)
    name = f"Statement of {statement.name}" if statement.name else "Statement without a party"
    return Table(name, STATEMENT_HEADS, rows)


def _addresses(statement: PartyStatement) -> Iterator[Sequence[Cell]]:
    for part, lines in (("From", statement.sender), ("To", statement.recipient)):
        if lines:
            yield (part, None, None, None, ", ".join(lines), None, None, None, None)


def _movements(currency: StatementCurrency, period: Period) -> Iterator[Sequence[Cell]]:
    code = currency.currency
    yield ("Opening", period.first, None, None, "Owed before", None, code, None, currency.opening)
    for each in currency.movements:
        facts = (each.day, each.entry_number, each.reference, each.description, None, code)
        yield ("Movement", *facts, each.amount, each.balance)
    yield ("Closing", period.last, None, None, "Owed at the end", None, code, None, currency.closing)


def _open_items(statement: PartyStatement) -> Iterator[Sequence[Cell]]:
    for item in statement.items:
        facts = (item.day, None, item.reference, item.description, item.due_on, item.currency)
        yield ("Open", *facts, item.amount, item.open)


def trial_balance(organization_id: str, columns: ReportColumns, asked: ReportChoice) -> Table:
    """Write the trial balance, debit above zero."""
    report = trial_balances.trial_balance(organization_id, columns, turnovers=asked.turnovers)
    columns = report.columns
    sides = ("Debited", "Credited") if asked.turnovers else ()
    moves = ("Opening", *sides, "Change", "Carried", "Closing", "Debit", "Credit")
    heads = [*_names(columns), *moves, *_heads(columns, _close)[1:]]
    beside = [None] * (len(columns.periods) - 1)
    nothing = [*_no_part(columns), *[None] * (4 + len(sides))]
    total: Row = (None, "Total", None, *nothing, report.debit, report.credit, *beside)
    rows = [*(row for line in report.lines for row in _trial_rows(line, columns)), total]
    return Table("Trial balance", heads, rows)


def _trial_rows(line: TrialLine, columns: ReportColumns) -> Iterator[Row]:
    account = (line.code, line.name, line.type)
    sides = [] if line.debited is None else [line.debited, line.credited]
    yield (*account, *_no_part(columns), *_trial_cells(line, sides))
    for part in line.parts or ():
        yield (*account, part.name or NO_PART, *_trial_cells(part, [None] * len(sides)))


def _trial_cells(of: TrialLine | TrialPart, sides: Row) -> Row:
    return (of.opening, *sides, of.change, of.carry, of.closing, of.debit, of.credit, *_beside(of, 1))


def profit_and_loss(organization_id: str, columns: ReportColumns, asked: ReportChoice) -> Table:
    """Write the rows of the layout down to the result, and personal accounts apart from it."""
    report = statements.profit_and_loss(organization_id, columns, layout=asked.layout)
    rows = list(_table_rows(columns, report.rows, shares=asked.percent_of_sales))
    if personal := [line for line in report.lines if not line.in_scope]:
        nothing = [None] if asked.percent_of_sales else []
        name = "Profit or loss with personal accounts"
        personal_rows: list[tuple[Row, ReportLine | Sums, int]] = [
            *(((line.code, line.name, line.type), line, 1) for line in personal),
            ((None, "Total: Personal", None), report.personal, 1),
            ((None, name, None), report.result_with_personal, 1),
        ]
        for facts, of, sign in personal_rows:
            rows += [(*row, *nothing) for row in _figures(columns, facts, of, sign)]
    shares = ["Percent of sales"] if asked.percent_of_sales else []
    return Table("Profit and loss", [*_names(columns), *_heads(columns, _days), *shares], rows)


def balance_sheet(organization_id: str, columns: ReportColumns, asked: ReportChoice) -> Table:
    """Write the rows of the layout, and what both sides come to."""
    report = statements.balance_sheet(organization_id, columns, layout=asked.layout)
    columns = report.columns
    rows = [
        *_table_rows(columns, report.rows),
        *_figures(columns, (None, "Assets", None), report.assets, 1),
        *_figures(columns, (None, "Liabilities and equity", None), report.against, 1),
    ]
    return Table("Balance sheet", [*_names(columns), *_heads(columns, _close)], rows)


def _table_rows(
    columns: ReportColumns, rows: Iterable[StatementRow], *, shares: bool = False
) -> Iterator[Row]:
    """Write groups with their accounts, and subtotals, signed as the layout has them."""
    for row in rows:
        for line in row.lines:
            facts = (line.code, line.name, line.type)
            yield from ((*cells, *([None] if shares else [])) for cells in _figures(columns, facts, line, 1))
        heading = row.name
        name = heading if row.kind == "SUBTOTAL" else f"Total: {heading}"
        percents = [row.percent_of_sales] if shares else []
        for place, cells in enumerate(_figures(columns, (None, name, None), row.figures, 1)):
            yield (*cells, *(percents if place == 0 else [None] * len(percents)))


def cash_flow(organization_id: str, columns: ReportColumns, _asked: ReportChoice) -> Table:
    """Write what money flowed for between what there was and what there is."""
    report = cash_flows.cash_flow(organization_id, columns)
    rows = [_flow("Cash at the beginning", report.opening)]
    for activity in report.activities:
        rows += [(e.code, e.name, e.type, e.amount, *_beside(e, 1)) for e in activity.lines]
        heading = activity.title
        rows.append(_flow(f"Total: {heading}", activity.figures))
    rows.append(_flow("Effect of exchange rates", report.exchange_effect))
    rows.append(_flow("Cash at the end", report.closing))
    rows.append(_flow("Of this in transit", report.in_transit))
    return Table("Cash flow", [*_names(columns), *_heads(columns, _days)], rows)


def _flow(name: str, of: CashFigures) -> Row:
    return (None, name, None, of.amount, *_beside(of, 1))


def changes_in_equity(organization_id: str, columns: ReportColumns, _asked: ReportChoice) -> Table:
    """Write what moved each account of equity, above zero."""
    report = equity_changes.changes_in_equity(organization_id, columns)
    heads = ("Opening", "Result", "Contributions", "Drawings", "Appropriation", "Other", "Closing")
    rows = [
        (each.code, each.name, *(getattr(each, head.lower()) for head in heads))
        for each in (*report.lines, report.total)
    ]
    return Table("Changes in equity", ["Code", "Account", *heads], rows)


def day_book(organization_id: str, columns: ReportColumns, _asked: ReportChoice) -> Table:
    """Write the legs of a period by day and entry, and what both sides come to."""
    base = organizations.base_currency(organization_id)
    heads = ("Day", "Account", "Code", "Number", "Description", "Source", "Document", "Against")
    sides = day_books.totals(organization_id, columns.period, base)

    def rows() -> Iterator[Row]:
        for each in day_books.every(organization_id, columns.period):
            yield (
                *(each.effective_at, each.account_name, each.account_code, each.entry_number),
                *(each.description, each.source, each.document_number, ", ".join(each.contra)),
                *(each.amount, each.currency, each.debit, each.credit),
            )
        yield (None, "Total", *[None] * 8, *sides)

    return Table("Day book", [*heads, "Amount", "Currency", f"Debit {base}", f"Credit {base}"], rows())


def register(organization_id: str, columns: ReportColumns, asked: ReportChoice) -> Table:
    """Write the postings of an account, oldest first, with its balance after each in its currency and the base."""
    of = registers.account(organization_id, asked.account_id or 0)
    days = columns.period

    def rows() -> Iterator[Row]:
        after: registers.Key | None = None
        while True:
            page = registers.page(
                of, oldest_first=True, from_=days.first, to=days.last, after=after, limit=LINES_AT_ONCE
            )
            for each in page.items:
                facts = (each.effective_on, each.description, each.entry_number, each.status, each.source)
                yield (*facts, each.amount, each.currency, each.balance, each.amount_base, each.balance_base)
            after = page.next_key
            if after is None:
                return

    heads = ("Day", "Description", "Number", "Status", "Source", "Amount", "Currency", "Balance")
    return Table("Register", [*heads, of.base_currency, f"Balance {of.base_currency}"], rows())


def _figures(columns: ReportColumns, facts: Row, of: ReportLine | Sums, sign: int) -> Iterator[Row]:
    """Write a row of figures, and one of each part."""
    yield (*facts, *_no_part(columns), _signed(of.amount, sign), *_beside(of, sign))
    for part in of.parts or ():
        yield (*facts, part.name or NO_PART, _signed(part.amount, sign), *_beside(part, sign))


def _beside(of: Figured | CashFigures | TrialLine | TrialPart, sign: int) -> list[Cell]:
    before = [] if of.before is None else [of.before]
    year = getattr(of, "year_to_date", None)
    return [_signed(each, sign) for each in (*before, *(of.months or ()), *([] if year is None else [year]))]


def _signed(amount: Money, sign: int) -> Money:
    return amount if sign > 0 else -amount


def _names(columns: ReportColumns) -> list[str]:
    return ["Code", "Account", "Type", *([PART_HEADS[columns.by]] if columns.by else [])]


def _no_part(columns: ReportColumns) -> list[None]:
    return [None] if columns.by else []


def _heads(columns: ReportColumns, named: Callable[[Period], str]) -> list[str]:
    """Name the columns of figures: by their days, or by the last of them."""
    return [named(each) for each in columns.periods]


def _days(period: Period) -> str:
    return f"{period.first} to {period.last}"


def _close(period: Period) -> str:
    return str(period.last)


STATEMENTS: Final[Mapping[str, Callable[[str, ReportColumns, ReportChoice], Table]]] = {
    "trial_balance": trial_balance,
    "profit_and_loss": profit_and_loss,
    "balance_sheet": balance_sheet,
    "cash_flow": cash_flow,
    "changes_in_equity": changes_in_equity,
    "day_book": day_book,
    "register": register,
}
GENERAL_LEDGER: Final = "general_ledger"
AGED: Final = {"aged_receivables": OwedSide.RECEIVABLES, "aged_payables": OwedSide.PAYABLES}
PARTY_STATEMENT: Final = "party_statement"
REPORTS: Final = (*STATEMENTS, GENERAL_LEDGER, *AGED, PARTY_STATEMENT)


def of(organization_id: str, report: str, columns: ReportColumns, asked: ReportChoice) -> Table:
    """Write a report of `REPORTS`; the general ledger may be that of one account."""
    if report == GENERAL_LEDGER:
        question = LedgerQuestion(columns.period, columns.selection, columns.by, asked.account_id)
        return ledger_tables.table(organization_id, question)
    if report == PARTY_STATEMENT:
        party_id = columns.selection.org_merchant_id
        return party_statement(organization_id, party_id, columns.period)
    if report in AGED:
        return aged_tables.table(organization_id, AGED[report], columns.period.last)
    return STATEMENTS[report](organization_id, columns, asked)


def write(table: Table, format_: str, file: IO[bytes]) -> str:
    """Write a table to a file as `csv` or `xlsx`, and give its media type; raise TooManyRowsError."""
    if format_ == "xlsx":
        workbooks.write(file, table)
        return workbooks.MEDIA_TYPE
    file.writelines(csv_files.as_csv(table))
    return "text/csv; charset=utf-8"
