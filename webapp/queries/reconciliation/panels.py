"""The reconciliation panel beside an account's lines: sums, what is missing or odd, and a suggestion for it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.matching.explanations import MOST_AMOUNTS, only_combination
from webapp.ledger.money import Money, total
from webapp.ledger.proofs.completion_warnings import CompletionWarning, warnings
from webapp.ledger.proofs.proofs import Item
from webapp.models import FeedAccount, Reconciliation, Transaction, of_same_organization, refers_to
from webapp.queries.accounts import balances
from webapp.queries.reconciliation import next_statements, openings, reconciliations, statement_items
from webapp.queries.reconciliation.next_statements import StatedOpening
from webapp.queries.reconciliation.reconciliations import Readiness
from webapp.queries.reconciliation.statement_items import StatementItem

MOST_LINES: Final = 500


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The only combination of open lines whose sum is the difference."""

    lines: Sequence[Transaction]
    sum: Money


@dataclass(frozen=True, slots=True)
class Panel:
    """The figures of the panel, beside the draft itself."""

    opening_on: date | None
    in_count: int
    in_sum: Money
    out_count: int
    out_sum: Money
    item_count: int
    cleared_count: int
    unconfirmed_count: int
    set_aside_count: int
    books_differ: Money
    is_ready: bool
    other_items: list[StatementItem]
    suggestion: Suggestion | None
    warnings: list[CompletionWarning]
    stated_opening: StatedOpening | None


def panel(account: FeedAccount) -> Panel | None:
    """Give the panel of an account's open draft; none without a draft."""
    draft = reconciliations.draft_of(account)
    if draft is None:
        return None
    anchor = reconciliations.anchor_of(account)
    ready = reconciliations.readiness(account, draft, anchor)
    entries = statement_items.open_entries(draft)
    lines = balances.unreconciled_until(account.organization_id, account.id, draft.statement_date)
    currency = account.currency
    return Panel(
        opening_on=anchor.statement_date if anchor is not None else draft.opening_date,
        in_count=ready.sums.in_count,
        in_sum=Money(ready.sums.in_minor, currency),
        out_count=ready.sums.out_count,
        out_sum=Money(ready.sums.out_minor, currency),
        item_count=lines + len(entries),
        cleared_count=ready.sums.count,
        unconfirmed_count=len(ready.unconfirmed),
        set_aside_count=_set_aside_count(account),
        books_differ=Money(ready.books_differ_minor, currency),
        is_ready=ready.is_ready,
        other_items=entries,
        suggestion=_suggestion(account, draft, lines, ready),
        warnings=completion_warnings(draft, ready.books.outstanding, ready.books.in_transit),
        stated_opening=_opening(account, draft, anchor, lines + len(entries)),
    )


def _opening(
    account: FeedAccount, draft: Reconciliation, anchor: Reconciliation | None, count: int
) -> StatedOpening | None:
    """Give the balance before the first line, for an account that has no proof and opens with nil."""
    if anchor is not None or draft.keep_as_new:
        return None
    return next_statements.stated_opening(account) or _implied_opening(account, draft, count)


def _implied_opening(account: FeedAccount, draft: Reconciliation, count: int) -> StatedOpening | None:
    """Give what was there before if the lines up to the statement are all.

    Where the bank states a balance, that counts; and of very many lines nobody can tell that they are all.
    """
    day = openings.day_before_first_line(account)
    if day is None or day >= draft.statement_date or not 0 < count <= MOST_LINES:
        return None
    rows = reconciliations.open_lines(account, draft, until=draft.statement_date)
    left = draft.statement_balance_minor - sum(int(row.amount_minor) for row in rows)
    if not left or next_statements.oldest_file(account, None) or openings.absorbed_minor(account, day):
        return None
    return StatedOpening(day, Money(left, account.currency), len(rows))


def _set_aside_count(account: FeedAccount) -> int:
    statement = sa.select(sa.func.count()).where(
        refers_to(Transaction.feed_account_id, account),
        Transaction.status == "SET_ASIDE",
    )
    return int(db.session.scalar(statement) or 0)


def _suggestion(
    account: FeedAccount, draft: Reconciliation, line_count: int, ready: Readiness
) -> Suggestion | None:
    """Look for the lines that make the difference; of more lines than can be combined none is read."""
    if ready.difference_minor == 0 or line_count - ready.sums.count > MOST_AMOUNTS:
        return None
    open_rows = reconciliations.open_lines(
        account, draft, is_cleared=False, until=draft.statement_date, journal_entry_ids=()
    )
    found = only_combination([int(row.amount_minor) for row in open_rows], ready.difference_minor)
    if found is None:
        return None
    ids = [open_rows[index].id for index in found]
    lines = db.session.scalars(
        sa.select(Transaction)
        .where(of_same_organization(Transaction, draft), Transaction.id.in_(ids))
        .order_by(Transaction.booked_on.desc(), Transaction.id.desc())
    ).all()
    return Suggestion(lines, total((line.amount for line in lines), draft.currency))


def completion_warnings(
    statement: Reconciliation, outstanding: Sequence[Item], in_transit: Sequence[Item]
) -> list[CompletionWarning]:
    """Give the warnings about a draft or proof that leaves these items outstanding, and these in the books later."""
    return warnings(
        outstanding,
        statement_date=statement.statement_date,
        openings=_openings(statement),
        currency=statement.currency,
        in_transit=in_transit,
    )


def of_proof(proof: Reconciliation) -> list[CompletionWarning]:
    """Give the warnings about a proof, from the items that it froze as outstanding and in transit."""
    frozen = json.loads(proof.frozen or "{}")
    outstanding, in_transit = (
        [_item(each, proof.currency) for each in frozen.get(name, ())]
        for name in ("outstanding", "inTransit")
    )
    return completion_warnings(proof, outstanding, in_transit)


def _item(frozen: Mapping[str, Any], currency: str) -> Item:
    return Item(
        frozen["transactionId"],
        frozen["journalEntryId"],
        frozen["providerTransactionId"],
        date.fromisoformat(frozen["bookedOn"]),
        Money.of(Decimal(frozen["amount"]), currency).minor,
    )


def _openings(statement: Reconciliation) -> set[int]:
    """Give the opening balances with which the account was kept as new."""
    opening = Reconciliation
    return {
        each or 0
        for each in db.session.scalars(
            sa.select(opening.opening_balance_minor).where(
                of_same_organization(opening, statement),
                opening.feed_account_id == statement.feed_account_id,
                opening.status.in_(("DRAFT", "COMPLETED")),
                opening.keep_as_new,
            )
        )
    }
