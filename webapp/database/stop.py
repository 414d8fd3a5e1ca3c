"""The flag by which an upgrade stops every request, of all processes that serve the same INSTANCE_PATH.

It is a file that the upgrade locks while it runs. One that nobody locks is left by an upgrade that was killed, or by
one that is done: a server that started before it does not know the new schema. The next `tieout serve` deletes it.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from webapp.ledger.errors import LedgerError

FILE_NAME: Final = "upgrading"


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


@contextmanager
def stopped(instance_path: Path) -> Iterator[Callable[[], None]]:
    """Stop requests within the block, and after it too where what it yields is called; raises UpgradeRunsError."""
    descriptor = _locked(instance_path)
    lasts: list[bool] = []
    try:
        yield lambda: lasts.append(True)
    finally:
        if not lasts:
            (instance_path / FILE_NAME).unlink()
        os.close(descriptor)


def clear(instance_path: Path) -> bool:
    """Let requests in again; returns whether an upgrade had stopped them. Raises UpgradeRunsError."""
    if not is_stopped(instance_path):
        return False
    descriptor = _locked(instance_path)
    (instance_path / FILE_NAME).unlink()
    os.close(descriptor)
    return True


def _locked(instance_path: Path) -> int:
    descriptor = os.open(instance_path / FILE_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise UpgradeRunsError from None
    return descriptor
