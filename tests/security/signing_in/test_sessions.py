"""Sessions cannot be fixed, replayed or outlived (P43), name their organization, and passwords are not guessed."""

import hashlib
import secrets
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.tenancy import shape, unnamed
from webapp.database.sessions import db, own_transaction
from webapp.ledger.scopes import organization_of, token_text
from webapp.models import ApiToken, BrowserSession, FamiliarBrowser, Membership, SignInCounter, User
from webapp.queries.access.principals import digest_of
from webapp.services.access import users

LOCAL = {"Sec-Fetch-Site": "same-origin"}


def sign_in(client, person, *, password=None, **options):
    form = {"email": person.email, "password": password or person.password}
    return client.post("/sign-in", data=form, headers=LOCAL, **options)


def cookie_of(client):
    return client.get_cookie("tieout").value


def is_signed_in(app, cookie):
    """Ask as a browser that kept this cookie."""
    client = app.test_client()
    client.set_cookie("tieout", cookie)
    return client.get("/api/transactions").status_code == 200


def test_every_sign_in_has_an_id_of_its_own(app, client, ada):
    client.set_cookie("tieout", "chosen-by-somebody-else")
    seen = {"chosen-by-somebody-else"}
    for _ in range(3):
        assert sign_in(client, ada).status_code == 303
        assert cookie_of(client) not in seen
        seen.add(cookie_of(client))
    assert not is_signed_in(app, "chosen-by-somebody-else")


def test_the_cookie_is_kept_from_scripts_and_other_sites(client, ada):
    headers = sign_in(client, ada).headers.getlist("Set-Cookie")
    assert [header.partition("=")[0] for header in headers] == ["tieout-browser", "tieout"]
    for header in headers:
        assert "HttpOnly" in header
        assert "SameSite=Lax" in header
        assert "Path=/" in header
        assert "Domain" not in header


def test_over_https_the_cookie_belongs_to_this_host_alone(client, ada):
    answer = sign_in(client, ada, base_url="https://localhost")
    browser, session = answer.headers.getlist("Set-Cookie")
    assert browser.startswith("__Host-tieout-browser=")
    assert session.startswith("__Host-tieout=")
    assert "Secure" in browser
    assert "Secure" in session
    assert "max-age" in answer.headers["Strict-Transport-Security"]


def test_only_a_hash_of_the_cookie_is_stored(client, ada, bank):
    sign_in(client, ada)
    for column, name in ((BrowserSession.id_hash, "tieout"), (FamiliarBrowser.id_hash, "tieout-browser")):
        (id_hash,) = bank.ask(lambda column=column: db.session.scalars(sa.select(column)).all())
        assert id_hash == hashlib.sha256(client.get_cookie(name).value.encode()).hexdigest()


def test_a_cookie_is_dead_after_sign_out(app, client, ada):
    sign_in(client, ada)
    cookie = cookie_of(client)
    assert is_signed_in(app, cookie)
    answer = client.post("/sign-out", headers=LOCAL)
    assert answer.headers["Clear-Site-Data"] == '"cache", "storage"'
    assert not is_signed_in(app, cookie)


def test_signing_in_again_ends_the_session_that_the_browser_had(app, client, ada):
    sign_in(client, ada)
    before = cookie_of(client)
    sign_in(client, ada)
    assert not is_signed_in(app, before)
    assert is_signed_in(app, cookie_of(client))


def test_a_cookie_is_dead_after_a_new_password(app, ada, bank):
    cookies = [ada.cookie() for _ in range(3)]
    hashed = users.hash_password("another one of hers")
    bank.ask(lambda: users.set_password(ada.email, hashed))
    assert [is_signed_in(app, cookie) for cookie in cookies] == [False] * 3


def test_a_cookie_is_dead_when_the_person_is_switched_off_or_let_go(app, ben, cleo, bank):
    cookies = ben.cookie(), cleo.cookie()
    bank.ask(
        lambda: db.session.execute(sa.update(User).where(User.id == ben.user_id).values(is_active=False))
    )
    bank.ask(lambda: db.session.execute(sa.delete(Membership).where(Membership.user_id == cleo.user_id)))
    assert [is_signed_in(app, cookie) for cookie in cookies] == [False, False]
    assert [person.get("/api/transactions").status_code for person in (ben, cleo)] == [401, 401]


@pytest.mark.parametrize(
    ("column", "age", "lives"),
    [
        (BrowserSession.last_seen_at, timedelta(hours=1, minutes=59), True),
        (BrowserSession.last_seen_at, timedelta(hours=2, minutes=1), False),
        (BrowserSession.created_at, timedelta(hours=11, minutes=59), True),
        (BrowserSession.created_at, timedelta(hours=12, minutes=1), False),
    ],
    ids=["idle", "idle too long", "old", "too old"],
)
def test_a_cookie_outlives_neither_two_idle_hours_nor_twelve(app, ada, bank, column, age, lives):
    cookie = ada.cookie()
    then = datetime.now(UTC) - age
    bank.ask(lambda: db.session.execute(sa.update(BrowserSession).values({column: then})))
    assert is_signed_in(app, cookie) is lives


def test_looking_at_a_page_keeps_a_session_awake(app, ada, bank):
    cookie = ada.cookie()
    then = datetime.now(UTC) - timedelta(minutes=90)
    bank.ask(lambda: db.session.execute(sa.update(BrowserSession).values(last_seen_at=then)))
    client = app.test_client()
    client.set_cookie("tieout", cookie)
    client.get("/api/transactions").close()
    (seen,) = bank.ask(lambda: db.session.scalars(sa.select(BrowserSession.last_seen_at)).all())
    assert seen > then + timedelta(minutes=80)


def test_a_wrong_password_and_an_unknown_person_get_the_same_answer(client, ada):
    wrong = sign_in(client, ada, password="not hers")
    form = {"email": "nobody@example.com", "password": "not hers"}
    unknown = client.post("/sign-in", data=form, headers=LOCAL)
    assert wrong.status_code == unknown.status_code == 401
    assert wrong.text.replace(ada.email, "") == unknown.text.replace("nobody@example.com", "")
    assert "Set-Cookie" not in wrong.headers


def test_the_right_password_takes_back_its_own_try_and_no_other(app, ada):
    for _ in range(5):
        guess(app, ada.email, "127.0.0.1")
    for _ in range(3):
        assert sign_in(app.test_client(), ada).status_code == 303
    assert [guess(app, ada.email, "127.0.0.1")[0] for _ in range(4)] == [401, 401, 429, 429]


def test_who_signs_in_sweeps_what_was_counted_long_ago(app, ada, bank, client):
    for number in range(3):
        guess(app, f"person{number}@example.com", f"10.0.0.{number}")
    then = datetime.now(UTC) - timedelta(hours=1)
    bank.ask(lambda: db.session.execute(sa.update(SignInCounter).values(last_try_at=then)))
    guess(app, "person3@example.com", "10.0.0.3")
    assert sign_in(client, ada).status_code == 303
    tries = bank.ask(lambda: db.session.scalars(sa.select(SignInCounter.tried_at)).all())
    assert sorted(map(len, tries)) == [0, 0, 1, 1]


def test_a_new_password_and_ninety_days_make_a_browser_a_stranger(app, ada, bank, client):
    assert sign_in(client, ada).status_code == 303
    assert client.get_cookie("tieout-browser").max_age == 90 * 86_400
    then = datetime.now(UTC) - timedelta(days=90)
    bank.ask(lambda: db.session.execute(sa.update(FamiliarBrowser).values(signed_in_at=then)))
    for _ in range(7):
        guess(app, ada.email, "10.0.0.1")
    assert sign_in(client, ada).status_code == 429
    bank.ask(lambda: db.session.execute(sa.delete(SignInCounter)))
    assert sign_in(client, ada).status_code == 303
    hashed = users.hash_password("another one of hers")
    bank.ask(lambda: users.set_password(ada.email, hashed))
    assert bank.ask(lambda: db.session.scalars(sa.select(FamiliarBrowser)).all()) == []


def guess(app, email, address):
    form = {"email": email, "password": "a wrong guess"}
    answer = app.test_client().post(
        "/sign-in",
        data=form,
        headers=LOCAL,
        base_url="https://localhost",
        environ_base={"REMOTE_ADDR": address},
    )
    return answer.status_code, answer.headers.get("Retry-After")


@on_sqlite
@pytest.mark.parametrize(
    "form",
    [
        {},
        {"email": "a\0b@example.com", "password": "x\0"},
        {"email": "x" * 100_000, "password": "y" * 100_000},
        {"email": "\ufffd\u202e@\U0001f9fe", "password": "\ud7ff"},
        {"email": ["a", "b"], "password": "x"},
    ],
    ids=["nothing", "NUL", "long", "strange", "twice"],
)
def test_strange_forms_are_wrong_passwords(client, form):
    assert client.post("/sign-in", data=form, headers=LOCAL).status_code == 401


@on_sqlite
@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("/transactions?q=1", "/transactions?q=1"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("https://evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("/a\r\nSet-Cookie: x=1", "/"),
        ("", "/"),
    ],
)
def test_signing_in_leads_to_our_own_pages_only(client, ada, asked, answered):
    form = {"email": ada.email, "password": ada.password, "next": asked}
    assert client.post("/sign-in", data=form, headers=LOCAL).headers["Location"] == answered


def test_plain_http_elsewhere_is_refused_by_a_page_that_says_how(app, ada, monkeypatch):
    monkeypatch.setitem(
        app.config, "SETTINGS", replace(app.config["SETTINGS"], trusted_hosts=("books.example",))
    )
    answer = sign_in(app.test_client(), ada, base_url="http://books.example")
    assert (answer.status_code, "Set-Cookie" in answer.headers) == (403, False)
    assert "HTTPS" in answer.text


@pytest.fixture
def rewritten(ada, app):
    def rewrite(text):
        with app.app_context(), own_transaction() as session:
            session.get_one(ApiToken, (ada.organization_id, ada.token_id)).token_hash = digest_of(text)
        return {"Authorization": f"Bearer {text}"}

    return rewrite


@pytest.mark.filtered
@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_who_asks_is_looked_for_in_the_books_that_the_secret_names(ada, statements):
    for asked in (ada.get, ada.browser().get):
        with statements() as seen:
            assert asked("/api/projects").status_code == 200
        assert [each for each in seen if unnamed(shape(each))] == []


def test_an_older_token_goes_on_and_one_that_names_other_books_is_none(app, ada, dan, rewritten):
    random = secrets.token_bytes(32)
    older = token_text(random, "of another form")
    assert organization_of(older) is None
    assert app.test_client().get("/api/projects", headers=rewritten(older)).status_code == 200
    assert organization_of(ada.token) == ada.organization_id
    elsewhere = token_text(random, dan.organization_id)
    assert app.test_client().get("/api/projects", headers=rewritten(elsewhere)).status_code == 401
