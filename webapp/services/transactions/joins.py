"""Joins: two rows that are one line of the bank, made by evidence or by a person, kept with their reason, undone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.joins import PENDING_TIERS, Pairing
from webapp.models import (
    IN_ITS_RECONCILIATION,
    FeedLine,
    LineJoin,
    Reconciliation,
    ReconciliationItem,
    Transaction,
)
from webapp.queries.common import lookups
from webapp.queries.matching import feed_lines
from webapp.queries.reconciliation import openings
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.journal import entries as journal_entries
from webapp.services.journal import line_drafts as drafts
from webapp.services.transactions import bank_changes as line_changes
from webapp.services.transactions import chained_joins
from webapp.services.transactions import clearing as open_drafts
from webapp.services.transactions import unpairing as partings
from webapp.services.transactions.lifecycle import LineStateError

JOINABLE = ("BOOKED", "SET_ASIDE", "PENDING")


class OtherAccountError(UnprocessableError):
    """Lines of two accounts are never one line; link them as a transfer."""

    code = "other_account"


class AmountsDifferError(LedgerError):
    """Both lines are booked with other amounts, so they are two lines; delete the one that is wrong."""

    code = "amounts_differ"


class BothPostedError(LedgerError):
    """Both lines are posted; void one of their entries first."""

    code = "posted"


class ProvedError(LedgerError):
    """A completed reconciliation counts this line; reopen it first."""

    code = "proved"


class NothingToUndoError(LedgerError):
    """These two lines are neither joined nor suggested to be."""

    code = "not_joined"


def record(organization_id: str, pairings: Sequence[Pairing], *, now: datetime) -> list[Pairing]:
    """Keep what was found: certain ones are joined, others wait; answers those that are joined now.

    A pair that was settled before stays as it was settled.
    """
    if not pairings:
        return []
    settled = feed_lines.pairs(organization_id, {each.joined_id for each in pairings})
    fresh = [each for each in pairings if (each.kept_id, each.joined_id) not in settled]
    surer = [
        each
        for each in pairings
        if each.is_certain and settled.get((each.kept_id, each.joined_id)) == "SUGGESTED"
    ]
    for each in surer:
        _find(organization_id, each.kept_id, each.joined_id, "SUGGESTED").status = "JOINED"
    rows = [_row(organization_id, each, now) for each in fresh]
    if rows:
        db.session.execute(sa.insert(LineJoin), rows)
    db.session.flush()
    return [each for each in (*fresh, *surer) if each.is_certain]


def _row(organization_id: str, pairing: Pairing, now: datetime) -> dict[str, Any]:
    return {
        "organization_id": organization_id,
        "kept_id": pairing.kept_id,
        "joined_id": pairing.joined_id,
        "tier": pairing.tier,
        "status": "JOINED" if pairing.is_certain else "SUGGESTED",
        "reason": pairing.reason,
        "evidence": {},
        "decided_by": None,
        "created_at": now,
        "undone_at": None,
    }


def join(line: Transaction, other: Transaction, *, actor: Actor, now: datetime) -> Transaction:
    """Settle that two rows are one line; answers the row that stays in the books.

    The booked one stays before the pending one, the posted one before the draft, else the one that was there first.
    """
    payload = {"transactionId": other.id}
    target = ("transaction", line.id)
    title = f"Joined {line.label} with {other.label} as one line"
    with act(actor, now, "join_transactions", target, title=title, payload=payload) as doing:
        found = _between(line, other)
        kept, joined = _chosen(line, other, found)
        doing.before = {"keptId": kept.id, "joinedId": joined.id, "joinedStatus": joined.status}
        leave_books(joined, now=now)
        chained_joins.bring_along(joined, kept)
        if (
            joined.line_key is None
            and kept.line_key is not None
            and doing.before["joinedStatus"] != "PENDING"
        ):
            _follow(kept, joined, now)
        if found is None:
            facts = _row(kept.organization_id, Pairing(kept.id, joined.id, "PERSON", True, ""), now)  # noqa: FBT003
            found = LineJoin(**facts)
            db.session.add(found)
        found.kept_id, found.joined_id = kept.id, joined.id
        found.status, found.decided_by, found.undone_at = "JOINED", actor.as_json(), None
        found.reason = found.reason or "Somebody says that they are one line."
        doing.after = {"keptId": kept.id, "joinedId": joined.id, "joinedStatus": joined.status}
        db.session.flush()
    return kept


def _follow(kept: Transaction, joined: Transaction, now: datetime) -> None:
    """Let the line of a file say the day and the amount that the feed says."""
    facts = line_changes.facts_of(kept)._replace(booked_on=joined.booked_on, amount_minor=joined.amount_minor)
    line_changes.change(kept, facts, now=now)


def _chosen(line: Transaction, other: Transaction, found: LineJoin | None) -> tuple[Transaction, Transaction]:
    """Say which of two lines stays and which goes, or raise why they cannot be one."""
    if line.id == other.id or line.feed_account_id != other.feed_account_id:
        raise OtherAccountError if line.id != other.id else UnprocessableError("A line is itself already.")
    for each in (line, other):
        if each.status not in JOINABLE:
            raise LineStateError(each.status)
    kept, joined = sorted((line, other), key=_stays_before)
    if joined.status != "PENDING":
        # A suggestion between sources is of a time when both said one amount, which the feed has changed.
        is_twin = found is not None and (found.tier, found.status) == ("TWIN", "SUGGESTED")
        if kept.amount_minor != joined.amount_minor and not is_twin:
            raise AmountsDifferError
        if is_posted(joined):
            raise BothPostedError
    return kept, joined


def _stays_before(line: Transaction) -> tuple[bool, bool, int]:
    return line.status == "PENDING", not is_posted(line), line.id


def is_posted(line: Transaction) -> bool:
    """Tell whether a line's entry is in the books for good."""
    return line.journal_entry is not None and line.journal_entry.status != "DRAFT"


def leave_books(line: Transaction, *, now: datetime) -> None:
    """Take a line that is only another report out of the books, with its draft."""
    partings.part(line, now=now)
    entry = line.journal_entry
    line.journal_entry_id, line.status, line.updated_at = None, "REMOVED", now
    db.session.flush()
    if entry is not None:
        journal_entries.delete_draft(entry, now=now)
    open_drafts.unclear_lines(line.organization_id, [line.id])


def unjoin(line: Transaction, other: Transaction, *, actor: Actor, now: datetime) -> Transaction:
    """Settle that two rows are two lines, for good; answers the one that comes back, if any did, else the first."""
    payload = {"transactionId": other.id}
    title = f"Told {line.label} apart from {other.label}"
    with act(
        actor, now, "unjoin_transactions", ("transaction", line.id), title=title, payload=payload
    ) as doing:
        found = _between(line, other)
        if found is None or found.status == "REFUSED":
            raise NothingToUndoError
        doing.before = {"status": found.status, "reason": found.reason}
        joined = lookups.get(Transaction, line.organization_id, found.joined_id)
        if found.status == "JOINED":
            _come_back(found, joined, doing)
            if found.tier == "REISSUED":
                _leave_again(found, doing)
        found.status, found.decided_by, found.undone_at = "REFUSED", actor.as_json(), now
        doing.after = {"status": "REFUSED", "joinedStatus": joined.status}
        db.session.flush()
    return joined


def _come_back(found: LineJoin, joined: Transaction, doing: Act) -> None:
    said = _said(joined)
    if said is not None and said.said == "REMOVED":
        return
    if _was_pending(found, said):
        joined.status, joined.updated_at = "PENDING", doing.now
        return
    proof_id = _proof_of(found)
    if proof_id is not None:
        raise ProvedError(f"Proof {proof_id} counts this line. Reopen it first.")
    come_into_books(joined, now=doing.now)


def _leave_again(found: LineJoin, doing: Act) -> None:
    """Take a line back that its bank removed and that stayed for another id's sake; its posted entry stays."""
    kept = lookups.get(Transaction, found.organization_id, found.kept_id)
    said = _said(kept)
    if said is None:
        return
    if said.said == "REMOVED":
        kept.status, kept.updated_at = "REMOVED", doing.now
    elif kept.status == "REMOVED":
        # It went with an id that is not its own, as it turns out; an entry that is posted never left.
        come_into_books(kept, now=doing.now)


def come_into_books(line: Transaction, *, now: datetime) -> None:
    """Let a row be a booked line with a draft of its own."""
    line.status = openings.state_of(line)
    drafts.add(line, now=now)


def refuse_by_bank(organization_id: str, joined_id: int, *, reason: str, now: datetime) -> None:
    """Undo the join of a row that its bank says is a line of its own."""
    found = db.session.scalar(
        sa.select(LineJoin).where(
            LineJoin.organization_id == organization_id,
            LineJoin.joined_id == joined_id,
            LineJoin.status == "JOINED",
        )
    )
    if found is not None:
        found.status, found.undone_at, found.reason = "REFUSED", now, f"{found.reason} {reason}"
        db.session.flush()


def _was_pending(found: LineJoin, said: FeedLine | None) -> bool:
    if said is not None:
        return said.is_pending
    return found.tier in PENDING_TIERS


def _said(line: Transaction) -> FeedLine | None:
    return db.session.scalar(
        sa.select(FeedLine).where(
            FeedLine.organization_id == line.organization_id, FeedLine.transaction_id == line.id
        )
    )


def _proof_of(found: LineJoin) -> int | None:
    """Find the standing proof that counts the line which two rows were."""
    return db.session.scalar(
        sa.select(Reconciliation.id)
        .join(ReconciliationItem, IN_ITS_RECONCILIATION)
        .where(
            Reconciliation.organization_id == found.organization_id,
            Reconciliation.status == "COMPLETED",
            ReconciliationItem.transaction_id == found.kept_id,
            ReconciliationItem.is_standing,
        )
        .order_by(Reconciliation.id)
        .limit(1)
    )


def _between(line: Transaction, other: Transaction) -> LineJoin | None:
    return db.session.scalar(
        sa.select(LineJoin)
        .where(
            LineJoin.organization_id == line.organization_id,
            sa.tuple_(LineJoin.kept_id, LineJoin.joined_id).in_([(line.id, other.id), (other.id, line.id)]),
        )
        .order_by(LineJoin.id)
        .limit(1)
    )


def _find(organization_id: str, kept_id: int, joined_id: int, status: str) -> LineJoin:
    return db.session.scalars(
        sa.select(LineJoin).where(
            LineJoin.organization_id == organization_id,
            LineJoin.kept_id == kept_id,
            LineJoin.joined_id == joined_id,
            LineJoin.status == status,
        )
    ).one()
