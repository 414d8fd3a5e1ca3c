"""The lines in the books that rules may apply to, in portions, and the counter leg of each."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, make_dataclass
from datetime import date
from typing import Any, NamedTuple, Protocol

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import RESTS
from webapp.ledger.codes import IN_BOOKS
from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.sides import counter_legs, is_shared
from webapp.ledger.rules.fields import LINE_COLUMNS
from webapp.ledger.rules.line_outcomes import CounterLeg
from webapp.models import (
    ActionRequest,
    JournalEntry,
    Posting,
    RuleSetting,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.models.base import table_of
from webapp.queries.accounts import accounts
from webapp.queries.common.portions import near
from webapp.queries.items import line_payments
from webapp.queries.journal.target_legs import EntryTarget, bulk_of
from webapp.queries.matching import transfer_pairs
from webapp.queries.tax import packs

AT_ONCE = 2000
BANK_LEG = 1_000_000
_LINE = table_of(Transaction)
_POSTING, _ENTRY = table_of(Posting), table_of(JournalEntry)

EDITED = "A person has edited this line."
SET_ASIDE = "This line is from before the books of its account begin."
TRANSFER = "This line is one side of a transfer."
SPLIT = "This line is split."
PAYS = "Somebody chose what this line pays."
NO_ENTRY = "This line has no entry."


class CandidateLine(Protocol):
    """A row of a line in the books, with the bank's data; it has the columns of all fields of rules, too."""

    id: int
    feed_account_id: int
    booked_on: date
    amount_minor: int
    currency: str
    description: str
    counterparty: str | None
    reference: str | None
    status: str
    journal_entry_id: int | None


_COLUMNS = tuple(dict.fromkeys((*CandidateLine.__annotations__, *LINE_COLUMNS)))
# SQLAlchemy's own rows look an attribute up by its name, which takes several times as long.
_candidate_line: Callable[..., CandidateLine] = make_dataclass(
    "CandidateLine", _COLUMNS, slots=True, eq=False
)


@dataclass(frozen=True, slots=True)
class CandidateFilters:
    """Which lines, or which documents, a rule is tried on; days are inclusive."""

    from_: date | None = None
    to: date | None = None
    fa_id: int | None = None
    transaction_id: int | None = None
    document_id: int | None = None


class LineState(NamedTuple):
    """The one counter leg of a line, or the reason `closed` why no rule changes it.

    `posting_id` is the posting of a draft that is this leg; None where the entry is posted, has several or a tax code.
    """

    leg: CounterLeg | None = None
    is_posted: bool = False
    posting_id: int | None = None
    closed: str | None = None


def portions(organization_id: str, filters: CandidateFilters) -> Iterator[list[CandidateLine]]:
    """Yield the lines that the filters select, by id, in portions."""
    conditions = _conditions(filters)
    last = 0
    while True:
        rows = _lines(organization_id, [*conditions, Transaction.id > last])
        if rows:
            last = rows[-1].id
            yield rows
        if len(rows) < AT_ONCE:
            return


def count(organization_id: str, filters: CandidateFilters) -> int:
    """Count the lines that the filters select."""
    statement = sa.select(sa.func.count()).where(*_in_books(organization_id), *_conditions(filters))
    return db.session.scalar(statement) or 0


def _conditions(filters: CandidateFilters) -> list[sa.ColumnElement[bool]]:
    line = Transaction
    filtered: list[tuple[Any, Callable[[Any], sa.ColumnElement[bool]]]] = [
        (filters.from_, line.booked_on.__ge__),
        (filters.to, line.booked_on.__le__),
        (filters.fa_id, line.feed_account_id.__eq__),
        (filters.transaction_id, line.id.__eq__),
    ]
    return [condition(value) for value, condition in filtered if value is not None]


def _in_books(organization_id: str) -> tuple[sa.ColumnElement[bool], ...]:
    return Transaction.organization_id == organization_id, Transaction.status.in_(IN_BOOKS)


def of_ids(organization_id: str, line_ids: Collection[int]) -> Iterator[list[CandidateLine]]:
    """Yield the lines of these ids that are in the books, by id, in portions."""
    ordered = sorted(line_ids)
    for start in range(0, len(ordered), AT_ONCE):
        yield _lines(organization_id, [Transaction.id.in_(ordered[start : start + AT_ONCE])])


def _lines(organization_id: str, conditions: Sequence[sa.ColumnElement[bool]]) -> list[CandidateLine]:
    statement = (
        sa.select(*(_LINE.c[name] for name in _COLUMNS))
        .where(*_in_books(organization_id), *conditions)
        .order_by(Transaction.id)
        .limit(AT_ONCE)
    )
    return [_candidate_line(*row) for row in db.session.connection().execute(statement)]


def line_states(organization_id: str, lines: Sequence[CandidateLine]) -> dict[int, LineState]:
    """Read the state of each line of a portion, in a constant number of statements."""
    if not lines:
        return {}
    ids = [line.id for line in lines]
    closed = dict.fromkeys(transfer_pairs.others(organization_id, ids), TRANSFER)
    closed |= dict.fromkeys(edited_among(organization_id, ids), EDITED)
    closed |= {line.id: SET_ASIDE for line in lines if line.status == "SET_ASIDE"}
    found = _simple_states(organization_id, lines)
    others = [line for line in lines if line.id not in found]
    if others:
        found |= _other_states(organization_id, others)
    for line_id, reason in closed.items():
        found[line_id] = found[line_id]._replace(closed=reason)
    return found


def with_items(organization_id: str, states: Mapping[int, LineState]) -> dict[int, LineState]:
    """Complete the states of lines by the one open item that each is to pay; one that pays several is closed."""
    paid = line_payments.of_lines(organization_id, list(states))
    found = dict(states)
    for line_id, payment in paid.items():
        state = states[line_id]
        if len(payment.parts) > 1 or payment.short is not None:
            found[line_id] = state._replace(closed=state.closed or PAYS)
        elif state.leg is not None:
            found[line_id] = state._replace(leg=state.leg._replace(item_id=payment.parts[0].item_id))
    return found


def _simple_states(organization_id: str, lines: Sequence[CandidateLine]) -> dict[int, LineState]:
    """Read the states of lines with a bank leg and one counter leg, drafts or never corrected, as most lines are."""
    line_of = {line.journal_entry_id: line.id for line in lines if line.journal_entry_id is not None}
    if len(line_of) != len(lines):
        # Two lines share an entry, or one has none.
        return {}
    return {
        line_of[entry_id]: LineState(
            CounterLeg._make((*columns, None, code_id)),
            is_posted,
            None if is_posted or code_id is not None else posting_id,
        )
        for entry_id, is_posted, posting_id, *columns, code_id in _single_counter_legs(
            organization_id, line_of
        )
        if entry_id in line_of
    }


def _single_counter_legs(organization_id: str, entry_ids: Collection[int]) -> Sequence[Any]:
    """Read the counter leg of entries that have a bank leg and this one; rows of other entries may be among them.

    `near` may select a range of ids instead of each, so that the caller drops what it did not ask for. A posted leg is
    effective where nothing corrects it; a leg of 0.00 has no effect, and is left to the slower way.
    """
    leg, other, correction = _POSTING.c, _POSTING.alias("other"), _ENTRY.alias("correction")
    is_corrected = sa.exists().where(refers_to(correction.c.corrects_id, _ENTRY))
    is_effective = sa.and_(
        _ENTRY.c.status == "POSTED",
        sa.or_(leg.amount_minor != 0, leg.amount_base_minor != 0),
        sa.not_(is_corrected),
    )
    # One subquery instead of two counts: a bank leg weighs more than all other legs that an entry may have, so that
    # the sum of a bank leg and exactly one other is BANK_LEG + 1.
    weights = sa.func.sum(sa.case((other.c.is_bank_leg, BANK_LEG), else_=1))
    its_legs = sa.select(weights).where(
        of_same_organization(other, _POSTING), other.c.journal_entry_id == leg.journal_entry_id
    )
    return (
        db.session.connection()
        .execute(
            sa.select(
                leg.journal_entry_id,
                _ENTRY.c.status == "POSTED",
                leg.id,
                leg.account_id,
                leg.currency,
                leg.amount_minor,
                leg.amount_base_minor,
                leg.org_merchant_id,
                leg.project_id,
                leg.tax_code_id,
            ).where(
                leg.organization_id == organization_id,
                near(leg.journal_entry_id, entry_ids),
                sa.not_(leg.is_bank_leg),
                _ENTRY.c.organization_id == organization_id,
                _ENTRY.c.id == leg.journal_entry_id,
                sa.or_(_ENTRY.c.status == "DRAFT", is_effective),
                its_legs.scalar_subquery() == BANK_LEG + 1,
            )
        )
        .all()
    )


def _other_states(organization_id: str, lines: Sequence[CandidateLine]) -> dict[int, LineState]:
    entries = bulk_of(organization_id, {line.journal_entry_id for line in lines if line.journal_entry_id})
    rests = accounts.ids_by_role(organization_id, RESTS)
    taxes = {each.id for each in packs.accounts(organization_id).values()}
    found = {}
    for line in lines:
        entry = entries.get(line.journal_entry_id or 0)
        found[line.id] = LineState(closed=NO_ENTRY) if entry is None else _state(line, entry, rests, taxes)
    return found


def edited_among(organization_id: str, line_ids: Sequence[int]) -> set[int]:
    """Return the ids of lines that a person has edited; rules make no such act."""
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


def set_by_rules(organization_id: str, line_ids: Collection[int]) -> set[tuple[int, str]]:
    """Return the fields, by line and kind of effect, that a rule has set and nobody has changed since."""
    rows = db.session.execute(
        sa.select(RuleSetting.transaction_id, RuleSetting.kind).where(
            RuleSetting.organization_id == organization_id,
            RuleSetting.transaction_id.in_(line_ids),
            RuleSetting.superseded_by.is_(None),
        )
    )
    return {(row.transaction_id, row.kind) for row in rows}


def _state(
    line: CandidateLine, entry: EntryTarget, rests: Collection[int], taxes: Collection[int]
) -> LineState:
    legs = [leg for _, leg in entry.legs]
    is_posted = entry.status != "DRAFT"
    if is_shared(legs):
        return LineState(is_posted=is_posted, closed=TRANSFER)
    opposite = counter_legs(legs, line.id)
    own = [leg for leg in opposite if leg.tax_code_id is None or leg.account_id not in taxes]
    main = _without_rest(own, legs, rests)
    of_taxes = [leg for leg in opposite if leg not in own]
    if len(main) != 1 or any(leg.tax_code_id != main[0].tax_code_id for leg in of_taxes):
        return LineState(is_posted=is_posted, closed=SPLIT)
    (leg,) = main
    code_id = leg.tax_code_id
    posting_id = next(number for number, each in entry.legs if each is leg)
    amounts = leg.currency, leg.amount_minor, leg.amount_base_minor
    if code_id is not None:
        # Its tax is on other legs; all that is opposite the line is what a rule takes for its one leg.
        (worth,) = (each.amount_base_minor for each in legs if each.is_bank_leg)
        amounts = line.currency, -line.amount_minor, None if worth is None else -worth
    counter = CounterLeg(leg.account_id, *amounts, leg.merchant_id, leg.project_id, tax_code_id=code_id)
    return LineState(counter, is_posted, posting_id if len(opposite) == 1 and code_id is None else None)


def _without_rest(opposite: Sequence[Leg], legs: Iterable[Leg], rests: Collection[int]) -> list[Leg]:
    """Leave out the leg for the rest that mirroring several currencies left."""
    if len({leg.currency for leg in legs}) == 1 or len(opposite) == 1:
        return list(opposite)
    return [leg for leg in opposite if leg.account_id not in rests]
