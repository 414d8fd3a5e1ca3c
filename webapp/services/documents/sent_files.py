"""Files as somebody sends them for documents, and what is refused of them."""

from dataclasses import dataclass
from typing import Final

from webapp.importers import archives
from webapp.importers.archives import PackedMember
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.texts.legible import cited
from webapp.queries.documents import documents
from webapp.services.documents.invoices import FileContents

MOST_BYTES: Final = 20 * 1024 * 1024


class EmptyFileError(UnprocessableError):
    """The file is empty."""

    code = "validation"


class LargeFileError(UnprocessableError):
    """The file is larger than 20 MB, which no document is; a bank's file may have 160 MB."""

    code = "too_large"


class SeveralFilesError(UnprocessableError):
    """This is an archive (zip), and not of one file. Put it into the inbox, which takes each, or says why not."""

    code = "file_kind"


class AlreadyThereError(LedgerError):
    """This file exists already."""

    code = "already_there"
    untrusted = ("error",)


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file as somebody sends it: its name, its bytes, and what was read of them, where that was done before."""

    name: str
    data: bytes
    contents: FileContents | None = None


def unpacked(name: str, data: bytes) -> tuple[str, bytes]:
    """Give the one file of an archive, and every other file as it is; raises SeveralFilesError and LargeFileError."""
    if not archives.holds_files(data):
        return name, data
    first, *others = archives.unpacked([PackedMember(name, data)])
    if others or archives.holds_files(first.data):
        raise SeveralFilesError
    if len(first.data) > MOST_BYTES:
        raise LargeFileError
    return first.name.rpartition("/")[2], first.data


def refuse_duplicate(organization_id: str, digest: str) -> None:
    """Raise AlreadyThereError for a file that a document has already."""
    existing = documents.with_file(organization_id, digest)
    if existing is not None:
        sentence = f"This file exists already: {cited(existing.label)} (document {existing.id})."
        raise AlreadyThereError(sentence, details={"documentId": existing.id})
