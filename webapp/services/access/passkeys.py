"""Passkeys: a person's device signs a challenge of this server in the place of a password.

A passkey is for the host of PUBLIC_URL: under another one it waits, and counts again when the host is back. Passwords
stay, so that nobody who loses a device is kept out.
"""

import json
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import begin_write, db
from webapp.ledger.errors import LedgerError, NotFoundError
from webapp.models import Passkey, PasskeyChallenge, User
from webapp.queries.access.principals import digest_of
from webapp.services.access import own_sign_in, second_factors, sessions
from webapp.services.access.sessions import SignedIn
from webapp.services.access.visitors import Visitor
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act

CHALLENGE_LIFETIME: Final = timedelta(minutes=5)


class PasskeyRefusedError(LedgerError):
    """This passkey is not one of yours here, or its answer came too late. Try again, or sign in with your password."""

    status = 401
    code = "passkey_refused"


def of_person(user_id: int) -> list[Passkey]:
    """List a person's passkeys, in the order in which they were added."""
    own = sa.select(Passkey).where(Passkey.user_id == user_id)
    return list(db.session.scalars(own.order_by(Passkey.id)))


def offer(
    email: str,
    current: str,
    *,
    host: str,
    is_strong: bool,
    visitor: Visitor,
    actor: Actor,
    now: datetime,
) -> str:
    """Write what a browser needs to make a passkey, after the present password was tried.

    Raises WrongPasswordError, TooManySignInsError or StrongFirstError.
    """
    import webauthn  # noqa: PLC0415  (it takes 20 MB, and few processes meet a passkey)

    user_id = own_sign_in.check_current(email, current, visitor, actor, now)
    second_factors.demand_strong(user_id, is_strong=is_strong)
    known = [webauthn.base64url_to_bytes(each.credential) for each in of_person(user_id)]
    options = webauthn.generate_registration_options(
        rp_id=host,
        rp_name="Tieout",
        user_id=digest_of(f"{host}/{user_id}").encode(),
        user_name=email,
        user_display_name=actor.name,
        exclude_credentials=[
            webauthn.helpers.structs.PublicKeyCredentialDescriptor(id=each) for each in known
        ],
        authenticator_selection=webauthn.helpers.structs.AuthenticatorSelectionCriteria(
            resident_key=webauthn.helpers.structs.ResidentKeyRequirement.REQUIRED,
            user_verification=webauthn.helpers.structs.UserVerificationRequirement.REQUIRED,
        ),
    )
    _keep(options.challenge, user_id, now)
    return webauthn.options_to_json(options)


def add(answer: str, name: str, *, host: str, origin: str, actor: Actor, now: datetime) -> Passkey:
    """Keep the passkey that a browser made, or raise PasskeyRefusedError."""
    import webauthn  # noqa: PLC0415  (it takes 20 MB, and few processes meet a passkey)

    user_id = actor.user_id or 0
    credential, challenge = _answered(answer, user_id, now)
    try:
        made = webauthn.verify_registration_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=host,
            expected_origin=origin,
            require_user_verification=True,
        )
    except webauthn.helpers.exceptions.WebAuthnException as error:
        raise PasskeyRefusedError from error
    with act(actor, now, "add_passkey", ("user", user_id), title=f"Added the passkey {name}") as doing:
        doing.after = {"name": name, "host": host}
        passkey = Passkey(
            user_id=user_id,
            credential=webauthn.helpers.bytes_to_base64url(made.credential_id),
            public_key=made.credential_public_key,
            sign_count=made.sign_count,
            host=host,
            name=name,
            created_at=now,
        )
        db.session.add(passkey)
        db.session.flush()
    return passkey


def remove(passkey_id: int, *, is_strong: bool, actor: Actor, now: datetime) -> None:
    """Remove one of a person's passkeys, or raise NotFoundError or StrongFirstError."""
    second_factors.demand_strong(actor.user_id or 0, is_strong=is_strong)
    passkey = db.session.get(Passkey, passkey_id)
    if passkey is None or passkey.user_id != actor.user_id:
        raise NotFoundError
    title = f"Removed the passkey {passkey.name}"
    with act(actor, now, "remove_passkey", ("user", passkey.user_id), title=title) as doing:
        doing.before = {"name": passkey.name, "host": passkey.host}
        db.session.delete(passkey)
        db.session.flush()


def ask(*, host: str, now: datetime) -> str:
    """Write what a browser needs to sign in with a passkey, whose person it finds itself."""
    import webauthn  # noqa: PLC0415  (it takes 20 MB, and few processes meet a passkey)

    begin_write()
    options = webauthn.generate_authentication_options(
        rp_id=host, user_verification=webauthn.helpers.structs.UserVerificationRequirement.REQUIRED
    )
    _keep(options.challenge, None, now)
    return webauthn.options_to_json(options)


def sign_in(answer: str, *, host: str, origin: str, visitor: Visitor, now: datetime) -> SignedIn | str:
    """Check what a passkey signed, and answer with the secrets of a new session and its browser."""
    import webauthn  # noqa: PLC0415  (it takes 20 MB, and few processes meet a passkey)

    begin_write()
    credential, challenge = _answered(answer, None, now)
    found = sa.select(Passkey).join(User, sa.and_(User.id == Passkey.user_id, User.is_active))
    passkey = db.session.scalar(
        found.where(Passkey.credential == str(credential.get("id")), Passkey.host == host)
    )
    if passkey is None:
        raise PasskeyRefusedError
    try:
        signed = webauthn.verify_authentication_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=host,
            expected_origin=origin,
            credential_public_key=passkey.public_key,
            credential_current_sign_count=passkey.sign_count,
            require_user_verification=True,
        )
    except webauthn.helpers.exceptions.WebAuthnException as error:
        raise PasskeyRefusedError from error
    passkey.sign_count, passkey.last_used_at = signed.new_sign_count, now
    return sessions.let_in(passkey.user_id, visitor=visitor, now=now, is_strong=True)


def _keep(challenge: bytes, user_id: int | None, now: datetime) -> None:
    import webauthn  # noqa: PLC0415  (it takes 20 MB, and few processes meet a passkey)

    db.session.execute(sa.delete(PasskeyChallenge).where(PasskeyChallenge.expires_at <= now))
    hashed = digest_of(webauthn.helpers.bytes_to_base64url(challenge))
    db.session.add(
        PasskeyChallenge(challenge_hash=hashed, user_id=user_id, expires_at=now + CHALLENGE_LIFETIME)
    )
    db.session.flush()


def _answered(answer: str, user_id: int | None, now: datetime) -> tuple[dict[str, Any], bytes]:
    """Read a browser's answer and use up its challenge, or raise PasskeyRefusedError."""
    import webauthn  # noqa: PLC0415  (it takes 20 MB, and few processes meet a passkey)

    try:
        credential: dict[str, Any] = json.loads(answer)
        signed = json.loads(webauthn.base64url_to_bytes(credential["response"]["clientDataJSON"]))
        text, challenge = str(signed["challenge"]), webauthn.base64url_to_bytes(signed["challenge"])
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise PasskeyRefusedError from error
    person = PasskeyChallenge.user_id.is_(None) if user_id is None else PasskeyChallenge.user_id == user_id
    taken = db.session.execute(
        sa.delete(PasskeyChallenge).where(
            PasskeyChallenge.challenge_hash == digest_of(text), PasskeyChallenge.expires_at > now, person
        )
    )
    if taken.rowcount != 1:  # type: ignore[attr-defined]
        raise PasskeyRefusedError
    return credential, challenge
