"""A frequent read that was answered before is answered from what is kept only while nobody wrote anything at all."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from webapp.database.sessions import db
from webapp.queries.access import principals
from webapp.snapshots import kept_answers, read_snapshots
from webapp.snapshots.read_snapshots import ReadSnapshot
from webapp.web.access import blueprints

pytestmark = pytest.mark.both

HUB = "/api/reconciliations/accounts"
READERS = 4
PATIENCE_SECONDS = 60
# Who asks, and whether there is what the query names.
MOST_OF_KEPT = 2
RENAMED = sa.text("UPDATE accounts SET name = :name WHERE organization_id = :org AND id = :id")
REVOKED = sa.text("UPDATE api_tokens SET revoked_at = :at WHERE organization_id = :org AND id = :id")


@pytest.fixture
def paths(bank, ada):
    """What is asked frequently, of an account with three lines."""
    bank.send_many(
        [("2026-03-01", "-1.50", "Shop"), ("2026-03-02", "-2.50", "Shop"), ("2026-03-03", "9.00", "Fee")]
    )
    fa_id = ada.get(HUB).json["accounts"][0]["faId"]
    return [
        HUB,
        f"{HUB}?providerBalanceAsOf=2026-03-02",
        f"/api/transactions?faId={fa_id}",
        f"/api/accounts/{bank.ledger_account()}/postings",
        "/api/reports/trial-balance?from=2026-03-01&to=2026-03-31",
        "/api/reports/balance-sheet?to=2026-03-31",
    ]


@pytest.fixture
def lines(paths, ada):
    """The ids of the three lines."""
    return [line["id"] for line in ada.get(paths[2]).json["transactions"]]


def assert_true(ada, paths):
    """Hold what a token is answered, twice, to what a session is answered, for which nothing is kept."""
    for path in paths:
        expected = ada.browser().get(path).data
        assert [ada.get(path).data for _ in range(2)] == [expected, expected], path


def test_the_same_question_is_answered_without_reading_again(ada, paths, statements):
    for path in paths:
        first = ada.get(path)
        deadline, asked = time.monotonic() + PATIENCE_SECONDS, []
        # What other tests write beside this on the same server of PostgreSQL makes another snapshot too.
        while min(asked, default=MOST_OF_KEPT + 1) > MOST_OF_KEPT and time.monotonic() < deadline:
            with statements() as seen:
                again = ada.get(path)
            assert again.data == first.data
            assert list(again.headers.keys()) == list(first.headers.keys())
            asked.append(len(seen))
        assert min(asked) <= MOST_OF_KEPT, asked


def test_every_act_is_in_the_next_answer(ada, bank, books, paths, lines):
    fa_id = ada.get(HUB).json["accounts"][0]["faId"]
    statement = {"statementDate": "2026-03-04", "statementBalance": "5.00", "keepAsNew": True}
    statement |= {"openingDate": "2026-02-28", "openingBalance": "0.00"}
    acts = [
        ("POST", f"/api/transactions/{lines[0]}/confirm", {}),
        ("PATCH", f"/api/transactions/{lines[1]}", {"accountId": books.account_id("Travel")}),
        ("PUT", f"{HUB}/{fa_id}/draft", statement),
        ("POST", f"{HUB}/{fa_id}/abandon", {}),
        ("POST", "/api/accounts", {"name": "Sundries", "type": "EXPENSE"}),
    ]
    assert_true(ada, paths)
    for method, path, body in acts:
        assert ada.ask(method, path, json=body).status_code in {200, 201}, path
        assert_true(ada, paths)
    bank.send("2026-03-04", "-7.00", "Another")
    assert_true(ada, paths)


def test_a_write_of_the_same_connection_is_seen(app, ada, bank, paths):
    before = ada.get(HUB).data

    def rename():
        db.session.execute(RENAMED, named)

    named = {"name": "Renamed", "org": ada.organization_id, "id": bank.ledger_account()}
    bank.ask(rename)
    after = ada.get(HUB)
    assert after.data != before
    assert after.json["accounts"][0]["accountName"] == "Renamed"


def test_what_is_not_committed_is_in_no_answer(app, ada, bank, paths):
    before = ada.get(HUB).data
    named = {"name": "Renamed", "org": ada.organization_id, "id": bank.ledger_account()}
    with app.app_context(), db.engine.connect() as connection:
        connection.execute(RENAMED, named)
        assert ada.get(HUB).data == before
        connection.rollback()
    assert ada.get(HUB).data == before


def test_a_reader_on_any_connection_reads_every_write_of_its_own(app, ada, bank, paths, rounds):
    """While others read and write, the answer after a write is never the one before it."""
    is_over = threading.Event()
    pockets = [bank.account(f"Pocket {number}", "ASSET", currency="EUR") for number in range(2)]
    register = f"/api/accounts/{pockets[0]}/postings"

    def read(seed):
        chance = Random(seed)  # noqa: S311  (the same ones every time)
        while not is_over.is_set():
            assert ada.get(chance.choice(paths)).status_code == 200

    with ThreadPoolExecutor(READERS) as threads:
        readers = [threads.submit(read, seed) for seed in range(READERS)]
        try:
            for number in range(1, rounds(20, 300)):
                legs = zip(pockets, ("", "-"), strict=True)
                postings = [
                    {"accountId": each, "amount": f"{sign}{number}.07", "currency": "EUR"}
                    for each, sign in legs
                ]
                entry = {
                    "effectiveAt": "2026-03-10",
                    "description": "A move",
                    "postings": postings,
                    "post": True,
                }
                assert ada.post("/api/journal-entries", json=entry).status_code == 201
                assert f'"{number}.07"' in ada.get(register).text
        finally:
            is_over.set()
        for reader in readers:
            reader.result()


def test_others_are_answered_their_own(ada, dan, paths):
    assert dan.organization_id != ada.organization_id
    own = ada.get(HUB).json["accounts"]
    assert own
    assert dan.get(HUB).json["accounts"] != own
    assert ada.get(HUB).json["accounts"] == own


def test_a_token_is_refused_once_it_is_revoked_though_the_answer_is_kept(ada, bank, paths):
    other = ada.with_scopes("read")
    assert [other.get(HUB).status_code for _ in range(2)] == [200, 200]
    assert ada.with_scopes("draft").get(HUB).status_code == 403
    revoked = {"at": "2026-11-01 00:00:00+00:00", "org": ada.organization_id, "id": other.token_id}
    bank.ask(lambda: db.session.execute(REVOKED, revoked))
    assert other.get(HUB).status_code == 401


def test_who_asks_is_kept_until_the_token_ends_and_no_longer(app, ada):
    now = datetime.now(UTC)
    end = now + timedelta(seconds=1)
    with app.app_context():
        held = read_snapshots.begin(ada.organization_id)
        try:
            ending = replace(principals.by_token(held, ada.token, now), ends_at=end)
            # Where the version is new, nobody looks for who asked before.
            for _ in range(2):
                kept_answers.keep_caller(held, "a digest", ending)
            assert kept_answers.find_caller(held, "a digest", now) == ending
            assert kept_answers.find_caller(held, "a digest", end) is None
            assert kept_answers.find_caller(held, "another", now) is None
        finally:
            read_snapshots.end()


def test_an_answer_of_another_quarter_of_an_hour_is_made_anew(ada, paths, statements, monkeypatch):
    ada.get(HUB)
    monkeypatch.setattr(blueprints, "QUARTER_SECONDS", 1e-6)
    with statements() as seen:
        ada.get(HUB)
    assert len(seen) > 2


def test_a_connection_keeps_no_more_than_it_may(app, ada, paths, monkeypatch):
    monkeypatch.setattr(kept_answers, "MOST_BYTES", 3000)
    for path in paths:
        ada.get(path)
    with app.app_context():
        held = read_snapshots.begin(ada.organization_id)
        try:
            kept = held.info["kept_answers"]
            of_places = len(kept.answers) * kept_answers.BYTES_OF_A_PLACE
            assert sum(map(len, kept.answers.values())) + of_places < kept.size <= 3000
        finally:
            read_snapshots.end()


def test_questions_take_room_too(app, ada, paths, monkeypatch):
    monkeypatch.setattr(kept_answers, "MOST_BYTES", 20_000)
    for number in range(40):
        assert ada.get(HUB, query_string={"ignored": f"{number}" * 1000}).status_code == 200
    with app.app_context():
        held = read_snapshots.begin(ada.organization_id)
        try:
            assert len(held.info["kept_answers"].answers) < 20
        finally:
            read_snapshots.end()


def test_nothing_is_kept_where_a_snapshot_does_not_tell(app, ada, monkeypatch):
    question = kept_answers.Question(ada.organization_id, ada.token_id, HUB, b"", 0)
    monkeypatch.setattr(ReadSnapshot, "version", None)
    with app.app_context():
        held = read_snapshots.begin(ada.organization_id)
        try:
            assert kept_answers.find(held, question) is None
            kept_answers.keep(held, question, b"an answer")
            assert kept_answers.find(held, question) is None
        finally:
            read_snapshots.end()


def test_books_on_several_nodes_have_no_version(app, ada):
    def say_nodes(_driver, record, _connection):
        record.info["has_nodes"] = True

    with app.app_context():
        if db.engine.dialect.name != "postgresql":
            return
        event.listen(db.engine, "checkout", say_nodes)
        held = read_snapshots.begin(ada.organization_id)
        try:
            assert held.version is None
        finally:
            event.remove(db.engine, "checkout", say_nodes)
            held.info["has_nodes"] = False
            read_snapshots.end()
