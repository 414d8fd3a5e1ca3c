"""Attaching documents by themselves to the lines that certainly pay them, as acts of the system."""

from collections.abc import Collection, Iterable
from datetime import datetime

from webapp.models import Document
from webapp.queries.common import lookups
from webapp.queries.documents import payments
from webapp.queries.documents.payments import CertainPayment
from webapp.services.audit.act import Actor
from webapp.services.documents import relations


def attach(organization_id: str, documents: Iterable[Document], *, now: datetime) -> None:
    """Attach each of some documents to the line that certainly pays it, where there is one."""
    ids = [each.id for each in documents]
    _attach(organization_id, payments.of_documents(organization_id, ids), now)


def attach_to_lines(organization_id: str, line_ids: Collection[int], *, now: datetime) -> None:
    """Attach to each of some lines the document that it certainly pays, where there is one."""
    _attach(organization_id, payments.of_lines(organization_id, line_ids), now)


def attach_to_import(organization_id: str, import_id: int, *, now: datetime) -> None:
    """Attach to each line that an import brought the document that it certainly pays, where there is one."""
    _attach(organization_id, payments.of_import(organization_id, import_id), now)


def _attach(organization_id: str, found: Iterable[CertainPayment], now: datetime) -> None:
    """Do each as an act of its own, whose note is the evidence, so that each is taken back alone."""
    for each in found:
        document = lookups.get(Document, organization_id, each.document_id)
        actor = Actor(organization_id, "SYSTEM", None, "Tieout", note=each.reason)
        relations.relate(
            document, "transaction_id", each.transaction_id, is_automatic=True, actor=actor, now=now
        )
