"""The draft of a bank line: its bank leg, and counter legs that a person or a rule chooses."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import RESTS, Role, uncategorised
from webapp.ledger.journal.base_shares import in_currency, parts_of, with_base_shares, with_written_shares
from webapp.ledger.journal.entries import Leg, keeps_base
from webapp.ledger.journal.mirrors import (
    RestAccounts,
    mirror_each,
    mirror_paid,
    missing_currencies,
    with_mirrors,
)
from webapp.ledger.journal.sides import counter_legs, is_shared
from webapp.ledger.money import bounded, divided
from webapp.ledger.rates import mirror
from webapp.models import Account, Document, FeedAccount, JournalEntry, Organization, Transaction
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.common import lookups
from webapp.queries.common.made_once import made_once
from webapp.queries.currencies import exchange_rates
from webapp.queries.documents import stated_taxes
from webapp.queries.items import line_payments
from webapp.services.journal import entries


def bank_leg(transaction: Transaction, account_id: int) -> Leg:
    """Give the leg on the bank's own account."""
    return Leg(
        account_id=account_id,
        amount_minor=transaction.amount_minor,
        currency=transaction.currency,
        is_bank_leg=True,
        transaction_id=transaction.id,
    )


def uncategorised_leg(transaction: Transaction) -> Leg:
    """Give the counter leg of a line that is not categorised yet."""
    role = uncategorised(transaction.amount_minor)
    return Leg(
        account_id=accounts.by_role(transaction.organization_id, role).id,
        amount_minor=-transaction.amount_minor,
        currency=transaction.currency,
    )


def mirror_legs(
    organization: Organization,
    legs: Sequence[Leg],
    rate_day: date,
    *,
    document_id: int | None = None,
    is_written: bool = False,
) -> tuple[Leg, ...]:
    """Mirror legs at the rates of a day; without a rate they stay without a mirror.

    Where the lines of two banks share the entry, each currency is at the rate of its own line's day. What is owed in
    the base currency opposite a foreign line, or in the entry of a foreign document, is its share of that in base;
    with `is_written` legs that are in base already stay as somebody wrote them.
    """
    rates = rates_of(organization, legs, rate_day)
    if any(leg.tax_code_id is not None for leg in legs):
        return with_mirrors(legs, organization.base_currency, rates, rest_accounts(organization.id, legs))
    bank = _mirrored_bank(organization, legs, rates)
    paid = bank and mirrored_payment(organization, bank, [leg for leg in legs if not leg.is_bank_leg])
    if bank and paid:
        return (bank, *paid)
    in_base = _with_base_shares(organization, legs, rates, document_id, is_written=is_written)
    if in_base is not None:
        return in_base
    return with_mirrors(legs, organization.base_currency, rates, rest_accounts(organization.id, legs))


def _with_base_shares(
    organization: Organization,
    legs: Sequence[Leg],
    rates: Mapping[str, Decimal],
    document_id: int | None,
    *,
    is_written: bool,
) -> tuple[Leg, ...] | None:
    """Mirror legs of which some are owed in base; None where none is, or where the rate is missing."""
    base = organization.base_currency
    if all(leg.currency == base for leg in legs):
        return None
    place = _leading(legs, base, is_of_document=document_id is not None)
    if place is None or not (legs[place].has_own_base or legs[place].currency in rates):
        return None
    leading, others = legs[place], [*legs[:place], *legs[place + 1 :]]
    document = lookups.get(Document, organization.id, document_id) if document_id is not None else None
    owed = stated_taxes.owed(organization, leading, others, document)
    if not owed.places(leading, others) or any(map(keeps_base, others)):
        return None
    if not leading.has_own_base:
        worth = mirror(leading.amount_minor, leading.currency, base, rates[leading.currency])
        leading = replace(leading, amount_base_minor=bounded(worth))
    keeps_written = is_written or leading.has_own_base
    shares = (with_written_shares if keeps_written else with_base_shares)(leading, others, owed)
    return None if shares is None else (*shares[:place], leading, *shares[place:])


def _leading(legs: Sequence[Leg], base: str, *, is_of_document: bool) -> int | None:
    """Find the leg that decides what others are owed in base: of one bank line, or what a document comes to."""
    bank = [place for place, leg in enumerate(legs) if leg.is_bank_leg]
    if not bank and is_of_document:
        bank = [place for place, leg in enumerate(legs) if leg.currency != base]
        bank = sorted(bank, key=lambda place: (-legs[place].has_own_base, -abs(legs[place].amount_minor)))[:1]
    return bank[0] if len(bank) == 1 else None


def mirrored_payment(organization: Organization, bank: Leg, others: Sequence[Leg]) -> tuple[Leg, ...]:
    """Mirror legs that pay items in other currencies, opposite a line's leg with its mirror; none of other legs."""
    codes, base = {leg.currency for leg in others} - {bank.currency}, organization.base_currency
    if not codes or bank.amount_base_minor is None or bank.transaction_id is None:
        return ()
    record = line_payments.of_line(organization.id, bank.transaction_id)
    if record is None:
        return ()
    differences_id = accounts.by_role(organization.id, Role.REALISED_EXCHANGE).id
    realised = set() if bank.currency == base else {(differences_id, base)}
    bare = [leg for leg in others if (leg.account_id, leg.currency) not in realised]
    own = _unshared(organization, bank, bare)
    in_line = parts_of(bank, own, line_payments.in_line(organization.id, record, own))
    if in_line is None or all(leg.currency == bank.currency for leg in own):
        return ()
    return _shared(organization, mirror_paid(bank, own, in_line, base, differences_id))


def _mirrored_bank(
    organization: Organization, legs: Sequence[Leg], rates: Mapping[str, Decimal]
) -> Leg | None:
    """Give the only bank leg with its mirror; None of several, or where the rate is missing."""
    base, bank = organization.base_currency, [leg for leg in legs if leg.is_bank_leg]
    if len(bank) != 1 or missing_currencies(bank, base, rates):
        return None
    return mirror_each(bank, base, {**rates, base: Decimal(1)})[0]


def _unshared(organization: Organization, bank: Leg, others: Sequence[Leg]) -> list[Leg]:
    """Give legs opposite a foreign bank leg in its currency, as far as accounts in base have their share of it."""
    base, worth = organization.base_currency, bank.amount_base_minor or 0
    places = _no_items(organization, others) if worth and bank.currency != base else {}
    size = abs(bank.amount_minor)
    return [
        replace(
            leg,
            amount_minor=bounded(divided(leg.amount_minor * size, abs(worth))),
            currency=bank.currency,
            amount_base_minor=None,
        )
        if place in places and leg.currency == base
        else leg
        for place, leg in enumerate(others)
    ]


def _shared(organization: Organization, legs: Sequence[Leg]) -> tuple[Leg, ...]:
    """Give mirrored legs with their share in base as the amount of those on accounts in base."""
    base, places = organization.base_currency, _no_items(organization, legs)
    return tuple(
        replace(leg, amount_minor=leg.amount_base_minor or 0, currency=base)
        if place in places and places[place].currency == base and leg.amount_minor
        else leg
        for place, leg in enumerate(legs)
    )


def _no_items(organization: Organization, legs: Sequence[Leg]) -> dict[int, Account]:
    """Find the counter legs on accounts that keep no items, as those of taxes, each with its account."""
    rows = lookups.by_id(Account, organization.id, {leg.account_id for leg in legs if not leg.is_bank_leg})
    found = {place: rows.get(leg.account_id) for place, leg in enumerate(legs) if not leg.is_bank_leg}
    return {
        place: row
        for place, row in found.items()
        if row is not None and not row.keeps_items and row.role not in RESTS
    }


def rates_of(organization: Organization, legs: Sequence[Leg], rate_day: date) -> dict[str, Decimal]:
    """Find the rates that mirror legs at a day; a currency without one is left out."""
    days = _rate_days(organization.id, legs)
    found = {
        code: exchange_rates.rate_on(
            organization.id, code, organization.base_currency, days.get(code, rate_day)
        )
        for code in {leg.currency for leg in legs}
    }
    return {code: rate for code, rate in found.items() if rate is not None}


def _rate_days(organization_id: str, legs: Sequence[Leg]) -> dict[str, date]:
    """Give the day of the first line in each currency, where several lines share an entry."""
    if not is_shared(legs):
        return {}
    bank = [leg for leg in legs if leg.is_bank_leg]
    lines = lookups.by_id(Transaction, organization_id, [leg.transaction_id for leg in bank])
    return {leg.currency: lines[leg.transaction_id].booked_on for leg in reversed(bank)}


def rest_accounts(organization_id: str, legs: Sequence[Leg]) -> RestAccounts:
    """Choose the accounts for the rest of an entry in several currencies: an exchange is between own accounts only.

    Where a rule set the currency of a line's counter leg, a later rate leaves its amount and the rest is rounding.
    """
    rounding_id = accounts.by_role(organization_id, Role.ROUNDING).id
    if _is_set_in_currency(legs):
        return RestAccounts(rounding_id, rounding_id)
    touched = {leg.account_id for leg in legs}
    backed = set(db.session.scalars(*_backed(organization_id, touched)))
    is_exchange = touched <= backed | {accounts.by_role(organization_id, Role.TRANSFERS).id}
    return RestAccounts(
        rounding_id=rounding_id,
        realised_exchange_id=accounts.by_role(organization_id, Role.REALISED_EXCHANGE).id
        if is_exchange
        else None,
    )


@made_once
def _backed(organization_id: str, account_ids: Collection[int]) -> sa.Select[Any]:
    return sa.select(FeedAccount.account_id).where(
        FeedAccount.organization_id == organization_id, FeedAccount.account_id.in_(account_ids)
    )


def _is_set_in_currency(legs: Sequence[Leg]) -> bool:
    """Return whether a rule has put the counter leg of one bank line into another currency: it keeps its amount."""
    bank = {leg.currency for leg in legs if leg.is_bank_leg}
    return (
        len(bank) == 1
        and not is_shared(legs)
        and any(leg.currency not in bank for leg in legs if not leg.is_bank_leg)
    )


def add(
    transaction: Transaction,
    *,
    now: datetime,
    counter_legs: Sequence[Leg] | None = None,
    effective_on: date | None = None,
    description: str | None = None,
) -> JournalEntry:
    """Give a line its draft: on its own day or the first open one, mirrored at the rate of its own day."""
    organization = organizations.get(transaction.organization_id)
    account_id = transaction.feed_account.account_id
    counter = counter_legs or [uncategorised_leg(transaction)]
    legs = mirror_legs(organization, [bank_leg(transaction, account_id), *counter], transaction.booked_on)
    entry = entries.add_draft(
        organization,
        effective_on or organizations.first_open_day(organization.id, transaction.booked_on),
        legs,
        source="bank_feed",
        description=transaction.description if description is None else description,
        now=now,
    )
    transaction.journal_entry_id = entry.id
    db.session.flush()
    # Code that has read the line's earlier entry would go on with that one.
    db.session.expire(transaction, ["journal_entry"])
    return entry


def unmirrored(legs: Sequence[Leg], line_id: int) -> list[Leg]:
    """Give the counter legs of a line without their mirrors: none where the other side is another bank's line."""
    return [replace(leg, amount_base_minor=None, transaction_id=None) for leg in counter_legs(legs, line_id)]


def in_line_currency(line: Transaction, legs: Sequence[Leg], bank: Leg | None = None) -> list[Leg]:
    """Give a line's counter legs in its currency, where accounts in base have a share of it.

    `bank` is the leg that they are opposite to, where that is no longer what the bank says.
    """
    organization = organizations.get(line.organization_id)
    bank = bank or bank_leg(line, line.feed_account.account_id)
    if line.currency == organization.base_currency or any(leg.tax_code_id is not None for leg in legs):
        return list(legs)
    if line_payments.of_line(organization.id, line.id):
        return unshared(line, legs)
    owed = stated_taxes.owed(organization, bank, legs, None)
    return in_currency(bank, legs, owed.base) if owed.places(bank, legs) else list(legs)


def parts_of_line(line: Transaction, bank: Leg, counter: Sequence[Leg]) -> list[int] | None:
    """Give how much of a line's leg each counter leg is, where some pay items in other currencies; None of others."""
    record = None
    if any(leg.currency != line.currency for leg in counter):
        record = line_payments.of_line(line.organization_id, line.id)
    if record is None:
        return None
    return parts_of(bank, counter, line_payments.in_line(line.organization_id, record, counter))


def unshared(line: Transaction, legs: Sequence[Leg]) -> list[Leg]:
    """Give a paying line's counter legs on accounts in base as the part of the line that they stand for."""
    organization = organizations.get(line.organization_id)
    bank = bank_leg(line, line.feed_account.account_id)
    bank = _mirrored_bank(organization, [bank], rates_of(organization, [bank], line.booked_on)) or bank
    return _unshared(organization, bank, [leg for leg in legs if not leg.is_bank_leg])
