"""The legs of an entry as an act stored them, to be compared with the present ones or put in their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from webapp.ledger.journal.entries import Leg
from webapp.ledger.money import Money
from webapp.models import Transaction
from webapp.queries.accounts import accounts
from webapp.services.undo.reasons import ChangedSinceError, stay

# What two legs share that count as one: account, currency, project and merchant.
Key = tuple[int, str, int | None, int | None]


def read(facts: Mapping[str, Any]) -> list[Leg]:
    """Read legs as an act stored them."""
    return [
        Leg(
            each["accountId"],
            Money.of(Decimal(each["amount"]), each["currency"]).minor,
            each["currency"],
            project_id=each["projectId"],
            merchant_id=each["orgMerchantId"],
        )
        for each in facts["postings"]
    ]


def sums(legs: Sequence[Leg]) -> Counter[Key]:
    """Add up legs that differ in nothing but their amount; those that come to nothing are left out."""
    found: Counter[Key] = Counter()
    for leg in legs:
        found[leg.account_id, leg.currency, leg.project_id, leg.merchant_id] += leg.amount_minor
    return Counter({key: amount for key, amount in found.items() if amount})


def counters(line: Transaction, facts: Mapping[str, Any]) -> list[Leg]:
    """Give the counter legs of a line as an act stored them: all but its bank leg.

    Raises ChangedSinceError where the bank leg is another by now, StaysError where the entry was of two lines.
    """
    legs = read(facts)
    bank = next(
        (
            leg
            for leg in legs
            if (leg.account_id, leg.amount_minor) == (line.feed_account.account_id, line.amount_minor)
        ),
        None,
    )
    if bank is None:
        raise ChangedSinceError("The bank changed the line since, so it is left as it is.")
    legs.remove(bank)
    if any(accounts.feed_of(line.organization_id, leg.account_id) is not None for leg in legs):
        stay("It was one transfer with another line; pair them again.")
    return [replace(leg, amount_base_minor=None) for leg in legs]
