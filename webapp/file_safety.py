"""Files of the books that other users of this machine could read or change, and file systems that keep no locks."""

from __future__ import annotations

import os
import re
import shlex
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOUNTS: Final = Path("/proc/self/mountinfo")
# SQLite trusts in the locks of files, which these give late, to some programs only, or not at all.
NETWORK: Final = re.compile(
    r"nfs[34]?|cifs|smb\d?|smbfs|ncpfs|afs|coda|ceph|glusterfs|lustre|davfs|fuse\.(?:sshfs|davfs2?|s3fs|rclone|gluster\S*|ceph\S*)"
)
OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
CHANGED_BY_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH


def fault(instance_path: Path, database: Path | None) -> str | None:
    """Say what is unsafe about the files of an installation, with the command that mends it; None if nothing is.

    `database` is SQLite's file; None for books on a server.
    """
    return _open_to_others(instance_path, database) or (_on_network(database) if database else None)


def make_own(folder: Path) -> None:
    """Make a folder that only its owner may enter; one that is there with nothing in it is closed to others."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.stat()
    if found.st_mode & OTHERS and found.st_uid == os.geteuid() and not any(_visible(folder)):
        folder.chmod(0o700)


def _visible(folder: Path) -> Iterator[Path]:
    """Give what is in a folder, without links and without names behind a point, which keep empty folders."""
    return (each for each in folder.iterdir() if not (each.name.startswith(".") or each.is_symlink()))


def _open_to_others(instance_path: Path, database: Path | None) -> str | None:
    inside = list(_visible(instance_path)) if instance_path.is_dir() else []
    folders = {each for each in (instance_path, *inside) if each.is_dir() and _mode(each) & OTHERS}
    files = {each for each in (*inside, *_of_database(database)) if each.is_file() and _mode(each) & OTHERS}
    if folders or files:
        commands = [*_command("700", folders), *_command("600", files)]
        named = min(folders | files)
        return (
            f"Other users of this machine may reach {named} (mode {_mode(named):03o}), where the books are. "
            f"Run: {' && '.join(commands)}"
        )
    if database and _may_be_replaced(database.parent):
        folder = shlex.quote(str(database.parent))
        return f"Other users of this machine may replace {database}. Run: chmod go-w {folder}"
    return None


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _command(mode: str, paths: Iterable[Path]) -> Iterator[str]:
    if quoted := [shlex.quote(str(path)) for path in sorted(paths)]:
        yield f"chmod {mode} {' '.join(quoted)}"


def _of_database(database: Path | None) -> list[Path]:
    """Name SQLite's file and those that it keeps beside it."""
    return (
        []
        if database is None
        else [Path(f"{database}{end}") for end in ("", "-wal", "-shm", "-journal", ".lock")]
    )


def _may_be_replaced(folder: Path) -> bool:
    """Return whether others may put another file in the place of one of ours; a sticky folder prevents it."""
    return folder.is_dir() and bool(_mode(folder) & CHANGED_BY_OTHERS) and not _mode(folder) & stat.S_ISVTX


def _on_network(database: Path) -> str | None:
    kind = file_system(database)
    if kind is None or not NETWORK.fullmatch(kind):
        return None
    return (
        f"{database} is on a network file system ({kind}), whose locks SQLite cannot trust: the books could be "
        "damaged. Set INSTANCE_PATH to a folder on a disk of this machine, or DATABASE_URL to a PostgreSQL server."
    )


def file_system(path: Path) -> str | None:
    """Name the kind of file system that a path is on, as Linux does; None where that is not known."""
    try:
        lines = MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    place, found = path.resolve(), None
    deepest = -1
    for line in lines:
        before, _, behind = line.partition(" - ")
        mounted = Path(re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), before.split()[4]))
        # Of two on one place the later hides the earlier.
        if place.is_relative_to(mounted) and len(mounted.parts) >= deepest:
            deepest, found = len(mounted.parts), behind.split()[0]
    return found
