"""What a connection to PostgreSQL may keep: its limits, where it is our own; nothing, where a pooler shares it out.

PgBouncer in transaction mode gives each transaction whichever connection is free. What one of them sets for longer, a
statement that it prepares, a temporary table that it leaves: all of that would be another one's.
"""

from __future__ import annotations

import sys
from typing import Any, Final

# Where a commit does not wait for the log, a crash takes back what was answered; whoever sets that for other databases
# of the server need not think of this one.
_LIMITS: Final = {
    "statement_timeout": "'15s'",
    "lock_timeout": "'15s'",
    "idle_in_transaction_session_timeout": "'60s'",
    "synchronous_commit": "on",
}
FOR_CONNECTION: Final = "; ".join(f"SET {name} = {value}" for name, value in _LIMITS.items())
FOR_TRANSACTION: Final = "; ".join(f"SET LOCAL {name} = {value}" for name, value in _LIMITS.items())


def connected(connection: Any, record: Any) -> None:
    """Find out whether a pooler is in between, which tells a number of its own for the server's process."""
    connection.autocommit = True
    ((process,),) = connection.execute("SELECT pg_backend_pid()").fetchall()
    record.info["is_pooled"] = process != connection.info.backend_pid
    if record.info["is_pooled"]:
        connection.prepare_threshold = None
    else:
        # A statement that is asked often is not prepared by itself: its plan would be for any values, and of some large
        # ones it took fifty times as long. Those that are say so (webapp/snapshots/read_snapshots.py).
        connection.prepare_threshold = sys.maxsize
        connection.execute(FOR_CONNECTION)
