"""The lines and entries that broke proofs, as people name them: text, day and amount, and what is to be done there."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.ledger import titles
from webapp.ledger.money import Money
from webapp.models import JournalEntry, Transaction
from webapp.queries.common import lookups
from webapp.queries.reconciliation.break_causes import BrokenBy


@dataclass(frozen=True, slots=True)
class Culprit:
    """A line that broke a proof, or an entry without a line: that has no amount, account and state of its own."""

    text: str
    day: date
    amount: Money | None
    fa_id: int | None
    line_status: str | None
    entry_status: str | None


Culprits = Mapping[tuple[int | None, int | None], Culprit]


def of_causes(organization_id: str, causes: Iterable[BrokenBy | None]) -> Culprits:
    """Give what each cause names, by the ids of its line and its entry; in no statement where there is no cause."""
    named = [each for each in causes if each is not None]
    lines = _lines(organization_id, {each.transaction_id for each in named} - {None})
    alone = {each.journal_entry_id for each in named if each.transaction_id is None} - {None}
    entries = _entries(organization_id, alone)
    found: dict[tuple[int | None, int | None], Culprit] = {}
    for cause in named:
        culprit = lines.get(cause.transaction_id) or entries.get(cause.journal_entry_id)
        if culprit is not None:
            found[cause.transaction_id, cause.journal_entry_id] = culprit
    return found


def _lines(organization_id: str, ids: set[int | None]) -> dict[int | None, Culprit]:
    if not ids:
        return {}
    rows = db.session.scalars(
        sa.select(Transaction)
        .where(Transaction.organization_id == organization_id, Transaction.id.in_(ids))
        .options(orm.joinedload(Transaction.journal_entry))
    )
    return {
        line.id: Culprit(
            titles.quoted(line.counterparty or line.description),
            line.booked_on,
            line.amount,
            line.feed_account_id,
            line.status,
            None if line.journal_entry is None else line.journal_entry.status,
        )
        for line in rows
    }


def _entries(organization_id: str, ids: set[int | None]) -> dict[int | None, Culprit]:
    return {
        entry_id: Culprit(
            titles.quoted(entry.description), entry.effective_on, None, None, None, entry.status
        )
        for entry_id, entry in lookups.by_id(JournalEntry, organization_id, ids).items()
    }
