"""What a rule, stored or not, would do to the past, field by field; nothing is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.money import Money
from webapp.ledger.rules.line_outcomes import CounterLeg
from webapp.models import Rule
from webapp.queries.access import organizations
from webapp.queries.rule_decisions import (
    candidates,
    compiled_rules,
    document_effects,
    explanations,
    line_effects,
)
from webapp.queries.rule_decisions.candidates import Chosen
from webapp.queries.rule_decisions.compiled_rules import SaidRule
from webapp.queries.rule_decisions.decisions import AskedRules
from webapp.queries.rule_decisions.document_effects import DocumentEffect
from webapp.queries.rule_decisions.explanations import Explanation
from webapp.queries.rule_decisions.line_effects import Digest, LineEffect

Effect = LineEffect | DocumentEffect


class OtherTargetError(UnprocessableError):
    """A rule on bank lines is tried on these, one on receipts on documents; name what the rule looks at."""

    code = "other_target"


@dataclass(frozen=True, slots=True)
class SideRecord:
    """What stands opposite a line; the amount is the part of the line that it answers, with the line's sign.

    Of a document: what is chosen for it, and its total.
    """

    account_id: int | None
    org_merchant_id: int | None
    project_id: int | None
    amount: Money | None
    currency: str | None


@dataclass(frozen=True, slots=True)
class EffectRecord:
    """One line or document that a rule matches, before and after.

    `before` is None where a line has more than one leg opposite.
    """

    transaction_id: int | None
    document_id: int | None
    fa_id: int | None
    booked_on: date | None
    amount: Money | None
    currency: str | None
    description: str
    is_changed: bool
    opens_marker: bool
    before: SideRecord | None
    after: SideRecord | None
    also_fires: list[int]
    cut_off_by: int | None
    overruled: list[dict[str, Any]]
    skipped: list[dict[str, Any]]


@dataclass(slots=True)
class Preview:
    """How many lines a rule matches, what becomes of them, some of them one by one, and the digest of it all.

    `changed` counts drafts and posted entries; of the latter `markers` get a correction marker.
    """

    matched: int = 0
    changed: int = 0
    markers: int = 0
    unchanged: int = 0
    skipped: int = 0
    cut_off: int = 0
    digest: str = ""
    rules: list[dict[str, Any]] = field(default_factory=list)
    items: list[EffectRecord] = field(default_factory=list)
    explained: list[Explanation] | None = None
    next_key: tuple[int] | None = None

    def count(self, effect: Effect) -> None:
        """Count what becomes of one line or document that the rule matches."""
        self.matched += 1
        if effect.cut_off_by is not None:
            self.cut_off += 1
        elif effect.applied:
            self.changed += 1
            self.markers += effect.opens_marker
        elif effect.skipped:
            self.skipped += 1
        else:
            self.unchanged += 1


def asked_with(organization_id: str, rule: SaidRule) -> AskedRules:
    """Make a rule ready among the active rules that new lines, or new fields of documents, are asked."""
    trigger = "RECEIPT_PARSED" if rule.target == "RECEIPT" else "TRANSACTION_INGESTED"
    others = compiled_rules.active(organization_id, trigger)
    rules: Sequence[SaidRule] = [rule, *(each for each in others if each.id != rule.id)]
    return AskedRules(organizations.get(organization_id), rules)


class _Shown:
    """What of a preview is shown one by one: a page by id, or those first that would change."""

    def __init__(self, after: tuple[Any, ...] | None, limit: int, *, changes_first: bool) -> None:
        self.next_key: tuple[int] | None = None
        self._first, self._limit, self._is_sorted = after[0] if after else 0, limit, changes_first
        self._changing: list[Effect] = []
        self._others: list[Effect] = []

    def take(self, effect: Effect) -> None:
        """Keep one as far as there is room for it."""
        shown = self._changing if self._is_sorted and effect.applied else self._others
        if effect.item_id <= self._first or self.next_key is not None:
            return
        if len(shown) < self._limit:
            shown.append(effect)
        elif not self._is_sorted:
            self.next_key = (shown[-1].item_id,)

    @property
    def effects(self) -> list[Effect]:
        """What is shown."""
        return [*self._changing, *self._others][: self._limit]


def effects(
    organization_id: str, asked: AskedRules, rule: SaidRule, chosen: Chosen
) -> Iterator[Sequence[Effect]]:
    """Ask a rule of the lines or documents that it looks at, portion by portion; raises OtherTargetError."""
    if rule.target == "RECEIPT":
        if chosen.fa_id is not None or chosen.transaction_id is not None:
            raise OtherTargetError
        return document_effects.effects(asked, organization_id, chosen, rule.id)
    if chosen.document_id is not None:
        raise OtherTargetError
    return line_effects.effects(asked, candidates.portions(organization_id, chosen), rule.id)


def preview(
    organization_id: str,
    rule: SaidRule,
    chosen: Chosen,
    *,
    after: tuple[Any, ...] | None,
    limit: int,
    changes_first: bool = False,
) -> Preview:
    """Tell what a rule would do to lines or documents that are there; the counts and the digest are of all of them.

    Those of the page come by id, from behind the key `after`; with `changes_first` there is one page. Raises
    OtherTargetError.
    """
    asked = asked_with(organization_id, rule)
    found, digest = Preview(), Digest(rule.id, rule.version)
    shown = _Shown(after, limit, changes_first=changes_first)
    for portion in effects(organization_id, asked, rule, chosen):
        for effect in portion:
            digest.add(effect.facts)
            found.count(effect)
            shown.take(effect)
    found.items = [_record(effect, rule.id) for effect in shown.effects]
    found.next_key = shown.next_key
    fired = {rule_id for effect in shown.effects for rule_id in _named(effect)}
    found.digest = digest.hex
    found.rules = [
        {"id": rule_id, "name": name}
        for rule_id, (_, name) in asked.names.items()
        if rule_id in fired - {rule.id}
    ]
    if chosen.transaction_id is not None or chosen.document_id is not None:
        found.explained = explanations.explain(asked, organization_id, chosen)
    return found


def _record(effect: Effect, rule_id: int) -> EffectRecord:
    told = _of_document(effect) if isinstance(effect, DocumentEffect) else _of_line(effect)
    return EffectRecord(
        **told,
        is_changed=bool(effect.applied),
        opens_marker=effect.opens_marker,
        also_fires=[each for each in effect.decision.matched if each != rule_id],
        cut_off_by=effect.cut_off_by,
        overruled=[{"kind": kind.value, "rule_id": by} for kind, by in effect.overruled.items()],
        skipped=[{"kind": skip.kind.value, "reason": skip.reason} for skip in effect.skipped],
    )


def _of_line(effect: LineEffect) -> dict[str, Any]:
    line, side = effect.line, effect.standing.side
    return {
        "transaction_id": line.id,
        "document_id": None,
        "fa_id": line.feed_account_id,
        "booked_on": line.booked_on,
        "amount": Money(line.amount_minor, line.currency),
        "currency": line.currency,
        "description": line.description,
        "before": _side(side),
        "after": _side(effect.after if effect.after is not None else side),
    }


def _of_document(effect: DocumentEffect) -> dict[str, Any]:
    document, before = effect.document, effect.before
    after = before if effect.after is None else effect.after
    sides = [
        SideRecord(
            each.account_id,
            each.merchant_id,
            each.project_id,
            None if document.total is None else Money.of(document.total.decimal, each.currency or ""),
            each.currency,
        )
        for each in (before, after)
    ]
    return {
        "transaction_id": None,
        "document_id": document.id,
        "fa_id": None,
        "booked_on": document.issued_on,
        "amount": document.total,
        "currency": document.currency,
        "description": document.label,
        "before": sides[0],
        "after": sides[1],
    }


def _side(side: CounterLeg | None) -> SideRecord | None:
    if side is None:
        return None
    amount = Money(-side.amount_minor, side.currency)
    return SideRecord(side.account_id, side.merchant_id, side.project_id, amount, side.currency)


def _named(effect: Effect) -> set[int]:
    return {*effect.decision.matched, *effect.overruled.values(), *filter(None, [effect.cut_off_by])}


def of_rule(rule: Rule, chosen: Chosen, *, after: tuple[Any, ...] | None, limit: int) -> Preview:
    """Tell what a stored rule would do to lines that are in the books."""
    return preview(rule.organization_id, rule, chosen, after=after, limit=limit)


def unsaved(organization_id: str, said: Mapping[str, Any], replaces: Rule | None = None) -> SaidRule:
    """Take a rule as somebody says it, in the place of a stored one if it is to replace that."""
    names = ("conditions", "effects", "name", "target", "trigger", "priority", "stop_processing")
    facts = {name: said[name] for name in names}
    if replaces is None:
        return compiled_rules.UnsavedRule(**facts)
    if replaces.organization_id != organization_id:
        raise ValueError(replaces.organization_id)
    return compiled_rules.UnsavedRule(**facts, id=replaces.id, version=replaces.version + 1)
