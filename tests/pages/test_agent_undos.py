"""Undoing what a key did on its page: since when, what that would do, and then all of it."""

import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from webapp.services.undo import agent_undos

pytestmark = on_sqlite


@pytest.fixture
def agent(ada, bank):
    agent = ada.with_scopes("read", "draft", "confirm")
    line = bank.send("2026-03-02", "-5.00", "A line")
    assert agent.post(f"/api/transactions/{line}/confirm", json={}).status_code == 200
    assert agent.post("/api/projects", json={"name": "Made"}).status_code == 201
    assert agent.delete("/api/projects/1").status_code == 200
    return agent


@pytest.fixture
def page(ada, agent):
    browser = ada.browser()

    def ask(act="", **form):
        return browser.post(f"/settings/keys/{agent.token_id}/undo{act}", data=form)

    ask.get = lambda: browser.get(f"/settings/keys/{agent.token_id}/undo")
    return ask


def digest_of(page):
    return re.search(r'name="digest" value="([0-9a-f]{64})"', page.text)[1]


def test_it_asks_since_when(page, ada, agent):
    assert 'type="datetime-local"' in page.get().text
    assert (
        f"/settings/keys/{agent.token_id}/undo" in ada.browser().get(f"/settings/keys/{agent.token_id}").text
    )


def test_the_time_is_that_of_the_books(page, ada):
    now = datetime.now(ZoneInfo("Pacific/Kiritimati"))
    ada.browser().post(
        "/settings/organization", data={"name": "Ada's books", "timeZone": "Pacific/Kiritimati"}
    )
    assert f'value="{now.date()}T00:00"' in page.get().text
    assert "3 acts to undo" in page("/preview", since=f"{now - timedelta(minutes=5):%Y-%m-%dT%H:%M}").text
    assert "Nothing to undo" in page("/preview", since=f"{now + timedelta(minutes=5):%Y-%m-%dT%H:%M}").text


def test_it_shows_what_would_happen_and_then_does_it(page, ada):
    shown = page("/preview", since="2026-01-02T00:00")
    assert shown.status_code == 200
    assert "3 acts to undo" in shown.text
    assert "the line can be confirmed again" in shown.text
    assert ada.get("/api/transactions").json["transactions"][0]["entryStatus"] == "POSTED"
    done = page(since="2026-01-02T00:00", digest=digest_of(shown))
    assert "3 acts undone" in done.text
    assert ada.get("/api/transactions").json["transactions"][0]["entryStatus"] == "DRAFT"
    assert "Nothing to undo" in page("/preview", since="2026-01-02T00:00").text


def test_a_round_goes_on_where_the_last_one_ended(page, ada, monkeypatch):
    monkeypatch.setattr(agent_undos, "MOST_AT_ONCE", 2)
    since = "2026-01-02T00:00"
    first = page("/preview", since=since)
    assert "2 acts to undo" in first.text
    assert "1 older act is left; undo these first" in first.text
    before = re.search(r'name="before" value="(ar_\w+)"', first.text)[1]
    older = page("/preview", since=since, before=before)
    assert ("1 act to undo" in older.text, "older act" in older.text) == (True, False)
    done = page(since=since, digest=digest_of(first))
    assert "Show the older ones" in done.text
    rest = page("/preview", since=since, before=before)
    assert "1 act undone" in page(since=since, before=before, digest=digest_of(rest)).text
    assert ada.get("/api/transactions").json["transactions"][0]["entryStatus"] == "DRAFT"
    assert page("/preview", since=since, before="ar_0").status_code == 422


def test_what_moved_is_shown_anew(page, ada, agent):
    shown = page("/preview", since="2026-01-02T00:00")
    agent.post("/api/projects", json={"name": "One more"})
    moved = page(since="2026-01-02T00:00", digest=digest_of(shown))
    assert moved.status_code == 409
    assert "4 acts to undo" in moved.text
    assert digest_of(moved) != digest_of(shown)


def test_no_time_is_asked_for_again(page):
    refused = page("/preview", since="soon")
    assert refused.status_code == 422
    assert "Choose a day and a time." in refused.text
