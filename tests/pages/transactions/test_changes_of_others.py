"""What others did since a page was shown: asked for cheaply, 304 where there is nothing, and no use of a session."""

import re
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_sqlite
from webapp.database.sessions import db
from webapp.models import BrowserSession


def asked(browser, since, tag=None):
    return browser.get(f"/changes?since={since}", headers={"If-None-Match": f'"{tag or since}"'})


def test_only_acts_of_others_are_told_and_nothing_is_a_304(ada, ben, bank, books):
    line = bank.send("2026-03-02", "-100.00", "DB ICE 571")
    ada_, ben_ = ada.browser(), ben.browser()
    since = re.search('data-since="([0-9]+)"', ada_.get("/feeds/1?show=all").text)[1]
    assert asked(ada_, since).status_code == 304
    ada_.post(f"/transactions/{line}", data={"accountId": books.account_id("Travel")})
    mine = asked(ada_, since)
    assert (mine.status_code, mine.json["acts"]) == (200, [])
    ben_.post(f"/transactions/{line}", data={"accountId": books.account_id("Rent")})
    told = asked(ada_, since, mine.headers["ETag"].strip('"'))
    assert told.json["acts"] == [{"by": "Ben", "kind": "transaction", "id": str(line)}]
    assert asked(ada_, since, told.headers["ETag"].strip('"')).status_code == 304


@on_sqlite
def test_asking_sends_one_statement_beside_that_of_the_session(ada, bank, at_most):
    browser = ada.browser()
    bank.send("2026-03-02", "-100.00", "DB ICE 571")
    with at_most(2):
        assert asked(browser, 0, "none").status_code == 200


@on_sqlite
def test_a_page_that_asks_by_itself_keeps_no_session_awake(ada, bank):
    browser = ada.browser()
    then = datetime.now(UTC) - timedelta(minutes=90)
    bank.ask(lambda: db.session.execute(sa.update(BrowserSession).values(last_seen_at=then)))
    asked(browser, 0).close()
    assert bank.ask(lambda: db.session.scalars(sa.select(BrowserSession.last_seen_at)).all()) == [then]
