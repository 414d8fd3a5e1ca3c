"""Progress of long work: a sentence in a small file beside the books, which every worker can read."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from webapp.services.imports.progress import Phase, Progress, sentence
from webapp.services.rules.runs import RunProgress
from webapp.web.access.auth import organization_id, settings


@contextlib.contextmanager
def reporting(name: str) -> Iterator[Callable[[str], None]]:
    """Let a piece of work write down how far it is, and forget it at its end."""
    path = _path(name)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)

    def report(progress: str) -> None:
        beside = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        beside.write_text(json.dumps(progress))
        beside.replace(path)

    try:
        yield report
    finally:
        path.unlink(missing_ok=True)


def read(name: str) -> str | None:
    """Read how far a piece of work is, in words; None where it does not run."""
    try:
        progress: str = json.loads(_path(name).read_text())
    except FileNotFoundError:
        return None
    return progress


@contextlib.contextmanager
def reporting_import(import_id: int) -> Iterator[Progress]:
    """Report how far the import of a previewed file is while it runs."""
    with reporting(_of_import(import_id)) as report:

        def report_phase(phase: Phase, done: int, total: int | None) -> None:
            report(sentence(phase, done, total))

        yield report_phase


def of_import(import_id: int) -> str | None:
    """Read how far an import is, in words; None where it does not run."""
    return read(_of_import(import_id))


@contextlib.contextmanager
def reporting_rule(rule_id: int) -> Iterator[RunProgress]:
    """Report how far a rule is while it is applied."""
    with reporting(_of_rule(rule_id)) as report:

        def report_lines(done: int, total: int) -> None:
            report(f"{done:,} of {total:,} lines done")

        yield report_lines


def of_rule(rule_id: int) -> str | None:
    """Read how far a rule is, in words; None where it is not applied just now."""
    return read(_of_rule(rule_id))


def _of_import(import_id: int) -> str:
    return f"import-{import_id}"


def _of_rule(rule_id: int) -> str:
    return f"rule-{rule_id}"


def _path(name: str) -> Path:
    """Name the file of a piece of work, so that nobody reaches another organization's."""
    return settings().instance_path / "progress" / f"{organization_id()}-{name}.json"
