"""What will hurt this installation: each finding is a sentence with its mend."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from webapp.config import Settings, is_loopback
from webapp.database import stop
from webapp.database.postgresql import weaknesses
from webapp.database.roles import refusal
from webapp.database.sessions import begin_read, db
from webapp.database.sqlite import is_safe
from webapp.file_safety import file_system
from webapp.ledger import titles
from webapp.migrations import revisions
from webapp.models import AuditEvent, ExchangeRate, FeedAccount, Job, Organization
from webapp.queries import checks
from webapp.services.backups import records
from webapp.services.storage import vault

GIBIBYTE: Final = 1024**3
OLD_BACKUP, OLD_RATES, NEW_BOOKS = timedelta(days=7), timedelta(days=5), timedelta(days=1)
LATE_JOB: Final = timedelta(minutes=15)
CLOCK: Final = timedelta(seconds=30)
# What a disk cannot do: a program in between, or the machine that runs this one, only says that it has written.
FASTEST_SYNC: Final = 5e-6
IN_MEMORY: Final = frozenset({"tmpfs", "ramfs"})
PROXY_MARK: Final = "proxy_seen"
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
# https://www.postgresql.org/support/versioning/
LAST_CORRECTIONS: Final = {
    14: date(2026, 11, 12),
    15: date(2027, 11, 11),
    16: date(2028, 11, 9),
    17: date(2029, 11, 8),
    18: date(2030, 11, 14),
}


class Symptom(NamedTuple):
    """A fact of this installation, what mends it, whether it will hurt, and whether an owner may see it."""

    code: str
    sentence: str
    mend: str
    hurts: bool = True
    is_private: bool = False


def examine(settings: Settings, *, now: datetime, quick: bool) -> Iterator[Symptom]:
    """Look at the settings, the machine and the books; `quick` leaves out the check of all books."""
    yield from _of_settings(settings)
    yield from _of_disks(settings)
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
    yield from _of_books(settings, now)
    if not quick:
        yield from _of_checks()
    db.session.rollback()


def _of_settings(settings: Settings) -> Iterator[Symptom]:
    is_open = not is_loopback(settings.host)
    if is_open and not settings.proxy_hops:
        yield Symptom(
            "plain_http",
            f"HOST is {settings.host}, and there is no reverse proxy: nobody can sign in from another machine.",
            "Put a reverse proxy with HTTPS in front and set PROXY_HOPS=1.",
        )
    if is_open and (settings.instance_path / "demo_sign_in").exists():
        yield Symptom(
            "demo_open",
            "The demo's books are served to other machines.",
            "Unset HOST, or begin new books in another INSTANCE_PATH.",
        )
    if settings.proxy_hops and not any(not is_loopback(host) for host in settings.trusted_hosts):
        yield Symptom(
            "hosts_unnamed",
            "A reverse proxy is in front, and TRUSTED_HOSTS has no name that it serves: it is answered 400.",
            "TRUSTED_HOSTS=books.example.org",
        )
    if not settings.proxy_hops and (settings.instance_path / PROXY_MARK).exists():
        yield Symptom(
            "proxy_unknown",
            "X-Forwarded-For has arrived while PROXY_HOPS is 0: all visitors count as one address.",
            f"PROXY_HOPS=1, or where no proxy is in front: rm {settings.instance_path / PROXY_MARK}",
        )
    if not settings.rate_limit:
        yield Symptom(
            "no_rate_limit",
            "RATE_LIMIT is 0: one key may take all the time of this server.",
            "Unset RATE_LIMIT.",
            hurts=False,
        )


def _of_disks(settings: Settings) -> Iterator[Symptom]:
    temporary = Path(tempfile.gettempdir())
    size = (
        settings.database_file.stat().st_size
        if settings.database_file and settings.database_file.exists()
        else 0
    )
    for name, folder, least in (
        ("books", settings.instance_path, GIBIBYTE + 2 * size),
        ("temporary files", temporary, GIBIBYTE),
    ):
        if not folder.is_dir():
            continue
        code = name.partition(" ")[0]
        if shutil.disk_usage(folder).free < least:
            yield Symptom(
                f"{code}_space",
                f"The disk of the {name} ({folder}) has less than {least / GIBIBYTE:.1f} GiB free.",
                "Free space there" + (", or set TMPDIR." if folder == temporary else "."),
            )
        if not os.access(folder, os.W_OK):
            yield Symptom(
                f"{code}_read_only", f"This user cannot write to {folder}.", f"chown {os.geteuid()} {folder}"
            )
            continue
        if os.statvfs(folder).f_favail == 0 < os.statvfs(folder).f_files:
            yield Symptom(
                f"{code}_inodes",
                f"The disk of the {name} ({folder}) takes no more files.",
                "Delete files there.",
            )
    if settings.instance_path.is_dir():
        yield from _of_files(settings.instance_path)


def _of_files(folder: Path) -> Iterator[Symptom]:
    foreign = [each for each in (folder, *sorted(folder.iterdir())) if each.lstat().st_uid != os.geteuid()]
    if foreign:
        yield Symptom(
            "foreign_files",
            f"{foreign[0]} belongs to another user than the one who runs this.",
            f"Run commands as the user of the server, or: chown -R {os.geteuid()} {folder}",
        )
    if file_system(folder) in IN_MEMORY:
        yield Symptom(
            "books_in_memory",
            f"{folder} is in memory, and is gone when the machine stops.",
            "Set INSTANCE_PATH to a folder on a disk.",
        )
    elif os.access(folder, os.W_OK) and sync_seconds(folder) < FASTEST_SYNC:
        yield Symptom(
            "dishonest_disk",
            f"The disk of {folder} says at once that it has written: a loss of power can destroy the books.",
            "Switch the write cache without a battery off, or use another disk.",
        )


def sync_seconds(folder: Path) -> float:
    """Measure how long the disk takes to say that it has written."""
    taken = []
    with tempfile.TemporaryFile(dir=folder) as file:
        for _ in range(9):
            file.write(os.urandom(4096))
            file.flush()
            began = time.perf_counter()
            os.fsync(file.fileno())
            taken.append(time.perf_counter() - began)
    return median(taken)


def _of_revision(settings: Settings, found: str | None) -> Symptom | None:
    expected = revisions.head_revision()
    if found is None:
        return Symptom("no_books", f"There are no books in {settings.instance_path} yet.", "tieout migrate")
    if found > expected:
        return Symptom(
            "newer_books",
            f"The books are at revision {found}, which this version does not know.",
            "Use the version that upgraded them.",
        )
    if found != expected:
        was_stopped = (
            " An upgrade was stopped and changed nothing." if stop.is_stopped(settings.instance_path) else ""
        )
        return Symptom(
            "migration_pending",
            f"The books are at revision {found}, and this version needs {expected}.{was_stopped}",
            "tieout upgrade",
        )
    if stop.is_stopped(settings.instance_path):
        return Symptom(
            "requests_stopped",
            "The books were upgraded, and the server was not restarted: requests are answered 503.",
            "tieout serve",
        )
    return None


def _of_database(settings: Settings, now: datetime) -> Iterator[Symptom]:
    connection = db.session.connection()
    latest = db.session.scalar(sa.select(sa.func.max(AuditEvent.at)))
    if latest is not None and latest > now + CLOCK:
        yield Symptom(
            "clock_behind",
            f"The clock of this machine is behind the newest act in the books ({latest:%Y-%m-%d %H:%M} UTC).",
            "Set the clock: timedatectl set-ntp true",
        )
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
        yield Symptom("unsafe_role", refused, "See above.", is_private=True)
    for code, sentence in weaknesses(connection).items():
        yield Symptom(code, *_halved(sentence), is_private=True)
    yield from _of_server(settings, connection.execute(SERVER).one(), now)


def _of_server(settings: Settings, server: sa.Row[Any], now: datetime) -> Iterator[Symptom]:
    needed = settings.workers * 2 * (settings.threads + 1)
    if server.room < needed:
        yield Symptom(
            "few_connections",
            f"PostgreSQL takes {server.room} connections, and the workers may open {needed}.",
            "Raise max_connections, or lower WEB_CONCURRENCY or THREADS.",
            is_private=True,
        )
    if server.encoding != "UTF8":
        yield Symptom(
            "encoding",
            f"The database keeps texts as {server.encoding}, which has not every letter.",
            "Make a database with ENCODING 'UTF8', and restore a backup into it.",
            is_private=True,
        )
    if server.only_reads:
        yield Symptom(
            "only_reads",
            "This PostgreSQL server may only be read: nothing can be posted.",
            "Name the primary in DATABASE_URL, with target_session_attrs=read-write.",
            is_private=True,
        )
    major = server.version // 10000
    if major < min(LAST_CORRECTIONS) or LAST_CORRECTIONS.get(major, now.date()) < now.date():
        yield Symptom(
            "old_postgresql",
            f"PostgreSQL {major} gets no more corrections.",
            "Upgrade the server: pg_upgrade, or restore a backup into a newer one.",
            is_private=True,
        )
    if abs(server.now - now) > CLOCK:
        yield Symptom(
            "clocks_differ",
            f"The clocks of this machine and the database differ by {abs(server.now - now)}.",
            "Set both: timedatectl set-ntp true",
            is_private=True,
        )


def _halved(sentence: str) -> tuple[str, str]:
    """Part what is true from what to do, which follows behind the last full stop or colon."""
    fact, _, mend = sentence.rpartition(". ")
    return f"{fact}.", mend


def _of_books(settings: Settings, now: datetime) -> Iterator[Symptom]:
    first = db.session.scalar(sa.select(sa.func.min(Organization.created_at)))
    if first is None:
        return
    yield from of_backups(settings.instance_path, now if now - first > NEW_BOOKS else None, now)
    bank_currencies = (
        sa.select(ExchangeRate.currency, sa.func.max(ExchangeRate.day).label("day"))
        .join(
            FeedAccount,
            sa.and_(
                FeedAccount.organization_id == ExchangeRate.organization_id,
                FeedAccount.currency == ExchangeRate.currency,
            ),
        )
        .where(FeedAccount.is_active)
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
            "Switch them on under Settings, Automatic; or tieout fetch-rates, from a timer",
        )
    yield from _of_jobs(now)
    yield from _of_vault()
    folders = sa.select(Organization.drop_folder).where(Organization.drop_folder.is_not(None))
    for folder in db.session.scalars(folders):
        if folder is not None and not Path(folder).is_dir():
            yield Symptom(
                "no_drop_folder",
                f"The drop folder {folder} is not there.",
                f"mkdir {folder}, or: tieout drop-folder --none",
                is_private=True,
            )


def _of_jobs(now: datetime) -> Iterator[Symptom]:
    late = sa.select(sa.func.min(Job.run_at)).where(Job.state == "WAITING", Job.run_at < now - LATE_JOB)
    since = db.session.scalar(late)
    if since is not None:
        yield Symptom(
            "jobs_wait",
            f"Nothing is done by itself: a job waits since {since:%-d %b %Y %H:%M} UTC.",
            "Unset WORKER where it is off, or run: tieout worker",
        )
    failed = sa.select(Job.kind, Job.error).where(Job.state == "FAILED").order_by(Job.run_at.desc())
    for job in db.session.execute(failed.limit(SHOWN)):
        yield Symptom(
            "job_failed",
            f"The job {job.kind} failed: {job.error}",
            "Look at Settings, Automatic.",
            is_private=True,
        )


def _of_vault() -> Iterator[Symptom]:
    try:
        count = vault.count_lost()
    except vault.VaultKeyError as error:
        yield Symptom("vault_key", str(error), "See above.", is_private=True)
        return
    if count:
        yield Symptom(
            "secrets_lost",
            f"{titles.counted(count, 'secret')} of connections cannot be opened with the key in {vault.key_path()}.",
            "Put that key back, or connect anew.",
            is_private=True,
        )


def of_backups(instance_path: Path, needed_since: datetime | None, now: datetime) -> Iterator[Symptom]:
    """Say whether backups are made and verified; new books need none yet."""
    noted = records.noted(instance_path)
    mend = "tieout backup --to DIR --keep 14 --verify, from a timer"
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
        yield Symptom("unsound", each.message, "tieout check", is_private=True)
    if len(found) > SHOWN:
        yield Symptom(
            "unsound", f"The checks find {len(found) - SHOWN:,} more.", "tieout check", is_private=True
        )


def for_owners(settings: Settings, now: datetime) -> list[Symptom]:
    """List what an owner of one organization may know: nothing of other books, and nothing of the database."""
    found = [*_of_settings(settings), *_of_disks(settings), *of_backups(settings.instance_path, now, now)]
    return [each for each in found if not each.is_private]


def of_hub(instance_path: Path, now: datetime) -> Symptom | None:
    """Give what is wrong with backups that were made once, unless an owner has known it for less than a week."""
    dismissed = records.noted(instance_path).get("dismissed")
    if dismissed is not None and now - dismissed < OLD_BACKUP:
        return None
    return next((each for each in of_backups(instance_path, None, now) if each.hurts), None)
