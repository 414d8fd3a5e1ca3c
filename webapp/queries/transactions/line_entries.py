"""Conditions on a bank line by its entry and the corrections of that: what it posts to, what confirming it would post.

SQLite has no statistics of its own accord, and takes an index that begins with the organization for a choice few rows
wide. An entry and its corrections are therefore asked for in two questions of one index each, never by OR in one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.ledger.dimensions import DimensionSelection
from webapp.models import JournalEntry, Posting, Transaction, of_same_organization, refers_to
from webapp.queries.common.selections import postings_of
from webapp.sql_functions import unindexed


def is_unconfirmed(*of_draft: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Build the condition that a line's entry is a draft, or has an open correction marker, of which more may be asked.

    Either is what confirming the line posts.
    """
    return sa.or_(
        sa.exists().where(refers_to(Transaction.journal_entry_id, JournalEntry), _is_draft(), *of_draft),
        sa.exists().where(_corrects_the_line(), _is_draft(), *of_draft),
    )


def lines_of(organization_id: str, entry_ids: Sequence[int]) -> sa.Select[int]:
    """Select the ids of the lines of some entries; SQLite finds them by the entries."""
    line = orm.aliased(Transaction)
    return sa.select(line.id).where(
        unindexed(line.organization_id) == organization_id, line.journal_entry_id.in_(entry_ids)
    )


def has_correction() -> sa.ColumnElement[bool]:
    """Build the condition that a line's posted entry has a correction that waits."""
    return sa.exists().where(_corrects_the_line(), _is_draft())


def _is_draft() -> sa.ColumnElement[bool]:
    return JournalEntry.status == "DRAFT"


def _corrects_the_line() -> sa.ColumnElement[bool]:
    return sa.and_(
        of_same_organization(JournalEntry, Transaction),
        JournalEntry.corrects_id == Transaction.journal_entry_id,
    )


def posts_to(
    organization_id: str, account_ids: Collection[int] | None, selection: DimensionSelection
) -> list[sa.ColumnElement[bool]]:
    """Build the condition that a line has an effective leg of an account and a selection; none for any leg.

    Legs are those of its entry, with its corrections.
    """
    legs = postings_of(organization_id, selection)
    if account_ids is not None:
        legs = [Posting.account_id.in_(account_ids), *legs]
    if not legs:
        return []
    is_corrected = sa.exists().where(_corrects_the_line(), sa.not_(_is_draft()))
    has_leg = sa.exists().where(
        of_same_organization(Posting, Transaction),
        Posting.journal_entry_id == Transaction.journal_entry_id,
        *legs,
    )
    uncorrected = sa.and_(has_leg, sa.not_(is_corrected))
    return [sa.or_(uncorrected, sa.and_(is_corrected, _has_effective_leg(legs)))]


def _has_effective_leg(legs: Sequence[sa.ColumnElement[bool]]) -> sa.ColumnElement[bool]:
    """Build the condition that such legs of a line's entry and its corrections leave anything.

    A correction that moves an amount away has the opposite leg on the account, so that the two add up to zero. Only the
    entry itself may have a leg of 0.00, which is effective as long as it has no correction.
    """
    corrections = sa.select(JournalEntry.id).where(_corrects_the_line(), sa.not_(_is_draft()))
    family: sa.CompoundSelect[Any] = sa.union_all(
        sa.select(Transaction.journal_entry_id).correlate(Transaction), corrections.correlate(Transaction)
    )
    return (
        sa.select(1)
        .select_from(Posting)
        .where(of_same_organization(Posting, Transaction), *legs, Posting.journal_entry_id.in_(family))
        .group_by(Posting.account_id, Posting.currency, Posting.project_id, Posting.org_merchant_id)
        .having(
            sa.or_(
                sa.func.sum(Posting.amount_minor) != 0,
                sa.func.sum(Posting.amount_base_minor) != 0,
                sa.func.max(Posting.journal_entry_id) == Transaction.journal_entry_id,
            )
        )
        .correlate(Transaction)
        .exists()
    )
