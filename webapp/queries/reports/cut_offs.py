"""The cut-off of a locked day: what is about a day up to it, and is in the books after it."""

from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.journal.entries import moved_by
from webapp.ledger.money import Money
from webapp.ledger.warnings import ReportWarning
from webapp.models import Account, JournalEntry, Posting, refers_to
from webapp.queries.access import organizations


def warning(organization_id: str, day: date) -> ReportWarning | None:
    """Count and add up the entries in force that are about a locked day or one before it, and dated after it."""
    organization = organizations.get(organization_id)
    if organization.lock_date is None or day > organization.lock_date:
        return None
    base = Posting.amount_base_minor

    def added(condition: Any) -> sa.ColumnElement[int]:
        return sa.func.coalesce(sa.func.sum(sa.case((condition, base), else_=0)), 0)

    rows = db.session.execute(
        sa.select(
            JournalEntry.id,
            added(Posting.is_bank_leg).label("bank"),
            added(sa.and_(Account.keeps_items, sa.not_(Posting.is_bank_leg))).label("owed"),
            added(base > 0).label("debit"),
        )
        .join(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .where(
            JournalEntry.organization_id == organization_id,
            JournalEntry.status == "POSTED",
            JournalEntry.fact_on <= day,
            JournalEntry.effective_on > day,
        )
        .group_by(JournalEntry.id)
    ).all()
    if not rows:
        return None
    sizes = [moved_by(int(row.bank), int(row.owed), int(row.debit)) for row in rows]
    whole = Money(sum(sizes), organization.base_currency)
    entries = "1 entry" if len(rows) == 1 else f"{len(rows):,} entries"
    is_are = "is" if len(rows) == 1 else "are"
    sentence = f"{entries} over {whole.formatted} {is_are} about days up to {day:%-d %b %Y}, and in the books after it."
    return ReportWarning("cut_off", sentence, as_of=day, count=len(rows), sum=whole)
