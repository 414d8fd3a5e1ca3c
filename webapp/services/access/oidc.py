"""Signing in with another server (OpenID Connect): it says who somebody is, and only `(iss, sub)` counts.

An address or a name that it knows means nothing here: a person links its answer after signing in, or accepts an
invitation with it.
"""

import base64
import hashlib
import json
import secrets
from datetime import datetime
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

import sqlalchemy as sa

from webapp.database.sessions import begin_read, begin_write, db
from webapp.ledger.errors import LedgerError, NotFoundError
from webapp.models import Identity, User
from webapp.queries.access import invitations
from webapp.services.access import own_sign_in, second_factors, sessions
from webapp.services.access.invitations import accept
from webapp.services.access.sessions import SignedIn
from webapp.services.access.visitors import Visitor
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.operating.outbound import Gate

OIDC: Final = "OIDC"
ALGORITHMS: Final = ("RS256", "ES256")
MOST_BYTES: Final = 256 * 1024
SECONDS: Final = 10
LEEWAY_SECONDS: Final = 60
LONGEST_SUBJECT: Final = 255


class OidcRefusedError(LedgerError):
    """The other server did not sign you in as it should. Try again, or sign in here."""

    status = 401
    code = "oidc_refused"


class UnknownIdentityError(LedgerError):
    """Nobody here is linked with this account. Sign in here first, then link it under Your sign-in."""

    status = 401
    code = "unknown_identity"


class IdentityTakenError(LedgerError):
    """This account is linked with another person here."""

    code = "identity_taken"


class Provider(NamedTuple):
    """The server that people sign in with, what this server is to it, and where it sends them back."""

    issuer: str
    client_id: str
    client_secret: str
    back: str
    gate: Gate


def of_person(user_id: int) -> list[Identity]:
    """List the accounts elsewhere that a person signs in with."""
    own = sa.select(Identity).where(Identity.user_id == user_id)
    return list(db.session.scalars(own.order_by(Identity.created_at)))


def begin(provider: Provider, now: datetime, **facts: str) -> tuple[str, str]:
    """Begin a sign-in; answers the address to send the browser to, and the secret that it keeps until it is back.

    `facts` are given back then.
    """
    place = _discovered(provider)["authorization_endpoint"]
    begin_write()
    return _asking(provider, place, now, None, facts)


def link(
    provider: Provider,
    email: str,
    current: str,
    *,
    is_strong: bool,
    visitor: Visitor,
    actor: Actor,
    now: datetime,
) -> tuple[str, str]:
    """Begin to link an account with a person, after the present password was tried."""
    place = _discovered(provider)["authorization_endpoint"]
    user_id = own_sign_in.check_current(email, current, visitor, actor, now)
    second_factors.demand_strong(user_id, is_strong=is_strong)
    return _asking(provider, place, now, user_id, {"organization": actor.organization_id})


def _asking(
    provider: Provider, place: str, now: datetime, user_id: int | None, facts: dict[str, str]
) -> tuple[str, str]:
    verifier, nonce = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
    state = second_factors.begin(OIDC, now, user_id=user_id, verifier=verifier, nonce=nonce, **facts)
    digest = hashlib.sha256(verifier.encode()).digest()
    asked = {
        "response_type": "code",
        "scope": "openid",
        "client_id": provider.client_id,
        "redirect_uri": provider.back,
        "state": state,
        "nonce": nonce,
        "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        "code_challenge_method": "S256",
    }
    return f"{place}{'&' if urlsplit(place).query else '?'}{urlencode(asked)}", state


def unlink(issuer: str, subject: str, *, actor: Actor, now: datetime) -> None:
    """Let a person sign in with an account no more, or raise NotFoundError."""
    found = db.session.get(Identity, (issuer, subject))
    if found is None or found.user_id != actor.user_id:
        raise NotFoundError
    title = f"Unlinked {actor.name} from {urlsplit(issuer).hostname}"
    with act(actor, now, "unlink_identity", ("user", found.user_id), title=title):
        db.session.delete(found)
        db.session.flush()


def sign_in(
    provider: Provider, code: str, state: str, iss: str | None, *, visitor: Visitor, now: datetime
) -> tuple[SignedIn | str | None, dict[str, str]]:
    """Take what the other server sent back, and open a session; answers it with the facts of the beginning.

    Where an account was to be linked, that is done, and there is no new session. Raises OidcRefusedError,
    UnknownIdentityError, IdentityTakenError, StepOverError or LinkEndedError.
    """
    begin_read()
    step = second_factors.of_step(state, OIDC, now)
    facts, user_id = dict(step.facts), step.user_id
    db.session.rollback()
    if iss not in {None, provider.issuer}:
        raise OidcRefusedError
    subject = _subject(provider, code, facts, now)
    begin_write(facts.get("organization"))
    # Of those who come with one answer, the first goes on.
    second_factors.end(state, OIDC, now)
    if user_id is not None:
        _link(provider, subject, user_id, facts["organization"], now)
        return None, facts
    found = db.session.get(Identity, (provider.issuer, subject))
    organization_id = None
    if facts.get("invitation"):
        organization_id = _accepted(provider, subject, found, facts["invitation"], now)
        found = db.session.get(Identity, (provider.issuer, subject))
    if found is None or not db.session.get_one(User, found.user_id).is_active:
        raise UnknownIdentityError
    found.last_used_at = now
    return sessions.let_in(found.user_id, visitor=visitor, now=now, organization_id=organization_id), facts


def _link(provider: Provider, subject: str, user_id: int, organization_id: str, now: datetime) -> None:
    """Link an account with a person; raises IdentityTakenError."""
    found = db.session.get(Identity, (provider.issuer, subject))
    if found is not None:
        if found.user_id != user_id:
            raise IdentityTakenError
        return
    user = db.session.get_one(User, user_id)
    actor = Actor(organization_id, "PERSON", user_id, user.name, user_id)
    title = f"Linked {user.name} with {urlsplit(provider.issuer).hostname}"
    with act(actor, now, "link_identity", ("user", user_id), title=title):
        _keep(provider, subject, user_id, now)


def _accepted(provider: Provider, subject: str, found: Identity | None, secret: str, now: datetime) -> str:
    """Accept an invitation as the person of an account, who is new here unless it is linked already."""
    invitations.of_link(secret, now)
    membership = accept(secret, user_id=found.user_id if found else None, has_identity=True, now=now)
    if found is None:
        _keep(provider, subject, membership.user_id, now)
    return membership.organization_id


def _keep(provider: Provider, subject: str, user_id: int, now: datetime) -> None:
    db.session.add(Identity(issuer=provider.issuer, subject=subject, user_id=user_id, created_at=now))
    db.session.flush()


def _subject(provider: Provider, code: str, facts: dict[str, str], now: datetime) -> str:
    """Change the code for a signed answer, and read who it is about; raises OidcRefusedError."""
    places = _discovered(provider)
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": provider.back,
        "client_id": provider.client_id,
        "code_verifier": facts["verifier"],
    }
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
    if "client_secret_post" in places.get("token_endpoint_auth_methods_supported", ()):
        form["client_secret"] = provider.client_secret
    elif provider.client_secret:
        pair = f"{quote(provider.client_id, safe='')}:{quote(provider.client_secret, safe='')}"
        headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    answer = _asked(provider, "POST", places["token_endpoint"], headers, urlencode(form).encode())
    keys = _asked(provider, "GET", places["jwks_uri"])
    return _verified(provider, str(answer.get("id_token", "")), keys, facts["nonce"], now)


def _verified(provider: Provider, token: str, keys: dict[str, Any], nonce: str, now: datetime) -> str:
    """Check who signed an answer, for whom, when and for which question; gives its subject."""
    from joserfc import jwt  # noqa: PLC0415  (few processes meet another server)
    from joserfc.errors import JoseError  # noqa: PLC0415
    from joserfc.jwk import KeySet  # noqa: PLC0415

    try:
        claims = jwt.decode(token, KeySet.import_key_set(keys), algorithms=list(ALGORITHMS)).claims  # type: ignore[arg-type]
    except (JoseError, ValueError, TypeError, KeyError) as error:
        raise OidcRefusedError from error
    audience = claims.get("aud")
    named = audience if isinstance(audience, list) else [audience]
    at, ends, subject = now.timestamp(), claims.get("exp"), claims.get("sub")
    is_ours = provider.client_id in named and (len(named) == 1 or claims.get("azp") == provider.client_id)
    begins = claims.get("nbf", claims.get("iat"))
    is_now = isinstance(ends, int | float) and at < ends + LEEWAY_SECONDS
    is_now = is_now and isinstance(begins, int | float) and begins <= at + LEEWAY_SECONDS
    is_asked = claims.get("iss") == provider.issuer and claims.get("nonce") == nonce
    if not (
        is_ours and is_now and is_asked and isinstance(subject, str) and 0 < len(subject) <= LONGEST_SUBJECT
    ):
        raise OidcRefusedError
    return subject


def _discovered(provider: Provider) -> dict[str, Any]:
    """Read where the other server does what; raises OidcRefusedError."""
    found = _asked(provider, "GET", f"{provider.issuer}/.well-known/openid-configuration")
    names = ("authorization_endpoint", "token_endpoint", "jwks_uri")
    texts = [found.get(each) for each in names]
    if found.get("issuer") != provider.issuer or not all(
        isinstance(each, str) and each.startswith("https://") for each in texts
    ):
        raise OidcRefusedError
    return found


def _asked(
    provider: Provider,
    method: str,
    address: str,
    headers: dict[str, str] | None = None,
    body: bytes | None = None,
) -> dict[str, Any]:
    wanted = {urlsplit(address).hostname or ""}
    answer = provider.gate.ask(
        method, address, wanted, headers=headers, body=body, most_bytes=MOST_BYTES, seconds=SECONDS
    )
    try:
        found = json.loads(answer.data) if answer.status == 200 else None  # noqa: PLR2004  (as HTTP has it)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise OidcRefusedError
    return found
