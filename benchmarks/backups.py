"""Measure checks, backups and restores of books of any size, in every direction between the engines.

    python -m benchmarks.backups [POSTINGS ...]

Prints seconds by engine and size, and those of them that the command itself used. After each restore the trial balance
and the head of the audit chain are compared with those of the backup, and the restored books are backed up again: every
table must have the same digest.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

from benchmarks import sound_books
from tests.fixtures.houses import House
from tests.fixtures.stores import PostgresqlServer, SqliteFiles
from tests.tree import ROOT

SIZES = (10_000, 100_000, 1_000_000)
KINDS = ("sqlite", "postgresql")
Store = SqliteFiles | PostgresqlServer


def main(sizes: tuple[int, ...]) -> None:
    """Measure every size on both engines, and print a row for each act."""
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        (folder / "files").mkdir()
        postgresql = PostgresqlServer("benchmark", "backups")
        stores: dict[str, Store] = {"sqlite": SqliteFiles(folder / "files"), "postgresql": postgresql}
        try:
            for size in sizes:
                for kind in KINDS:
                    _measure(stores, kind, size, folder)
        finally:
            postgresql.close()


def _measure(stores: dict[str, Store], kind: str, size: int, folder: Path) -> None:
    url = _written(stores[kind], size, folder)
    backup = folder / f"{kind}.zip"
    _print(f"{size:,} {kind}", "check", _timed(folder, url, "check"))
    _print(f"{size:,} {kind}", "backup", _timed(folder, url, "backup", str(backup)))
    for other in KINDS:
        store = stores[other]
        store.make("restored")
        there = store.url("restored")
        _print(f"{size:,} {kind}", f"restore into {other}", _timed(folder, there, "restore", str(backup)))
        again = folder / "again.zip"
        _timed(folder, there, "backup", str(again))
        first, second = _manifest(backup), _manifest(again)
        for part in ("organizations", "tables", "lastIds"):
            if first[part] != second[part]:
                raise SystemExit(f"The {part} of the restored books are others.")
        again.unlink()
        store.drop("restored")
    backup.unlink()


def _written(store: Store, size: int, folder: Path) -> str:
    begun = time.perf_counter()
    house = House(store, folder)
    house.refresh()
    with house.app.app_context():
        sound_books.write(house.people["ada"].organization_id, size)
    house.leave()
    _print(f"{size:,}", "written", (time.perf_counter() - begun, 0.0))
    return house.settings.database_url


def _timed(folder: Path, url: str, *words: str) -> tuple[float, float]:
    """Run a command as an operator does; answers its seconds, and those of the processor."""
    environment = {**os.environ, "DATABASE_URL": url, "INSTANCE_PATH": str(folder / "instance")}
    begun, used = time.perf_counter(), _used()
    done = subprocess.run(  # noqa: S603  (our own words)
        [sys.executable, "-m", "webapp.cli", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}: {done.stdout}{done.stderr}"[:2000])
    return time.perf_counter() - begun, _used() - used


def _used() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _manifest(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        found: dict[str, Any] = json.loads(archive.read("manifest.json"))
    return found


def _print(books: str, act: str, seconds: tuple[float, float]) -> None:
    print(f"{books:<24}{act:<26}{seconds[0]:8.1f} s, of the processor{seconds[1]:8.1f} s", flush=True)


if __name__ == "__main__":
    main(tuple(int(each) for each in sys.argv[1:]) or SIZES)
