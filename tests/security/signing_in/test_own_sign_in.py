"""A person's own sign-in: another password, where one is signed in, and how that ends."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_sqlite
from webapp.database.sessions import db
from webapp.models import ActionRequest, AuditEvent, SignInStep

LOCAL = {"Sec-Fetch-Site": "same-origin"}
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
PAGE, NEW = "/settings/sign-in", "another one of hers"
OWN_BOOKS = {"name": "Own", "baseCurrency": "EUR", "timeZone": "UTC"}


def sign_in(person, password=None, agent=FIREFOX):
    client = person.app.test_client()
    form = {"email": person.email, "password": password or person.password}
    answer = client.post("/sign-in", data=form, headers={**LOCAL, "User-Agent": agent})
    return client, answer.status_code


def change(client, current, password=NEW, **more):
    form = {"current": current, "password": password, **more}
    return client.post(f"{PAGE}/password", data=form, headers=LOCAL)


def is_in(client):
    return client.get("/api/transactions").status_code == 200


def test_another_password_ends_all_sessions_but_goes_on_under_a_new_id(ben):
    (client, _), (other, _) = sign_in(ben), sign_in(ben)
    before = client.get_cookie("tieout").value
    answer = change(client, ben.password)
    assert (answer.status_code, answer.headers["Location"]) == (303, f"{PAGE}?done=password")
    assert (is_in(client), is_in(other)) == (True, False)
    replayed = ben.app.test_client()
    replayed.set_cookie("tieout", before)
    assert not is_in(replayed)
    page = client.get(answer.headers["Location"]).text
    assert ("Your password is changed" in page, "You have no password here" in page) == (True, False)
    assert [sign_in(ben)[1], sign_in(ben, NEW)[1]] == [401, 303]


@pytest.mark.parametrize("way", ["command", "form"])
def test_a_password_is_taken_as_it_was_typed(ben, command, way, app, monkeypatch):
    """With the spaces at its ends, and nowhere without them; passkeys are of a public name."""
    named = replace(app.config["SETTINGS"], public_url="http://localhost")
    monkeypatch.setitem(app.config, "SETTINGS", named)
    typed = "  two spaces before, one behind "
    client, _ = sign_in(ben)
    if way == "form":
        assert change(client, ben.password, typed).status_code == 303
    else:
        assert (
            command("set-password", "--email", ben.email, "--password-stdin", typed=f"{typed}\n").exit_code
            == 0
        )
        client, _ = sign_in(ben, typed)
    assert [sign_in(ben, typed)[1], sign_in(ben, typed.strip())[1]] == [303, 401]
    for act, form in (
        ("person", {"ownName": "Ben", "email": ben.email}),
        ("app/offer", {}),
        ("passkeys/options", {}),
    ):
        sent = [form | {"current": current} for current in (typed.strip(), typed)]
        answers = [client.post(f"{PAGE}/{act}", data=each, headers=LOCAL).status_code for each in sent]
        assert (answers[0], answers[1] in {200, 303}) == (422, True), act
    assert [change(client, each).status_code for each in (typed.strip(), typed)] == [422, 303]


def test_the_trail_has_the_change_and_nothing_of_the_passwords(ben, bank):
    client, _ = sign_in(ben)
    change(client, ben.password)
    found = sa.select(ActionRequest).where(ActionRequest.kind == "change_password")
    (request,) = bank.ask(lambda: db.session.scalars(found).all())
    assert (request.title, request.status, request.payload) == ("Changed the password of Ben", "EXECUTED", {})
    trail = json.dumps(bank.ask(lambda: db.session.scalars(sa.select(AuditEvent.body)).all()))
    assert not any(secret in trail for secret in (ben.password, NEW, "argon2"))


def renamed(person, client, **form):
    """Change the name and the address; answers the status and the page that follows."""
    sent = {"ownName": "Benjamin", "email": "Benjamin@Example.com", "current": person.password, **form}
    answer = client.post(f"{PAGE}/person", data=sent, headers=LOCAL)
    return answer.status_code, client.get(answer.location).text if answer.location else answer.text


def test_a_name_and_an_address_are_changed_with_the_password(ada, ben, bank):
    client, _ = sign_in(ada)
    for wrong, status, sentence in (
        ({"current": "wrong"}, 422, "This is not your current password."),
        ({"email": ben.email}, 409, "Somebody else here has this address."),
        ({"email": "benjamin"}, 422, "Write an email address"),
    ):
        answer = renamed(ada, client, **wrong)
        assert (answer[0], sentence in answer[1]) == (status, True)
    assert sign_in(ada)[1] == 303
    # Who owns all their books needs nobody's yes.
    done = renamed(ada, client)
    assert (done[0], "You are Benjamin, and sign in as benjamin@example.com" in done[1]) == (303, True)
    assert [sign_in(ada)[1], sign_in(replace(ada, email="benjamin@example.com"))[1]] == [401, 303]
    found = sa.select(ActionRequest).where(ActionRequest.kind == "change_person")
    assert [each.status for each in bank.ask(lambda: db.session.scalars(found).all())].count("EXECUTED") == 1


def test_without_mail_a_new_address_counts_when_an_owner_allows_it(ada, ben, dan, bank):
    client, _ = sign_in(ben)
    assert renamed(ben, client)[1].count("benjamin@example.com") == 2
    assert sign_in(replace(ben, email="benjamin@example.com"))[1] == 401
    page, place = ada.browser(), f"/settings/members/{ben.user_id}/address"
    assert "Benjamin wants to sign in with benjamin@example.com" in page.get("/settings/members").text
    assert dan.browser().post(place, data={"isAllowed": "true"}).status_code == 404
    assert ben.browser().post(place, data={"isAllowed": "true"}).status_code == 403
    assert page.post(place, data={"isAllowed": "false"}).status_code == 303
    assert page.post(place, data={"isAllowed": "true"}).status_code == 404
    # In books of one's own one is an owner, and yet not in the others.
    assert client.post("/start", data=OWN_BOOKS, headers=LOCAL).status_code == 303
    renamed(ben, client)
    assert page.post(place, data={"isAllowed": "true"}).status_code == 303
    assert [sign_in(ben)[1], sign_in(replace(ben, email="benjamin@example.com"))[1]] == [401, 303]
    titles = sa.select(ActionRequest.title).where(ActionRequest.kind == "change_person")
    assert set(bank.ask(lambda: db.session.scalars(titles).all())) == {
        "Changed the name or address of Ben",
        "Refused another address of Benjamin",
        "Changed the name or address of Benjamin",
    }


def test_an_address_that_waits_ends_with_another_wish_and_after_a_week(ada, ben, bank):
    client, _ = sign_in(ben)
    place, allowed = f"/settings/members/{ben.user_id}/address", {"isAllowed": "true"}
    renamed(ben, client)
    assert renamed(ben, client, email=ben.email)[1].count("benjamin@example.com") == 0
    assert ada.browser().post(place, data=allowed).status_code == 404
    renamed(ben, client)
    over = datetime.now(UTC) - timedelta(seconds=1)
    bank.ask(lambda: db.session.execute(sa.update(SignInStep).values(expires_at=over)))
    assert ada.browser().post(place, data=allowed).status_code == 404
    renamed(ben, client)
    assert renamed(ada, sign_in(ada)[0])[0] == 303
    assert "Somebody else here has this address." in ada.browser().post(place, data=allowed).text


def test_keys_go_on_working_unless_they_are_revoked_with_it(ben):
    client, _ = sign_in(ben)
    assert "Also revoke my 1 API key to these books" in client.get(PAGE).text
    shown = client.get(change(client, ben.password).headers["Location"]).text
    assert "1 API key to these books keeps access." in shown
    assert ben.get("/api/transactions").status_code == 200
    assert change(client, NEW, "and one more of hers", revokeKeys="true").status_code == 303
    assert ben.get("/api/transactions").status_code == 401


def test_the_present_password_is_guessed_within_the_same_limits(ben):
    client, _ = sign_in(ben)
    answers = [change(client, "not the present one") for _ in range(12)]
    assert [each.status_code for each in answers] == [422] * 10 + [429] * 2
    assert "This is not your current password." in answers[0].text
    assert "Wait" in answers[-1].text
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 61
    assert is_in(client)


@on_sqlite
@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({}, "This is missing."),
        ({"password": "short"}, "Choose 12 to 1000 characters."),
        ({"password": "x" * 1001}, "Write 1 to 1000 characters."),
        ({"password": None}, "Choose another password than the current one."),
    ],
    ids=["nothing", "short", "long", "the same"],
)
def test_what_is_no_new_password_is_refused_before_the_present_one_is_tried(ben, form, sentence):
    client, _ = sign_in(ben)
    sent = {"current": ben.password, "password": form["password"] or ben.password} if form else {}
    for _ in range(11):
        answer = client.post(f"{PAGE}/password", data=sent, headers=LOCAL)
        assert (answer.status_code, sentence in answer.text) == (422, True)
    assert sign_in(ben)[1] == 303


def test_sessions_are_listed_and_ended_one_by_one(ben, ada):
    (client, _), (other, _), (stranger, _) = sign_in(ben), sign_in(ben, agent="curl/8"), sign_in(ada)
    page = client.get(PAGE).text
    assert page.count("Firefox on Linux") == 1
    assert page.count(">Unknown browser</b>") == 1
    assert page.count("This browser") == 1
    assert "127.0.0.1" in page
    (reference,) = re.findall(r'name="session" value="(\w+)"', page)
    assert not any(
        cookie in page for cookie in (client.get_cookie("tieout").value, other.get_cookie("tieout").value)
    )
    end = f"{PAGE}/sessions/end"
    assert stranger.post(end, data={"session": reference}, headers=LOCAL).status_code == 404
    assert is_in(other)
    assert client.post(end, data={"session": reference}, headers=LOCAL).status_code == 303
    assert (is_in(client), is_in(other), is_in(stranger)) == (True, False, True)
    assert client.post(end, data={"session": reference}, headers=LOCAL).status_code == 404


def test_signing_out_everywhere_ends_this_session_too(ben, ada):
    clients, (stranger, _) = [sign_in(ben)[0] for _ in range(3)], sign_in(ada)
    answer = clients[0].post(f"{PAGE}/sessions/end-all", headers=LOCAL)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/sign-in")
    assert [is_in(each) for each in (*clients, stranger)] == [False] * 3 + [True]
    assert ben.get("/api/transactions").status_code == 200


@on_sqlite
def test_no_key_sees_where_its_owner_is(ben):
    assert ben.get(PAGE).status_code == 403
    assert ben.post(f"{PAGE}/sessions/end-all").status_code == 403
