"""Causes of broken proofs: the entry or line, the act behind it, and the value that it changed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.proofs.equations import Breach
from webapp.ledger.proofs.proofs import Item
from webapp.models import ActionRequest, JournalEntry, Posting, Reconciliation, Transaction, refers_to
from webapp.queries.accounts import posted_entries
from webapp.queries.common import lookups

MOST_EXAMINED = 200
SYSTEM = {"kind": "SYSTEM", "id": None, "name": "Tieout"}


@dataclass(frozen=True, slots=True)
class BrokenBy:
    """The cause of a broken proof: the field of an entry or line that changed, its values, by whom and when."""

    journal_entry_id: int | None
    transaction_id: int | None
    action_request_id: str | None
    actor: Mapping[str, Any]
    field: str
    before: str | None
    after: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class _Suspect:
    """A breach, the entry that caused it if one did, and the act or the target by which the act is found."""

    breach: Breach
    entry_id: int | None
    at: datetime
    request_id: str | None
    target: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class _BreachFacts:
    """The lines and entries of breaches, and the reversals that cancelled them."""

    lines: Mapping[int | None, Transaction]
    entries: Mapping[int | None, JournalEntry]
    cancelled: Mapping[tuple[str, int | None], tuple[int, JournalEntry]]


Broken = Mapping[int, tuple[Reconciliation, list[Breach]]]


def of_breaches(organization_id: str, broken: Broken, act_id: str | None = None) -> dict[int, BrokenBy]:
    """Find the first cause of each broken proof, in a constant number of statements.

    Where the books differ by no item, an entry did it: of an act that is named what it posted, or else the first one
    since the statement was completed.
    """
    if not broken:
        return {}
    broken = {proof_id: (proof, _examined(found)) for proof_id, (proof, found) in broken.items()}
    items = [breach.item for _, found in broken.values() for breach in found if breach.item is not None]
    facts = _BreachFacts(
        lines=lookups.by_id(Transaction, organization_id, [item.transaction_id for item in items]),
        entries=lookups.by_id(JournalEntry, organization_id, [item.journal_entry_id for item in items]),
        cancelled=_cancelled(organization_id, items),
    )
    chosen: dict[int, _Suspect] = {}
    for proof_id, (proof, found) in broken.items():
        suspect = _first([_suspect(breach, breach.item, proof, facts) for breach in found if breach.item])
        if suspect is not None:
            chosen[proof_id] = suspect
    others = {proof_id: found for proof_id, (_, found) in broken.items() if proof_id not in chosen}
    chosen |= _by_books(organization_id, others, act_id)
    acts = _acts(organization_id, chosen.values())
    return {
        proof_id: _named(suspect, acts, broken[proof_id][0].currency) for proof_id, suspect in chosen.items()
    }


def _examined(found: list[Breach]) -> list[Breach]:
    """Choose the breaches to examine: of very many, as a late file makes them, the first ones and the last."""
    return [*found[:MOST_EXAMINED], *found[MOST_EXAMINED:][-1:]]


def _by_books(
    organization_id: str, broken: Mapping[int, list[Breach]], act_id: str | None
) -> dict[int, _Suspect]:
    """Find the entry by which books differ; beside a breach of an item they only differ as its consequence."""
    breach_of = {
        proof_id: breach for proof_id, found in broken.items() for breach in found if breach.item is None
    }
    if not breach_of:
        return {}
    ids = list(breach_of)
    entries = (
        posted_entries.first_since(organization_id, ids)
        if act_id is None
        else posted_entries.first_of_act(organization_id, act_id, ids)
    )
    suspects = {proof_id: _by_entry(breach_of[proof_id], entry) for proof_id, entry in entries.items()}
    return {proof_id: suspect for proof_id, suspect in suspects.items() if suspect is not None}


def _suspect(breach: Breach, item: Item, proof: Reconciliation, facts: _BreachFacts) -> _Suspect | None:
    line = facts.lines.get(item.transaction_id or 0)
    if breach.field == "entryStatus" and item.key in facts.cancelled:
        voided_id, reversal = facts.cancelled[item.key]
        return _suspected(breach, voided_id, reversal.posted_at, request_id=reversal.action_request_id)
    if line is not None:
        is_late = breach.field == "arrival" and _is_after(line.created_at, proof.completed_at)
        is_of_file = is_late and line.import_id is not None
        target = ("import", str(line.import_id)) if is_of_file else ("transaction", str(line.id))
        at = line.created_at if is_late else line.updated_at
        return _suspected(breach, line.journal_entry_id, at, target=target)
    entry = facts.entries.get(item.journal_entry_id or 0)
    return None if entry is None else _by_entry(breach, entry)


def _is_after(at: datetime, other: datetime | None) -> bool:
    return other is not None and at >= other


def _by_entry(breach: Breach, entry: JournalEntry) -> _Suspect | None:
    cause_id = entry.voids_id or entry.id
    return _suspected(breach, cause_id, entry.posted_at, request_id=entry.action_request_id)


def _suspected(
    breach: Breach,
    entry_id: int | None,
    at: datetime | None,
    *,
    request_id: str | None = None,
    target: tuple[str, str] | None = None,
) -> _Suspect | None:
    return None if at is None else _Suspect(breach, entry_id, at, request_id, target)


def _first(suspects: Iterable[_Suspect | None]) -> _Suspect | None:
    """Choose the earliest."""
    return min(
        (suspect for suspect in suspects if suspect is not None),
        key=lambda suspect: suspect.at,
        default=None,
    )


def _named(suspect: _Suspect, acts: Mapping[Any, ActionRequest], currency: str) -> BrokenBy:
    act = acts.get(suspect.request_id) or acts.get(suspect.target)
    item = suspect.breach.item
    before, after = _values(suspect.breach, currency)
    return BrokenBy(
        journal_entry_id=suspect.entry_id,
        transaction_id=None if item is None else item.transaction_id,
        action_request_id=None if act is None else act.id,
        actor=SYSTEM if act is None else act.actor,
        field=suspect.breach.field,
        before=before,
        after=after,
        at=suspect.at if act is None else act.created_at,
    )


def _values(breach: Breach, currency: str) -> tuple[str | None, str | None]:
    """Write down what a field was and is; an entry that is posted no longer was voided."""
    if breach.field == "entryStatus":
        return "POSTED", "VOIDED"
    return _text(breach.before, currency), _text(breach.after, currency)


def _text(value: object, currency: str) -> str | None:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str):
        return value
    return str(Money(value, currency)) if isinstance(value, int) else None


def _cancelled(
    organization_id: str, items: Iterable[Any]
) -> dict[tuple[str, int | None], tuple[int, JournalEntry]]:
    """Find the voided entry of lines and entries, with its reversal; of several the last."""
    items = list(items)
    lines = {item.transaction_id for item in items} - {None}
    entries = {item.journal_entry_id for item in items if item.transaction_id is None}
    # A condition that finds nothing would keep the database from looking by the other one's index.
    named = [Posting.transaction_id.in_(lines)] if lines else []
    named += [JournalEntry.id.in_(entries)] if entries else []
    reversal = orm.aliased(JournalEntry)
    rows = db.session.execute(
        sa.select(Posting.transaction_id, JournalEntry.id, reversal)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(reversal, refers_to(JournalEntry.voided_by_id, reversal))
        .where(
            Posting.organization_id == organization_id,
            JournalEntry.corrects_id.is_(None),
            sa.or_(sa.false(), *named),
        )
        .order_by(JournalEntry.id)
    )
    found: dict[tuple[str, int | None], tuple[int, JournalEntry]] = {}
    for line_id, entry_id, cancelling in rows:
        found["entry", entry_id] = entry_id, cancelling
        if line_id is not None:
            found["transaction", line_id] = entry_id, cancelling
    return found


def _acts(organization_id: str, suspects: Iterable[_Suspect]) -> dict[Any, ActionRequest]:
    """Read the acts by their id and by their target; of several on one target the last."""
    suspects = list(suspects)
    ids = {each.request_id for each in suspects if each.request_id is not None}
    targets = {each.target for each in suspects if each.target is not None}
    about = [
        sa.and_(ActionRequest.target_kind == kind, ActionRequest.target_id == target_id)
        for kind, target_id in sorted(targets)
    ]
    found: dict[Any, ActionRequest] = {}
    for request in db.session.scalars(
        sa.select(ActionRequest)
        .where(
            ActionRequest.organization_id == organization_id,
            ActionRequest.status == "EXECUTED",
            sa.or_(ActionRequest.id.in_(ids), *about),
        )
        .order_by(ActionRequest.decided_at, ActionRequest.id)
    ):
        found[request.id] = request
        found[request.target_kind, request.target_id] = request
    return found
