"""Joins: two rows that are one line of the bank, joined by a person and taken apart again, with a reason."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.codes import DoubtCode
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.matching.joins import Pairing
from webapp.ledger.references import Kind, Ref
from webapp.models import (
    LineJoin,
    Reconciliation,
    ReconciliationItem,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.common import lookups
from webapp.queries.transactions import doubts
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.transactions import bank_changes, join_records, removals
from webapp.services.transactions.join_records import (
    add_to_books,
    feed_line_of,
    is_posted,
    join_row,
    remove_from_books,
    was_pending,
)
from webapp.services.transactions.states import LineStateError

JOINABLE = ("BOOKED", "SET_ASIDE", "PENDING")


class OtherAccountError(UnprocessableError):
    """Lines of two accounts cannot be one line; pair them as a transfer."""

    code = "other_account"


class JoinedAmountsDifferError(LedgerError):
    """Both lines are booked with different amounts, so they are two lines; delete the one that is wrong."""

    code = "amounts_differ"


class BothPostedError(LedgerError):
    """Both lines are posted; void one of their entries first."""

    code = "posted"


class BothPendingError(LedgerError):
    """Both lines are pending, and in no books yet; join them when the bank has booked one."""

    code = "both_pending"


class ProvedError(LedgerError):
    """A completed reconciliation counts this line; reopen it first."""

    code = "proved"


class NotJoinedError(LedgerError):
    """These two lines are neither joined nor suggested to be."""

    code = "not_joined"


def join(line: Transaction, other: Transaction, *, actor: Actor, now: datetime) -> Transaction:
    """Join two rows as one line; answers the row that stays in the books.

    The booked one stays before the pending one, the posted one before the draft, else the older one.
    """
    payload = {"transactionId": Ref(Kind.TRANSACTION, other.id)}
    target = ("transaction", line.id)
    title = f"Joined {line.label} with {other.label} as one line"
    with act(actor, now, "join_transactions", target, title=title, payload=payload) as doing:
        found = _between(line, other)
        if found is not None and found.status == "JOINED":
            doing.nothing_to_do()
            return lookups.get(Transaction, line.organization_id, found.kept_id)
        kept, joined = _kept_and_joined(line, other, found)
        doing.before = _facts(kept, joined)
        remove_from_books(joined, now=now)
        join_records.move_joins(kept.organization_id, {joined.id: kept.id})
        if (
            joined.line_key is None
            and kept.line_key is not None
            and doing.before["joinedStatus"] != "PENDING"
        ):
            _follow(kept, joined, now)
        if found is None:
            facts = join_row(kept.organization_id, Pairing(kept.id, joined.id, "PERSON", True, ""), now)  # noqa: FBT003
            found = LineJoin(**facts)
            db.session.add(found)
        found.kept_id, found.joined_id = kept.id, joined.id
        found.status, found.decided_by, found.undone_at = "JOINED", actor.as_json(), None
        found.reason = found.reason or "A person joined them as one line."
        doing.after = _facts(kept, joined)
        db.session.flush()
        for sentence in doubts.paying([kept]).values():
            doing.warn(DoubtCode.PAYS_OPEN_ITEM, sentence)
    return kept


def _facts(kept: Transaction, joined: Transaction) -> dict[str, Any]:
    return {
        "keptId": Ref(Kind.TRANSACTION, kept.id),
        "joinedId": Ref(Kind.TRANSACTION, joined.id),
        "joinedStatus": joined.status,
    }


def _follow(kept: Transaction, joined: Transaction, now: datetime) -> None:
    """Give the line of a file the day and the amount that the feed has."""
    facts = bank_changes.facts_of(kept)._replace(booked_on=joined.booked_on, amount_minor=joined.amount_minor)
    bank_changes.apply(kept, facts, now=now)


def _kept_and_joined(
    line: Transaction, other: Transaction, found: LineJoin | None
) -> tuple[Transaction, Transaction]:
    """Choose which of two lines is kept and which is joined to it, or raise why they cannot be one."""
    if line.id == other.id:
        raise UnprocessableError("A line cannot be joined with itself.")
    if line.feed_account_id != other.feed_account_id:
        raise OtherAccountError
    for each in (line, other):
        if each.status not in JOINABLE:
            raise LineStateError(each.status)
    kept, joined = sorted((line, other), key=_stays_before)
    if kept.status == "PENDING":
        raise BothPendingError
    if joined.status != "PENDING":
        # When the join was suggested both sources had one amount, which the feed has changed since.
        is_suggested = found is not None and (found.tier, found.status) == ("TWIN", "SUGGESTED")
        if kept.amount_minor != joined.amount_minor and not is_suggested:
            raise JoinedAmountsDifferError
        if is_posted(joined):
            raise BothPostedError
    return kept, joined


def _stays_before(line: Transaction) -> tuple[bool, bool, int]:
    return line.status == "PENDING", not is_posted(line), line.id


def unjoin(line: Transaction, other: Transaction, *, actor: Actor, now: datetime) -> Transaction:
    """Take two joined or suggested rows apart for good; answers the row that was joined."""
    payload = {"transactionId": Ref(Kind.TRANSACTION, other.id)}
    title = f"Separated {line.label} from {other.label}"
    with act(
        actor, now, "unjoin_transactions", ("transaction", line.id), title=title, payload=payload
    ) as doing:
        found = _between(line, other)
        if found is None:
            raise NotJoinedError
        if found.status == "REFUSED":
            doing.nothing_to_do()
            return lookups.get(Transaction, line.organization_id, found.joined_id)
        doing.before = {"status": found.status, "reason": found.reason}
        joined = lookups.get(Transaction, line.organization_id, found.joined_id)
        if found.status == "JOINED":
            _restore_joined(found, joined, doing)
            if found.tier == "REISSUED":
                _remove_kept_again(found, doing)
        found.status, found.decided_by, found.undone_at = "REFUSED", actor.as_json(), now
        doing.after = {"status": "REFUSED", "joinedStatus": joined.status}
        db.session.flush()
    return joined


def _restore_joined(found: LineJoin, joined: Transaction, doing: Act) -> None:
    feed_line = feed_line_of(joined)
    if feed_line is not None and feed_line.event == "REMOVED":
        return
    if was_pending(found, feed_line):
        joined.status = "PENDING"
        return
    proof_id = _proof_of(found)
    if proof_id is not None:
        raise ProvedError(f"A proof contains this line (proof {proof_id}). Reopen it first.")
    add_to_books(joined, now=doing.now)


def _remove_kept_again(found: LineJoin, doing: Act) -> None:
    """Remove a line again that its bank removed and that another id kept; its posted entry stays."""
    kept = lookups.get(Transaction, found.organization_id, found.kept_id)
    feed_line = feed_line_of(kept)
    if feed_line is None:
        return
    if feed_line.event == "REMOVED":
        removals.remove(kept.feed_account, [kept], now=doing.now)
    elif kept.status == "REMOVED":
        # It was removed with an id that is not its own; a posted entry was never removed.
        add_to_books(kept, now=doing.now)


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
