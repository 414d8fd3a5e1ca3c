"""Exchange rates: written down, and what they change in drafts; posted entries never change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from webapp.db import db
from webapp.ledger.chart import Role
from webapp.ledger.entries import Leg, UnbalancedError
from webapp.ledger.errors import UnprocessableError
from webapp.models import ExchangeRate, JournalEntry, Organization
from webapp.queries import accounts, exchange_rates, organizations
from webapp.queries import journal_entries as entries
from webapp.services import drafts, journal_entries
from webapp.services.action_requests import act
from webapp.services.actors import Actor

Said = Mapping[str, Any]


class BaseCurrencyRateError(UnprocessableError):
    """The base currency is measured in itself; send rates of other currencies."""

    code = "base_currency"


class TwoRatesError(UnprocessableError):
    """One day has one rate of a currency; keep one of the two."""

    code = "two_rates"


def put(rates: Sequence[Said], *, actor: Actor, now: datetime) -> list[ExchangeRate]:
    """Write rates down, in place of those of the same day, and mirror anew the drafts that lean on them."""
    organization = organizations.get(actor.organization_id)
    payload = {"rates": [_fact(rate["day"], rate["currency"], rate["units_per_base"]) for rate in rates]}
    target = ("exchange_rates", organization.id)
    with act(actor, now, "put_exchange_rates", target, payload=payload) as doing:
        _check(rates, organization.base_currency)
        before: list[dict[str, str]] = []
        written = [_write(organization.id, rate, now, before) for rate in rates]
        changed = [rate for rate, (_, is_changed) in zip(rates, written, strict=True) if is_changed]
        db.session.flush()
        mirrored = _mirror_drafts(organization, changed)
        doing.title = f"Wrote down {len(rates)} exchange rate{'s' if len(rates) > 1 else ''}"
        doing.before, doing.after = {"rates": before}, {**payload, "mirroredJournalEntryIds": mirrored}
        if not changed:
            doing.nothing_to_do()
    return [rate for rate, _ in written]


def _fact(day: date, currency: str, units_per_base: Decimal) -> dict[str, str]:
    return {"day": day.isoformat(), "currency": currency, "unitsPerBase": format(units_per_base, "f")}


def _check(rates: Sequence[Said], base: str) -> None:
    seen: set[tuple[date, str]] = set()
    for index, rate in enumerate(rates):
        if rate["currency"] == base:
            sentence = f"{base} is the base currency and measured in itself; send rates of other currencies."
            raise BaseCurrencyRateError(sentence, fields={f"rates.{index}.currency": [sentence]})
        key = (rate["day"], rate["currency"])
        if key in seen:
            sentence = f"There are two {rate['currency']} rates for {rate['day']:%-d %b %Y}; keep one."
            raise TwoRatesError(sentence, fields={f"rates.{index}": [sentence]})
        seen.add(key)


def _write(
    organization_id: str, rate: Said, now: datetime, before: list[dict[str, str]]
) -> tuple[ExchangeRate, bool]:
    """Write one rate down; answers whether it says something else than before, which is kept in `before`."""
    stored = exchange_rates.of(organization_id, rate["day"], rate["currency"])
    said = (rate["units_per_base"], rate["source"])
    is_changed = stored is None or (stored.units_per_base, stored.source) != said
    if stored is None:
        stored = ExchangeRate(
            organization_id=organization_id, day=rate["day"], currency=rate["currency"], created_at=now
        )
        db.session.add(stored)
    elif is_changed:
        before.append(_fact(stored.day, stored.currency, stored.units_per_base))
    stored.units_per_base, stored.source = said
    return stored, is_changed


def _mirror_drafts(organization: Organization, changed: Iterable[Said]) -> list[int]:
    """Mirror anew every draft whose rate may have changed; answers the ids of those that did."""
    leaning: dict[int, tuple[JournalEntry, date]] = {}
    for rate in changed:
        last = rate["day"] + timedelta(days=exchange_rates.LONGEST_AGE_DAYS)
        for entry, rate_day in exchange_rates.drafts_leaning_on(
            organization.id, rate["currency"], rate["day"], last
        ):
            leaning[entry.id] = (entry, rate_day)
    return mirror_anew(organization, leaning.values())


def mirror_anew(organization: Organization, drafts_: Iterable[tuple[JournalEntry, date]]) -> list[int]:
    """Mirror drafts at the rates of a day each; answers the ids of those that changed.

    One whose amounts do not balance at those rates stays as it was: whoever posts it is told so.
    """
    rests = {accounts.by_role(organization.id, role).id for role in (Role.ROUNDING, Role.REALISED_EXCHANGE)}
    return [entry.id for entry, rate_day in drafts_ if _mirror_draft(organization, entry, rate_day, rests)]


def _mirror_draft(organization: Organization, entry: JournalEntry, rate_day: date, rests: set[int]) -> bool:
    present = entries.legs_of(entry)
    bare = [
        replace(leg, amount_base_minor=None)
        for leg in without_rest(present, organization.base_currency, rests)
    ]
    try:
        fresh = drafts.mirror_legs(organization, bare, rate_day)
    except UnbalancedError:
        return False
    if list(fresh) == present:
        return False
    journal_entries.write_legs(entry, fresh)
    return True


def without_rest(legs: Sequence[Leg], base: str, rests: set[int]) -> list[Leg]:
    """Give the legs of an entry without the leg that an earlier mirroring in several currencies left over."""
    *others, last = legs
    is_rest = (
        last.account_id in rests
        and last.currency == base
        and not last.is_bank_leg
        and last.amount_base_minor == last.amount_minor
        and len({leg.currency for leg in others}) > 1
    )
    return others if is_rest else list(legs)
