"""`tieout set-password`: another password, and the end of every session."""

from datetime import UTC, datetime

import sqlalchemy as sa

from webapp.models import ActionRequest, Authenticator, BrowserSession, Passkey, RecoveryCode, User
from webapp.services.access.users import verify_password

PASSWORD = "another horse battery"


def test_the_new_password_signs_in_and_every_session_ends(command, session, ada):
    browser = ada.browser()
    mine = sa.select(sa.func.count()).where(BrowserSession.user_id == ada.user_id)
    assert session.scalar(mine) == 1
    session.rollback()
    result = command("set-password", "--email", "ADA@example.com", "--password-stdin", typed=f"{PASSWORD}\n")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "every session of theirs has ended" in result.stderr
    assert session.scalar(mine) == 0
    assert verify_password(session.get_one(User, ada.user_id).password_hash, PASSWORD)
    assert browser.get("/api/transactions").status_code == 401


def test_nobody_else_is_signed_out(command, session, ada, ben):
    ben.cookie()
    command("set-password", "--email", ada.email, "--password-stdin", typed=f"{PASSWORD}\n")
    assert session.scalar(sa.select(sa.func.count()).where(BrowserSession.user_id == ben.user_id)) == 1


def test_an_unknown_person_is_named_and_exits_with_1(command):
    result = command("set-password", "--email", "eve@example.com", "--password-stdin", typed=PASSWORD)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "Nobody has the email address eve@example.com" in result.stderr


def test_a_second_factor_stays_unless_it_is_reset(command, session, ada):
    now, own = datetime.now(UTC), {"user_id": ada.user_id}
    facts = {"public_key": b"x", "sign_count": 0, "host": "localhost", "name": "Laptop", "created_at": now}
    session.add_all(
        [
            Passkey(credential="c", **own, **facts),
            Authenticator(uid="u", created_at=now, confirmed_at=now, **own),
            RecoveryCode(code_hash="h", **own),
        ]
    )
    session.commit()
    words = ("set-password", "--email", ada.email, "--password-stdin")
    kept = command(*words, typed=f"{PASSWORD}\n")
    assert "stay; --reset-second-factor removes them" in kept.stderr
    models = (Passkey, Authenticator, RecoveryCode)
    assert [len(session.scalars(sa.select(each)).all()) for each in models] == [1, 1, 1]
    session.rollback()
    removed = command(*words, "--reset-second-factor", typed=f"{PASSWORD}\n")
    assert "recovery codes and passkeys are removed" in removed.stderr
    session.expire_all()
    assert [len(session.scalars(sa.select(each)).all()) for each in models] == [0, 0, 0]
    kinds = session.scalars(sa.select(ActionRequest.kind).where(ActionRequest.kind == "reset_second_factor"))
    assert len(kinds.all()) == 1
