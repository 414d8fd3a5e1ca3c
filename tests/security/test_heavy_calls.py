"""Heavy calls: two at once for a key, four for all, whichever worker they reach, so that nobody starves the others."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import wraps
from time import monotonic

import pytest

from tests.concurrency.crowds import Client, percentile
from tests.fixtures.helpers.marks import on_sqlite
from webapp.web.access.heavy_calls import (
    MOST_SECONDS,
    REFUSED_BODIES,
    NoSlotError,
    Slots,
    limit_of,
    sender_of,
)

PREVIEW = "/api/automations/rules/preview"
RULE = {"name": "A rule", "effects": [{"kind": "SET_CURRENCY", "currency": "EUR"}]}


@pytest.fixture
def slots(app):
    """The slots of the application, of which a test may hold some."""
    return app.extensions["heavy_calls"]


@pytest.fixture
def held(slots):
    """Let another call hold a slot until the test ends."""
    descriptors = []

    def hold(name):
        descriptors.append(slots.take(name))
        return descriptors[-1]

    yield hold
    for each in descriptors:
        os.close(each)


def test_a_key_runs_two_heavy_calls_and_the_third_says_when_to_come_back(ada, ben, held):
    assert ada.post(PREVIEW, json=RULE).status_code == 200
    for _ in range(2):
        held(f"token {ada.token_id}")
    refused = ada.post(PREVIEW, json=RULE)
    assert (refused.status_code, refused.json["code"]) == (429, "too_many_at_once")
    assert refused.headers["Retry-After"] == "2"
    assert refused.json["error"] == (
        "Two large calls of this key are running; send this one again when one of them is answered."
    )
    assert ada.get("/api/projects").status_code == 200
    assert ben.post(PREVIEW, json=RULE).status_code == 200


def test_large_bodies_of_a_key_count_after_one_was_refused(ada, ben, held, app):
    noted = app.extensions[REFUSED_BODIES]
    noted.clear()
    path, large = "/api/merchants", {"name": "A", "note": "x" * 70_000}
    for _ in range(2):
        held(f"token {ada.token_id}")
    assert ada.post(path, json=large).status_code == 422
    refused = ada.post(path, json=large)
    assert (refused.status_code, refused.json["code"]) == (429, "too_many_at_once")
    assert ada.post(path, json={"name": "B"}).status_code == 201
    assert ben.post(path, json=large).status_code == 422
    (sender,) = {sender_of(f"Bearer {ada.token}".encode(), b"")} & {*noted}
    noted[sender] -= 61
    assert ada.post(path, json=large).status_code == 422


@on_sqlite
@pytest.mark.parametrize("door", ["a key", "a session", "a tool"])
def test_large_bodies_of_a_sender_wait_longer_with_each_that_was_refused(ada, app, door):
    noted, large = app.extensions[REFUSED_BODIES], "x" * 70_000
    noted.clear()
    browser = ada.browser()
    tool = {"name": "write_entry", "arguments": {"description": large}}
    refuse = {
        "a key": lambda: ada.post("/api/merchants", json={"name": large}),
        "a session": lambda: browser.post("/merchants", data={"name": large}),
        "a tool": lambda: ada.post(
            "/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": tool}
        ),
    }[door]
    assert refuse().status_code == (200 if door == "a tool" else 422)
    ((sender, first),) = noted.items()
    refuse()
    assert noted[sender] > first
    assert ada.post("/api/merchants", json={"name": "A"}).status_code == 201
    assert limit_of(app, "POST /api/merchants HTTP/1.1", {b"authorization": b"Bearer other"})[2] == 0
    noted[sender] += 100
    refuse()
    assert 0 < noted[sender] - monotonic() <= MOST_SECONDS


@pytest.mark.full
def test_eight_clients_whose_large_bodies_are_refused_keep_nobody_else_waiting(gunicorn, ada, dan, figure):
    address, over = gunicorn(2), threading.Event()
    keys = {f"key{number}": number for number in range(38_000)}

    def asked():
        with closing(Client(address, dan.token)) as client:
            return percentile([client.send("GET", "/api/accounts").seconds for _ in range(150)], 0.5)

    def refused():
        statuses = set()
        with closing(Client(address, ada.token, is_patient=False)) as client:
            while not over.is_set():
                statuses.add(client.post("/api/transactions/confirm", keys).status)
        return statuses

    alone = asked()
    with ThreadPoolExecutor(8) as threads:
        clients = [threads.submit(refused) for _ in range(8)]
        meanwhile = asked()
        over.set()
    assert set().union(*(each.result() for each in clients)) <= {400, 429}
    figure("E4", f"p50 of others {alone:.1f} ms, beside eight clients with refused bodies {meanwhile:.1f} ms")
    assert meanwhile <= 3 * alone


def test_an_installation_runs_four_whoever_asks(ada, held):
    for number in range(4):
        held(f"token {1000 + number}")
    refused = ada.post(PREVIEW, json=RULE)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "2")
    assert refused.json["error"].startswith("Four large calls are running in this installation")
    page = ada.browser().get("/imports/new")
    assert page.status_code == 200


@on_sqlite
def test_a_page_refuses_with_the_same_sentence(ada, held):
    for number in range(4):
        held(f"token {1000 + number}")
    browser = ada.browser()
    refused = browser.get("/rules/suggestions")
    assert refused.status_code == 429
    assert "Four large calls are running in this installation" in refused.text


def test_a_slot_is_free_again_however_its_call_ended(app, ada, slots, monkeypatch):
    assert ada.post(PREVIEW, json={}).status_code == 422
    assert ada.post(f"{PREVIEW}?ruleId=77", json=RULE).status_code == 404
    assert ada.post("/api/transactions/confirm?dryRun=true", json={"ids": [77]}).status_code == 200
    name = "api_rule_runs.preview_unsaved"

    @wraps(app.view_functions[name])
    def fail(**_arguments):
        raise RuntimeError

    monkeypatch.setitem(app.view_functions, name, fail)
    assert ada.post(PREVIEW, json=RULE).status_code == 500
    taken = [slots.take(f"token {number}") for number in range(4)]
    for each in taken:
        os.close(each)


@on_sqlite
def test_an_approval_of_a_heavy_call_is_one(ada, bank, held):
    """What was proposed is done by the one who approves it, and takes as long."""
    line = bank.send("2026-11-03", "-45.20", "REWE")
    agent = ada.with_scopes("read", "propose")
    waiting = agent.post("/api/transactions/confirm", json={"ids": [line]}).json["actionRequest"]
    alone = agent.post(f"/api/transactions/{line}/confirm").json["actionRequest"]
    browser = ada.browser()
    for number in range(4):
        held(f"token {1000 + number}")
    address = "/api/action-requests/{id}/approve"
    refused = browser.post(address.format(**waiting), json={"digest": waiting["digest"]})
    assert (refused.status_code, refused.json["code"]) == (429, "too_many_at_once")
    done = browser.post(address.format(**alone), json={"digest": alone["digest"]})
    assert done.status_code == 200, done.json


def test_workers_of_one_installation_hold_its_slots_together(gunicorn, ada, held):
    address = gunicorn(2)
    for number in range(4):
        held(f"token {1000 + number}")
    with closing(Client(address, ada.token, is_patient=False)) as client:
        assert client.post(PREVIEW, RULE).status == 429


def test_the_slots_of_a_killed_worker_are_free(tmp_path):
    reader, writer = os.pipe()
    worker = os.fork()
    if worker == 0:
        taken = Slots(tmp_path / "slots", most=4, most_of_one=2)
        taken.take("token 1")
        taken.take("token 1")
        os.write(writer, b".")
        signal.pause()
    os.read(reader, 1)
    slots = Slots(tmp_path / "slots", most=4, most_of_one=2)
    with pytest.raises(NoSlotError) as refused:
        slots.take("token 1")
    assert refused.value.is_own
    os.kill(worker, signal.SIGKILL)
    os.waitpid(worker, 0)
    for descriptor in [slots.take("token 1"), slots.take("token 1"), reader, writer]:
        os.close(descriptor)


def test_a_folder_that_cannot_be_written_to_counts_in_one_worker(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    slots = Slots(tmp_path / "nowhere" / "slots", most=1, most_of_one=1)
    descriptor = slots.take("token 1")
    with pytest.raises(NoSlotError):
        slots.take("token 2")
    os.close(descriptor)
    os.close(slots.take("token 2"))
