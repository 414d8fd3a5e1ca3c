"""The lines of an account that wait for the bank, and the booked ones that they may have become."""

from datetime import date

import sqlalchemy as sa

from webapp.ledger.codes import IN_BOOKS, PENDING_TIERS
from webapp.ledger.matching.joins import LineReport
from webapp.models import FeedAccount, LineJoin, Transaction, refers_to
from webapp.queries.matching.feed_lines import line_reports


def waiting(feed_account: FeedAccount) -> list[LineReport]:
    """List the lines that wait for the bank."""
    of_account = refers_to(Transaction.feed_account_id, feed_account)
    return line_reports(of_account, Transaction.status == "PENDING")


def never_pending(feed_account: FeedAccount, first: date, last: date) -> list[LineReport]:
    """List the booked lines of some days that were not joined to a pending one."""
    was_pending = (
        sa.exists()
        .where(
            refers_to(LineJoin.kept_id, Transaction),
            LineJoin.status == "JOINED",
            LineJoin.tier.in_(PENDING_TIERS),
        )
        .correlate(Transaction)
    )
    return line_reports(
        refers_to(Transaction.feed_account_id, feed_account),
        Transaction.booked_on.between(first, last),
        Transaction.status.in_(IN_BOOKS),
        ~was_pending,
    )
