"""Which lines are paired as a transfer, and which pairs somebody has judged already."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.models import TransferPair, refers_to
from webapp.queries.common.portions import near, portions


def standing(organization_id: str, transaction_id: int) -> TransferPair | None:
    """Find a line's side of the pair that it stands in."""
    return db.session.scalar(
        sa.select(TransferPair).where(
            TransferPair.organization_id == organization_id,
            TransferPair.transaction_id == transaction_id,
            TransferPair.status == "STANDING",
        )
    )


def side(organization_id: str, transaction_id: int, other_id: int) -> TransferPair | None:
    """Find a line's side of a pair, whatever became of it."""
    return db.session.scalar(
        sa.select(TransferPair).where(
            TransferPair.organization_id == organization_id,
            TransferPair.transaction_id == transaction_id,
            TransferPair.other_id == other_id,
        )
    )


def of_line(organization_id: str, transaction_id: int) -> Sequence[TransferPair]:
    """List a line's sides of all pairs that it stands in or stood in, in the order in which they were judged."""
    return db.session.scalars(
        sa.select(TransferPair)
        .where(TransferPair.organization_id == organization_id, TransferPair.transaction_id == transaction_id)
        .order_by(TransferPair.id)
    ).all()


def others(organization_id: str, transaction_ids: Collection[int]) -> dict[int, int]:
    """Give for lines that stand in a pair the other line of it."""
    found: dict[int, int] = {}
    wanted = frozenset(transaction_ids)
    for ids in portions(transaction_ids):
        rows = db.session.execute(
            sa.select(TransferPair.transaction_id, TransferPair.other_id).where(
                TransferPair.organization_id == organization_id,
                near(TransferPair.transaction_id, ids),
                TransferPair.status == "STANDING",
            )
        )
        found.update((line_id, other_id) for line_id, other_id in rows if line_id in wanted)
    return found


def in_pair(line: Any) -> sa.ColumnElement[bool]:
    """Say in SQL that a line stands in a pair."""
    return (
        sa.select(1)
        .where(refers_to(TransferPair.transaction_id, line), TransferPair.status == "STANDING")
        .exists()
    )


def refused(organization_id: str) -> set[tuple[int, int]]:
    """List the pairs that somebody dismissed or undid, each from both sides."""
    rows: Sequence[Any] = db.session.execute(
        sa.select(TransferPair.transaction_id, TransferPair.other_id).where(
            TransferPair.organization_id == organization_id, TransferPair.status != "STANDING"
        )
    ).all()
    return {(line_id, other_id) for line_id, other_id in rows}
