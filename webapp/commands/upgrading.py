"""The upgrade of books: stopped, copied, migrated and compared in one transaction that is kept or taken back."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import click
import sqlalchemy as sa

from webapp import books_alone
from webapp.commands.books import (
    JSON,
    LISTED,
    aligned,
    answer,
    application,
    no_books,
    require_role,
    taken_back_on_failure,
    unknown_books,
)
from webapp.commands.failures import FailedError
from webapp.commands.progress import progress_line
from webapp.commands.serving import bind_written
from webapp.config import Settings
from webapp.database import failures, stop
from webapp.database.command_limits import unlimited
from webapp.database.sessions import db, scoped_session
from webapp.database.sqlite import without_foreign_keys
from webapp.database.tenancy import maintenance
from webapp.distribution.tables import is_distributed
from webapp.migrations import facts, revisions
from webapp.models import Organization
from webapp.queries.checks import proofs

Show = Callable[[str], None]
ELSE_BACKUP = (
    "Stop the server, run tieout backup --to DIR --verify with the version that served, and then: tieout upgrade "
    "--i-have-a-backup"
)


@dataclass(frozen=True, slots=True)
class UpgradeOutcome:
    """What an upgrade would change and should not, and the seconds that requests were stopped for it."""

    found: list[facts.Difference]
    copy: Path | None
    seconds: float


@click.command()
@click.option("--rehearse", is_flag=True, help="Do all of it and take it back: the books stay as they are.")
@click.option("--i-have-a-backup", "has_backup", is_flag=True, help="Make no copy of a PostgreSQL database.")
@JSON
@click.pass_context
def upgrade(context: click.Context, *, rehearse: bool, has_backup: bool, as_json: bool) -> None:
    """Migrate the books to this version, and keep that only if no figure and no row differs.

    Every request is answered 503 meanwhile, and until the server is restarted. A copy is made first: of SQLite's file,
    or with pg_dump. Exit status 1 if something differs; then the books are as before.
    """
    app = application()
    settings: Settings = app.config["SETTINGS"]
    with app.app_context(), unlimited(), maintenance(), progress_line() as show:
        before = _revision(settings)
        if before == revisions.head_revision():
            answer({"revision": before, "ok": True}, _done_before(settings, before), as_json=as_json)
            return
        if stop.is_stopped(settings.instance_path):
            click.echo(
                f"An earlier upgrade was stopped; the books are as before, at revision {before}.", err=True
            )
        if rehearse and settings.is_sqlite:
            outcome = _rehearsed_on_copy(settings, before, show)
        else:
            outcome = _upgraded(settings, before, show, rehearse=rehearse, has_backup=has_backup)
    value, sentence = _outcome_text(outcome, before, rehearse=rehearse)
    answer(value, sentence, as_json=as_json)
    if outcome.found:
        context.exit(1)


def _revision(settings: Settings) -> str:
    """Give the revision of the books, or stop where this version cannot upgrade from it."""
    place = settings.database_file or settings.instance_path
    found = revisions.current_revision(db.engine) if place.exists() else None
    if found is None:
        raise no_books(place)
    require_role()
    if not facts.FIRST <= found <= revisions.head_revision():
        raise unknown_books(found)
    return found


def _done_before(settings: Settings, revision: str) -> str:
    sentence = f"The books are at revision {revision}, which is this version's; nothing was changed."
    if stop.is_stopped(settings.instance_path):
        sentence += " Requests are answered again when the server has been restarted: tieout serve"
    return sentence


def _rehearsed_on_copy(settings: Settings, before: str, show: Show) -> UpgradeOutcome:
    """Try the upgrade on a copy of SQLite's file, while people work; the copy goes again."""
    copy = _place(settings, before)
    try:
        show("copying the books")
        _copy_sqlite(settings, copy)
        app = books_alone(replace(settings, database_url=f"sqlite:///{copy}"))
        with app.app_context():
            began = time.monotonic()
            db.session.connection(execution_options={"first": without_foreign_keys})
            found = _differences(show)
            db.session.rollback()
            db.engine.dispose()
        return UpgradeOutcome(found, None, time.monotonic() - began)
    finally:
        for end in ("", "-wal", "-shm", "-journal", ".lock"):
            Path(f"{copy}{end}").unlink(missing_ok=True)


def _upgraded(
    settings: Settings, before: str, show: Show, *, rehearse: bool, has_backup: bool
) -> UpgradeOutcome:
    """Stop requests, copy the books, upgrade them and keep that if nothing differs, all while nobody writes."""
    with stop.stopped(settings.instance_path, revisions.head_revision()) as lasts, taken_back_on_failure():
        began = time.monotonic()
        connection = db.session.connection(execution_options={"first": without_foreign_keys})
        if connection.dialect.name == "postgresql":
            if rehearse and is_distributed(connection):
                raise FailedError(
                    "Books on several nodes cannot be rehearsed: Citus takes back no such step.",
                    "distributed",
                )
            _keep_writers_out(connection)
        copy = None if has_backup and not settings.is_sqlite else _place(settings, before)
        if copy is not None and not rehearse:
            show("copying the books")
            (_copy_sqlite if settings.is_sqlite else _dump)(settings, copy)
        found = _differences(show)
        if found or rehearse:
            db.session.rollback()
            if copy is not None:
                copy.unlink(missing_ok=True)
        else:
            bind_written()
            failures.commit(db.session())
            lasts()
        # Its connection has been told to look away from foreign keys.
        db.engine.dispose()
    return UpgradeOutcome(found, None if rehearse else copy, time.monotonic() - began)


def _place(settings: Settings, revision: str) -> Path:
    """Name a copy by the instant and the revision."""
    end = "sqlite" if settings.is_sqlite else "dump"
    return settings.instance_path / f"before-upgrade-{datetime.now(UTC):%Y%m%dT%H%M%S}-{revision}.{end}"


def _copy_sqlite(settings: Settings, copy: Path) -> None:
    import pysqlite3  # noqa: PLC0415  (needed for SQLite only)

    copy.touch(mode=0o600, exist_ok=False)
    with (
        closing(pysqlite3.connect(str(settings.database_file))) as source,
        closing(pysqlite3.connect(str(copy))) as target,
    ):
        source.backup(target)


def _dump(settings: Settings, copy: Path) -> None:
    program = shutil.which("pg_dump")
    if program is None:
        raise FailedError(f"There is no pg_dump on this machine. {ELSE_BACKUP}", "no_pg_dump")
    url = sa.make_url(settings.database_url).set(drivername="postgresql")
    secret = {"PGPASSWORD": url.password} if url.password else {}
    words = ["--format", "custom", "--enable-row-security", "--no-owner", "--file", str(copy)]
    named = ["--dbname", url.set(password=None).render_as_string()]
    environment = {**os.environ, **secret}
    done = subprocess.run(  # noqa: S603  (our own words)
        [program, *words, *named], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        copy.unlink(missing_ok=True)
        raise FailedError(f"pg_dump failed: {done.stderr.strip()}. {ELSE_BACKUP}", "no_copy")


def _keep_writers_out(connection: sa.Connection) -> None:
    """Let nobody write until the end of the transaction; pg_dump may read meanwhile."""
    names = ", ".join(f'"{name}"' for name in sorted(sa.inspect(connection).get_table_names()))
    connection.exec_driver_sql(f"LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE")


def _differences(show: Show) -> list[facts.Difference]:
    """Upgrade in the session's transaction; list what differs, and the proofs whose verdict is not the recorded one."""
    from webapp.migrations.upgrades import proven  # noqa: PLC0415  (Alembic is heavy, and needed here only)

    found = proven(db.session.connection(), show=show)
    for organization_id in db.session.scalars(sa.select(Organization.id).order_by(Organization.id)).all():
        show("looking at the proofs")
        with scoped_session(organization_id):
            wrong = [each.message for each in proofs.recorded_verdicts()]
        found += [facts.Difference("verdicts", organization_id, sentence, None, None) for sentence in wrong]
    return found


def _outcome_text(outcome: UpgradeOutcome, before: str, *, rehearse: bool) -> tuple[dict[str, object], str]:
    """Give the answer for programs and for people."""
    head = revisions.head_revision()
    took = f"{outcome.seconds:.1f} s"
    value = {
        "ok": not outcome.found,
        "from": before,
        "to": head,
        "kept": not (outcome.found or rehearse),
        "seconds": round(outcome.seconds, 1),
        "copy": str(outcome.copy) if outcome.copy else None,
        "differences": [each._asdict() for each in outcome.found],
    }
    if outcome.found:
        rows: list[Sequence[object]] = [("what", "organization", "which", "before", "after")]
        rows += [tuple(map(_shown, each)) for each in outcome.found[:LISTED]]
        rest = len(outcome.found) - LISTED
        more = [f"and {rest:,} more; --json lists all"] if rest > 0 else []
        sentence = f"The upgrade from {before} to {head} would change these; the books are as before."
        return value, "\n".join([sentence, aligned(rows), *more])
    if rehearse:
        return (
            value,
            f"The upgrade from {before} to {head} changes no figure and no row; it takes {took}. Nothing was kept.",
        )
    copied = f" The copy of before is {outcome.copy}." if outcome.copy else ""
    return (
        value,
        f"Upgraded from {before} to {head} in {took}; no figure and no row differs.{copied} Restart the server.",
    )


def _shown(value: object) -> str:
    """Show the figures of a fact in a table."""
    if isinstance(value, tuple):
        return " ".join(map(_shown, value))
    return "-" if value in {None, ""} else str(value)
