"""The effects of rules on existing documents: which match, each before and after, and what is skipped and why."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.rules import document_outcomes
from webapp.ledger.rules.document_outcomes import Receipt
from webapp.ledger.rules.effects import EffectKind
from webapp.ledger.rules.engine import Decision, Setting
from webapp.ledger.rules.items import document_values
from webapp.ledger.rules.line_outcomes import Skip
from webapp.models import Document
from webapp.queries.rules import line_effects
from webapp.queries.rules.candidates import CandidateFilters
from webapp.queries.rules.decisions import RuleEvaluator
from webapp.queries.rules.line_effects import OwnSettings

AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class DocumentEffect:
    """The effect of rules on one document; the fields are as those of a line's effect."""

    document: Document
    before: Receipt
    decision: Decision
    after: Receipt | None = None
    applied: Mapping[EffectKind, Setting] = field(default_factory=dict)
    skipped: tuple[Skip, ...] = ()
    overruled: Mapping[EffectKind, int] = field(default_factory=dict)
    cut_off_by: int | None = None
    opens_marker: bool = False

    @property
    def item_id(self) -> int:
        """The document's id."""
        return self.document.id

    @property
    def facts(self) -> list[Any]:
        """The facts that the digest of a preview is of."""
        return [self.document.id, self.cut_off_by, _receipt_facts(self.before), _receipt_facts(self.after)]


def effects(
    evaluator: RuleEvaluator, organization_id: str, filters: CandidateFilters, only: int | None = None
) -> Iterator[list[DocumentEffect]]:
    """Yield the effects on documents that any rule matches, or the rule `only`, in portions."""
    own_part = line_effects.own_settings(evaluator, only)
    for documents in portions(organization_id, filters):
        yield [
            effect(evaluator, document, decision, own_part)
            for document in documents
            if (decision := line_effects.relevant(evaluator, document_values(document), only)) is not None
        ]


def effect(
    evaluator: RuleEvaluator, document: Document, decision: Decision, own_part: OwnSettings
) -> DocumentEffect:
    """Return the effect of rules on a document that they match."""
    before = receipt_of(document)
    if own_part.rule_id is not None and own_part.rule_id not in decision.matched:
        return DocumentEffect(document, before, decision, cut_off_by=decision.stopped_by)
    own, overruled = own_part.of(decision)
    outcome = document_outcomes.apply(own, before, evaluator.books, document.set_by_hand)
    return DocumentEffect(
        document, before, decision, outcome.receipt, outcome.applied, outcome.skipped, overruled
    )


def portions(organization_id: str, filters: CandidateFilters) -> Iterator[list[Document]]:
    """Yield the documents that the filters select, by id, in portions; days are those of issue."""
    statement = sa.select(Document).where(*_conditions(organization_id, filters)).order_by(Document.id)
    last = 0
    while documents := db.session.scalars(statement.where(Document.id > last).limit(AT_ONCE)).all():
        last = documents[-1].id
        yield list(documents)


def count(organization_id: str, filters: CandidateFilters) -> int:
    """Count the documents that the filters select."""
    statement = sa.select(sa.func.count()).where(*_conditions(organization_id, filters))
    return db.session.scalar(statement) or 0


def _conditions(organization_id: str, filters: CandidateFilters) -> list[sa.ColumnElement[bool]]:
    conditions = [Document.organization_id == organization_id]
    if filters.document_id is not None:
        conditions.append(Document.id == filters.document_id)
    if filters.from_ is not None:
        conditions.append(Document.issued_on >= filters.from_)
    if filters.to is not None:
        conditions.append(Document.issued_on <= filters.to)
    return conditions


def receipt_of(document: Document) -> Receipt:
    """Return the current fields of a document that a rule may set."""
    amounts = (document.net, document.tax, document.total, document.prepaid, document.due)
    return Receipt(
        document.currency,
        document.account_id,
        document.org_merchant_id,
        document.project_id,
        tuple(amount.decimal for amount in amounts if amount is not None),
    )


def _receipt_facts(receipt: Receipt | None) -> list[Any] | None:
    if receipt is None:
        return None
    return [receipt.account_id, receipt.currency, receipt.merchant_id, receipt.project_id]
