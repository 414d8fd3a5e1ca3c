"""What will hurt of the settings and of the machine: each finding is a sentence with its mend."""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from webapp.config import Settings, is_loopback
from webapp.file_safety import file_system

GIBIBYTE: Final = 1024**3
# What a disk cannot do: a program in between, or the machine that runs this one, only says that it has written.
FASTEST_SYNC: Final = 5e-6
IN_MEMORY: Final = frozenset({"tmpfs", "ramfs"})
PROXY_MARK: Final = "proxy_seen"


class Symptom(NamedTuple):
    """A fact of this installation, what mends it, and whether it will hurt."""

    code: str
    sentence: str
    mend: str
    hurts: bool = True


def examine(settings: Settings, now: datetime) -> Iterator[Symptom]:
    """Look at the settings, at Python and at the disks."""
    yield from _of_settings(settings)
    yield from _of_python(now)
    yield from _of_disks(settings)


def _of_settings(settings: Settings) -> Iterator[Symptom]:
    is_open = not is_loopback(settings.host)
    if is_open and not settings.proxy_hops:
        yield Symptom(
            "plain_http",
            f"HOST is {settings.host}, and there is no reverse proxy: nobody can sign in from another machine.",
            "Put a reverse proxy with HTTPS in front and set PROXY_HOPS=1.",
        )
    if is_open and (settings.instance_path / "demo_sign_in").exists():
        yield Symptom(
            "demo_open",
            "The demo's books are served to other machines.",
            "Unset HOST, or begin new books in another INSTANCE_PATH.",
        )
    if settings.proxy_hops and not any(not is_loopback(host) for host in settings.trusted_hosts):
        yield Symptom(
            "hosts_unnamed",
            "A reverse proxy is in front, and TRUSTED_HOSTS has no name that it serves: it is answered 400.",
            "TRUSTED_HOSTS=books.example.org",
        )
    if not settings.proxy_hops and (settings.instance_path / PROXY_MARK).exists():
        yield Symptom(
            "proxy_unknown",
            "X-Forwarded-For has arrived while PROXY_HOPS is 0: all visitors count as one address.",
            f"PROXY_HOPS=1, or where no proxy is in front: rm {settings.instance_path / PROXY_MARK}",
        )
    if not settings.rate_limit:
        yield Symptom(
            "no_rate_limit",
            "RATE_LIMIT is 0: one key may take all the time of this server.",
            "Unset RATE_LIMIT.",
            hurts=False,
        )


def _of_python(now: datetime) -> Iterator[Symptom]:
    major, minor = sys.version_info[:2]
    # PEP 602: a version comes each October, and is corrected for five years.
    last = date(2016 + minor, 10, 31)
    if last < now.date():
        yield Symptom(
            "old_python",
            f"Python {major}.{minor} gets no more corrections from its makers since {last:%-d %b %Y}.",
            "Use a newer one, unless the makers of your system correct it themselves.",
            hurts=False,
        )


def _of_disks(settings: Settings) -> Iterator[Symptom]:
    temporary = Path(tempfile.gettempdir())
    size = (
        settings.database_file.stat().st_size
        if settings.database_file and settings.database_file.exists()
        else 0
    )
    for name, folder, least in (
        ("books", settings.instance_path, GIBIBYTE + 2 * size),
        ("temporary files", temporary, GIBIBYTE),
    ):
        if not folder.is_dir():
            continue
        code = name.partition(" ")[0]
        if shutil.disk_usage(folder).free < least:
            yield Symptom(
                f"{code}_space",
                f"The disk of the {name} ({folder}) has less than {least / GIBIBYTE:.1f} GiB free.",
                "Free space there" + (", or set TMPDIR." if folder == temporary else "."),
            )
        if not os.access(folder, os.W_OK):
            yield Symptom(
                f"{code}_read_only", f"This user cannot write to {folder}.", f"chown {os.geteuid()} {folder}"
            )
            continue
        if os.statvfs(folder).f_favail == 0 < os.statvfs(folder).f_files:
            yield Symptom(
                f"{code}_inodes",
                f"The disk of the {name} ({folder}) takes no more files.",
                "Delete files there.",
            )
    if settings.instance_path.is_dir():
        yield from _of_files(settings.instance_path)


def _of_files(folder: Path) -> Iterator[Symptom]:
    foreign = [each for each in (folder, *sorted(folder.iterdir())) if each.lstat().st_uid != os.geteuid()]
    if foreign:
        yield Symptom(
            "foreign_files",
            f"{foreign[0]} belongs to another user than the one who runs this.",
            f"Run commands as the user of the server, or: chown -R {os.geteuid()} {folder}",
        )
    if file_system(folder) in IN_MEMORY:
        yield Symptom(
            "books_in_memory",
            f"{folder} is in memory, and is gone when the machine stops.",
            "Set INSTANCE_PATH to a folder on a disk.",
        )
    elif os.access(folder, os.W_OK) and sync_seconds(folder) < FASTEST_SYNC:
        yield Symptom(
            "dishonest_disk",
            f"The disk of {folder} says at once that it has written: a loss of power can destroy the books.",
            "Switch the write cache without a battery off, or use another disk.",
        )


def sync_seconds(folder: Path) -> float:
    """Measure how long the disk takes to say that it has written."""
    taken = []
    with tempfile.TemporaryFile(dir=folder) as file:
        for _ in range(9):
            file.write(os.urandom(4096))
            file.flush()
            began = time.perf_counter()
            os.fsync(file.fileno())
            taken.append(time.perf_counter() - began)
    return median(taken)
