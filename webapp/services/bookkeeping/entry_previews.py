"""Previews of entries: sums, mirrors and errors of an entry as if it were written now; nothing is written."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from webapp.ledger.chart import Role
from webapp.ledger.journal.entries import (
    Leg,
    MovesNothingError,
    TooFewPostingsError,
    UnbalancedError,
    check_moves,
)
from webapp.ledger.journal.mirrors import mirror_each, missing_currencies
from webapp.ledger.money import Money
from webapp.ledger.rates import unmirror
from webapp.models import Organization
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.services.journal import line_drafts


@dataclass(frozen=True, slots=True)
class Sides:
    """Debits and credits in one currency."""

    currency: str
    debit: Money
    credit: Money

    @property
    def ties(self) -> bool:
        """Return whether both sides are equal, and not zero."""
        return bool(self.debit) and self.debit == self.credit


@dataclass(frozen=True, slots=True)
class EntryPreview:
    """The preview of an entry: `base` is None where a rate is missing, `rest` what mirroring leaves over."""

    sides: list[Sides]
    base: Sides | None
    sentence: str
    is_written: bool
    ties: bool
    rest: Money | None
    rest_account: str | None
    open_day: date | None


def preview(
    organization: Organization, legs: Sequence[Leg], day: date, document_id: int | None = None
) -> EntryPreview:
    """Mirror legs exactly as writing them would, with a sentence on whether they balance."""
    base = organization.base_currency
    rates = line_drafts.rates_of(organization, legs, day)
    missing = missing_currencies(legs, base, rates)
    first_open = organizations.first_open_day(organization.id, day)
    sentence, mirrored, ties = _mirrored(organization, legs, day, missing, document_id)
    rest = mirrored[len(legs)] if len(mirrored) > len(legs) else None
    if rest is not None:
        role = Role.ROUNDING
        is_rounding = rest.account_id == accounts.by_role(organization.id, role).id
        name = accounts.by_role(organization.id, role if is_rounding else Role.REALISED_EXCHANGE).name
    each = mirrored or ([] if missing else mirror_each(legs, base, rates))
    return EntryPreview(
        sides=[_sides(code, legs) for code in dict.fromkeys(leg.currency for leg in legs)],
        base=None
        if missing
        else _sides(
            base, [replace(leg, amount_minor=leg.amount_base_minor or 0, currency=base) for leg in each]
        ),
        sentence=sentence,
        is_written=bool(legs),
        ties=ties,
        rest=Money(rest.amount_minor, rest.currency) if rest else None,
        rest_account=name if rest else None,
        open_day=first_open if first_open != day else None,
    )


def rest(organization: Organization, legs: Sequence[Leg], currency: str, day: date) -> Money | None:
    """Give the amount in a currency that would let legs balance; None where a rate is missing.

    Legs in that one currency need no rate; others are measured in the base currency.
    """
    if all(leg.currency == currency for leg in legs):
        return Money(-sum(leg.amount_minor for leg in legs), currency)
    base = organization.base_currency
    rates = line_drafts.rates_of(organization, [*legs, Leg(0, 0, currency)], day)
    if missing_currencies([*legs, Leg(0, 0, currency)], base, rates):
        return None
    open_minor = -sum(leg.amount_base_minor or 0 for leg in mirror_each(legs, base, rates))
    if currency == base:
        return Money(open_minor, base)
    return Money(unmirror(open_minor, base, currency, Decimal(rates[currency])), currency)


def _mirrored(
    organization: Organization,
    legs: Sequence[Leg],
    day: date,
    missing: Sequence[str],
    document_id: int | None,
) -> tuple[str, tuple[Leg, ...], bool]:
    """Give a sentence, the legs as they would be written (none where they cannot be), and whether they tie."""
    if not legs:
        return "Nothing is written yet.", (), False
    try:
        mirrored = line_drafts.mirror_legs(organization, legs, day, document_id=document_id, is_written=True)
        check_moves(mirrored, of_document=document_id is not None)
    except TooFewPostingsError as error:
        alone = Money(legs[0].amount_minor, legs[0].currency)
        return str(UnbalancedError(alone) if alone else error), (), False
    except (UnbalancedError, MovesNothingError) as error:
        return str(error), (), False
    if missing:
        return f"No {missing[0]} rate for {day:%-d %b %Y}. Add one to post.", (), False
    return "Debits equal credits.", mirrored, True


def _sides(currency: str, legs: Sequence[Leg]) -> Sides:
    amounts = [leg.amount_minor for leg in legs if leg.currency == currency]
    return Sides(
        currency,
        Money(sum(amount for amount in amounts if amount > 0), currency),
        Money(-sum(amount for amount in amounts if amount < 0), currency),
    )
