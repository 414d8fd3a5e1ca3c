"""Many new documents filed together: each question to the books and each wait for the disk is for all of them.

Only those are filed here about which nobody has to be asked, as their file and their number are new; the rest is for
`documents.create`, which knows what is to be asked.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from webapp.database.sessions import db
from webapp.models import Document
from webapp.queries.access import organizations
from webapp.queries.documents import documents as queried
from webapp.queries.documents import same_invoices
from webapp.services.audit import updates
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act, together
from webapp.services.documents import documents, fields, parties, payments
from webapp.services.documents.invoices import FileContents
from webapp.services.documents.sent_files import SentFile
from webapp.services.rules import document_rules
from webapp.services.storage import stored_files
from webapp.services.storage.stored_files import NewFile


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file of a document that was read, by its place among those that came together."""

    place: int
    file: SentFile
    contents: FileContents
    digest: str


@dataclass(frozen=True, slots=True)
class _Filing:
    """A document that is to be filed, with what is to be kept of its file."""

    place: int
    document: Document
    new_file: NewFile


def read(files: Iterable[tuple[int, SentFile]]) -> list[ReadFile]:
    """Take those files, each with its place, that were read as ones of one document."""
    return [
        ReadFile(place, file, file.contents, sha256(file.data).hexdigest())
        for place, file in files
        if file.contents is not None and file.contents.kind is not None and len(file.contents.invoices) <= 1
    ]


def file_new(files: Sequence[ReadFile], *, actor: Actor, now: datetime) -> dict[int, Document]:
    """File each of some files about which nobody has to be asked; answers the documents by the places of their files.

    Each is an act of its own, and attached to the line that certainly pays it.
    """
    organization = organizations.get(actor.organization_id)
    filings = _without_questions(organization.id, files, now)
    if not filings:
        return {}
    stored_files.keep_all(organization.id, [each.new_file for each in filings], now=now)
    filed = [each.document for each in filings]
    parties.recognise(organization.id, filed)
    file_all(filed, actor=actor, now=now)
    return {each.place: each.document for each in filings}


def file_all(new: Sequence[Document], *, actor: Actor, now: datetime, note: str = "") -> None:
    """File documents that were made, each by an act of its own, and attach each to the line that certainly pays it."""
    organization = organizations.get(actor.organization_id)
    with updates.writing(now):
        db.session.add_all(new)
        db.session.flush()
    rules = document_rules.active(organization)
    with together(organization.id):
        for document in new:
            with act(actor, now, "create_document", ("document", "new"), note=note) as doing:
                documents.filed(document, {}, doing, rules)
    payments.attach(organization.id, new, now=now)


def _without_questions(organization_id: str, files: Sequence[ReadFile], now: datetime) -> list[_Filing]:
    """Make the documents of files that are there for the first time, and have a number of their own."""
    taken = queried.digests_among(organization_id, [each.digest for each in files])
    taken |= stored_files.digests_among(organization_id, [each.digest for each in files])
    filings = []
    for each in files:
        if each.digest not in taken:
            taken.add(each.digest)
            document = documents.begun(organization_id, now)
            new_file = documents.with_file(document, each.file, each.contents, each.digest, {})
            fields.write(document, {})
            filings.append(_Filing(each.place, document, new_file))
    counted = Counter(each.document.number for each in filings)
    there = same_invoices.numbers_among(organization_id, [each for each in counted if each is not None])
    return [
        each
        for each in filings
        if each.document.number is None
        or (counted[each.document.number] == 1 and each.document.number not in there)
    ]
