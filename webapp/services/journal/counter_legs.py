"""Counter legs of a bank line, written into its entry: a draft at once, a posted one by its correction marker."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from webapp.ledger.chart import Role
from webapp.ledger.journal.base_shares import with_base_shares
from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.mirrors import share
from webapp.ledger.journal.sides import balances, counter_legs, is_shared, with_counter_legs
from webapp.models import JournalEntry, Organization, Transaction
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.documents import stated_taxes
from webapp.queries.journal import entries, target_legs
from webapp.queries.transactions import transactions
from webapp.services.journal import corrections, line_drafts
from webapp.services.journal import entries as journal_entries

# A counter leg as JSON.
StoredLeg = dict[str, Any]


def put_counters(line: Transaction, entry: JournalEntry, counter: Sequence[Leg], *, now: datetime) -> None:
    """Write counter legs of a line into its entry; a draft is the line's alone."""
    if entry.status == "DRAFT":
        write_own(line, entry, counter)
    else:
        correct_counters(entry, {line.id: counter}, now=now)


def write_own(
    line: Transaction, entry: JournalEntry, counter: Sequence[Leg], *, document_id: int | None = None
) -> None:
    """Write a draft that is one line's alone: its bank leg, and these counter legs, which may be of a document."""
    bank = line_drafts.bank_leg(line, line.feed_account.account_id)
    fresh = [bank, *(replace(leg, amount_base_minor=None, transaction_id=None) for leg in counter)]
    organization = organizations.get(line.organization_id)
    mirrored = line_drafts.mirror_legs(organization, fresh, line.booked_on, document_id=document_id)
    journal_entries.write_legs(entry, mirrored)


def correct_counters(
    entry: JournalEntry, chosen: Mapping[int, Sequence[Leg]], *, now: datetime
) -> Sequence[Leg]:
    """Write chosen legs opposite lines of a posted entry, by its marker; answers the marker's target."""
    target = corrected_legs(
        entry.organization_id, target_legs.of(entry), chosen, entries.effective_legs(entry)
    )
    corrections.set_correction_target(entry, target, now=now)
    return target


def bulk_correct_counters(
    organization: Organization, chosen: Mapping[int, tuple[int, Sequence[Leg]]], *, now: datetime
) -> None:
    """Write the legs opposite a line of each of many posted entries, by their markers, in a few statements.

    `chosen` gives the line and its legs by the entry, which is that line's alone. Raises NotInForceError.
    """
    targets = []
    for entry_id, family in target_legs.families(organization.id, chosen.keys()).items():
        line_id, legs = chosen[entry_id]
        present = [each for _, each in family.target.legs]
        targets.append((family, corrected_legs(organization.id, present, {line_id: legs}, family.effective)))
    corrections.bulk_set_correction_targets(organization, targets, now=now)


def corrected_legs(
    organization_id: str,
    present: Sequence[Leg],
    chosen: Mapping[int, Sequence[Leg]],
    effective: Sequence[Leg],
) -> Sequence[Leg]:
    """Give the target of a posted entry with chosen counter legs for some of its lines; all other legs stay.

    `present` is the target so far, `effective` what is in force.

    A line that shares the entry and has no counter leg of its own goes to the transfers account.
    """
    transfers_id = accounts.by_role(organization_id, Role.TRANSFERS).id if is_shared(present) else 0
    sides = with_counter_legs(present, chosen, transfers_id)
    target = [bank for bank, _ in sides if bank is not None]
    for bank, counter in sides:
        target += _mirrored_as(organization_id, bank, counter, min(chosen))
    return _as_existing(target, effective, present)


def _as_existing(target: Sequence[Leg], *states: Sequence[Leg]) -> Sequence[Leg]:
    """Give the first state with the target's amounts, or the target itself.

    Equal parts share the spare cents of a mirror by their order, which is no difference that anybody meant.
    """
    amounts = _amounts(target)
    return next((state for state in states if _amounts(state) == amounts), target)


def _amounts(legs: Sequence[Leg]) -> Counter[tuple[Any, ...]]:
    amounts: Counter[tuple[Any, ...]] = Counter()
    for leg in legs:
        of_taxes = leg.tax_code_id, leg.tax_point, leg.boxes
        amounts[leg.account_id, leg.currency, leg.project_id, leg.merchant_id, *of_taxes] += leg.amount_minor
    return amounts


def _mirrored_as(organization_id: str, bank: Leg | None, counter: Sequence[Leg], line_id: int) -> list[Leg]:
    """Mirror a target as the original was: its bank leg's mirror stays, the others share the opposite."""
    organization = organizations.get(organization_id)
    if all(leg.currency == organization.base_currency for leg in (bank, *counter) if leg is not None):
        return [replace(leg, amount_base_minor=leg.amount_minor) for leg in counter]
    if bank is not None:
        owed = stated_taxes.owed(organization, bank, counter, None)
        if owed.places(bank, counter):
            return with_base_shares(bank, counter, owed)
        paid = line_drafts.mirrored_payment(organization, bank, counter)
        if paid:
            return list(paid)
    weights = [leg.amount_minor for leg in counter]
    if not any(weights):
        return [replace(leg, amount_base_minor=0) for leg in counter]
    if bank is None or sum(weights) == 0:
        # A bank leg of 0.00 has no rate; the line's day has one.
        day = transactions.get(organization_id, line_id).booked_on
        return list(line_drafts.mirror_legs(organization, counter, day))
    parts = share(-(bank.amount_base_minor or 0), weights)
    return [replace(leg, amount_base_minor=part) for leg, part in zip(counter, parts, strict=True)]


def as_stored(line: Transaction, entry: JournalEntry) -> list[StoredLeg]:
    """Give the counter legs of a line as JSON, to be restored later."""
    return [
        {
            "accountId": leg.account_id,
            "amountMinor": leg.amount_minor,
            "currency": leg.currency,
            "projectId": leg.project_id,
            "orgMerchantId": leg.merchant_id,
        }
        for leg in counter_legs(target_legs.of(entry), line.id)
    ]


def from_stored(line: Transaction, stored: Sequence[StoredLeg]) -> list[Leg]:
    """Read stored counter legs; where the line's amount has changed since, the leg is uncategorised."""
    legs = [
        Leg(
            each["accountId"],
            each["amountMinor"],
            each["currency"],
            project_id=each["projectId"],
            merchant_id=each["orgMerchantId"],
        )
        for each in stored
    ]
    is_foreign = any(leg.currency != line.currency for leg in legs)
    if legs and (is_foreign or balances(legs, line.amount_minor, line.currency)):
        return legs
    return [line_drafts.uncategorised_leg(line)]
