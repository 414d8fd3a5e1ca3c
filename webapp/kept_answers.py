"""Answers of frequent reads, kept while nothing at all is written to the database.

The hub, a list or a report is asked far more often than the books change. The text of an answer is kept on the
connection on which it was read, beside the version of the database that its snapshot saw. A later read whose snapshot
sees the same version would find the same rows, and gets the same text. There is nothing to forget in time: whatever is
committed, by whomever and to whatever table, is another version.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable

    from webapp.snapshots.read_snapshots import ReadSnapshot

# What one connection keeps at most, with the questions.
MOST_BYTES = 512 * 1024
# About what Python needs for a question and its place, beside its own words.
BYTES_OF_A_PLACE: Final = 512
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
    """The answers of one version, and their size."""

    version: Hashable
    answers: dict[Question, bytes] = field(default_factory=dict)
    size: int = 0


def find(held: ReadSnapshot, question: Question) -> bytes | None:
    """Give what was answered to a question in a snapshot that saw the same rows as this one."""
    version = held.version
    kept: _Kept | None = held.info.get(_INFO)
    if version is None or kept is None or kept.version != version:
        held.info[_INFO] = None if version is None else _Kept(version)
        return None
    return kept.answers.get(question)


def keep(held: ReadSnapshot, question: Question, answer: bytes) -> None:
    """Keep the answer to a question that was not found in this snapshot; where there is no room, all others go."""
    kept: _Kept | None = held.info.get(_INFO)
    size = len(answer) + len(question.path) + len(question.query) + BYTES_OF_A_PLACE
    if kept is None or size > MOST_BYTES:
        return
    if kept.size + size > MOST_BYTES:
        kept.answers.clear()
        kept.size = 0
    kept.answers[question] = answer
    kept.size += size
