"""API tokens: shown once, stored as a hash, never stronger than their owner."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.errors import NotFoundError, UnprocessableError
from webapp.ledger.scopes import token_scopes, token_text
from webapp.models import ApiToken, Membership
from webapp.queries.principals import digest_of
from webapp.services.action_requests import act
from webapp.services.actors import Actor

PREFIX_LENGTH = 12


class ExpiryError(UnprocessableError):
    """A key that has expired already is of no use; choose a later day, or none."""

    code = "expiry"


def create(
    membership: Membership,
    *,
    actor: Actor,
    now: datetime,
    name: str,
    scopes: Sequence[str] = (),
    expires_at: datetime | None = None,
) -> tuple[ApiToken, str]:
    """Make a token for a member, with all that its owner may unless scopes are chosen; answer with its text, once."""
    if expires_at is not None and expires_at <= now:
        raise ExpiryError(fields={"expiresOn": ["This day is over; choose a later one, or none."]})
    chosen = token_scopes(membership.role, scopes or None)
    text = token_text(secrets.token_bytes(32))
    with act(actor, now, "create_token", ("token", name), title=f"Made the API key {name}") as doing:
        token = ApiToken(
            organization_id=membership.organization_id,
            user_id=membership.user_id,
            name=name,
            prefix=text[:PREFIX_LENGTH],
            token_hash=digest_of(text),
            scopes=list(chosen),
            created_at=now,
            expires_at=expires_at,
        )
        db.session.add(token)
        db.session.flush()
        doing.target_id = str(token.id)
        doing.after = {"name": name, "scopes": token.scopes, "prefix": token.prefix}
    return token, text


def revoke(organization_id: str, token_id: int, *, actor: Actor, now: datetime) -> ApiToken:
    """End a token at once."""
    token = db.session.scalar(
        sa.select(ApiToken).where(ApiToken.organization_id == organization_id, ApiToken.id == token_id)
    )
    if token is None:
        raise NotFoundError
    with act(
        actor, now, "revoke_token", ("token", token.id), title=f"Revoked the API key {token.name}"
    ) as doing:
        if token.revoked_at is not None:
            doing.nothing_to_do()
            return token
        token.revoked_at = now
    return token
