"""Queries on connections to providers of bank lines: what each shows, and which of their accounts are stale."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Final, NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import BankConnection, ConnectedAccount, Job, LineDaySum, refers_to
from webapp.queries.common import lookups
from webapp.queries.common.made_once import made_once
from webapp.queries.common.records import record_of

SYNC: Final = "SYNC"
# Of these a person gives the consent at the bank.
BY_CONSENT: Final = frozenset({"enablebanking"})
# Banks book nothing at weekends and on holidays; what is older than that is no news.
STALE: Final = timedelta(days=4)
CONSENT_WARNED: Final = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class ConnectionFault:
    """What went wrong last."""

    code: str
    sentence: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ConnectedAccountRecord:
    """An account of a connection; `takes_over` is the one that it seems to be under another id, if any."""

    external_id: str
    name: str
    currency: str
    iban: str | None
    mask: str | None
    fa_id: int | None
    is_left: bool
    is_gone: bool
    fetch_from: date | None
    last_booked_on: date | None
    balance_at: datetime | None
    is_stale: bool
    error: str | None
    takes_over: str | None


@dataclass(frozen=True, slots=True)
class BankConnectionRecord:
    """A connection with its accounts, and when it is asked next."""

    id: int
    provider: str
    name: str
    status: str
    consent_ends_at: datetime | None
    last_succeeded_at: datetime | None
    last_error: ConnectionFault | None
    next_run_at: datetime | None
    is_running: bool
    accounts: list[ConnectedAccountRecord]


class ConnectionTrouble(NamedTuple):
    """A connection, or an account of one for STALE, of which people should know; `at` is when it was well last.

    `renews` is the connection where a consent at the bank mends it.
    """

    kind: str
    name: str
    at: datetime | None
    sentence: str | None
    renews: int | None = None


def get(organization_id: str, connection_id: int) -> BankConnection:
    """Find a connection, or raise NotFoundError."""
    return lookups.get(BankConnection, organization_id, connection_id)


def accounts_of(connection: BankConnection) -> Sequence[ConnectedAccount]:
    """List the accounts of a connection in the order in which they came."""
    of = connection.organization_id
    return db.session.scalars(
        sa.select(ConnectedAccount)
        .where(ConnectedAccount.organization_id == of, ConnectedAccount.connection_id == connection.id)
        .order_by(ConnectedAccount.id)
    ).all()


def record(connection: BankConnection, now: datetime) -> BankConnectionRecord:
    """Give the record of one connection."""
    return next(each for each in listed(connection.organization_id, now) if each.id == connection.id)


def listed(organization_id: str, now: datetime) -> list[BankConnectionRecord]:
    """List the connections, newest first."""
    connections = db.session.scalars(
        sa.select(BankConnection)
        .where(BankConnection.organization_id == organization_id)
        .order_by(BankConnection.id.desc())
    ).all()
    accounts: dict[int, list[tuple[ConnectedAccount, bool]]] = defaultdict(list)
    for each, stale in db.session.execute(
        sa.select(ConnectedAccount, _is_stale(now - STALE))
        .join(BankConnection, refers_to(ConnectedAccount.connection_id, BankConnection))
        .where(ConnectedAccount.organization_id == organization_id)
        .order_by(ConnectedAccount.id)
    ):
        accounts[each.connection_id].append((each, stale))
    lines, jobs = _last_days(organization_id), _jobs(organization_id)
    return [_record(each, accounts[each.id], lines, jobs.get(str(each.id), {})) for each in connections]


def troubles(organization_id: str, now: datetime) -> Iterator[ConnectionTrouble]:
    """List what people should know: connections that fail or need them, consents that end, accounts without news."""
    found = db.session.execute(*_in_trouble(organization_id, now + CONSENT_WARNED, now - STALE))
    for each, rows in groupby(found, key=lambda row: row[0]):
        renews, ends = each.id if each.provider in BY_CONSENT else None, each.consent_ends_at
        if each.status == "NEEDS_CONSENT":
            yield ConnectionTrouble(each.status, each.name, each.last_succeeded_at, each.error, renews)
        elif each.status == "FAILING":
            yield ConnectionTrouble(each.status, each.name, each.last_succeeded_at, each.error)
        elif each.status == "ACTIVE" and ends and ends <= now + CONSENT_WARNED:
            yield ConnectionTrouble("ENDS", each.name, ends, None, renews)
        for _, account in rows:
            if account is not None:
                yield ConnectionTrouble("STALE", account.name, account.balance_at, account.error)


@made_once
def _in_trouble(
    organization_id: str, warned: datetime, stale: datetime
) -> sa.Select[BankConnection, ConnectedAccount]:
    ending = (BankConnection.status == "ACTIVE") & (BankConnection.consent_ends_at <= warned)
    # Accounts with news are not read: where all is well, there is no row.
    is_of = sa.and_(refers_to(ConnectedAccount.connection_id, BankConnection), _is_stale(stale))
    return (
        sa.select(BankConnection, ConnectedAccount)
        .outerjoin(ConnectedAccount, is_of)
        .where(
            BankConnection.organization_id == organization_id,
            BankConnection.status.in_(("NEEDS_CONSENT", "FAILING"))
            | ending
            | ConnectedAccount.id.is_not(None),
        )
        .order_by(BankConnection.id.desc(), ConnectedAccount.id)
    )


def _last_days(organization_id: str) -> dict[int, date]:
    rows = db.session.execute(
        sa.select(LineDaySum.feed_account_id, sa.func.max(LineDaySum.day))
        .where(
            LineDaySum.organization_id == organization_id,
            LineDaySum.feed_account_id.in_(
                sa.select(ConnectedAccount.feed_account_id).where(
                    ConnectedAccount.organization_id == organization_id,
                    ConnectedAccount.feed_account_id.is_not(None),
                )
            ),
        )
        .group_by(LineDaySum.feed_account_id)
    )
    return {row.feed_account_id: row[1] for row in rows}


def _jobs(organization_id: str) -> dict[str, dict[str, datetime]]:
    """Give when the open jobs of each connection run, by their states."""
    found: dict[str, dict[str, datetime]] = defaultdict(dict)
    open_jobs = sa.select(Job.subject, Job.state, Job.run_at).where(
        Job.organization_id == organization_id, Job.kind == SYNC, Job.state.in_(("WAITING", "RUNNING"))
    )
    for subject, state, at in db.session.execute(open_jobs.order_by(Job.run_at.desc())):
        found[subject][state] = at
    return found


def _record(
    connection: BankConnection,
    accounts: Sequence[tuple[ConnectedAccount, bool]],
    lines: dict[int, date],
    jobs: dict[str, datetime],
) -> BankConnectionRecord:
    error = connection.error
    shown = [each for each, _ in accounts]
    return record_of(
        BankConnectionRecord,
        connection,
        last_error=None
        if error is None or connection.error_at is None
        else ConnectionFault(connection.error_code or "", error, connection.error_at),
        next_run_at=jobs.get("WAITING"),
        is_running="RUNNING" in jobs,
        accounts=[
            record_of(
                ConnectedAccountRecord,
                each,
                fa_id=each.feed_account_id,
                last_booked_on=lines.get(each.feed_account_id or 0),
                is_stale=stale,
                takes_over=_earlier(each, shown),
            )
            for each, stale in accounts
        ],
    )


def _is_stale(before: datetime) -> sa.ColumnElement[bool]:
    """Tell whether the bank says nothing new of an attached account since an instant, however well it answers."""
    # What its bank refuses is not known to be so, though other banks answered.
    answered = sa.case((ConnectedAccount.error.is_(None), BankConnection.last_succeeded_at))
    known = sa.func.coalesce(ConnectedAccount.balance_at, answered, BankConnection.created_at)
    return sa.and_(
        ConnectedAccount.feed_account_id.is_not(None),
        BankConnection.status.not_in(("PAUSED", "ENDED")),
        ConnectedAccount.is_gone | (known < before),
    )


def _earlier(account: ConnectedAccount, others: Sequence[ConnectedAccount]) -> str | None:
    """Find the account of the same name, currency and number that the provider shows no more."""
    if account.feed_account_id is not None or account.is_gone:
        return None
    same = (account.name, account.currency, account.mask)
    return next(
        (
            each.external_id
            for each in others
            if each.is_gone and each.feed_account_id and (each.name, each.currency, each.mask) == same
        ),
        None,
    )
