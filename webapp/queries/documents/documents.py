"""Queries on documents: finding one, listing many, and their records."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.ledger.dimensions import MergedMerchants, counting
from webapp.ledger.errors import NotFoundError
from webapp.ledger.files.file_kinds import SIGNED, XML
from webapp.ledger.money import Money
from webapp.models import (
    DeclinedRelation,
    Document,
    DocumentFile,
    DocumentRelation,
    StoredFile,
    of_same_organization,
)
from webapp.queries.common import lookups, merchants
from webapp.queries.common.changed_since import only_changed
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.documents import suggestions, texts
from webapp.queries.documents.findings import DocumentFinding, findings_of, of_account, of_prepayment
from webapp.queries.documents.suggestions import SuggestedField
from webapp.queries.journal import attachments
from webapp.queries.rules import runs
from webapp.queries.rules.runs import Provenance

# The totals that were not kept of the first e-invoices.
LATER_TOTALS = ("third_party", "withheld", "split_tax", "stamp")
# The types of files that may have several invoices.
SEVERAL = frozenset({XML.type, SIGNED.type})
NEWEST = Order((Document.id,))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document with its relations, without its text."""

    id: int
    document_type: str
    side: str | None
    number: str | None
    issued_on: date | None
    sender: str | None
    currency: str | None
    net: Money | None
    tax: Money | None
    total: Money | None
    due_on: date | None
    received_on: date | None
    prepaid: Money | None
    due: Money | None
    buyer: str | None
    seller_vat_id: str | None
    iban: str | None
    remittance: str | None
    file_name: str | None
    file_type: str | None
    file_size: int | None
    sha256: str | None
    account_id: int | None
    org_merchant_id: int | None
    project_id: int | None
    label: str
    created_at: datetime
    updated_at: datetime
    relations: list[DocumentRelation]
    further_files: list[DocumentFile]
    findings: list[DocumentFinding]


@dataclass(frozen=True, slots=True)
class DocumentDetail(DocumentRecord):
    """A document with its text, what that suggests, and the rules that set its fields."""

    text: str | None
    suggestions: list[SuggestedField]
    invoice: Mapping[str, Any] | None
    same_file_ids: list[int]
    declined: list[DeclinedRelation]
    provenance: list[Provenance]


MOST_CHOICES = 100
FIELDS = [
    each.name
    for each in fields(DocumentRecord)
    if each.name not in {"relations", "further_files", "findings"}
]


@dataclass(frozen=True, slots=True)
class DocumentFilters:
    """The filters of a list of documents; days are those of issue, and inclusive, and no ids leave all documents."""

    document_type: str | None = None
    from_: date | None = None
    to: date | None = None
    related: bool | None = None
    q: str | None = None
    ids: Sequence[int] = ()


def get(organization_id: str, document_id: int) -> Document:
    """Find a document, or raise NotFoundError."""
    return lookups.get(Document, organization_id, document_id)


def with_file(organization_id: str, digest: str) -> Document | None:
    """Find the document whose file has a SHA-256, if there is one."""
    further = sa.select(DocumentFile.document_id).where(
        DocumentFile.organization_id == organization_id, DocumentFile.sha256 == digest
    )
    return db.session.scalar(
        sa.select(Document)
        .where(
            Document.organization_id == organization_id,
            sa.or_(Document.sha256 == digest, Document.id == further.scalar_subquery()),
        )
        .order_by(Document.id)
        .limit(1)
    )


def of_same_file(document: Document) -> list[Document]:
    """List the other documents of the invoices in a document's file, in the file's order."""
    if document.sha256 is None or document.file_type not in SEVERAL:
        return []
    others = sa.select(Document).where(
        of_same_organization(Document, document),
        Document.sha256 == document.sha256,
        Document.id != document.id,
    )
    return list(db.session.scalars(others.order_by(Document.file_part)))


def digests_among(organization_id: str, digests: Collection[str]) -> set[str]:
    """Give those of some SHA-256 that a document's file has already."""
    return {
        digest
        for model in (Document, DocumentFile)
        for digest in db.session.scalars(
            sa.select(model.sha256).where(model.organization_id == organization_id, model.sha256.in_(digests))
        )
        if digest is not None
    }


def all_files(document: Document) -> list[Document | DocumentFile]:
    """List the files of a document, its first one as the document itself, then the oldest first."""
    return [document, *further_files(document)]


def further_files(document: Document) -> list[DocumentFile]:
    """List the files of a document behind its first one, the oldest first."""
    return files_of(document.organization_id, [document.id])[document.id]


def files_of(organization_id: str, document_ids: Collection[int]) -> dict[int, list[DocumentFile]]:
    """List the files of documents behind their first ones by document, the oldest first."""
    found: dict[int, list[DocumentFile]] = {document_id: [] for document_id in document_ids}
    of_them = sa.select(DocumentFile).where(
        DocumentFile.organization_id == organization_id, DocumentFile.document_id.in_(document_ids)
    )
    for row in db.session.scalars(of_them.order_by(DocumentFile.id)):
        found[row.document_id].append(row)
    return found


def further_file(document: Document, digest: str) -> DocumentFile:
    """Find a file of a document behind its first one by its SHA-256, or raise NotFoundError."""
    found = next((each for each in further_files(document) if each.sha256 == digest), None)
    if found is None:
        raise NotFoundError
    return found


def is_related(document: Document) -> bool:
    """Tell whether a document belongs to a line or an entry."""
    return bool(attachments.of_documents(document.organization_id, [document.id])[document.id])


def listed(
    organization_id: str,
    filters: DocumentFilters,
    *,
    changed_since: datetime | None = None,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[DocumentRecord]:
    """List documents, newest first."""
    statement = sa.select(Document).where(Document.organization_id == organization_id)
    if filters.document_type is not None:
        statement = statement.where(Document.document_type == filters.document_type)
    if filters.from_ is not None:
        statement = statement.where(Document.issued_on >= filters.from_)
    if filters.to is not None:
        statement = statement.where(Document.issued_on <= filters.to)
    if filters.related is not None:
        is_related = sa.exists().where(
            DocumentRelation.organization_id == organization_id, DocumentRelation.document_id == Document.id
        )
        statement = statement.where(is_related if filters.related else ~is_related)
    if filters.q is not None:
        statement = statement.where(texts.matches(organization_id, filters.q))
    if filters.ids:
        statement = statement.where(Document.id.in_(filters.ids))
    statement = only_changed(statement, Document, organization_id, changed_since)
    found = page(statement.options(orm.defer(Document.text)), NEWEST, after=after, limit=limit)
    ids = [row.id for row in found.items]
    relations, files = attachments.of_documents(organization_id, ids), files_of(organization_id, ids)
    merged = merchants.merged(organization_id)
    return found.of(
        [
            DocumentRecord(**_facts(row, merged), relations=relations[row.id], further_files=files[row.id])
            for row in found.items
        ]
    )


def choices(organization_id: str, chosen: int | None = None) -> list[Mapping[str, Any]]:
    """List the newest documents and the chosen one for a field, each with its `id` and its label as `name`."""
    mine = (
        sa.select(Document)
        .where(Document.organization_id == organization_id)
        .options(orm.defer(Document.text))
    )
    newest = db.session.scalars(mine.order_by(Document.id.desc()).limit(MOST_CHOICES)).all()
    also = [] if chosen is None or chosen in {each.id for each in newest} else [get(organization_id, chosen)]
    return [{"id": each.id, "name": each.label} for each in (*also, *newest)]


def detailed(document: Document) -> DocumentDetail:
    """Give one document with its text, and the rules that set its fields."""
    organization_id = document.organization_id
    return DocumentDetail(
        **(_facts(document, merchants.merged(organization_id)) | {"findings": all_findings(document)}),
        relations=attachments.of_documents(organization_id, [document.id])[document.id],
        further_files=further_files(document),
        text=document.text,
        suggestions=suggestions.of_document(document),
        invoice=invoice_of(document),
        same_file_ids=[each.id for each in of_same_file(document)],
        declined=attachments.declined_of(document),
        provenance=runs.provenance_of_document(organization_id, document.id),
    )


def all_findings(document: Document) -> list[DocumentFinding]:
    """List the findings on one document, with those that its merchant gives reason for."""
    return [*findings_of(document), *of_account(document), *of_prepayment(document)]


def invoice_of(document: Document) -> Mapping[str, Any] | None:
    """Give what a document's e-invoice or its row of a table states, None where there is none or it is unreadable."""
    if document.invoice is None or "syntax" not in document.invoice:
        return None
    # What was read before these were kept has none of them; of a table only its rows are.
    stated = {
        "supplied_on": None,
        "other_taxes": [],
        "withholdings": [],
        "instalments": [],
        "table": None,
        **document.invoice,
    }
    return {**stated, "totals": {**dict.fromkeys(LATER_TOTALS), **stated["totals"]}}


def file_of(document: Document | DocumentFile) -> tuple[StoredFile, str, str]:
    """Give the first file of a document, or a further one, its type and its own name; NotFoundError without one."""
    stored = db.session.scalar(
        sa.select(StoredFile).where(
            of_same_organization(StoredFile, document), StoredFile.sha256 == document.sha256
        )
    )
    if stored is None or document.file_type is None:
        raise NotFoundError
    return stored, document.file_type, document.file_name or "document"


def _facts(document: Document, merged: MergedMerchants) -> dict[str, Any]:
    return {name: getattr(document, name) for name in FIELDS} | {
        "org_merchant_id": counting(document.org_merchant_id, merged),
        "findings": findings_of(document),
    }
