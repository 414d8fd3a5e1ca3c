"""Names of rows that a trial makes: `new-1`, `new-2`, …, for their ids are gone with it and others the next time."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from webapp.ledger.references import Ref, ReferringDigest


class NewNames:
    """Gives rows that came after a mark their names, the same row always the same one.

    New acts have no name: their ids are left empty.
    """

    def __init__(self, newest: Mapping[str, int], act_ids: Collection[str]) -> None:
        """Take the newest id of each table at the mark, and the ids of the acts since."""
        self._newest = newest
        self._act_ids = act_ids
        self._names: dict[tuple[str, int], str] = {}

    def name(self, ref: Ref) -> int | str:
        """Name a row: a new one by its name, any other by its id."""
        if ref <= self._newest.get(ref.kind.table, 0):
            return int(ref)
        return self._names.setdefault((ref.kind.table, int(ref)), f"new-{len(self._names) + 1}")

    def written(self, value: Any) -> Any:
        """Write a JSON value with these names in the places of references to new rows."""
        if isinstance(value, Ref):
            return self.name(value)
        if isinstance(value, ReferringDigest):
            return str(ReferringDigest(self.written(value.value)))
        if isinstance(value, Mapping):
            return {key: self.written(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.written(each) for each in value]
        return None if isinstance(value, str) and value in self._act_ids else value
