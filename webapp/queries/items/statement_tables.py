"""The statement of a party as a table of typed cells: what moved, what was owed after it, and what is open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from webapp.exporters.csv_files import Cell, Table
from webapp.ledger.periods import Period
from webapp.queries.items import party_statements
from webapp.queries.items.party_statements import PartyStatement, StatementCurrency

HEADS: Final = ("Part", "Day", "Number", "Reference", "Description", "Due", "Currency", "Amount", "Balance")


def table(organization_id: str, merchant_id: int | None, period: Period) -> Table:
    """Write the movements of a party by currency, between what was owed before and after them, and its open items."""
    statement = party_statements.statement(organization_id, merchant_id, period)
    rows = [*_addresses(statement)]
    for currency in statement.currencies:
        rows += _movements(currency, period)
    rows += _items(statement)
    name = f"Statement of {statement.name}" if statement.name else "Statement without a party"
    return Table(name, HEADS, rows)


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


def _items(statement: PartyStatement) -> Iterator[Sequence[Cell]]:
    for item in statement.items:
        facts = (item.day, None, item.reference, item.description, item.due_on, item.currency)
        yield ("Open", *facts, item.amount, item.open)
