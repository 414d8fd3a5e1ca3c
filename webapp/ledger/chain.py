"""The hash chain of audit events: each carries the previous event's hash, so any change is detected."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from webapp.ledger.canonical import canonical_json, sha256_hex

# The hash before the first event of an organization.
GENESIS: Final = "0" * 64


class Head(NamedTuple):
    """The end of a chain: the number and the hash of its last event."""

    sequence: int
    hash: str


# Where a chain begins.
NO_EVENT: Final = Head(0, GENESIS)


@dataclass(frozen=True, slots=True)
class Link:
    """One event of an organization's chain, numbered from 1 without a gap; `body` is its canonical JSON."""

    sequence: int
    body: str
    previous_hash: str
    hash: str


@dataclass(frozen=True, slots=True)
class Break:
    """The first broken place of a chain, and a sentence about it."""

    sequence: int
    kind: Literal["sequence", "previous", "hash", "head"]
    message: str


def link(event: Mapping[str, object], after: Link | Head | None = None) -> Link:
    """Make the next link of a chain.

    >>> first = link({"kind": "organization.created"})
    >>> second = link({"kind": "account.created"}, after=first)
    >>> (first.sequence, second.sequence, second.previous_hash == first.hash)
    (1, 2, True)
    """
    body = canonical_json(event)
    previous = after.hash if after else GENESIS
    return Link((after.sequence if after else 0) + 1, body, previous, hash_of(previous, body))


def hash_of(previous_hash: str, body: str) -> str:
    """Hash an event together with the one before: SHA-256 of the previous hash, a line end, and the body."""
    return sha256_hex(f"{previous_hash}\n{body}")


def first_break(links: Iterable[Link], *, head: str | None = None) -> Break | None:
    """Walk a chain from its first event and return the first break, or None.

    A chain without its tail still holds; only a `head` noted elsewhere shows the cut.

    >>> whole = [link({"n": 1})]
    >>> first_break(whole) is None, first_break([], head=whole[0].hash).kind
    (True, 'head')
    """
    sequence, previous = 0, GENESIS
    for event in links:
        sequence += 1
        found = _break_at(event, sequence, previous)
        if found is not None:
            return found
        previous = event.hash
    if head is not None and head != previous:
        return Break(
            sequence, "head", f"The chain ends at event {sequence} with another hash than the one noted."
        )
    return None


def _break_at(event: Link, sequence: int, previous: str) -> Break | None:
    if event.sequence != sequence:
        return Break(sequence, "sequence", f"Event {sequence} is missing; {event.sequence} is in its place.")
    if event.previous_hash != previous:
        return Break(sequence, "previous", f"Event {sequence} does not follow from the event before it.")
    if event.hash != hash_of(previous, event.body):
        return Break(
            sequence, "hash", f"Event {sequence} is not what was written: its hash is of something else."
        )
    return None
