"""The worker: a program beside the server that does what is to be done by itself, one job after the other."""

import fcntl
import logging
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Final

import click
import sqlalchemy as sa
from flask import Flask, current_app

from webapp.commands.books import application, require_revision, require_role
from webapp.commands.files import ending
from webapp.commands.rates import DAILY, fetched
from webapp.config import Settings
from webapp.database import failures, stop
from webapp.database.command_limits import unlimited
from webapp.database.sessions import begin_read, begin_write, db, own_transaction, scope_session
from webapp.database.tenancy import maintenance
from webapp.ledger.codes import SCHEDULES
from webapp.ledger.errors import LedgerError
from webapp.queries import checks
from webapp.queries.access import organizations
from webapp.queries.imports import bank_connections
from webapp.services.access import letters
from webapp.services.audit.act import Actor
from webapp.services.banks.answers import Application, Way
from webapp.services.banks.syncs import Sync
from webapp.services.bookkeeping import exchange_rates, retention, schedules
from webapp.services.operating import jobs, mail, timetable, webhooks
from webapp.services.operating.jobs import HeldJob, LostLeaseError
from webapp.services.operating.outbound import Gate
from webapp.web.rendering.letters import written

log = logging.getLogger("tieout.worker")
LOCK_FILE: Final = "worker.lock"
LONGEST_NAME: Final = 80
LOOK_SECONDS, PLAN_SECONDS, RENEW_SECONDS = 1.0, 600.0, 5.0
#: It has so long to end before it is killed; the first pause before it starts, and the longest after it died.
END_SECONDS, FIRST_PAUSE, LONGEST_PAUSE = 8.0, 1.0, 60.0


class EndedError(Exception):
    """The worker ends, and what it does is taken up again later."""


@dataclass(slots=True)
class Work:
    """A job that is being done."""

    claimed: HeldJob
    end: Event
    actor: Actor = field(init=False)

    def __post_init__(self) -> None:
        """Act as the program."""
        self.actor = Actor(self.claimed.organization_id, "SYSTEM", None, "Tieout")

    def commit(self) -> None:
        """Store a step, and go on; raises EndedError or LostLeaseError."""
        jobs.hold(self.claimed)
        failures.commit(db.session())
        if self.end.is_set():
            raise EndedError


def take_rates(work: Work) -> None:
    """Store the central bank's newest rates."""
    settings: Settings = current_app.config["SETTINGS"]
    data = fetched(settings, DAILY)
    days = exchange_rates.read_file(data)
    begin_write(work.claimed.organization_id)
    digest = sha256(data).hexdigest()
    exchange_rates.take_file(days, sha256=digest, actor=work.actor, now=datetime.now(UTC))


def delete_old_files(work: Work) -> None:
    """Delete the files beyond the retention, in several transactions so that nobody waits long."""
    while True:
        begin_write(work.claimed.organization_id)
        organization = organizations.get(work.claimed.organization_id)
        if not retention.delete_old(organization, actor=work.actor, now=datetime.now(UTC)):
            return
        work.commit()


def check(work: Work) -> None:
    """Check the books; raises UnsoundError where they are not sound."""
    with unlimited():
        begin_read(work.claimed.organization_id)
        found = list(checks.of_organization())
        db.session.rollback()
    if found:
        raise UnsoundError(f"{found[0].message} Violations in all: {len(found):,}. Run: tieout check")


def post_schedules(work: Work) -> None:
    """Post what is due of the schedules that post themselves; what is refused is tried again the next day."""
    begin_write(work.claimed.organization_id)
    schedules.run(by_itself=True, actor=work.actor, now=datetime.now(UTC))


def sync(work: Work) -> None:
    """Ask the provider of a bank connection for new lines."""
    settings: Settings = current_app.config["SETTINGS"]
    way = Way(Gate(*settings.outbound), Application(*settings.enablebanking), datetime.now(UTC))
    of, connection_id = work.claimed.organization_id, int(work.claimed.subject)
    Sync(of, connection_id, way, work.commit, lambda: datetime.now(UTC)).run()


def send_webhook(work: Work) -> None:
    """Send a message to an endpoint, and say what came of it."""
    gate, job = Gate(*current_app.config["SETTINGS"].outbound), work.claimed
    webhooks.deliver(job.organization_id, int(job.subject), gate, lambda: datetime.now(UTC))


def send_letter(work: Work) -> None:
    """Send a letter, with the secret of its link forgotten after it."""
    settings, job = current_app.config["SETTINGS"], work.claimed
    server = mail.server_of(settings.smtp_url)
    begin_read(job.organization_id)
    letter = letters.read(job.organization_id, job.subject, datetime.now(UTC))
    db.session.rollback()
    if letter is not None and server is not None:
        server.send(written(letter, job.organization_id, f"{job.id}", settings, datetime.now(UTC)))
    begin_write(job.organization_id)
    letters.sent(job.subject)


class UnsoundError(LedgerError):
    """The books are not sound."""

    code = "unsound"


HANDLERS: Final[Mapping[str, Callable[[Work], None]]] = {
    timetable.RATES: take_rates,
    timetable.DELETION: delete_old_files,
    timetable.CHECK: check,
    SCHEDULES: post_schedules,
    bank_connections.SYNC: sync,
    webhooks.DELIVER: send_webhook,
    letters.LETTER: send_letter,
}


@click.command()
@click.option("--of", "parent", type=int, hidden=True, help="End when this process is no longer the parent.")
def worker(parent: int | None) -> None:
    """Do what is to be done by itself, as `tieout serve` has it done unless WORKER=off."""
    app = application()
    settings: Settings = app.config["SETTINGS"]
    with app.app_context(), ending() as end:
        require_revision()
        with maintenance():
            require_role()
        if parent is not None:
            Thread(target=_end_without, args=(parent, end), daemon=True).start()
        with _alone(settings.instance_path, end) as lock:
            if not end.is_set():
                JobRunner(app, end).run(lock)


def _end_without(parent: int, end: Event) -> None:
    while os.getppid() == parent and not end.wait(LOOK_SECONDS):
        pass
    end.set()


@contextmanager
def _alone(instance_path: Path, end: Event) -> Iterator[int]:
    """Wait until no other worker of this installation runs: with SQLite it is the only one, and leads.

    Answers the descriptor of the lock file, which has the name of the worker that led last.
    """
    descriptor = os.open(instance_path / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        while not end.is_set():
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                end.wait(LOOK_SECONDS)
        yield descriptor
    finally:
        os.close(descriptor)


class JobRunner:
    """Claims one job after the other, and holds its lease while it runs."""

    def __init__(self, app: Flask, end: Event) -> None:
        self.name = f"{socket.gethostname()[:40]}:{os.getpid()}:{secrets.token_hex(4)}"
        self._app, self._end = app, end
        self._settings: Settings = app.config["SETTINGS"]
        self._claimed: HeldJob | None = None

    def run(self, lock: int) -> None:
        """Work until the end; what the database cannot do now is tried again."""
        before = os.pread(lock, LONGEST_NAME, 0).decode().strip()
        while not (self._end.is_set() or self._attempt(lambda: self._free(before))):
            self._end.wait(LOOK_SECONDS)
        # Of one length, so that none is ever half of one name and half of another.
        os.pwrite(lock, self.name.ljust(LONGEST_NAME).encode(), 0)
        if not self._settings.is_sqlite:
            Thread(target=self._renew, daemon=True).start()
        planned: float | None = None
        while not self._end.is_set():
            is_busy = False
            if not stop.is_stopped(self._settings.instance_path):
                if planned is None or monotonic() > planned + PLAN_SECONDS:
                    planned = monotonic()
                    self._attempt(self.plan)
                self._attempt(self.gather)
                is_busy = self._attempt(self.work)
            if not is_busy:
                self._end.wait(LOOK_SECONDS)

    def _attempt(self, step: Callable[[], bool]) -> bool:
        try:
            return step()
        except (LedgerError, sa.exc.SQLAlchemyError, OSError) as error:
            log.warning("The worker waits: %s", type(error).__name__)
            return False
        finally:
            with suppress(sa.exc.SQLAlchemyError):
                db.session.remove()

    def _free(self, before: str) -> bool:
        """Free what the worker that led before held when it died: it is done at once, not when its lease is over."""
        with maintenance():
            begin_write()
            jobs.free(before)
            failures.commit(db.session())
        return True

    def plan(self) -> bool:
        """Let what is done by itself wait for its next time, in each of the books."""
        with maintenance():
            begin_read()
            found = jobs.unplanned()
            db.session.rollback()
        for organization_id, kinds in found:
            begin_write(organization_id)
            for kind in kinds & set(HANDLERS):
                jobs.want_next(organizations.get(organization_id), kind, datetime.now(UTC))
            failures.commit(db.session())
            db.session.remove()
        if self._settings.smtp_url:
            self._mail_ending_consents()
        return True

    def _mail_ending_consents(self) -> None:
        """Let people be told of the consents that end soon."""
        with maintenance():
            begin_read()
            found = letters.ending(datetime.now(UTC))
            db.session.rollback()
        for end in found:
            db.session.remove()
            begin_write(end.organization_id)
            letters.mail_ending_consent(end, datetime.now(UTC))
            failures.commit(db.session())

    def gather(self) -> bool:
        """Write the messages of what happened to those endpoints that were not told."""
        with maintenance():
            begin_read()
            found = webhooks.behind()
            db.session.rollback()
        for organization_id in found:
            db.session.remove()
            begin_write(organization_id)
            webhooks.gather(organization_id, datetime.now(UTC))
            failures.commit(db.session())
        return bool(found)

    def work(self) -> bool:
        """Do the first job that is free; answers whether there was one."""
        with maintenance():
            begin_read()
            found = jobs.due(self.name)
            db.session.rollback()
        for organization_id, job_id in found:
            db.session.remove()
            scope_session(organization_id)
            begin_write()
            claimed = jobs.claim(organization_id, job_id, self.name, datetime.now(UTC))
            failures.commit(db.session())
            if claimed is not None:
                self._claimed = claimed
                try:
                    self._do(claimed)
                finally:
                    self._claimed = None
                return True
        return False

    def _do(self, claimed: HeldJob) -> None:
        """Do a job; its end is stored with its effect, or nothing is."""
        try:
            HANDLERS[claimed.kind](Work(claimed, self._end))
            begin_write(claimed.organization_id)
            jobs.finish(claimed, datetime.now(UTC))
            failures.commit(db.session())
        except LostLeaseError:
            db.session.rollback()
        except EndedError:
            self._settle(claimed, lambda: jobs.release(claimed))
        except Exception as error:
            is_refusal = isinstance(error, LedgerError) and error.status < 500  # noqa: PLR2004  (as HTTP has it)
            said = (
                str(error) if isinstance(error, LedgerError) else f"{type(error).__name__}: look at the log."
            )
            log.warning("The job %s failed: %s", claimed.kind, type(error).__name__, exc_info=not is_refusal)
            self._settle(claimed, lambda: jobs.fail(claimed, said, datetime.now(UTC), is_final=is_refusal))

    def _settle(self, claimed: HeldJob, end: Callable[[], None]) -> None:
        db.session.rollback()
        begin_write(claimed.organization_id)
        with suppress(LostLeaseError):
            end()
        failures.commit(db.session())

    def _renew(self) -> None:
        """Let the lease of the job that runs begin anew again and again, on a connection of its own."""
        while not self._end.wait(RENEW_SECONDS):
            claimed = self._claimed
            if claimed is not None:
                with (
                    self._app.app_context(),
                    suppress(LedgerError, sa.exc.SQLAlchemyError),
                    own_transaction(organization_id=claimed.organization_id) as session,
                ):
                    session.execute(jobs.renewed(claimed))


class Attendant:
    """Keeps `tieout worker` beside a server as a program of its own: starts it again when it dies."""

    def __init__(self) -> None:
        self._end = Event()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the worker soon, when the server is there."""
        Thread(target=self._keep, daemon=True).start()

    def _keep(self) -> None:
        words = [sys.executable, "-m", "webapp.cli", "worker", "--of", str(os.getpid())]
        pause = FIRST_PAUSE
        while not self._end.wait(pause):
            began = monotonic()
            self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL)  # noqa: S603  (our own words)
            self._process.wait()
            pause = FIRST_PAUSE if monotonic() > began + LONGEST_PAUSE else min(2 * pause, LONGEST_PAUSE)

    def stop(self) -> None:
        """Ask the worker to end, and kill it where it takes long: its job is then taken up again."""
        self._end.set()
        if self._process is not None:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(END_SECONDS)
            self._process.kill()
