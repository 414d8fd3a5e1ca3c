"""Exchange rates written in bulk, in place of those of the same day and currency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.models import ExchangeRate
from webapp.queries.currencies import exchange_rates

Said = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Written:
    """The rates that say something new, and what those that they replace said: day, currency, units per base."""

    changed: list[Said]
    replaced: list[tuple[date, str, Decimal]]


def write(organization_id: str, rates: Sequence[Said], *, now: datetime) -> Written:
    """Write rates down; each has `day currency units_per_base source`, and no two the same day and currency."""
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


def _key(rate: Said) -> tuple[date, str]:
    return rate["day"], rate["currency"]


def _replace(organization_id: str, rates: Sequence[Said]) -> None:
    db.session.connection().execute(
        sa.update(ExchangeRate)
        .where(
            ExchangeRate.organization_id == organization_id,
            ExchangeRate.day == sa.bindparam("of_day"),
            ExchangeRate.currency == sa.bindparam("of_currency"),
        )
        .values(units_per_base=sa.bindparam("units"), source=sa.bindparam("said_by")),
        [
            {
                "of_day": rate["day"],
                "of_currency": rate["currency"],
                "units": rate["units_per_base"],
                "said_by": rate["source"],
            }
            for rate in rates
        ],
    )
