"""Queries on journal entries: their corrections, markers and legs."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.journal.boxes import BoxAmount
from webapp.ledger.journal.corrections import effective
from webapp.ledger.journal.entries import Leg, taken_in
from webapp.models import JournalEntry, Posting
from webapp.queries.accounts import accounts
from webapp.queries.common import lookups
from webapp.queries.common.made_once import made_once
from webapp.queries.common.parts import with_parts


def get(organization_id: str, entry_id: int) -> JournalEntry:
    """Find an entry, or raise NotFoundError."""
    return lookups.get(JournalEntry, organization_id, entry_id)


def descriptions(organization_id: str, ids: Collection[int]) -> dict[int, str]:
    """Give what entries say, by their ids."""
    found = lookups.by_id(JournalEntry, organization_id, ids)
    return {each.id: each.description for each in found.values()}


def marker_of(entry: JournalEntry) -> JournalEntry | None:
    """Find the open correction marker of an entry."""
    found: JournalEntry | None = db.session.scalar(*_marker_of(entry.organization_id, entry.id))
    return found


@made_once
def _marker_of(organization_id: str, entry_id: int) -> sa.Select[JournalEntry]:
    return sa.select(JournalEntry).where(
        JournalEntry.organization_id == organization_id,
        JournalEntry.corrects_id == entry_id,
        JournalEntry.status == "DRAFT",
    )


def corrections_of(entry: JournalEntry) -> Sequence[JournalEntry]:
    """List the posted corrections of an entry, oldest first."""
    found = db.session.scalars(*_corrections_of(entry.organization_id, entry.id))
    return with_parts(JournalEntry.postings, found)


@made_once
def _corrections_of(organization_id: str, entry_id: int) -> sa.Select[JournalEntry]:
    return (
        sa.select(JournalEntry)
        .where(
            JournalEntry.organization_id == organization_id,
            JournalEntry.corrects_id == entry_id,
            JournalEntry.status != "DRAFT",
        )
        .order_by(JournalEntry.id)
    )


def legs_of(entry: JournalEntry) -> list[Leg]:
    """Give an entry's postings as legs."""
    return [leg_of(posting) for posting in entry.postings]


def leg_of(posting: Posting | sa.Row[*tuple[Any, ...]]) -> Leg:
    """Give a posting, or a row with its columns, as a leg."""
    return Leg(
        account_id=posting.account_id,
        amount_minor=posting.amount_minor,
        currency=posting.currency,
        amount_base_minor=posting.amount_base_minor,
        is_bank_leg=posting.is_bank_leg,
        merchant_id=posting.org_merchant_id,
        project_id=posting.project_id,
        transaction_id=posting.transaction_id,
        due_on=posting.due_on,
        reference=posting.reference,
        has_own_base=posting.has_own_base,
        tax_code_id=posting.tax_code_id,
        tax_point=posting.tax_point,
        boxes=tuple(BoxAmount(*each) for each in posting.boxes or ()),
    )


def family_legs(entry: JournalEntry) -> list[list[Leg]]:
    """Give the legs of an original and of each of its posted corrections: together they are its effective legs."""
    return in_base(entry, [legs_of(entry), *(legs_of(correction) for correction in corrections_of(entry))])


def in_base(entry: JournalEntry, states: Sequence[Sequence[Leg]]) -> list[list[Leg]]:
    """Give the legs of states of an entry as accounts take them that are in the base currency by now."""
    base = entry.base_currency
    foreign = {leg.account_id for legs in states for leg in legs if leg.currency != base}
    since = accounts.in_base_since(entry.organization_id, foreign)
    return [[taken_in(leg, base) if leg.account_id in since else leg for leg in legs] for legs in states]


def effective_legs(entry: JournalEntry) -> tuple[Leg, ...]:
    """Give the effective legs of a posted entry: its own and those of all its corrections."""
    return effective(*family_legs(entry))


def transactions_of(legs: Iterable[Leg]) -> list[int]:
    """List the bank lines that the bank legs are of, in their order and once each."""
    return list(dict.fromkeys(leg.transaction_id for leg in legs if leg.transaction_id is not None))
