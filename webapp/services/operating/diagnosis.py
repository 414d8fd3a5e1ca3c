"""What will hurt this installation: each finding is a sentence with its mend."""

from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from webapp.config import Settings
from webapp.database import stop
from webapp.database.postgresql import weaknesses
from webapp.database.roles import refusal
from webapp.database.sessions import begin_read, db
from webapp.database.sqlite import is_safe
from webapp.ledger import titles
from webapp.ledger.errors import LedgerError
from webapp.migrations import revisions
from webapp.models import AuditEvent, BankConnection, ExchangeRate, FeedAccount, Job, Organization
from webapp.queries import checks
from webapp.services.backups import records
from webapp.services.operating import machine, mail
from webapp.services.operating.machine import Symptom
from webapp.services.storage import vault

These = Callable[[sa.orm.InstrumentedAttribute[str]], sa.ColumnElement[bool]]
OLD_BACKUP, OLD_RATES, NEW_BOOKS = timedelta(days=7), timedelta(days=5), timedelta(days=1)
LATE_SYNC: Final = timedelta(days=1)
LATE_JOB: Final = timedelta(minutes=15)
CLOCK: Final = timedelta(seconds=30)
SHOWN: Final = 5
_SETTING: Final = sa.func.current_setting
SERVER: Final = sa.select(
    (
        sa.cast(_SETTING("max_connections"), sa.Integer)
        - sa.cast(_SETTING("superuser_reserved_connections"), sa.Integer)
    ).label("room"),
    _SETTING("server_encoding").label("encoding"),
    sa.cast(_SETTING("server_version_num"), sa.Integer).label("version"),
    sa.or_(sa.func.pg_is_in_recovery(), _SETTING("default_transaction_read_only") == "on").label(
        "only_reads"
    ),
    sa.func.clock_timestamp().label("now"),
)
LIBRARY: Final = sa.select(sa.func.sqlite_version())
THURSDAY: Final = 3


def examine(settings: Settings, *, now: datetime, quick: bool) -> Iterator[Symptom]:
    """Look at the settings, the machine and the books; `quick` leaves out the check of all books."""
    yield from machine.examine(settings, now)
    yield from mail_symptoms(settings)
    place = settings.database_file or settings.instance_path
    if not place.exists():
        yield Symptom("no_books", f"There are no books in {place} yet.", "tieout migrate")
        return
    try:
        found = revisions.current_revision(db.engine)
    except sa.exc.SQLAlchemyError as error:
        reason = str(getattr(error, "orig", error)).splitlines()[0]
        yield Symptom(
            "database_unavailable",
            f"The books do not open: {reason}.",
            "Start the database, and look at DATABASE_URL.",
        )
        return
    wrong = _of_revision(settings, found)
    if wrong is not None:
        yield wrong
        return
    begin_read()
    yield from _of_database(settings, now)
    yield from _of_vault()
    yield from _of_books(settings.instance_path, now)
    if not quick:
        yield from _of_checks()
    db.session.rollback()


def mail_symptoms(settings: Settings) -> Iterator[Symptom]:
    """Sign in to the mail server, where one is set."""
    server = mail.server_of(settings.smtp_url)
    if server is None:
        return
    try:
        server.greet()
    except LedgerError as error:
        sentence = f"Nobody gets mail: {error}"
        yield Symptom("mail", sentence, "Look at SMTP_URL, its password and the server's log; or unset it.")


def _of_revision(settings: Settings, found: str | None) -> Symptom | None:
    expected = revisions.head_revision()
    if found is None:
        return Symptom("no_books", f"There are no books in {settings.instance_path} yet.", "tieout migrate")
    if found > expected:
        return Symptom(
            "unknown_books",
            f"The books are at revision {found}, which this version does not know.",
            "Use the version that upgraded them.",
        )
    if found != expected:
        was_stopped = f" {stop.KILLED}" if stop.is_stopped(settings.instance_path) else ""
        return Symptom(
            "migration_pending",
            f"The books are at revision {found}, and this version needs {expected}.{was_stopped}",
            "tieout upgrade",
        )
    stopped_for = stop.revision_to_come(settings.instance_path)
    if stopped_for is not None:
        return Symptom(
            "requests_stopped",
            f"{stop.UPGRADED if stopped_for == expected else stop.KILLED} Requests are answered 503.",
            "tieout serve",
        )
    return None


def _of_database(settings: Settings, now: datetime) -> Iterator[Symptom]:
    connection = db.session.connection()
    if connection.dialect.name == "sqlite":
        version = str(connection.scalar(LIBRARY))
        if not is_safe(version):
            yield Symptom(
                "old_sqlite",
                f"SQLite {version} can damage books in WAL mode. Without it, readers wait for writers.",
                "pip install --upgrade pysqlite3",
            )
        return
    if (refused := refusal(connection)) is not None:
        yield Symptom("unsafe_role", refused, "See above.")
    for code, sentence in weaknesses(connection).items():
        yield Symptom(code, *_halved(sentence))
    yield from _of_server(settings, connection.execute(SERVER).one(), now)


def _of_server(settings: Settings, server: sa.Row[Any], now: datetime) -> Iterator[Symptom]:
    needed = settings.most_connections
    if server.room < needed:
        yield Symptom(
            "few_connections",
            f"PostgreSQL takes {server.room} connections, and the workers may open {needed}.",
            "Raise max_connections, or lower WEB_CONCURRENCY or THREADS.",
        )
    if server.encoding != "UTF8":
        yield Symptom(
            "encoding",
            f"The database keeps texts as {server.encoding}, which has not every letter.",
            "Make a database with ENCODING 'UTF8', and restore a backup into it.",
        )
    if server.only_reads:
        yield Symptom(
            "only_reads",
            "This PostgreSQL server may only be read: nothing can be posted.",
            "Name the primary in DATABASE_URL, with target_session_attrs=read-write.",
        )
    major = server.version // 10000
    if last_corrections(major) < now.date():
        yield Symptom(
            "old_postgresql",
            f"PostgreSQL {major} gets no more corrections.",
            "Upgrade the server: pg_upgrade, or restore a backup into a newer one.",
        )
    if abs(server.now - now) > CLOCK:
        yield Symptom(
            "clocks_differ",
            f"The clocks of this machine and the database differ by {abs(server.now - now)}.",
            "Set both: timedatectl set-ntp true",
        )


def last_corrections(major: int) -> date:
    """Give the day of PostgreSQL's last corrections to a version: in November, five years after it came.

    https://www.postgresql.org/support/versioning/

    >>> [f"{last_corrections(each):%Y-%m-%d}" for each in (13, 14, 15, 16, 17, 18)]
    ['2025-11-13', '2026-11-12', '2027-11-11', '2028-11-09', '2029-11-08', '2030-11-14']
    """
    first = date(2012 + major, 11, 1)
    return first + timedelta(days=7 + (THURSDAY - first.weekday()) % 7)


def _halved(sentence: str) -> tuple[str, str]:
    """Part what is true from what to do, which follows behind the last full stop or colon."""
    fact, _, mend = sentence.rpartition(". ")
    return f"{fact}.", mend


def _of_books(instance_path: Path, now: datetime, organization_id: str | None = None) -> Iterator[Symptom]:
    """Look at the books of one organization, or of all."""
    these = _books_of(organization_id)
    first = db.session.scalar(sa.select(sa.func.min(Organization.created_at)).where(these(Organization.id)))
    if first is None:
        return
    yield from of_backups(instance_path, now if now - first > NEW_BOOKS else None, now)
    newest_act = sa.select(sa.func.max(AuditEvent.at)).where(these(AuditEvent.organization_id))
    latest = db.session.scalar(newest_act)
    if latest is not None and latest > now + CLOCK:
        yield Symptom(
            "clock_behind",
            f"The clock of this machine is behind the newest act in the books ({latest:%Y-%m-%d %H:%M} UTC).",
            "Set the clock: timedatectl set-ntp true",
        )
    yield from _of_rates(now, these)
    yield from _of_jobs(now, these)
    yield from _of_connections(now, these)
    folders = sa.select(Organization.drop_folder).where(
        Organization.drop_folder.is_not(None), these(Organization.id)
    )
    for folder in db.session.scalars(folders):
        if folder is not None and not Path(folder).is_dir():
            yield Symptom(
                "no_drop_folder",
                f"The drop folder {folder} is not there.",
                f"mkdir {folder}, or: tieout drop-folder --none",
            )


def _books_of(organization_id: str | None) -> These:
    """Ask for the rows of one organization, or of all, by the column that says whose they are."""
    return lambda column: sa.true() if organization_id is None else column == organization_id


def _of_rates(now: datetime, these: These) -> Iterator[Symptom]:
    bank_currencies = (
        sa.select(ExchangeRate.currency, sa.func.max(ExchangeRate.day).label("day"))
        .join(
            FeedAccount,
            sa.and_(
                FeedAccount.organization_id == ExchangeRate.organization_id,
                FeedAccount.currency == ExchangeRate.currency,
            ),
        )
        .where(FeedAccount.is_active, these(FeedAccount.organization_id), these(ExchangeRate.organization_id))
        .group_by(ExchangeRate.organization_id, ExchangeRate.currency)
        .order_by(ExchangeRate.currency)
    )
    old = {
        row.currency: row.day
        for row in db.session.execute(bank_currencies)
        if row.day < now.date() - OLD_RATES
    }
    if old:
        newest = max(old.values())
        yield Symptom(
            "old_rates",
            f"The newest exchange rates of {', '.join(old)} are of {newest:%-d %b %Y}.",
            "Switch them on under Settings, Automatic, or let a timer run: tieout fetch-rates",
        )


def _of_jobs(now: datetime, these: These) -> Iterator[Symptom]:
    late = sa.select(sa.func.min(Job.run_at)).where(
        Job.state == "WAITING", Job.run_at < now - LATE_JOB, these(Job.organization_id)
    )
    since = db.session.scalar(late)
    if since is not None:
        yield Symptom(
            "jobs_wait",
            f"Nothing is done by itself: a job waits since {since:%-d %b %Y %H:%M} UTC.",
            "Unset WORKER where it is off, or run: tieout worker",
        )
    is_failed = sa.and_(Job.state == "FAILED", these(Job.organization_id))
    failed = sa.select(Job.kind, Job.error).where(is_failed).order_by(Job.run_at.desc())
    for job in db.session.execute(failed.limit(SHOWN)):
        yield Symptom(
            "job_failed",
            f"The job {job.kind} failed: {job.error}",
            "Look at Settings, Automatic.",
        )


def _of_connections(now: datetime, these: These) -> Iterator[Symptom]:
    """Name the connections to banks that fail, or that nobody could ask for long."""
    late = sa.and_(
        BankConnection.status == "ACTIVE",
        sa.func.coalesce(BankConnection.last_succeeded_at, BankConnection.created_at) < now - LATE_SYNC,
    )
    fails = BankConnection.status.in_(("FAILING", "NEEDS_CONSENT"))
    found = sa.select(BankConnection.name, BankConnection.error).where(
        these(BankConnection.organization_id), sa.or_(late, fails)
    )
    for each in db.session.execute(found.order_by(BankConnection.id).limit(SHOWN)):
        yield Symptom(
            "bank_connection",
            f"The bank connection {each.name} brings no lines: {each.error or 'nobody asks for them.'}",
            "Look at Settings, Bank connections.",
        )


def _of_vault() -> Iterator[Symptom]:
    try:
        count = vault.count_lost()
    except vault.VaultKeyError as error:
        yield Symptom("vault_key", str(error), "See above.")
        return
    if count:
        yield Symptom(
            "secrets_lost",
            f"{titles.counted(count, 'secret')} of connections cannot be opened with the key in {vault.key_path()}.",
            "Put that key back, or connect anew.",
        )


def of_backups(instance_path: Path, needed_since: datetime | None, now: datetime) -> Iterator[Symptom]:
    """Say whether backups are made and verified; new books need none yet."""
    noted = records.noted(instance_path)
    mend = "Let a timer run: tieout backup --to DIR --keep 14 --verify"
    if "made" not in noted:
        if needed_since is not None:
            yield Symptom("no_backup", "No backup was made on this machine yet.", mend)
    elif now - noted["made"] > OLD_BACKUP:
        yield Symptom("old_backup", f"The newest backup is of {noted['made']:%-d %b %Y}.", mend)
    elif "verified" not in noted:
        yield Symptom("unverified_backup", "No backup was verified by a restore yet.", mend, hurts=False)
    elif now - noted["verified"] > OLD_BACKUP:
        yield Symptom(
            "old_verification", f"The newest verified backup is of {noted['verified']:%-d %b %Y}.", mend
        )


def _of_checks() -> Iterator[Symptom]:
    found = list(checks.violations())
    for each in found[:SHOWN]:
        yield Symptom("unsound", each.message, "tieout check")
    if len(found) > SHOWN:
        yield Symptom("unsound", f"The checks find {len(found) - SHOWN:,} more.", "tieout check")


def for_owners(settings: Settings, organization_id: str, now: datetime) -> list[Symptom]:
    """List what an owner of one organization may know: nothing of other books, and nothing of the database."""
    return [
        *machine.examine(settings, now),
        *_of_books(settings.instance_path, now, organization_id),
    ]


def of_hub(instance_path: Path, now: datetime) -> Symptom | None:
    """Give what is wrong with backups that were made once, unless an owner has known it for less than a week."""
    dismissed = records.noted(instance_path).get("dismissed")
    if dismissed is not None and now - dismissed < OLD_BACKUP:
        return None
    return next((each for each in of_backups(instance_path, None, now) if each.hurts), None)
