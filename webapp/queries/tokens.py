"""Questions about API tokens."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.errors import NotFoundError
from webapp.models import ApiToken, User


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """What may be shown of a token once it is made, and whose it is."""

    id: int
    name: str
    prefix: str
    scopes: list[str]
    user_name: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


def listed(organization_id: str, *, user_id: int | None) -> list[TokenRecord]:
    """List a person's tokens, newest first; those of everybody without a person."""
    rows = db.session.execute(
        sa.select(ApiToken, User.name)
        .join(User, User.id == ApiToken.user_id)
        .where(*_whose(organization_id, user_id))
        .order_by(ApiToken.id.desc())
    )
    return [_record(token, user_name) for token, user_name in rows]


def get(organization_id: str, token_id: int, *, user_id: int | None) -> ApiToken:
    """Find a token of a person's, or of anybody's without one; or raise NotFoundError."""
    token = db.session.scalar(
        sa.select(ApiToken).where(ApiToken.id == token_id, *_whose(organization_id, user_id))
    )
    if token is None:
        raise NotFoundError
    return token


def _whose(organization_id: str, user_id: int | None) -> list[sa.ColumnElement[bool]]:
    of_person = [] if user_id is None else [ApiToken.user_id == user_id]
    return [ApiToken.organization_id == organization_id, *of_person]


def _record(token: ApiToken, user_name: str) -> TokenRecord:
    return TokenRecord(
        id=token.id,
        name=token.name,
        prefix=token.prefix,
        scopes=token.scopes,
        user_name=user_name,
        created_at=token.created_at,
        expires_at=token.expires_at,
        last_used_at=token.last_used_at,
        revoked_at=token.revoked_at,
    )
