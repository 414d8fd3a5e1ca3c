"""What is true of lines that somebody has selected: which of them wait, their sum, and the entries that they have."""

from collections.abc import Collection, Mapping, Sequence

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.models import Account, JournalEntry, Merchant, Project, TaxCode, Transaction, refers_to
from webapp.queries.common import lookups
from webapp.queries.transactions import line_entries
from webapp.queries.transactions.line_filters import WorkspaceFilters, conditions, open_draft, shown


def unconfirmed(organization_id: str, transaction_ids: Sequence[int]) -> list[int]:
    """Give the unconfirmed ones of these lines, in their order."""
    statement = sa.select(Transaction.id).where(
        Transaction.organization_id == organization_id,
        Transaction.id.in_(transaction_ids),
        shown("unconfirmed", None),
    )
    unconfirmed_ids = set(db.session.scalars(statement))
    return [each for each in transaction_ids if each in unconfirmed_ids]


def matching(organization_id: str, fa_id: int, filters: WorkspaceFilters) -> list[int]:
    """Give the booked lines of an account that a tab and its filters leave, newest first."""
    draft = open_draft(organization_id, fa_id)
    statement = sa.select(Transaction.id).where(
        *conditions(organization_id, fa_id, filters),
        shown(filters.show, draft),
        Transaction.status == "BOOKED",
    )
    return list(db.session.scalars(statement.order_by(Transaction.booked_on.desc(), Transaction.id.desc())))


def names(organization_id: str, ids: Mapping[str, int]) -> list[str]:
    """Give the names of what lines get, by the keys account_id, tax_code_id, org_merchant_id and project_id."""
    found: list[str] = []
    if "account_id" in ids:
        found.append(
            f"account {lookups.refer(Account, organization_id, ids['account_id'], 'accountId').name}"
        )
    if "tax_code_id" in ids:
        found.append(
            f"tax code {lookups.refer(TaxCode, organization_id, ids['tax_code_id'], 'taxCodeId').code}"
        )
    if "org_merchant_id" in ids:
        merchant = lookups.refer(Merchant, organization_id, ids["org_merchant_id"], "orgMerchantId")
        found.append(f"customer or supplier {merchant.name}")
    if "project_id" in ids:
        found.append(
            f"project {lookups.refer(Project, organization_id, ids['project_id'], 'projectId').name}"
        )
    return found


def labels(organization_id: str, ids: Collection[int]) -> dict[int, str]:
    """Give what these lines are called, by id."""
    return {each.id: each.label for each in lookups.by_id(Transaction, organization_id, ids).values()}


def total(organization_id: str, transaction_ids: Sequence[int], currency: str) -> Money:
    """Give the sum of lines of one account."""
    statement = sa.select(sa.func.coalesce(sa.func.sum(Transaction.amount_minor), 0)).where(
        Transaction.organization_id == organization_id, Transaction.id.in_(transaction_ids)
    )
    return Money(int(db.session.scalar(statement) or 0), currency)


def count_posted(organization_id: str, transaction_ids: Sequence[int]) -> int:
    """Count the lines whose entry is posted."""
    statement = (
        sa.select(sa.func.count(Transaction.id))
        .join(JournalEntry, refers_to(Transaction.journal_entry_id, JournalEntry))
        .where(
            Transaction.organization_id == organization_id,
            Transaction.id.in_(transaction_ids),
            JournalEntry.status != "DRAFT",
        )
    )
    return int(db.session.scalar(statement) or 0)


def count_corrections(organization_id: str, transaction_ids: Sequence[int]) -> int:
    """Count the lines whose posted entry has a correction that waits."""
    statement = sa.select(sa.func.count(Transaction.id)).where(
        Transaction.organization_id == organization_id,
        Transaction.id.in_(transaction_ids),
        line_entries.has_correction(),
    )
    return int(db.session.scalar(statement) or 0)


def uncorrected_entries(organization_id: str, transaction_ids: Sequence[int]) -> list[int]:
    """Give the posted entries of lines that have no correction, by id."""
    correction = sa.orm.aliased(JournalEntry)
    statement = (
        sa.select(JournalEntry.id)
        .distinct()
        .join(Transaction, refers_to(Transaction.journal_entry_id, JournalEntry))
        .where(
            Transaction.organization_id == organization_id,
            Transaction.id.in_(transaction_ids),
            JournalEntry.status == "POSTED",
            ~sa.exists().where(
                correction.organization_id == JournalEntry.organization_id,
                correction.corrects_id == JournalEntry.id,
            ),
        )
    )
    return list(db.session.scalars(statement.order_by(JournalEntry.id)))
