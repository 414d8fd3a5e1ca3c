"""Under one key a write is done once, whoever sends it at once and whatever dies in the middle (P32, P33)."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

from tests.api.test_idempotency_keys import upload
from tests.concurrency.crowds import PATIENCE_SECONDS, Client
from tests.replays import everything
from webapp.db import begin_read, db
from webapp.queries import checks

CLIENTS = 16
UNKNOWN = (OSError, http.client.HTTPException)
UNHEARD = 0.1


def walked(address, tokens, keys):
    """Let one client for each token make a project for each key; they begin together, key by key."""
    barrier = threading.Barrier(len(tokens))

    def walk(token):
        with contextlib.closing(Client(address, token)) as client:
            answers = []
            for key in keys:
                barrier.wait(PATIENCE_SECONDS)
                answers.append(client.send("POST", "/api/projects", {"name": key}, key=key))
            return answers

    with ThreadPoolExecutor(len(tokens)) as threads:
        return list(zip(*threads.map(walk, tokens), strict=True))


def test_sixteen_clients_send_the_same_keys(server, ada, ben, dan, rounds, figure):
    keys = [f"key-{number}" for number in range(rounds(8, 100))]
    crowd = walked(server.address, [ada.token] * CLIENTS, keys)
    for answers in crowd:
        assert {answer.status for answer in answers} == {201}
        assert len({answer.text for answer in answers}) == 1
        assert sum(not answer.is_replayed for answer in answers) == 1
    server.kill()
    server.start()
    for answers, (again,) in zip(crowd, walked(server.address, [ada.token], keys), strict=True):
        assert (again.status, again.text, again.is_replayed) == (201, answers[0].text, True)
    others = walked(server.address, [ben.token, dan.token], keys)
    hits = sum(answer.is_replayed for answers in others for answer in answers)
    assert hits == 0
    assert Counter(each["name"] for each in everything(ada, "projects", "projects")) == dict.fromkeys(keys, 2)
    assert Counter(each["name"] for each in everything(dan, "projects", "projects")) == dict.fromkeys(keys, 1)
    figure(
        "P32",
        f"{CLIENTS} clients on {len(keys)} keys: 1 execution and 1 body each, the same after a restart, "
        f"{hits} answers for another actor or organization",
    )


def test_one_file_under_one_key_by_several_at_once(ben, rounds, figure):
    """What is long on its way opens its transaction late: of those that did the same only one stays."""
    count = rounds(2, 20)
    for number in range(count):
        barrier = threading.Barrier(4)

        def send(_client, key=f"file-{number}", barrier=barrier):
            barrier.wait(PATIENCE_SECONDS)
            return upload(ben, key=key, name=f"{key}.ofx")

        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(send, range(4)))
        assert len({(answer.status_code, answer.data) for answer in answers}) == 1, [
            each.text for each in answers
        ]
        assert answers[0].status_code == 201
        assert sum("Idempotency-Replayed" not in answer.headers for answer in answers) == 1
        assert len(everything(ben, "feeds/imports", "imports")) == number + 1
    assert len(everything(ben, "transactions", "transactions")) == 2
    figure("P32", f"4 clients on {count} files: 1 import and 1 body each")


class Stubborn:
    """A program on a bad line, which sends a request under its key until it hears an answer."""

    def __init__(self, server, token, seed):
        self.server, self.token = server, token
        self.chance = Random(seed)  # noqa: S311  (the same moments every time)
        self.unknown = self.replayed = 0

    def send(self, path, body, key):
        deadline, tries = time.monotonic() + PATIENCE_SECONDS, 0
        while time.monotonic() < deadline:
            tries += 1
            try:
                with contextlib.closing(Client(self.server.address, self.token)) as client:
                    is_unheard = self.chance.random() < UNHEARD
                    send = client.send_unheard if is_unheard else client.send
                    answer = send("POST", path, body, key=key)
            except UNKNOWN:
                self.unknown += tries == 1
                time.sleep(0 if is_unheard else 0.02)
                continue
            if answer.status != 503:
                self.replayed += answer.is_replayed
                return answer
        raise AssertionError(f"Nobody answered {path}.")


def a_write(number, accounts):
    """Give a write that nothing but its key keeps from being done twice."""
    if number % 2:
        return "/api/projects", {"name": f"Project {number}"}
    debit, credit = accounts
    return "/api/journal-entries", {
        "effectiveAt": "2026-03-02",
        "description": f"Entry {number}",
        "postings": [{"accountId": debit, "amount": "1.00"}, {"accountId": credit, "amount": "-1.00"}],
        "post": True,
    }


def end_a_worker(server, chance):
    """Kill one of the server's workers; it gets another one by itself."""
    master = server.process.pid
    workers = Path(f"/proc/{master}/task/{master}/children").read_text().split()
    os.kill(int(chance.choice(workers)), signal.SIGKILL)


def test_unknown_outcomes_are_retried_blindly(server, app, ada, bank, rounds, figure):
    accounts = bank.account("Rent"), bank.account("Cash", "ASSET")
    clients, each, kills = 4, rounds(40, 250), rounds(2, 12)
    chance = Random(33)  # noqa: S311  (the same moments every time)
    answered = Counter()

    def work(client):
        program = Stubborn(server, ada.token, client)
        for number in range(client * each, (client + 1) * each):
            path, body = a_write(number, accounts)
            answer = program.send(path, body, f"write-{number}")
            assert answer.status == 201, answer.text
            answered[client] += 1
        return program

    with ThreadPoolExecutor(clients) as threads:
        working = [threads.submit(work, client) for client in range(clients)]
        for kill in range(kills):
            while answered.total() < clients * each * (kill + 1) / (kills + 2) and not any(
                future.done() for future in working
            ):
                time.sleep(0.005)
            if kill % 2:
                end_a_worker(server, chance)
            else:
                server.kill()
                server.start()
        programs = [future.result() for future in working]
    unknown, replayed = sum(each.unknown for each in programs), sum(each.replayed for each in programs)

    written = everything(ada, "projects", "projects") + everything(ada, "journal-entries", "entries")
    times = Counter(each.get("name") or each["description"] for each in written)
    assert set(times.values()) == {1}
    assert len(times) == clients * each
    with app.app_context():
        begin_read()
        assert [violation.message for violation in checks.violations()] == []
        db.session.rollback()
    assert 0 < replayed <= unknown
    figure(
        "P33",
        f"{clients * each} writes over {kills} kills: {unknown} unknown outcomes sent again, "
        f"of which {replayed} were done already; 0 duplicates",
    )
