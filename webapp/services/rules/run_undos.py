"""A run of rules undone: each field goes back to what it was, unless somebody has changed it since."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger import titles
from webapp.ledger.errors import LedgerError
from webapp.ledger.rules.effects import EffectKind
from webapp.ledger.rules.line_outcomes import CounterLeg
from webapp.models import (
    DocumentSetting,
    Organization,
    RuleRun,
    RuleSetting,
    of_same_organization,
    refers_to,
)
from webapp.models.base import table_of
from webapp.queries.rules import candidates
from webapp.queries.rules.candidates import AT_ONCE, CandidateLine, LineState
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.rules import document_rules, writes
from webapp.services.rules.document_rules import PutBack
from webapp.services.rules.restored_sides import RestorableBooks, restored
from webapp.services.rules.writes import CounterReplacement

CHANGED_SINCE = "It was changed since."
GONE = "The line is no longer in the books."
CANNOT_BE = "The earlier value is not possible any more."


class UndoneError(LedgerError):
    """This run was undone already; there is nothing to put back."""

    code = "undone"


@dataclass(frozen=True, slots=True)
class UnrestoredField:
    """A field of a line or document that is not restored, and why."""

    transaction_id: int | None
    kind: str
    reason: str
    document_id: int | None = None


@dataclass(slots=True)
class UndoneRun:
    """An undone run: how many fields of how many lines and documents were restored, and the fields that are kept."""

    run: RuleRun
    lines: int = 0
    documents: int = 0
    restored: int = 0
    kept: list[UnrestoredField] = field(default_factory=list)


class _RunUndo(NamedTuple):
    """The run that is undone, as far as it is, and its books."""

    books: RestorableBooks
    undone: UndoneRun


class _RunSetting(NamedTuple):
    """A field of a line that the run set, as it was before and as the run set it."""

    id: int
    transaction_id: int
    kind: str
    value: str
    before: str | None
    superseded_by: str | None


def undo(run: RuleRun, *, actor: Actor, now: datetime) -> UndoneRun:
    """Restore what a run of rules set, field by field, in one act; raises UndoneError.

    A draft is restored at once, a posted entry by its correction marker, or its marker is deleted.
    """
    title = f"Undid the run of {_run_name(run)}"
    with act(actor, now, "undo_rule_run", ("rule_run", run.id), title=title) as doing:
        if run.undone_at is not None:
            raise UndoneError
        undoing = _run_undo(run)
        undone = undoing.undone
        for settings in _portions(run):
            _undo(undoing, settings, doing)
        _note(undone, document_rules.put_back(undoing.books.organization, run, act_id=doing.id))
        _reinstate_earlier(run, doing.id, RuleSetting, RuleSetting.transaction_id)
        _reinstate_earlier(run, doing.id, DocumentSetting, DocumentSetting.document_id)
        db.session.refresh(run)
        run.undone_at, run.undone_by = now, doing.id
        db.session.flush()
        documents = {"documents": undone.documents} if undone.documents else {}
        doing.after = {"runId": doing.target, "lines": undone.lines, **documents, "fields": undone.restored}
        doing.result = {"kept": len(undone.kept)}
    return undone


def _run_name(run: RuleRun) -> str:
    """Name a run by its rules and its day."""
    names = titles.listed([each["name"] for each in run.rules])
    changes = titles.counted(run.changed, "change")
    return f"{names or 'rules'} of {run.created_at:%-d %b %Y} with its {changes}"


def would_keep(run: RuleRun) -> list[UnrestoredField]:
    """List the fields that undoing a run would not restore; writes nothing."""
    undoing = _run_undo(run)
    for settings in _portions(run):
        _plan(undoing, settings)
    _note(undoing.undone, document_rules.plan_put_back(undoing.books.organization, run))
    return undoing.undone.kept


def _note(undone: UndoneRun, back: PutBack) -> None:
    """Add the restored and kept fields of documents to the result."""
    undone.documents, undone.restored = len(back.receipts), undone.restored + len(back.restored)
    undone.kept += [UnrestoredField(None, each.kind, CHANGED_SINCE, each.document_id) for each in back.kept]


def _run_undo(run: RuleRun) -> _RunUndo:
    return _RunUndo(RestorableBooks.of(run.organization_id), UndoneRun(run))


def _portions(run: RuleRun) -> Iterator[Sequence[_RunSetting]]:
    """Return the settings of a run in portions of whole lines."""
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
            sa.select(*(getattr(RuleSetting, name) for name in _RunSetting._fields))
            .where(*of_run, RuleSetting.transaction_id.between(lines[0], lines[-1]))
            .order_by(RuleSetting.transaction_id, RuleSetting.id)
        ).all()
        yield [_RunSetting._make(row) for row in rows]
        last = lines[-1]


def _undo(undoing: _RunUndo, settings: Sequence[_RunSetting], doing: Act) -> None:
    changes, restored = _plan(undoing, settings)
    undone = undoing.undone
    undone.lines, undone.restored = undone.lines + len(changes), undone.restored + len(restored)
    if changes:
        writes.replace_counters(undoing.books.organization, changes, now=doing.now)
        _supersede(undoing.books.organization, restored, doing)


def _plan(undoing: _RunUndo, settings: Sequence[_RunSetting]) -> tuple[list[CounterReplacement], list[int]]:
    """Plan which counter legs are restored and by which settings, and add the fields that are kept to the result."""
    organization, undone = undoing.books.organization, undoing.undone
    line_ids = {each.transaction_id for each in settings}
    lines = {line.id: line for each in candidates.of_ids(organization.id, line_ids) for line in each}
    standings = candidates.line_states(organization.id, list(lines.values()))
    if any(each.kind == EffectKind.SETTLE_BY_REFERENCE for each in settings):
        standings = candidates.with_items(organization.id, standings)
    changes: list[CounterReplacement] = []
    restored: list[int] = []
    for line_id, of_line in groupby(settings, lambda each: each.transaction_id):
        line = lines.get(line_id)
        if line is None:
            undone.kept += [UnrestoredField(line_id, each.kind, GONE) for each in of_line]
            continue
        side, back = _counter_before(undoing, line, standings[line_id], list(of_line))
        if side is not None and back:
            restored += back
            changes.append(CounterReplacement(line, standings[line_id], side))
    return changes, restored


def _counter_before(
    undoing: _RunUndo, line: CandidateLine, standing: LineState, settings: Sequence[_RunSetting]
) -> tuple[CounterLeg | None, list[int]]:
    """Return the counter side of a line before the run, and the settings it restores; changed fields stay."""
    side = standing.leg
    if side is None:
        reason = standing.closed or CHANGED_SINCE
        undoing.undone.kept += [UnrestoredField(line.id, each.kind, reason) for each in settings]
        return None, []
    back = []
    for setting in settings:
        kind = EffectKind(setting.kind)
        is_as_set = setting.superseded_by is None and side.value(kind) == setting.value
        before = restored(undoing.books, line, side, kind, setting.before) if is_as_set else None
        if before is None:
            reason = CANNOT_BE if is_as_set else CHANGED_SINCE
            undoing.undone.kept.append(UnrestoredField(line.id, setting.kind, reason))
        else:
            side = before
            back.append(setting.id)
    if undoing.books.accounts[side.account_id].currency not in (None, side.currency):
        undoing.undone.kept += [
            UnrestoredField(line.id, each.kind, CANNOT_BE) for each in settings if each.id in back
        ]
        return None, []
    return side, back


def _supersede(organization: Organization, setting_ids: Sequence[int], doing: Act) -> None:
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


def _reinstate_earlier(run: RuleRun, act_id: str, model: type[Any], item: Any) -> None:
    """Make the settings of earlier runs current again where this run had superseded them and is undone."""
    gone = table_of(model).alias("gone")
    went_back = sa.exists().where(
        refers_to(gone.c.run_id, run),
        gone.c[item.key] == item,
        gone.c.kind == model.kind,
        gone.c.superseded_by == act_id,
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
