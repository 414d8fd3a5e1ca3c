"""The days of a bank account that its imported files cover, with the balances that they state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.coverage import Covered
from webapp.models import Import
from webapp.queries.imports import ImportAccountRecord


def statements(organization_id: str, fa_id: int, *, but: int | None = None) -> list[Covered]:
    """List what each import says that it covers of a feed account, in the order of import; `but` leaves out one.

    A file covers the days from its first line to its last, or to its closing balance where that is later; one
    that says nothing of any day covers none.
    """
    rows = db.session.scalars(
        sa.select(Import.accounts)
        .where(
            Import.organization_id == organization_id,
            Import.status == "IMPORTED",
            Import.id.is_distinct_from(but),
        )
        .order_by(Import.created_at, Import.id)
    )
    found = (covered(stored) for accounts in rows for stored in accounts if stored["fa_id"] == fa_id)
    return [each for each in found if each is not None]


def covered(stored: Mapping[str, Any]) -> Covered | None:
    """Tell what an import's answer about one account covers, None where it names no day."""
    account = ImportAccountRecord.of(stored)
    first = account.first_date or account.closing_date
    if first is None:
        return None
    last = max(day for day in (first, account.last_date, account.closing_date) if day)
    return Covered(first, last, account.opening_balance, account.closing_balance)
