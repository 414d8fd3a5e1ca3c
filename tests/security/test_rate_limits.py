"""How often a token may ask: told with every answer, held by all workers together, refused with when to come back."""

import time
from dataclasses import replace
from datetime import timedelta
from itertools import count

import pytest

from tests.concurrency.crowds import all_at_once
from webapp.web.access import buckets as counted
from webapp.web.access.buckets import BUCKETS, MINUTE, SECOND, Buckets

CLIENTS, WORKERS = 16, 4


@pytest.fixture
def clock(app, monkeypatch, tmp_path):
    monkeypatch.setitem(app.extensions, "rate_limits", Buckets(tmp_path / "full"))
    now = [1_800_000_000 * SECOND]
    monkeypatch.setattr(counted.time, "time_ns", lambda: now[0])

    def move(**length):
        now[0] += int(timedelta(**length).total_seconds() * SECOND)

    return move


@pytest.fixture
def installation(app, monkeypatch):
    def limit(number):
        monkeypatch.setitem(app.config, "SETTINGS", replace(app.config["SETTINGS"], rate_limit=number))

    return limit


def told(answer):
    return [int(answer.headers[f"RateLimit-{name}"]) for name in ("Limit", "Remaining", "Reset")]


def test_every_answer_tells_what_is_left(ada, clock):
    program = ada.with_scopes("read", max_requests_a_minute=6)
    assert told(program.get("/api/projects")) == [6, 5, 10]
    assert told(program.get("/api/projects/77")) == [6, 4, 20]
    assert told(program.post("/api/projects", json={"name": "x"})) == [6, 3, 30]
    clock(seconds=15)
    assert told(program.get("/settings/keys")) == [6, 3, 25]


def test_too_many_are_refused_until_there_is_room_for_one(ada, clock):
    program = ada.with_scopes("read", "draft", max_requests_a_minute=3)
    for _ in range(3):
        assert program.get("/api/projects").status_code == 200
    refused = program.post("/api/projects", json={"name": "Not to be"})
    assert (refused.status_code, refused.json["code"]) == (429, "rate_limited")
    assert refused.json["error"] == "This key may send 3 requests a minute. Try again in 20 s."
    assert refused.headers["Retry-After"] == "20"
    assert told(refused) == [3, 0, 60]
    clock(seconds=19.9)
    assert program.get("/api/projects").status_code == 429
    clock(seconds=0.1)
    assert program.get("/api/projects").json["projects"] == []
    assert program.get("/api/projects").status_code == 429
    clock(minutes=5)
    assert [program.get("/api/projects").status_code for _ in range(4)] == [200, 200, 200, 429]


def test_who_waits_is_told_so_before_anything_else_is_judged(ada, clock):
    del clock
    program = ada.with_scopes("read", max_requests_a_minute=1)
    assert program.post("/api/transactions/1/confirm").status_code == 403
    assert program.post("/api/transactions/1/confirm").status_code == 429
    assert program.get("/api/no-such-place").status_code == 404


def test_tokens_do_not_share_a_bucket_and_people_have_none(ada, ben, clock):
    del clock
    first, second = (each.with_scopes("read", max_requests_a_minute=1) for each in (ada, ben))
    assert [each.get("/api/projects").status_code for each in (first, first, second)] == [200, 429, 200]
    browser = ada.browser()
    answers = [browser.get("/api/projects") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200] * 3
    assert "RateLimit-Limit" not in answers[0].headers


def test_a_token_has_the_installations_limit_or_less(ada, installation, clock):
    del clock
    assert told(ada.get("/api/projects"))[0] == 120_000
    installation(50)
    assert told(ada.get("/api/projects"))[0] == 50
    assert told(ada.with_scopes("read", max_requests_a_minute=10).get("/api/projects"))[0] == 10
    assert told(ada.with_scopes("read", max_requests_a_minute=900).get("/api/projects"))[0] == 50
    installation(0)
    assert "RateLimit-Limit" not in ada.get("/api/projects").headers
    assert told(ada.with_scopes("read", max_requests_a_minute=10).get("/api/projects"))[0] == 10


def test_buckets_outlive_their_process_and_are_read_by_their_owner_only(tmp_path, clock):
    path = tmp_path / "buckets"
    assert Buckets(path).count(7, 2).remaining == 1
    assert Buckets(path).count(7, 2).remaining == 0
    assert Buckets(path).count(7 + BUCKETS, 2).wait == 30
    clock(seconds=30)
    assert Buckets(path).count(7, 2).wait == 0
    assert (path.stat().st_mode & 0o777, path.stat().st_size) == (0o600, 8 * BUCKETS)


def test_a_place_that_cannot_be_written_to_counts_in_memory(tmp_path, clock):
    del clock
    buckets = Buckets(tmp_path / "nowhere" / "buckets")
    assert [buckets.count(7, 2).wait for _ in range(3)] == [0, 0, 30]


def test_a_bucket_never_gives_more_than_its_rate(clock):
    """Whatever the rhythm, no minute has more than twice what fills it, and no hour more than that and its bucket."""
    del clock
    for limit in (1, 7, 60, 999, 120_000):
        full_at, now, given = 0, 0, 0
        for step in count():
            now += (step * 7919 % 13) * MINUTE // (limit * 4)
            if now > 60 * MINUTE or step > 5000:
                break
            full_at, level = counted.after_request(full_at, now, limit)
            given += level.wait == 0
        assert given <= limit + now * limit // MINUTE + 1
        assert given >= min(step, limit)


def test_four_workers_hold_one_limit_together(gunicorn, ada, figure):
    limit, each = 60, 12
    program = ada.with_scopes("read", max_requests_a_minute=limit)
    address = gunicorn(WORKERS)
    began = time.monotonic()
    crowd = all_at_once(address, [program.token], [["/api/projects"] * each] * CLIENTS, method="GET")
    filled = int(time.monotonic() - began) + 1
    statuses = [answer.status for answers in crowd for answer in answers]
    taken = statuses.count(200)
    assert set(statuses) == {200, 429}
    assert limit <= taken <= limit + filled
    figure("T15", f"{CLIENTS} clients, {WORKERS} workers, {limit} a minute: {taken} of {len(statuses)} taken")
