"""The facts of the books that go into every new line of an account."""

from datetime import date, timedelta
from typing import NamedTuple

from webapp.models import FeedAccount, Organization
from webapp.queries.accounts import new_lines


class BooksFacts(NamedTuple):
    """The open period of the books, and the ledger accounts of an account's lines."""

    organization_id: str
    base_currency: str
    first_open: date
    feed_account_id: int
    account_id: int
    currency: str
    opening_day: date
    income_id: int
    expenses_id: int


def facts_for(organization: Organization, feed_account: FeedAccount) -> BooksFacts:
    """Read the facts that go into the lines of an account."""
    lock = organization.lock_date
    found = new_lines.facts(organization.id, feed_account.id)
    return BooksFacts(
        organization_id=organization.id,
        base_currency=organization.base_currency,
        first_open=date.min if lock is None else lock + timedelta(days=1),
        feed_account_id=feed_account.id,
        account_id=feed_account.account_id,
        currency=feed_account.currency,
        opening_day=found.opening_day or date.min,
        income_id=found.income_id,
        expenses_id=found.expenses_id,
    )
