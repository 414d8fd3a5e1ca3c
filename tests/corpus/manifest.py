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

    @property
    def data(self) -> bytes:
        return (CORPUS / self.path).read_bytes()

    @property
    def outcome(self) -> str:
        return self.expected["outcome"]

    @property
    def accounts(self) -> list[dict]:
        return self.expected.get("per_account", [])


@functools.cache
def entries(bank_format: str) -> tuple[Entry, ...]:
    """The files of one format, in the order of the manifest."""
    manifest = json.loads((CORPUS / "MANIFEST.json").read_text(encoding="utf-8"))
    return tuple(
        Entry(entry["path"], entry["expected"])
        for entry in manifest["entries"]
        if entry["format"] == bank_format
    )
