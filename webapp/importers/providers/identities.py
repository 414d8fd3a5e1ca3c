"""The id of each line of a payload, from the provider or from its content, and warnings about the lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from webapp.importers.providers.pushes import PushLine
from webapp.importers.value_days import moved_warning
from webapp.ledger.matching.lines import is_placeholder, line_keys


def identified(lines: Sequence[PushLine]) -> tuple[tuple[PushLine, ...], list[str]]:
    """Return the lines with unique ids, and warnings about lines without one.

    A line without an id, or with a placeholder, gets the key that it would have in a file: date, amount, text and
    an occurrence number for equal lines. An id of several different lines identifies none of them, and each would
    be taken for a modification of the previous one: they get keys, too. A pending line with the id of a booked one
    is the earlier state of it, and is left out.
    """
    ambiguous = _ambiguous(lines)
    booked = {line.provider_transaction_id for line in lines if not line.pending} - ambiguous
    current = [line for line in lines if not (line.pending and _own_id(line) in booked)]
    keyed = [index for index, line in enumerate(current) if _own_id(line) in {None, *ambiguous}]
    keys = line_keys(current[index] for index in keyed)
    superseded = len(lines) - len(current)
    for index, key in zip(keyed, keys, strict=True):
        current[index] = replace(current[index], provider_transaction_id=f"{key.digest}-{key.occurrence}")
    return tuple(current), [*_missing_id_warnings(len(keyed), ambiguous), *_superseded_warnings(superseded)]


def moved_value_days(lines: Sequence[PushLine]) -> Iterator[str]:
    """Warn of value dates that were moved to the last day of the month."""
    moved = [line for line in lines if line.has_moved_value_day]
    if moved:
        yield moved_warning(len(moved), f"the line of {moved[0].booked_on}")


def _own_id(line: PushLine) -> str | None:
    name = line.provider_transaction_id
    return None if is_placeholder(name) else name


def _ambiguous(lines: Sequence[PushLine]) -> set[str]:
    """Find the ids shared by two different lines, both booked or both pending."""
    facts: dict[tuple[str, bool], set[PushLine]] = defaultdict(set)
    for line in lines:
        if (name := _own_id(line)) is not None:
            facts[name, line.pending].add(line)
    return {name for (name, _), found in facts.items() if len(found) > 1}


def _missing_id_warnings(keyed: int, ambiguous: set[str]) -> list[str]:
    if not keyed:
        return []
    count = "1 line has" if keyed == 1 else f"{keyed:,} lines have"
    reused = " The provider uses one id for several lines." if ambiguous else ""
    return [f"{count} no id of their own; date, amount and text identify them.{reused}"]


def _superseded_warnings(count: int) -> list[str]:
    if not count:
        return []
    lines = "1 pending line is" if count == 1 else f"{count:,} pending lines are"
    return [f"{lines} booked under the same id."]
