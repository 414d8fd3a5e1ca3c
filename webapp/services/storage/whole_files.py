"""Files that survive a power failure: whole under their name or not there, and with them the folders that list them.

A file system may write a name before the bytes behind it, and neither before it is asked to. So what an answer or a
row promises is on the disk before that is given or committed: first the bytes, then the name, then the folder.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

# How many waits for the disk go on at once: a file system writes down together what several wait for.
WAITS_AT_ONCE: Final = 8
_BEGINNING: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK


def keep(path: Path, data: bytes) -> None:
    """Write a file that only its owner may read, in place of one that may be there."""
    make_folder(path.parent)
    with written(path, beginning_of(path)) as file:
        file.write(data)


def keep_all(files: Mapping[Path, bytes]) -> None:
    """Write files as `keep` does, and wait for the disk once for all; where that fails, none is left half."""
    beginnings = {path: beginning_of(path) for path in files}
    folders = {path.parent for path in files}
    for folder in folders:
        make_folder(folder)
    try:
        for path, data in files.items():
            with os.fdopen(_begun(beginnings[path]), "wb") as file:
                file.write(data)
        sync_all(beginnings.values())
        for path, beginning in beginnings.items():
            beginning.replace(path)
    except BaseException:
        for beginning in beginnings.values():
            beginning.unlink(missing_ok=True)
        raise
    sync_all(folders)


def keep_all_in(folder: int, files: Mapping[str, bytes]) -> None:
    """Write files that only their owner may read into an opened folder, by their names there, no link followed.

    The caller waits for the folder itself.
    """
    written: dict[str, int] = {}
    try:
        for name, data in files.items():
            written[name] = begun = os.open(f".{name}", _BEGINNING, 0o600, dir_fd=folder)
            with os.fdopen(os.dup(begun), "wb") as file:
                file.write(data)
        with ThreadPoolExecutor(WAITS_AT_ONCE) as waiting:
            list(waiting.map(os.fsync, written.values()))
        for name in files:
            os.rename(f".{name}", name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        for name in written:
            with suppress(FileNotFoundError):
                os.unlink(f".{name}", dir_fd=folder)
        raise
    finally:
        for begun in written.values():
            os.close(begun)


def sync_all(paths: Iterable[Path]) -> None:
    """Flush files, or the names of folders, to the disk, and wait for all of them together."""
    with ThreadPoolExecutor(WAITS_AT_ONCE) as waiting:
        list(waiting.map(sync, paths))


@contextmanager
def written(path: Path, beginning: Path) -> Iterator[IO[bytes]]:
    """Give a file to write at `beginning`; it takes its path whole at the end, and goes where that fails.

    Both are in one folder, which must be there. What a killed process left at `beginning` is written over.
    """
    descriptor = _begun(beginning)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beginning.replace(path)
    except BaseException:
        beginning.unlink(missing_ok=True)
        raise
    sync(path.parent)


def beginning_of(path: Path) -> Path:
    """Give the path at which a kept file is written before it takes its own."""
    return path.with_name(f".{path.name}")


def make_folder(path: Path) -> None:
    """Make a folder that only its owner may enter, with those above it, unless it is there."""
    if path.is_dir():
        return
    make_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    sync(path.parent)


def _begun(beginning: Path) -> int:
    return os.open(beginning, _BEGINNING, 0o600)


def sync(path: Path) -> None:
    """Flush the names of a folder, or the bytes of a file, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
