"""Effects of rules, written into entries in bulk: drafts at once, posted ones by their correction markers."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.journal.entries import Leg
from webapp.ledger.money import Money
from webapp.ledger.references import Kind
from webapp.ledger.rules.line_outcomes import CounterLeg
from webapp.models import (
    FeedAccount,
    JournalEntry,
    Organization,
    Posting,
    RuleSetting,
    TaxCode,
    Transaction,
)
from webapp.models.base import table_of
from webapp.queries.common import lookups
from webapp.queries.items.line_payments import PaidPart
from webapp.queries.rules import candidates, compiled_rules, line_effects
from webapp.queries.rules.candidates import CandidateLine, LineState
from webapp.queries.rules.line_effects import LineEffect
from webapp.services.audit import updates
from webapp.services.ingestion import rule_choices
from webapp.services.ingestion.rules import LineRules
from webapp.services.items import paid_lines
from webapp.services.journal import counter_legs
from webapp.services.journal import entries as journal_entries
from webapp.services.tax import coding

_POSTING = table_of(Posting)
_SETTING = table_of(RuleSetting)


@dataclass(frozen=True, slots=True)
class CounterReplacement:
    """A new counter side of a line in place of its present one."""

    line: CandidateLine
    state: LineState
    after: CounterLeg


def replace_counters(
    organization: Organization, changes: Sequence[CounterReplacement], *, now: datetime
) -> None:
    """Replace the counter legs of lines; the amounts of a draft in the base currency stay."""
    coded = _coded_legs(organization, changes)
    quick = [each for each in changes if each.state.posting_id is not None and each.line.id not in coded]
    if quick:
        db.session.connection().execute(_UPDATE, [_row(organization.id, each) for each in quick])
    posted = [each for each in changes if each.state.is_posted]
    if posted:
        chosen = {
            each.line.journal_entry_id or 0: (each.line.id, coded.get(each.line.id) or [_leg(each.after)])
            for each in posted
        }
        counter_legs.bulk_correct_counters(organization, chosen, now=now)
    written = {each.line.id for each in (*quick, *posted)}
    others = [each for each in changes if each.line.id not in written]
    _write_drafts(organization, others, coded)
    _replace_payments(organization, changes)
    entry_ids = [each.line.journal_entry_id for each in changes if each.line.journal_entry_id is not None]
    updates.touch(Kind.JOURNAL_ENTRY, entry_ids)
    # The entries that the session has loaded are outdated.
    db.session.flush()
    db.session.expire_all()


def _coded_legs(organization: Organization, changes: Sequence[CounterReplacement]) -> dict[int, list[Leg]]:
    """Give the counter legs, by the lines, of those sides that have a tax code."""
    coded = [each for each in changes if each.after.tax_code_id is not None]
    codes = lookups.by_id(TaxCode, organization.id, {each.after.tax_code_id for each in coded})
    wholes = [(_leg(each.after), codes[each.after.tax_code_id], each.line.booked_on) for each in coded]
    found = coding.of_wholes(organization, wholes) if wholes else []
    return {each.line.id: legs for each, legs in zip(coded, found, strict=True)}


def _write_drafts(
    organization: Organization, changes: Sequence[CounterReplacement], coded: Mapping[int, Sequence[Leg]]
) -> None:
    """Write drafts that have several counter legs, before or after; those in the base currency all at once."""
    base = organization.base_currency
    banks = lookups.by_id(FeedAccount, organization.id, {each.line.feed_account_id for each in changes})
    targets, foreign = {}, {}
    for each in changes:
        line, counter = each.line, coded.get(each.line.id) or [_leg(each.after)]
        if {line.currency, each.after.currency} != {base}:
            foreign[line.id] = counter
            continue
        account_id = banks[line.feed_account_id].account_id
        bank = Leg(account_id, line.amount_minor, base, is_bank_leg=True, transaction_id=line.id)
        legs = [replace(leg, amount_base_minor=leg.amount_minor) for leg in (bank, *counter)]
        targets[line.journal_entry_id or 0] = legs
    if targets:
        journal_entries.write_all_legs(organization.id, base, targets)
    lines = lookups.by_id(Transaction, organization.id, foreign)
    entries = lookups.by_id(JournalEntry, organization.id, [row.journal_entry_id for row in lines.values()])
    for line_id, counter in foreign.items():
        counter_legs.write_own(lines[line_id], entries[lines[line_id].journal_entry_id], counter)


def _replace_payments(organization: Organization, changes: Sequence[CounterReplacement]) -> None:
    """Make each line pay the whole item of its new side, or nothing any more."""
    paid = {
        each.line.id: None
        if each.after.item_id is None
        else PaidPart(each.after.item_id, Money(each.line.amount_minor, each.line.currency), None)
        for each in changes
        if each.state.leg is not None and each.state.leg.item_id != each.after.item_id
    }
    if paid:
        paid_lines.put_whole(organization.id, paid)


def run_on(
    organization: Organization, line_ids: Collection[int], trigger: str, *, act_id: str, now: datetime
) -> int | None:
    """Run the active rules of a trigger on lines that are in the books, as part of the act that brought them.

    Answers with the run; None where no rule matched.
    """
    if not line_ids:
        return None
    rules = LineRules(organization, compiled_rules.active(organization.id, trigger))
    if not rules.compiled:
        return None
    db.session.flush()
    portions = list(line_effects.effects(rules, candidates.of_ids(organization.id, line_ids)))
    for effects in portions:
        for effect in effects:
            rules.tally.count(effect.decision.matched, effect.applied, effect.skipped)
    run_id = rule_choices.begin_run(organization, rules, act_id=act_id, now=now, trigger=trigger)
    if run_id is not None:
        for effects in portions:
            store_effects(organization, run_id, effects, act_id=act_id, now=now)
    return run_id


def run_on_stored(
    organization: Organization, rules: LineRules, ids: Mapping[int, int], *, act_id: str, now: datetime
) -> None:
    """Run the rules of an import or a push on its lines that had to be stored first.

    `ids` are the stored lines by their staged numbers.
    """
    line_ids = [ids[number] for number in rules.waiting]
    if rules.run_id is None or not line_ids:
        return
    for effects in line_effects.effects(rules, candidates.of_ids(organization.id, line_ids)):
        for effect in effects:
            rules.tally.changed += bool(effect.applied)
            rules.tally.skips.update(effect.skipped)
        store_effects(organization, rules.run_id, effects, act_id=act_id, now=now)
    rule_choices.count_again(organization, rules)


def store_effects(
    organization: Organization, run_id: int, effects: Iterable[LineEffect], *, act_id: str, now: datetime
) -> int:
    """Write what rules change of a portion of lines, with provenance; answers how many lines changed."""
    making = [each for each in effects if each.applied and each.after is not None]
    if not making:
        return 0
    replace_counters(
        organization, [CounterReplacement(e.line, e.state, e.after) for e in making if e.after], now=now
    )
    supersede(organization.id, [(e.line.id, kind.value) for e in making for kind in e.applied], act_id)
    rows = [_setting_rows(organization.id, run_id, effect) for effect in making]
    # By the connection itself: the session would send them one by one.
    db.session.connection().execute(sa.insert(_SETTING), [row for each in rows for row in each])
    return len(making)


def stand(organization_id: str, fields: Collection[tuple[int, str]]) -> bool:
    """Return whether a rule has set one of these fields, by line and kind, and nobody since."""
    setting = RuleSetting
    standing = sa.select(setting.id).where(
        setting.organization_id == organization_id,
        sa.tuple_(setting.transaction_id, setting.kind).in_(list(fields)),
        setting.superseded_by.is_(None),
    )
    return bool(fields) and db.session.scalar(standing.limit(1)) is not None


def supersede(organization_id: str, fields: Iterable[tuple[int, str]], act_id: str) -> None:
    """Record on earlier settings, by line and kind, the act that has set them anew."""
    by_kind: dict[str, list[int]] = {}
    for line_id, kind in fields:
        by_kind.setdefault(kind, []).append(line_id)
    for kind, line_ids in by_kind.items():
        db.session.execute(
            sa.update(RuleSetting)
            .where(
                RuleSetting.organization_id == organization_id,
                RuleSetting.transaction_id.in_(line_ids),
                RuleSetting.kind == kind,
                RuleSetting.superseded_by.is_(None),
            )
            .values(superseded_by=act_id)
            .execution_options(synchronize_session=False)
        )


def _setting_rows(organization_id: str, run_id: int, effect: LineEffect) -> list[dict[str, object]]:
    before = effect.state.leg
    return [
        {
            "organization_id": organization_id,
            "transaction_id": effect.line.id,
            "run_id": run_id,
            "kind": kind.value,
            "rule_id": setting.rule_id,
            "rule_version": setting.rule_version,
            "value": str(setting.value),
            "before": None if before is None else before.value(kind),
        }
        for kind, setting in effect.applied.items()
    ]


def _leg(side: CounterLeg) -> Leg:
    return Leg(
        side.account_id,
        side.amount_minor,
        side.currency,
        merchant_id=side.merchant_id,
        project_id=side.project_id,
    )


def _row(organization_id: str, change: CounterReplacement) -> dict[str, object]:
    after = change.after
    return {
        "of_organization": organization_id,
        "of_posting": change.state.posting_id,
        "new_account_id": after.account_id,
        "new_amount_minor": after.amount_minor,
        "new_currency": after.currency,
        "new_merchant_id": after.merchant_id,
        "new_project_id": after.project_id,
    }


_UPDATE = (
    sa.update(_POSTING)
    .where(
        _POSTING.c.organization_id == sa.bindparam("of_organization"),
        _POSTING.c.id == sa.bindparam("of_posting"),
    )
    .values(
        account_id=sa.bindparam("new_account_id"),
        amount_minor=sa.bindparam("new_amount_minor"),
        currency=sa.bindparam("new_currency"),
        org_merchant_id=sa.bindparam("new_merchant_id"),
        project_id=sa.bindparam("new_project_id"),
    )
)
