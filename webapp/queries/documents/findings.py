"""Findings on documents: what does not add up in their own figures; they are kept as they were sent."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.models import Document


@dataclass(frozen=True, slots=True)
class DocumentFinding:
    """Something that is wrong on a document: its code, and a sentence."""

    code: str
    message: str


def findings_of(document: Document) -> list[DocumentFinding]:
    """List what does not add up in a document: the rules that its e-invoice breaks, and its net, tax and total."""
    stated = [
        DocumentFinding(each["rule"], each["message"])
        for each in (document.invoice or {}).get("findings", ())
    ]
    return [*stated, *_differing_total(document)]


def _differing_total(document: Document) -> list[DocumentFinding]:
    net, tax, total = document.net, document.tax, document.total
    if net is None or tax is None or total is None or net + tax == total:
        return []
    sentence = (
        f"Net {net.formatted} and tax {tax.formatted} make {(net + tax).formatted}, and the total is"
        f" {total.formatted}. Compare them with the document."
    )
    return [DocumentFinding("total_differs", sentence)]
