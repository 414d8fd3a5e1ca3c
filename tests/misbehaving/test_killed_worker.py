"""A worker that is killed at any moment: each job is done in the end, and its effect is in the books once."""

import fcntl
import os
import signal
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest
import sqlalchemy as sa

from tests.fixtures.programs import Program
from tests.fixtures.servers import PATIENCE_SECONDS, Server
from webapp.commands import worker
from webapp.database.sessions import begin_read, begin_write, db
from webapp.models import Job, Project
from webapp.queries import checks
from webapp.services.accounts import projects
from webapp.services.operating import jobs

TALLY = "TALLY"
LONGEST_LIFE = 0.2
AT_ONCE = 60


def tally(work):
    """Make a project of the job's name: one that is made twice shows."""
    begin_write(work.claimed.organization_id)
    projects.create(name=work.claimed.subject, actor=work.actor, now=worker.datetime.now(worker.UTC))
    print(work.claimed.subject, flush=True)  # noqa: T201  (the test waits for it)


def counting():
    """Let the worker tally."""
    worker.HANDLERS[TALLY] = tally


def wanted(organization_id, numbers):
    begin_write(organization_id)
    now = worker.datetime.now(worker.UTC)
    for number in numbers:
        jobs.want(organization_id, TALLY, "once", subject=f"job {number}", at=now, now=now)
    db.session.commit()


def states(organization_id):
    begin_read(organization_id)
    found = sa.select(Job.state).where(Job.organization_id == organization_id, Job.kind == TALLY)
    counted = Counter(db.session.scalars(found))
    db.session.rollback()
    return counted


def await_end(organization_id, count):
    done = -1
    while done < count:
        until(lambda before=done: states(organization_id)["DONE"] > before)
        done = states(organization_id)["DONE"]


def test_whatever_a_worker_did_when_it_died_is_done_once(app, house, ada, rounds, figure, tmp_path):
    kills, chance = rounds(6, 200), Random(7)  # noqa: S311  (which moments)
    count = done = 0
    with app.app_context():
        for _ in range(kills):
            # More than a worker does in the time that it has.
            wanted(ada.organization_id, range(count, done + AT_ONCE))
            count = done + AT_ONCE
            house.leave()
            program = Program(house, "worker", first=counting)
            until(program.said)
            time.sleep(chance.uniform(0, LONGEST_LIFE))
            program.kill()
            done = states(ada.organization_id)["DONE"]
        house.leave()
        # Two of them: on SQLite, in one folder, one waits for the other.
        folders = {} if house.settings.is_sqlite else {"INSTANCE_PATH": str(tmp_path)}
        last = [Program(house, "worker", first=counting, **each) for each in ({}, folders)]
        await_end(ada.organization_id, count)
        for each in last:
            each.terminate()
            # One that was not ready yet is ended by the signal itself.
            assert each.wait(PATIENCE_SECONDS) in (0, -signal.SIGTERM), each.said()
        begin_read(ada.organization_id)
        names = Counter(
            db.session.scalars(sa.select(Project.name).where(Project.organization_id == ada.organization_id))
        )
        assert names == Counter(f"job {number}" for number in range(count))
        assert [each.message for each in checks.violations()] == []
        db.session.rollback()
    assert 0 < done < count
    figure("the worker, kill -9", f"{kills} kills, {count} jobs: 0 lost, 0 done twice")


@pytest.fixture
def server(house):
    """A server that keeps a worker, and is gone after the test."""
    house.leave()
    server = Server(house, 1, WORKER="on")
    yield server
    server.kill()


@pytest.mark.rare
def test_a_server_keeps_a_worker_and_ends_it(server):
    """It is a program of its own, starts again when it dies, and ends with the server, however that ends."""
    first = awaited(server, [])
    assert resident(first) <= 120 * 1024
    os.kill(first, signal.SIGKILL)
    second = awaited(server, [first])
    server.process.terminate()
    assert server.process.wait(PATIENCE_SECONDS) == 0
    assert words_of(second) == []
    server.start()
    third = awaited(server, [first, second])
    os.kill(server.process.pid, signal.SIGKILL)
    until(lambda: words_of(third) == [])


def awaited(server, known):
    """Wait for a worker that is none of the known ones, until it works; answers its process."""

    def found():
        threads = Path(f"/proc/{server.process.pid}/task").glob("*/children")
        pids = {int(pid) for children in threads for pid in children.read_text().split()}
        return [pid for pid in pids - set(known) if b"worker" in words_of(pid)]

    until(lambda: found() and is_led(server.house.settings.instance_path))
    (pid,) = found()
    return pid


def is_led(instance_path):
    """Return whether a worker has the lock, and so minds signals."""
    path = instance_path / worker.LOCK_FILE
    if not path.exists():
        return False
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def words_of(pid):
    """Give the words of a program; none where it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[:-1]
    except OSError:
        return []


def resident(pid):
    """Give the kibibytes of memory that a program has."""
    return int(Path(f"/proc/{pid}/status").read_text().partition("VmRSS:")[2].split()[0])


def until(condition):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
