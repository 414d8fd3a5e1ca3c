"""Joins: two rows that are one line of the bank, made by evidence or by a person, kept with their reason, undone."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.matching.joins import Pairing
from webapp.models import (
    LineJoin,
    Reconciliation,
    ReconciliationItem,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.common import lookups
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.transactions import bank_changes, join_records
from webapp.services.transactions.join_records import (
    _row,
    _said,
    _was_pending,
    come_into_books,
    is_posted,
    leave_books,
)
from webapp.services.transactions.states import LineStateError

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
        join_records.bring_along(joined, kept)
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
    facts = bank_changes.facts_of(kept)._replace(booked_on=joined.booked_on, amount_minor=joined.amount_minor)
    bank_changes.change(kept, facts, now=now)


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


def _proof_of(found: LineJoin) -> int | None:
    """Find the standing proof that counts the line which two rows were."""
    return db.session.scalar(
        sa.select(Reconciliation.id)
        .join(ReconciliationItem, refers_to(ReconciliationItem.reconciliation_id, Reconciliation))
        .where(
            of_same_organization(Reconciliation, found),
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
            of_same_organization(LineJoin, line),
            sa.tuple_(LineJoin.kept_id, LineJoin.joined_id).in_([(line.id, other.id), (other.id, line.id)]),
        )
        .order_by(LineJoin.id)
        .limit(1)
    )
