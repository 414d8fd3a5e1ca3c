"""Changes by the bank to existing lines: a draft follows, a posted entry gets a correction marker."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import UNCATEGORISED
from webapp.ledger.codes import IN_BOOKS
from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.sides import counter_legs
from webapp.ledger.matching.lines import BankLine
from webapp.ledger.money import Money
from webapp.models import (
    JournalEntry,
    LineChange,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.common.parts import with_parts
from webapp.queries.common.portions import portions
from webapp.queries.journal import entries
from webapp.services.journal import corrections, line_drafts
from webapp.services.journal import entries as journal_entries
from webapp.services.transactions import unpairing

FIELDS = ("booked_on", "value_on", "amount_minor", "description", "counterparty", "reference", "iban")


def facts_of(line: Transaction) -> BankLine:
    """Give the fields of a line as they are stored."""
    return BankLine(**{name: getattr(line, name) for name in FIELDS})


def write_facts(line: Transaction, facts: BankLine) -> None:
    """Store the bank's present fields of a line."""
    for name in FIELDS:
        setattr(line, name, getattr(facts, name))
    if facts.details:
        line.details = dict(facts.details)


def change_status(line: Transaction, status: str, *, now: datetime) -> None:
    """Give a line the status that the bank's feed gives it, and record what it was."""
    db.session.add(
        LineChange(
            organization_id=line.organization_id,
            transaction_id=line.id,
            before={"status": line.status},
            after={"status": status},
            created_at=now,
        )
    )
    line.status = status


def apply(line: Transaction, facts: BankLine, *, now: datetime) -> str:
    """Store the bank's present fields of a booked line, and update its entry; answers in sentences what changed.

    A field that a person edited in the draft stays as it is. A posted entry gets a correction marker for its
    amount; another day or text changes no posted entry.
    """
    was = facts_of(line)
    if (was.amount_minor, was.booked_on) != (facts.amount_minor, facts.booked_on):
        # With another amount or day the line may not fit its transfer: the pair is proposed again where it does.
        unpairing.unpair(line, now=now)
    write_facts(line, facts)
    changed = _differences(was, facts, line.currency)
    if not changed:
        return ""
    db.session.add(
        LineChange(
            organization_id=line.organization_id,
            transaction_id=line.id,
            before={name: before for name, (before, _) in changed.items()},
            after={name: after for name, (_, after) in changed.items()},
            created_at=now,
        )
    )
    sentences = [_sentence(name, *values) for name, values in changed.items()]
    entry = line.journal_entry if line.status in IN_BOOKS else None
    if entry is not None:
        sentences += _update_entry(line, entry, was, now)
    db.session.flush()
    return " ".join(sentences)


def fetch_entries(lines: Sequence[Transaction]) -> list[JournalEntry]:
    """Read the entries of lines with their postings at once; they stay loaded as long as the caller keeps the list."""
    found: list[JournalEntry] = []
    for portion in portions({line.journal_entry_id for line in lines} - {None}):
        statement = sa.select(JournalEntry).where(
            of_same_organization(JournalEntry, lines[0]), JournalEntry.id.in_(portion)
        )
        found += with_parts(JournalEntry.postings, db.session.scalars(statement))
    return found


def _differences(was: BankLine, now: BankLine, currency: str) -> dict[str, tuple[str | None, str | None]]:
    """Give the fields that differ by their JSON keys, each before and after."""
    names = {
        "booked_on": "bookedOn",
        "value_on": "valueOn",
        "amount_minor": "amount",
        "description": "description",
        "counterparty": "counterparty",
        "reference": "reference",
        "iban": "iban",
    }
    found = {}
    for name, key in names.items():
        before, after = getattr(was, name), getattr(now, name)
        if before != after:
            found[key] = _text(before, currency), _text(after, currency)
    return found


def _text(value: date | int | str | None, currency: str) -> str | None:
    if value is None:
        return None
    return str(Money(value, currency)) if isinstance(value, int) else str(value)


def _sentence(key: str, before: str | None, after: str | None) -> str:
    """Write one change; a text only by its field's name, for the line shows it."""
    if key in ("amount", "bookedOn"):
        name = {"amount": "amount", "bookedOn": "day"}[key]
        return f"Its {name} was {before} and is {after}."
    return f"Its {'value day' if key == 'valueOn' else key} changed."


def _update_entry(line: Transaction, entry: JournalEntry, was: BankLine, now: datetime) -> list[str]:
    if entry.status == "DRAFT":
        return _update_draft(line, entry, was)
    if line.amount_minor != was.amount_minor:
        return _open_correction(line, entry, was, now)
    if line.booked_on != was.booked_on:
        return ["The entry is posted on the old day; void it to change its day."]
    return []


def _update_draft(line: Transaction, entry: JournalEntry, was: BankLine) -> list[str]:
    organization_id = line.organization_id
    if entry.description == was.description:
        entry.description = line.description
    is_moved = line.booked_on != was.booked_on
    if is_moved and entry.effective_on == organizations.first_open_day(organization_id, was.booked_on):
        entry.effective_on = organizations.first_open_day(organization_id, line.booked_on)
    if line.amount_minor == was.amount_minor and not is_moved:
        return []
    legs = entries.legs_of(entry)
    target, rest = adjusted_legs(line, legs)
    journal_entries.write_legs(entry, _mirrored(line, target, line.booked_on))
    return _rest_sentences(line, rest)


def _open_correction(line: Transaction, entry: JournalEntry, was: BankLine, now: datetime) -> list[str]:
    """Open or change the marker of a posted entry, so that confirming it posts what the bank changed."""
    marker = entries.marker_of(entry)
    present = entries.legs_of(marker) if marker is not None else list(entries.effective_legs(entry))
    own, rest = adjusted_legs(line, present)
    others = [leg for leg in present if leg.transaction_id not in (line.id, None)]
    opened = corrections.set_correction_target(
        entry, [*_mirrored(line, own, was.booked_on), *others], now=now
    )
    notice = (
        "Its entry is posted; a correction waits to be confirmed."
        if opened
        else "Its entry has this amount already."
    )
    return [notice, *_rest_sentences(line, rest)]


def reopen_correction(line: Transaction, *, now: datetime) -> str:
    """Open the correction again of a line that comes back with another amount than its entry has in force.

    The marker that the bank's change had opened was deleted when the line was removed. Answers in a sentence that the
    correction waits, or nothing.
    """
    entry = line.journal_entry
    if entry is None or entry.status != "POSTED" or entries.marker_of(entry) is not None:
        return ""
    own = [leg for leg in entries.effective_legs(entry) if leg.is_bank_leg and leg.transaction_id == line.id]
    in_force = sum(leg.amount_minor for leg in own)
    if in_force == line.amount_minor:
        return ""
    was = facts_of(line)._replace(amount_minor=in_force, booked_on=entry.effective_on)
    return " ".join(_open_correction(line, entry, was, now))


def adjusted_legs(line: Transaction, legs: Sequence[Leg]) -> tuple[list[Leg], int]:
    """Give legs adjusted to their line's present amount, without mirrors, and the rest that they do not cover.

    One counter leg takes the line's amount. Of several each keeps its own, and the rest is uncategorised.
    """
    before = [leg for leg in legs if leg.is_bank_leg and leg.transaction_id in (line.id, None)]
    bank = [replace(leg, amount_minor=line.amount_minor, amount_base_minor=None) for leg in before]
    own = line_drafts.in_line_currency(line, counter_legs(legs, line.id), before[0] if before else None)
    counter = [replace(leg, amount_base_minor=None) for leg in own]
    if not bank:
        bank = [line_drafts.bank_leg(line, line.feed_account.account_id)]
    if len(counter) <= 1:
        return [*bank, _only_leg(line, counter)], 0
    parts = _parts_before(line, before, counter)
    rest = -line.amount_minor - sum(parts)
    if rest:
        uncategorised = line_drafts.uncategorised_leg(line)
        kept = [leg for leg in counter if leg.account_id != uncategorised.account_id]
        rest += sum(leg.amount_minor for leg in counter if leg.account_id == uncategorised.account_id)
        counter = [*kept, replace(uncategorised, amount_minor=rest)] if rest else kept
    return [*bank, *counter], rest


def _parts_before(line: Transaction, before: Sequence[Leg], counter: Sequence[Leg]) -> list[int]:
    """Give how much of a line its counter legs were in its currency, before its bank changed it."""
    if before and any(leg.currency != line.currency for leg in counter):
        parts = line_drafts.parts_of_line(line, before[0], counter)
        if parts is not None:
            return parts
    return [leg.amount_minor for leg in counter if leg.currency == line.currency]


def fitting_counters(line: Transaction, counter: Sequence[Leg], bank: Leg | None) -> list[Leg]:
    """Give counter legs that fit their line's present amount, where the bank has changed it since.

    `bank` is the leg that they were opposite to.
    """
    counter = line_drafts.in_line_currency(line, counter, bank)
    parts = bank and line_drafts.parts_of_line(line, bank, counter)
    is_foreign = any(leg.currency != line.currency for leg in counter) and not parts
    if is_foreign or sum(parts or [leg.amount_minor for leg in counter]) == -line.amount_minor:
        return list(counter)
    legs = [line_drafts.bank_leg(line, line.feed_account.account_id), *counter]
    return counter_legs(adjusted_legs(line, legs)[0], line.id)


def own_day(line: Transaction, entry: JournalEntry) -> date | None:
    """Give the first open day for a line that its bank moved to another day after its entry was posted."""
    moved = sa.select(LineChange.after).where(
        refers_to(LineChange.transaction_id, line),
        LineChange.created_at >= entry.posted_at,
    )
    if any("bookedOn" in after for after in db.session.scalars(moved)):
        return organizations.first_open_day(line.organization_id, line.booked_on)
    return None


def _only_leg(line: Transaction, counter: Sequence[Leg]) -> Leg:
    # The boxes of a tax were of the other amount.
    if counter and counter[0].tax_code_id and counter[0].amount_minor != -line.amount_minor:
        counter = [replace(counter[0], tax_code_id=None, tax_point=None, boxes=())]
    if counter and counter[0].amount_minor * line.amount_minor < 0:
        if line_drafts.parts_of_line(line, line_drafts.bank_leg(line, 0), counter):
            # It pays items in another currency, at another rate now.
            return counter[0]
        return replace(counter[0], amount_minor=-line.amount_minor, currency=line.currency)
    # An amount of the other sign goes to the other uncategorised account, or stays where a person put it.
    uncategorised = accounts.ids_by_role(line.organization_id, UNCATEGORISED)
    fresh = line_drafts.uncategorised_leg(line)
    if not counter:
        return fresh
    chosen = fresh.account_id if counter[0].account_id in uncategorised else counter[0].account_id
    return replace(counter[0], account_id=chosen, amount_minor=-line.amount_minor, currency=line.currency)


def _mirrored(line: Transaction, legs: Sequence[Leg], rate_day: date) -> tuple[Leg, ...]:
    organization = organizations.get(line.organization_id)
    if all(leg.currency == organization.base_currency for leg in legs):
        return tuple(replace(leg, amount_base_minor=leg.amount_minor) for leg in legs)
    return line_drafts.mirror_legs(organization, legs, rate_day)


def _rest_sentences(line: Transaction, rest: int) -> list[str]:
    if not rest:
        return []
    amount = Money(-rest, line.currency)
    return [f"Its parts no longer add up: {amount.formatted} of it is uncategorised now."]
