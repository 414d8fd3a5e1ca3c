"""Answers of frequent reads, kept while nothing at all is written to the database.

The hub, a list or a report is asked far more often than the books change. The text of an answer is kept on the
connection on which it was read, beside the version of the database that its snapshot saw. A later read whose snapshot
sees the same version would find the same rows, and gets the same text. There is nothing to forget in time: whatever is
committed, by whomever and to whatever table, is another version.

Of SQLite the version is what `PRAGMA data_version` says, which any other connection's commit changes, and how many
rows this connection itself has ever changed. Of PostgreSQL it is the snapshot itself: two that name the same
transactions see the same rows. On a replica a snapshot does not name what is running, and where the books are on
several nodes it names what one of them has seen, so that nothing is kept there.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from webapp.snapshots import SQLITE

if TYPE_CHECKING:
    from webapp.snapshots import ReadSnapshot

# What one connection keeps at most. A request of a million bytes would not be asked often.
MOST_BYTES = 512 * 1024
_INFO: Final = "kept_answers"
# Another server that counts its transactions alike, as a replica that has taken over, was started at another time.
_SNAPSHOT: Final = (
    "SELECT CASE WHEN NOT pg_is_in_recovery()"
    " THEN pg_current_snapshot()::text || pg_postmaster_start_time()::text END"
)


@dataclass(slots=True)
class _Kept:
    """The answers of one version, and their size."""

    version: Hashable
    answers: dict[Hashable, bytes] = field(default_factory=dict)
    size: int = 0


def version_of(held: ReadSnapshot) -> Hashable | None:
    """Give what is the same in two snapshots of a connection that see the same rows; None where nothing tells."""
    if held.dialect.name == SQLITE:
        driver: Any = held.driver
        return driver.execute("PRAGMA data_version").fetchone()[0], driver.total_changes
    if held.info["has_nodes"]:
        return None
    found: str | None = held.rows(_SNAPSHOT, {})[0][0]
    return found


def find(held: ReadSnapshot, key: Hashable) -> bytes | None:
    """Give what was answered to a question in a snapshot that saw the same rows as this one."""
    version = version_of(held)
    kept: _Kept | None = held.info.get(_INFO)
    if version is None or kept is None or kept.version != version:
        held.info[_INFO] = None if version is None else _Kept(version)
        return None
    return kept.answers.get(key)


def keep(held: ReadSnapshot, key: Hashable, answer: bytes) -> None:
    """Keep the answer to a question that was not found in this snapshot; all others make room where it is large."""
    kept: _Kept | None = held.info.get(_INFO)
    if kept is None or len(answer) > MOST_BYTES:
        return
    if kept.size + len(answer) > MOST_BYTES:
        kept.answers.clear()
        kept.size = 0
    kept.answers[key] = answer
    kept.size += len(answer)
