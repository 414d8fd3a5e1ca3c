"""The distribution of the books over the nodes of a PostgreSQL."""

from __future__ import annotations

import click

from webapp.commands.books import JSON, answer, application, require_revision, require_role
from webapp.commands.failures import FailedError
from webapp.commands.progress import progress_line
from webapp.database.command_limits import unlimited
from webapp.database.sessions import db
from webapp.database.tenancy import maintenance
from webapp.distribution import needs, placements

MOST_SHARDS = 256


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
