"""Transfers and settlements: a pair is of two lines, opposite and booked; what is linked or settled comes to nil."""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.ledger.chart import Role
from webapp.models import (
    Account,
    JournalEntry,
    MonthSum,
    OwedItem,
    Posting,
    Settlement,
    SettlementPart,
    Transaction,
    TransferPair,
    of_same_organization,
    refers_to,
)
from webapp.queries.checks.violations import Violation, found, line
from webapp.queries.items import settlements
from webapp.queries.transfers import open_items

LEAST_PARTS = 2
Other = orm.aliased(Transaction, name="other_line")
Mirror = orm.aliased(TransferPair, name="mirror")


def one_sided() -> Iterable[Violation]:
    """Find pairs that only one of their lines is in, or that the two are in differently."""
    is_mirrored = sa.exists().where(
        of_same_organization(Mirror, TransferPair),
        Mirror.transaction_id == TransferPair.other_id,
        Mirror.other_id == TransferPair.transaction_id,
        Mirror.status == TransferPair.status,
    )
    return found(
        "pair_one_sided",
        sa.select(
            TransferPair.organization_id, TransferPair.transaction_id.label("line_id"), TransferPair.other_id
        ).where(~is_mirrored),
        lambda row: f"Line {row.line_id} is paired with line {row.other_id}, which is not paired with it.",
        line,
    )


def no_transfers() -> Iterable[Violation]:
    """Find standing pairs whose lines are of one account, not booked, or not opposite."""
    mine = sa.func.coalesce(TransferPair.part_minor, Transaction.amount_minor)
    theirs = sa.func.coalesce(Mirror.part_minor, Other.amount_minor)
    is_one_way = sa.or_(sa.and_(mine >= 0, theirs >= 0), sa.and_(mine <= 0, theirs <= 0))
    differs = sa.and_(Transaction.currency == Other.currency, mine != -theirs)
    return found(
        "pair_of_no_transfer",
        sa.select(TransferPair.organization_id, Transaction.id.label("line_id"), Other.id.label("other_id"))
        .join(Transaction, refers_to(TransferPair.transaction_id, Transaction))
        .join(Other, refers_to(TransferPair.other_id, Other))
        .outerjoin(
            Mirror,
            sa.and_(
                of_same_organization(Mirror, TransferPair),
                Mirror.transaction_id == TransferPair.other_id,
                Mirror.other_id == TransferPair.transaction_id,
            ),
        )
        .where(
            TransferPair.status == "STANDING",
            sa.or_(
                Transaction.feed_account_id == Other.feed_account_id,
                Transaction.status != "BOOKED",
                is_one_way,
                differs,
            ),
        ),
        lambda row: f"Lines {row.line_id} and {row.other_id} are paired, and are no transfer.",
        line,
    )


def strangers() -> Iterable[Violation]:
    """Find drafts that two lines share which are no pair."""
    is_pair = sa.exists().where(
        refers_to(TransferPair.transaction_id, Transaction),
        TransferPair.other_id == Other.id,
        TransferPair.status == "STANDING",
    )
    return found(
        "draft_of_strangers",
        sa.select(
            Transaction.organization_id,
            Transaction.id.label("line_id"),
            Transaction.journal_entry_id.label("entry_id"),
        )
        .join(
            Other,
            sa.and_(
                of_same_organization(Other, Transaction),
                Other.journal_entry_id == Transaction.journal_entry_id,
                Other.id != Transaction.id,
            ),
        )
        .join(JournalEntry, refers_to(Transaction.journal_entry_id, JournalEntry))
        .where(JournalEntry.status == "DRAFT", ~is_pair),
        lambda row: f"Line {row.line_id} shares draft {row.entry_id} with a line that it is not paired with.",
        line,
    )


def is_wrongly_settled() -> sa.ColumnElement[bool]:
    """Build the condition of a standing pair that is called settled and leaves something, or the reverse."""
    rests = not_nil().subquery()
    leaves = sa.exists().where(
        rests.c.organization_id == TransferPair.organization_id,
        sa.or_(
            sa.and_(
                rests.c.first_id == TransferPair.transaction_id, rests.c.second_id == TransferPair.other_id
            ),
            sa.and_(
                rests.c.first_id == TransferPair.other_id, rests.c.second_id == TransferPair.transaction_id
            ),
        ),
    )
    return sa.and_(TransferPair.status == "STANDING", TransferPair.is_settled == leaves)


def wrongly_settled() -> Iterable[Violation]:
    """Find standing pairs whose record of whether they come to nil on the transfers account is wrong."""
    return found(
        "pair_settled_differs",
        sa.select(
            TransferPair.organization_id,
            TransferPair.transaction_id.label("line_id"),
            TransferPair.other_id,
            TransferPair.is_settled,
        ).where(is_wrongly_settled()),
        lambda row: (
            f"Lines {row.line_id} and {row.other_id} are paired, and their record says "
            f"{'that they come' if row.is_settled else 'that they do not come'} to nil on the transfers account."
        ),
        line,
    )


def transfers_not_nil() -> Iterable[Violation]:
    """Find transfers accounts whose balance is not the sum of their open items: nil where everything is linked."""
    items = open_items.of_transfers()
    open_amounts = {
        (row.organization_id, row.currency): (int(row.amount_minor), int(row.amount_base_minor))
        for row in db.session.execute(_sums(items.c).group_by(items.c.organization_id, items.c.currency))
    }
    balances = db.session.execute(
        _sums(MonthSum)
        .join(Account, refers_to(MonthSum.account_id, Account))
        .where(Account.role == Role.TRANSFERS.value)
        .group_by(MonthSum.organization_id, MonthSum.currency)
    )
    for row in balances:
        balance = int(row.amount_minor), int(row.amount_base_minor)
        if balance != open_amounts.get((row.organization_id, row.currency), (0, 0)):
            sentence = f"The transfers account has a balance in {row.currency} that is not its open items."
            yield Violation("transfers_not_nil", sentence, row.organization_id, {"currency": row.currency})


def _sums(rows: Any) -> sa.Select[Any]:
    return sa.select(
        rows.organization_id,
        rows.currency,
        sa.func.sum(rows.amount_minor).label("amount_minor"),
        sa.func.sum(rows.amount_base_minor).label("amount_base_minor"),
    )


def unbalanced_settlements() -> Iterable[Violation]:
    """Find settlements whose parts are too few or do not sum to nil; on transfers in the base too."""
    amount = sa.func.coalesce(sa.func.sum(SettlementPart.amount_minor), 0)
    base = sa.func.coalesce(sa.func.sum(SettlementPart.amount_base_minor), 0)
    return found(
        "settlement_unbalanced",
        sa.select(Settlement.organization_id, Settlement.id.label("settlement_id"))
        .join(Account, refers_to(Settlement.account_id, Account))
        .outerjoin(SettlementPart, refers_to(SettlementPart.settlement_id, Settlement))
        .group_by(Settlement.organization_id, Settlement.id, Account.role)
        .having(
            sa.or_(
                sa.func.count(SettlementPart.id) < LEAST_PARTS,
                amount != 0,
                sa.and_(Account.role == Role.TRANSFERS.value, base != 0),
            )
        ),
        lambda row: f"The parts of settlement {row.settlement_id} are no two items that sum to nil.",
        lambda row: {"settlementId": row.settlement_id},
    )


def settled_beyond() -> Iterable[Violation]:
    """Find items that are settled by more than they are, or by something of the other sign."""
    settled = settlements.settled_amounts().subquery()
    whole = open_items.settled_items()
    amount, taken = sa.func.coalesce(whole.c.amount_minor, 0), settled.c.amount_minor
    for row in db.session.execute(
        sa.select(settled.c.organization_id, settled.c.item_id)
        .outerjoin(
            whole,
            sa.and_(
                whole.c.organization_id == settled.c.organization_id, whole.c.item_id == settled.c.item_id
            ),
        )
        .where(
            sa.or_(sa.func.abs(taken) > sa.func.abs(amount), taken * amount < 0),
            # Those of accounts that keep items are held by their kept rows.
            sa.not_(
                sa.exists().where(
                    OwedItem.organization_id == settled.c.organization_id, OwedItem.id == settled.c.item_id
                )
            ),
        )
    ):
        sentence = f"More of item {row.item_id} is settled than it is."
        yield Violation("settled_beyond", sentence, row.organization_id, {"itemId": row.item_id})


CHECKS = (
    one_sided,
    no_transfers,
    strangers,
    wrongly_settled,
    transfers_not_nil,
    unbalanced_settlements,
    settled_beyond,
)


def not_nil() -> sa.Select[Any]:
    """Select the standing pairs, by their two lines, that do not come to nil in each currency and in the base."""
    parts = _parts().subquery()
    amount, base = sa.func.sum(Posting.amount_minor), sa.func.sum(Posting.amount_base_minor)
    keys = (parts.c.organization_id, parts.c.first_id, parts.c.second_id)
    return (
        sa.select(*keys)
        .join(
            Posting,
            sa.and_(
                Posting.organization_id == parts.c.organization_id,
                Posting.journal_entry_id == parts.c.entry_id,
            ),
        )
        .join(Account, refers_to(Posting.account_id, Account))
        .where(Account.role == Role.TRANSFERS.value)
        .group_by(*keys, Posting.currency)
        .having(sa.or_(amount != 0, base != 0))
        .distinct()
    )


def _parts() -> sa.CompoundSelect[Any]:
    """Select the posted entries of each standing pair: of both its lines, with corrections, and of its difference."""
    pair = TransferPair
    is_first = pair.transaction_id < pair.other_id
    columns = (
        pair.organization_id.label("organization_id"),
        sa.case((is_first, pair.transaction_id), else_=pair.other_id).label("first_id"),
        sa.case((is_first, pair.other_id), else_=pair.transaction_id).label("second_id"),
        JournalEntry.id.label("entry_id"),
    )
    counted = (pair.status == "STANDING", JournalEntry.status == "POSTED")
    of_lines = sa.select(*columns).join(Transaction, refers_to(pair.transaction_id, Transaction))
    return sa.union(
        of_lines.join(JournalEntry, refers_to(Transaction.journal_entry_id, JournalEntry)).where(*counted),
        of_lines.join(
            JournalEntry,
            sa.and_(
                JournalEntry.organization_id == Transaction.organization_id,
                JournalEntry.corrects_id == Transaction.journal_entry_id,
            ),
        ).where(*counted),
        sa.select(*columns)
        .join(JournalEntry, refers_to(pair.difference_entry_id, JournalEntry))
        .where(*counted),
    )
