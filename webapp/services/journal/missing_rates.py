"""Drafts in a currency of which no rate is known for their day: they are not posted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from webapp.ledger.journal.entries import Leg
from webapp.ledger.rates import ExchangeRateMissingError
from webapp.models import JournalEntry, Transaction
from webapp.queries.common import lookups
from webapp.queries.currencies import exchange_rates


def refuse(draft: JournalEntry, legs: Sequence[Leg]) -> None:
    """Refuse a draft of which a leg has no mirror in the base currency."""
    missing = sorted({leg.currency for leg in legs if leg.amount_base_minor is None})
    if not missing:
        return
    days = _days(draft, legs, missing)
    missing = [code for code in missing if _has_no_rate(draft, code, days[code])] or missing
    first = missing[0]
    raise ExchangeRateMissingError(
        f"No {first} rate for {days[first]:%-d %b %Y}. Add one to confirm.",
        details={"missingRates": [{"day": days[code].isoformat(), "currency": code} for code in missing]},
    )


def _days(draft: JournalEntry, legs: Sequence[Leg], currencies: Iterable[str]) -> dict[str, date]:
    """Give the days whose rates mirror a draft: its line's booking day, wherever a lock moved it.

    Where two banks' lines share it, each currency is at its own line's day.
    """
    bank = [leg for leg in legs if leg.transaction_id is not None]
    lines = lookups.by_id(Transaction, draft.organization_id, [each.transaction_id for each in bank])
    booked = {each.currency: lines[each.transaction_id].booked_on for each in reversed(bank)}
    first = lines[bank[0].transaction_id].booked_on if bank else draft.effective_on
    return {code: booked.get(code, first) for code in currencies}


def _has_no_rate(draft: JournalEntry, currency: str, day: date) -> bool:
    return exchange_rates.rate_on(draft.organization_id, currency, draft.base_currency, day) is None
