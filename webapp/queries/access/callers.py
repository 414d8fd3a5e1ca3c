"""Who asks: in which books, what they may do there, and what is left of a key's caps today."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Generic, TypeVar

from webapp.ledger.money import Money
from webapp.models import ApiToken
from webapp.queries.access import organizations, tokens
from webapp.queries.access.principals import Principal
from webapp.queries.audit import proposals
from webapp.queries.common.records import record_of

Total = TypeVar("Total", int, Money)


@dataclass(frozen=True, slots=True)
class CallerBooks:
    """The books that somebody acts in; `today` is the day in their time zone."""

    id: str
    name: str
    base_currency: str
    time_zone: str
    vat_ids: list[str]
    today: date
    lock_date: date | None


@dataclass(frozen=True, slots=True)
class DailyCap(Generic[Total]):
    """What a key may post in a day, has posted and has left; None for no cap."""

    most: Total | None
    posted: Total
    left: Total | None


@dataclass(frozen=True, slots=True)
class CallerCaps:
    """The caps of a key in a day, which begins anew at `resets_at`, and in a minute."""

    entries_a_day: DailyCap[int]
    amount_a_day: DailyCap[Money]
    requests_a_minute: int | None
    resets_at: datetime


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks; `caps` and `expires_at` are of a key, and `owner` is the person behind it."""

    kind: str
    id: int
    name: str
    owner: str
    role: str
    scopes: list[str]
    organization: CallerBooks
    waiting_proposals: int
    version: str
    expires_at: datetime | None = None
    caps: CallerCaps | None = None


def caller(principal: Principal, now: datetime, *, requests_a_minute: int, version: str) -> Caller:
    """Give who asks which version; `requests_a_minute` is the limit that holds for a key, 0 for none.

    The waiting proposals of a key are its own; those of a person wait for a decision.
    """
    role, scopes, owner = principal.role, sorted(principal.scopes), principal.user_name
    books = _books(principal.organization_id, now)
    if principal.token_id is None:
        waiting = principal.waiting
        return Caller("PERSON", principal.user_id, owner, owner, role, scopes, books, waiting, version)
    token = tokens.get(books.id, principal.token_id, user_id=principal.user_id)
    waiting = proposals.count_live_of_token(books.id, token.id, now)
    caps = _caps(token, books.today, requests_a_minute or None)
    return Caller(
        "TOKEN", token.id, token.name, owner, role, scopes, books, waiting, version, token.expires_at, caps
    )


def _books(organization_id: str, now: datetime) -> CallerBooks:
    found = organizations.get(organization_id)
    return record_of(
        CallerBooks,
        found,
        today=organizations.today(found.id, now),
    )


def _caps(token: ApiToken, today: date, requests_a_minute: int | None) -> CallerCaps:
    entries, amount = tokens.posted_on(token, today)
    most, most_amount = token.max_entries_a_day, tokens.most_amount_a_day(token)
    left = None if most is None else max(most - entries, 0)
    left_amount = (
        None if most_amount is None else Money(max(most_amount.minor - amount.minor, 0), amount.currency)
    )
    return CallerCaps(
        DailyCap(most, entries, left),
        DailyCap(most_amount, amount, left_amount),
        requests_a_minute,
        organizations.end_of_day(token.organization_id, today),
    )
