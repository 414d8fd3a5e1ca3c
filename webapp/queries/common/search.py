"""Searching lines by what a person types: a part of a text, or an amount."""

import re
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.functions import fold
from webapp.database.sessions import db
from webapp.ledger.currencies import DIGITS
from webapp.ledger.errors import LedgerError
from webapp.ledger.money import Money
from webapp.ledger.notation.amounts import readings
from webapp.models import JournalEntry, Posting, Transaction

# What SQLite's LIKE cannot compare without case. In lower case the dot of the Turkish "İ" is a character of its own.
_NOT_ASCII: Final = re.compile("i\u0307|[^\x00-\x7f]")
# The same typed amount is another number of minor units in currencies of other digits.
_BY_DIGITS = [
    sorted(code for code, digits in DIGITS.items() if digits == each) for each in sorted(set(DIGITS.values()))
]


def matches_text_or_amount(typed: str) -> sa.ColumnElement[bool]:
    """Build the condition that a line contains a text without case, or is of an amount of either sign."""
    texts = (Transaction.description, Transaction.counterparty, Transaction.reference, Transaction.iban)
    found = [contains(text, typed) for text in texts]
    return sa.or_(*found, *is_amount(typed, Transaction.currency, Transaction.amount_minor))


def entry_matches(organization_id: str, typed: str) -> sa.ColumnElement[bool]:
    """Build the condition that an entry's description contains a text without case, or that a leg is of an amount."""
    found = [contains(JournalEntry.description, typed)]
    amounts = is_amount(typed, Posting.currency, Posting.amount_minor)
    if amounts:
        of_leg = sa.select(Posting.journal_entry_id).where(
            Posting.organization_id == organization_id, sa.or_(*amounts)
        )
        found.append(JournalEntry.id.in_(of_leg))
    return sa.or_(*found)


def contains(text: Any, typed: str) -> sa.ColumnElement[bool]:
    """Build the condition that a text has what was typed somewhere in it, without case.

    SQLite finds ASCII by itself, and asks Python only of the texts that may have other letters: to ask of each text is
    most of the cost of a search. PostgreSQL takes half as long where it need not know other letters' cases.
    """
    pattern = like_pattern(typed)
    has_it: sa.ColumnElement[bool] = fold(text).like(pattern, escape="\\")
    plain = sa.func.lower(sa.collate(text, "C")) if db.engine.dialect.name == "postgresql" else text
    may_have_it: sa.ColumnElement[bool] = plain.like(_NOT_ASCII.sub("_", pattern), escape="\\")
    return may_have_it if pattern.isascii() else sa.and_(may_have_it, has_it)


def is_amount(typed: str, currency: Any, amount_minor: Any) -> list[sa.ColumnElement[bool]]:
    """Build the conditions that an amount of any currency is the typed one, of either sign; none for no amount."""
    found: list[sa.ColumnElement[bool]] = []
    for codes in _BY_DIGITS:
        minors = amounts_typed(typed, codes[0])
        if minors:
            found.append(sa.and_(amount_minor.in_(minors), currency.in_(codes)))
    return found


def sizes_typed(typed: str) -> list[int]:
    """Give the minor units without a sign of what may be an amount, in currencies of any digits.

    >>> sizes_typed("12.5"), sizes_typed("DB ICE")
    ([1250, 12500, 125000], [])
    """
    return sorted({abs(minor) for codes in _BY_DIGITS for minor in amounts_typed(typed, codes[0])})


def like_pattern(typed: str) -> str:
    r"""Make a LIKE pattern that finds a text anywhere, with its own wildcards escaped by a backslash.

    >>> like_pattern("50%_off")
    '%50\\%\\_off%'
    """
    escaped = typed.lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def amounts_typed(typed: str, currency: str) -> list[int]:
    """Give the minor units of what may be an amount in a currency, of either sign and in any notation.

    >>> amounts_typed("1,284.60", "EUR"), amounts_typed("\u2212 76,90", "EUR"), amounts_typed("DB ICE", "EUR")
    ([-128460, 128460], [-7690, 7690], [])
    >>> amounts_typed("1,284", "BHD")
    [-1284000, -1284, 1284, 1284000]
    """
    found: set[int] = set()
    for number in readings(typed):
        try:
            minor = Money.of(number, currency).minor
        except LedgerError:
            continue
        found |= {minor, -minor}
    return sorted(found)
