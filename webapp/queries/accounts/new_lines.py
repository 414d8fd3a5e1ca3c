"""What the books have ready for new bank lines of an account: where its books begin, and which ids come next."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple

from webapp.snapshots.statements import TextStatement, dialect_name
from webapp.snapshots.stored_values import day

_FACTS = """
    (SELECT max(r.opening_date) FROM reconciliations r
        WHERE r.organization_id = :organization_id AND r.feed_account_id = :feed_account_id
        AND r.status IN ('DRAFT', 'COMPLETED') AND r.keep_as_new{is_true}),
    (SELECT a.id FROM accounts a WHERE a.organization_id = :organization_id AND a.role = 'uncategorised_income'),
    (SELECT a.id FROM accounts a WHERE a.organization_id = :organization_id AND a.role = 'uncategorised_expenses')"""
# SQLite finds an index of some rows by the very words of its condition.
_IS_TRUE = (" = 1", "")
_ASKED = TextStatement(f"SELECT {_FACTS}", is_true=_IS_TRUE)
# Under BEGIN IMMEDIATE nobody else can insert, and AUTOINCREMENT continues after explicit ids.
_WITH_IDS = TextStatement(
    f"SELECT {_FACTS}, {{next_line}}, {{next_entry}}{{for_each}}",
    is_true=_IS_TRUE,
    next_line=(
        "(SELECT seq FROM sqlite_sequence WHERE name = 'transactions')",
        "nextval('transactions_id_seq')",
    ),
    next_entry=(
        "(SELECT seq FROM sqlite_sequence WHERE name = 'journal_entries')",
        "nextval('journal_entries_id_seq')",
    ),
    for_each=("", " FROM generate_series(1, CAST(:number AS integer))"),
)


class NewLineFacts(NamedTuple):
    """The opening day of an account that is kept as new, and the ledger accounts of uncategorised lines."""

    opening_day: date | None
    income_id: int
    expenses_id: int


class NewIds(NamedTuple):
    """The ids of a new line, and of its draft."""

    line_id: int
    entry_id: int


def facts(organization_id: str, feed_account_id: int) -> NewLineFacts:
    """Read what goes into each new line of an account."""
    (row,) = _ASKED.rows(organization_id=organization_id, feed_account_id=feed_account_id)
    return _facts(row)


def facts_and_ids(
    organization_id: str, feed_account_id: int, number: int
) -> tuple[NewLineFacts, Sequence[NewIds]]:
    """Read the same, with ids for a number of lines, counting up; the transaction must be a write one."""
    rows = _WITH_IDS.rows(organization_id=organization_id, feed_account_id=feed_account_id, number=number)
    if dialect_name() == "sqlite":
        last_line, last_entry = (last or 0 for last in rows[0][3:])
        ids = [NewIds(last_line + place, last_entry + place) for place in range(1, number + 1)]
    else:
        ids = [NewIds(*each) for each in sorted(row[3:] for row in rows)]
    return _facts(rows[0]), ids


def _facts(row: Any) -> NewLineFacts:
    return NewLineFacts(day(row[0]), row[1], row[2])
