"""What rules would do to documents that are there: which match, what each would be, what cannot be and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.rules import document_outcomes
from webapp.ledger.rules.document_outcomes import Receipt
from webapp.ledger.rules.effects import EffectKind
from webapp.ledger.rules.engine import Decision, Setting
from webapp.ledger.rules.items import RuleItem
from webapp.ledger.rules.line_outcomes import Skip
from webapp.models import Document
from webapp.queries.rule_decisions import line_effects
from webapp.queries.rule_decisions.candidates import Chosen
from webapp.queries.rule_decisions.decisions import AskedRules
from webapp.queries.rule_decisions.line_effects import AskedFor

AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class DocumentEffect:
    """What rules would do to one document; the rest is as of a line's."""

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
        """What a digest takes into account."""
        return [self.document.id, self.cut_off_by, _said(self.before), _said(self.after)]


def effects(
    asked: AskedRules, organization_id: str, chosen: Chosen, only: int | None = None
) -> Iterator[list[DocumentEffect]]:
    """Ask rules of documents, portion by portion; gives those that any matches, or that the one rule `only` does."""
    of = line_effects.asked_for(asked, only)
    for documents in portions(organization_id, chosen):
        yield [
            effect(asked, document, decision, of)
            for document in documents
            if (decision := _decision(asked, document, only)) is not None
        ]


def _decision(asked: AskedRules, document: Document, only: int | None) -> Decision | None:
    item = item_of(document)
    return line_effects.judged(asked, asked.ask(item), only, lambda: item)


def effect(asked: AskedRules, document: Document, decision: Decision, of: AskedFor) -> DocumentEffect:
    """Tell what rules make of a document that they match."""
    before = receipt_of(document)
    if of.rule_id is not None and of.rule_id not in decision.matched:
        return DocumentEffect(document, before, decision, cut_off_by=decision.stopped_by)
    own, overruled = of.own(decision)
    outcome = document_outcomes.settle(own, before, asked.books, document.set_by_hand)
    return DocumentEffect(
        document, before, decision, outcome.receipt, outcome.applied, outcome.skipped, overruled
    )


def portions(organization_id: str, chosen: Chosen) -> Iterator[list[Document]]:
    """Give documents by id, some at a time; days are those of issue."""
    statement = sa.select(Document).where(*_wanted(organization_id, chosen)).order_by(Document.id)
    last = 0
    while documents := db.session.scalars(statement.where(Document.id > last).limit(AT_ONCE)).all():
        last = documents[-1].id
        yield list(documents)


def count(organization_id: str, chosen: Chosen) -> int:
    """Count the documents that are meant."""
    statement = sa.select(sa.func.count()).where(*_wanted(organization_id, chosen))
    return db.session.scalar(statement) or 0


def _wanted(organization_id: str, chosen: Chosen) -> list[sa.ColumnElement[bool]]:
    wanted = [Document.organization_id == organization_id]
    if chosen.document_id is not None:
        wanted.append(Document.id == chosen.document_id)
    if chosen.from_ is not None:
        wanted.append(Document.issued_on >= chosen.from_)
    if chosen.to is not None:
        wanted.append(Document.issued_on <= chosen.to)
    return wanted


def item_of(document: Document) -> RuleItem:
    """Give a document as rules look at it: as it was given, before any rule.

    Its number is its reference, its sender the counterparty, its total the amount, its issue the day.
    """
    total = document.total
    return RuleItem(
        counterparty=document.sender,
        reference=document.number,
        amount=None if total is None else total.decimal,
        currency=document.original_currency,
        day=document.issued_on,
        merchant_id=document.org_merchant_id if EffectKind.SET_MERCHANT in document.set_by_hand else None,
        project_id=document.project_id if EffectKind.SET_PROJECT in document.set_by_hand else None,
        document_type=document.document_type,
        total=None if total is None else total.decimal,
        tax=None if document.tax is None else document.tax.decimal,
        issued_on=document.issued_on,
        sender=document.sender,
        file_name=document.file_name,
        text=document.text,
    )


def receipt_of(document: Document) -> Receipt:
    """Give what a rule may set of a document, as it stands."""
    amounts = (document.net, document.tax, document.total)
    return Receipt(
        document.currency,
        document.account_id,
        document.org_merchant_id,
        document.project_id,
        tuple(amount.decimal for amount in amounts if amount is not None),
    )


def _said(receipt: Receipt | None) -> list[Any] | None:
    if receipt is None:
        return None
    return [receipt.account_id, receipt.currency, receipt.merchant_id, receipt.project_id]
