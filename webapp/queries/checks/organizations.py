"""What every organization has: an owner, accounts that the books post to, rates above zero, and its rules' versions."""

from collections.abc import Iterable, Iterator

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import Role
from webapp.models import (
    Account,
    ExchangeRate,
    Membership,
    Organization,
    Rule,
    RuleContent,
    RuleVersion,
    refers_to,
)
from webapp.queries.checks.violations import Violation, found


def ownerless() -> Iterable[Violation]:
    """Find organizations that nobody owns."""
    owned = sa.exists().where(
        Membership.organization_id == Organization.id,
        Membership.role == "owner",
        Membership.ends_on.is_(None),
    )
    return found(
        "no_owner",
        sa.select(Organization.id, Organization.name).where(~owned),
        lambda row: f"{row.name} has no owner.",
        lambda _row: {},
    )


def system_accounts() -> Iterator[Violation]:
    """Find organizations that lack an account which the books themselves need."""
    statement = sa.select(Organization.id, Account.role).outerjoin(
        Account, sa.and_(Account.organization_id == Organization.id, Account.role.is_not(None))
    )
    roles: dict[str, set[str | None]] = {}
    for organization_id, role in db.session.execute(statement):
        roles.setdefault(organization_id, set()).add(role)
    for organization_id, existing in roles.items():
        for role in Role:
            if role.value not in existing:
                yield Violation(
                    "system_account_missing",
                    f"The chart has no account for {role.value.replace('_', ' ')}.",
                    organization_id,
                    {"role": role.value},
                )


def archived_accounts() -> Iterable[Violation]:
    """Find accounts that the books themselves post to and that are archived: the hub would count nothing on them."""
    return found(
        "system_account_archived",
        sa.select(Account.organization_id, Account.id, Account.name).where(
            Account.role.is_not(None), Account.is_archived
        ),
        lambda row: f"The system posts to {row.name}, which is archived.",
        lambda row: {"accountId": row.id},
    )


def rates() -> Iterable[Violation]:
    """Find exchange rates that are not above zero."""
    return found(
        "rate_not_positive",
        sa.select(ExchangeRate.organization_id, ExchangeRate.day, ExchangeRate.currency).where(
            sa.cast(ExchangeRate.units_per_base, sa.Float) <= 0
        ),
        lambda row: f"The {row.currency} rate of {row.day} is not above zero.",
        lambda row: {"day": row.day.isoformat(), "currency": row.currency},
    )


def rule_versions() -> Iterable[Violation]:
    """Find rules whose current version is not stored, or differs."""
    differs = [
        sa.cast(getattr(Rule, name), sa.Text).is_distinct_from(sa.cast(getattr(RuleVersion, name), sa.Text))
        for name in RuleContent.FACTS
    ]
    is_kept = sa.and_(
        refers_to(RuleVersion.rule_id, Rule),
        RuleVersion.version == Rule.version,
    )
    return found(
        "rule_version_differs",
        sa.select(Rule.organization_id, Rule.id.label("rule_id"), Rule.version)
        .outerjoin(RuleVersion, is_kept)
        .where(sa.or_(RuleVersion.id.is_(None), *differs)),
        lambda row: f"Rule {row.rule_id} does not match its stored version {row.version}.",
        lambda row: {"ruleId": row.rule_id},
    )


CHECKS = (ownerless, system_accounts, archived_accounts, rates, rule_versions)
