"""A second factor: codes of an authenticator app, codes for its loss, and the step of a sign-in that asks for one."""

import hmac
import re
import secrets
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

import pyotp
import sqlalchemy as sa

from webapp.database.sessions import begin_write, db
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.models import Authenticator, Passkey, RecoveryCode, SignInStep, User
from webapp.queries.access import organizations
from webapp.queries.access.principals import GRACE, digest_of
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.storage import vault
from webapp.services.storage.vault import Owner

ISSUER: Final = "Tieout"
PURPOSE: Final = "totp"
RECOVERY_CODES: Final = 10
STEP_LIFETIME: Final = timedelta(minutes=5)
LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
NO_LETTER: Final = re.compile(r"[^0-9a-z]")


class CodeRefusedError(LedgerError):
    """This code is not right, or was used. Wait for the next one of your app, or use a recovery code."""

    status = 401
    code = "code_refused"


class StepOverError(LedgerError):
    """This took too long, or was done already. Sign in again."""

    status = 401
    code = "step_over"


class StrongFirstError(LedgerError):
    """Sign in with your passkey or a code first: the password alone does not change your second factor here."""

    status = 403
    code = "second_factor_first"


class AlreadyOnError(UnprocessableError):
    """You have an authenticator app already; remove it first."""

    code = "authenticator_on"


def of_person(user_id: int) -> Authenticator | None:
    """Find the app that writes a person's codes, if it counts."""
    found = db.session.get(Authenticator, user_id)
    return found if found is not None and found.confirmed_at is not None else None


def codes_left(user_id: int) -> int:
    """Count a person's recovery codes that were not used."""
    unused = RecoveryCode.user_id == user_id, RecoveryCode.used_at.is_(None)
    return db.session.scalar(sa.select(sa.func.count()).where(*unused)) or 0


def demand_strong(user_id: int, *, is_strong: bool) -> None:
    """Refuse who did not show the second factor that a person has and books demand; raises StrongFirstError."""
    if needed_from(user_id, is_strong=is_strong) is not None and has_one(user_id):
        raise StrongFirstError


def needed_from(user_id: int, *, is_strong: bool) -> datetime | None:
    """Give when a person's first books close that demand a second factor; none where it was shown, or no books do."""
    since = [each.second_factor_since for each in organizations.of_user(user_id) if each.second_factor_since]
    return min(since) + GRACE if since and not is_strong else None


def offer(user_id: int, email: str, now: datetime) -> str:
    """Make a secret for an app, and answer with the address that an app reads; it counts after its first code."""
    if of_person(user_id) is not None:
        raise AlreadyOnError
    _drop(user_id)
    secret, found = pyotp.random_base32(), Authenticator(user_id=user_id, uid=vault.new_uid(), created_at=now)
    db.session.add(found)
    db.session.flush()
    vault.put(_owner(found), PURPOSE, secret, now=now)
    return pyotp.TOTP(secret).provisioning_uri(name=email, issuer_name=ISSUER)


def confirm(code: str, *, actor: Actor, now: datetime) -> list[str]:
    """Let an app count whose code is right, and answer with the recovery codes, once; raises CodeRefusedError."""
    user_id = actor.user_id or 0
    found = db.session.get(Authenticator, user_id)
    if found is None or not _is_of_app(found, code, now):
        raise CodeRefusedError(fields={"code": [str(CodeRefusedError.__doc__)]})
    title = f"Added an authenticator app of {actor.name}"
    with act(actor, now, "add_authenticator", ("user", user_id), title=title):
        found.confirmed_at = now
        return _new_codes(user_id)


def renew_codes(*, actor: Actor, now: datetime) -> list[str]:
    """Make new recovery codes in the place of all earlier ones, and answer with them, once."""
    title = f"Made new recovery codes of {actor.name}"
    with act(actor, now, "renew_recovery_codes", ("user", actor.user_id or 0), title=title):
        return _new_codes(actor.user_id or 0)


def remove(*, actor: Actor, now: datetime) -> None:
    """Remove a person's app and recovery codes."""
    title = f"Removed the authenticator app of {actor.name}"
    with act(actor, now, "remove_authenticator", ("user", actor.user_id or 0), title=title) as doing:
        if of_person(actor.user_id or 0) is None:
            doing.nothing_to_do()
        _drop(actor.user_id or 0)


def has_one(user_id: int) -> bool:
    """Return whether a person has an authenticator app or a passkey."""
    passkey = sa.select(Passkey.id).where(Passkey.user_id == user_id).limit(1)
    return of_person(user_id) is not None or db.session.scalar(passkey) is not None


def reset(user: User, actor_of: Callable[[str], Actor], now: datetime) -> bool:
    """Remove all second factors of a person, passkeys too, and answer whether there were any.

    It is an act in each of the person's books.
    """
    if not has_one(user.id):
        return False
    title = f"Removed the second factor of {user.name}"
    for organization in organizations.of_user(user.id):
        begin_write(organization.id)
        with act(actor_of(organization.id), now, "reset_second_factor", ("user", user.id), title=title):
            pass
    db.session.execute(sa.delete(Passkey).where(Passkey.user_id == user.id))
    _drop(user.id)
    return True


def check(user_id: int, code: str, now: datetime) -> None:
    """Use a code of a person's app, or a recovery code; raises CodeRefusedError."""
    found = of_person(user_id)
    if found is None or not (_is_of_app(found, code, now) or _is_recovery(user_id, code, now)):
        raise CodeRefusedError


def begin(
    kind: str,
    now: datetime,
    lifetime: timedelta = STEP_LIFETIME,
    /,
    *,
    user_id: int | None = None,
    **facts: str,
) -> str:
    """Let a sign-in go on later, with the secret that this answers."""
    db.session.execute(sa.delete(SignInStep).where(SignInStep.expires_at <= now))
    secret = secrets.token_urlsafe(32)
    step = SignInStep(step_hash=digest_of(secret), user_id=user_id, kind=kind, facts=facts)
    step.expires_at = now + lifetime
    db.session.add(step)
    db.session.flush()
    return secret


def of_step(secret: str, kind: str, now: datetime) -> SignInStep:
    """Find the sign-in that goes on; raises StepOverError."""
    step = db.session.get(SignInStep, digest_of(secret))
    if step is None or step.kind != kind or step.expires_at <= now:
        raise StepOverError
    return step


def end(secret: str, kind: str, now: datetime) -> Mapping[str, str]:
    """End a step, once, and give what it kept; raises StepOverError."""
    gone = sa.delete(SignInStep).where(
        SignInStep.step_hash == digest_of(secret), SignInStep.kind == kind, SignInStep.expires_at > now
    )
    facts: dict[str, str] | None = db.session.scalar(gone.returning(SignInStep.facts))
    if facts is None:
        raise StepOverError
    return facts


def _is_of_app(found: Authenticator, code: str, now: datetime) -> bool:
    """Return whether a code is of a person's app now, or half a minute before or after, and use it, once."""
    totp = pyotp.TOTP(vault.get(_owner(found), PURPOSE))
    typed = NO_LETTER.sub("", code.lower()).encode()
    step = totp.timecode(now)
    fits = [
        each
        for each in (step - 1, step, step + 1)
        if hmac.compare_digest(totp.generate_otp(each).encode(), typed)
    ]
    if not fits:
        return False
    earlier = Authenticator.user_id == found.user_id, Authenticator.last_step < fits[0]
    used = sa.update(Authenticator).where(*earlier).values(last_step=fits[0])
    result: Any = db.session.execute(used, execution_options={"synchronize_session": False})
    return bool(result.rowcount == 1)


def _is_recovery(user_id: int, code: str, now: datetime) -> bool:
    unused = RecoveryCode.code_hash == _hash(user_id, code), RecoveryCode.used_at.is_(None)
    used = sa.update(RecoveryCode).where(RecoveryCode.user_id == user_id, *unused).values(used_at=now)
    result: Any = db.session.execute(used, execution_options={"synchronize_session": False})
    return bool(result.rowcount == 1)


def _new_codes(user_id: int) -> list[str]:
    """Make ten codes of 79 random bits."""
    db.session.execute(sa.delete(RecoveryCode).where(RecoveryCode.user_id == user_id))
    codes = [
        "-".join("".join(secrets.choice(LETTERS) for _ in range(4)) for _ in range(4))
        for _ in range(RECOVERY_CODES)
    ]
    db.session.add_all(RecoveryCode(code_hash=_hash(user_id, each), user_id=user_id) for each in codes)
    db.session.flush()
    return codes


def _hash(user_id: int, code: str) -> str:
    return digest_of(f"{user_id}.{NO_LETTER.sub('', code.lower())}")


def _drop(user_id: int) -> None:
    found = db.session.get(Authenticator, user_id)
    if found is not None:
        vault.drop(_owner(found))
        db.session.delete(found)
    db.session.execute(sa.delete(RecoveryCode).where(RecoveryCode.user_id == user_id))
    db.session.flush()


def _owner(found: Authenticator) -> Owner:
    return Owner("authenticator", found.uid)
