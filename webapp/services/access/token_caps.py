"""What a token may post in a day: counted with each entry that it posts, in the transaction that posts it."""

from collections.abc import Sequence
from datetime import date
from functools import cache
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db, insert_unless
from webapp.ledger.canonical import instant_text
from webapp.ledger.errors import LedgerError
from webapp.ledger.journal.entries import Leg
from webapp.ledger.money import Money
from webapp.models import ApiToken, JournalEntry, TokenDay
from webapp.models.base import table_of
from webapp.queries.access import organizations
from webapp.queries.common import kept_rows, lookups
from webapp.services.audit.act import Act

MOST_MINOR = 2**63 - 1


class CapReachedError(LedgerError):
    """This key has posted as much today as it may in a day."""

    status = 403
    code = "cap_reached"


def count(draft: JournalEntry, legs: Sequence[Leg], doing: Act) -> None:
    """Count an entry that is being posted with what its token posted today, or raise CapReachedError.

    Every entry counts, whatever posts it: a void and a correction as much as a confirmation. Its amount is its
    debits in the base currency. What is rolled back is not counted.
    """
    if doing.actor.counts_for is None:
        return
    amount = sum(max(leg.amount_base_minor or 0, 0) for leg in legs)
    today = organizations.today(draft.organization_id, doing.now)
    entries, total, most_entries, most_amount = _counted(draft, doing, today, amount)
    if most_entries is not None and entries > most_entries:
        raise _reached("entries", _entries(most_entries), str(entries), doing)
    if most_amount is not None and total > most_amount:
        base = draft.base_currency
        most, whole = (f"{Money(minor, base)} {base}" for minor in (most_amount, total))
        raise _reached("amount", most, whole, doing)


def _counted(draft: JournalEntry, doing: Act, today: date, amount: int) -> Sequence[Any]:
    """Count, and give the day's entries and amount with the caps of both."""
    values = {
        "organization_id": draft.organization_id,
        "token_id": doing.actor.counts_for,
        "day": today,
        "entry_count": 1,
        "amount_base_minor": amount,
    }
    connection = db.session.connection()
    counts = connection.execute(_counting(connection.dialect.name), values).one()
    token = _token(draft.organization_id, doing.actor.counts_for)
    return (*counts, token.max_entries_a_day, token.max_amount_a_day_minor)


@cache
def _counting(dialect: str) -> sa.Insert:
    """Build the one statement that counts, so that the database itself decides who of those at once comes first."""
    of_day = table_of(TokenDay)
    added = insert_unless(of_day, dialect)
    counted, more = of_day.c.amount_base_minor, added.excluded.amount_base_minor
    counting: sa.Insert = added.on_conflict_do_update(
        index_elements=[of_day.c.organization_id, of_day.c.token_id, of_day.c.day],
        set_={
            "entry_count": of_day.c.entry_count + 1,
            "amount_base_minor": sa.case((counted > MOST_MINOR - more, MOST_MINOR), else_=counted + more),
        },
    ).returning(of_day.c.entry_count, of_day.c.amount_base_minor)
    return counting


def _token(organization_id: str, token_id: int | None) -> ApiToken:
    """Give a token, which a bulk act asks for with each entry."""
    key = f"token {token_id}"
    found: ApiToken | None = kept_rows.kept(key)
    if found is None:
        found = lookups.get(ApiToken, organization_id, token_id or 0)
        kept_rows.keep(key, found)
    return found


def _entries(number: int) -> str:
    return f"{number} {'entry' if number == 1 else 'entries'}"


def _reached(cap: str, most: str, whole: str, doing: Act) -> CapReachedError:
    organization = organizations.get(doing.actor.organization_id)
    resets_at = organizations.end_of_day(organization.id, organizations.today(organization.id, doing.now))
    way = "Propose it: sent with a key that has the scope propose, the whole call waits until a person approves it."
    if doing.actor.counts_for != doing.actor.id:
        way = "Sign in to approve it."
    return CapReachedError(
        f"This key posts at most {most} a day; with this call it would be {whole} or more. {way} The day starts again"
        f" at midnight ({organization.time_zone}), and a person may raise the cap in the settings.",
        details={
            "cap": cap,
            "resetsAt": instant_text(resets_at),
            "resetsInSeconds": max(0, int((resets_at - doing.now).total_seconds())),
        },
    )
