"""Exchange rates: stored, and used to mirror drafts again; posted entries never change."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import NotRequired, TypedDict

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.importers import reference_rates
from webapp.importers.reference_rates import SOURCE, DayRates
from webapp.ledger import titles
from webapp.ledger.chart import RESTS
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.journal.entries import Leg, UnbalancedError, keeps_base
from webapp.ledger.journal.mirrors import without_rest
from webapp.ledger.rates import MAX_AGE_DAYS, is_current, units_per_base
from webapp.ledger.references import Kind, refs
from webapp.ledger.tax.forms import months_after
from webapp.models import Account, ExchangeRate, JournalEntry, Organization, TaxRate
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.common import lookups
from webapp.queries.currencies import exchange_rates
from webapp.queries.journal import entries
from webapp.queries.tax import rates as tax_rates
from webapp.services.audit import locked_figures
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.journal import entries as journal_entries
from webapp.services.journal import line_drafts


class RateInput(TypedDict):
    """A rate to store: how many units of a currency one unit of the base currency is on a day."""

    day: date
    currency: str
    units_per_base: Decimal
    source: str
    use: NotRequired[str]
    month: NotRequired[date | None]


# What a rate is for, unless it is for the books.
TAX = "TAX"
MOST_FILE_BYTES = reference_rates.MOST_BYTES


class BaseCurrencyRateError(UnprocessableError):
    """The base currency needs no rate; send rates of other currencies."""

    code = "base_currency"


class NoBaseRateError(UnprocessableError):
    """The file has no rates of the base currency; choose another one."""

    code = "no_base_rate"


class TwoRatesError(UnprocessableError):
    """One day has one rate of a currency; keep one of the two."""

    code = "two_rates"


class TwoUsesError(UnprocessableError):
    """Rates for taxes stand by themselves; send them apart from those for the books."""

    code = "two_uses"


def put(rates: Sequence[RateInput], *, actor: Actor, now: datetime) -> Sequence[RateInput]:
    """Store rates, in place of those of the same day, and mirror the drafts again that depend on them.

    Those for taxes stand by themselves, of a day or of a month, and mirror nothing.
    """
    uses = {rate.get("use") == TAX for rate in rates}
    if len(uses) > 1:
        raise TwoUsesError(fields={"rates": [str(TwoUsesError.__doc__)]})
    (_put_for_taxes if True in uses else _put)(rates, actor=actor, now=now)
    return rates


def _put_for_taxes(rates: Sequence[RateInput], *, actor: Actor, now: datetime) -> None:
    organization = organizations.get(actor.organization_id)
    payload = {
        "use": TAX,
        "rates": [
            _fact(rate["day"], rate["currency"], rate["units_per_base"])
            | ({"to": _last_day(rate).isoformat()} if rate.get("month") else {})
            for rate in rates
        ],
    }
    target = ("exchange_rates", organization.id)
    title = f"Set {_named(rates, organization.base_currency)} for taxes"
    with act(actor, now, "put_exchange_rates", target, title=title, payload=payload) as doing:
        _check(rates, organization.base_currency)
        stored = tax_rates.stored(organization.id, {rate["currency"] for rate in rates})
        is_changed = False
        for rate in rates:
            key = rate["currency"], rate["day"], _last_day(rate)
            values = {"units_per_base": rate["units_per_base"], "source": rate["source"]}
            present = stored.get(key)
            if present is None:
                days = {"day": key[1], "last_day": key[2], "currency": key[0]}
                db.session.add(TaxRate(organization_id=organization.id, created_at=now, **days, **values))
            elif (present.units_per_base, present.source) == (rate["units_per_base"], rate["source"]):
                continue
            else:
                present.units_per_base, present.source = rate["units_per_base"], rate["source"]
            is_changed = True
        db.session.flush()
        if not is_changed:
            doing.nothing_to_do()


def _last_day(rate: RateInput) -> date:
    """Give the last day that a rate for taxes is of: its own, or that of its month."""
    return months_after(rate["day"], 1) - timedelta(days=1) if rate.get("month") else rate["day"]


def _put(rates: Sequence[RateInput], *, actor: Actor, now: datetime) -> None:
    organization = organizations.get(actor.organization_id)
    payload = {"rates": [_fact(rate["day"], rate["currency"], rate["units_per_base"]) for rate in rates]}
    target = ("exchange_rates", organization.id)
    title = f"Set {_named(rates, organization.base_currency)}"
    with act(actor, now, "put_exchange_rates", target, title=title, payload=payload) as doing:
        _check(rates, organization.base_currency)
        locked_figures.watch_rates(doing, _dated(rates), MAX_AGE_DAYS)
        written = write(organization.id, rates, now=now)
        mirrored = _mirror_drafts(organization, written.changed)
        for rate in written.changed:
            doing.moves_foreign(rate["day"])
        doing.before = {"rates": [_fact(*each) for each in written.replaced]}
        doing.after = {**payload, "mirroredJournalEntryIds": refs(Kind.JOURNAL_ENTRY, mirrored)}
        if not written.changed:
            doing.nothing_to_do()


def read_file(data: bytes) -> list[DayRates]:
    """Read a file of reference rates before the books are opened for writing; raises FileRefusedError."""
    return reference_rates.read(data)


def take_file(days: Sequence[DayRates], *, sha256: str, actor: Actor, now: datetime) -> int:
    """Store the rates of a file of reference rates, of every currency against the base; answers how many are new.

    Against another base than the euro they are cross rates (behaviour.md 1).
    """
    organization = organizations.get(actor.organization_id)
    rates = _against(days, organization.base_currency)
    payload = {
        "sha256": sha256,
        "firstDay": days[0].day.isoformat(),
        "lastDay": days[-1].day.isoformat(),
        "rates": len(rates),
    }
    target = ("exchange_rates", organization.id)
    with act(actor, now, "take_reference_rates", target, payload=payload) as doing:
        if not rates:
            raise NoBaseRateError(
                f"The file has no rates of {organization.base_currency}, the base currency."
            )
        locked_figures.watch_rates(doing, _dated(rates), MAX_AGE_DAYS)
        written = write(organization.id, rates, now=now)
        mirrored = _mirror_drafts(organization, written.changed)
        for rate in written.changed:
            doing.moves_foreign(rate["day"])
        doing.title = (
            f"Imported {titles.counted(len(written.changed), 'exchange rate')} of the European Central Bank"
        )
        doing.after = {"changed": len(written.changed), "mirrored": len(mirrored)}
        if not written.changed:
            doing.nothing_to_do()
    return len(written.changed)


def _dated(rates: Sequence[RateInput]) -> set[tuple[date, str]]:
    return {(rate["day"], rate["currency"]) for rate in rates}


def _against(days: Iterable[DayRates], base: str) -> list[RateInput]:
    return [
        {"day": each.day, "currency": currency, "units_per_base": rate, "source": SOURCE}
        for each in days
        for currency in sorted({*each.per_euro, "EUR"} - {base})
        if (rate := units_per_base(currency, base, each.per_euro)) is not None
    ]


def _named(rates: Sequence[RateInput], base: str) -> str:
    """Name rates for a title: one whole, several by their currencies and days."""
    first_day, last_day = (f"{pick(rate['day'] for rate in rates):%-d %b %Y}" for pick in (min, max))
    if len(rates) == 1:
        return f"the rate of {first_day}: {rates[0]['units_per_base']:f} {rates[0]['currency']} for 1 {base}"
    days = first_day if first_day == last_day else f"{first_day} to {last_day}"
    currencies = titles.listed(sorted({rate["currency"] for rate in rates}))
    return f"{titles.counted(len(rates), 'exchange rate')} of {currencies}, {days}"


def _fact(day: date, currency: str, units_per_base: Decimal) -> dict[str, str]:
    return {"day": day.isoformat(), "currency": currency, "unitsPerBase": format(units_per_base, "f")}


def _check(rates: Sequence[RateInput], base: str) -> None:
    seen: set[tuple[date, str]] = set()
    for index, rate in enumerate(rates):
        if rate["currency"] == base:
            sentence = f"{base} is the base currency and needs no rate; send rates of other currencies."
            raise BaseCurrencyRateError(sentence, fields={f"rates.{index}.currency": [sentence]})
        key = (rate["day"], rate["currency"])
        if key in seen:
            sentence = f"There are two {rate['currency']} rates for {rate['day']:%-d %b %Y}; keep one."
            raise TwoRatesError(sentence, fields={f"rates.{index}": [sentence]})
        seen.add(key)


def _mirror_drafts(organization: Organization, changed: Sequence[RateInput]) -> list[int]:
    """Mirror every draft again whose rate may have changed; answers the ids of those that did."""
    days: dict[str, list[date]] = {}
    for rate in changed:
        days.setdefault(rate["currency"], []).append(rate["day"])
    depending: dict[int, tuple[JournalEntry, date]] = {}
    for currency in sorted(days.keys() & exchange_rates.currencies_of_drafts(organization.id)):
        ordered = sorted(days[currency])
        for entry, rate_day in exchange_rates.drafts_mirrored_at(
            organization.id, currency, ordered[0], ordered[-1] + timedelta(days=MAX_AGE_DAYS)
        ):
            place = bisect_right(ordered, rate_day) - 1
            if place >= 0 and is_current(ordered[place], rate_day):
                depending[entry.id] = (entry, rate_day)
    return mirror_anew(organization, depending.values())


def mirror_anew(organization: Organization, drafts_: Iterable[tuple[JournalEntry, date]]) -> list[int]:
    """Mirror drafts at the rates of a day each; answers the ids of those that changed.

    One whose amounts do not balance at those rates stays as it was: posting it raises the error.
    """
    rests = accounts.ids_by_role(organization.id, RESTS)
    changed: dict[int, Sequence[Leg]] = {}
    # Whether an account is kept in base is asked for each draft.
    held: dict[int | None, Account] = {}
    for entry, rate_day in drafts_:
        held |= lookups.by_id(
            Account, organization.id, {each.account_id for each in entry.postings} - held.keys()
        )
        fresh = _mirrored(organization, entry, rate_day, rests)
        if fresh is not None:
            changed[entry.id] = fresh
            db.session.expire(entry, ["postings"])
    journal_entries.write_all_legs(organization.id, organization.base_currency, changed)
    return list(changed)


def _mirrored(
    organization: Organization, entry: JournalEntry, rate_day: date, rests: set[int]
) -> Sequence[Leg] | None:
    """Mirror a draft's legs anew; none where they stay as they are."""
    present = entries.legs_of(entry)
    bare = [
        leg if keeps_base(leg) else replace(leg, amount_base_minor=None)
        for leg in without_rest(present, organization.base_currency, rests)
    ]
    try:
        fresh = line_drafts.mirror_legs(organization, bare, rate_day, document_id=entry.document_id)
    except UnbalancedError:
        return None
    return None if list(fresh) == present else fresh


@dataclass(frozen=True, slots=True)
class Written:
    """The rates that changed something, and the replaced ones: day, currency, units per base."""

    changed: list[RateInput]
    replaced: list[tuple[date, str, Decimal]]


def write(organization_id: str, rates: Sequence[RateInput], *, now: datetime) -> Written:
    """Store rates; no two of them have the same day and currency."""
    days = [rate["day"] for rate in rates]
    currencies = {rate["currency"] for rate in rates}
    stored = exchange_rates.between(organization_id, currencies, min(days), max(days))
    changed = [rate for rate in rates if stored.get(_key(rate)) != (rate["units_per_base"], rate["source"])]
    fresh = [rate for rate in changed if _key(rate) not in stored]
    other = [rate for rate in changed if _key(rate) in stored]
    if fresh:
        facts = {"organization_id": organization_id, "created_at": now}
        db.session.execute(sa.insert(ExchangeRate), [{**rate, **facts} for rate in fresh])
    if other:
        _replace(organization_id, other)
    return Written(changed, [(*_key(rate), stored[_key(rate)][0]) for rate in other])


def _key(rate: RateInput) -> tuple[date, str]:
    return rate["day"], rate["currency"]


def _replace(organization_id: str, rates: Sequence[RateInput]) -> None:
    db.session.connection().execute(
        sa.update(ExchangeRate)
        .where(
            ExchangeRate.organization_id == organization_id,
            ExchangeRate.day == sa.bindparam("of_day"),
            ExchangeRate.currency == sa.bindparam("of_currency"),
        )
        .values(units_per_base=sa.bindparam("units"), source=sa.bindparam("new_source")),
        [
            {
                "of_day": rate["day"],
                "of_currency": rate["currency"],
                "units": rate["units_per_base"],
                "new_source": rate["source"],
            }
            for rate in rates
        ],
    )
