"""Reports as tables of typed cells, signed as people read them: income, liabilities and equity above zero."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, Final

from webapp.exporters import csv_files, workbooks
from webapp.exporters.csv_files import Cell, Table
from webapp.ledger.chart import AccountType
from webapp.ledger.money import Money
from webapp.ledger.open_items.ageing import OwedSide
from webapp.ledger.periods import Period
from webapp.ledger.report_columns import ReportColumns
from webapp.queries.items import aged_tables, party_statements
from webapp.queries.items.party_statements import PartyStatement, StatementCurrency
from webapp.queries.reports import ledger_tables, statements, trial_balances
from webapp.queries.reports.figures import PartFigures, Sums
from webapp.queries.reports.ledger_tables import NO_PART, PART_HEADS, LedgerQuestion
from webapp.queries.reports.statements import ReportLine
from webapp.queries.reports.trial_balances import TrialLine, TrialPart

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


def trial_balance(organization_id: str, columns: ReportColumns) -> Table:
    """Write the trial balance, debit above zero."""
    report = trial_balances.trial_balance(organization_id, columns)
    moves = ("Opening", "Change", "Carried", "Closing", "Debit", "Credit")
    heads = [*_names(columns), *moves, *_heads(columns, _close)[1:]]
    beside = [None] * (len(columns.periods) - 1)
    total: Row = (None, "Total", None, *_no_part(columns), *[None] * 4, report.debit, report.credit, *beside)
    rows = [*(row for line in report.lines for row in _trial_rows(line, columns)), total]
    return Table("Trial balance", heads, rows)


def _trial_rows(line: TrialLine, columns: ReportColumns) -> Iterator[Row]:
    account = (line.code, line.name, line.type)
    yield (*account, *_no_part(columns), *_trial_cells(line))
    for part in line.parts or ():
        yield (*account, part.name or NO_PART, *_trial_cells(part))


def _trial_cells(of: TrialLine | TrialPart) -> Row:
    return (of.opening, of.change, of.carry, of.closing, of.debit, of.credit, *_beside(of, 1))


def profit_and_loss(organization_id: str, columns: ReportColumns) -> Table:
    """Write income and expenses with the result, and personal accounts apart from it."""
    report = statements.profit_and_loss(organization_id, columns)
    business = [line for line in report.lines if line.in_scope]
    personal = [line for line in report.lines if not line.in_scope]
    rows = [
        *_section(columns, _of(business, AccountType.INCOME), "Income", report.income),
        *_section(columns, _of(business, AccountType.EXPENSE), "Expenses", report.expenses, sign=1),
        *_figures(columns, (None, "Profit or loss", None), report.result, 1),
    ]
    if personal:
        rows += _section(columns, personal, "Personal", report.personal, sign=1)
        name = "Profit or loss with personal accounts"
        rows += _figures(columns, (None, name, None), report.result_with_personal, 1)
    return Table("Profit and loss", [*_names(columns), *_heads(columns, _days)], rows)


def balance_sheet(organization_id: str, columns: ReportColumns) -> Table:
    """Write assets, and liabilities and equity with the result of the year."""
    report = statements.balance_sheet(organization_id, columns)
    of_year = (
        ("Result of the year", report.result_of_year),
        ("Personal, of the year", report.personal_of_year),
    )
    rows = [
        *_section(columns, _of(report.lines, AccountType.ASSET), "Assets", report.assets, sign=1),
        *_section(columns, _of(report.lines, AccountType.LIABILITY), "Liabilities", report.liabilities),
        *_section(columns, _of(report.lines, AccountType.EQUITY), "Equity", report.equity),
        *(row for name, sums in of_year for row in _figures(columns, (None, name, None), sums, -1)),
        *_figures(columns, (None, "Liabilities and equity", None), report.against, 1),
    ]
    return Table("Balance sheet", [*_names(columns), *_heads(columns, _close)], rows)


def _of(lines: Iterable[ReportLine], type_: AccountType) -> list[ReportLine]:
    return [line for line in lines if line.type == type_]


def _section(
    columns: ReportColumns, lines: Iterable[ReportLine], name: str, sums: Sums, *, sign: int = -1
) -> Iterator[Row]:
    """Write accounts and their total; where the sign is below zero, credits stand above."""
    for line in lines:
        yield from _figures(columns, (line.code, line.name, line.type), line, sign)
    yield from _figures(columns, (None, f"Total: {name}", None), sums, sign)


def _figures(columns: ReportColumns, facts: Row, of: ReportLine | Sums, sign: int) -> Iterator[Row]:
    """Write a row of figures, and one of each part."""
    yield (*facts, *_no_part(columns), _signed(of.amount, sign), *_beside(of, sign))
    for part in of.parts or ():
        yield (*facts, part.name or NO_PART, _signed(part.amount, sign), *_beside(part, sign))


def _beside(of: Figured | TrialLine | TrialPart, sign: int) -> list[Cell]:
    before = [] if of.before is None else [of.before]
    return [_signed(each, sign) for each in (*before, *(of.months or ()))]


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


STATEMENTS: Final = {
    "trial_balance": trial_balance,
    "profit_and_loss": profit_and_loss,
    "balance_sheet": balance_sheet,
}
GENERAL_LEDGER: Final = "general_ledger"
AGED: Final = {"aged_receivables": OwedSide.RECEIVABLES, "aged_payables": OwedSide.PAYABLES}
PARTY_STATEMENT: Final = "party_statement"
REPORTS: Final = (*STATEMENTS, GENERAL_LEDGER, *AGED, PARTY_STATEMENT)


def of(organization_id: str, report: str, columns: ReportColumns, *, account_id: int | None = None) -> Table:
    """Write a report of `REPORTS`; the general ledger may be that of one account."""
    if report == GENERAL_LEDGER:
        asked = LedgerQuestion(columns.period, columns.selection, columns.by, account_id)
        return ledger_tables.table(organization_id, asked)
    if report == PARTY_STATEMENT:
        party_id = columns.selection.org_merchant_id
        return party_statement(organization_id, party_id, columns.period)
    if report in AGED:
        return aged_tables.table(organization_id, AGED[report], columns.period.last)
    return STATEMENTS[report](organization_id, columns)


def write(table: Table, format_: str, file: IO[bytes]) -> str:
    """Write a table to a file as `csv` or `xlsx`, and give its media type; raise TooManyRowsError."""
    if format_ == "xlsx":
        workbooks.write(table, file)
        return workbooks.MEDIA_TYPE
    file.writelines(csv_files.as_csv(table))
    return "text/csv; charset=utf-8"
