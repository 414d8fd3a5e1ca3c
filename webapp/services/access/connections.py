"""Connections: clients that a person lets into the books by OAuth 2.1, and their codes and tokens.

A connection is a row of the token table. Its client gets a code with the person who consented, changes it for an access
token and a refresh token, and later the refresh token for the next two. Codes and refresh tokens are used once: whoever
comes with a used one has copied it, and the connection ends.
"""

import base64
import hashlib
import re
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.scopes import organization_of, token_text
from webapp.models import ApiToken, ConnectionSecret, Membership
from webapp.queries.access.clients import Client
from webapp.queries.access.principals import digest_of
from webapp.queries.common import lookups
from webapp.services.access import tokens
from webapp.services.access.tokens import Caps
from webapp.services.audit.act import Actor

CODE, ACCESS, REFRESH = "CODE", "ACCESS", "REFRESH"
CODE_LIFETIME: Final = timedelta(seconds=60)
ACCESS_LIFETIME: Final = timedelta(minutes=60)
# A client that nobody used for so long has to be connected anew.
REFRESH_LIFETIME: Final = timedelta(days=180)
KEPT_FOR: Final = timedelta(days=30)
VERIFIER: Final = re.compile(r"[A-Za-z0-9._~-]{43,128}")


class ReadMissingError(UnprocessableError):
    """A client that may not read gets no answer; let it read, or do not connect it."""

    code = "read_missing"


class GrantError(LedgerError):
    """This code or token does not count, is over, or belongs to another client; connect again."""

    status = 400
    code = "invalid_grant"


class WiderScopeError(LedgerError):
    """The connection has no such scope; a person can give it in the settings."""

    status = 400
    code = "invalid_scope"


class AudienceError(LedgerError):
    """Tokens of this server are for its own address of the protocol only."""

    status = 400
    code = "invalid_target"


class Consented(NamedTuple):
    """What a client asked for, and a code has to be redeemed with."""

    client: Client
    redirect: str
    challenge: str
    resource: str


class Issued(NamedTuple):
    """New tokens: their texts, which are told once, how long the first is good, and for which scopes."""

    access: str
    refresh: str
    seconds: int
    scopes: tuple[str, ...]


def connect(
    membership: Membership,
    asked: Consented,
    *,
    scopes: Sequence[str],
    expires_at: datetime | None,
    caps: Caps,
    name: str,
    actor: Actor,
    now: datetime,
) -> str:
    """Let a client into a member's books, and answer with the code for its first tokens."""
    if "read" not in scopes:
        raise ReadMissingError(fields={"scopes": [str(ReadMissingError.__doc__)]})
    token, _ = tokens.create(
        membership,
        actor=actor,
        now=now,
        name=name,
        scopes=scopes,
        expires_at=expires_at,
        caps=caps,
        client_id=asked.client.id,
    )
    return _issue(
        token, CODE, asked.resource, token.scopes, now, redirect=asked.redirect, challenge=asked.challenge
    )


def redeem(
    secret: str, *, client_id: str, resource: str, verifier: str, redirect: str | None, now: datetime
) -> Issued:
    """Change a code for tokens; raises GrantError or AudienceError, after which the code is used."""
    code, token = _use(secret, CODE, client_id, resource, now)
    is_same = redirect in {None, code.redirect}
    if not is_same or not VERIFIER.fullmatch(verifier) or challenge_of(verifier) != code.challenge:
        raise GrantError
    return _tokens(token, code, token.scopes, now)


def refresh(
    secret: str, *, client_id: str, scopes: Sequence[str] | None, resource: str, now: datetime
) -> Issued:
    """Change a refresh token for the next tokens, with fewer scopes if these are named.

    Raises GrantError, AudienceError or WiderScopeError.
    """
    used, token = _use(secret, REFRESH, client_id, resource, now)
    if scopes is not None and not set(scopes) <= set(token.scopes):
        raise WiderScopeError
    return _tokens(token, used, token.scopes if scopes is None else scopes, now)


def give_back(secret: str, *, client_id: str | None, now: datetime) -> None:
    """End a token that its client needs no more; with a refresh token the connection ends."""
    found = _find(secret)
    if found is None:
        return
    row, token = found
    if client_id not in {None, token.client_id}:
        raise GrantError
    if row.kind == ACCESS:
        db.session.delete(row)
        db.session.flush()
        return
    actor = Actor(token.organization_id, "TOKEN", token.id, token.name, token.user_id)
    tokens.revoke(token, actor=actor, now=now)


def challenge_of(verifier: str) -> str:
    """Hash a verifier as its client does beforehand (RFC 7636, S256; the example of its appendix B).

    >>> challenge_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
    """
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _use(
    secret: str, kind: str, client_id: str, resource: str, now: datetime
) -> tuple[ConnectionSecret, ApiToken]:
    """Use a code or a refresh token, once; one that was used already ends its connection."""
    found = _find(secret)
    if found is None or found[0].kind != kind or found[1].client_id != client_id:
        raise GrantError
    row, token = found
    if token.revoked_at is not None or (token.expires_at is not None and token.expires_at <= now):
        raise GrantError
    claimed = db.session.execute(
        sa.update(ConnectionSecret)
        .where(
            ConnectionSecret.organization_id == row.organization_id,
            ConnectionSecret.secret_hash == row.secret_hash,
            ConnectionSecret.used_at.is_(None),
        )
        .values(used_at=now)
    )
    if claimed.rowcount != 1:  # type: ignore[attr-defined]
        actor = Actor(token.organization_id, "SYSTEM", None, "Tieout")
        tokens.revoke(token, actor=actor, now=now)
        raise GrantError
    if row.expires_at <= now:
        raise GrantError
    if row.resource != resource:
        raise AudienceError
    return row, token


def _find(secret: str) -> tuple[ConnectionSecret, ApiToken] | None:
    key = {"organization_id": organization_of(secret), "secret_hash": digest_of(secret)}
    row = db.session.get(ConnectionSecret, key)
    return None if row is None else (row, lookups.get(ApiToken, row.organization_id, row.token_id))


def _tokens(token: ApiToken, before: ConnectionSecret, scopes: Sequence[str], now: datetime) -> Issued:
    _forget(token, now)
    access = _issue(token, ACCESS, before.resource, scopes, now)
    renewal = _issue(token, REFRESH, before.resource, token.scopes, now)
    return Issued(access, renewal, int(ACCESS_LIFETIME.total_seconds()), tuple(scopes))


def _forget(token: ApiToken, now: datetime) -> None:
    """Delete the secrets of a connection that are long over."""
    its = ConnectionSecret.organization_id == token.organization_id, ConnectionSecret.token_id == token.id
    over = sa.or_(ConnectionSecret.expires_at < now - KEPT_FOR, ConnectionSecret.used_at < now - KEPT_FOR)
    gone = sa.delete(ConnectionSecret).where(*its, over)
    db.session.execute(gone, execution_options={"synchronize_session": False})


LIFETIMES: Final = {CODE: CODE_LIFETIME, ACCESS: ACCESS_LIFETIME, REFRESH: REFRESH_LIFETIME}


def _issue(
    token: ApiToken, kind: str, resource: str, scopes: Sequence[str], now: datetime, **bound: Any
) -> str:
    secret = token_text(secrets.token_bytes(32), token.organization_id)
    db.session.add(
        ConnectionSecret(
            organization_id=token.organization_id,
            secret_hash=digest_of(secret),
            token_id=token.id,
            kind=kind,
            resource=resource,
            scopes=list(scopes),
            created_at=now,
            expires_at=now + LIFETIMES[kind],
            **bound,
        )
    )
    db.session.flush()
    return secret
