"""Files as somebody sends them for documents, and what is refused of them."""

from dataclasses import dataclass
from typing import Final

from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.texts.legible import cited
from webapp.queries.documents import documents
from webapp.services.documents.invoices import FileContents

MOST_BYTES: Final = 20 * 1024 * 1024


class EmptyFileError(UnprocessableError):
    """The file is empty."""

    code = "validation"


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


def refuse_duplicate(organization_id: str, digest: str) -> None:
    """Raise AlreadyThereError for a file that a document has already."""
    existing = documents.with_file(organization_id, digest)
    if existing is not None:
        sentence = f"This file exists already: {cited(existing.label)} (document {existing.id})."
        raise AlreadyThereError(sentence, details={"documentId": existing.id})
