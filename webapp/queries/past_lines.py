"""Lines that are in the books as rules look at them, portion by portion, and what stands opposite each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.chart import Role
from webapp.ledger.corrections import effective
from webapp.ledger.entries import Leg
from webapp.ledger.rule_outcomes import Side
from webapp.ledger.sides import counters, is_shared
from webapp.models import ActionRequest, JournalEntry, Posting, Transaction
from webapp.queries import accounts, transfer_pairs

AT_ONCE = 2000

EDITED = "A person has edited this line."
SET_ASIDE = "This line is from before the books of its account begin."
TRANSFER = "This line is one side of a transfer."
SPLIT = "This line is split."
NO_ENTRY = "This line has no entry."


class PastLine(NamedTuple):
    """A line that is in the books, as the bank gave it."""

    id: int
    feed_account_id: int
    booked_on: date
    amount_minor: int
    currency: str
    description: str
    counterparty: str | None
    reference: str | None
    iban: str | None
    status: str
    journal_entry_id: int | None


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which lines of the past are meant; days are inclusive."""

    from_: date | None = None
    to: date | None = None
    fa_id: int | None = None
    transaction_id: int | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """How a line stands: what is opposite it in its entry, or why no rule sets that.

    `posting_id` is the one posting of a draft that says it; None where the entry is posted or has more to say.
    """

    side: Side | None = None
    is_posted: bool = False
    posting_id: int | None = None
    closed: str | None = None


def portions(organization_id: str, chosen: Chosen) -> Iterator[list[PastLine]]:
    """Give the lines that are in the books, by id, some at a time."""
    line = Transaction
    asked: list[tuple[Any, Callable[[Any], sa.ColumnElement[bool]]]] = [
        (chosen.from_, line.booked_on.__ge__),
        (chosen.to, line.booked_on.__le__),
        (chosen.fa_id, line.feed_account_id.__eq__),
        (chosen.transaction_id, line.id.__eq__),
    ]
    wanted = [condition(value) for value, condition in asked if value is not None]
    last = 0
    while True:
        rows = _lines(organization_id, [*wanted, line.id > last])
        if rows:
            last = rows[-1].id
            yield rows
        if len(rows) < AT_ONCE:
            return


def named(organization_id: str, line_ids: Collection[int]) -> Iterator[list[PastLine]]:
    """Give those of some lines that are in the books, by id, some at a time."""
    ordered = sorted(line_ids)
    for start in range(0, len(ordered), AT_ONCE):
        yield _lines(organization_id, [Transaction.id.in_(ordered[start : start + AT_ONCE])])


def _lines(organization_id: str, conditions: Sequence[sa.ColumnElement[bool]]) -> list[PastLine]:
    statement = (
        sa.select(*(getattr(Transaction, name) for name in PastLine._fields))
        .where(
            Transaction.organization_id == organization_id,
            Transaction.status.in_(("BOOKED", "SET_ASIDE")),
            *conditions,
        )
        .order_by(Transaction.id)
        .limit(AT_ONCE)
    )
    return [PastLine(*row) for row in db.session.execute(statement)]


def standings(organization_id: str, lines: Sequence[PastLine]) -> dict[int, Standing]:
    """Tell how each line of a portion stands, in a number of statements that does not depend on how many there are."""
    entries = _entries(organization_id, {line.journal_entry_id for line in lines if line.journal_entry_id})
    ids = [line.id for line in lines]
    edited, paired = edited_among(organization_id, ids), transfer_pairs.others(organization_id, ids)
    rests = {
        accounts.by_role(organization_id, role.value).id for role in (Role.ROUNDING, Role.REALISED_EXCHANGE)
    }
    found = {}
    for line in lines:
        entry = entries.get(line.journal_entry_id or 0)
        standing = Standing(closed=NO_ENTRY) if entry is None else _standing(line, entry, rests)
        if line.status == "SET_ASIDE":
            closed: str | None = SET_ASIDE
        elif line.id in edited:
            closed = EDITED
        else:
            closed = TRANSFER if line.id in paired else standing.closed
        found[line.id] = Standing(standing.side, standing.is_posted, standing.posting_id, closed)
    return found


def edited_among(organization_id: str, line_ids: Sequence[int]) -> set[int]:
    """Tell which of these lines somebody has edited, by the acts that did; whoever did was no rule."""
    if not line_ids:
        return set()
    edits = sa.select(ActionRequest.target_id).where(
        ActionRequest.organization_id == organization_id,
        ActionRequest.target_kind == "transaction",
        ActionRequest.target_id.in_([str(line_id) for line_id in line_ids]),
        ActionRequest.kind == "edit_transaction",
        ActionRequest.status == "EXECUTED",
    )
    return {int(target_id) for target_id in db.session.scalars(edits)}


@dataclass(slots=True)
class _Entry:
    """An entry's status, and its legs as they shall be, each with the posting of a draft that says it."""

    status: str
    legs: list[tuple[int | None, Leg]]


def _entries(organization_id: str, entry_ids: set[int]) -> dict[int, _Entry]:
    if not entry_ids:
        return {}
    entry = JournalEntry
    columns = sa.select(entry.id, entry.status, entry.corrects_id)
    own = db.session.execute(
        columns.where(entry.organization_id == organization_id, entry.id.in_(entry_ids))
    ).all()
    more = db.session.execute(
        columns.where(entry.organization_id == organization_id, entry.corrects_id.in_(entry_ids)).order_by(
            entry.id
        )
    ).all()
    legs = _legs(organization_id, [row.id for row in (*own, *more)])
    family: dict[int, list[int]] = {row.id: [row.id] for row in own}
    markers = {}
    for row in more:
        if row.status == "DRAFT":
            markers[row.corrects_id] = row.id
        else:
            family[row.corrects_id].append(row.id)
    return {
        row.id: _Entry(row.status, _present(row, family[row.id], markers.get(row.id), legs)) for row in own
    }


def _present(
    row: Any, family: Sequence[int], marker_id: int | None, legs: dict[int, list[tuple[int, Leg]]]
) -> list[tuple[int | None, Leg]]:
    """Give what an entry shall say: a draft what it says, else what its marker wants, else what is in force."""
    if row.status == "DRAFT":
        return list(legs.get(row.id, []))
    if marker_id is not None:
        return [(None, leg) for _, leg in legs.get(marker_id, [])]
    return [(None, leg) for leg in effective(*([leg for _, leg in legs.get(each, [])] for each in family))]


def _legs(organization_id: str, entry_ids: Sequence[int]) -> dict[int, list[tuple[int, Leg]]]:
    posting = Posting
    rows = db.session.execute(
        sa.select(
            posting.id,
            posting.journal_entry_id,
            posting.account_id,
            posting.amount_minor,
            posting.currency,
            posting.amount_base_minor,
            posting.is_bank_leg,
            posting.org_merchant_id,
            posting.project_id,
            posting.transaction_id,
        )
        .where(posting.organization_id == organization_id, posting.journal_entry_id.in_(entry_ids))
        .order_by(posting.journal_entry_id, posting.position)
    )
    found: dict[int, list[tuple[int, Leg]]] = {}
    for row in rows:
        leg = Leg(
            account_id=row.account_id,
            amount_minor=row.amount_minor,
            currency=row.currency,
            amount_base_minor=row.amount_base_minor,
            is_bank_leg=row.is_bank_leg,
            merchant_id=row.org_merchant_id,
            project_id=row.project_id,
            transaction_id=row.transaction_id,
        )
        found.setdefault(row.journal_entry_id, []).append((row.id, leg))
    return found


def _standing(line: PastLine, entry: _Entry, rests: Collection[int]) -> Standing:
    legs = [leg for _, leg in entry.legs]
    is_posted = entry.status != "DRAFT"
    if is_shared(legs):
        return Standing(is_posted=is_posted, closed=TRANSFER)
    opposite = counters(legs, line.id)
    main = _without_rest(opposite, legs, rests)
    if len(main) != 1:
        return Standing(is_posted=is_posted, closed=SPLIT)
    (leg,) = main
    posting_id = next(number for number, each in entry.legs if each is leg)
    side = Side(
        leg.account_id, leg.currency, leg.amount_minor, leg.amount_base_minor, leg.merchant_id, leg.project_id
    )
    return Standing(side, is_posted, posting_id if len(opposite) == 1 else None)


def _without_rest(opposite: Sequence[Leg], legs: Iterable[Leg], rests: Collection[int]) -> list[Leg]:
    """Leave out what a mirroring in several currencies left over."""
    if len({leg.currency for leg in legs}) == 1 or len(opposite) == 1:
        return list(opposite)
    return [leg for leg in opposite if leg.account_id not in rests]
