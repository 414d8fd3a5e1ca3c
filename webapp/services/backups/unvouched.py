"""What no check of restored books can vouch for: who gets into them, and what guards them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.ledger.money import Money
from webapp.models import (
    ApiToken,
    Authenticator,
    ClosePolicy,
    Identity,
    Invitation,
    LockException,
    Membership,
    Organization,
    Passkey,
    RecoveryCode,
    User,
    WebhookEndpoint,
)
from webapp.models.base import Numbered
from webapp.services.backups.restores import Restored


def not_vouched_for(session: orm.Session, restored: Restored) -> dict[str, list[str]]:
    """List what an unsigned backup says of people, keys and organizations, in words, by kind.

    No event binds most of it, and nothing tells who else knows a password, a key or a link.
    """
    found = {
        "people and their passwords": _people(session),
        "how they sign in": _ways_in(session),
        "keys": _keys(session),
        "invitations": _invitations(session),
        "organizations": _organizations(session),
        "what guards them": _guards(session),
        "people who may date entries in a locked period": _lock_exceptions(session),
        "addresses that are told of events": _webhooks(session),
        "files that it calls lost": list(restored.manifest["lostFiles"]),
        "drop folders, which are not watched until you choose them again": restored.drop_folders,
    }
    return {kind: facts for kind, facts in found.items() if facts}


def _people(session: orm.Session) -> list[str]:
    people = (
        sa.select(User.email, Membership.role, Organization.name)
        .join(Membership, Membership.user_id == User.id)
        .join(Organization, Organization.id == Membership.organization_id)
        .order_by(User.email, Organization.id)
    )
    return [f"{email}, {role} of {name}" for email, role, name in session.execute(people)]


def _ways_in(session: orm.Session) -> list[str]:
    """Name each person with what signs in as that person, also one who has no second factor any more."""
    unused = (
        sa.select(RecoveryCode.user_id, sa.cast(sa.func.count(), sa.Text).concat(" recovery codes"))
        .where(RecoveryCode.used_at.is_(None))
        .group_by(RecoveryCode.user_id)
    )
    found = (
        sa.select(User.id, sa.literal("a password")).where(User.password_hash.is_not(None)),
        sa.select(Authenticator.user_id, sa.literal("an authenticator app")).where(
            Authenticator.confirmed_at.is_not(None)
        ),
        sa.select(Passkey.user_id, sa.literal("the passkey ").concat(Passkey.name)).order_by(Passkey.id),
        sa.select(Identity.user_id, Identity.issuer).order_by(Identity.issuer, Identity.subject),
        unused,
    )
    ways: dict[int, list[str]] = {}
    for user_id, way in (row for select in found for row in session.execute(select)):
        ways.setdefault(user_id, []).append(way)
    people = session.execute(sa.select(User.id, User.email, User.is_active).order_by(User.email))
    return [
        f"{email}: {', '.join(ways.get(user_id, ['nothing']))}{'' if is_active else ', deactivated'}"
        for user_id, email, is_active in people
    ]


def _keys(session: orm.Session) -> list[str]:
    keys = _of_books(session, ApiToken, ApiToken.name, ApiToken.scopes, where=ApiToken.revoked_at.is_(None))
    return [f"{key} ({' '.join(scopes)}) of {name}" for name, key, scopes in keys]


def _invitations(session: orm.Session) -> list[str]:
    links = _of_books(session, Invitation, Invitation.email, Invitation.role, Invitation.expires_at)
    return [f"{email}, {role} of {name}, until {_minute(until)}" for name, email, role, until in links]


def _lock_exceptions(session: orm.Session) -> list[str]:
    people = sa.select(User.email).where(User.id == LockException.user_id).scalar_subquery()
    exceptions = _of_books(
        session,
        LockException,
        people,
        LockException.starts_on,
        LockException.until,
        where=LockException.ended_at.is_(None),
    )
    return [
        f"{email} in {name}, from {day.isoformat()} on, until {_minute(until)}"
        for name, email, day, until in exceptions
    ]


def _webhooks(session: orm.Session) -> list[str]:
    return [f"{url}, of {name}" for name, url in _of_books(session, WebhookEndpoint, WebhookEndpoint.url)]


def _of_books(session: orm.Session, model: type[Numbered], *columns: Any, where: Any = None) -> Sequence[Any]:
    """Ask for columns of organizations' rows, behind the name of the organization."""
    rows = (
        sa.select(Organization.name, *columns)
        .join(model, model.organization_id == Organization.id)
        .where(sa.true() if where is None else where)
        .order_by(Organization.id, model.id)
    )
    return session.execute(rows).all()


def _organizations(session: orm.Session) -> list[str]:
    return [
        f"{each.name}, {each.base_currency}, "
        f"{f'locked through {each.lock_date.isoformat()}' if each.lock_date else 'not locked'}"
        for each in _all(session)
    ]


def _guards(session: orm.Session) -> list[str]:
    """Say each setting that guards an organization or lets something be done by itself, off or on."""
    policies = {each.organization_id: each for each in session.scalars(sa.select(ClosePolicy))}
    return [
        f"{each.name}: {'; '.join([*_own_guards(each), *_of_closes(policies.get(each.id), each)])}"
        for each in _all(session)
    ]


def _all(session: orm.Session) -> Sequence[Organization]:
    return session.scalars(sa.select(Organization).order_by(Organization.id)).all()


def _own_guards(organization: Organization) -> list[str]:
    since = organization.second_factor_since
    return [
        f"second factors needed since {_minute(since)}" if since else "no second factors needed",
        f"keys {'may' if organization.has_approving_keys else 'do not'} approve",
        f"by itself: {', '.join(organization.automatic).lower() or 'nothing'}",
        f"materiality {Money(organization.materiality_minor, organization.base_currency).formatted}",
    ]


def _of_closes(policy: ClosePolicy | None, organization: Organization) -> list[str]:
    if policy is None:
        return ["closes need one person and no documents"]
    amounts = {
        "documents of expenses": policy.expenses_from_minor,
        "documents of entries by hand": policy.manual_from_minor,
        "sentences about changes": policy.flux_amount_minor,
    }
    return [
        f"closes need {'two persons' if policy.needs_two else 'one person'}",
        f"{'owners and accountants' if policy.lets_accountants else 'owners'} approve them",
        *(f"{what} {_from(minor, organization)}" for what, minor in amounts.items()),
        f"if these are at least {policy.flux_percent or 0} %",
        f"accounts without documents: {_ids(policy.exempt_account_ids)}",
        f"merchants without documents: {_ids(policy.exempt_merchant_ids)}",
    ]


def _from(minor: int | None, organization: Organization) -> str:
    return "not asked" if minor is None else f"from {Money(minor, organization.base_currency).formatted} on"


def _ids(ids: list[int]) -> str:
    return ", ".join(map(str, ids)) or "none"


def _minute(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
