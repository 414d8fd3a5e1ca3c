"""What merchants and projects brought and cost in some months, side by side in a list."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.dimensions import Dimension
from webapp.ledger.money import Money
from webapp.ledger.periods import Period
from webapp.models import COUNTING, Account, JournalEntry, Merchant, Posting, refers_to
from webapp.queries.reports.books import RESULT_TYPES

_KEYS: dict[Dimension, Any] = {
    Dimension.PROJECT: Posting.project_id,
    Dimension.MERCHANT: sa.func.coalesce(Merchant.merged_into_id, Merchant.id),
}


@dataclass(frozen=True, slots=True)
class DimensionResult:
    """Income less expenses in the base currency, the day of the last posting, and how many drafts are open."""

    result: Money
    last_on: date | None
    drafts: int


def results(
    organization_id: str, dimension: Dimension, ids: Collection[int], period: Period, base_currency: str
) -> dict[int, DimensionResult]:
    """Give the results of some merchants or projects in a period; one without postings and drafts is left out."""
    if not ids:
        # No index answers an empty list, for which a database would read the postings of a year.
        return {}
    key = _KEYS[dimension]
    counts = sa.and_(
        JournalEntry.status.in_(COUNTING), JournalEntry.effective_on.between(period.first, period.last)
    )
    is_result = sa.and_(counts, Account.type.in_(RESULT_TYPES), Account.in_scope)
    draft = sa.case((JournalEntry.status == "DRAFT", JournalEntry.id))
    statement = (
        sa.select(
            key,
            sa.func.sum(sa.case((is_result, Posting.amount_base_minor), else_=0)),
            sa.func.max(sa.case((counts, JournalEntry.effective_on))),
            sa.func.count(draft.distinct()),
        )
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .where(
            Posting.organization_id == organization_id,
            key.in_(sorted(ids)),
            sa.or_(counts, JournalEntry.status == "DRAFT"),
        )
        .group_by(key)
    )
    if dimension is Dimension.MERCHANT:
        # Their ids lead to an index, which what they count as does not.
        named = sa.select(Merchant.id).where(
            Merchant.organization_id == organization_id, key.in_(sorted(ids))
        )
        statement = statement.join(Merchant, refers_to(Posting.org_merchant_id, Merchant))
        statement = statement.where(Posting.org_merchant_id.in_(named.correlate(None)))
    # Income is a credit, and credits are negative.
    return {
        row_id: DimensionResult(Money(-int(minor or 0), base_currency), last_on, drafts)
        for row_id, minor, last_on, drafts in db.session.execute(statement)
    }
