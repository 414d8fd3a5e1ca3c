"""Figures as they are measured, judged, printed and kept, and the options that all measurements have."""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from benchmarks import servers

POSTINGS, LINES = 1_000_000, 100_000
HEAD: Final = (
    f"{'':<42}{'hello ms':>9}{'p50 ms':>9}{'p99 ms':>9}{'cpu ms':>9}{'ratio':>8}{'must':>7}{'hope':>7}"
)


@dataclass(frozen=True)
class Figure:
    """A row of the table as it was measured; only a ratio to a greeting says something on another machine."""

    title: str
    ratio: float
    must: float
    hope: float
    is_met: bool
    hello: float = 0.0
    p50: float = 0.0
    p99: float = 0.0
    cpu: float = 0.0
    asked: int = 0
    note: str = ""

    def __str__(self) -> str:
        """Write the row."""
        times = "".join(
            f"{each:9.2f}" if each else " " * 9 for each in (self.hello, self.p50, self.p99, self.cpu)
        )
        verdict = "met" if self.is_met else "MISSED"
        figures = f"{self.ratio:8.2f}{self.must:7.1f}{self.hope:7.1f}"
        return f"{self.title:<42}{times}{figures}  {verdict}{'  ' + self.note if self.note else ''}"


class Table:
    """The figures of one run, printed one after another and kept as JSON in the end."""

    def __init__(self, options: argparse.Namespace, what: str, way: str) -> None:
        """Print the head."""
        self.commit = commit_of(options.checkout)
        self._name = f"{what}-{way}"
        self._size = f"{options.postings}-{options.lines}-{self.commit}.json"
        self._folder: Path = options.books
        self._kept: Path | None = options.json
        self._is_part = bool(options.only)
        self.figures: list[Figure] = []
        print(
            f"{options.postings:,} postings, {options.lines:,} open lines, {way}, {self.commit}\n{HEAD}",
            flush=True,
        )

    def show(self, *figures: Figure) -> None:
        """Print figures."""
        self.figures += figures
        for each in figures:
            print(each, flush=True)

    def keep(self) -> bool:
        """Write all figures to their file, some of them only where one is named; return whether all musts are met."""
        said = {"commit": self.commit, "run": self._name, "rows": [asdict(each) for each in self.figures]}
        path = self._kept or (None if self._is_part else self._folder / f"{self._name}-{self._size}")
        if path is not None:
            path.write_text(json.dumps(said, indent=1))
        return all(each.is_met for each in self.figures)

    def ratios_of(self, name: str) -> dict[str, float]:
        """Read the ratios of another run of the same commit and size, where there is one."""
        other = self._folder / f"{name}-{self._size}"
        if not other.exists():
            print(f"There is no {other.name} to compare with: run that first.")
            return {}
        return {each["title"]: each["ratio"] for each in json.loads(other.read_text())["rows"]}


def at_most(title: str, value: float, must: float, hope: float | None = None, note: str = "") -> Figure:
    """Judge a value that should be small."""
    return Figure(title, value, must, must / 2 if hope is None else hope, value <= must, note=note)


def commit_of(checkout: Path) -> str:
    """Return the commit of a checkout."""
    words = ["git", "-C", str(checkout), "rev-parse", "--short=8", "HEAD"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603


def options_of(module: str, doc: str) -> argparse.ArgumentParser:
    """Make the parser of the options that all measurements have."""
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{module}", description=doc.split("\n", maxsplit=1)[0]
    )
    kept = Path(tempfile.gettempdir()) / "tieout-books"
    parser.add_argument("--engine", default="sqlite", choices=["sqlite", "postgresql"])
    parser.add_argument("--postings", type=int, default=POSTINGS)
    parser.add_argument("--lines", type=int, default=LINES, help="how many open lines")
    parser.add_argument(
        "--books", type=_folder, default=kept, help="where books are kept, and what was measured"
    )
    parser.add_argument(
        "--checkout", type=_folder, default=servers.HERE, help="whose `tieout serve` is measured"
    )
    parser.add_argument("--only", default="", help="measure the rows with this word in their name")
    parser.add_argument("--json", type=Path, help="where the figures go")
    return parser


def _folder(text: str) -> Path:
    return Path(text).resolve()
