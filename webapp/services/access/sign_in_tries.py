"""Tries to sign in: each is counted before its password is checked, in a window that slides with the clock.

Strangers and the browsers that a person has signed in with before are counted apart, so that nobody keeps a person out
by guessing. Together they are no more than ten tries of one account in any minute.
"""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db, insert_unless, own_transaction
from webapp.ledger.errors import LedgerError
from webapp.models import SignInCounter
from webapp.models.base import table_of
from webapp.queries.access.principals import digest_of
from webapp.services.access.visitors import Visitor, is_familiar

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
MOST_PER_ACCOUNT, MOST_PER_FAMILIAR_ACCOUNT = 7, 3
MOST_PER_NETWORK, MOST_PER_BROWSER = 20, 20
MOST_SWEPT = 1000
# The bits of an IPv6 address that one line is given whole.
IPV6_SITE = 64


class TooManySignInsError(LedgerError):
    """Too many tries. Wait a little before the next one."""

    status = 429
    code = "too_many_requests"


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many tries a span of time holds, whenever it begins; `key` names whose they are."""

    key: str
    most: int
    span: timedelta


def count(account: str, visitor: Visitor, now: datetime) -> Sequence[Allowance]:
    """Count a try and give the allowances that it is in; at once, so that simultaneous guesses cannot exceed them.

    A familiar browser has allowances of its own, and after those the ones of strangers. A refused try is not counted,
    as its password is not checked. Raises TooManySignInsError.
    """
    with own_transaction() as session:
        if is_familiar(session, visitor, account, now):
            own = familiar_allowances(account, visitor)
            if not _wait(session, own, now):
                return own
        allowances = strangers_allowances(account, visitor)
        wait = _wait(session, allowances, now)
        if wait:
            seconds = int(wait.total_seconds()) + 1
            raise TooManySignInsError(
                f"Too many tries. Wait {seconds} seconds.", details={"retryAfter": seconds}
            )
        return allowances


def familiar_allowances(account: str, visitor: Visitor) -> Sequence[Allowance]:
    """Give the allowances of a browser that has signed in to this account before."""
    return (
        Allowance(_key("browser", visitor.browser), MOST_PER_BROWSER, HOUR),
        Allowance(_key("familiar", account), MOST_PER_FAMILIAR_ACCOUNT, MINUTE),
    )


def strangers_allowances(account: str, visitor: Visitor) -> Sequence[Allowance]:
    """Give the allowances of strangers: one of the account, one of the network."""
    return (
        Allowance(_key("account", account), MOST_PER_ACCOUNT, MINUTE),
        Allowance(_key("network", network_of(visitor.address)), MOST_PER_NETWORK, HOUR),
    )


def _key(kind: str, text: str) -> str:
    return f"{kind}:{digest_of(text)}"


def _wait(session: orm.Session, allowances: Sequence[Allowance], now: datetime) -> timedelta:
    """Count a try in all allowances, or in none and give how long the fullest of them takes until it has room."""
    counted = {each.key: _recent(session, each, now) for each in allowances}
    waits = [
        min(counted[each.key]) + each.span - now for each in allowances if len(counted[each.key]) >= each.most
    ]
    if waits:
        return max(waits)
    for key, tries in counted.items():
        _store(session, key, [*tries, now])
    return timedelta()


def _recent(session: orm.Session, allowance: Allowance, now: datetime) -> list[datetime]:
    """Give the tries of an allowance within its span, with its row locked.

    All tries lock rows in the order of `count`, so that no two wait for each other.
    """
    locked = (
        insert_unless(table_of(SignInCounter))
        .values(key=allowance.key, tried_at=[], last_try_at=now)
        .on_conflict_do_update(index_elements=[SignInCounter.key], set_={"last_try_at": now})
        .returning(SignInCounter.tried_at)
    )
    tried_at = map(datetime.fromisoformat, session.execute(locked).scalar_one())
    return [each for each in tried_at if each > now - allowance.span]


def _store(session: orm.Session, key: str, tries: Sequence[datetime]) -> None:
    session.execute(
        sa.update(SignInCounter)
        .where(SignInCounter.key == key)
        .values(tried_at=[each.isoformat() for each in tries])
    )


def take_back(allowances: Sequence[Allowance], now: datetime) -> None:
    """Take back the try of somebody who knew the password, and sweep counters whose last try is long over."""
    for allowance in allowances:
        tries = _recent(db.session(), allowance, now)
        if now in tries:
            tries.remove(now)
        _store(db.session(), allowance.key, tries)
    over = (
        sa.select(SignInCounter.key)
        .where(SignInCounter.last_try_at <= now - HOUR)
        .order_by(SignInCounter.key)
        .limit(MOST_SWEPT)
        # A counter that somebody is counting at is left to the next sweep, so that nobody waits for another.
        .with_for_update(skip_locked=True)
    )
    db.session.execute(sa.delete(SignInCounter).where(SignInCounter.key.in_(over)))


def network_of(address: str) -> str:
    """Give whose address this is: an IPv4 address itself, and of IPv6 the /64 that one line is given whole.

    >>> network_of("2001:db8:1:2:3:4:5:6"), network_of("2001:db8:1:2::9"), network_of("::ffff:192.0.2.7")
    ('2001:db8:1:2::/64', '2001:db8:1:2::/64', '192.0.2.7')
    >>> network_of("192.0.2.7"), network_of("fe80::1%eth0"), network_of("")
    ('192.0.2.7', 'fe80::/64', '')
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((int(found), IPV6_SITE), strict=False))
