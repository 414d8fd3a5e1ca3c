"""Queries on remembered column mappings."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import ColumnMapping, FeedAccount, refers_to
from webapp.queries.common import lookups

MOST = 100


@dataclass(frozen=True, slots=True)
class ColumnMappingRecord:
    """A remembered mapping: its account, the header that it is for, and its last use."""

    id: int
    fa_id: int
    account_name: str
    names: Sequence[str]
    updated_at: datetime


def get(organization_id: str, mapping_id: int) -> ColumnMapping:
    """Find a remembered mapping, or raise NotFoundError."""
    return lookups.get(ColumnMapping, organization_id, mapping_id)


def listed(organization_id: str) -> list[ColumnMappingRecord]:
    """List the remembered mappings, newest first, at most a hundred."""
    rows = db.session.execute(with_accounts(organization_id).limit(MOST))
    return [
        ColumnMappingRecord(row.id, row.feed_account_id, name, row.names, row.updated_at)
        for row, name in rows
    ]


def with_accounts(organization_id: str) -> sa.Select[ColumnMapping, str]:
    """Select the remembered mappings, each with the name of its account, newest first."""
    return (
        sa.select(ColumnMapping, FeedAccount.name)
        .join(FeedAccount, refers_to(ColumnMapping.feed_account_id, FeedAccount))
        .where(ColumnMapping.organization_id == organization_id)
        .order_by(ColumnMapping.updated_at.desc(), ColumnMapping.id.desc())
    )
