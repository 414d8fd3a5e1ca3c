"""A file of any kind as it comes: a bank's file is imported, everything else is filed, and doubt is a question.

Each takes transactions of its own, of which the last one is left open for the caller to commit, or is one of many
writes in the open one.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from sqlalchemy.exc import DBAPIError

from webapp import importers
from webapp.database.sessions import begin_write, db, scope_session
from webapp.importers import archives
from webapp.importers.archives import PackedMember
from webapp.importers.bank_files import FileRefusedError, MappingNeededError, RowRefusedError
from webapp.ledger.codes import ArrivalOutcome
from webapp.ledger.errors import LedgerError
from webapp.ledger.files.file_kinds import TEXT, FileKindError
from webapp.ledger.titles import counted, listed
from webapp.models import Document, Import
from webapp.queries.access import organizations
from webapp.queries.documents import documents as queried
from webapp.queries.documents import inbox_files as waiting_files
from webapp.queries.imports import imports
from webapp.services.audit.act import Actor
from webapp.services.audit.limits import ActTooLargeError
from webapp.services.documents import documents, filings, invoices
from webapp.services.documents.same_invoices import SameInvoiceError
from webapp.services.documents.sent_files import MOST_BYTES, EmptyFileError, LargeFileError, SentFile
from webapp.services.imports import imports as taking
from webapp.services.imports import runs, turns
from webapp.services.imports.planning import plans
from webapp.services.imports.planning.accounts import Assignment
from webapp.services.imports.uploads import Upload
from webapp.services.inbox import inbox_files

TABLE_ENDINGS = (".csv", ".tsv")


@dataclass(frozen=True, slots=True)
class Arrival:
    """What became of a file, in a sentence, and where it is now."""

    file_name: str
    outcome: ArrivalOutcome
    sentence: str
    document_id: int | None = None
    import_id: int | None = None
    inbox_file_id: int | None = None


class ArchiveError(FileRefusedError):
    """This is an archive (zip) within an archive, or one of too many; send it by itself, or unpack it."""


class AccountNeededError(FileRefusedError):
    """The file names no account; choose whose lines they are."""


def read(file: SentFile) -> SentFile:
    """Read a file as one of a document, before anybody waits for the books; what is larger than any is left unread."""
    if file.contents is not None or len(file.data) > MOST_BYTES:
        return file
    return SentFile(file.name, file.data, invoices.contents(file.data))


def unpacked(files: Sequence[SentFile]) -> list[SentFile]:
    """Put the files of each archive in its place, as if they came by themselves; a refused archive stays."""
    members = archives.unpacked([PackedMember(each.name, each.data) for each in files])
    return [SentFile(each.name, each.data) for each in members]


def take_new(files: Sequence[SentFile], *, actor: Actor, now: datetime) -> dict[int, Arrival]:
    """File those of some read files together that are new documents without a question; answers them by their places.

    What the books or the disk refuse of them is taken back, and none is filed: each is for `take`, which says why.
    """
    likely = [(place, file) for place, file in enumerate(files) if not _is_of_bank(file)]
    new = filings.read(likely)
    if not new:
        return {}
    db.session.rollback()
    scope_session(actor.organization_id)
    try:
        begin_write(actor.organization_id)
        filed = filings.file_new(new, actor=actor, now=now)
    except (DBAPIError, OSError, LedgerError):
        db.session.rollback()
        return {}
    return {place: _filed(files[place].name, document, now) for place, document in filed.items()}


def take(
    file: SentFile,
    *,
    keeps_refused: bool,
    import_at_once: Callable[[Upload], Import] | None = None,
    actor: Actor,
    now: datetime,
) -> Arrival:
    """Import or file what came, or let it wait with its question.

    A refused file waits too where nobody else `keeps_refused` ones: nothing is lost by a refusal. `import_at_once`
    imports a bank's file in the open transaction, in which then all is done.
    """
    turn = _Turn(actor, now, import_at_once)
    turn.look()
    found = _there(file, actor.organization_id)
    turn.leave()
    if found is not None:
        return found
    try:
        with turn.attempt():
            return _taken(file, turn)
    except ActTooLargeError:
        raise
    except SameInvoiceError as error:
        there = error.details["documentId"]
        return _waiting(file, error, int(str(there)), turn)
    except LedgerError as error:
        is_question = isinstance(error, FileRefusedError) and _is_answerable(error, file)
        if is_question or (not keeps_refused and 0 < len(file.data) <= MOST_BYTES):
            return _waiting(file, error, None, turn, is_question=is_question)
        turn.write()
        return Arrival(file.name, ArrivalOutcome.REFUSED, str(error))


@dataclass(frozen=True, slots=True)
class _Turn:
    """The turn of a file at the books, and who sent it: by transactions of its own, or in the open one."""

    actor: Actor
    now: datetime
    import_at_once: Callable[[Upload], Import] | None

    def look(self) -> None:
        """Begin to read the books as they are now."""
        if self.import_at_once is None:
            turns.begin_snapshot(self.actor.organization_id)

    def leave(self) -> None:
        """End what was begun, so that a file is read while the books are closed."""
        if self.import_at_once is None:
            db.session.rollback()

    def write(self) -> None:
        """Begin to write, after what was begun is taken back."""
        self.leave()
        begin_write(self.actor.organization_id)

    def attempt(self) -> AbstractContextManager[object]:
        """Take back what fails within: its transactions are not committed, and the open one has a savepoint."""
        return nullcontext() if self.import_at_once is None else db.session.begin_nested()

    def imported(self, upload: Upload) -> Import:
        """Import a bank's file, or raise FileRefusedError."""
        if self.import_at_once is None:
            return runs.take_or_refuse(upload, actor=self.actor, now=self.now)
        return self.import_at_once(upload)


def _there(file: SentFile, organization_id: str) -> Arrival | None:
    """Find what has the file already: a caller that was interrupted after it came asks again."""
    digest = sha256(file.data).hexdigest()
    document = queried.with_file(organization_id, digest)
    if document is not None:
        sentence = f"It is there already: {document.label} (document {document.id})."
        return Arrival(file.name, ArrivalOutcome.ALREADY_THERE, sentence, document_id=document.id)
    imported = waiting_files.imported(organization_id, digest)
    if imported is not None:
        sentence = f"It was imported already (import {imported.id})."
        return Arrival(file.name, ArrivalOutcome.ALREADY_THERE, sentence, import_id=imported.id)
    return None


def _taken(file: SentFile, turn: _Turn) -> Arrival:
    if not file.data:
        raise EmptyFileError
    file = read(file)
    kind = file.contents.kind if file.contents else None
    if archives.holds_files(file.data):
        archives.files_in(file.data)
        raise ArchiveError
    if _is_of_bank(file):
        upload = Upload(file.name, file.data)
        try:
            with turn.attempt():
                _ask_whose(upload, turn)
                return _imported(file.name, turn.imported(upload))
        except FileRefusedError:
            # A receipt in plain text may have its figures in columns.
            if importers.is_marked(file.data) or file.name.lower().endswith(TABLE_ENDINGS):
                raise
            turn.leave()
    if kind is None:
        importers.read(file.data)
        raise FileKindError
    if len(file.data) > MOST_BYTES:
        raise LargeFileError
    begin_write(turn.actor.organization_id)
    document = documents.create({}, file, actor=turn.actor, now=turn.now)
    return _filed(file.name, document, turn.now)


def _is_of_bank(file: SentFile) -> bool:
    """Tell a bank's file from a document: by its bytes, and a plain text in columns by being read."""
    kind = file.contents.kind if file.contents else None
    return (kind is None or kind is TEXT) and importers.is_bank_file(file.data)


def _ask_whose(upload: Upload, turn: _Turn) -> None:
    """Choose the account of a statement that names none where the books show whose it is, or raise AccountNeededError.

    That an account is the only one says nothing about the file, and nobody sees a preview here.
    """
    organization_id = turn.actor.organization_id
    turn.look()
    taking.recall(upload, organization_id)
    turn.leave()
    reading = plans.read(upload.data, upload.mapping)
    taking.check_recalled(upload, reading)
    turn.look()
    targets = Assignment(organizations.get(organization_id), reading.file, None, asks=True).targets
    unnamed = {each.fa_id for each in targets if each.named[0] is None}
    if None in unnamed or len(unnamed) > 1:
        raise AccountNeededError
    upload.fa_id = next(iter(unnamed), None)
    turn.leave()


def _is_answerable(error: FileRefusedError, file: SentFile) -> bool:
    """Tell whether a person can let a refused bank file in, by naming its columns or its account."""
    if isinstance(error, (MappingNeededError, RowRefusedError)):
        return importers.takes_mapping(file.data)
    if archives.holds_files(file.data):
        return False
    try:
        importers.read(file.data)
    except FileRefusedError:
        return False
    return True


def _imported(name: str, imported: Import) -> Arrival:
    record = imports.record(imported)
    of = f" of {listed([each.name for each in record.accounts])}" if record.accounts else ""
    sentence = f"Imported: {counted(record.added, 'new line')}{of}."
    return Arrival(name, ArrivalOutcome.IMPORTED, sentence, import_id=imported.id)


def _filed(name: str, document: Document, now: datetime) -> Arrival:
    verb = "Filed as" if document.created_at == now else "Added to"
    others = queried.of_same_file(document) if document.created_at == now else []
    named = listed([f"{each.label} (document {each.id})" for each in (document, *others)])
    return Arrival(
        name,
        ArrivalOutcome.FILED,
        f"{verb} {named}.",
        document_id=document.id,
    )


def _waiting(
    file: SentFile, error: LedgerError, document_id: int | None, turn: _Turn, *, is_question: bool = True
) -> Arrival:
    turn.write()
    code = "bank_file" if isinstance(error, FileRefusedError) and is_question else error.code
    waiting = inbox_files.keep(file, code, str(error), document_id, actor=turn.actor, now=turn.now)
    outcome = ArrivalOutcome.WAITING if is_question else ArrivalOutcome.REFUSED
    return Arrival(file.name, outcome, str(error), document_id=document_id, inbox_file_id=waiting.id)
