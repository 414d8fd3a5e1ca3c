"""A second factor: codes of an app and for its loss, and no door that leads past them."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pyotp
import pytest
import sqlalchemy as sa

from tests.fixtures.people import apart
from webapp.database.sessions import db
from webapp.models import Authenticator, Organization, Passkey, RecoveryCode, Secret

LOCAL = {"Sec-Fetch-Site": "same-origin"}
PAGE = "/settings/sign-in"
STEP = re.compile(r'name="step" value="([^"]+)"')
CODES = re.compile(r'<code id="recovery-codes">([^<]*)')


class Phone:
    """A person's app, as it was added; its next code counts as if none was used before."""

    def __init__(self, person, bank, browser=None):
        self.person, self.bank, self.browser = person, bank, browser or person.browser()
        page = self.browser.post(f"{PAGE}/app/offer", data={"current": person.password})
        self.secret = re.search(r"<code>([A-Z2-7]{32})</code>", page.text)[1]
        self.page = self.browser.post(f"{PAGE}/app", data={"code": self.code()})
        self.recovery_codes = CODES.search(self.page.text)[1].split()

    def code(self, steps=0):
        self.bank.ask(lambda: db.session.execute(sa.update(Authenticator).values(last_step=0)))
        return pyotp.TOTP(self.secret).at(datetime.now(UTC), counter_offset=steps)

    def begin(self):
        """Show the password; answers the browser and the secret of the step."""
        client = self.person.app.test_client()
        sent = {"email": self.person.email, "password": self.person.password}
        answer = apart(client.post, "/sign-in", data=sent, headers=LOCAL)
        assert (answer.status_code, client.get_cookie("tieout")) == (200, None)
        return client, STEP.search(answer.text)[1]


def show(client, step, code):
    sent = {"step": step, "code": code, "next": "/journal"}
    return apart(client.post, "/sign-in/code", data=sent, headers=LOCAL)


@pytest.fixture
def phone(ada, bank):
    return Phone(ada, bank)


def demand(bank, person, ago=timedelta(days=8)):
    """Let the books demand a second factor since some time."""
    since, key = datetime.now(UTC) - ago, person.organization_id
    bank.ask(lambda: setattr(db.session.get_one(Organization, key), "second_factor_since", since))


def passkey_of(person):
    facts = {"public_key": b"x", "sign_count": 0, "host": "localhost", "name": "Laptop"}
    return Passkey(user_id=person.user_id, credential="c", created_at=datetime.now(UTC), **facts)


def test_a_sign_in_asks_for_the_code(phone):
    assert len(set(phone.recovery_codes)) == 10
    client, step = phone.begin()
    assert client.get("/api/transactions").status_code == 401
    answer = show(client, step, phone.code())
    assert (answer.status_code, answer.headers["Location"]) == (303, "/journal")
    assert client.get("/api/transactions").status_code == 200


@pytest.mark.parametrize("steps", [-1, 0, 1])
def test_a_code_is_good_for_half_a_minute_around_and_once(phone, steps):
    code = phone.code(steps)
    client, step = phone.begin()
    assert show(client, step, code).status_code == 303
    again, other = phone.begin()
    # Neither it nor one that is older counts again.
    for used in (code, pyotp.TOTP(phone.secret).at(datetime.now(UTC), counter_offset=-1)):
        assert show(again, other, used).status_code == 401


@pytest.mark.parametrize("steps", [-3, 3])
def test_a_code_of_another_time_is_refused(phone, steps):
    client, step = phone.begin()
    answer = show(client, step, phone.code(steps))
    assert (answer.status_code, "This code is not right" in answer.text) == (401, True)
    assert client.get_cookie("tieout") is None


def test_a_recovery_code_stands_in_once_and_only_its_hash_is_kept(phone, bank):
    one = phone.recovery_codes[0]
    client, step = phone.begin()
    assert show(client, step, one.upper().replace("-", " ")).status_code == 303
    again, other = phone.begin()
    assert show(again, other, one).status_code == 401
    kept = bank.ask(lambda: [each.code_hash for each in db.session.scalars(sa.select(RecoveryCode))])
    assert (len(kept), one in "".join(kept)) == (10, False)
    sealed = bank.ask(lambda: [each.ciphertext for each in db.session.scalars(sa.select(Secret))])
    assert (len(sealed), phone.secret.encode() in sealed[0]) == (1, False)


def test_codes_are_not_guessed(phone):
    client, step = phone.begin()
    answers = [show(client, step, "000000").status_code for _ in range(12)]
    assert (answers[-1], set(answers)) == (429, {401, 429})


def test_a_step_is_of_one_sign_in_and_one_person(phone, ben, bank):
    client, step = phone.begin()
    other = Phone(ben, bank)
    assert show(client, step, other.code()).status_code == 401
    assert show(client, "another step", phone.code()).status_code == 401
    assert show(client, step, phone.code()).status_code == 303
    over = show(phone.person.app.test_client(), step, phone.code())
    assert (over.status_code, "Sign in again" in over.text) == (401, True)


def test_a_wrong_first_code_adds_no_app(ben, bank):
    browser = ben.browser()
    browser.post(f"{PAGE}/app/offer", data={"current": ben.password})
    assert "This code is not right" in browser.post(f"{PAGE}/app", data={"code": "000000"}).text
    assert bank.ask(lambda: db.session.get(Authenticator, ben.user_id).confirmed_at) is None


def test_changes_need_the_password(phone, ada, bank):
    for act in ("app/codes", "app/remove"):
        refused = phone.browser.post(f"{PAGE}/{act}", data={"current": "wrong horse battery"})
        assert "This is not your current password" in refused.text
    again = phone.browser.post(f"{PAGE}/app/codes", data={"current": ada.password})
    assert not set(CODES.search(again.text)[1].split()) & set(phone.recovery_codes)
    assert phone.browser.post(f"{PAGE}/app/remove", data={"current": ada.password}).status_code == 303
    assert bank.ask(lambda: db.session.scalars(sa.select(Secret)).all()) == []
    assert bank.broken() == []


def test_books_that_demand_one_close_after_a_week(ada, ben, bank):
    browser = ben.browser()
    demand(bank, ada, ago=timedelta(days=6))
    assert (browser.get("/journal").status_code, ben.get("/api/me").status_code) == (200, 200)
    assert "ask for a second factor from" in browser.get(PAGE).text
    demand(bank, ada)
    assert browser.get("/journal").headers["Location"].startswith(PAGE)
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    for answer in (ben.get("/api/me"), browser.get("/api/me"), ben.post("/mcp", json=ping)):
        assert (answer.status_code, "second_factor_required" in answer.text) == (403, True)
    phone = Phone(ben, bank, browser)
    assert len(phone.recovery_codes) == 10
    assert (browser.get("/journal").status_code, ben.get("/api/me").status_code) == (200, 200)
    # A session that showed none stays outside.
    assert ben.browser().get("/journal").status_code == 303


def test_what_a_key_proposed_is_not_done_for_who_has_none(ada, ben, bank, line):
    agent = ben.with_scopes("read", "propose")
    request = agent.post(f"/api/transactions/{line}/confirm").json["actionRequest"]
    demand(bank, ada)
    refused = Phone(ada, bank).browser.post(
        f"/api/action-requests/{request['id']}/approve", json={"digest": request["digest"]}
    )
    assert refused.json["code"] == "proposer_gone"


def test_the_password_alone_changes_no_second_factor_where_one_is_demanded(ada, ben, bank):
    demand(bank, ada)
    bank.ask(lambda: db.session.add(passkey_of(ben)))
    browser, typed = ben.browser(), {"current": ben.password}
    acts = (("app/offer", typed), ("app/codes", typed), ("app/remove", typed), ("passkeys/1/remove", {}))
    for act, form in acts:
        assert "Sign in with your passkey or a code first" in browser.post(f"{PAGE}/{act}", data=form).text


def test_an_invitation_does_not_lead_past_the_code(phone, ada, dan):
    form = {"name": "Ada", "email": ada.email, "role": "viewer"}
    invited = dan.browser().post("/settings/members", data=form)
    link = urlsplit(re.search(r'<code id="new-link">([^<]*)', invited.text)[1]).path
    client = ada.app.test_client()
    answer = apart(client.post, link, data={"password": ada.password}, headers=LOCAL)
    assert (answer.status_code, client.get_cookie("tieout")) == (200, None)
    assert show(client, STEP.search(answer.text)[1], phone.code()).status_code == 303


def test_an_owner_demands_it_on_the_page(ada, bank):
    found = []
    for word in ("true", "true", "false"):
        form = {"name": "Lantern", "timeZone": "UTC", "locale": "en-GB", "needsSecondFactor": word}
        assert ada.browser().post("/settings/organization", data=form).status_code == 303
        found.append(
            bank.ask(lambda: db.session.get_one(Organization, ada.organization_id).second_factor_since)
        )
    assert (found[0] is not None, found[1], found[2]) == (True, found[0], None)
