"""The migration of the books, their service, and their distribution over nodes."""

import logging
import secrets
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime

import click

from webapp import create_app
from webapp.commands import demo
from webapp.commands.books import (
    JSON,
    answer,
    application,
    command_actor,
    make_schema,
    require_revision,
    require_role,
    require_safe_role,
)
from webapp.commands.failures import FailedError
from webapp.commands.progress import progress_line
from webapp.commands.worker import Attendant
from webapp.config import Settings, SettingTexts, is_loopback, make_instance
from webapp.database import failures, measures, stop
from webapp.database.command_limits import unlimited
from webapp.database.postgresql import weaknesses
from webapp.database.roles import is_for_requests_only, unbound
from webapp.database.sessions import begin_write, db, lock_books
from webapp.database.tenancy import maintenance
from webapp.distribution import needs, placements
from webapp.migrations import revisions
from webapp.queries.access.organizations import has_people
from webapp.queries.audit.bound_rows import not_bound
from webapp.services.access.organizations import bind_rows

FIRST_LINK = "Nobody has books here yet. Start them, once, at {}/start/{}"
log = logging.getLogger("tieout")
MOST_SHARDS = 256
NO_WORKER = (
    "Nothing is done by itself, because the database role of this server serves requests. Run tieout worker, with "
    "MAINTENANCE_DATABASE_URL."
)


@click.command()
def serve() -> None:
    """Serve the books with gunicorn."""
    from webapp.server.serving import serve as serve_books  # noqa: PLC0415  (gunicorn is heavy, and needed here only)

    measures.share()
    app = application(maintains=False, make=create_app)
    settings = app.config["SETTINGS"]
    with app.app_context():
        require_revision()
        stopped_for = stop.clear(settings.instance_path)
        require_safe_role()
        with db.engine.connect().execution_options(read_only=True) as connection:
            notes = [*weaknesses(connection).values()]
            is_bound = is_for_requests_only(connection)
        if stopped_for is not None:
            what = stop.UPGRADED if stopped_for == revisions.head_revision() else stop.KILLED
            notes.append(f"{what} They are at revision {revisions.head_revision()}.")
        if not has_people():
            app.extensions["first_link"] = secrets.token_urlsafe(32)
        db.session.rollback()
        db.engine.dispose()
    attendant = Attendant()
    if settings.starts_worker and is_bound and not SettingTexts().text("MAINTENANCE_DATABASE_URL", ""):
        notes.append(NO_WORKER)
        settings = replace(settings, starts_worker=False)

    def ready(_server: object) -> None:
        say([*notes, *greeting(settings, app.extensions.get("first_link")).splitlines()])
        if settings.starts_worker:
            attendant.start()

    def ended(_server: object) -> None:
        attendant.stop()
        measures.end()

    hooks: dict[str, Callable[..., None]] = {
        "when_ready": ready,
        "child_exit": lambda _server, worker: measures.ended(worker.pid),
        "on_exit": ended,
    }
    serve_books(app, settings, hooks)


def say(lines: Iterable[str]) -> None:
    """Write lines for a person in a terminal, or else into the log."""
    for line in lines:
        if sys.stderr.isatty():
            click.echo(line, err=True)
        else:
            log.info(line)


def greeting(settings: Settings, first_link: str | None = None) -> str:
    """Write the address of the books, the demo's sign-in on this machine, and the link that starts the first books."""
    lines = [f"Tieout serves {settings.address}", f"The books are in {settings.instance_path}"]
    sign_in = demo.kept(settings.instance_path) if is_loopback(settings.host) else None
    if sign_in is not None:
        lines.append(f"The demo: sign in as {sign_in.email} with {sign_in.password}")
    if not is_loopback(settings.host) and not settings.proxy_hops:
        lines.append(
            "Over plain HTTP nobody can sign in from another machine, nor through the port of a container: put a "
            "reverse proxy with HTTPS in front, and set PROXY_HOPS=1 and TRUSTED_HOSTS."
        )
    if first_link is not None:
        names = [host for host in settings.trusted_hosts if settings.proxy_hops and not is_loopback(host)]
        proxy = f"https://{names[0]}" if names else ""
        lines.append(FIRST_LINK.format(settings.public_url or proxy or settings.address, first_link))
    return "\n".join(lines)


@click.command()
@click.option("--if-empty", is_flag=True, help="Leave a database with books as it is, in whichever schema.")
def migrate(*, if_empty: bool) -> None:
    """Make the database of new books, or give the role of requests its rights again."""
    app = application()
    make_instance(app.config["SETTINGS"].instance_path)
    with app.app_context(), unlimited(), maintenance():
        if if_empty and revisions.current_revision(db.engine) is not None:
            return
        with progress_line() as show:
            make_schema(show)
        click.echo(f"The books are at revision {revisions.current_revision(db.engine)}.", err=True)
        begin_write()
        bind_written()
        failures.commit(db.session())
        with db.engine.connect().execution_options(read_only=True) as connection:
            if (sentence := unbound(connection)) is not None:
                click.echo(sentence, err=True)


def bind_written() -> None:
    """Bind what was written past the acts of each organization in its audit trail; the caller commits."""
    for organization_id, count in not_bound().items():
        lock_books(organization_id)
        bind_rows(actor=command_actor(organization_id), now=datetime.now(UTC))
        click.echo(f"The audit trail of {organization_id} now binds {count:,} rows.", err=True)


@click.command()
@click.option(
    "--shards",
    type=click.IntRange(1, MOST_SHARDS),
    metavar="N",
    help="Parts that the organizations fall into, as many as nodes can ever share; Citus' own setting without it.",
)
@JSON
def distribute(shards: int | None, *, as_json: bool) -> None:
    """Spread the books over the nodes of a PostgreSQL with Citus, each organization on one node.

    Stop the server first. If it is interrupted, the books are as before: run it again. On distributed books
    it changes nothing.
    """
    app = application()
    with app.app_context(), unlimited(), maintenance(), progress_line() as show:
        require_revision()
        require_role()
        with db.engine.connect() as connection:
            if shards is not None and connection.dialect.name == "postgresql":
                connection.exec_driver_sql(f"SET LOCAL citus.shard_count = {shards}")
            missing = needs.missing(connection)
            if missing:
                raise FailedError("\n".join(missing), "not_ready")
            placed = placements.distribute(connection, show)
            connection.commit()
        db.engine.dispose()
    sentence = (
        f"Distributed {len(placed)} tables. Now run: tieout check"
        if placed
        else "The books are distributed; nothing was changed."
    )
    answer({"tables": placed}, sentence, as_json=as_json)
