"""Activity as people read it: narrowed by area, bank account and day, and with runs of ticks as one act."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger import titles
from webapp.ledger.act_ids import act_id
from webapp.ledger.codes import ACTIVITY_AREAS
from webapp.models import (
    ActionRequest,
    ApiToken,
    FeedAccount,
    Import,
    Membership,
    Posting,
    Reconciliation,
    Transaction,
    User,
)

CLEARING: Final = "clear_reconciliation_items"
ON_STATEMENT: Final = " on the statement of "


@dataclass(frozen=True, slots=True)
class Acts:
    """An act, or several ticks of one person on one statement in a row, the newest first, under one title."""

    title: str
    requests: tuple[ActionRequest, ...]

    @property
    def newest(self) -> ActionRequest:
        """The act itself, or the last tick."""
        return self.requests[0]


def conditions(
    organization_id: str,
    *,
    area: str | None = None,
    fa_id: int | None = None,
    begins_at: datetime | None = None,
    ends_at: datetime | None = None,
) -> list[sa.ColumnElement[bool]]:
    """Build the conditions of acts in an area, about a bank account and what is of it, and between two instants."""
    found: list[sa.ColumnElement[bool]] = []
    if area is not None:
        found.append(_is_in(area))
    if fa_id is not None:
        found.append(_is_of(organization_id, fa_id))
    # Ids of acts sort by their instants.
    if begins_at is not None:
        found.append(ActionRequest.id >= act_id(begins_at))
    if ends_at is not None:
        found.append(ActionRequest.id < act_id(ends_at))
    return found


def _is_in(area: str) -> sa.ColumnElement[bool]:
    kinds = ACTIVITY_AREAS[area]
    if kinds:
        return ActionRequest.target_kind.in_(kinds)
    return ActionRequest.target_kind.not_in([kind for others in ACTIVITY_AREAS.values() for kind in others])


def _is_of(organization_id: str, fa_id: int) -> sa.ColumnElement[bool]:
    """Build the condition that an act's target is a bank account, or a line, an entry, a statement or a file of it."""
    # An id that is no number yet ("new") is never cast: PostgreSQL would refuse the whole statement.
    is_number = sa.func.ltrim(ActionRequest.target_id, "0123456789") == ""
    target = sa.case((is_number, sa.cast(ActionRequest.target_id, sa.BigInteger)))
    ledger_account = sa.select(FeedAccount.account_id).where(
        FeedAccount.organization_id == organization_id, FeedAccount.id == fa_id
    )

    def has(kind: str, model: Any, target_of: Any, *of_account: sa.ColumnElement[bool]) -> Any:
        rows = sa.select(1).where(model.organization_id == organization_id, target_of == target, *of_account)
        return sa.and_(ActionRequest.target_kind == kind, rows.exists())

    return sa.or_(
        sa.and_(ActionRequest.target_kind == "feed_account", target == fa_id),
        has("transaction", Transaction, Transaction.id, Transaction.feed_account_id == fa_id),
        has("reconciliation", Reconciliation, Reconciliation.id, Reconciliation.feed_account_id == fa_id),
        has(
            "journal_entry",
            Posting,
            Posting.journal_entry_id,
            Posting.account_id == ledger_account.scalar_subquery(),
        ),
        sa.and_(
            ActionRequest.target_kind == "import",
            ActionRequest.target_id.in_(_imports_of(organization_id, fa_id)),
        ),
    )


def _imports_of(organization_id: str, fa_id: int) -> list[str]:
    """The ids of the imports of files that had lines of a bank account."""
    rows = db.session.execute(
        sa.select(Import.id, Import.accounts).where(Import.organization_id == organization_id)
    )
    return [str(row.id) for row in rows if any(each.get("fa_id") == fa_id for each in row.accounts or ())]


def grouped(requests: Sequence[ActionRequest]) -> list[Acts]:
    """Make one of ticks that follow each other, by one actor on one statement; every other act stands alone."""
    return [each for _, run in groupby(requests, key=_run) for each in _acts(list(run))]


def _run(request: ActionRequest) -> tuple[object, ...]:
    is_tick = request.kind == CLEARING and request.status == "EXECUTED" and not request.note
    actor = (request.actor["kind"], request.actor["id"])
    return (True, *actor, request.target_id) if is_tick else (False, request.id)


def _acts(run: Sequence[ActionRequest]) -> Iterator[Acts]:
    newest, *others = run
    yield Acts(_title(run) if others else newest.title, tuple(run))


def _title(ticks: Sequence[ActionRequest]) -> str:
    """Say how many items several acts ticked and unticked on their statement."""
    parts = []
    for key, word in (("cleared", "ticked"), ("uncleared", "unticked")):
        # Lines and entries stand apart in the record.
        count = sum(len(ids) for each in ticks for ids in (each.after or {}).get(key, {}).values())
        if count:
            parts.append(f"{word} {titles.counted(count, 'item')}")
    statement = ticks[0].title.rpartition(ON_STATEMENT)[2]
    return f"{', '.join(parts).capitalize()}{ON_STATEMENT}{statement}"


def actors(organization_id: str) -> list[tuple[str, int, str]]:
    """List who may have acted, A to Z: the kind, the id and the name of each member, then of each API key."""
    members = db.session.execute(
        sa.select(User.id, User.name)
        .join(Membership, Membership.user_id == User.id)
        .where(Membership.organization_id == organization_id)
        .order_by(User.name, User.id)
    )
    keys = db.session.execute(
        sa.select(ApiToken.id, ApiToken.name)
        .where(ApiToken.organization_id == organization_id)
        .order_by(ApiToken.name, ApiToken.id)
    )
    return [
        *(("PERSON", row.id, row.name) for row in members),
        *(("TOKEN", row.id, row.name) for row in keys),
    ]
