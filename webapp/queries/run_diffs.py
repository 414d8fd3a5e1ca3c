"""What one run of rules changed, line by line and field by field, and what became of it since."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Protocol

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.effects import VALUE_KEY, EffectKind
from webapp.ledger.money import Money
from webapp.models import RuleRun, RuleSetting, Transaction
from webapp.queries import lookups, rule_names
from webapp.queries.paging import Page

MOST_KEPT = 200


class KeptField(Protocol):
    """A field that stays as it is when a run is undone, and why."""

    @property
    def transaction_id(self) -> int | None: ...  # noqa: D102
    @property
    def kind(self) -> str: ...  # noqa: D102
    @property
    def reason(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field as it was and as a rule set it, in names; `standing` is `stands`, `changed` since, or `undone`."""

    kind: str
    before: str | None
    after: str
    rule_id: int
    rule_version: int
    rule_name: str | None
    standing: str
    act_id: str | None


@dataclass(frozen=True, slots=True)
class LineChange:
    """A line that a run changed, and which of its fields."""

    transaction_id: int
    fa_id: int
    booked_on: date
    description: str
    amount: Money
    fields: list[FieldChange] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class KeptLine:
    """A field of a line that would stay as it is, and why."""

    transaction_id: int
    fa_id: int
    booked_on: date
    description: str
    kind: str
    reason: str


def lines(run: RuleRun, *, after: tuple[Any, ...] | None, limit: int) -> Page[LineChange]:
    """Give the lines that a run changed by id, some at a time."""
    last = after[0] if after else 0
    of_run = (RuleSetting.organization_id == run.organization_id, RuleSetting.run_id == run.id)
    ids = db.session.scalars(
        sa.select(RuleSetting.transaction_id)
        .where(*of_run, RuleSetting.transaction_id > last)
        .distinct()
        .order_by(RuleSetting.transaction_id)
        .limit(limit + 1)
    ).all()
    shown = ids[:limit]
    settings = db.session.scalars(
        sa.select(RuleSetting)
        .where(*of_run, RuleSetting.transaction_id.in_(shown))
        .order_by(RuleSetting.transaction_id, RuleSetting.id)
    ).all()
    return Page(_lines(run, settings), (shown[-1],) if len(ids) > limit else None)


def _lines(run: RuleRun, settings: Sequence[RuleSetting]) -> list[LineChange]:
    names = rule_names.of_ids(run.organization_id, _named(settings))
    rules = {each["id"]: each["name"] for each in run.rules}
    rows = lookups.by_id(Transaction, run.organization_id, {each.transaction_id for each in settings})
    found = {
        line_id: LineChange(line_id, row.feed_account_id, row.booked_on, row.description, row.amount)
        for line_id, row in rows.items()
        if line_id is not None
    }
    for each in settings:
        found[each.transaction_id].fields.append(_field(run, each, names, rules))
    return sorted(found.values(), key=lambda line: line.transaction_id)


def _field(
    run: RuleRun, setting: RuleSetting, names: rule_names.Names, rules: Mapping[int, str]
) -> FieldChange:
    standing = "stands" if setting.superseded_by is None else "changed"
    if setting.superseded_by is not None and setting.superseded_by == run.undone_by:
        standing = "undone"
    return FieldChange(
        kind=setting.kind,
        before=None if setting.before is None else _name(setting.kind, setting.before, names),
        after=_name(setting.kind, setting.value, names),
        rule_id=setting.rule_id,
        rule_version=setting.rule_version,
        rule_name=rules.get(setting.rule_id),
        standing=standing,
        act_id=setting.superseded_by,
    )


def named_kept(organization_id: str, kept: Sequence[KeptField]) -> list[KeptLine]:
    """Give the fields that would stay with what a person knows their lines by, the first ones of many."""
    some = kept[:MOST_KEPT]
    rows = lookups.by_id(Transaction, organization_id, {each.transaction_id for each in some})
    return [
        KeptLine(row.id, row.feed_account_id, row.booked_on, row.description, each.kind, each.reason)
        for each in some
        if (row := rows.get(each.transaction_id)) is not None
    ]


def _named(settings: Iterable[RuleSetting]) -> list[tuple[str, int]]:
    return [
        (VALUE_KEY[EffectKind(each.kind)], int(text))
        for each in settings
        if each.kind != EffectKind.SET_CURRENCY
        for text in (each.value, each.before)
        if text is not None
    ]


def _name(kind: str, text: str, names: rule_names.Names) -> str:
    if kind == EffectKind.SET_CURRENCY:
        return text
    return names.get((VALUE_KEY[EffectKind(kind)], int(text)), text)
