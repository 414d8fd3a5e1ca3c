"""A long import starves nobody, and however it ends, all of its lines are there or none (P14, P31)."""

import contextlib
import io
import json
import random
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from werkzeug.datastructures import FileStorage
from werkzeug.test import encode_multipart

from tests.concurrency import crowds
from tests.concurrency.crowds import Client, all_at_once, percentile
from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.programs import Program
from webapp.database.sessions import begin_write, db
from webapp.models import Transaction
from webapp.queries import checks

CLIENTS, WORKERS = 16, 2
WAIT_SECONDS = 3
LINES = 500
crowds.PATIENCE_SECONDS = 600
LONG = {"quick": 1000, "promised": 10_000}


def file_of(count, account):
    """A file of so many lines over a quarter of a year."""
    lines = (
        Line(
            f"2026-0{1 + number % 3}-{1 + number % 28:02}",
            f"-{1 + number % 90}.05",
            f"Shop {number}",
            f"F{number}",
        )
        for number in range(count)
    )
    return bank_file(*lines, account=account)


def said_by(house, *words):
    """Run a command to its end, and read what it says."""
    return json.loads(Program(house, *words).communicate()[0])


@pytest.mark.rare
def test_confirming_goes_on_during_a_long_import(gunicorn, house, ada, ben, bank, tmp_path, rounds, figure):
    each = rounds(4, 20)
    lines = bank.send_many(
        [("2026-03-02", "-1.00", f"Line {number}") for number in range(2 * CLIENTS * each)]
    )
    path = tmp_path / "long.ofx"
    count = rounds(LONG["quick"], LONG["promised"])
    path.write_bytes(file_of(count, "long"))
    address = gunicorn(WORKERS)
    tokens = [ada.token, ben.token]
    paths = [
        [f"/api/transactions/{line}/confirm" for line in lines[n :: 2 * CLIENTS]] for n in range(2 * CLIENTS)
    ]
    calm = [one.seconds for crowd in all_at_once(address, tokens, paths[CLIENTS:]) for one in crowd]
    importing = Program(house, "import", str(path), "--organization", ada.organization_id, "--json")
    answers = []
    with ThreadPoolExecutor(1) as waiting:
        ended = waiting.submit(importing.communicate)
        while not ended.done() or not answers:
            crowds = all_at_once(address, tokens, paths[:CLIENTS])
            answers += [one for crowd in crowds for one in crowd]
        said = json.loads(ended.result()[0])
    times = [answer.seconds for answer in answers]
    figure(
        "P14",
        f"{count:,} lines come in while {CLIENTS} clients confirm {len(answers)} times:"
        f" p99 {percentile(times, 0.99):.0f} ms (promised 1000), {percentile(calm, 0.99):.0f} ms without the import,"
        f" {sum(answer.status >= 500 for answer in answers)} answers of 5xx",
    )
    assert {answer.status for answer in answers} == {200}
    assert said[0]["accounts"][0]["added"] == count


def confirmed(address, token, paths, ended):
    """Confirm one line after the other until there is an end."""
    answers = []
    with contextlib.closing(Client(address, token)) as client:
        for path in paths:
            if ended.is_set():
                break
            answers.append(client.post(path))
    return answers


def read_on(address, token, ended):
    answers = []
    with contextlib.closing(Client(address, token)) as client:
        while not ended.is_set():
            answers.append(client.send("GET", "/api/transactions?limit=20"))
            time.sleep(0.02)
    return answers


def sent_as_a_form(address, token, file):
    """Import a file as a browser sends one, which may be larger than JSON; gives the status of the answer."""
    boundary, body = encode_multipart({"file": FileStorage(io.BytesIO(file), "long.ofx")})
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": f"multipart/form-data; boundary={boundary}",
    }
    request = urllib.request.Request(f"{address}/api/feeds/imports", body, headers)  # noqa: S310  (our own server)
    with urllib.request.urlopen(request, timeout=crowds.PATIENCE_SECONDS) as answer:  # noqa: S310
        return answer.status


@pytest.mark.rare
def test_a_reader_feels_little_of_a_crowd_that_confirms_and_a_long_import(
    gunicorn, ada, ben, bank, rounds, figure
):
    """The import comes over the network too, so that all of them share the threads of one server."""
    crowd, each, count = rounds(16, 64), rounds(6, 150), rounds(1000, 100_000)
    lines = bank.send_many([("2026-03-02", "-1.00", f"Line {number}") for number in range(crowd * each)])
    paths = [f"/api/transactions/{line}/confirm" for line in lines]
    address, ended = gunicorn(1), threading.Event()
    with ThreadPoolExecutor(crowd + 1) as clients:
        confirming = [
            clients.submit(confirmed, address, ada.token, paths[number::crowd], ended)
            for number in range(crowd)
        ]
        reading = clients.submit(read_on, address, ben.token, ended)
        try:
            imported = sent_as_a_form(address, ada.token, file_of(count, "long"))
        finally:
            ended.set()
    writes = [answer for one in confirming for answer in one.result()]
    reads = reading.result()
    figure(
        "P14",
        f"{count:,} lines come in over the network while {crowd} clients confirm {len(writes)} times:"
        f" a reader's p99 {percentile([one.seconds for one in reads], 0.99):.0f} ms of {len(reads)} (promised 1000)",
    )
    assert imported == 201
    assert {one.status for one in [*writes, *reads]} == {200}
    assert percentile([one.seconds for one in reads], 0.99) <= rounds(5000, 1000)


@pytest.mark.rare
def test_who_reads_does_not_wait_with_those_who_wait_to_write(gunicorn, house, ada, ben, bank):
    lines = bank.send_many([("2026-03-02", "-1.00", f"Line {number}") for number in range(CLIENTS)])
    address, ended = gunicorn(1), threading.Event()
    with ThreadPoolExecutor(CLIENTS + 1) as clients:
        with house.app.app_context():
            begin_write(ada.organization_id)
            writing = [
                clients.submit(confirmed, address, ada.token, [f"/api/transactions/{line}/confirm"], ended)
                for line in lines
            ]
            reading = clients.submit(read_on, address, ben.token, ended)
            time.sleep(WAIT_SECONDS)
            ended.set()
            waiting = sum(not each.done() for each in writing)
            db.session.rollback()
        writes = [answer for each in writing for answer in each.result()]
    assert (waiting, {answer.status for answer in writes}) == (CLIENTS, {200})
    assert max(answer.seconds for answer in reading.result()) < WAIT_SECONDS / 2


@pytest.mark.operates
def test_an_import_that_is_killed_leaves_all_or_nothing(house, ada, session, tmp_path, rounds, figure):
    path = tmp_path / "killed.ofx"
    asked = ("import", str(path), "--organization", ada.organization_id, "--json")
    path.write_bytes(file_of(LINES, "calm"))
    began = time.monotonic()
    said_by(house, *asked)
    calm = time.monotonic() - began
    chance = random.Random(31)  # noqa: S311  (nothing is kept secret with it)
    left = []
    for number in range(rounds(1, 50)):
        path.write_bytes(file_of(LINES, f"killed {number}"))
        killed = Program(house, *asked)
        time.sleep(chance.uniform(0.3, 1.0) * calm)
        killed.kill()
        left.append(count_of(session) - LINES * (number + 1))
        again = said_by(house, *asked)[0]["accounts"][0]
        assert (left[-1], again["added"], again["alreadyThere"]) in {(0, LINES, 0), (LINES, 0, LINES)}
        assert count_of(session) == LINES * (number + 2)
    sound = list(checks.violations())
    figure(
        "P31", f"{len(left)} imports killed: {left.count(0)} left nothing, {left.count(LINES)} left all lines"
    )
    assert sound == []
    assert set(left) <= {0, LINES}


def count_of(session):
    session.rollback()
    found = session.scalar(sa.select(sa.func.count()).select_from(Transaction))
    session.rollback()
    return found
