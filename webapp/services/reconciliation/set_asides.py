"""Lines from before the books of a feed account begin: set aside while a keep-as-new is in force or drafted."""

from datetime import datetime

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import FeedAccount, Transaction, refers_to, update_rows
from webapp.queries.access import organizations
from webapp.queries.reconciliation import openings
from webapp.services.bookkeeping import lock_dates
from webapp.services.transactions import unpairing


def resynchronise(account: FeedAccount, *, now: datetime) -> None:
    """Set aside the booked lines dated on or before the opening day, and bring back all others."""
    db.session.flush()
    day = openings.opening_day(account.organization_id, account.id)
    mine = refers_to(Transaction.feed_account_id, account)
    if day is not None:
        _unpair(mine, Transaction.booked_on <= day, now=now)
        _set_status(mine, Transaction.booked_on <= day, before="BOOKED", after="SET_ASIDE")
        _set_status(mine, Transaction.booked_on > day, before="SET_ASIDE", after="BOOKED")
    else:
        _set_status(mine, before="SET_ASIDE", after="BOOKED")
    organization = organizations.get(account.organization_id)
    if organization.lock_date is not None:
        # The draft of a line set aside stops no lock; brought back, it needs an open day.
        lock_dates.open_drafts(organization, organization.lock_date)


def _unpair(*chosen: sa.ColumnElement[bool], now: datetime) -> None:
    """End the transfers of lines that are set aside: their side counts no longer."""
    line_ids = sa.select(Transaction.id).where(*chosen, Transaction.status == "BOOKED")
    unpairing.bulk_unpair(line_ids, now=now)


def _set_status(*chosen: sa.ColumnElement[bool], before: str, after: str) -> None:
    update_rows(Transaction, *chosen, Transaction.status == before, status=after)
