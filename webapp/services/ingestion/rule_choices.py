"""What rules chose for staged lines, stored as a run and as the settings of their entries."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import Organization, Rule, RuleRun, RuleSetting
from webapp.models.base import table_of
from webapp.services.ingestion.rules import LineRules
from webapp.services.ingestion.staging import CHOICES, LINES

INGESTED = "TRANSACTION_INGESTED"
_NEW_RUN = sa.insert(table_of(RuleRun)).returning(table_of(RuleRun).c.id)


def begin_run(
    organization: Organization, rules: LineRules, *, act_id: str, now: datetime, trigger: str = INGESTED
) -> int | None:
    """Record a run of rules, and count its matches; None where no rule matched."""
    run_id = record_run(organization, rules, now=now, trigger=trigger, act_id=act_id)
    if run_id is not None:
        count_matches(organization.id, rules.tally.matches, now)
    return run_id


def record_run(
    organization: Organization,
    rules: LineRules,
    *,
    now: datetime,
    trigger: str = INGESTED,
    act_id: str = "",
) -> int | None:
    """Record a run, maybe before its act; `finish_run` does the part that locks rows others need."""
    tally = rules.tally
    if not tally.matched:
        return None
    run = {
        "organization_id": organization.id,
        "action_request_id": act_id,
        "trigger": trigger,
        "matched": tally.matched,
        "changed": tally.changed,
        "rules": tally.rules_as_json(rules.names),
        "skipped": tally.skips_as_json(),
        "created_at": now,
    }
    db.session.flush()
    rules.run_id = db.session.scalar(_NEW_RUN, run)
    return rules.run_id


def finish_run(
    organization: Organization, rules: LineRules, run_id: int | None, *, act_id: str, now: datetime
) -> None:
    """Give a run its act, and count its matches."""
    if run_id is not None:
        runs = db.session.scalars(
            sa.select(RuleRun).where(RuleRun.organization_id == organization.id, RuleRun.id == run_id)
        )
        runs.one().action_request_id = act_id
        db.session.flush()
        count_matches(organization.id, rules.tally.matches, now)


def count_again(organization: Organization, rules: LineRules) -> None:
    """Store the counts of a run again after its rules decided about stored lines."""
    changes = {"changed": rules.tally.changed, "skipped": rules.tally.skips_as_json()}
    db.session.execute(
        sa.update(RuleRun)
        .where(RuleRun.organization_id == organization.id, RuleRun.id == rules.run_id)
        .values(changes)
    )


def count_matches(organization_id: str, matches: Mapping[int, int], now: datetime) -> None:
    """Add to rules how many items they matched, and when they ran last."""
    if matches:
        rows = [{"its_id": rule_id, "more": count} for rule_id, count in matches.items()]
        db.session.connection().execute(
            _COUNT, [{**row, "its_organization": organization_id, "now": now} for row in rows]
        )


def write_settings(connection: sa.Connection, facts: Mapping[str, Any]) -> None:
    """Write the settings of a portion of stored lines, each in the version of its rule."""
    connection.execute(_SETTINGS, facts)


def _text(column: Any) -> sa.Cast[str]:
    return sa.cast(column, sa.String(20))


def _settings(
    place: int, kind: str, rule_id: sa.Column[Any], value: Any, before: tuple[Any, Any]
) -> sa.Select[Any]:
    """Select the settings of a kind that choices make, which are written at its place among the kinds.

    `before` is what a line that brings money in had, and what another one had.
    """
    return (
        sa.select(
            CHOICES.c.number,
            sa.literal(place).label("place"),
            sa.literal(kind).label("kind"),
            rule_id.label("rule_id"),
            _RULE.c.version.label("rule_version"),
            value.label("value"),
            before[0].label("before_income"),
            before[1].label("before_expense"),
        )
        .select_from(CHOICES.join(_RULE, _RULE.c.id == rule_id))
        .where(_RULE.c.organization_id == sa.bindparam("organization_id", type_=sa.String))
    )


_RULE = table_of(Rule)
_COUNT = (
    sa.update(_RULE)
    .where(
        _RULE.c.organization_id == sa.bindparam("its_organization"),
        _RULE.c.id == sa.bindparam("its_id"),
    )
    .values(
        match_count=_RULE.c.match_count + sa.bindparam("more"),
        last_run_at=sa.bindparam("now"),
        # A rule that runs says nothing else than before.
        updated_at=_RULE.c.updated_at,
    )
)


def _id(name: str) -> sa.Cast[str]:
    return _text(sa.bindparam(name, type_=sa.BigInteger))


_NOTHING = (sa.cast(sa.null(), sa.String(20)),) * 2
_CURRENCY = sa.bindparam("currency", type_=sa.String)
_CHOSEN = sa.union_all(
    _settings(
        0,
        "SET_ACCOUNT",
        CHOICES.c.account_rule_id,
        _text(CHOICES.c.account_id),
        (_id("income_id"), _id("expenses_id")),
    ),
    _settings(1, "SET_MERCHANT", CHOICES.c.merchant_rule_id, _text(CHOICES.c.merchant_id), _NOTHING),
    _settings(2, "SET_PROJECT", CHOICES.c.project_rule_id, _text(CHOICES.c.project_id), _NOTHING),
    _settings(3, "SET_CURRENCY", CHOICES.c.currency_rule_id, CHOICES.c.currency, (_CURRENCY, _CURRENCY)),
    _settings(4, "SET_TAX_CODE", CHOICES.c.tax_code_rule_id, _text(CHOICES.c.tax_code_id), _NOTHING),
).subquery()
_OF_SETTING: dict[str, Any] = {
    "organization_id": sa.bindparam("organization_id", type_=sa.String),
    "transaction_id": LINES.c.transaction_id,
    "run_id": sa.bindparam("run_id", type_=sa.BigInteger),
    **{name: _CHOSEN.c[name] for name in ("kind", "rule_id", "rule_version", "value")},
    # As in ledger/chart.py: an amount of 0.00 is uncategorised among the expenses.
    "before": sa.case((LINES.c.amount_minor > 0, _CHOSEN.c.before_income), else_=_CHOSEN.c.before_expense),
}
_SETTINGS = sa.insert(RuleSetting).from_select(
    [*_OF_SETTING],
    sa.select(*_OF_SETTING.values())
    .select_from(LINES.join(_CHOSEN, _CHOSEN.c.number == LINES.c.choice))
    .where(LINES.c.portion == sa.bindparam("portion"))
    .order_by(LINES.c.number, _CHOSEN.c.place),
    include_defaults=False,
)
