"""Transfers between own accounts: two lines of two banks become one, and apart again."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.codes import DoubtCode
from webapp.ledger.errors import LedgerError
from webapp.ledger.references import Kind, Ref
from webapp.models import JournalEntry, Transaction, TransferPair, of_same_organization
from webapp.queries.access import organizations
from webapp.queries.journal import entries
from webapp.queries.matching import transfer_pairs
from webapp.queries.transactions import doubts, transactions
from webapp.queries.transfers import proposed
from webapp.services.audit import titles, updates
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.journal import corrections, counter_legs, line_drafts, pair_differences, settled_items
from webapp.services.journal import entries as journal_entries
from webapp.services.transactions import pair_sides, unpairing
from webapp.services.transactions.pair_sides import AmountsDifferError, PairSide
from webapp.services.transactions.states import require


class PairedError(LedgerError):
    """A line is one side of one transfer; undo that pair first."""

    code = "paired"


class NotPairedError(LedgerError):
    """These two lines are not a pair; there is nothing to undo."""

    code = "not_paired"


@dataclass(frozen=True, slots=True)
class PairResult:
    """The result of pairing two lines: EXECUTED, or FAILED with the reason as `error`."""

    transaction_id: int
    other_id: int
    status: str
    error: str = ""


def pair(
    line: Transaction, other: Transaction, *, actor: Actor, now: datetime, difference: str | None = None
) -> None:
    """Make two lines one transfer: one entry while both are drafts of one day, else linked against "Transfers".

    What their transfers parts differ by is booked as what it is called: "FEE" to the bank charges, "EXCHANGE" to the
    realised exchange differences.
    """
    title = f"Paired {titles.of_pair(line, other)} as a transfer"
    target = ("transaction", line.id)
    payload = {
        "transactionId": Ref(Kind.TRANSACTION, other.id),
        **({} if difference is None else {"difference": difference}),
    }
    with act(actor, now, "pair_transfer", target, title=title, payload=payload) as doing:
        mine = transfer_pairs.active(line.organization_id, line.id)
        if mine is not None and mine.other_id == other.id:
            # Pairs of earlier versions may still have a difference that nobody realised.
            if not pair_differences.realise(line):
                doing.nothing_to_do()
            return
        _check(line, other)
        doing.before = _facts(line, other)
        chosen = pair_sides.of(line, other, difference)
        for each in (line, other):
            if each.journal_entry is not None:
                reason = "One of its items was paired as a transfer."
                settled_items.release(each.journal_entry, reason, each.journal_entry.effective_on)
        _record(line, other, "STANDING", now)
        _name(chosen, difference)
        _join(line, other, chosen, doing)
        pair_differences.realise(line)
        updates.touch(Kind.TRANSACTION, [line.id, other.id])
        db.session.flush()
        for sentence in doubts.paying([line, other]).values():
            doing.warn(DoubtCode.PAYS_OPEN_ITEM, sentence)
        doing.after = _facts(line, other)


def unpair(line: Transaction, other: Transaction, *, actor: Actor, now: datetime) -> None:
    """End a transfer; each line has its own draft again, and the pair is not proposed again."""
    title = f"Ended the transfer of {titles.of_pair(line, other)}"
    target, payload = ("transaction", line.id), {"transactionId": Ref(Kind.TRANSACTION, other.id)}
    with act(actor, now, "undo_transfer", target, title=title, payload=payload) as doing:
        mine = transfer_pairs.active(line.organization_id, line.id)
        if mine is None or mine.other_id != other.id:
            raise NotPairedError
        doing.before = _facts(line, other)
        if mine.difference is not None:
            doing.before["difference"] = mine.difference
        unpairing.unpair(line, now=now, is_refused=True)
        doing.after = _facts(line, other)


def dismiss(line: Transaction, other: Transaction, *, actor: Actor, now: datetime) -> None:
    """Dismiss a proposed transfer, so that it is not proposed again."""
    title = f"Dismissed the transfer of {titles.of_pair(line, other)}"
    target, payload = ("transaction", line.id), {"transactionId": Ref(Kind.TRANSACTION, other.id)}
    with act(actor, now, "dismiss_transfer", target, title=title, payload=payload) as doing:
        mine = transfer_pairs.side(line.organization_id, line.id, other.id)
        if mine is not None and mine.status == "STANDING":
            raise PairedError
        if mine is not None:
            doing.nothing_to_do()
            return
        check_two_accounts(line, other)
        _record(line, other, "DISMISSED", now)
        doing.after = {"status": "DISMISSED"}


def _check(line: Transaction, other: Transaction) -> None:
    check_two_accounts(line, other)
    for each in (line, other):
        require(each, "BOOKED")
        earlier = transfer_pairs.active(each.organization_id, each.id)
        if earlier is not None:
            raise PairedError(
                f"A line is paired already (lines {each.id} and {earlier.other_id}). Undo that pair first.",
                details={"transactionId": each.id, "otherId": earlier.other_id},
            )


def check_two_accounts(line: Transaction, other: Transaction) -> None:
    """Refuse two lines of one account, which are no transfer."""
    if line.feed_account_id == other.feed_account_id:
        raise AmountsDifferError("Both lines are of one account; a transfer is between two.")


def _record(line: Transaction, other: Transaction, status: str, now: datetime) -> None:
    for each, opposite in ((line, other), (other, line)):
        entry = each.journal_entry
        counters = counter_legs.as_stored(each, entry) if entry is not None else []
        side = transfer_pairs.side(each.organization_id, each.id, opposite.id)
        if side is None:
            side = TransferPair(
                organization_id=each.organization_id,
                transaction_id=each.id,
                other_id=opposite.id,
                created_at=now,
            )
            db.session.add(side)
        side.status, side.ended_at = status, now if status != "STANDING" else None
        side.counters = counters
    db.session.flush()


def _name(chosen: Sequence[PairSide], difference: str | None) -> None:
    """Record which part of each line is the transfer, and what their difference was called."""
    for each, opposite in (tuple(chosen), tuple(reversed(chosen))):
        mine = transfer_pairs.active(each.line.organization_id, each.line.id)
        if mine is not None and mine.other_id == opposite.line.id:
            mine.part_minor, mine.difference = each.part_minor, difference
    db.session.flush()


def _join(line: Transaction, other: Transaction, chosen: Sequence[PairSide], doing: Act) -> None:
    first, second = sorted((line, other), key=lambda each: each.id)
    one, two = first.journal_entry, second.journal_entry
    if one is None or two is None:
        raise NotPairedError("A line without an entry cannot be paired.")
    if one.id == two.id:
        # Both were one transfer before, with a correction that separates them: the posted legs are the target again.
        corrections.set_correction_target(one, entries.legs_of(one), now=doing.now)
    elif (
        one.status == two.status == "DRAFT"
        and one.effective_on == two.effective_on
        and all(side.is_mergeable for side in chosen)
        and _is_free(line, other)
    ):
        _merge(first, second, one, two)
    else:
        for side in sorted(chosen, key=lambda each: each.line.id):
            entry = one if side.line.id == first.id else two
            counter_legs.put_counters(side.line, entry, side.legs, now=doing.now)


def _is_free(*sides: Transaction) -> bool:
    """Return whether no proof in force counts one of these lines."""
    reconciled = sa.select(sa.func.count()).where(
        of_same_organization(Transaction, sides[0]),
        Transaction.id.in_([line.id for line in sides]),
        transactions.is_reconciled(),
    )
    return db.session.scalar(reconciled) == 0


def _merge(first: Transaction, second: Transaction, one: JournalEntry, two: JournalEntry) -> None:
    """Make the first line's draft the one entry of both, with both bank legs and no other."""
    organization = organizations.get(first.organization_id)
    legs = [line_drafts.bank_leg(each, each.feed_account.account_id) for each in (first, second)]
    journal_entries.write_legs(one, line_drafts.mirror_legs(organization, legs, first.booked_on))
    second.journal_entry_id = one.id
    db.session.flush()
    journal_entries.delete_draft(two)
    db.session.expire(second, ["journal_entry"])


def _facts(*sides: Transaction) -> dict[str, object]:
    return {
        "entries": {str(line.id): Ref.optional(Kind.JOURNAL_ENTRY, line.journal_entry_id) for line in sides}
    }


def pair_unambiguous(*, actor: Actor, now: datetime) -> list[PairResult]:
    """Pair all open lines that fit each other and nothing else; pairs with a fee are made one by one.

    A line that surely pays an open item is left to a person.
    """
    found = [(each.line, each.other) for each in proposed.unambiguous(actor.organization_id)]
    paying = doubts.paying([line for pair in found for line in pair])
    refused = [
        PairResult(line.id, other.id, "FAILED", paying.get(line.id) or paying[other.id])
        for line, other in found
        if paying.keys() & {line.id, other.id}
    ]
    pairs = [pair for pair in found if not paying.keys() & {each.id for each in pair}]
    return [*bulk_pair(pairs, actor=actor, now=now), *refused]


def bulk_pair(
    pairs: Iterable[tuple[Transaction, Transaction]], *, actor: Actor, now: datetime
) -> list[PairResult]:
    """Pair lines one pair after the other, each in a savepoint of its own; a refused one stops no other."""
    results = []
    for line, other in pairs:
        line_id, other_id = line.id, other.id
        try:
            with db.session.begin_nested():
                pair(line, other, actor=actor, now=now)
            results.append(PairResult(line_id, other_id, "EXECUTED"))
        except LedgerError as error:
            results.append(PairResult(line_id, other_id, "FAILED", str(error)))
    return results
