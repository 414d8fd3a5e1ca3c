"""Joins of a line with other rows: joined, suggested and refused ones, with the bank's changes of the line."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.models import FeedLine, LineChange, LineJoin, Transaction, refers_to
from webapp.queries.common import lookups
from webapp.queries.common.made_once import made_once
from webapp.queries.common.portions import portions
from webapp.queries.common.records import record_of
from webapp.queries.matching.line_rows import LineRows

JOINABLE = ("BOOKED", "SET_ASIDE", "PENDING")


@dataclass(frozen=True, slots=True)
class JoinRecord:
    """A join of a line with another row; `transaction_id` is the other one, `is_kept` whether that one stays."""

    transaction_id: int
    is_kept: bool
    tier: str
    status: str
    reason: str
    booked_on: date
    amount: Money
    description: str
    line_status: str
    source: str
    provider_transaction_id: str | None
    decided_by: Mapping[str, Any] | None
    created_at: datetime
    undone_at: datetime | None


@dataclass(frozen=True, slots=True)
class BankChangeRecord:
    """A change of a line by the bank: each field before and after."""

    before: Mapping[str, str | None]
    after: Mapping[str, str | None]
    created_at: datetime

    @property
    def is_return(self) -> bool:
        """Tell whether the bank sent the line again after it had removed it, which changes no other field."""
        return "status" in self.after


@dataclass(frozen=True, slots=True)
class LineOrigins:
    """The origins of one line: its `sources` (`file`, `feed`), the rows it is joined to, and the bank's changes."""

    sources: tuple[str, ...]
    suggestions: list[JoinRecord]
    joins: list[JoinRecord]
    changes: list[BankChangeRecord]

    @property
    def returns(self) -> list[BankChangeRecord]:
        """Give the times that the bank sent the line again after it had removed it."""
        return [each for each in self.changes if each.is_return]


def kept_id(transaction: Transaction) -> int | None:
    """Give the line that a row is joined to, if it is only another report of that."""
    return db.session.scalar(
        sa.select(LineJoin.kept_id).where(
            refers_to(LineJoin.joined_id, transaction), LineJoin.status == "JOINED"
        )
    )


def of_line(transaction: Transaction) -> LineOrigins:
    """Give the origins of one line."""
    return of_lines(transaction.organization_id, [transaction])[transaction.id]


def of_lines(
    organization_id: str, lines: Sequence[Any], about: LineRows | None = None
) -> dict[int, LineOrigins]:
    """Give the origins of lines (or records of them), in a number of statements that does not depend on theirs.

    `about` says which of them have rows, where that is known already.
    """
    about = about or LineRows(organization_id, [line.id for line in lines])
    found = _joins(organization_id, about.of(LineJoin))
    others = {other for join in found for other in (join.kept_id, join.joined_id)}
    rows = lookups.by_id(Transaction, organization_id, others)
    fed = {*about.of(FeedLine), *_fed(organization_id, others)}
    changes = _changes(organization_id, about.of(LineChange))
    origins: dict[int, LineOrigins] = {}
    for line in lines:
        line_id = line.id
        records = [
            _record(join, line_id, rows, fed) for join in found if line_id in (join.kept_id, join.joined_id)
        ]
        own = ["file"] * (line.import_id is not None) + ["feed"] * (line_id in fed)
        joined = [each.source for each in records if each.status == "JOINED" and not each.is_kept]
        origins[line_id] = LineOrigins(
            tuple(dict.fromkeys([*own, *joined])),
            [each for each in records if each.status == "SUGGESTED" and each.line_status in JOINABLE],
            [each for each in records if each.status != "SUGGESTED"],
            changes.get(line_id, []),
        )
    return origins


def _joins(organization_id: str, line_ids: Collection[int]) -> list[LineJoin]:
    found: dict[int, LineJoin] = {}
    for portion in portions(line_ids):
        rows = db.session.scalars(*_keeping_or_joined(organization_id, portion))
        found |= {join.id: join for join in rows}
    return [found[key] for key in sorted(found)]


@made_once
def _keeping_or_joined(organization_id: str, line_ids: Sequence[int]) -> sa.Select[Any]:
    return sa.select(LineJoin).where(
        LineJoin.organization_id == organization_id,
        sa.or_(LineJoin.kept_id.in_(line_ids), LineJoin.joined_id.in_(line_ids)),
    )


def _record(
    join: LineJoin, line_id: int, rows: Mapping[int | None, Transaction], fed: Collection[int]
) -> JoinRecord:
    is_kept = join.joined_id == line_id
    other = rows[join.kept_id if is_kept else join.joined_id]
    return record_of(
        JoinRecord,
        join,
        transaction_id=other.id,
        is_kept=is_kept,
        booked_on=other.booked_on,
        amount=other.amount,
        description=other.description,
        line_status=other.status,
        source="feed" if other.id in fed else "file",
        provider_transaction_id=other.provider_transaction_id,
    )


def _fed(organization_id: str, line_ids: Collection[int]) -> set[int]:
    return {
        found
        for portion in portions(line_ids)
        for found in db.session.scalars(*_fed_ones(organization_id, portion))
    }


@made_once
def _fed_ones(organization_id: str, line_ids: Sequence[int]) -> sa.Select[Any]:
    of_lines = (FeedLine.organization_id == organization_id, FeedLine.transaction_id.in_(line_ids))
    return sa.select(FeedLine.transaction_id).where(*of_lines)


def _changes(organization_id: str, line_ids: Collection[int]) -> dict[int, list[BankChangeRecord]]:
    found: dict[int, list[BankChangeRecord]] = {}
    for portion in portions(line_ids):
        for change in db.session.scalars(*_changes_of(organization_id, portion)):
            record = BankChangeRecord(change.before, change.after, change.created_at)
            found.setdefault(change.transaction_id, []).append(record)
    return found


@made_once
def _changes_of(organization_id: str, line_ids: Sequence[int]) -> sa.Select[Any]:
    of_lines = (LineChange.organization_id == organization_id, LineChange.transaction_id.in_(line_ids))
    return sa.select(LineChange).where(*of_lines).order_by(LineChange.id.desc())
