"""Progress of imports and rule runs: a sentence in a small file that every worker can read."""

import contextlib
import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from webapp.database.places import checked_organization
from webapp.services.imports.progress import Phase, Progress, sentence
from webapp.services.rules.runs import RunProgress
from webapp.web.access.auth import organization_id, settings


@contextlib.contextmanager
def reporting(name: str) -> Iterator[Callable[[str], None]]:
    """Let a job report its progress, and delete the report at its end; a disk that takes no report stops no job."""
    path = _path(name)

    def report(progress: str) -> None:
        temporary = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        with contextlib.suppress(OSError):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                temporary.write_text(json.dumps(progress))
                temporary.replace(path)
            finally:
                temporary.unlink(missing_ok=True)

    try:
        yield report
    finally:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def read(name: str) -> str | None:
    """Read the progress of a job as a sentence; None where it is not running."""
    try:
        progress: str = json.loads(_path(name).read_text())
    except FileNotFoundError:
        return None
    return progress


@contextlib.contextmanager
def reporting_import(import_id: int) -> Iterator[Progress]:
    """Report the progress of an import while it runs."""
    with reporting(_of_import(import_id)) as report:

        def report_phase(phase: Phase, done: int, total: int | None) -> None:
            report(sentence(phase, done, total))

        yield report_phase


def of_import(import_id: int) -> str | None:
    """Read the progress of an import as a sentence; None where it is not running."""
    return read(_of_import(import_id))


@contextlib.contextmanager
def reporting_rule(rule_id: int) -> Iterator[RunProgress]:
    """Report the progress of a rule while it is applied."""
    with reporting(_of_rule(rule_id)) as report:

        def report_lines(done: int, total: int) -> None:
            report(f"{done:,} of {total:,} lines done")

        yield report_lines


def of_rule(rule_id: int) -> str | None:
    """Read the progress of a rule as a sentence; None where it is not being applied."""
    return read(_of_rule(rule_id))


def _of_import(import_id: int) -> str:
    return f"import-{import_id}"


def _of_rule(rule_id: int) -> str:
    return f"rule-{rule_id}"


def _path(name: str) -> Path:
    """The file of a job, with the organization's id in its name, so that it cannot be another one's."""
    return settings().instance_path / "progress" / f"{checked_organization(organization_id())}-{name}.json"
