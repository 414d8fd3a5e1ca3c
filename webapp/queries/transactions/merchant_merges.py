"""What merging a merchant into another one would bring together: entries, drafts, bank lines, and their result."""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.dimensions import DimensionSelection
from webapp.ledger.money import Money
from webapp.models import COUNTING, Account, JournalEntry, Merchant, Posting, Transaction, refers_to
from webapp.queries.accounts import merchants, usages
from webapp.queries.common.selections import of_merchant
from webapp.queries.reports.books import RESULT_TYPES
from webapp.queries.transactions import line_entries


@dataclass(frozen=True, slots=True)
class MerchantSums:
    """What counts for merchants: entries and drafts, bank lines, and their result of all time."""

    entries: int
    drafts: int
    lines: int
    result: Money


@dataclass(frozen=True, slots=True)
class MergePreview:
    """What counts for a merchant, for the one that it would be merged into, and for both together.

    `along` are the merchants that would come with it, and `rules` and `documents` count what names it.
    """

    into: Merchant
    own: MerchantSums
    others: MerchantSums
    together: MerchantSums
    along: list[Merchant]
    rules: int
    documents: int


def preview(merchant: Merchant, into: Merchant, base_currency: str) -> MergePreview:
    """Preview a merge; writes nothing."""
    organization_id, usage = merchant.organization_id, usages.of_merchant(merchant)
    own, others, together = (
        _sums(organization_id, ids, base_currency)
        for ids in ([merchant.id], [into.id], [merchant.id, into.id])
    )
    along = merchants.merged_into(merchant)
    return MergePreview(into, own, others, together, along, len(usage.rules), usage.documents)


def _sums(organization_id: str, merchant_ids: Sequence[int], base_currency: str) -> MerchantSums:
    counts = JournalEntry.status.in_(COUNTING)
    is_result = sa.and_(counts, Account.type.in_(RESULT_TYPES), Account.in_scope)
    entries, drafts, minor = db.session.execute(
        sa.select(
            sa.func.count(sa.case((counts, JournalEntry.id)).distinct()),
            sa.func.count(sa.case((JournalEntry.status == "DRAFT", JournalEntry.id)).distinct()),
            sa.func.sum(sa.case((is_result, Posting.amount_base_minor), else_=0)),
        )
        .select_from(Posting)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .where(
            Posting.organization_id == organization_id,
            sa.or_(*(of_merchant(organization_id, each) for each in merchant_ids)),
        )
    ).one()
    selections = [DimensionSelection(org_merchant_id=each) for each in merchant_ids]
    posting = [sa.and_(*line_entries.posts_to(organization_id, each)) for each in selections]
    lines = db.session.scalar(
        sa.select(sa.func.count(Transaction.id)).where(
            Transaction.organization_id == organization_id, sa.or_(*posting)
        )
    )
    # Income is a credit, and credits are negative.
    return MerchantSums(entries, drafts, int(lines or 0), Money(-int(minor or 0), base_currency))
