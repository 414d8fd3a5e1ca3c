"""Rules on documents: run when a document's fields are set, stored with their provenance, and undone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.rules.document_outcomes import Receipt, problem_of
from webapp.ledger.rules.effects import EffectKind
from webapp.ledger.rules.items import document_values
from webapp.ledger.rules.line_outcomes import Books
from webapp.models import Document, DocumentSetting, Organization, RuleRun, refers_to
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.rules import compiled_rules, document_effects, line_effects
from webapp.queries.rules.document_effects import DocumentEffect
from webapp.services.ingestion import rule_choices
from webapp.services.ingestion.rules import LineRules, Tally, for_trigger

PARSED = "RECEIPT_PARSED"


@dataclass(slots=True)
class PutBack:
    """Documents as they were before, the settings that are undone, and those kept because of a later change."""

    receipts: list[tuple[Document, Receipt]] = field(default_factory=list)
    restored: list[DocumentSetting] = field(default_factory=list)
    kept: list[DocumentSetting] = field(default_factory=list)


def active(organization: Organization) -> LineRules:
    """Read the rules that run by themselves on documents, once for as many as there are."""
    return for_trigger(organization, PARSED)


def run_on(document: Document, *, act_id: str, now: datetime, rules: LineRules | None = None) -> None:
    """Run the active rules, or those that were read before, on a document whose fields an act set, as part of it."""
    organization = organizations.get(document.organization_id)
    rules = rules or active(organization)
    rules.tally = Tally()
    decision = rules.decide(document_values(document))
    if not decision.matched:
        return
    effect = document_effects.effect(rules, document, decision, line_effects.own_settings(rules, None))
    rules.tally.count(decision.matched, effect.applied, effect.skipped)
    run_id = rule_choices.begin_run(organization, rules, act_id=act_id, now=now, trigger=PARSED)
    if run_id is not None:
        store_effects(organization.id, run_id, [effect], act_id=act_id)


def store_effects(
    organization_id: str, run_id: int, effects: Iterable[DocumentEffect], *, act_id: str
) -> int:
    """Write what rules change of documents, with its provenance; answers how many documents changed."""
    count = 0
    for effect in effects:
        if not effect.applied or effect.after is None:
            continue
        count += 1
        write(effect.document, effect.after)
        supersede(effect.document, effect.applied, act_id)
        for kind, setting in effect.applied.items():
            db.session.add(
                DocumentSetting(
                    organization_id=organization_id,
                    document_id=effect.document.id,
                    run_id=run_id,
                    kind=kind.value,
                    rule_id=setting.rule_id,
                    rule_version=setting.rule_version,
                    value=str(setting.value),
                    before=effect.before.value(kind),
                )
            )
    db.session.flush()
    return count


def write(document: Document, receipt: Receipt) -> None:
    """Store a receipt's fields in a document; its amounts keep their digits, in the receipt's currency."""
    for name in ("net", "tax", "total", "prepaid", "due"):
        amount: Money | None = getattr(document, name)
        if amount is not None and receipt.currency is not None:
            setattr(document, f"{name}_minor", Money.of(amount.decimal, receipt.currency).minor)
    document.currency, document.account_id = receipt.currency, receipt.account_id
    document.org_merchant_id, document.project_id = receipt.merchant_id, receipt.project_id


def supersede(document: Document, kinds: Iterable[str], act_id: str) -> None:
    """Record on a document's settings by rules the act that has set them anew."""
    for setting in current_settings(document):
        if setting.kind in kinds:
            setting.superseded_by = act_id
    db.session.flush()


def current_settings(document: Document) -> Sequence[DocumentSetting]:
    """List the settings by rules of a document that nobody has changed since."""
    return db.session.scalars(
        sa.select(DocumentSetting).where(
            refers_to(DocumentSetting.document_id, document),
            DocumentSetting.superseded_by.is_(None),
        )
    ).all()


def put_back(organization: Organization, run: RuleRun, *, act_id: str) -> PutBack:
    """Put back what a run set of documents, field by field, unless somebody has changed it since."""
    back = plan_put_back(organization, run)
    for document, receipt in back.receipts:
        write(document, receipt)
    for setting in back.restored:
        setting.superseded_by = act_id
    db.session.flush()
    return back


def plan_put_back(organization: Organization, run: RuleRun) -> PutBack:
    """Plan what putting back a run does to documents; writes nothing."""
    back = PutBack()
    settings = db.session.scalars(
        sa.select(DocumentSetting)
        .where(DocumentSetting.organization_id == organization.id, DocumentSetting.run_id == run.id)
        .order_by(DocumentSetting.document_id, DocumentSetting.id)
    ).all()
    if not settings:
        return back
    books = compiled_rules.books(organization)
    documents = lookups.by_id(Document, organization.id, {each.document_id for each in settings})
    for document_id, of_document in groupby(settings, lambda each: each.document_id):
        _plan_document(documents[document_id], list(of_document), books, back)
    return back


def _plan_document(
    document: Document, settings: Sequence[DocumentSetting], books: Books, back: PutBack
) -> None:
    """Plan a document without some settings, except those changed since or no longer possible."""
    receipt = document_effects.receipt_of(document)
    going = [
        each
        for each in settings
        if each.superseded_by is None and receipt.value(EffectKind(each.kind)) == each.value
    ]
    while True:
        # A currency and an account that goes with it go back together or not at all.
        restored = receipt
        for each in going:
            restored = restored.with_value(EffectKind(each.kind), each.before)
        fitting = [each for each in going if _fits(each, restored, books)]
        if fitting == going:
            break
        going = fitting
    if going:
        back.receipts.append((document, restored))
    back.restored += going
    back.kept += [each for each in settings if each not in going]


def _fits(setting: DocumentSetting, receipt: Receipt, books: Books) -> bool:
    """Return whether a field may have its earlier value again."""
    before = setting.before
    return before is None or problem_of(EffectKind(setting.kind), before, receipt, books) is None
