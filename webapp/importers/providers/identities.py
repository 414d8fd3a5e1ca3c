"""By which id a line of a payload is known again: the provider's, or one made of what the line says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from webapp.importers.providers.pushes import PushLine
from webapp.ledger.lines import is_placeholder, line_keys


def identified(lines: Sequence[PushLine]) -> tuple[tuple[PushLine, ...], list[str]]:
    """Give each line an id that is its own, and say which ones had none.

    Without an id, or under a placeholder for one, the key that the line would have in a file is the id: its day,
    amount and text, and which of the equal ones it is. An id that names several booked lines of another day or
    amount is no identity, and would let each be taken for a change of the one before: there the key is made of
    the id, the day and the amount.
    """
    ambiguous = _ambiguous(lines)
    keyed = [
        index
        for index, line in enumerate(lines)
        if is_placeholder(line.provider_transaction_id) or line.provider_transaction_id in ambiguous
    ]
    keys = line_keys(lines[index] for index in keyed)
    named = list(lines)
    for index, key in zip(keyed, keys, strict=True):
        named[index] = replace(lines[index], provider_transaction_id=f"{key.digest}-{key.occurrence}")
    return tuple(named), _said(len(keyed), ambiguous)


def _ambiguous(lines: Sequence[PushLine]) -> set[str]:
    facts: dict[str, set[tuple[object, ...]]] = defaultdict(set)
    for line in lines:
        if not line.pending and not is_placeholder(line.provider_transaction_id):
            facts[line.provider_transaction_id].add((line.booked_on, line.amount, line.currency))
    return {name for name, found in facts.items() if len(found) > 1}


def _said(keyed: int, ambiguous: set[str]) -> list[str]:
    if not keyed:
        return []
    count = "1 line has" if keyed == 1 else f"{keyed:,} lines have"
    reused = " An id of the provider names several lines." if ambiguous else ""
    return [f"{count} no id of their own; day, amount and text are their identity.{reused}"]
