"""One account, merchant or project for many lines: previewed as a trial, and done as it was shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from webapp.db import db
from webapp.ledger.canonical import canonical_json, sha256_hex
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.queries.matching import transfer_pairs
from webapp.queries.transactions import lines_ahead, shown_lines, transactions
from webapp.services.audit.act import Actor
from webapp.services.storage import savepoints
from webapp.services.transactions import edits
from webapp.services.transactions.edits import LineChanges

# Changing a line takes some 10 ms, and nobody else writes meanwhile.
MOST_LINES: Final = 200


class TooManyLinesError(UnprocessableError):
    """At most 200 lines can be changed at once. Narrow the list, or write a rule, which changes up to 5,000."""

    code = "too_large"

    def __init__(self, count: int) -> None:
        """Say how many lines there are, and how many fit."""
        sentence = (
            f"{count:,} lines are more than the {MOST_LINES} that can be changed at once. Narrow the list, or write a "
            "rule, which changes up to 5,000."
        )
        super().__init__(sentence, details={"count": count, "most": MOST_LINES})


class MovedLinesError(LedgerError):
    """These lines have changed since they were shown, so nothing was changed. Here is what would happen now."""

    code = "moved"

    def __init__(self, preview: SharedEdit) -> None:
        """Carry what would happen now."""
        super().__init__()
        self.preview = preview


class LinkedLineError(LedgerError):
    """One side of a transfer has no other account; separate the transfer first."""

    code = "linked"


@dataclass(frozen=True, slots=True)
class SharedEdit:
    """What one change does to lines: the ids of its acts, and how many drafts, corrections and skipped ones there are.

    `unchanged` lines are as they should be already. `reasons` are sentences with the number of lines that each skips.
    """

    line_ids: Sequence[int]
    act_ids: Sequence[str]
    drafts: int
    corrections: int
    unchanged: int
    reasons: Sequence[tuple[str, int]]
    digest: str

    @property
    def changed(self) -> int:
        """The number of lines that it changes."""
        return self.drafts + self.corrections

    @property
    def skipped(self) -> int:
        """The number of lines that it leaves as they are for a reason."""
        return sum(count for _, count in self.reasons)


def preview(
    organization_id: str, ids: Sequence[int], changes: LineChanges, *, actor: Actor, now: datetime
) -> SharedEdit:
    """Try a change of lines and take it back; more than 200 raise TooManyLinesError."""
    with savepoints.trial():
        return _run(organization_id, ids, changes, actor, now)


def edit(
    organization_id: str,
    ids: Sequence[int],
    changes: LineChanges,
    *,
    digest: str,
    actor: Actor,
    now: datetime,
) -> SharedEdit:
    """Change lines exactly as the preview of this digest showed, or raise MovedLinesError with the new preview."""
    done = _run(organization_id, ids, changes, actor, now)
    if done.digest != digest:
        raise MovedLinesError(done)
    return done


def _run(
    organization_id: str, ids: Sequence[int], changes: LineChanges, actor: Actor, now: datetime
) -> SharedEdit:
    if not changes:
        raise edits.NothingToEditError
    if len(ids) > MOST_LINES:
        raise TooManyLinesError(len(ids))
    shown = shown_lines.of_lines(organization_id, ids)
    acts, outcomes = [], []
    with lines_ahead.reading(organization_id, ids, [changes.get("account_id")]):
        for line_id in ids:
            outcome, act_id = _edit_one(organization_id, line_id, changes, actor, now)
            outcomes.append(outcome)
            acts += [act_id] if act_id else []
    whole = [[each, str(shown.get(each)), outcome] for each, outcome in zip(ids, outcomes, strict=True)]
    counts = Counter(outcomes)
    drafts, corrections, unchanged = (counts.pop(each, 0) for each in ("draft", "correction", "unchanged"))
    digest = sha256_hex(canonical_json({"changes": dict(changes), "lines": whole}))
    return SharedEdit(ids, acts, drafts, corrections, unchanged, counts.most_common(), digest)


def _edit_one(
    organization_id: str, line_id: int, changes: LineChanges, actor: Actor, now: datetime
) -> tuple[str, str | None]:
    """Change one line in a savepoint of its own; answers what became of it, or why it is skipped, and the act."""
    line = transactions.get(organization_id, line_id)
    entry = line.journal_entry
    kind = "draft" if entry is not None and entry.status == "DRAFT" else "correction"
    try:
        with db.session.begin_nested():
            if "account_id" in changes and transfer_pairs.active(organization_id, line_id) is not None:
                raise LinkedLineError
            done = edits.edit(line, changes, actor=actor, now=now)
    except LedgerError as error:
        return str(error), None
    return (kind, done.action_request_id) if done.changed else ("unchanged", None)
