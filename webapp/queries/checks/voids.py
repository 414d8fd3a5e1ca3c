"""Voids and corrections: a voided entry is cancelled exactly, a correction follows the entry that it corrects."""

from collections.abc import Iterable

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.models import Account, JournalEntry, Posting, of_same_organization, refers_to
from webapp.queries.checks.violations import Violation, entry, found

Other = orm.aliased(JournalEntry, name="other")


def _beside(
    reference: orm.InstrumentedAttribute[int | None], *wrong: sa.ColumnElement[bool]
) -> sa.Executable:
    """Select entries with the one that they refer to, where something about the two is wrong."""
    return (
        sa.select(
            JournalEntry.organization_id,
            JournalEntry.id.label("entry_id"),
            JournalEntry.status,
            Other.id.label("other_id"),
            Other.status.label("other_status"),
        )
        .join(
            Other,
            sa.and_(of_same_organization(Other, JournalEntry), Other.id == reference),
            isouter=True,
        )
        .where(*wrong)
        .order_by(JournalEntry.id)
    )


def voided_by_nothing() -> Iterable[Violation]:
    """Find voided entries whose reversal is not there, not posted, or none."""
    is_reversal = sa.and_(Other.status == "POSTED", Other.source == "void")
    return found(
        "void_without_reversal",
        _beside(
            JournalEntry.voided_by_id,
            JournalEntry.status == "VOIDED",
            sa.or_(Other.id.is_(None), sa.not_(is_reversal)),
        ),
        lambda row: f"Entry {row.entry_id} is voided, and no posted reversal cancels it.",
        entry,
    )


def reversal_of_nothing() -> Iterable[Violation]:
    """Find posted reversals whose original they do not void."""
    is_voided = sa.and_(Other.status == "VOIDED", Other.voided_by_id == JournalEntry.id)
    return found(
        "reversal_of_nothing",
        _beside(
            JournalEntry.voids_id,
            JournalEntry.source == "void",
            sa.or_(Other.id.is_(None), sa.not_(is_voided), JournalEntry.status != "POSTED"),
        ),
        lambda row: f"Entry {row.entry_id} is a reversal, and what it reverses is not voided by it.",
        entry,
    )


def inexact_reversals() -> Iterable[Violation]:
    """Find reversals that are not the exact opposite of all that they void together.

    On an account that took other currencies once, the reversal is in the base currency.
    """
    reversal_id = sa.func.coalesce(JournalEntry.voided_by_id, JournalEntry.id).label("entry_id")
    in_base = sa.func.coalesce(Posting.amount_base_minor, 0)
    is_in_base = Account.currency_from.is_not(None)
    left = sa.func.sum(sa.case((is_in_base, in_base), else_=Posting.amount_minor))
    left_base = sa.func.sum(in_base)
    currency = sa.case((is_in_base, Posting.base_currency), else_=Posting.currency)
    key = (Posting.account_id, currency, Posting.project_id, Posting.org_merchant_id)
    remains = (
        sa.select(Posting.organization_id, reversal_id)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .where(sa.or_(JournalEntry.voided_by_id.is_not(None), JournalEntry.voids_id.is_not(None)))
        .group_by(Posting.organization_id, reversal_id, *key)
        .having(sa.or_(left != 0, left_base != 0))
        .subquery()
    )
    return found(
        "reversal_inexact",
        sa.select(remains.c.organization_id, remains.c.entry_id).distinct(),
        lambda row: f"Entry {row.entry_id} does not cancel exactly what it voids.",
        entry,
    )


def mislabelled() -> Iterable[Violation]:
    """Find entries whose source and references contradict each other."""
    is_void = JournalEntry.source == "void"
    is_correction = JournalEntry.source == "correction"
    return found(
        "source_contradicts",
        sa.select(JournalEntry.organization_id, JournalEntry.id.label("entry_id"), JournalEntry.source).where(
            sa.or_(
                is_void != JournalEntry.voids_id.is_not(None),
                is_correction != JournalEntry.corrects_id.is_not(None),
            )
        ),
        lambda row: f"Entry {row.entry_id} has the source {row.source} and references that contradict it.",
        entry,
    )


def astray_corrections() -> Iterable[Violation]:
    """Find corrections and markers of what is no original, or is not in the state that they ask for."""
    is_original = sa.and_(Other.corrects_id.is_(None), Other.voids_id.is_(None))
    follows = sa.case(
        (JournalEntry.status == "VOIDED", Other.voided_by_id == JournalEntry.voided_by_id),
        else_=Other.status == "POSTED",
    )
    return found(
        "correction_astray",
        _beside(
            JournalEntry.corrects_id,
            JournalEntry.corrects_id.is_not(None),
            sa.or_(
                Other.id.is_(None), sa.not_(is_original), sa.func.coalesce(follows, sa.false()).is_(False)
            ),
        ),
        lambda row: (
            f"Entry {row.entry_id} is a {row.status} correction of entry {row.other_id}, "
            f"which is {row.other_status or 'not there'}."
        ),
        entry,
    )


CHECKS = (voided_by_nothing, reversal_of_nothing, inexact_reversals, mislabelled, astray_corrections)
