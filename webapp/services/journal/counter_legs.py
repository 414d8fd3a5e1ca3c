"""What stands opposite a bank line, written into its entry: a draft at once, a posted one by its correction marker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from webapp.ledger.chart import Role
from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.mirrors import share
from webapp.ledger.journal.sides import balances, counter_legs, is_shared, with_counter_legs
from webapp.models import JournalEntry, Transaction
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.journal import entries
from webapp.queries.transactions import transactions
from webapp.services.journal import corrections, line_drafts
from webapp.services.journal import entries as journal_entries

Stored = Mapping[str, Any]


def put_counters(line: Transaction, entry: JournalEntry, counter: Sequence[Leg], *, now: datetime) -> None:
    """Let these legs stand opposite a line in an entry that is its own if it is a draft."""
    if entry.status == "DRAFT":
        write_own(line, entry, counter)
    else:
        aim(entry, {line.id: counter}, now=now)


def write_own(line: Transaction, entry: JournalEntry, counter: Sequence[Leg]) -> None:
    """Make a draft the line's own: its bank leg, and these legs opposite it."""
    bank = line_drafts.bank_leg(line, line.feed_account.account_id)
    fresh = [bank, *(replace(leg, amount_base_minor=None, transaction_id=None) for leg in counter)]
    organization = organizations.get(line.organization_id)
    journal_entries.write_legs(entry, line_drafts.mirror_legs(organization, fresh, line.booked_on))


def aim(entry: JournalEntry, chosen: Mapping[int, Sequence[Leg]], *, now: datetime) -> Sequence[Leg]:
    """Let chosen legs stand opposite lines of a posted entry, by its marker; answers what it wants then."""
    wanted = target(entry.organization_id, present(entry), chosen, corrections.standing_legs(entry))
    corrections.aim(entry, wanted, now=now)
    return wanted


def present(entry: JournalEntry) -> list[Leg]:
    """Give what an entry shall say: a draft what it says, a posted one what its marker wants, else what is in force."""
    if entry.status == "DRAFT":
        return entries.legs_of(entry)
    marker = entries.marker_of(entry)
    return entries.legs_of(marker) if marker is not None else list(corrections.standing_legs(entry))


def target(
    organization_id: str,
    wanted_now: Sequence[Leg],
    chosen: Mapping[int, Sequence[Leg]],
    standing: Sequence[Leg],
) -> Sequence[Leg]:
    """Give the target of a posted entry in which chosen legs stand opposite some of its lines, and all else stays.

    A line that shares the entry and has nothing of its own opposite it waits on the transfers account.
    """
    waiting_id = accounts.by_role(organization_id, Role.TRANSFERS).id if is_shared(wanted_now) else 0
    sides = with_counter_legs(wanted_now, chosen, waiting_id)
    wanted = [bank for bank, _ in sides if bank is not None]
    for bank, counter in sides:
        wanted += _mirrored_as(organization_id, bank, counter, min(chosen))
    return _as_known(wanted, standing, wanted_now)


def _as_known(wanted: Sequence[Leg], *states: Sequence[Leg]) -> Sequence[Leg]:
    """Give the state that the target names already, or the target.

    Equal parts share the spare cents of a mirror by their order, which is no difference that anybody meant.
    """
    amounts = _amounts(wanted)
    return next((state for state in states if _amounts(state) == amounts), wanted)


def _amounts(legs: Sequence[Leg]) -> Counter[tuple[int, str, int | None, int | None]]:
    amounts: Counter[tuple[int, str, int | None, int | None]] = Counter()
    for leg in legs:
        amounts[leg.account_id, leg.currency, leg.project_id, leg.merchant_id] += leg.amount_minor
    return amounts


def _mirrored_as(organization_id: str, bank: Leg | None, counter: Sequence[Leg], line_id: int) -> list[Leg]:
    """Mirror a target as the original was: its bank leg's mirror stays, the others share the opposite."""
    organization = organizations.get(organization_id)
    if all(leg.currency == organization.base_currency for leg in (bank, *counter) if leg is not None):
        return [replace(leg, amount_base_minor=leg.amount_minor) for leg in counter]
    weights = [leg.amount_minor for leg in counter]
    if not any(weights):
        return [replace(leg, amount_base_minor=0) for leg in counter]
    if bank is None or sum(weights) == 0:
        # The bank's leg of nothing tells no rate; its day's does.
        day = transactions.get(organization_id, line_id).booked_on
        return list(line_drafts.mirror_legs(organization, counter, day))
    parts = share(-(bank.amount_base_minor or 0), weights)
    return [replace(leg, amount_base_minor=part) for leg, part in zip(counter, parts, strict=True)]


def stored(line: Transaction, entry: JournalEntry) -> list[dict[str, Any]]:
    """Write down what stands opposite a line, to be put back."""
    return [
        {
            "accountId": leg.account_id,
            "amountMinor": leg.amount_minor,
            "currency": leg.currency,
            "projectId": leg.project_id,
            "orgMerchantId": leg.merchant_id,
        }
        for leg in counter_legs(present(entry), line.id)
    ]


def restored(line: Transaction, kept: Sequence[Stored]) -> list[Leg]:
    """Read it again; where the line's amount is another by now, it waits uncategorised."""
    legs = [
        Leg(
            each["accountId"],
            each["amountMinor"],
            each["currency"],
            project_id=each["projectId"],
            merchant_id=each["orgMerchantId"],
        )
        for each in kept
    ]
    is_foreign = any(leg.currency != line.currency for leg in legs)
    if legs and (is_foreign or balances(legs, line.amount_minor, line.currency)):
        return legs
    return [line_drafts.uncategorised_leg(line)]
