"""What a connection to PostgreSQL may keep: its limits, where it is our own; nothing, where a pooler shares it out.

PgBouncer in transaction mode gives each transaction whichever connection is free. What one of them sets for longer, a
statement that it prepares, a temporary table that it leaves: all of that would be another one's.
"""

from __future__ import annotations

import select
import time
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy.exc import InvalidatePoolError

if TYPE_CHECKING:
    from sqlalchemy.pool import PoolResetState

# Where a commit does not wait for the log, a crash takes back what was answered; whoever sets that for other databases
# of the server need not think of this one. A plan for any values was seven times as slow for the hub, which begins with
# a few rows of large tables; a plan for its own costs each statement less than a millisecond. What else PostgreSQL's
# planner is told stands in exceptions.md.
_SETTINGS: Final = {
    "statement_timeout": "'15s'",
    "lock_timeout": "'15s'",
    "idle_in_transaction_session_timeout": "'60s'",
    "synchronous_commit": "on",
    "jit": "off",
    "plan_cache_mode": "force_custom_plan",
    # A page waits longer for further processes to start than they save it.
    "max_parallel_workers_per_gather": "0",
    # It looks cheap where statistics tell of few keys, and goes through all entries where newer keys have come since.
    "enable_mergejoin": "off",
}
# PQTRANS_IDLE of libpq: no transaction is open.
IDLE: Final = 0
FOR_CONNECTION: Final = "; ".join(f"SET {name} = {value}" for name, value in _SETTINGS.items())
FOR_TRANSACTION: Final = "; ".join(f"SET LOCAL {name} = {value}" for name, value in _SETTINGS.items())
# A statement that a connection of our own is asked so often is prepared by psycopg.
PREPARED_AFTER: Final = 5
# A firewall may forget a connection that rests for longer than this.
REST_SECONDS: Final = 30.0


def connected(connection: Any, record: Any) -> None:
    """Find out whether a pooler is in between, which tells a number of its own for the server's process."""
    connection.autocommit = True
    ((process,),) = connection.execute("SELECT pg_backend_pid()").fetchall()
    is_pooled = record.info["is_pooled"] = process != connection.info.backend_pid
    connection.prepare_threshold = None if is_pooled else PREPARED_AFTER
    if not is_pooled:
        connection.execute(FOR_CONNECTION)
    record.info["used_at"] = time.monotonic()


def checkout(connection: Any, record: Any, _checked_out: Any) -> None:
    """Refuse a connection that is lost as it is taken from the pool, which then makes another one.

    One that has rested is asked; to ask it each time would be a round trip more.
    """
    now = time.monotonic()
    has_rested, record.info["used_at"] = now - record.info["used_at"] > REST_SECONDS, now
    if not is_there(connection, has_rested=has_rested):
        raise InvalidatePoolError


def is_there(connection: Any, *, has_rested: bool) -> bool:
    """Tell whether a connection is not lost: the server says nothing unasked but that it closes it."""
    try:
        if has_rested:
            connection.execute("")
        unread = select.poll()
        unread.register(connection.fileno(), select.POLLIN)
    except connection.Error:
        return False
    return not unread.poll(0)


def reset(connection: Any, _record: Any, state: PoolResetState) -> None:
    """Roll back as a connection is given back, as a pool does by itself, but not where no transaction is open."""
    is_over = connection.pgconn.transaction_status == IDLE
    if not (is_over or state.terminate_only or state.transaction_was_reset):
        connection.rollback()
