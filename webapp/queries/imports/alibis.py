"""What may be behind a balance that the lines do not explain: the smallest things that would, each alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.codes import IN_BOOKS
from webapp.ledger.money import Money
from webapp.ledger.proofs.alibis import Disagreement, first_disagreement
from webapp.ledger.proofs.covered_months import Stated
from webapp.models import FeedAccount, LineJoin, Transaction, refers_to

# A pending line, and a fee that another account bore, may be of another day.
# A pending line that became a booked one is no second line.
DOUBTFUL: Final = ("TWIN", "REISSUED", "PERSON")
AROUND: Final = timedelta(days=7)
MOST: Final = 5


@dataclass(frozen=True, slots=True)
class Suspect:
    """One thing that alone explains the difference; what is missing altogether has no line.

    `shown_with` is the line that lists show: of a joined line the one that was kept, of a removed one none.
    """

    kind: str
    sentence: str
    transaction_id: int | None = None
    fa_id: int | None = None
    day: date | None = None
    shown_with: int | None = None


@dataclass(frozen=True, slots=True)
class AlibiRecord:
    """The first day whose balance the lines do not explain, since which day, by how much, and what explains it."""

    after: date
    day: date
    amount: Money
    sentence: str
    suspects: list[Suspect]


def of_account(
    feed_account: FeedAccount, stated: Sequence[Stated], moved: Mapping[date, int]
) -> AlibiRecord | None:
    """Name the first balance that is not explained, None where all are; `moved` is of booked lines."""
    found = first_disagreement(stated, moved)
    if found is None:
        return None
    first, last = f"{found.after:%-d %b}", f"{found.day:%-d %b %Y}"
    size = Money(abs(found.amount.minor), found.amount.currency).formatted
    sentence = f"{size} is too much between {first} and {last}."
    if found.amount.minor > 0:
        sentence = f"{size} is missing between {first} and {last}."
    return AlibiRecord(found.after, found.day, found.amount, sentence, list(_suspects(feed_account, found)))


def _suspects(feed_account: FeedAccount, found: Disagreement) -> Iterator[Suspect]:
    if found.is_brief:
        yield Suspect(
            "BALANCE", "The next balance is explained again: the bank may have stated this one wrongly."
        )
    minor, first = found.amount.minor, found.after + timedelta(days=1)
    for kind, lines in (
        ("PENDING", _pending(feed_account, found, minor)),
        ("JOINED", _joined(feed_account, first, found.day, minor)),
        ("REMOVED", _gone(feed_account, first, found.day, minor)),
        ("DOUBLED", _doubled(feed_account, first, found.day, -minor)),
        ("ELSEWHERE", _elsewhere(feed_account, found, minor)),
    ):
        for line in db.session.scalars(lines.order_by(Transaction.booked_on, Transaction.id).limit(MOST)):
            shown_with = _kept(line) if kind == "JOINED" else None if kind == "REMOVED" else line.id
            sentence = _sentence(kind, line.label)
            yield Suspect(kind, sentence, line.id, line.feed_account_id, line.booked_on, shown_with)
    size = found.amount.formatted
    yield Suspect(
        "MISSING", f"A line of exactly {size} that the bank did not send, or one that is off by that."
    )


def _sentence(kind: str, label: str) -> str:
    return {
        "PENDING": f"Pending: {label}",
        "JOINED": f"Joined to another line as the same: {label}",
        "REMOVED": f"Taken out of the books: {label}",
        "DOUBLED": f"There twice: {label}",
        "ELSEWHERE": f"On another account: {label}",
    }[kind]


def _of(feed_account: FeedAccount, first: date, last: date, minor: int) -> sa.Select[Any]:
    return sa.select(Transaction).where(
        refers_to(Transaction.feed_account_id, feed_account),
        Transaction.booked_on.between(first, last),
        Transaction.amount_minor == minor,
    )


def _pending(feed_account: FeedAccount, found: Disagreement, minor: int) -> sa.Select[Any]:
    around = _of(feed_account, found.after - AROUND, found.day + AROUND, minor)
    return around.where(Transaction.status == "PENDING")


def _joined(feed_account: FeedAccount, first: date, last: date, minor: int) -> sa.Select[Any]:
    is_doubtful = LineJoin.status == "JOINED", LineJoin.tier.in_(DOUBTFUL)
    joined = sa.exists().where(refers_to(LineJoin.joined_id, Transaction), *is_doubtful)
    return _of(feed_account, first, last, minor).where(joined)


def _kept(joined: Transaction) -> int | None:
    return db.session.scalar(
        sa.select(LineJoin.kept_id).where(refers_to(LineJoin.joined_id, joined), LineJoin.status == "JOINED")
    )


def _gone(feed_account: FeedAccount, first: date, last: date, minor: int) -> sa.Select[Any]:
    return _of(feed_account, first, last, minor).where(
        Transaction.status.in_(("REMOVED", "DELETED")),
        ~sa.exists().where(refers_to(LineJoin.joined_id, Transaction), LineJoin.status == "JOINED"),
    )


def _doubled(feed_account: FeedAccount, first: date, last: date, minor: int) -> sa.Select[Any]:
    return _of(feed_account, first, last, minor).where(Transaction.status.in_(IN_BOOKS))


def _elsewhere(feed_account: FeedAccount, found: Disagreement, minor: int) -> sa.Select[Any]:
    return sa.select(Transaction).where(
        Transaction.organization_id == feed_account.organization_id,
        Transaction.feed_account_id != feed_account.id,
        Transaction.currency == feed_account.currency,
        Transaction.booked_on.between(found.after, found.day),
        Transaction.amount_minor == minor,
        Transaction.status.in_(IN_BOOKS),
    )
