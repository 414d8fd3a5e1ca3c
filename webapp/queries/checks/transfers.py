"""Transfers: each pair has a row from both its lines, which are booked and opposite; only a pair shares a draft."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.db import db
from webapp.ledger.chart import Role
from webapp.models import (
    Account,
    JournalEntry,
    MonthSum,
    Transaction,
    TransferPair,
    of_same_organization,
    refers_to,
)
from webapp.queries.checks.violations import Violation, found, line
from webapp.queries.transfers import open_items, pair_rests

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
    rests = pair_rests.unsettled().subquery()
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


CHECKS = (one_sided, no_transfers, strangers, wrongly_settled, transfers_not_nil)
