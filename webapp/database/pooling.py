"""What a connection to PostgreSQL may keep: its limits, where it is our own; nothing, where a pooler shares it out.

PgBouncer in transaction mode gives each transaction whichever connection is free. What one of them sets for longer, a
statement that it prepares, a temporary table that it leaves: all of that would be another one's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy.exc import InvalidatePoolError

if TYPE_CHECKING:
    from sqlalchemy.pool import PoolResetState

# Where a commit does not wait for the log, a crash takes back what was answered; whoever sets that for other databases
# of the server need not think of this one.
_LIMITS: Final = {
    "statement_timeout": "'15s'",
    "lock_timeout": "'15s'",
    "idle_in_transaction_session_timeout": "'60s'",
    "synchronous_commit": "on",
}
# PQTRANS_IDLE of libpq: no transaction is open.
IDLE: Final = 0
FOR_CONNECTION: Final = "; ".join(f"SET {name} = {value}" for name, value in _LIMITS.items())
FOR_TRANSACTION: Final = "; ".join(f"SET LOCAL {name} = {value}" for name, value in _LIMITS.items())


def connected(connection: Any, record: Any) -> None:
    """Find out whether a pooler is in between, which tells a number of its own for the server's process."""
    from webapp.database.messages import Messages  # noqa: PLC0415  (the driver is loaded for PostgreSQL only)

    connection.autocommit = True
    ((process,),) = connection.execute("SELECT pg_backend_pid()").fetchall()
    record.info["is_pooled"] = process != connection.info.backend_pid
    # A statement that is asked often is not prepared by itself: its plan would be for any values, and of some large
    # ones it took fifty times as long. Those that are say so, and are prepared without psycopg (messages.py):
    # where it has prepared anything, it lets the server forget everything after each rollback.
    connection.prepare_threshold = None
    if not record.info["is_pooled"]:
        connection.execute(FOR_CONNECTION)
    record.info["messages"] = Messages(connection, keeps_plans=not record.info["is_pooled"])


def checkout(_connection: Any, record: Any, _checked_out: Any) -> None:
    """Refuse a connection that is lost as it is taken from the pool, which then makes another one."""
    if not record.info["messages"].is_there():
        raise InvalidatePoolError


def reset(connection: Any, record: Any, state: PoolResetState) -> None:
    """Roll back as a connection is given back, as a pool does by itself, but not where the end is said already."""
    is_over = record.info["messages"].is_ending or connection.pgconn.transaction_status == IDLE
    if not (is_over or state.terminate_only or state.transaction_was_reset):
        connection.rollback()
