"""The rows of a file that is only looked at, judged against the books as they are now."""

from __future__ import annotations

from collections.abc import Iterator

from webapp.importers.bank_files import SkippedRow
from webapp.ledger.money import Money
from webapp.models import FeedAccount, Import
from webapp.queries import lookups, organizations
from webapp.queries.imports import VERDICTS, ImportLineRecord
from webapp.queries.paging import Page
from webapp.services import import_plans
from webapp.services.import_lines import PlannedLine
from webapp.services.import_plans import AccountPlan, Reading


def listed(imported: Import, reading: Reading) -> list[ImportLineRecord]:
    """List the rows of a preview in the order of the file."""
    organization = organizations.get(imported.organization_id)
    chosen = (
        None
        if imported.feed_account_id is None
        else lookups.get(FeedAccount, organization.id, imported.feed_account_id)
    )
    plan = import_plans.plan(organization, reading, chosen)
    return [
        record for account in plan.accounts for record in sorted(_records(account), key=lambda each: each.row)
    ]


def page(
    records: list[ImportLineRecord], *, verdict: str | None, after: int | None, limit: int
) -> Page[ImportLineRecord]:
    """Cut a page out of a list of rows; the key is the place of its last row among all."""
    shown = [
        (place, each)
        for place, each in enumerate(records)
        if (verdict is None or each.verdict == verdict) and (after is None or place > after)
    ]
    next_key = (shown[limit - 1][0],) if len(shown) > limit else None
    return Page([each for _, each in shown[:limit]], next_key)


def counts(records: list[ImportLineRecord]) -> dict[str, int]:
    """Count rows by their verdict."""
    found = dict.fromkeys(VERDICTS, 0)
    for each in records:
        found[each.verdict] += 1
    return found


def _records(account: AccountPlan) -> Iterator[ImportLineRecord]:
    for planned in account.lines:
        yield _line(account, planned)
    for row in account.skipped:
        yield _skipped(account, row)


def _line(account: AccountPlan, planned: PlannedLine) -> ImportLineRecord:
    line, currency = planned.line, account.target.currency
    return ImportLineRecord(
        row=line.row,
        verdict=planned.verdict,
        reason=planned.reason,
        fa_id=account.target.fa_id,
        account_name=account.target.name,
        transaction_id=planned.known_id,
        booked_on=line.booked_on,
        amount=Money(planned.amount_minor, currency),
        currency=currency,
        description=line.description,
        counterparty=line.counterparty,
        provider_transaction_id=line.provider_transaction_id,
    )


def _skipped(account: AccountPlan, row: SkippedRow) -> ImportLineRecord:
    return ImportLineRecord(
        row=row.row,
        verdict="SKIPPED",
        reason=row.reason,
        fa_id=account.target.fa_id,
        account_name=account.target.name,
        transaction_id=None,
        booked_on=None,
        amount=None,
        currency=None,
        description=row.text,
        counterparty=None,
        provider_transaction_id=None,
    )
