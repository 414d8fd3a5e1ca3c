"""Organizations, created with a chart of accounts, and their members."""

import secrets
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import available_timezones

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.database.tenancy import see
from webapp.ledger.chart import DEFAULT, ChartAccount, chart_of
from webapp.ledger.currencies import canonical
from webapp.ledger.errors import LedgerError, NotFoundError, UnprocessableError
from webapp.ledger.money import money_at
from webapp.ledger.notation.locales import DEFAULT_LOCALE
from webapp.models import Account, ApiToken, BrowserSession, Membership, Organization, User
from webapp.queries.access import organizations as queried
from webapp.services.access import users
from webapp.services.audit import proposals
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.field_changes import change, jsonable, payload

ID_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


class LastOwnerError(LedgerError):
    """An organization needs at least one owner whose membership has no end; make somebody else owner first."""

    code = "last_owner"


class WriteOffLimitError(UnprocessableError):
    """The limit of a write-off is an amount from 0.00 on; with nothing no payment writes anything off."""

    code = "write_off_limit"


class TimeZoneError(UnprocessableError):
    """There is no such time zone; write one like Europe/Berlin."""

    code = "time_zone"


class OwnNameError(UnprocessableError):
    """Write your name."""

    code = "own_name"


def create(
    name: str,
    base_currency: str,
    owner: User,
    *,
    actor_kind: str = "COMMAND",
    now: datetime,
    is_demo: bool = False,
    locale: str = DEFAULT_LOCALE,
    time_zone: str | None = None,
    chart: str = DEFAULT,
) -> Organization:
    """Open an organization's books: a chart of accounts, and its first owner; raises TimeZoneError."""
    require_zone(time_zone or "UTC")
    organization = Organization(
        id="org_" + "".join(secrets.choice(ID_LETTERS) for _ in range(20)),
        name=name,
        base_currency=canonical(base_currency),
        time_zone=time_zone or "UTC",
        locale=locale,
        is_demo=is_demo,
        created_at=now,
    )
    see(db.session.connection(), organization.id)
    db.session.add(organization)
    db.session.flush()
    is_person = actor_kind == "PERSON"
    actor = Actor(
        organization.id,
        actor_kind,
        owner.id if is_person else None,
        owner.name if is_person else "tieout",
        owner.id,
    )
    with act(actor, now, "create_organization", ("organization", organization.id), title=f"Opened {name}"):
        db.session.add(
            Membership(organization_id=organization.id, user_id=owner.id, role="owner", created_at=now)
        )
        db.session.add_all(account_of(organization, proposed, now) for proposed in chart_of(chart))
        db.session.flush()
    return organization


def require_zone(time_zone: str) -> None:
    """Refuse a time zone that there is not."""
    if time_zone not in available_timezones():
        raise TimeZoneError(fields={"timeZone": ["There is no such zone; write one like Europe/Berlin."]})


def account_of(organization: Organization, proposed: ChartAccount, now: datetime) -> Account:
    """Make an account as its chart proposes it."""
    return Account(
        organization_id=organization.id,
        code=proposed.code,
        name=proposed.name,
        type=proposed.type.value,
        emoji=proposed.emoji,
        currency=organization.base_currency if proposed.is_in_base else None,
        role=proposed.role.value if proposed.role else None,
        group=proposed.group,
        is_watched=proposed.is_watched,
        is_revalued=proposed.is_money,
        keeps_items=proposed.keeps_items,
        created_at=now,
    )


def open_own(
    user_id: int,
    *,
    name: str,
    base_currency: str,
    locale: str,
    now: datetime,
    time_zone: str | None = None,
    chart: str = DEFAULT,
    own_name: str | None = None,
    email: str | None = None,
) -> Organization:
    """Open books of their own for somebody who is signed in.

    The person of a demo gets a name and an address first; anybody else keeps theirs. Raises OwnNameError, EmailError
    or EmailTakenError.
    """
    owner = db.session.get_one(User, user_id)
    if is_of_demo(user_id):
        if own_name is None:
            raise OwnNameError(fields={"ownName": ["Write your name."]})
        owner.name, owner.email = own_name, users.free_address(owner, email or "")
        db.session.flush()
    return create(
        name,
        base_currency,
        owner,
        actor_kind="PERSON",
        locale=locale,
        now=now,
        time_zone=time_zone,
        chart=chart,
    )


def is_of_demo(user_id: int) -> bool:
    """Return whether a person only belongs to a demo, whose name and address are invented."""
    return all(each.is_demo for each in queried.of_user(user_id))


def update(
    organization: Organization,
    *,
    name: str,
    time_zone: str,
    locale: str | None = None,
    vat_ids: Sequence[str] | None = None,
    write_off_limit: Decimal | None = None,
    has_approving_keys: bool | None = None,
    needs_second_factor: bool | None = None,
    actor: Actor,
    now: datetime,
) -> Organization:
    """Change an organization: its time zone decides which day is today, and its VAT ids which invoices are its own.

    One payment writes off no more than `write_off_limit`, in the base currency. Without `has_approving_keys` those that
    there are stop at once. Members without a second factor have a week from when it is needed. What is None stays.
    Documents that were filed before keep what they are.
    """
    fields: dict[str, Any] = {"name": name, "time_zone": time_zone, "locale": locale or organization.locale}
    fields |= {"vat_ids": organization.vat_ids if vat_ids is None else [*vat_ids]}
    if has_approving_keys is not None:
        fields["has_approving_keys"] = has_approving_keys
    if needs_second_factor is not None:
        since = organization.second_factor_since or now
        fields["second_factor_since"] = since if needs_second_factor else None
    if write_off_limit is not None:
        limit = money_at(write_off_limit, organization.base_currency, "writeOffLimit").minor
        if limit < 0:
            raise WriteOffLimitError(fields={"writeOffLimit": [str(WriteOffLimitError.__doc__)]})
        fields["write_off_limit_minor"] = limit
    target = ("organization", organization.id)
    title = f"Changed {organization.name}"
    with act(
        actor, now, "update_organization", target, title=title, payload=payload(fields, Organization)
    ) as doing:
        require_zone(time_zone)
        change(organization, fields, doing)
    return organization


def change_role(organization_id: str, user_id: int, role: str, *, actor: Actor, now: datetime) -> Membership:
    """Change the role of a member; the last owner stays one."""
    membership = _membership(organization_id, user_id)
    with act(actor, now, "change_role", ("member", user_id), payload={"role": role}) as doing:
        doing.title = f"Changed the role of {membership.user.name} to {role}"
        doing.before, doing.after = {"role": membership.role}, {"role": role}
        if membership.role == "owner" and role != "owner":
            _keep_an_owner(organization_id, user_id)
        membership.role = role
        db.session.flush()
        _end_sessions(organization_id, user_id)
    return membership


def end_membership(
    organization_id: str, user_id: int, ends_on: date | None, *, actor: Actor, now: datetime
) -> Membership:
    """Let a membership end with a day, or go on; after it sessions and keys of the person are refused here."""
    membership = _membership(organization_id, user_id)
    before, after = (jsonable({"endsOn": each}) for each in (membership.ends_on, ends_on))
    with act(actor, now, "end_membership", ("member", user_id), payload=after) as doing:
        name = membership.user.name
        doing.title = (
            f"Let the membership of {name} go on"
            if ends_on is None
            else f"Ended the membership of {name} with {ends_on:%-d %b %Y}"
        )
        if membership.ends_on == ends_on:
            doing.nothing_to_do()
            return membership
        if membership.role == "owner" and ends_on is not None:
            _keep_an_owner(organization_id, user_id)
        membership.ends_on = ends_on
        db.session.flush()
        doing.before, doing.after = before, after
    return membership


def remove_member(organization_id: str, user_id: int, *, actor: Actor, now: datetime) -> None:
    """Remove a member: their sessions and tokens in this organization end at once."""
    membership = _membership(organization_id, user_id)
    with act(
        actor, now, "remove_member", ("member", user_id), title=f"Removed {membership.user.name}"
    ) as doing:
        doing.before = {"role": membership.role}
        _keep_an_owner(organization_id, user_id)
        _end_sessions(organization_id, user_id)
        proposals.end_of_member(organization_id, user_id, now=now)
        db.session.execute(
            sa.update(ApiToken)
            .where(
                ApiToken.organization_id == organization_id,
                ApiToken.user_id == user_id,
                ApiToken.revoked_at.is_(None),
            )
            .values(revoked_at=now)
        )
        db.session.delete(membership)
        db.session.flush()


def bind_rows(*, actor: Actor, now: datetime) -> None:
    """Let the audit trail bind what no act wrote: the rows that a migration found, or wrote itself."""
    title = "Bound the rows of the books"
    with act(actor, now, "bind_rows", ("organization", actor.organization_id), title=title):
        pass


def _membership(organization_id: str, user_id: int) -> Membership:
    membership = db.session.get(Membership, (organization_id, user_id))
    if membership is None:
        raise NotFoundError
    return membership


def _keep_an_owner(organization_id: str, without_user_id: int) -> None:
    others = sa.select(sa.func.count()).where(
        Membership.organization_id == organization_id,
        Membership.role == "owner",
        Membership.ends_on.is_(None),
        Membership.user_id != without_user_id,
    )
    if not db.session.scalar(others):
        raise LastOwnerError


def _end_sessions(organization_id: str, user_id: int) -> None:
    db.session.execute(
        sa.delete(BrowserSession).where(
            BrowserSession.organization_id == organization_id, BrowserSession.user_id == user_id
        )
    )
