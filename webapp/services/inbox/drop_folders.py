"""Folders of this machine whose files are taken for an organization: each once it is whole, and moved when it is taken.

A file is moved after the books have it, so that a process that ends in between leaves it where it was; it is taken
again then, and found there already. What is written into a folder beside it survives a power failure.
"""

import errno
import fcntl
import os
import shlex
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

import sqlalchemy as sa

from webapp.database.places import MOST_BYTES
from webapp.database.sessions import db
from webapp.ledger.codes import ArrivalOutcome
from webapp.ledger.errors import UnprocessableError
from webapp.models import Organization
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.documents.sent_files import SentFile
from webapp.services.inbox.arrivals import Arrival
from webapp.services.storage import whole_files

DONE: Final = "done"
REFUSED: Final = "refused"
# How long a file is left alone after it last changed: programs write what they send in pieces.
STILL_SECONDS: Final = 2.0
# How long one is left alone that could not be taken.
LATER_SECONDS: Final = 30.0
# How many are taken together, while other writers wait a third of a second, and the bytes read for it.
MOST_TOGETHER: Final = 50
MOST_BYTES_TOGETHER: Final = 16 * 1024 * 1024
# What browsers, editors and copying programs call a file that is not whole yet.
UNFINISHED: Final = (".part", ".partial", ".tmp", ".crdownload", ".download", ".filepart", ".swp", "~")
# Of a file system, less what is written around a name.
MOST_NAME: Final = 255 - len("..txt")
_OPENED: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


class FolderError(UnprocessableError):
    """This is no folder that can be watched; name one that exists, by its whole path, for this organization alone."""

    code = "drop_folder"


class _State(NamedTuple):
    """What tells whether a file is still being written."""

    size: int
    changed: int
    inode: int


@dataclass(slots=True)
class DropFolder:
    """A folder, and since when each file in it is as it is; instants are seconds of a clock that only goes on.

    It need not be ours alone: it is opened once for a pass, and all in it is reached from there by name, no link
    followed. What others may write into has to be `is_shared`.
    """

    path: Path
    is_shared: bool = False
    seen: dict[str, tuple[_State, float]] = field(default_factory=dict)
    complaints: set[str] = field(default_factory=set)
    _folder: int = -1

    @contextmanager
    def opened(self) -> Iterator[bool]:
        """Open the folder for a pass, and yield whether no other process takes its files; raises FolderError."""
        self._folder = _opened(str(self.path))
        try:
            found = os.fstat(self._folder)
            is_others = found.st_uid not in (0, os.geteuid()) or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
            if is_others and not self.is_shared:
                raise FolderError(
                    f"Other users of this machine may write into {self.path}. "
                    f"Run: chmod go-w {shlex.quote(str(self.path))}, or add --shared if they are to."
                )
            for name in (DONE, REFUSED):
                if _lies_in(self._folder, name):
                    os.close(_opened(name, self._folder))
            yield _is_locked(self._folder)
        finally:
            os.close(self._folder)

    def whole(self, at: float) -> Iterator[list[str]]:
        """Yield the files that have not changed for two seconds, by name, as many together as are taken together."""
        there: dict[str, tuple[_State, float]] = {}
        for name in sorted(entry.name for entry in os.scandir(self._folder)):
            state = self._state(name) if _is_sent(name) else None
            if state is not None:
                before, since = self.seen.get(name, (state, at))
                there[name] = (state, since if before == state else at)
        self.seen = there
        together: list[str] = []
        size = 0
        for name, (state, since) in list(there.items()):
            if at - since < STILL_SECONDS:
                continue
            size += state.size
            if together and (len(together) == MOST_TOGETHER or size > MOST_BYTES_TOGETHER):
                yield together
                together, size = [], state.size
            together.append(name)
        if together:
            yield together

    def links(self) -> Iterator[str]:
        """Yield the links in the folder, which are never taken."""
        for entry in os.scandir(self._folder):
            if entry.is_symlink() and _is_sent(entry.name):
                yield entry.name

    def is_new(self, complaint: str) -> bool:
        """Tell whether a complaint was not made yet; it is from now on."""
        is_new = complaint not in self.complaints
        self.complaints.add(complaint)
        return is_new

    def is_idle(self, at: float) -> bool:
        """Tell whether no file is there but those that are left alone for a while."""
        return all(since > at for _, since in self.seen.values())

    def read(self, name: str) -> SentFile | None:
        """Read a file that is whole; none where it changed meanwhile. Raises OSError where it cannot be read."""
        found = self.seen[name][0]
        with os.fdopen(os.open(name, _OPENED, dir_fd=self._folder), "rb") as file:
            data = file.read(found.size + 1)
            is_same = _of(os.fstat(file.fileno())) == found
        return SentFile(name, data) if is_same and self._state(name) == found else None

    def wait(self, name: str, at: float) -> None:
        """Leave a file alone for a while that could not be taken or moved; for ever from an infinite instant on."""
        found = self.seen.get(name)
        if found is not None:
            self.seen[name] = (found[0], at + LATER_SECONDS)

    def is_too_large(self, name: str) -> bool:
        """Tell whether a file is larger than any that is taken."""
        return self.seen[name][0].size > MOST_BYTES

    def put_away(self, arrived: Iterable[tuple[str, Arrival]]) -> dict[str, str]:
        """Move files to `done` or `refused`, each beside a text that says what became of it; answers their new places.

        One that changed meanwhile stays.
        """
        of: dict[str, dict[str, Arrival]] = {}
        for name, arrival in arrived:
            if self._state(name) == self.seen[name][0]:
                folder = REFUSED if arrival.outcome is ArrivalOutcome.REFUSED else DONE
                of.setdefault(folder, {})[name] = arrival
        places: dict[str, str] = {}
        for folder, arrivals in of.items():
            with suppress(FileExistsError):
                os.mkdir(folder, 0o700, dir_fd=self._folder)
            inside = _opened(folder, self._folder)
            try:
                for name, place in self._put_into(inside, arrivals).items():
                    places[name] = f"{folder}/{place}"
            finally:
                os.close(inside)
        if places:
            os.fsync(self._folder)
        return places

    def _put_into(self, inside: int, arrivals: Mapping[str, Arrival]) -> dict[str, str]:
        places: dict[str, str] = {}
        texts: dict[str, bytes] = {}
        for name, arrival in arrivals.items():
            places[name] = place = _free(inside, name, {*texts, *places.values()})
            texts[_text_of(place)] = f"{_sentence(arrival)}\n".encode()
        whole_files.keep_all_in(inside, texts)
        for name, place in places.items():
            try:
                os.rename(name, place, src_dir_fd=self._folder, dst_dir_fd=inside)
            except FileNotFoundError:
                os.unlink(_text_of(place), dir_fd=inside)
            del self.seen[name]
        os.fsync(inside)
        return places

    def _state(self, name: str) -> _State | None:
        """Give the state of a plain file; none for folders, links and what has gone."""
        try:
            return _of(os.stat(name, dir_fd=self._folder, follow_symlinks=False))
        except OSError:
            return None


def choose(
    organization: Organization, folder: Path | None, *, is_shared: bool = False, actor: Actor, now: datetime
) -> None:
    """Choose the folder whose files are taken for an organization, or none; raises FolderError.

    One into which others may write has to be `is_shared`.
    """
    if folder is not None:
        with DropFolder(folder, is_shared).opened():
            pass
    path = None if folder is None else str(folder)
    title = "Takes no folder's files any more" if path is None else f"Takes the files of {path}"
    payload: dict[str, object] = {"dropFolder": path}
    target = ("organization", organization.id)
    with act(actor, now, "choose_drop_folder", target, title=title, payload=payload) as doing:
        if folder is not None and (
            not folder.is_absolute() or not folder.is_dir() or _is_taken(organization, folder)
        ):
            raise FolderError
        if organization.drop_folder == path:
            doing.nothing_to_do()
            return
        doing.before, doing.after = {"dropFolder": organization.drop_folder}, payload
        organization.drop_folder = path
        db.session.flush()


def _is_taken(organization: Organization, folder: Path) -> bool:
    """Tell whether another organization has the folder, one above it or one in it."""
    others = db.session.scalars(
        sa.select(Organization.drop_folder).where(
            Organization.id != organization.id, Organization.drop_folder.is_not(None)
        )
    )
    wanted = folder.resolve()
    return any(
        wanted.is_relative_to(other) or other.is_relative_to(wanted)
        for other in (Path(each or "").resolve() for each in others)
    )


def _is_sent(name: str) -> bool:
    return not name.startswith(".") and not name.lower().endswith(UNFINISHED)


def _of(found: os.stat_result) -> _State | None:
    return _State(found.st_size, found.st_mtime_ns, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _opened(name: str, folder: int | None = None) -> int:
    """Open a folder, by its path or in another one; raises FolderError for a link and for what is none."""
    try:
        return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.ELOOP):
            raise FolderError(
                f"{name} is a link, or no folder: nothing is moved there. Remove it."
            ) from error
        raise FolderError(f"{name} cannot be opened: {error.strerror}.") from error


def _is_locked(folder: int) -> bool:
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _lies_in(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


def _free(folder: int, name: str, taken: Collection[str]) -> str:
    """Give a name that no file in a folder has or takes, nor the text beside it; a long one is shortened.

    What is written beside it has a dot before its name, and `.txt` behind it.
    """
    stem, suffix = Path(name).stem, Path(name).suffix
    number, place = 1, name
    while len(os.fsencode(place)) > MOST_NAME or any(
        each in taken or _lies_in(folder, each) for each in (place, _text_of(place))
    ):
        if len(os.fsencode(place)) > MOST_NAME:
            stem, suffix = (stem[:-1], suffix) if stem else (suffix, "")
        else:
            number += 1
        place = f"{stem}{f' ({number})' if number > 1 else ''}{suffix}"
    return place


def _text_of(place: str) -> str:
    return f"{place}.txt"


def of_archive(name: str, taken: Iterable[Arrival]) -> Arrival:
    """Say of an archive what became of each file in it; refused ones wait in the inbox, so that nothing is lost."""
    lines = [f"{each.file_name}: {_sentence(each)}" for each in taken]
    return Arrival(name, ArrivalOutcome.FILED, "\n".join(lines))


def _sentence(arrival: Arrival) -> str:
    if arrival.inbox_file_id is not None:
        return f"It waits in the inbox. {arrival.sentence}"
    return arrival.sentence
