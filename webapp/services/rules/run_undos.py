"""A run of rules undone: each field goes back to what it was, unless somebody has changed it since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger import titles
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.rates import unmirror
from webapp.ledger.rules.effects import EffectKind
from webapp.ledger.rules.line_outcomes import AccountFacts, CounterLeg
from webapp.models import (
    DocumentSetting,
    Organization,
    Project,
    RuleRun,
    RuleSetting,
    of_same_organization,
    refers_to,
)
from webapp.models.base import table_of
from webapp.queries.access import organizations
from webapp.queries.currencies import exchange_rates
from webapp.queries.rule_decisions import candidates, compiled_rules
from webapp.queries.rule_decisions.candidates import AT_ONCE, PastLine, Standing
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.rules import document_rules, writes
from webapp.services.rules.document_rules import PutBack
from webapp.services.rules.writes import Change

CHANGED_SINCE = "It was changed since."
GONE = "The line is not in the books any more."
CANNOT_BE = "What stood there before cannot stand there any more."


class UndoneError(LedgerError):
    """This run was undone already; there is nothing to put back."""

    code = "undone"


@dataclass(frozen=True, slots=True)
class Kept:
    """A field of a line or document that stays as it is, and why."""

    transaction_id: int | None
    kind: str
    reason: str
    document_id: int | None = None


@dataclass(slots=True)
class UndoneRun:
    """An undone run: how many fields of how many lines and documents went back, and the fields that stay."""

    run: RuleRun
    lines: int = 0
    documents: int = 0
    restored: int = 0
    kept: list[Kept] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Undoing:
    """In whose books which run is undone, and onto which accounts and projects something may go back."""

    organization: Organization
    accounts: Mapping[int, AccountFacts]
    projects: frozenset[int]
    undone: UndoneRun


class _Setting(NamedTuple):
    """A field of a line that the run set, as it was before and as the run set it."""

    id: int
    transaction_id: int
    kind: str
    value: str
    before: str | None
    superseded_by: str | None


def undo(run: RuleRun, *, actor: Actor, now: datetime) -> UndoneRun:
    """Put back what a run of rules set, field by field, in one act; raises UndoneError.

    A draft goes back at once, a posted entry by its correction marker, or its marker goes.
    """
    title = f"Undid the run of {_named(run)}"
    with act(actor, now, "undo_rule_run", ("rule_run", run.id), title=title) as doing:
        if run.undone_at is not None:
            raise UndoneError
        undoing = _undoing(run)
        undone = undoing.undone
        for settings in _portions(run):
            _undo(undoing, settings, doing)
        _note(undone, document_rules.put_back(undoing.organization, run, act_id=doing.id, now=now))
        _stand_again(run, doing.id, RuleSetting, RuleSetting.transaction_id)
        _stand_again(run, doing.id, DocumentSetting, DocumentSetting.document_id)
        db.session.refresh(run)
        run.undone_at, run.undone_by = now, doing.id
        db.session.flush()
        documents = {"documents": undone.documents} if undone.documents else {}
        doing.after = {"runId": run.id, "lines": undone.lines, **documents, "fields": undone.restored}
        doing.result = {"kept": len(undone.kept)}
    return undone


def _named(run: RuleRun) -> str:
    """Name a run by its rules and its day."""
    names = titles.listed([each["name"] for each in run.rules])
    return (
        f"{names or 'rules'} of {run.created_at:%-d %b %Y} with its {titles.counted(run.changed, 'change')}"
    )


def would_keep(run: RuleRun) -> list[Kept]:
    """Tell which fields undoing a run would leave as they are; writes nothing."""
    undoing = _undoing(run)
    for settings in _portions(run):
        _judge(undoing, settings)
    _note(undoing.undone, document_rules.judged(undoing.organization, run))
    return undoing.undone.kept


def _note(undone: UndoneRun, back: PutBack) -> None:
    """Note what becomes of documents beside what becomes of lines."""
    undone.documents, undone.restored = len(back.receipts), undone.restored + len(back.restored)
    undone.kept += [Kept(None, each.kind, CHANGED_SINCE, each.document_id) for each in back.kept]


def _undoing(run: RuleRun) -> _Undoing:
    organization = organizations.get(run.organization_id)
    accounts = compiled_rules.books(organization).accounts
    projects = db.session.scalars(sa.select(Project.id).where(Project.organization_id == organization.id))
    return _Undoing(organization, accounts, frozenset(projects), UndoneRun(run))


def _portions(run: RuleRun) -> Iterator[Sequence[_Setting]]:
    """Give what a run set, whole lines at a time."""
    run_id, organization_id, last = run.id, run.organization_id, 0
    while True:
        of_run = (RuleSetting.organization_id == organization_id, RuleSetting.run_id == run_id)
        lines = db.session.scalars(
            sa.select(RuleSetting.transaction_id)
            .where(*of_run, RuleSetting.transaction_id > last)
            .distinct()
            .order_by(RuleSetting.transaction_id)
            .limit(AT_ONCE)
        ).all()
        if not lines:
            return
        rows = db.session.execute(
            sa.select(*(getattr(RuleSetting, name) for name in _Setting._fields))
            .where(*of_run, RuleSetting.transaction_id.between(lines[0], lines[-1]))
            .order_by(RuleSetting.transaction_id, RuleSetting.id)
        ).all()
        yield [_Setting._make(row) for row in rows]
        last = lines[-1]


def _undo(undoing: _Undoing, settings: Sequence[_Setting], doing: Act) -> None:
    changes, restored = _judge(undoing, settings)
    undone = undoing.undone
    undone.lines, undone.restored = undone.lines + len(changes), undone.restored + len(restored)
    if changes:
        writes.write(undoing.organization, changes, now=doing.now)
        _mark(undoing.organization, restored, doing)


def _judge(undoing: _Undoing, settings: Sequence[_Setting]) -> tuple[list[Change], list[int]]:
    """Tell what goes back and by which settings, and note the fields that stay."""
    organization, undone = undoing.organization, undoing.undone
    line_ids = {each.transaction_id for each in settings}
    lines = {line.id: line for each in candidates.named(organization.id, line_ids) for line in each}
    standings = candidates.standings(organization.id, list(lines.values()))
    changes: list[Change] = []
    restored: list[int] = []
    for line_id, of_line in groupby(settings, lambda each: each.transaction_id):
        line = lines.get(line_id)
        if line is None:
            undone.kept += [Kept(line_id, each.kind, GONE) for each in of_line]
            continue
        side, back = _put_back(undoing, line, standings[line_id], list(of_line))
        if side is not None and back:
            restored += back
            changes.append(Change(line, standings[line_id], side))
    return changes, restored


def _put_back(
    undoing: _Undoing, line: PastLine, standing: Standing, settings: Sequence[_Setting]
) -> tuple[CounterLeg | None, list[int]]:
    """Give what stood opposite a line before, as far as its fields are as the run set them; and which settings."""
    side = standing.side
    if side is None:
        reason = standing.closed or CHANGED_SINCE
        undoing.undone.kept += [Kept(line.id, each.kind, reason) for each in settings]
        return None, []
    back = []
    for setting in settings:
        is_as_set = setting.superseded_by is None and side.value(EffectKind(setting.kind)) == setting.value
        before = _before(undoing, line, side, setting) if is_as_set else None
        if before is None:
            reason = CANNOT_BE if is_as_set else CHANGED_SINCE
            undoing.undone.kept.append(Kept(line.id, setting.kind, reason))
        else:
            side = before
            back.append(setting.id)
    if undoing.accounts[side.account_id].currency not in (None, side.currency):
        undoing.undone.kept += [Kept(line.id, each.kind, CANNOT_BE) for each in settings if each.id in back]
        return None, []
    return side, back


def _before(undoing: _Undoing, line: PastLine, side: CounterLeg, setting: _Setting) -> CounterLeg | None:
    """Give a side with one field as it was before; None where it cannot be that any more."""
    before = setting.before
    match EffectKind(setting.kind):
        case EffectKind.SET_ACCOUNT:
            facts = undoing.accounts.get(int(before or 0))
            is_open = facts is not None and facts.closed is None
            return side._replace(account_id=int(before or 0)) if is_open else None
        case EffectKind.SET_MERCHANT:
            return side._replace(merchant_id=None if before is None else int(before))
        case EffectKind.SET_PROJECT:
            project_id = None if before is None else int(before)
            is_there = project_id is None or project_id in undoing.projects
            return side._replace(project_id=project_id) if is_there else None
        case EffectKind.SET_CURRENCY:
            return _in_currency(undoing.organization, line, side, before or line.currency)


def _in_currency(
    organization: Organization, line: PastLine, side: CounterLeg, code: str
) -> CounterLeg | None:
    if code == line.currency:
        return side._replace(currency=code, amount_minor=-line.amount_minor)
    base = organization.base_currency
    rate = exchange_rates.rate_on(organization.id, code, base, line.booked_on)
    if side.amount_base_minor is None or (rate is None and code != base):
        return None
    try:
        amount = (
            side.amount_base_minor
            if rate is None or code == base
            else unmirror(side.amount_base_minor, base, code, rate)
        )
    except UnprocessableError:
        return None
    return side._replace(currency=code, amount_minor=amount)


def _mark(organization: Organization, setting_ids: Sequence[int], doing: Act) -> None:
    for start in range(0, len(setting_ids), AT_ONCE):
        db.session.execute(
            sa.update(RuleSetting)
            .where(
                RuleSetting.organization_id == organization.id,
                RuleSetting.id.in_(setting_ids[start : start + AT_ONCE]),
            )
            .values(superseded_by=doing.id)
            .execution_options(synchronize_session=False)
        )


def _stand_again(run: RuleRun, act_id: str, model: type[Any], item: Any) -> None:
    """Let what earlier runs set stand again where this run had set it anew and has gone back."""
    gone = table_of(model).alias("gone")
    went_back = (
        sa.select(1)
        .where(
            refers_to(gone.c.run_id, run),
            gone.c[item.key] == item,
            gone.c.kind == model.kind,
            gone.c.superseded_by == act_id,
        )
        .exists()
    )
    db.session.execute(
        sa.update(model)
        .where(
            of_same_organization(model, run),
            model.superseded_by == run.action_request_id,
            model.run_id != run.id,
            went_back,
        )
        .values(superseded_by=None)
        .execution_options(synchronize_session=False)
    )
