"""API tokens: shown once, stored as a hash, never stronger than their owner."""

import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.canonical import instant_text
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.money import money_at
from webapp.ledger.scopes import APPROVE, token_scopes, token_text
from webapp.models import ApiToken, Membership
from webapp.queries.access import organizations, tokens
from webapp.queries.access.principals import digest_of
from webapp.services.audit import proposals
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act

PREFIX_LENGTH = 12
APPROVES_FOR = timedelta(days=90)


class ExpiryError(UnprocessableError):
    """A key that has expired already is of no use; choose a later day, or none."""

    code = "expiry"


class ApprovingOffError(UnprocessableError):
    """No key may approve in these books; an owner can allow it in the settings of the organization."""

    code = "approving_off"


class NegativeCapError(UnprocessableError):
    """A cap is 0 or more."""

    code = "negative_cap"


class RevokedError(LedgerError):
    """This key is revoked for good; create another one."""

    code = "revoked"


class Caps(NamedTuple):
    """How much a token may do: entries and base currency that it posts in a day, requests in a minute; None: no cap."""

    max_entries_a_day: int | None = None
    max_amount_a_day_minor: int | None = None
    max_requests_a_minute: int | None = None


def caps(
    organization_id: str,
    *,
    max_entries_a_day: int | None = None,
    max_amount_a_day: Decimal | None = None,
    max_requests_a_minute: int | None = None,
) -> Caps:
    """Read caps, the amount in the base currency; or raise the error of the amount at its path."""
    if max_amount_a_day is None:
        return Caps(max_entries_a_day, None, max_requests_a_minute)
    path = "maxAmountADay"
    amount = money_at(max_amount_a_day, organizations.get(organization_id).base_currency, path)
    if amount.minor < 0:
        raise NegativeCapError(fields={path: [str(NegativeCapError())]})
    return Caps(max_entries_a_day, amount.minor, max_requests_a_minute)


def create(
    membership: Membership,
    *,
    actor: Actor,
    now: datetime,
    name: str,
    scopes: Sequence[str] = (),
    expires_at: datetime | None = None,
    caps: Caps = Caps(),  # noqa: B008  (it cannot change)
    client_id: str | None = None,
) -> tuple[ApiToken, str]:
    """Make a token for a member, with all that its owner may unless scopes are chosen; answer with its text, once.

    That of a connection, which has a `client_id`, opens nothing that anybody is told.
    """
    chosen = token_scopes(membership.role, scopes or None)
    expires_at = _end_of(membership.organization_id, chosen, expires_at, now, begins_at=now)
    text = token_text(secrets.token_bytes(32), membership.organization_id)
    title = f"Connected {name}" if client_id else f"Created the API key {name}"
    with act(actor, now, "create_token", ("token", name), title=title) as doing:
        token = ApiToken(
            organization_id=membership.organization_id,
            user_id=membership.user_id,
            name=name,
            prefix="" if client_id else text[:PREFIX_LENGTH],
            token_hash=digest_of(text),
            scopes=list(chosen),
            created_at=now,
            expires_at=expires_at,
            client_id=client_id,
            **caps._asdict(),
        )
        db.session.add(token)
        db.session.flush()
        doing.target_id = str(token.id)
        doing.after = facts(token) | {"prefix": token.prefix}
    return token, text


def change(
    token: ApiToken,
    *,
    actor: Actor,
    now: datetime,
    name: str,
    scopes: Sequence[str],
    expires_at: datetime | None,
    caps: Caps,
) -> ApiToken:
    """Change what a token may do from now on, at most what its owner may."""
    title = f"Changed the {'connection' if token.client_id else 'API key'} {name}"
    with act(actor, now, "change_token", ("token", token.id), title=title) as doing:
        if token.revoked_at is not None:
            raise RevokedError
        role = organizations.membership(token.organization_id, token.user_id).role
        chosen = token_scopes(role, scopes)
        if expires_at != token.expires_at or APPROVE in chosen:
            expires_at = _end_of(token.organization_id, chosen, expires_at, now, begins_at=token.created_at)
        doing.before = facts(token)
        token.name, token.scopes, token.expires_at = name, list(chosen), expires_at
        for column, most in caps._asdict().items():
            setattr(token, column, most)
        doing.after = facts(token)
        if doing.after == doing.before:
            doing.nothing_to_do()
    return token


def revoke(token: ApiToken, *, actor: Actor, now: datetime) -> ApiToken:
    """End a token at once."""
    title = f"Disconnected {token.name}" if token.client_id else f"Revoked the API key {token.name}"
    with act(actor, now, "revoke_token", ("token", token.id), title=title) as doing:
        if token.revoked_at is not None:
            doing.nothing_to_do()
            return token
        token.revoked_at = now
        proposals.end_of_token(token, now=now)
    return token


def revoke_all(actor_of: Callable[[str], Actor], now: datetime) -> None:
    """End all tokens of an installation, each by an act in its books."""
    for token in db.session.scalars(sa.select(ApiToken).where(ApiToken.revoked_at.is_(None))).all():
        revoke(token, actor=actor_of(token.organization_id), now=now)


def facts(token: ApiToken) -> dict[str, object]:
    """Give what a token may do as JSON, for the audit trail."""
    most_a_day = tokens.most_amount_a_day(token)
    return {
        "name": token.name,
        "scopes": token.scopes,
        "expiresAt": token.expires_at and instant_text(token.expires_at),
        "maxEntriesADay": token.max_entries_a_day,
        "maxAmountADay": None if most_a_day is None else str(most_a_day),
        "maxRequestsAMinute": token.max_requests_a_minute,
        **({"clientId": token.client_id} if token.client_id else {}),
    }


def _end_of(
    organization_id: str,
    scopes: Sequence[str],
    expires_at: datetime | None,
    now: datetime,
    *,
    begins_at: datetime,
) -> datetime | None:
    """Give the end of a key with some scopes; of one that approves, 90 days where none was chosen.

    Raises ExpiryError or ApprovingOffError.
    """
    if expires_at is not None and expires_at <= now:
        raise ExpiryError(fields={"expiresOn": ["This day is over; choose a later one, or none."]})
    if APPROVE not in scopes:
        return expires_at
    if not organizations.get(organization_id).has_approving_keys:
        raise ApprovingOffError(fields={"scopes": [str(ApprovingOffError.__doc__)]})
    last = organizations.today(organization_id, begins_at) + APPROVES_FOR
    latest = organizations.end_of_day(organization_id, last)
    if expires_at is not None and expires_at > latest:
        raise ExpiryError(fields={"expiresOn": [f"A key that approves ends on {last} at the latest."]})
    return expires_at or latest
