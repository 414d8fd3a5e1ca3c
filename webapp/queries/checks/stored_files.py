"""Stored files and those of waiting proposals: each is there byte for byte as it came, and no other is beside them."""

import gzip
import zlib
from collections.abc import Iterator
from hashlib import sha256
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import IO, Final, NamedTuple

import sqlalchemy as sa

from webapp.database.places import MOST_BYTES, PROPOSALS, evidence_folder, evidence_place, is_name, place_in
from webapp.database.sessions import db, instance_folder
from webapp.models import (
    ActionRequest,
    Document,
    DocumentFile,
    FeedPush,
    Import,
    InboxFile,
    StoredFile,
    of_same_organization,
    refers_to,
)
from webapp.queries.audit import proposals
from webapp.queries.audit.proposals import KeptFile
from webapp.queries.checks.violations import Violation, checked_organizations

ARRIVING = "arriving"
# Of rows that may hold 64 KiB each.
ROWS_AT_ONCE = 200
PART = 256 * 1024


def files() -> Iterator[Violation]:
    """Find files that are gone, or are not what came."""
    for row in db.session.execute(_kept().order_by(StoredFile.id).execution_options(yield_per=ROWS_AT_ONCE)):
        name = row.kept_name
        problem: FileProblem | None = STRANGE
        if not name or is_name(name):
            kept = evidence_place(row.organization_id, name) if name else row.content
            problem = problem_with(kept, row.sha256, is_compressed=row.is_compressed)
        if problem and (problem.code != "missing" or _is_still_kept(row.organization_id, name)):
            kind, whose, about = _owner(row)
            sentence = f"The file {row.name} of {whose} is {problem.text}: {name or row.sha256}."
            about |= {"fileId": row.id, "file": name or row.sha256}
            yield Violation(f"{kind}_file_{problem.code}", sentence, row.organization_id, about)


def strays() -> Iterator[Violation]:
    """Find files that no row names, other than those that are on their way."""
    for organization_id in checked_organizations():
        folder = evidence_folder(organization_id)
        there = set(folder.glob("[0-9a-f][0-9a-f]/*")) if folder.is_dir() else set()
        of_it = sa.and_(StoredFile.organization_id == organization_id, StoredFile.kept_name.is_not(None))
        names = db.session.scalars(sa.select(StoredFile.kept_name).where(of_it))
        named = {evidence_place(organization_id, name) for name in names if is_name(name)}
        for path in sorted(there - named):
            if _is_stray(path, organization_id):
                sentence = f"No row names the file {path.relative_to(folder.parent)}."
                yield Violation("file_without_row", sentence, organization_id, {"file": path.name})


def _kept() -> sa.Select[int, str, str | None, bytes | None, str, str, bool]:
    columns = (StoredFile.id, StoredFile.organization_id, StoredFile.kept_name, StoredFile.content)
    facts = (StoredFile.sha256, StoredFile.name, StoredFile.is_compressed)
    return sa.select(*columns, *facts).where(StoredFile.thrown_away_at.is_(None))


def _owner(
    row: sa.Row[int, str, str | None, bytes | None, str, str, bool],
) -> tuple[str, str, dict[str, object]]:
    """Name what a file belongs to: a code, words for a sentence, and the id."""
    document_id = db.session.scalar(
        sa.select(Document.id).where(of_same_organization(Document, row), Document.sha256 == row.sha256)
    ) or db.session.scalar(
        sa.select(DocumentFile.document_id).where(
            of_same_organization(DocumentFile, row), DocumentFile.sha256 == row.sha256
        )
    )
    if document_id is not None:
        return "document", f"document {document_id}", {"documentId": document_id}
    import_id = db.session.scalar(sa.select(sa.func.min(Import.id)).where(refers_to(Import.file_id, row)))
    if import_id is not None:
        return "bank", f"import {import_id}", {"importId": import_id}
    waiting = sa.select(InboxFile.id).where(
        of_same_organization(InboxFile, row), InboxFile.sha256 == row.sha256
    )
    if (inbox_file_id := db.session.scalar(waiting)) is not None:
        return "inbox", "the inbox", {"inboxFileId": inbox_file_id}
    batch = db.session.scalar(sa.select(FeedPush.batch_id).where(refers_to(FeedPush.file_id, row)).limit(1))
    return "bank", f"the pushed batch {batch}" if batch else "nothing any more", {}


def _is_still_kept(organization_id: str, name: str) -> bool:
    """Read past this snapshot: a file may go, with what named it, while the books are checked."""
    with db.engine.connect().execution_options(read_only=True) as connection:
        named = sa.select(StoredFile.id).where(
            StoredFile.organization_id == organization_id, StoredFile.kept_name == name
        )
        return connection.scalar(named) is not None


def _is_stray(path: Path, organization_id: str) -> bool:
    """Look once more: a file may come while the books are checked, with a mark until its row is committed."""
    is_arriving = path.parent.parent.joinpath(ARRIVING, path.name.removeprefix(".")).exists()
    is_named = path.name[:2] == path.parent.name and _is_still_kept(organization_id, path.name)
    return path.exists() and not is_arriving and not is_named


class FileProblem(NamedTuple):
    """What is wrong with a file: a code, and its text for a sentence."""

    code: str
    text: str


DIFFERS: Final = FileProblem("differs", "not what was sent")
STRANGE: Final = FileProblem("name", "under a name that no file of ours has")


def problem_with(
    file: Path | bytes, wanted: str | None, *, is_compressed: bool = False
) -> FileProblem | None:
    """Find what is wrong with a file of this SHA-256, which gzip may have compressed; None where it is whole."""
    try:
        with _opened(file) as raw, gzip.open(raw) if is_compressed else raw as plain:
            digest = _digest(plain)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        return DIFFERS
    except OSError:
        return FileProblem("missing", "missing")
    return None if digest == wanted else DIFFERS


def _digest(file: IO[bytes] | gzip.GzipFile) -> str:
    """Give the SHA-256 of as much of a file as any has: a packed one may unpack to a thousand times its size."""
    digest, left = sha256(), MOST_BYTES + 1
    while left > 0 and (part := file.read(min(left, PART))):
        digest.update(part)
        left -= len(part)
    return digest.hexdigest()


def _opened(file: Path | bytes) -> BytesIO | BufferedReader:
    return BytesIO(file) if isinstance(file, bytes) else file.open("rb")


def proposal_files() -> Iterator[Violation]:
    """Find waiting proposals whose file is gone, or is not what was sent."""
    folder = instance_folder(PROPOSALS)
    for row in proposals.files():
        problem = problem_with(place_in(folder, row.name), row.sha256) if is_name(row.name) else STRANGE
        if problem and (problem.code != "missing" or _still_waits(row)):
            about = {"actionRequestId": row.request_id, "file": row.name}
            sentence = f"The file of proposal {row.request_id} is {problem.text}: {row.name}."
            yield Violation(f"proposal_file_{problem.code}", sentence, row.organization_id, about)


def _still_waits(file: KeptFile) -> bool:
    """Read past this snapshot: a proposal may be decided, with its file deleted, while the books are checked."""
    is_pending = sa.select(ActionRequest.id).where(
        ActionRequest.organization_id == file.organization_id,
        ActionRequest.id == file.request_id,
        ActionRequest.status == "PENDING",
    )
    with db.engine.connect().execution_options(read_only=True) as connection:
        return connection.scalar(is_pending) is not None


CHECKS = (files, strays)
ACROSS = (proposal_files,)
