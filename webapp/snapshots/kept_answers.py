"""Answers of frequent reads, kept while nothing at all is written to the database.

The hub, a list or a report is asked far more often than the books change. The text of an answer is kept on the
connection on which it was read, beside the version of the database that its snapshot saw. A later read whose snapshot
sees the same version would find the same rows, and gets the same text; so it would find who asks, by the same token.
There is nothing to forget in time: whatever is committed, by whomever and to whatever table, is another version.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable
    from datetime import datetime

    from webapp.queries.access.principals import Principal
    from webapp.snapshots.read_snapshots import ReadSnapshot

# What one connection keeps at most, with the questions.
MOST_BYTES = 512 * 1024
# About what Python needs for a question and its place, beside its own words, and for one who asks.
BYTES_OF_A_PLACE: Final = 512
BYTES_OF_A_CALLER: Final = 2048
_INFO: Final = "kept_answers"


class Question(NamedTuple):
    """All that an answer depends on beside the rows: who asks for what, and in which part of a day."""

    organization_id: str
    token_id: int | None
    path: str
    query: bytes
    part_of_day: float


@dataclass(slots=True)
class _Kept:
    """The answers of one version and who asked for them, and their size.

    `is_seen_again` says that the version was the same the last time that anybody looked.
    """

    version: Hashable
    answers: dict[Question, bytes] = field(default_factory=dict)
    callers: dict[str, Principal] = field(default_factory=dict)
    size: int = 0
    is_seen_again: bool = False

    def has_room(self, size: int) -> bool:
        """Make room, where there can be; all others go where there is none."""
        if size > MOST_BYTES:
            return False
        if self.size + size > MOST_BYTES:
            self.answers.clear()
            self.callers.clear()
            self.size = 0
        self.size += size
        return True


def find(held: ReadSnapshot, question: Question) -> bytes | None:
    """Give what was answered to a question in a snapshot that saw the same rows as this one."""
    kept = _of_version(held)
    return None if kept is None else kept.answers.get(question)


def keep(held: ReadSnapshot, question: Question, answer: bytes) -> None:
    """Keep the answer to a question that was not found in this snapshot."""
    kept = _of_version(held)
    size = len(answer) + len(question.path) + len(question.query) + BYTES_OF_A_PLACE
    if kept is not None and kept.has_room(size):
        kept.answers[question] = answer


def find_caller(held: ReadSnapshot, digest: str, now: datetime) -> Principal | None:
    """Give whose token it is, if that was found in a snapshot that saw the same rows as this one, and has not expired.

    Where the version was another one the last time, it may be one each time, and nobody asks for it.
    """
    kept: _Kept | None = held.info.get(_INFO)
    if kept is None or not kept.is_seen_again:
        return None
    kept = _of_version(held)
    found = None if kept is None else kept.callers.get(digest)
    return found if found is not None and (found.ends_at is None or found.ends_at > now) else None


def keep_caller(held: ReadSnapshot, digest: str, caller: Principal) -> None:
    """Keep whose token it is, as this snapshot has it."""
    kept = _of_version(held)
    if kept is not None and kept.has_room(BYTES_OF_A_CALLER):
        kept.callers[digest] = caller


def _of_version(held: ReadSnapshot) -> _Kept | None:
    """Give what is kept of the version that a snapshot sees; what is kept of another one goes."""
    version = held.version
    kept: _Kept | None = held.info.get(_INFO)
    if version is None:
        held.info[_INFO] = None
        return None
    if kept is not None and kept.version == version:
        kept.is_seen_again = True
        return kept
    made = held.info[_INFO] = _Kept(version)
    return made
