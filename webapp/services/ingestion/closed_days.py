"""Warnings of new bank lines whose days are closed already: locked, or revalued."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Final

from webapp.ledger.money import Money
from webapp.ledger.titles import counted
from webapp.models import FeedAccount, Organization
from webapp.queries.currencies import revaluation_verdicts

MOVED_BY_LOCK: Final = "moved_by_lock"
BEFORE_REVALUATION: Final = "before_revaluation"
# A code, and a sentence.
Warning_ = tuple[str, str]


def warnings(
    organization: Organization,
    feed_account: FeedAccount | None,
    name: str,
    currency: str,
    lines: Sequence[tuple[date, int]],
) -> Iterator[Warning_]:
    """Warn of new lines, each a day and an amount, that a lock moves, and of those that a revaluation lacks.

    `feed_account` is None for one that the lines open.
    """
    lock_date = organization.lock_date
    first_open = date.min if lock_date is None else lock_date + timedelta(days=1)
    moved = [minor for day, minor in lines if day < first_open]
    if lock_date is not None and moved:
        go = "goes" if len(moved) == 1 else "go"
        days = f"days up to {lock_date:%-d %b %Y}, which are locked"
        sentence = (
            f"{name}: {_sized(moved, currency)} of {days}, {go} into the books on {first_open:%-d %b %Y}."
        )
        yield MOVED_BY_LOCK, sentence
    is_revalued = feed_account is None or feed_account.account.is_revalued
    if not lines or currency == organization.base_currency or not is_revalued:
        return
    dated = [(max(day, first_open), minor) for day, minor in lines]
    standing = revaluation_verdicts.standing_days(organization.id, min(dated)[0], most=1)
    for day in standing:
        before = [minor for booked_on, minor in dated if booked_on <= day]
        days = f"days up to {day:%-d %b %Y}, which are revalued already"
        sentence = f"{name}: {_sized(before, currency)} of {days}. Confirm, then revalue that day again."
        yield BEFORE_REVALUATION, sentence


def _sized(amounts: Sequence[int], currency: str) -> str:
    return f"{counted(len(amounts), 'line')} over {Money(sum(amounts), currency).formatted}"
