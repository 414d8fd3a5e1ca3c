"""The flag by which an upgrade stops every request, of all processes that serve the same INSTANCE_PATH.

It is a file that names the revision to come, and that the upgrade locks while it runs. One that nobody locks is left by
an upgrade that was killed, or by one that is done: a server that started before it does not know the new schema. The
next `tieout serve` deletes it.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from webapp.ledger.errors import LedgerError

FILE_NAME: Final = "upgrading"
UPGRADED: Final = "The books were upgraded."
KILLED: Final = "An upgrade was stopped, and the books are as before."


class UpgradingError(LedgerError):
    """The books are being upgraded, nothing was changed; try again in a minute."""

    status = 503
    code = "upgrading"

    def __init__(self) -> None:
        super().__init__(details={"retryAfter": 60})


class UpgradeRunsError(LedgerError):
    """Another upgrade of these books is running; wait for its end."""

    code = "upgrade_runs"


def is_stopped(instance_path: Path) -> bool:
    """Return whether requests are stopped."""
    return (instance_path / FILE_NAME).exists()


def revision_to_come(instance_path: Path) -> str | None:
    """Read which revision the books were to get by what stops requests."""
    return (instance_path / FILE_NAME).read_text() if is_stopped(instance_path) else None


@contextmanager
def stopped(instance_path: Path, revision: str) -> Iterator[Callable[[], None]]:
    """Stop requests within the block, and after it too where what it yields is called; raises UpgradeRunsError."""
    descriptor = _locked(instance_path)
    os.truncate(descriptor, 0)
    os.write(descriptor, revision.encode())
    lasts: list[bool] = []
    try:
        yield lambda: lasts.append(True)
    finally:
        if not lasts:
            (instance_path / FILE_NAME).unlink()
        os.close(descriptor)


def clear(instance_path: Path) -> str | None:
    """Let requests in again; returns the revision of the upgrade that had stopped them. Raises UpgradeRunsError."""
    revision = revision_to_come(instance_path)
    if revision is not None:
        descriptor = _locked(instance_path)
        (instance_path / FILE_NAME).unlink()
        os.close(descriptor)
    return revision


def _locked(instance_path: Path) -> int:
    descriptor = os.open(instance_path / FILE_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise UpgradeRunsError from None
    return descriptor
