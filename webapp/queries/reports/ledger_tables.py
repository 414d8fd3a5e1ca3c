"""The general ledger as a table of typed cells, read while it is written."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from webapp.exporters.csv_files import Cell, Table
from webapp.ledger.dimensions import Dimension, DimensionSelection
from webapp.ledger.periods import Period
from webapp.queries.access import organizations
from webapp.queries.reports import dimensions, general_ledger
from webapp.queries.reports.general_ledger import LedgerLine
from webapp.queries.reports.ledger_books import FORWARD

LINES_AT_ONCE: Final = 10_000
HEADS: Final = (
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
PART_HEADS: Final = {
    Dimension.PROJECT: "Project",
    Dimension.PROJECT_GROUP: "Project group",
    Dimension.MERCHANT: "Customer or supplier",
}
NO_PART: Final = "None"


@dataclass(frozen=True, slots=True)
class LedgerQuestion:
    """What a general ledger is asked for: days, what counts, what it is grouped by, and one account or all."""

    period: Period
    selection: DimensionSelection
    by: Dimension | None
    account_id: int | None


def table(organization_id: str, asked: LedgerQuestion) -> Table:
    """Write the postings of a period by account, part and day, debit above zero, with what each brought forward."""
    base = organizations.get(organization_id).base_currency
    # A posting stands under its part, and need not say it again.
    part = PART_HEADS[asked.by] if asked.by else None
    others = [head for head in HEADS if head != part]
    heads = ["Code", "Account", *([part] if part else []), *others, base, f"Balance {base}"]
    return Table("General ledger", heads, _rows(organization_id, asked, part))


def _lines(organization_id: str, asked: LedgerQuestion) -> Iterator[LedgerLine]:
    after: tuple[Any, ...] | None = None
    while True:
        page = general_ledger.listed(
            organization_id,
            asked.period,
            account_id=asked.account_id,
            selection=asked.selection,
            by=asked.by,
            after=after,
            limit=LINES_AT_ONCE,
        )
        yield from page.items
        after = page.next_key
        if after is None:
            return


def _rows(organization_id: str, asked: LedgerQuestion, part: str | None) -> Iterator[Sequence[Cell]]:
    projects = dimensions.members(organization_id, Dimension.PROJECT)
    merchants = dimensions.members(organization_id, Dimension.MERCHANT)
    section: object = asked
    for line in _lines(organization_id, asked):
        facts: list[Cell] = [line.account_code, line.account_name]
        if line.part:
            facts.append(line.part.name or NO_PART)
        if (line.account_id, line.part) != section:
            section = line.account_id, line.part
            nothing = [None] * (len(HEADS) - 4 - (part in HEADS))
            forward = (asked.period.first, None, None, "Brought forward", *nothing)
            yield (*facts, *forward, None, line.brought_forward)
        if line.source == FORWARD[0]:
            continue
        cells: dict[str, Cell] = {
            "Day": line.effective_at,
            "Entry": line.journal_entry_id,
            "Number": line.entry_number,
            "Description": line.description,
            "Source": line.source,
            "Project": projects.get(line.project_id or 0),
            "Merchant": merchants.get(line.org_merchant_id or 0),
            "Amount": line.amount,
            "Currency": line.currency,
        }
        cells.pop(part or "", None)
        yield (*facts, *cells.values(), line.amount_base, line.balance_base)
