"""By which id a line of a payload is known again: the provider's, or one made of what the line says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from webapp.importers.providers.pushes import PushLine
from webapp.ledger.matching.lines import is_placeholder, line_keys


def identified(lines: Sequence[PushLine]) -> tuple[tuple[PushLine, ...], list[str]]:
    """Give each line an id that is its own, and say which ones had none.

    Without an id, or under a placeholder for one, the key that the line would have in a file is the id: its day,
    amount and text, and which of the equal ones it is. An id that names several lines is no identity, and would
    let each be taken for a change of the one before: there the key is made of the id, the day and the amount. A
    pending line under the id of a booked one is how that one was before, and is left out.
    """
    ambiguous = _ambiguous(lines)
    booked = {line.provider_transaction_id for line in lines if not line.pending} - ambiguous
    now = [line for line in lines if not (line.pending and _named(line) in booked)]
    keyed = [index for index, line in enumerate(now) if _named(line) in {None, *ambiguous}]
    keys = line_keys(now[index] for index in keyed)
    before = len(lines) - len(now)
    for index, key in zip(keyed, keys, strict=True):
        now[index] = replace(now[index], provider_transaction_id=f"{key.digest}-{key.occurrence}")
    return tuple(now), [*_said(len(keyed), ambiguous), *_said_before(before)]


def _named(line: PushLine) -> str | None:
    name = line.provider_transaction_id
    return None if is_placeholder(name) else name


def _ambiguous(lines: Sequence[PushLine]) -> set[str]:
    """Find the ids under which two lines of one state say two things."""
    facts: dict[tuple[str, bool], set[PushLine]] = defaultdict(set)
    for line in lines:
        if (name := _named(line)) is not None:
            facts[name, line.pending].add(line)
    return {name for (name, _), found in facts.items() if len(found) > 1}


def _said(keyed: int, ambiguous: set[str]) -> list[str]:
    if not keyed:
        return []
    count = "1 line has" if keyed == 1 else f"{keyed:,} lines have"
    reused = " An id of the provider names several lines." if ambiguous else ""
    return [f"{count} no id of their own; day, amount and text are their identity.{reused}"]


def _said_before(count: int) -> list[str]:
    if not count:
        return []
    lines = "1 pending line is" if count == 1 else f"{count:,} pending lines are"
    return [f"{lines} booked under the same id."]
