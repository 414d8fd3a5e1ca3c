"""Sixty-four clients at once: writes, dry runs, previews, proposals and the undo of a key, side by side."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from tests.api.audit.test_agent_undos import ok, preview, undo
from tests.concurrency.crowds import Client
from tests.fixtures.helpers.replays import everything

pytestmark = [pytest.mark.rare, pytest.mark.usefixtures("sound")]
CLIENTS, WORKERS = 64, 4
RULE = {"name": "A rule", "effects": [{"kind": "SET_CURRENCY", "currency": "EUR"}]}


class Crowd:
    """Clients that each do one kind of thing again and again; what they were answered is counted by kind."""

    def __init__(self, address, tokens, lines, times) -> None:
        self._address, self._tokens, self._lines, self._times = address, tokens, lines, times
        self._barrier = threading.Barrier(CLIENTS)
        self.answered, self.busy = Counter(), 0

    def run(self) -> None:
        with ThreadPoolExecutor(CLIENTS) as threads:
            list(threads.map(self._walk, range(CLIENTS)))

    def _walk(self, number: int) -> None:
        kind = ["confirm", "dry run", "preview", "propose", "agent"][number % 5]
        token = self._tokens.get(kind, self._tokens["person"])
        with closing(Client(self._address, token)) as client:
            self._barrier.wait(60)
            for turn in range(self._times):
                call = self._call(kind, number, turn)
                while (answer := client.post(*call)).status == 503:
                    # The books were held for too long; nothing was changed, and it is sent again.
                    self.busy += 1
                self.answered[kind, answer.status] += 1

    def _call(self, kind: str, number: int, turn: int) -> tuple:
        line, name = self._lines[number * self._times + turn], f"{kind} {number}-{turn}"
        return {
            "confirm": (f"/api/transactions/{line}/confirm", {}),
            "dry run": (f"/api/transactions/{line}/confirm?dryRun=true", {}),
            "preview": ("/api/automations/rules/preview", RULE),
            "propose": ("/api/merchants", {"name": name}),
            "agent": ("/api/projects", {"name": name}),
        }[kind]


def test_what_is_done_side_by_side_is_there_and_what_is_tried_is_not(gunicorn, ada, bank, rounds, figure):
    times = rounds(1, 10)
    lines = bank.send_many([("2026-03-02", "-1.00", f"Line {number}") for number in range(CLIENTS * times)])
    agent, proposer = ada.with_scopes("read", "draft"), ada.with_scopes("read", "propose")
    tokens = {"person": ada.token, "agent": agent.token, "propose": proposer.token}
    crowd = Crowd(gunicorn(WORKERS), tokens, lines, times)
    undos = Counter()
    storm = threading.Thread(target=crowd.run)
    storm.start()
    while storm.is_alive():
        undos[undo(ada, agent, preview(ada, agent)["digest"]).status_code] += 1
        storm.join(0.2)
    while (seen := preview(ada, agent))["items"]:
        ok(undo(ada, agent, seen["digest"]))

    of = Counter(kind for kind, _ in crowd.answered.elements())
    good = {"confirm": 200, "dry run": 200, "preview": 200, "propose": 202, "agent": 201}
    assert {(kind, good[kind]): count for kind, count in of.items()} == dict(crowd.answered)
    posted = [
        each for each in everything(ada, "transactions", "transactions") if each["entryStatus"] == "POSTED"
    ]
    assert len(posted) == of["confirm"]
    assert everything(ada, "projects", "projects") == [], "all that the key did is undone"
    waiting = ada.get("/api/action-requests?status=PENDING&limit=200").json["actionRequests"]
    assert len(waiting) == min(of["propose"], 200)
    assert crowd.busy <= of.total() / 50
    told = f"{of.total()} answers as expected, {crowd.busy} after a 503, undone meanwhile: {dict(undos)}"
    figure("E13", f"{CLIENTS} clients, {told}")
