"""Conditions on a bank line by its entry and the corrections of that: what it posts to, what confirming it would post.

An entry and its corrections are asked for in two questions of one index each, never by OR in one.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.ledger.dimensions import DimensionSelection
from webapp.models import JournalEntry, Posting, Transaction, of_same_organization, refers_to
from webapp.queries.common.selections import postings_of

# The lines of so many entries are found and put in order as quickly as a page of lines is read.
FEW: Final = 500
_Line = orm.aliased(Transaction)


def is_unconfirmed() -> sa.ColumnElement[bool]:
    """Build the condition that a line's entry is a draft, or has an open correction marker."""
    # Condition by condition: of one AND the session does not see that it is of a model, and adds no organization.
    return sa.or_(*(sa.exists().where(*drafts) for drafts in what_confirming_posts()))


def what_confirming_posts() -> Iterator[tuple[sa.ColumnElement[bool], ...]]:
    """Build the conditions on an entry that confirming a line posts it: on its own draft, and on an open correction.

    They are for joins that begin with a few lines. Conditions like `is_unconfirmed` make PostgreSQL read all drafts
    of the books while it has no statistics of them.
    """
    yield refers_to(Transaction.journal_entry_id, JournalEntry), _is_draft()
    yield _corrects_the_line(), _is_draft()


def lines_of(organization_id: str, entry_ids: Sequence[int]) -> sa.Select[int]:
    """Select the ids of the lines of some entries."""
    return sa.select(_Line.id).where(
        _Line.organization_id == organization_id, _Line.journal_entry_id.in_(entry_ids)
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


@dataclass(frozen=True, slots=True)
class LegsWanted:
    """Conditions on a leg, and whether a line has to have an effective one that fits them, or none."""

    legs: Sequence[sa.ColumnElement[bool]]
    has_them: bool = True


def legs_of(
    organization_id: str, account_ids: Collection[int] | None, selection: DimensionSelection
) -> list[sa.ColumnElement[bool]]:
    """Build the conditions on a leg of an account and a selection; none for any leg."""
    legs = postings_of(organization_id, selection)
    return legs if account_ids is None else [Posting.account_id.in_(account_ids), *legs]


def posts_to(organization_id: str, selection: DimensionSelection) -> list[sa.ColumnElement[bool]]:
    """Build the condition that a line has an effective leg of a selection; none for any leg.

    Legs are those of its entry, with its corrections.
    """
    legs = legs_of(organization_id, None, selection)
    if not legs:
        return []
    is_corrected = _is_corrected()
    uncorrected = sa.and_(_has_leg(legs, organization_id), sa.not_(is_corrected))
    return [sa.or_(uncorrected, sa.and_(is_corrected, _has_effective_leg(legs)))]


def few_entries(
    organization_id: str, status: str | None, wanted: Sequence[LegsWanted]
) -> Sequence[int] | None:
    """Give the entries that lines in some state and booked as wanted have, if they are few; else none.

    A list of lines goes through them from the newest one, and so through all of them where hardly any is wanted.
    """
    asked: list[sa.Select[int]] = []
    if status == "DRAFT":
        asked.append(
            sa.select(JournalEntry.id).where(JournalEntry.organization_id == organization_id, _is_draft())
        )
    asked += [
        sa.select(Posting.journal_entry_id).where(Posting.organization_id == organization_id, *each.legs)
        for each in wanted
        if each.has_them
    ]
    for entries in asked:
        found = db.session.scalars(entries.limit(FEW + 1)).all()
        if len(found) <= FEW:
            return found
    return None


def by_correction(
    lines: sa.Select[Any], organization_id: str, wanted: Sequence[LegsWanted]
) -> list[sa.Select[Any]]:
    """Narrow a statement to lines that are booked as wanted: of those without correction, and of those with one.

    There are few of the latter, which both databases find by their corrections.
    """
    corrected = sa.select(JournalEntry.corrects_id).where(
        JournalEntry.organization_id == organization_id,
        JournalEntry.corrects_id.is_not(None),
        sa.not_(_is_draft()),
    )
    as_entered = [_as_wanted(_has_leg(each.legs, organization_id), each) for each in wanted]
    return [
        lines.where(*as_entered, sa.not_(_is_corrected())),
        lines.where(
            Transaction.journal_entry_id.in_(corrected),
            *(_as_wanted(_has_effective_leg(each.legs), each) for each in wanted),
        ),
    ]


def _as_wanted(has_leg: sa.ColumnElement[bool], wanted: LegsWanted) -> sa.ColumnElement[bool]:
    """Ask whether lines have such a leg, or have none.

    Where all have one, PostgreSQL would look for the leg of each in turn to answer NOT EXISTS; asked like this, it
    reads the legs once.
    """
    return has_leg if wanted.has_them else has_leg.is_not(sa.true())


def _is_corrected() -> sa.ColumnElement[bool]:
    return sa.exists().where(_corrects_the_line(), sa.not_(_is_draft()))


def _has_leg(legs: Sequence[sa.ColumnElement[bool]], organization_id: str) -> sa.ColumnElement[bool]:
    """Build the condition that the entry of a line itself has such a leg."""
    return sa.exists().where(
        Posting.organization_id == organization_id,
        Posting.journal_entry_id == Transaction.journal_entry_id,
        *legs,
    )


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
