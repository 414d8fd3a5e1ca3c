"""Under one key a write is done once, whoever sends it at once and whatever dies in the middle (P32, P33)."""

import contextlib
import http.client
import os
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from random import Random

from tests.api.interface.test_idempotency_keys import upload
from tests.concurrency.crowds import AGAIN_SECONDS, PATIENCE_SECONDS, TOO_MANY, Client
from tests.fixtures.helpers.replays import everything
from webapp.queries import checks

CLIENTS = 16
UNKNOWN = (OSError, http.client.HTTPException)
UNHEARD = 0.1
NUMBERS = count()


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


def test_a_key_stands_for_one_execution_whoever_sends_it_and_whatever_dies(
    server, app, ada, ben, dan, bank, rounds, figure
):
    """Sixteen clients send the same keys at once; then programs on bad lines work while the server is killed."""
    accounts = bank.account("Rent"), bank.account("Cash", "ASSET")
    keys = [f"key-{number}" for number in range(rounds(8, 100))]
    crowd = walked(server.address, [ada.token] * CLIENTS, keys)
    for answers in crowd:
        assert {answer.status for answer in answers} == {201}
        assert len({answer.text for answer in answers}) == 1
        assert sum(not answer.is_replayed for answer in answers) == 1

    work = Work(server, ada.token, accounts, clients=4, each=rounds(25, 250))
    work.run_through(kills=rounds(2, 12))
    for answers, (again,) in zip(crowd, walked(server.address, [ada.token], keys), strict=True):
        assert (again.status, again.text, again.is_replayed) == (201, answers[0].text, True)
    others = walked(server.address, [ben.token, dan.token], keys)
    assert not any(answer.is_replayed for answers in others for answer in answers)

    times = Counter(each["name"] for each in everything(ada, "projects", "projects"))
    times += Counter(each["description"] for each in everything(ada, "journal-entries", "entries"))
    assert times == dict.fromkeys(keys, 2) | dict.fromkeys(work.names, 1)
    assert {each["name"] for each in everything(dan, "projects", "projects")} == set(keys)
    assert bank.ask(lambda: [each.message for each in checks.violations()]) == []
    assert 0 < work.replayed <= work.unknown
    figure(
        "P32",
        f"{CLIENTS} clients on {len(keys)} keys: 1 execution and 1 body each, the same after a restart, "
        "0 answers for another actor or organization",
    )
    figure(
        "P33",
        f"{len(work.names)} writes over {work.kills} kills: {work.unknown} unknown outcomes sent again, "
        f"of which {work.replayed} were done already; 0 duplicates",
    )


def test_one_file_under_one_key_by_several_at_once(ben, rounds, figure):
    """What is long on its way opens its transaction late: of those that did the same only one stays."""
    files = rounds(2, 20)
    for number in range(files):
        barrier = threading.Barrier(4)

        def send(_client, key=f"file-{number}", barrier=barrier):
            barrier.wait(PATIENCE_SECONDS)
            while (answer := upload(ben, key=key, name=f"{key}.ofx")).status_code == TOO_MANY:
                time.sleep(AGAIN_SECONDS)
            return answer

        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(send, range(4)))
        assert len({(answer.status_code, answer.data) for answer in answers}) == 1, [
            each.text for each in answers
        ]
        assert answers[0].status_code == 201
        assert sum("Idempotency-Replayed" not in answer.headers for answer in answers) == 1
        assert len(everything(ben, "feeds/imports", "imports")) == number + 1
    assert len(everything(ben, "transactions", "transactions")) == 2
    figure("P32", f"4 clients on {files} files: 1 import and 1 body each")


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


class Work:
    """Writes that nothing but their keys keeps from being done twice, made by programs on bad lines."""

    def __init__(self, server, token, accounts, *, clients, each):
        self.server, self.accounts, self.each = server, accounts, each
        self.programs = [Stubborn(server, token, seed) for seed in range(clients)]
        self.chance = Random(33)  # noqa: S311  (the same moments every time)
        self.kills = 0
        self.names = []

    @property
    def unknown(self):
        return sum(program.unknown for program in self.programs)

    @property
    def replayed(self):
        return sum(program.replayed for program in self.programs)

    def run_through(self, kills):
        """Make all the writes, and kill the server or one of its workers at even distances."""
        total = len(self.programs) * self.each
        with ThreadPoolExecutor(len(self.programs)) as threads:
            working = [threads.submit(self.walk, program) for program in self.programs]
            while self.kills < kills and not all(future.done() for future in working):
                if len(self.names) >= total * (self.kills + 1) / (kills + 1):
                    self.kill()
                time.sleep(0.005)
            for future in working:
                future.result()
        assert (self.kills, len(self.names)) == (kills, total)

    def walk(self, program):
        for _ in range(self.each):
            number = next(NUMBERS)
            path, body = self.write(number)
            answer = program.send(path, body, f"write-{number}")
            assert answer.status == 201, answer.text
            self.names.append(body.get("name") or body["description"])

    def write(self, number):
        if number % 2:
            return "/api/projects", {"name": f"Project {number}"}
        debit, credit = self.accounts
        return "/api/journal-entries", {
            "effectiveAt": "2026-03-02",
            "description": f"Entry {number}",
            "postings": [{"accountId": debit, "amount": "1.00"}, {"accountId": credit, "amount": "-1.00"}],
            "post": True,
        }

    def kill(self):
        """Kill the whole server and start it again, or every other time a worker, which it replaces by itself."""
        self.kills += 1
        if self.kills % 2:
            self.server.kill()
            self.server.start()
            return
        os.kill(self.chance.choice(self.server.worker_pids()), signal.SIGKILL)
