"""Verify an audit file of Tieout with nothing but Python: `python verify_books.py FILE` (docs/format.md).

It names each line that is not what the chain of events says, and ends with status 1 if there is one.
"""

import hashlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

# By format, the SHA-256 of the fields that this program knows: those of release 0.1.0, then those with later kinds.
FORMATS = {
    1: {
        "09d68932881f80b2cbd965c2e4ba5bd3f3de48db71daebd65fd98c37682b526a",
        "0fba27516d4ddd2900de3129e4a4082c8275faf124a44f1383b4f550e612984d",
    }
}
HEAD = (("sequence", "hash"), ("events", "rows"))
UNREADABLE = (AttributeError, KeyError, TypeError, ValueError, RecursionError)


def canonical(value: object) -> str:
    """Write JSON with sorted keys, no spaces and no escaped letters."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def sha256(text: str) -> str:
    """Hash a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Take an object that names nothing twice, for other programs may read the other value."""
    named = dict(pairs)
    if len(named) < len(pairs):
        raise ValueError(pairs)
    return named


def in_order(values: dict[str, Any], names: list[str]) -> list[object]:
    """List values in the order of their names; a row may end before the last ones, and misses none between."""
    known = names[: len(values)]
    if set(known) != set(values):
        raise KeyError(known)
    return [values[name] for name in known]


class Verifier:
    """Reads the lines of a file one after another; `faults` are sentences about those that are wrong."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.line = self.events = self.rows = self.sequence = 0
        self.books: tuple[str, int, dict[str, Any]] = ("", 0, {})
        self.hash, self.has_ended = "", False
        # By kind and id the digest that was bound last; what the last event says of its rows, and these themselves.
        self.newest: dict[tuple[str, int], str | None] = {}
        self.said: object = None
        self.bound: list[tuple[str, int, str | None]] = []

    def require(self, holds: object, fault: str) -> None:
        """Note a fault of the line unless something holds."""
        if not holds:
            self.faults.append(f"Line {self.line}: {fault}.")

    def read(self, text: str) -> None:
        """Read the next line."""
        self.line += 1
        record = json.loads(text, object_pairs_hook=once)
        kind = record.pop("type")
        self.require(not self.has_ended, "it comes after the head")
        self.require(self.books[0] or kind == "books", "it comes before the books")
        if kind != "bound":
            self.end_event()
        {
            "books": self.read_books,
            "event": self.read_event,
            "bound": self.read_bound,
            "row": self.read_row,
            "head": self.read_head,
        }[kind](record)
        self.require(not record, "it has more fields than its format")

    def read_books(self, record: dict[str, Any]) -> None:
        """Learn whose books these are, and the fields of their rows."""
        self.require(self.line == 1, "the books are named twice")
        fields, number = record.pop("fields"), record.pop("format")
        self.require(sha256(canonical(fields)) in FORMATS.get(number, ()), "the format is not known here")
        self.books, self.hash = (record.pop("organization"), number, fields), record.pop("before")

    def read_event(self, record: dict[str, Any]) -> None:
        """Go one event on in the chain."""
        sequence, body, digest = record.pop("sequence"), record.pop("body"), record.pop("hash")
        self.require(not self.events or sequence == self.sequence + 1, "an event is missing before it")
        self.require(not self.rows, "it comes after a row, which another event may have bound since")
        self.require(digest == sha256(f"{self.hash}\n{body}"), "it does not follow from the event before")
        said = json.loads(body)
        self.require(said["organizationId"] == self.books[0], "it is of other books")
        self.sequence, self.hash, self.said = sequence, digest, said.get("rows")
        self.events += 1

    def read_bound(self, record: dict[str, Any]) -> None:
        """Take the digest of a row that the last event bound."""
        self.bound.append((record.pop("kind"), record.pop("id"), record.pop("digest")))

    def end_event(self) -> None:
        """Compare the rows that the last event bound with what it says of them."""
        lines = "".join(f"{kind} {row_id} {digest or '-'}\n" for kind, row_id, digest in sorted(self.bound))
        found = {"count": len(self.bound), "digest": sha256(lines)} if self.bound else None
        self.require(
            found == self.said, f"event {self.sequence} bound other rows than those before this line"
        )
        self.newest |= {(kind, row_id): digest for kind, row_id, digest in self.bound}
        self.said, self.bound = None, []

    def read_row(self, record: dict[str, Any]) -> None:
        """Compare a row with the digest that was bound of it last."""
        organization, number, fields = self.books
        kind, row_id, values = record.pop("kind"), record.pop("id"), record.pop("values")
        own = [field for field in fields[kind] if isinstance(field, str)]
        lists = [
            [in_order(row, names) for row in values.pop(name)]
            for name, names in (field for field in fields[kind] if not isinstance(field, str))
        ]
        form = [kind, number, organization, row_id, *in_order(values, own), *lists]
        digest = self.newest.pop((kind, row_id), None)
        self.require(digest == sha256(canonical(form)), f"{kind} {row_id} is not what an event bound")
        self.rows += 1

    def read_head(self, record: dict[str, Any]) -> None:
        """Compare the end of the file with what was read."""
        last, counts = [(record.pop(one), record.pop(other)) for one, other in HEAD]
        self.require(last == (self.sequence, self.hash), "the head is another one")
        self.require(counts == (self.events, self.rows), "lines are missing")
        for (kind, row_id), digest in self.newest.items():
            self.require(digest is None, f"{kind} {row_id} is missing")
        self.has_ended = True


def verify(lines: Iterable[str]) -> list[str]:
    """List what is wrong in the lines of an audit file."""
    verifier = Verifier()
    for text in lines:
        try:
            verifier.read(text)
        except UNREADABLE:
            verifier.require(None, "it is no line of an audit file")
    verifier.require(verifier.has_ended, "the file has no head")
    return verifier.faults


if __name__ == "__main__":
    with Path(sys.argv[1]).open(encoding="utf-8") as file:
        found = verify(file)
    sys.stdout.write(
        "\n".join(found) or "Every line is what the chain says. Compare its head with one that you kept."
    )
    sys.stdout.write("\n")
    sys.exit(bool(found))
