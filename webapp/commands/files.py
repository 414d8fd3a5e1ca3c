"""Commands on files: folders that are watched for new files, and the deletion of files beyond the retention."""

import gc
import math
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Final

import click
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from webapp.commands.books import (
    JSON,
    ORGANIZATION,
    answer,
    books,
    command_actor,
    print_warnings,
    require_organization,
)
from webapp.database import failures
from webapp.database.sessions import begin_read, begin_write, db, scope_session
from webapp.ledger.codes import ArrivalOutcome
from webapp.ledger.errors import LedgerError
from webapp.ledger.titles import counted
from webapp.models import Organization
from webapp.queries.access import organizations
from webapp.queries.documents import retention as queried
from webapp.services.audit import action_requests
from webapp.services.bookkeeping import retention
from webapp.services.documents.sent_files import LargeFileError
from webapp.services.inbox import arrivals, drop_folders
from webapp.services.inbox.arrivals import Arrival
from webapp.services.inbox.drop_folders import DropFolder, FolderError

PAUSE_SECONDS: Final = 0.5
FOLDER = click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path)
SHARED = click.option("--shared", is_flag=True, help="Take files also where other users may write.")


@click.command("watch")
@click.argument("folder", required=False, metavar="[DIR]", type=FOLDER)
@click.option(
    "--organization", "organization_id", metavar="ID", help="Whose files they are; needed with DIR."
)
@click.option("--once", is_flag=True, help="Take what is there, and end.")
@SHARED
def watch(folder: Path | None, organization_id: str | None, *, once: bool, shared: bool) -> None:
    """Import the files that appear in DIR, or in the drop folder of each organization.

    Bank files are imported, everything else becomes a document, and open questions wait in the inbox. Files move
    to done/ or refused/ below DIR, with a text about the result.
    """
    if (folder is None) != (organization_id is None):
        raise click.UsageError("Name a folder and its organization, or neither to watch the folders of all.")
    with books(), ending() as end:
        given = None if folder is None or organization_id is None else {organization_id: folder}
        watched: dict[Path, DropFolder] = {}
        # What is loaded stays as long as the process: the garbage collector need not look at it for each file.
        gc.collect()
        gc.freeze()
        while not end.is_set():
            places = given or _chosen()
            if organization_id is not None:
                begin_read()
                require_organization(organization_id)
                db.session.rollback()
            for of, path in places.items():
                _take_all(watched.setdefault(path, DropFolder(path, shared)), of, end, is_patient=not once)
            if once and all(each.is_idle(time.monotonic()) for each in watched.values()):
                return
            end.wait(PAUSE_SECONDS)


@click.command("drop-folder")
@ORGANIZATION
@click.argument("folder", required=False, metavar="[DIR]", type=FOLDER)
@click.option("--none", "is_none", is_flag=True, help="Take no folder's files for it any more.")
@SHARED
@JSON
def drop_folder(
    organization_id: str, folder: Path | None, *, is_none: bool, shared: bool, as_json: bool
) -> None:
    """Show or choose an organization's drop folder on this machine, for `tieout watch`."""
    if folder is not None and is_none:
        raise click.UsageError("Name a folder, or write --none.")
    with books():
        begin_write(organization_id)
        organization = require_organization(organization_id)
        if folder is not None or is_none:
            drop_folders.choose(
                organization,
                folder,
                is_shared=shared,
                actor=command_actor(organization_id),
                now=datetime.now(UTC),
            )
            db.session.commit()
        found = organization.drop_folder
        db.session.rollback()
    sentence = f"Files of {found} are taken." if found else "No folder's files are taken."
    answer({"dropFolder": found}, sentence, as_json=as_json)


def _chosen() -> dict[str, Path]:
    begin_read()
    rows = db.session.execute(
        sa.select(Organization.id, Organization.drop_folder).where(Organization.drop_folder.is_not(None))
    ).all()
    db.session.rollback()
    return {row.id: Path(row.drop_folder) for row in rows if Path(row.drop_folder).is_dir()}


def _take_all(folder: DropFolder, organization_id: str, end: Event, *, is_patient: bool) -> None:
    """Take the complete files of a folder, each in its own transactions.

    What is wrong with the folder is said once, and looked at again where it `is_patient`.
    """
    try:
        with folder.opened() as is_alone:
            for name in folder.links():
                _complain(folder, f"{name}: not taken. It is a link; put the file itself here.")
            for names in folder.whole(time.monotonic()) if is_alone else ():
                taken = _take_new(folder, names, organization_id) if names[1:] else set()
                for name in names:
                    if end.is_set():
                        return
                    if name not in taken:
                        _take(folder, name, organization_id)
    except FolderError as error:
        if not is_patient:
            raise
        _complain(folder, str(error))


def _complain(folder: DropFolder, sentence: str) -> None:
    if folder.is_new(sentence):
        click.echo(sentence, err=True)


def _take_new(folder: DropFolder, names: Sequence[str], organization_id: str) -> set[str]:
    """Take the new documents among some files together, and return them; the rest is for `_take`."""
    scope_session(organization_id)
    try:
        there = {name: folder.read(name) for name in names if not folder.is_too_large(name)}
        files = {name: arrivals.read(file) for name, file in there.items() if file is not None}
        actor, now = command_actor(organization_id), datetime.now(UTC)
        filed = arrivals.take_new(list(files.values()), actor=actor, now=now)
        failures.commit(db.session())
    except (DBAPIError, OSError, LedgerError):
        db.session.rollback()
        return set()
    arrived = {name: filed[place] for place, name in enumerate(files) if place in filed}
    _put_away(folder, arrived)
    return set(arrived)


def _take(folder: DropFolder, name: str, organization_id: str) -> None:
    """Take a file; if the books or the disk fail, it is tried again later."""
    scope_session(organization_id)
    try:
        arrival = _arrival(folder, name, organization_id)
    except (DBAPIError, OSError, LedgerError) as error:
        db.session.rollback()
        action_requests.untold()
        folder.wait(name, time.monotonic())
        click.echo(f"{name}: not taken yet. {_reason(error)}", err=True)
    else:
        if arrival is not None:
            _put_away(folder, {name: arrival})


def _reason(error: Exception) -> str:
    return str(getattr(error, "message", None) or getattr(error, "strerror", None) or type(error).__name__)


def _arrival(folder: DropFolder, name: str, organization_id: str) -> Arrival | None:
    if folder.is_too_large(name):
        return Arrival(name, ArrivalOutcome.REFUSED, str(LargeFileError()))
    file = folder.read(name)
    if file is None:
        return None
    actor, now = command_actor(organization_id), datetime.now(UTC)
    inside = arrivals.unpacked([file])
    if len(inside) == 1 and inside[0].data is file.data:
        arrival = arrivals.take(file, keeps_refused=True, actor=actor, now=now)
        failures.commit(db.session())
        return arrival
    taken = []
    for each in inside:
        # The archive is put away as one, so that what is refused of it waits in the inbox.
        taken.append(arrivals.take(each, keeps_refused=False, actor=actor, now=now))
        failures.commit(db.session())
    return drop_folders.of_archive(name, taken)


def _put_away(folder: DropFolder, arrived: Mapping[str, Arrival]) -> None:
    """Move files that the books have. Where the disk fails that is tried again, otherwise they stay for a person."""
    try:
        places = folder.put_away(arrived.items())
    except (OSError, FolderError) as error:
        is_of_disk = isinstance(error, OSError) and failures.of_file(error) is not None
        for name in folder.seen.keys() & arrived.keys():
            folder.wait(name, time.monotonic() if is_of_disk else math.inf)
            then = "It is moved later." if is_of_disk else "Move it yourself."
            click.echo(
                f"{name}: {arrived[name].sentence} It was not moved ({_reason(error)}). {then}", err=True
            )
    else:
        for name, place in places.items():
            click.echo(f"{name}: {arrived[name].sentence} ({place})")
    print_warnings()


@contextmanager
def ending() -> Iterator[Event]:
    """Yield an event that SIGTERM and SIGINT set, so that the current step is finished first."""
    end = Event()
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    for number in before:
        signal.signal(number, lambda *_: end.set())
    try:
        yield end
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@click.command("delete-old-files")
@ORGANIZATION
@click.option("--yes", is_flag=True, help="Delete them; without it they are only counted.")
@JSON
def delete_old_files(organization_id: str, *, yes: bool, as_json: bool) -> None:
    """Count or delete the files beyond the organization's retention (Settings, Files)."""
    with books():
        begin_read()
        require_organization(organization_id)
        found = queried.old_files(organizations.get(organization_id), now=datetime.now(UTC))
        years = organizations.get(organization_id).retention_years
        db.session.rollback()
        deleted = _delete_all(organization_id) if yes else 0
    value = {
        "retentionYears": years,
        "before": found.before.isoformat() if found.before else None,
        "oldFiles": found.count,
        "deleted": deleted,
    }
    answer(value, _sentence(years, found, deleted, yes=yes), as_json=as_json)


def _delete_all(organization_id: str) -> int:
    """Delete them in several transactions, so that nobody waits long."""
    deleted = 0
    while True:
        begin_write(organization_id)
        organization, now = organizations.get(organization_id), datetime.now(UTC)
        gone = retention.delete_old(organization, actor=command_actor(organization_id), now=now)
        db.session.commit()
        deleted += gone
        if not gone:
            return deleted


def _sentence(years: int | None, found: queried.OldFiles, deleted: int, *, yes: bool) -> str:
    if years is None:
        return "Files of this organization stay for ever."
    if found.before is None:
        return "Nothing can be deleted: no period is locked, and the files of open periods stay."
    if yes:
        return f"{counted(deleted, 'file')} deleted, which came before {found.before:%-d %b %Y}."
    return (
        f"{counted(found.count, 'file')} came before {found.before:%-d %b %Y}; delete with --yes."
        if found.count
        else f"No file came before {found.before:%-d %b %Y}."
    )
