"""Nobody gets into books by an address that a stranger was first to use (T1, T3).

A stranger, who owns books, invites the address of somebody whom a studio invites too. Whatever the order, whether
links are used, renewed or too old, and whatever the role: the stranger never sees the studio's books.
"""

import re
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_sqlite
from webapp.database.sessions import db
from webapp.models import Invitation, Membership, User
from webapp.services.access import users

ADDRESS = "cfo@victim.example"
STRANGERS_PASSWORD, OWN_PASSWORD = "the stranger chose it", "her very own password"
# When the stranger uses the link that the stranger made.
USES = ("never", "before the studio invites", "after the studio invites", "after another link")
SECRET = re.compile(r"/join/[\w-]+")


def invite(owner, role="viewer", email=ADDRESS):
    answer = owner.browser().post("/settings/members", data={"name": "C.", "email": email, "role": role})
    assert answer.status_code == 200, answer.text
    return SECRET.search(answer.text)[0]


def renew(owner):
    page = owner.browser().get("/settings/members").text
    path = re.search(r"/settings/invitations/\d+/link", page)[0]
    return SECRET.search(owner.browser().post(path).text)[0]


def join(app, link, password):
    browser = app.test_client()
    return browser.post(link, data={"password": password}).status_code, browser


def books_of(bank, email=ADDRESS):
    statement = (
        sa.select(Membership.organization_id)
        .join(User, User.id == Membership.user_id)
        .where(User.email == email)
    )
    return bank.ask(lambda: set(db.session.scalars(statement).all()))


@pytest.mark.parametrize("role", ["viewer", "bookkeeper", "owner"])
@pytest.mark.parametrize("use", USES)
def test_a_stranger_who_invites_first_gets_into_the_books_of_nobody_else(ada, dan, bank, use, role):
    stranger, studio = dan, ada
    theirs = invite(stranger, role)
    if use == "before the studio invites":
        assert join(ada.app, theirs, STRANGERS_PASSWORD)[0] == 303
    ours = invite(studio, role)
    if use == "after the studio invites":
        assert join(ada.app, theirs, STRANGERS_PASSWORD)[0] == 404
    if use == "after another link":
        assert join(ada.app, renew(stranger), STRANGERS_PASSWORD)[0] == 303
    # Neither the stranger's password nor the stranger's session opens the studio's books.
    assert studio.organization_id not in books_of(bank)
    is_taken = use in {"before the studio invites", "after another link"}
    browser = ada.app.test_client()
    signed_in = browser.post("/sign-in", data={"email": ADDRESS, "password": STRANGERS_PASSWORD})
    assert signed_in.status_code == (303 if is_taken else 401)
    choice = {"organizationId": studio.organization_id}
    headers = {"Sec-Fetch-Site": "same-origin"}
    chosen = browser.post("/books/choose", data=choice, headers=headers)
    assert chosen.status_code in ({401, 404} if is_taken else {303})
    assert "Lantern Studio" not in browser.get("/settings/organization", follow_redirects=True).text
    assert studio.organization_id not in books_of(bank)
    # The invited person comes in by the studio's link, after the operator's help where the password is a stranger's.
    if is_taken:
        assert join(ada.app, ours, OWN_PASSWORD)[0] == 401
        bank.ask(lambda: users.set_password(ADDRESS, users.hash_password(OWN_PASSWORD)))
    status, browser = join(ada.app, ours, OWN_PASSWORD)
    assert status == 303
    assert "Lantern Studio" in browser.get("/settings/organization", follow_redirects=True).text
    assert books_of(bank) == {studio.organization_id, *([stranger.organization_id] if is_taken else [])}


@pytest.mark.parametrize("is_first", [True, False], ids=["the stranger first", "the stranger second"])
@pytest.mark.parametrize("role", ["viewer", "bookkeeper", "owner"])
def test_an_address_that_a_stranger_took_is_told_what_helps_and_owners_see_it(ada, dan, bank, is_first, role):
    ours = None if is_first else invite(ada)
    assert join(ada.app, invite(dan, role), STRANGERS_PASSWORD)[0] == 303
    ours = ours or invite(ada)
    told = ada.app.test_client().post(ours, data={"password": OWN_PASSWORD})
    assert (told.status_code, "the operator sets one: tieout set-password" in told.text) == (401, True)
    assert "another password than this address has" in ada.browser().get("/settings/members").text
    assert "another password" not in dan.browser().get("/settings/members").text
    bank.ask(lambda: users.set_password(ADDRESS, users.hash_password(OWN_PASSWORD)))
    assert join(ada.app, ours, OWN_PASSWORD)[0] == 303
    stranger = ada.app.test_client()
    assert (
        stranger.post("/sign-in", data={"email": ADDRESS, "password": STRANGERS_PASSWORD}).status_code == 401
    )
    assert "another password" not in ada.browser().get("/settings/members").text


@pytest.mark.parametrize("is_used", [False, True], ids=["our link unused", "our link used"])
def test_a_stranger_who_invites_second_ends_a_link_at_most(ada, dan, bank, is_used):
    ours = invite(ada)
    if is_used:
        assert join(ada.app, ours, OWN_PASSWORD)[0] == 303
    theirs = invite(dan, "owner")
    status, _ = join(ada.app, theirs, STRANGERS_PASSWORD)
    if is_used:
        assert status == 401
        assert books_of(bank) == {ada.organization_id}
        return
    assert (status, books_of(bank)) == (303, {dan.organization_id})
    assert join(ada.app, ours, STRANGERS_PASSWORD)[0] == 303, "with the link of these books and the password"


def test_an_ended_link_sets_no_password_and_the_newest_does(ada, dan, bank):
    ours = invite(ada)
    invite(dan)
    assert join(ada.app, ours, OWN_PASSWORD)[0] == 404
    assert books_of(bank) == set()
    assert join(ada.app, renew(ada), OWN_PASSWORD)[0] == 303
    assert books_of(bank) == {ada.organization_id}


@on_sqlite
def test_a_link_that_is_too_old_opens_nothing_and_ends_no_other(ada, dan, bank):
    ours = invite(ada)
    theirs = invite(dan)
    old = sa.update(Invitation).where(Invitation.organization_id == dan.organization_id)
    bank.ask(lambda: db.session.execute(old.values(expires_at=datetime.now(UTC) - timedelta(seconds=1))))
    assert join(ada.app, theirs, STRANGERS_PASSWORD)[0] == 404
    assert join(ada.app, ours, OWN_PASSWORD)[0] == 303


@on_sqlite
def test_an_answer_does_not_show_whether_an_address_has_an_account(ada, dan):
    """The name is what the inviter wrote, the pages differ in the link and the address only."""
    answers = []
    for email in (dan.email, "nobody@example.com"):
        form = {"name": "X. Y.", "email": email, "role": "viewer"}
        answer = ada.browser().post("/settings/members", data=form)
        link = SECRET.search(answer.text)[0]
        pages = [answer.text, ada.app.test_client().get(link).text, weak(ada.app, link)]
        answers.append([page.replace(link, "LINK").replace(email, "ADDRESS") for page in pages])
        invitation = re.search(r"/settings/invitations/\d+/withdraw", answer.text)[0]
        ada.browser().post(invitation)
    known, unknown = (
        [re.sub(r"invitations/\d+|<time.*?</time>", "", page) for page in each] for each in answers
    )
    assert known == unknown
    assert all(dan.name not in page for page in known)


def weak(app, link):
    answer = app.test_client().post(link, data={"password": "short"})
    assert answer.status_code == 422
    return answer.text


@on_sqlite
def test_guesses_at_a_link_are_counted_as_those_at_the_sign_in(ada, dan):
    link = invite(ada, email=dan.email)
    statuses = [join(ada.app, link, f"wrong password {number}")[0] for number in range(8)]
    assert statuses == [401] * 7 + [429]
    assert ada.app.test_client().get(link).status_code == 200


@on_sqlite
@pytest.mark.parametrize(("person", "act"), [*product(["ben", "cleo"], ["", "/link", "/withdraw"])])
def test_only_owners_invite(ada, request, person, act):
    invite(ada)
    page = ada.browser().get("/settings/members").text
    invitation = re.search(r"/settings/invitations/\d+", page)[0]
    path = f"{invitation}{act}" if act else "/settings/members"
    form = {"name": "X", "email": "x@example.com", "role": "owner"}
    assert request.getfixturevalue(person).browser().post(path, data=form).status_code == 403
    assert ada.browser().get("/settings/members").text.count("/withdraw") == 1
