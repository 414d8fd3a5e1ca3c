"""The corpus of real bank files beside this repository: what each file holds, by its manifest."""

import functools
import json
import os
from dataclasses import dataclass
from pathlib import Path

from tests import tree

FOLDER = Path(os.environ.get("TIEOUT_CORPUS") or tree.ROOT.parent / "shared" / "corpus")


@dataclass(frozen=True)
class Entry:
    """One file of the corpus and what a right reader makes of it."""

    path: str
    expected: dict

    @property
    def data(self) -> bytes:
        return (FOLDER / self.path).read_bytes()

    @property
    def outcome(self) -> str:
        return self.expected["outcome"]

    @property
    def accounts(self) -> list[dict]:
        return self.expected.get("per_account", [])


def is_present() -> bool:
    return (FOLDER / "MANIFEST.json").is_file()


def report_header() -> str:
    """The line of the report's head that says whether the corpus is read."""
    return f"corpus: {FOLDER}" if is_present() else "corpus: absent, so tests/corpus is not collected"


@functools.cache
def entries(bank_format: str) -> tuple[Entry, ...]:
    """The files of one format, in the order of the manifest."""
    manifest = json.loads((FOLDER / "MANIFEST.json").read_text(encoding="utf-8"))
    return tuple(
        Entry(entry["path"], entry["expected"])
        for entry in manifest["entries"]
        if entry["format"] == bank_format
    )
