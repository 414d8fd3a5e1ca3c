"""The difference that a linked transfer leaves: realised when both sides are posted, voided when they part."""

from collections.abc import Sequence
from datetime import date

from webapp.database.sessions import db
from webapp.ledger.chart import Role
from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.transfers import are_opposite, clearing, is_nil
from webapp.ledger.references import Kind
from webapp.models import JournalEntry, Transaction, TransferPair
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.journal import entries
from webapp.queries.matching import transfer_pairs
from webapp.queries.transactions import transactions
from webapp.services.audit import updates
from webapp.services.journal import entries as journal_entries
from webapp.services.journal import reversals


def realise(line: Transaction) -> bool:
    """Bring the pair of a line to nil, where both its sides are posted; answers whether an entry was written.

    The rest goes to "Realised exchange differences" on the later day of the two, or the first open one after it.
    An entry that an earlier state of the pair left is voided where it does not fit any more.
    """
    db.session.flush()
    mine = transfer_pairs.active(line.organization_id, line.id)
    if mine is None:
        return False
    other = transactions.get(line.organization_id, mine.other_id)
    theirs = transfer_pairs.side(line.organization_id, other.id, line.id)
    sides = [mine] if theirs is None else [mine, theirs]
    roots = [each.journal_entry for each in (line, other) if each.journal_entry is not None]
    transfers_id = accounts.by_role(line.organization_id, Role.TRANSFERS).id
    parts = [_posted_parts(root, transfers_id) for root in roots]
    is_written = False
    if not _fits(mine, parts, transfers_id):
        is_written = cancel(sides, max(_days(line), _days(other)))
        legs = _clearing(mine, parts)
        if legs:
            entry = _post(line, other, legs)
            for side in sides:
                side.difference_entry_id = entry.id
            is_written = True
    settled = is_nil([leg for part in [*parts, _entry_parts(mine, transfers_id)] for leg in part])
    for side in sides:
        side.is_settled = settled
    db.session.flush()
    return is_written


def cancel(sides: Sequence[TransferPair], on: date | None = None) -> bool:
    """Void the entry that realised the difference of a pair, on the day of what ends that; answers whether one was."""
    entry_ids = {side.difference_entry_id for side in sides} - {None}
    for side in sides:
        side.difference_entry_id, side.is_settled = None, False
    for entry_id in entry_ids:
        reversals.cancel(entries.get(sides[0].organization_id, entry_id or 0), on)
    db.session.flush()
    return bool(entry_ids)


def _posted_parts(root: JournalEntry, transfers_id: int) -> list[Leg]:
    if root.status != "POSTED":
        return []
    return [leg for leg in entries.effective_legs(root) if leg.account_id == transfers_id]


def _entry_parts(side: TransferPair, transfers_id: int) -> list[Leg]:
    if side.difference_entry_id is None:
        return []
    legs = entries.legs_of(entries.get(side.organization_id, side.difference_entry_id))
    return [leg for leg in legs if leg.account_id == transfers_id]


def _fits(side: TransferPair, parts: Sequence[Sequence[Leg]], transfers_id: int) -> bool:
    """Return whether the entry of a pair, or none, is what its posted sides ask for."""
    both = [leg for part in parts for leg in part]
    if side.difference_entry_id is None:
        return is_nil(both)
    return all(parts) and len(parts) > 1 and is_nil([*both, *_entry_parts(side, transfers_id)])


def _clearing(side: TransferPair, parts: Sequence[Sequence[Leg]]) -> tuple[Leg, ...]:
    if len(parts) < 2 or not are_opposite(*parts):  # noqa: PLR2004  (a transfer has two sides)
        return ()
    both = [leg for part in parts for leg in part]
    # Where more is left than was sent there was a gain, which no fee is.
    is_fee = side.difference == "FEE" and sum(leg.amount_base_minor or 0 for leg in both) > 0
    role = Role.BANK_CHARGES if is_fee else Role.REALISED_EXCHANGE
    base = organizations.get(side.organization_id).base_currency
    return clearing(both, base, accounts.by_role(side.organization_id, role).id)


def _post(line: Transaction, other: Transaction, legs: Sequence[Leg]) -> JournalEntry:
    doing = updates.open_act()
    organization = organizations.get(line.organization_id)
    names = [
        each.feed_account.account.name for each in sorted((line, other), key=lambda one: one.amount_minor)
    ]
    entry = journal_entries.add_draft(
        organization,
        organizations.first_open_day(organization.id, max(_days(line), _days(other))),
        legs,
        source="exchange",
        description=f"Exchange difference of the transfer from {names[0]} to {names[1]}",
        now=doing.now,
    )
    journal_entries.post(entry, doing)
    updates.touch(Kind.TRANSACTION, [line.id, other.id])
    return entry


def _days(line: Transaction) -> date:
    """Give the latest day on which something of a line is posted."""
    entry = line.journal_entry
    if entry is None:
        return line.booked_on
    return max(each.effective_on for each in (entry, *entries.corrections_of(entry)))
