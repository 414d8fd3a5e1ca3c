"""Measure the service from outside, each figure beside a greeting of plain Flask on plain gunicorn.

    python -m benchmarks.served [POSTINGS] [sqlite|postgresql] [--workers N] [--only WORD] [--anew] [--replicas N]

README.md beside this says how to read what it prints. Ends with 1 where what must be is not.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.serving import books as kept_books
from benchmarks.serving import servers
from benchmarks.serving.client import Sample, asked
from benchmarks.serving.rows import FIXED, HELLO, READS, Row
from benchmarks.serving.writes import WRITES, first_waiting

if TYPE_CHECKING:
    from benchmarks.serving.books import Books
    from benchmarks.serving.servers import Served

POSTINGS = 20_000
ROUNDS, SECONDS, WARM_SECONDS = 3, 2, 1
MOST_MEBIBYTES, STRETCH_MEBIBYTES = 200, 130
MOST_START_SECONDS, STRETCH_START_SECONDS = 1.5, 1.0
NAMES = ("hello/s", "rate/s", "p50 ms", "p99 ms", "cpu ms", "cpu", "ratio", "must", "stretch")
HEAD = f"{'':<32}" + "".join(f"{name:>8}" for name in NAMES)


@dataclass(frozen=True)
class Paired:
    """A sample of a row, and that of the greeting right before it."""

    hello: Sample
    own: Sample

    def ratio(self, row: Row) -> float:
        """Compare the two by what the row measures."""
        if row.measure == "rate":
            return self.own.rate / self.hello.rate
        return self.own.p50 / self.hello.p50


class Numbers:
    """The numbers that are asked for once each, from a first one on."""

    def __init__(self, first: int = 1) -> None:
        self.first = first

    def asked(self, served: Served, **asked_for: Any) -> Sample:
        """Ask, and go on after the last number that was asked for."""
        sample = asked(served, first=self.first, **asked_for)
        self.first = sample.following
        return sample


def measured(row: Row, books: Books, served: Served, hello: Served, numbers: Numbers) -> bool:
    """Measure a row beside the greeting, in turn, and print it; answers whether it is as it must be."""
    asked_for = {
        "path": row.path_in(books),
        "token": books.token,
        "most": books.entries,
        "body": row.body,
        "clients": row.clients,
    }
    numbers.asked(served, seconds=WARM_SECONDS, **asked_for)
    pairs = [
        Paired(
            asked(hello, HELLO, clients=row.clients, seconds=SECONDS),
            numbers.asked(served, seconds=SECONDS, **asked_for),
        )
        for _ in range(ROUNDS)
    ]
    ratio = median(pair.ratio(row) for pair in pairs)
    slowest = median(pair.own.p99 / pair.hello.p99 for pair in pairs)
    failed = sum(pair.own.failed + pair.hello.failed for pair in pairs)
    is_held = row.is_held(ratio) and (row.p99 is None or slowest <= row.p99) and not failed
    cpu = median(pair.own.cpu for pair in pairs)
    figures = [
        f"{median(pair.hello.rate for pair in pairs):8.0f}{median(pair.own.rate for pair in pairs):8.0f}",
        f"{median(pair.own.p50 for pair in pairs):8.2f}{median(pair.own.p99 for pair in pairs):8.2f}",
        f"{cpu:8.2f}{cpu / median(pair.hello.cpu for pair in pairs):7.2f}x",
        f"{ratio:7.3f}x{row.must:8}{row.stretch:8}  p99 {slowest:.1f}x",
        "" if row.p99 is None else f" (must {row.p99})",
        "" if is_held else "  MISSED",
        f"  {failed} FAILED" if failed else "",
    ]
    print(f"{row.name:<32}" + "".join(figures), flush=True)
    return is_held


def figure(name: str, value: float, must: float, stretch: float) -> bool:
    """Print a figure that is compared with nothing but its bar; answers whether it is as it must be."""
    is_held = value <= must
    print(f"{name:<80}{value:8.2f}{must:8}{stretch:8}{'' if is_held else '  MISSED'}", flush=True)
    return is_held


def main(postings: int, engine: str, workers: int, only: str, *, anew: bool, replicas: int) -> bool:
    """Measure every row, and print it; answers whether all are as they must be. With replicas only reads are."""
    books = kept_books.kept(postings, engine)
    if replicas:
        print(f"{postings:,} postings, {workers} worker(s), {replicas} replica(s)\n{HEAD}", flush=True)
        with kept_books.replicated(books, replicas) as copies:
            return _reads_measured(copies, workers, only, anew=anew)
    made = ", every answer made anew" if anew else ""
    print(
        f"{postings:,} postings on {engine}, {workers} worker(s) of {servers.THREADS} threads{made}\n{HEAD}",
        flush=True,
    )
    is_held = _reads_measured(books, workers, only, anew=anew)
    is_held &= _writes_measured(books, workers, only)
    if not only:
        seconds = median(servers.first_answer(books) for _ in range(ROUNDS))
        is_held &= figure("G12 start to first hub, s", seconds, MOST_START_SECONDS, STRETCH_START_SECONDS)
    return is_held


def _reads_measured(books: Books, workers: int, only: str, *, anew: bool) -> bool:
    is_held = True
    with contextlib.ExitStack() as stack:
        hello = stack.enter_context(servers.hello_served())
        by_name = {
            "books": stack.enter_context(servers.books_served(books, workers, anew=anew)),
            "own hello": stack.enter_context(servers.own_hello_served()),
        }
        for row in (*FIXED, *READS):
            if only in row.name:
                is_held &= measured(row, books, by_name[row.server], hello, Numbers())
        if not only:
            name = "G11 memory after all this, MiB (a greeting's beside it"
            memory = by_name["books"].mebibytes
            is_held &= figure(f"{name} {hello.mebibytes:.0f})", memory, MOST_MEBIBYTES, STRETCH_MEBIBYTES)
    return is_held


def _writes_measured(books: Books, workers: int, only: str) -> bool:
    rows = [row for row in WRITES if only in row.name]
    if not rows:
        return True
    is_held = True
    with (
        kept_books.copied(books) as acts,
        servers.hello_served() as hello,
        servers.books_served(acts, workers) as served,
    ):
        waiting = Numbers(first_waiting(acts, served))
        for row in rows:
            is_held &= measured(row, acts, served, hello, waiting if row.confirms else Numbers())
    return is_held


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.served", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("postings", type=int, nargs="?", default=POSTINGS)
    parser.add_argument(
        "engine", nargs="?", default=kept_books.SQLITE, choices=[kept_books.SQLITE, kept_books.POSTGRESQL]
    )
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", default="", help="measure the rows with this word in their name")
    parser.add_argument("--replicas", type=int, default=0, help="replicas of the server, of PostgreSQL")
    parser.add_argument("--anew", action="store_true", help="keep no answer: each is made of the books")
    sys.exit(not main(**vars(parser.parse_args())))
