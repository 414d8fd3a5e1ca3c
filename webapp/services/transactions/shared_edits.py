"""One account, tax code, merchant or project for many lines: previewed as a trial, and done as it was shown.

What is more than one transaction should hold is counted beforehand, and done in parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from webapp.database.sessions import db
from webapp.ledger.canonical import canonical_json, sha256_hex
from webapp.ledger.errors import LedgerError
from webapp.queries.matching import transfer_pairs
from webapp.queries.transactions import lines_ahead, selected_lines, shown_lines, transactions
from webapp.services.audit import limits
from webapp.services.audit.act import Actor
from webapp.services.storage import savepoints
from webapp.services.transactions import bulk_edits, edits
from webapp.services.transactions.changed_legs import LineChanges

# Others write between the parts, each of which is a transaction.
PART: Final = 100
MOST: Final = 2500
HAS_CHANGED: Final = "It has changed since it was shown."


class MovedLinesError(LedgerError):
    """These lines have changed since they were shown, so nothing was changed. Here is what would happen now."""

    code = "moved"

    def __init__(self, preview: SharedEdit) -> None:
        super().__init__()
        self.preview = preview


class LinkedLineError(LedgerError):
    """One side of a transfer has no other account; separate the transfer first."""

    code = "linked"


@dataclass(frozen=True, slots=True)
class SharedEdit:
    """What one change does to lines: the ids of its acts, and how many drafts, corrections and skipped ones there are.

    `unchanged` lines are as they should be already. `reasons` are sentences with the number of lines that each skips,
    and `refused` those lines with their sentences. `seen` has a digest of each line of what is done in parts.
    """

    line_ids: Sequence[int]
    act_ids: Sequence[str]
    drafts: int
    corrections: int
    unchanged: int
    reasons: Sequence[tuple[str, int]]
    digest: str
    refused: Sequence[tuple[int, str]] = ()
    seen: Mapping[int, str] = field(default_factory=dict)

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
    """Try a change of lines and take it back; one for parts is counted. More than `MOST` raise ActTooLargeError."""
    if len(ids) > bulk_edits.MOST_AT_ONCE:
        return _counted(organization_id, ids, changes)
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


def _counted(organization_id: str, ids: Sequence[int], changes: LineChanges) -> SharedEdit:
    """Count the lines that a change is for, before it is done in parts."""
    if not changes:
        raise edits.NothingToEditError
    limits.refuse_above(MOST, len(ids), "lines", "changed", bulk_edits.OTHERWISE)
    posted = selected_lines.count_posted(organization_id, ids)
    seen = _seen(organization_id, ids)
    digest = sha256_hex(canonical_json({"changes": dict(changes), "lines": list(seen.items())}))
    return SharedEdit(ids, [], len(ids) - posted, posted, 0, [], digest, seen=seen)


def _seen(organization_id: str, ids: Sequence[int]) -> dict[int, str]:
    shown = shown_lines.of_lines(organization_id, ids)
    return {each: sha256_hex(str(shown.get(each)))[:12] for each in ids}


def edit_part(
    organization_id: str,
    ids: Sequence[int],
    changes: LineChanges,
    *,
    seen: Mapping[int, str],
    actor: Actor,
    now: datetime,
) -> SharedEdit:
    """Change one part of many lines; those that are otherwise than they were `seen` are refused."""
    are = _seen(organization_id, ids)
    same = [each for each in ids if are[each] == seen.get(each)]
    done = _run(organization_id, same, changes, actor, now, most=PART)
    moved = [(each, HAS_CHANGED) for each in ids if each not in set(same)]
    return replace(done, refused=[*done.refused, *moved])


def _run(
    organization_id: str,
    ids: Sequence[int],
    changes: LineChanges,
    actor: Actor,
    now: datetime,
    *,
    most: int | None = None,
) -> SharedEdit:
    if not changes:
        raise edits.NothingToEditError
    limits.refuse_above(most or bulk_edits.MOST_AT_ONCE, len(ids), "lines", "changed", bulk_edits.OTHERWISE)
    shown = shown_lines.of_lines(organization_id, ids)
    acts, outcomes = [], []
    lines_ahead.load(organization_id, ids, [changes.get("account_id")])
    for line_id in ids:
        outcome, act_id = _edit_one(organization_id, line_id, changes, actor, now)
        outcomes.append(outcome)
        acts += [act_id] if act_id else []
    whole = [[each, str(shown.get(each)), outcome] for each, outcome in zip(ids, outcomes, strict=True)]
    counts = Counter(outcomes)
    drafts, corrections, unchanged = (counts.pop(each, 0) for each in ("draft", "correction", "unchanged"))
    digest = sha256_hex(canonical_json({"changes": dict(changes), "lines": whole}))
    refused = [(each, outcome) for each, outcome in zip(ids, outcomes, strict=True) if outcome in counts]
    return SharedEdit(ids, acts, drafts, corrections, unchanged, counts.most_common(), digest, refused)


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
            done = edits.edit(line, changes, actor=actor, now=now, warns=False)
    except LedgerError as error:
        return str(error), None
    return (kind, done.action_request_id) if done.changed else ("unchanged", None)
