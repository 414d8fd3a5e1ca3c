"""Folders of this machine whose files are taken for an organization: each once it is whole, and moved when it is taken.

A file is moved after the books have it, so that a process that ends in between leaves it where it was; it is taken
again then, and found there already. What is written into a folder beside it survives a power failure.
"""

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import UnprocessableError
from webapp.models import Organization
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.documents.sent_files import SentFile
from webapp.services.imports import uploads
from webapp.services.inbox.arrivals import Arrival, ArrivalOutcome
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
    """A folder, and since when each file in it is as it is; instants are seconds of a clock that only goes on."""

    path: Path
    seen: dict[str, tuple[_State, float]] = field(default_factory=dict)

    def whole(self, at: float) -> Iterator[list[Path]]:
        """Yield the files that have not changed for two seconds, by name, as many together as are taken together."""
        there: dict[str, tuple[_State, float]] = {}
        for entry in sorted(os.scandir(self.path), key=lambda each: each.name):
            state = _state(Path(entry.path)) if _is_sent(entry.name) else None
            if state is not None:
                before, since = self.seen.get(entry.name, (state, at))
                there[entry.name] = (state, since if before == state else at)
        self.seen = there
        together: list[Path] = []
        size = 0
        for name, (state, since) in list(there.items()):
            if at - since < STILL_SECONDS:
                continue
            size += state.size
            if together and (len(together) == MOST_TOGETHER or size > MOST_BYTES_TOGETHER):
                yield together
                together, size = [], state.size
            together.append(self.path / name)
        if together:
            yield together

    def is_idle(self, at: float) -> bool:
        """Tell whether no file is there but those that are left alone for a while."""
        return all(since > at for _, since in self.seen.values())

    def read(self, path: Path) -> SentFile | None:
        """Read a file that is whole; none where it changed meanwhile. Raises OSError where it cannot be read."""
        found = self.seen[path.name][0]
        with os.fdopen(os.open(path, _OPENED), "rb") as file:
            data = file.read(found.size + 1)
        return SentFile(path.name, data) if _state(path) == found else None

    def wait(self, path: Path, at: float) -> None:
        """Leave a file alone for a while that could not be taken."""
        found = self.seen.get(path.name)
        if found is not None:
            self.seen[path.name] = (found[0], at + LATER_SECONDS)

    def is_too_large(self, path: Path) -> bool:
        """Tell whether a file is larger than any that is taken."""
        return self.seen[path.name][0].size > uploads.MOST_BYTES

    def put_away(self, arrived: Iterable[tuple[Path, Arrival]]) -> dict[Path, Path]:
        """Move files to `done` or `refused`, each beside a text that says what became of it; answers their new places.

        One that changed meanwhile stays.
        """
        places: dict[Path, Path] = {}
        texts: dict[Path, bytes] = {}
        for path, arrival in arrived:
            if _state(path) == self.seen[path.name][0]:
                folder = self.path / (REFUSED if arrival.outcome is ArrivalOutcome.REFUSED else DONE)
                places[path] = place = _free(folder, path.name, {*texts, *places.values()})
                texts[_text_of(place)] = f"{_sentence(arrival)}\n".encode()
        whole_files.keep_all(texts)
        for path, place in places.items():
            path.rename(place)
            del self.seen[path.name]
        if places:
            whole_files.sync_all({self.path, *(place.parent for place in places.values())})
        return places


def choose(organization: Organization, folder: Path | None, *, actor: Actor, now: datetime) -> None:
    """Choose the folder whose files are taken for an organization, or none; raises FolderError."""
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


def _state(path: Path) -> _State | None:
    """Give the state of a plain file; none for folders, links and what has gone."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return _State(found.st_size, found.st_mtime_ns, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _free(folder: Path, name: str, taken: Collection[Path]) -> Path:
    """Give a path of a folder that no file has or takes, nor the text beside it."""
    wanted = folder / name
    number, place = 1, wanted
    while any(each in taken or each.exists() for each in (place, _text_of(place))):
        number += 1
        place = wanted.with_stem(f"{wanted.stem} ({number})")
    return place


def _text_of(place: Path) -> Path:
    return place.with_name(f"{place.name}.txt")


def of_archive(name: str, taken: Iterable[Arrival]) -> Arrival:
    """Say of an archive what became of each file in it; refused ones wait in the inbox, so that nothing is lost."""
    lines = [f"{each.file_name}: {_sentence(each)}" for each in taken]
    return Arrival(name, ArrivalOutcome.FILED, "\n".join(lines))


def _sentence(arrival: Arrival) -> str:
    if arrival.inbox_file_id is not None:
        return f"It waits in the inbox. {arrival.sentence}"
    return arrival.sentence
