"""The corpus of real bank files beside this repository: what each file holds, by its manifest."""

import functools
import json
from dataclasses import dataclass

from tests.fixtures.corpus import CORPUS


@dataclass(frozen=True)
class Entry:
    """One file of the corpus and what a right reader makes of it."""

    path: str
    expected: dict
    columns: dict | None = None

    @property
    def data(self) -> bytes:
        return (CORPUS / self.path).read_bytes()

    @property
    def outcome(self) -> str:
        return self.expected["outcome"]

    @property
    def mapping(self) -> dict[str, object]:
        """Where a CSV file keeps its columns, in the words of a mapping."""
        renamed = {
            "currency_col": "currencyColumn",
            "account_col": "accountColumn",
            "pending_value": "pending",
        }
        return {renamed.get(name) or camelized(name): value for name, value in (self.columns or {}).items()}

    @property
    def accounts(self) -> list[dict]:
        return self.expected.get("per_account", [])


def camelized(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


@functools.cache
def entries(bank_format: str) -> tuple[Entry, ...]:
    manifest = json.loads((CORPUS / "MANIFEST.json").read_text(encoding="utf-8"))
    return tuple(
        Entry(entry["path"], entry["expected"], entry.get("csv_mapping"))
        for entry in manifest["entries"]
        if entry["format"] == bank_format
    )
