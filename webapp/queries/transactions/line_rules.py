"""A rule for selected bank lines: what their texts have in common, and the one account that they have."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.matching.lines import BankLine
from webapp.ledger.rules.conditions import Condition
from webapp.ledger.suggestions.wording import name, stable_conditions
from webapp.models import Transaction
from webapp.queries.suggestions.likely_accounts import uncategorised_accounts
from webapp.queries.transactions import transactions

# What so many lines have in common, the others have too; what they do not is seen in the preview.
MOST_LINES = 500


@dataclass(frozen=True, slots=True)
class LineRule:
    """The name, the conditions and the values of a rule for lines; a value is None where they differ or have none."""

    name: str
    conditions: list[Condition]
    account_id: int | None
    org_merchant_id: int | None
    project_id: int | None


def of_lines(organization_id: str, fa_id: int, transaction_ids: Sequence[int]) -> LineRule:
    """Write the rule of lines of one account, at most 500 of them; ids of other accounts are left out."""
    lines = db.session.scalars(
        sa.select(Transaction)
        .where(
            Transaction.organization_id == organization_id,
            Transaction.feed_account_id == fa_id,
            Transaction.id.in_(transaction_ids[:MOST_LINES]),
        )
        .order_by(Transaction.booked_on.desc(), Transaction.id.desc())
    ).all()
    conditions = stable_conditions(
        [
            BankLine(each.booked_on, each.amount_minor, each.description, each.counterparty, each.iban)
            for each in lines
        ]
    )
    records = transactions.records(organization_id, lines)
    account_id = _same(record.account_id for record in records)
    is_open = account_id in uncategorised_accounts(organization_id)
    return LineRule(
        name(conditions),
        conditions,
        None if is_open else account_id,
        _same(record.org_merchant_id for record in records),
        _same(record.project_id for record in records),
    )


def _same(values: Iterable[int | None]) -> int | None:
    different = set(values)
    return different.pop() if len(different) == 1 else None
