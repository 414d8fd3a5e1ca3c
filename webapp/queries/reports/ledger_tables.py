"""The general ledger as a table of typed cells, read while it is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from webapp.exporters.tables import Cell, Table
from webapp.ledger.dimensions import Dimension, DimensionSelection
from webapp.ledger.periods import Period
from webapp.queries.access import organizations
from webapp.queries.reports import dimensions, general_ledger
from webapp.queries.reports.general_ledger import LedgerLine

LINES_AT_ONCE: Final = 10_000
HEADS: Final = (
    "Code",
    "Account",
    "Day",
    "Entry",
    "Number",
    "Description",
    "Source",
    "Project",
    "Merchant",
    "Amount",
    "Currency",
)


def table(
    organization_id: str, period: Period, selection: DimensionSelection, account_id: int | None
) -> Table:
    """Write the postings of a period by account and day, debit above zero, with what each account brought forward."""
    base = organizations.get(organization_id).base_currency
    lines = _lines(organization_id, period, selection, account_id)
    return Table("General ledger", [*HEADS, base, f"Balance {base}"], _rows(organization_id, period, lines))


def _lines(
    organization_id: str, period: Period, selection: DimensionSelection, account_id: int | None
) -> Iterator[LedgerLine]:
    after: tuple[Any, ...] | None = None
    while True:
        page = general_ledger.listed(
            organization_id,
            period,
            account_id=account_id,
            selection=selection,
            after=after,
            limit=LINES_AT_ONCE,
        )
        yield from page.items
        after = page.next_key
        if after is None:
            return


def _rows(organization_id: str, period: Period, lines: Iterator[LedgerLine]) -> Iterator[Sequence[Cell]]:
    projects = dimensions.members(organization_id, Dimension.PROJECT)
    merchants = dimensions.members(organization_id, Dimension.MERCHANT)
    nothing = [None] * 5
    account: object = lines
    for line in lines:
        facts = (line.account_code, line.account_name)
        if line.account_id != account:
            account = line.account_id
            yield (*facts, period.first, None, None, "Brought forward", *nothing, None, line.brought_forward)
        yield (
            *facts,
            line.effective_at,
            line.journal_entry_id,
            line.entry_number,
            line.description,
            line.source,
            projects.get(line.project_id or 0),
            merchants.get(line.org_merchant_id or 0),
            line.amount,
            line.currency,
            line.amount_base,
            line.balance_base,
        )
