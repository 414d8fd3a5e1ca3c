"""`tieout set-password`: another password, and the end of every session."""

import sqlalchemy as sa

from webapp.models import BrowserSession, User
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
