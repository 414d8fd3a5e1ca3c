"""The fields that one run of rules set, item by item, and whether they are still set."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Protocol

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.rules.effects import FIELD_OF, EffectKind
from webapp.models import Document, DocumentSetting, RuleRun, RuleSetting, Transaction, refers_to
from webapp.queries.common import lookups
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.rules import names as rule_names

MOST_UNTOUCHED = 200


class UntouchedField(Protocol):
    """A field that an undo of the run does not change, and why."""

    @property
    def transaction_id(self) -> int | None: ...  # noqa: D102
    @property
    def document_id(self) -> int | None: ...  # noqa: D102
    @property
    def kind(self) -> str: ...  # noqa: D102
    @property
    def reason(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class RuleFieldChange:
    """A field before and after a rule set it, in names; `state` is `stands`, `changed` since, or `undone`."""

    kind: str
    before: str | None
    after: str
    rule_id: int
    rule_version: int
    rule_name: str | None
    state: str
    act_id: str | None


@dataclass(frozen=True, slots=True)
class ItemChange:
    """A line or a document that a run changed, with these fields."""

    transaction_id: int | None
    document_id: int | None
    fa_id: int | None
    booked_on: date | None
    description: str
    amount: Money | None
    fields: list[RuleFieldChange] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class UntouchedItem:
    """A field of a line or a document that an undo would not change, and why."""

    item: ItemChange
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of item that runs change: its settings, and its own table."""

    setting: type[RuleSetting | DocumentSetting]
    item_id: Any
    model: type[Transaction | Document]


LINES = _Kind(RuleSetting, RuleSetting.transaction_id, Transaction)
DOCUMENTS = _Kind(DocumentSetting, DocumentSetting.document_id, Document)


def items(run: RuleRun, *, after: tuple[Any, ...] | None, limit: int) -> Page[ItemChange]:
    """List the lines that a run changed by id, or the documents of a run on these."""
    of_documents = sa.select(DocumentSetting.id).where(refers_to(DocumentSetting.run_id, run))
    kind = LINES if db.session.scalar(of_documents.limit(1)) is None else DOCUMENTS
    of_run = refers_to(kind.setting.run_id, run)
    items = sa.select(kind.item_id).where(of_run).distinct()
    changed = page(items, Order((kind.item_id,), ascends=True), after=after, limit=limit)
    shown = changed.items
    settings = db.session.execute(
        sa.select(kind.item_id, kind.setting)
        .where(of_run, kind.item_id.in_(shown))
        .order_by(kind.item_id, kind.setting.id)
    ).all()
    found = _items(run.organization_id, kind, shown)
    names = rule_names.of_ids(run.organization_id, _named([setting for _, setting in settings]))
    rules = {each["id"]: each["name"] for each in run.rules}
    for item_id, setting in settings:
        found[item_id].fields.append(_field(run, setting, names, rules))
    return changed.of([found[item_id] for item_id in shown])


def _items(organization_id: str, kind: _Kind, ids: Iterable[int | None]) -> dict[int | None, ItemChange]:
    rows = lookups.by_id(kind.model, organization_id, ids)
    return {item_id: _item(row) for item_id, row in rows.items()}


def _item(row: Transaction | Document) -> ItemChange:
    if isinstance(row, Document):
        return ItemChange(None, row.id, None, row.issued_on, row.label, row.total)
    return ItemChange(row.id, None, row.feed_account_id, row.booked_on, row.description, row.amount)


def _field(
    run: RuleRun, setting: RuleSetting | DocumentSetting, names: rule_names.Names, rules: Mapping[int, str]
) -> RuleFieldChange:
    state = "stands" if setting.superseded_by is None else "changed"
    if setting.superseded_by is not None and setting.superseded_by == run.undone_by:
        state = "undone"
    return RuleFieldChange(
        kind=setting.kind,
        before=None if setting.before is None else _name(setting.kind, setting.before, names),
        after=_name(setting.kind, setting.value, names),
        rule_id=setting.rule_id,
        rule_version=setting.rule_version,
        rule_name=rules.get(setting.rule_id),
        state=state,
        act_id=setting.superseded_by,
    )


def untouched_items(organization_id: str, untouched: Sequence[UntouchedField]) -> list[UntouchedItem]:
    """List fields that an undo would not change, with their lines and documents, the first ones of many."""
    some = untouched[:MOST_UNTOUCHED]
    lines = _items(organization_id, LINES, {each.transaction_id for each in some})
    documents = _items(organization_id, DOCUMENTS, {each.document_id for each in some})
    return [
        UntouchedItem(item, each.kind, each.reason)
        for each in some
        if (item := lines.get(each.transaction_id) or documents.get(each.document_id)) is not None
    ]


def _named(settings: Iterable[RuleSetting | DocumentSetting]) -> list[tuple[str, int]]:
    return [
        (FIELD_OF[EffectKind(each.kind)], int(text))
        for each in settings
        if each.kind != EffectKind.SET_CURRENCY
        for text in (each.value, each.before)
        if text is not None
    ]


def _name(kind: str, text: str, names: rule_names.Names) -> str:
    if kind == EffectKind.SET_CURRENCY:
        return text
    return names.get((FIELD_OF[EffectKind(kind)], int(text)), text)
