"""Which merchants count where some are merged: each answers by the one that it is merged into, or by itself."""

from collections.abc import Collection, Iterable
from typing import Any

import sqlalchemy as sa

from webapp.database.functions import fold
from webapp.database.sessions import db
from webapp.ledger import dimensions
from webapp.models import Merchant
from webapp.models.base import table_of
from webapp.queries.common import lookups
from webapp.queries.common.made_once import made_once


def merged(organization_id: str) -> dict[int, int]:
    """Give the merchants that are merged, each with the one that it counts as."""
    return dict(db.session.execute(*_merged(organization_id)).all())


def alike(organization_id: str, merchant_id: int) -> list[int]:
    """List the ids of all merchants that count as the same as one: the one that counts first."""
    found = merged(organization_id)
    counts = found.get(merchant_id, merchant_id)
    return [counts, *(each for each, into in found.items() if into == counts)]


@made_once
def _merged(organization_id: str) -> sa.Select[Any]:
    merchant = table_of(Merchant).c
    return sa.select(merchant.id, merchant.merged_into_id).where(
        merchant.organization_id == organization_id, merchant.merged_into_id.is_not(None)
    )


def called(organization_id: str, names: Collection[str]) -> dict[str, int]:
    """Give the merchant that counts for each of some names that one alone is called, in whatever case."""
    by_folded: dict[str, set[int]] = {}
    rows = db.session.execute(
        sa.select(Merchant.id, Merchant.merged_into_id, fold(Merchant.name)).where(
            Merchant.organization_id == organization_id,
            fold(Merchant.name).in_([fold(each) for each in names if each]),
        )
    )
    for merchant_id, merged_into_id, folded in rows:
        by_folded.setdefault(folded, set()).add(merged_into_id or merchant_id)
    found = {each: by_folded.get(each.lower(), set()) for each in names}
    return {each: counting.pop() for each, counting in found.items() if len(counting) == 1}


def counting_id(organization_id: str, merchant_id: int | None) -> int | None:
    """Give the id of the merchant that counts for one; without one, or for an unknown one, the same."""
    return None if merchant_id is None else dimensions.counting(merchant_id, merged(organization_id))


def counting(organization_id: str, ids: Iterable[int | None]) -> dict[int | None, Merchant]:
    """Find the merchants that count for some ids: what each is merged into, or itself."""
    found = lookups.by_id(Merchant, organization_id, ids)
    others = lookups.by_id(Merchant, organization_id, [row.merged_into_id for row in found.values()])
    return {key: others.get(row.merged_into_id, row) for key, row in found.items()}
