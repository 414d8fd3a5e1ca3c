"""Revaluation of balances in other currencies: an entry as of a day, and its reversal on the next."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal

from webapp.ledger.chart import Role
from webapp.ledger.journal.corrections import reversal
from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.revaluations import revaluation
from webapp.ledger.rates import ExchangeRateMissingError
from webapp.ledger.references import Kind, Ref, refs
from webapp.models import JournalEntry, Organization
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.currencies import exchange_rates, foreign_balances
from webapp.queries.currencies.foreign_balances import ForeignBalance
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.bookkeeping import voids
from webapp.services.journal import entries


def revalue(as_of: date, *, actor: Actor, now: datetime) -> Sequence[JournalEntry]:
    """Revalue assets and liabilities in other currencies at a day's rates; answers the pair of entries.

    A second run for the same day voids the first pair; where nothing differs there is none. Raises
    PeriodLockedError where either day is closed, ExchangeRateMissingError naming every rate that is missing.
    """
    organization = organizations.get(actor.organization_id)
    payload = {"asOf": as_of.isoformat()}
    title = f"Revalued as of {as_of:%-d %b %Y}"
    with act(actor, now, "revalue", ("day", as_of.isoformat()), title=title, payload=payload) as doing:
        for day in (as_of, as_of + timedelta(days=1)):
            entries.check_open(organization.id, day)
        voided = _void_earlier(organization, as_of, doing)
        written = _write(organization, as_of, doing)
        doing.result = {
            "journalEntryIds": refs(Kind.JOURNAL_ENTRY, [entry.id for entry in written]),
            "voidedJournalEntryIds": refs(Kind.JOURNAL_ENTRY, voided),
        }
        if not written and not voided:
            doing.nothing_to_do()
    return written


def _void_earlier(organization: Organization, as_of: date, doing: Act) -> list[int]:
    earlier = foreign_balances.revaluation_of(organization.id, as_of)
    for entry in earlier:
        voids.reverse(entry, doing, on_its_own_day=True)
    return [entry.id for entry in earlier]


def _write(organization: Organization, as_of: date, doing: Act) -> list[JournalEntry]:
    balances = foreign_balances.on(organization.id, as_of)
    rates = _rates(organization, {balance.currency for balance in balances}, as_of)
    legs = revaluation(
        [(each.account_id, each.currency, each.amount_minor, each.amount_base_minor) for each in balances],
        organization.base_currency,
        rates,
        accounts.by_role(organization.id, Role.UNREALISED_EXCHANGE).id,
    )
    if not legs:
        return []
    doing.before = {"balances": [_fact(balance) for balance in balances]}
    description = f"Revaluation as of {as_of:%-d %b %Y}"
    return [
        _post(organization, as_of, legs, description, doing),
        _post(organization, as_of + timedelta(days=1), reversal(legs), f"{description}, reversed", doing),
    ]


def _rates(organization: Organization, currencies: set[str], day: date) -> dict[str, Decimal]:
    found = {
        currency: exchange_rates.rate_on(organization.id, currency, organization.base_currency, day)
        for currency in sorted(currencies)
    }
    missing = [(day, currency) for currency, rate in found.items() if rate is None]
    if missing:
        raise ExchangeRateMissingError.on(missing)
    return {currency: rate for currency, rate in found.items() if rate is not None}


def _post(
    organization: Organization, day: date, legs: Sequence[Leg], description: str, doing: Act
) -> JournalEntry:
    entry = entries.add_draft(
        organization, day, legs, source="revaluation", description=description, now=doing.now
    )
    entries.post(entry, doing)
    return entry


def _fact(balance: ForeignBalance) -> dict[str, object]:
    return {
        "accountId": Ref(Kind.ACCOUNT, balance.account_id),
        "currency": balance.currency,
        "amountMinor": balance.amount_minor,
        "amountBaseMinor": balance.amount_base_minor,
    }
