"""Searching lines by what a person types: a part of a text, or an amount."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

import sqlalchemy as sa

from webapp.ledger.currencies import DIGITS
from webapp.ledger.errors import LedgerError
from webapp.ledger.money import Money
from webapp.models import JournalEntry, Posting, Transaction
from webapp.sql_functions import fold

# The same typed amount is another number of minor units in currencies of other digits.
_BY_DIGITS = [
    sorted(code for code, digits in DIGITS.items() if digits == each) for each in sorted(set(DIGITS.values()))
]


def matches_text_or_amount(typed: str) -> sa.ColumnElement[bool]:
    """Build the condition that a line contains a text without case, or is of an amount of either sign."""
    pattern = like_pattern(typed)
    texts = (Transaction.description, Transaction.counterparty, Transaction.reference, Transaction.iban)
    found: list[sa.ColumnElement[bool]] = [fold(text).like(pattern, escape="\\") for text in texts]
    is_amount = _is_amount(typed, Transaction.currency, Transaction.amount_minor)
    return sa.or_(*found, *is_amount)


def entry_matches(organization_id: str, typed: str) -> sa.ColumnElement[bool]:
    """Build the condition that an entry's description contains a text without case, or that a leg is of an amount."""
    found: list[sa.ColumnElement[bool]] = [
        fold(JournalEntry.description).like(like_pattern(typed), escape="\\")
    ]
    is_amount = _is_amount(typed, Posting.currency, Posting.amount_minor)
    if is_amount:
        of_leg = sa.select(Posting.journal_entry_id).where(
            Posting.organization_id == organization_id, sa.or_(*is_amount)
        )
        found.append(JournalEntry.id.in_(of_leg))
    return sa.or_(*found)


def _is_amount(typed: str, currency: Any, amount_minor: Any) -> list[sa.ColumnElement[bool]]:
    """Build the conditions that an amount of any currency is the typed one, of either sign."""
    number = amount_typed(typed)
    found: list[sa.ColumnElement[bool]] = []
    if number is None:
        return found
    for codes in _BY_DIGITS:
        try:
            minor = Money.of(number, codes[0]).minor
        except LedgerError:
            continue
        found.append(sa.and_(amount_minor.in_((minor, -minor)), currency.in_(codes)))
    return found


def like_pattern(typed: str) -> str:
    r"""Make a LIKE pattern that finds a text anywhere, with its own wildcards escaped by a backslash.

    >>> like_pattern("50%_off")
    '%50\\%\\_off%'
    """
    escaped = typed.lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def amount_typed(typed: str) -> Decimal | None:
    """Read what may be an amount, with the thousands marks and the minus of our own pages.

    >>> amount_typed("1,284.60"), amount_typed("\u2212 76.90"), amount_typed("DB ICE") is None
    (Decimal('1284.60'), Decimal('76.90'), True)
    """
    text = typed.strip().lstrip("+-\u2212 ").replace(",", "").replace("\u202f", "").replace(" ", "")
    if not text or not set(text) <= set("0123456789."):
        return None
    try:
        return Decimal(text)
    except InvalidOperation:
        return None
