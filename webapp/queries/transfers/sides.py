"""Bank lines that may be sides of transfers: the open ones, or those near some lines, at the rates of their days."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from typing import Any

import sqlalchemy as sa

from webapp.database.functions import is_among
from webapp.database.sessions import db, joined_by_keys
from webapp.ledger import rates
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.journal.transfer_fits import fee_bounds
from webapp.ledger.journal.transfer_sides import MOST_DAYS, TransferSide
from webapp.ledger.rates import Mirroring
from webapp.models import FeedAccount, JournalEntry, Transaction, refers_to
from webapp.models.base import BigId
from webapp.queries.access import organizations
from webapp.queries.common import feed_currencies
from webapp.queries.common.feed_currencies import Feed
from webapp.queries.common.made_once import made_once
from webapp.queries.currencies import rate_tables
from webapp.queries.matching import transfer_pairs
from webapp.queries.transfers import open_items

# Of lines among more open ones than these only the equal amounts are read, and none where even these are more: a page
# shows them beside its lines, while the list of all transfers goes through all.
MOST_NEAR = 1_000
# A transfer is between two accounts, an exchange between two currencies.
BETWEEN = 2
# A rival of a line's other side may be as far away from that one again; of a transfer with a fee also the line of equal
# amount that the rival fits, which makes it none.
WINDOW, FEE_WINDOW = timedelta(days=2 * MOST_DAYS), timedelta(days=3 * MOST_DAYS)


def open_lines(organization_id: str) -> list[TransferSide]:
    """Read the open lines that are in no pair; of a single account none may be a transfer."""
    if len(feed_currencies.of_books(organization_id)) < BETWEEN:
        return []
    with joined_by_keys():
        found = db.session.execute(*_open_lines(organization_id)).all()
    return _sides(organization_id, found)


@made_once
def _open_lines(organization_id: str) -> sa.Select[Any]:
    # From what is open to its lines, few among all lines: no index answers a condition of one or the other.
    items = open_items.items_subquery(organization_id)
    drafts = sa.select(JournalEntry.id).where(
        JournalEntry.organization_id == organization_id,
        JournalEntry.status == "DRAFT",
        JournalEntry.corrects_id.is_(None),
    )
    entries = sa.union_all(drafts, sa.select(items.c.root_id)).scalar_subquery()
    return _booked(organization_id).where(is_among(Transaction.journal_entry_id, entries))


def near(
    organization_id: str, feeds: Mapping[int | None, Feed], lines: Sequence[Any], *, is_open: bool
) -> list[TransferSide]:
    """Read the lines, or the open ones, that may be the other side of lines, or rivals of that, unless too many."""
    sizes = {abs(line.amount.minor) for line in lines}
    ranges = _ranges(sizes)
    ranges += [(-most, -least) for least, most in ranges]
    for is_of_size in (False, True):
        found = _read(organization_id, feeds, lines, ranges, is_open=is_open, is_of_size=is_of_size)
        if len(found) <= MOST_NEAR:
            return _sides(organization_id, found)
    return []


def fitting(organization_id: str, feeds: Mapping[int | None, Feed], line: Any) -> list[TransferSide]:
    """Read one line in books of one currency, and the open lines that may be its other side, without rivals."""
    minor = line.amount.minor
    least, most = fee_bounds(abs(minor))
    opposite = (least, most) if minor < 0 else (-most, -least)
    window = timedelta(days=MOST_DAYS)
    found = _read(organization_id, feeds, [line], [opposite], is_open=True, window=window)
    return _sides(organization_id, found)


def _read(
    organization_id: str,
    feeds: Mapping[int | None, Feed],
    lines: Sequence[Any],
    ranges: Sequence[tuple[int, int]],
    *,
    is_open: bool,
    is_of_size: bool = False,
    window: timedelta = FEE_WINDOW,
) -> Sequence[Any]:
    """Read lines with amounts in some ranges on days near those of lines."""
    days, sizes = [line.booked_on for line in lines], {abs(line.amount.minor) for line in lines}
    first, last = min(days), max(days)
    values: dict[str, Any] = {
        "organization_id": organization_id,
        "amounts": [*sizes, *(-size for size in sizes)],
        "first": first - WINDOW,
        "last": last + WINDOW,
        "first_with_fee": first - window,
        "last_with_fee": last + window,
        **{f"least_{n}": least for n, (least, _) in enumerate(ranges)},
        **{f"most_{n}": most for n, (_, most) in enumerate(ranges)},
    }
    has_others = not is_of_one_currency(feeds)
    is_alone = len(lines) == 1 and not has_others
    if is_alone:
        values["line_id"] = lines[0].id
        values |= {f"day_{n}": first - window + timedelta(days=n) for n in range(2 * window.days + 1)}
    around = window if is_alone else None
    statement = _near(
        len(ranges), is_open=is_open, has_others=has_others, is_of_size=is_of_size, around=around
    )
    return db.session.execute(statement, values).all()


def is_of_one_currency(feeds: Mapping[int | None, Feed]) -> bool:
    """Return whether all feed accounts have one currency."""
    return len({each.currency for each in feeds.values()}) == 1


@cache
def _near(
    ranges: int, *, is_open: bool, has_others: bool, is_of_size: bool, around: timedelta | None
) -> sa.Select[Any]:
    """Select lines of some feed accounts that may be the other side of lines, or rivals of that; made once each.

    `ranges` is the number of ranges of amounts, and `has_others` whether there are several currencies. `around` is the
    time before and after one line, which is among them; its days are listed.
    """
    line, of = Transaction, sa.bindparam
    unpaired, _ = (_unpaired_and_open if is_open else _unpaired)("")
    fits = [line.amount_minor.between(of(f"least_{n}"), of(f"most_{n}")) for n in range(ranges)]
    near = sa.and_(line.booked_on.between(of("first_with_fee"), of("last_with_fee")), sa.or_(*fits))
    if has_others:
        # What an amount is in the base currency stands in no column.
        near = sa.or_(near, line.booked_on.between(of("first"), of("last")))
    if around is not None:
        # An index leads to a day and a range of amounts: few steps beside all lines of these days.
        own = sa.select(of("line_id", type_=BigId))
        found = unpaired.where(line.id.in_(sa.union_all(own, *(_of_days(around, fit) for fit in fits))))
    else:
        found = unpaired.where(_is_of_feeds(), near)
    return (found.where(line.amount_minor.in_(of("amounts"))) if is_of_size else found).limit(MOST_NEAR + 1)


def _of_days(around: timedelta, fits: sa.ColumnElement[bool]) -> sa.Select[int]:
    """Select the booked lines of listed days with an amount that fits."""
    days = [sa.bindparam(f"day_{n}", type_=sa.Date) for n in range(2 * around.days + 1)]
    return sa.select(Transaction.id).where(
        Transaction.organization_id == sa.bindparam("organization_id"),
        _is_of_feeds(),
        Transaction.status == "BOOKED",
        Transaction.booked_on.in_(days),
        fits,
    )


def _is_of_feeds() -> sa.ColumnElement[bool]:
    # The index of lines by day begins with the account.
    of_feeds = sa.select(FeedAccount.id).where(FeedAccount.organization_id == sa.bindparam("organization_id"))
    return Transaction.feed_account_id.in_(of_feeds)


def _ranges(sizes: Iterable[int]) -> list[tuple[int, int]]:
    """Give what may have been sent or have arrived of some amounts, less a fee or without one, as few ranges.

    >>> _ranges([10000, 10100, 50])
    [(48, 52), (9500, 10631)]
    """
    merged: list[tuple[int, int]] = []
    for least, most in map(fee_bounds, sorted(sizes)):
        if merged and least <= merged[-1][1]:
            merged[-1] = merged[-1][0], most
        else:
            merged.append((least, most))
    return merged


@made_once
def _unpaired_and_open(organization_id: str) -> sa.Select[Any]:
    """Select those of which the entry is a draft, or an open item of a watched account."""
    items = open_items.items_subquery(organization_id)
    has_draft = (
        sa.exists()
        .where(
            refers_to(Transaction.journal_entry_id, JournalEntry),
            JournalEntry.status == "DRAFT",
            JournalEntry.corrects_id.is_(None),
        )
        .correlate(Transaction)
    )
    is_item = Transaction.journal_entry_id.in_(sa.select(items.c.root_id))
    return _booked(organization_id).where(sa.or_(has_draft, is_item))


@made_once
def _unpaired(organization_id: str) -> sa.Select[Any]:
    return _booked(organization_id)


def _booked(organization_id: str) -> sa.Select[Any]:
    """Select the booked lines that are in no pair."""
    line = Transaction
    columns: list[Any] = [line.id, line.feed_account_id, line.booked_on, line.amount_minor, line.currency]
    return sa.select(*columns, line.description, line.counterparty, line.reference, line.iban).where(
        line.organization_id == organization_id,
        line.status == "BOOKED",
        line.journal_entry_id.is_not(None),
        sa.not_(transfer_pairs.is_paired(line)),
    )


def _sides(organization_id: str, rows: Sequence[Any]) -> list[TransferSide]:
    mirrored = _mirrored(organization_id, [row[2:5] for row in rows])
    return [
        TransferSide(line_id, fa_id, day, minor, currency, base_minor, " ".join(filter(None, texts)), iban)
        for (line_id, fa_id, day, minor, currency, *texts, iban), base_minor in zip(
            rows, mirrored, strict=True
        )
    ]


def _mirrored(organization_id: str, amounts: Sequence[tuple[date, int, str]]) -> list[int | None]:
    """Convert amounts of days to the base currency, where there are several currencies; None where that cannot be."""
    currencies = {currency for _, _, currency in amounts}
    if len(currencies) < BETWEEN:
        return [None] * len(amounts)
    base = organizations.get(organization_id).base_currency
    first, last = min(day for day, _, _ in amounts), max(day for day, _, _ in amounts)
    tables = {
        currency: rate_tables.between(organization_id, currency, base, first, last) for currency in currencies
    }

    @cache
    def mirroring(currency: str, day: date) -> Mirroring | None:
        rate = tables[currency].on(day)
        return None if rate is None else rates.mirroring(currency, base, rate)

    def mirrored(day: date, minor: int, currency: str) -> int | None:
        mirror = mirroring(currency, day)
        try:
            return None if mirror is None else mirror(minor)
        except UnprocessableError:
            return None

    return [mirrored(*each) for each in amounts]
