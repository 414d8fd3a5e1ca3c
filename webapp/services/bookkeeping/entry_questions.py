"""Questions about an entry that somebody writes: whether its own rate, or a second one of a number, is meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from webapp.ledger.errors import LedgerError
from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.transfer_fits import MOST_PERCENT
from webapp.ledger.money import Money
from webapp.ledger.rates import implied_rate
from webapp.ledger.references import Kind, Ref
from webapp.ledger.texts.legible import cited
from webapp.models import Document, Organization
from webapp.queries.currencies import exchange_rates
from webapp.queries.documents import findings
from webapp.queries.items import items


class RateDiffersError(LedgerError):
    """A posting has a rate of its own far from that of its day; send `force` if it is right."""

    code = "rate_differs"


class NumberTwiceError(LedgerError):
    """The books have this number of this party with this amount already; send `force` if this is another one."""

    code = "already_there"
    untrusted = ("error",)


class NotAnInvoiceError(LedgerError):
    """This document is no invoice, but a request for payment, a pro-forma or a supplement; send `force` to book it."""

    code = "not_an_invoice"


def ask_about_document(document: Document, *, force: bool) -> None:
    """Refuse to book a document that is no invoice by the type that its file states, unless somebody insists."""
    if findings.is_no_invoice(document) and not force:
        raise NotAnInvoiceError(details={"documentId": Ref(Kind.DOCUMENT, document.id)})


def ask_about_rates(organization: Organization, legs: Sequence[Leg], day: date) -> None:
    """Refuse amounts in the base currency that are further from the day's rate than the two sides of a transfer."""
    base = organization.base_currency
    for leg in legs:
        if not leg.has_own_base:
            continue
        amount, own = Money(leg.amount_minor, leg.currency), leg.amount_base_minor or 0
        worth = exchange_rates.worth_on(organization.id, amount, base, day)
        if worth is None or abs(own - worth) * 100 <= max(abs(own), abs(worth)) * MOST_PERCENT:
            continue
        rates = (
            implied_rate(amount, Money(own, base)),
            exchange_rates.rate_on(organization.id, leg.currency, base, day),
        )
        written, of_day = (f"{each:f}" for each in rates if each is not None)
        raise RateDiffersError(
            f"{amount.formatted} as {Money(own, base).formatted} is at {written} instead of {of_day}, the rate of "
            f"{day:%-d %b %Y}. Send force if it is right.",
            details={
                "own": written,
                "ofDay": of_day,
                "currency": leg.currency,
                "expected": str(Money(worth, base)),
            },
        )


def ask_about_numbers(organization_id: str, legs: Iterable[Leg]) -> None:
    """Refuse a second item of one party, number and amount, unless the first one was voided."""
    for leg in legs:
        other = items.same_number(organization_id, leg) if leg.reference and leg.amount_minor else None
        if other is not None:
            raise NumberTwiceError(
                f"{cited(leg.reference or '')} over {Money(leg.amount_minor, leg.currency).formatted} is in the"
                " books of this party "
                f"already: entry {other.journal_entry_id}. Look at it, or send force if this is another one.",
                details={"journalEntryId": Ref.optional(Kind.JOURNAL_ENTRY, other.journal_entry_id)},
            )
