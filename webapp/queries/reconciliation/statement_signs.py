"""Statements whose balance has the sign that the bank's own figure has not: a card's debt sent as money."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from webapp.ledger.money import Money
from webapp.models import FeedAccount, Reconciliation
from webapp.queries.accounts import provider_balances

UNLIKELY_SIGN: Final = "unlikely_sign"
# So close to the bank's figure, in parts of it, a balance with its opposite sign is that figure.
CLOSE: Final = 10


@dataclass(frozen=True, slots=True)
class StatementWarning:
    """What is odd about the figures of a statement; `message` says what to send instead."""

    code: str
    message: str


def warnings(account: FeedAccount, draft: Reconciliation) -> list[StatementWarning]:
    """Give a warning where the sign of a statement's balance is unlike that of the bank on its day.

    Of a card whose bank states nothing, money in credit is unlikely.
    """
    stated, day = draft.statement_balance, draft.statement_date
    found = provider_balances.on(account.organization_id, {account.id: account.currency}, day)[account.id]
    is_card = account.account.type == "LIABILITY"
    if not _is_unlikely(stated, found.amount, is_card=is_card):
        return []
    known = (
        f"The bank's balance on {day:%-d %b %Y} is {found.amount}, and this is" if found.amount else "This is"
    )
    owed = " What you owe is negative." if is_card else ""
    sentence = f"{known} {stated}.{owed} If its sign is wrong, send {-stated} as statementBalance."
    return [StatementWarning(UNLIKELY_SIGN, sentence)]


def _is_unlikely(stated: Money, known: Money | None, *, is_card: bool) -> bool:
    if not known:
        return is_card and stated.minor > 0
    if (stated.minor > 0) == (known.minor > 0) or not stated:
        return False
    return is_card or abs(stated.minor + known.minor) * CLOSE <= abs(known.minor)
