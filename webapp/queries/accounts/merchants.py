"""Queries on merchants: finding one, those that count, and those that are merged into one."""

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.functions import fold
from webapp.database.sessions import db
from webapp.ledger.journal.transfer_sides import compact
from webapp.models import Merchant
from webapp.queries.common import lookups
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.common.search import contains

# A VAT id, an account and a name of each of some parties; of more, it is quicker to read all.
FEW_MARKS = 12
BY_NAME = Order((fold(Merchant.name), Merchant.id), ascends=True)  # type: ignore[arg-type]


def get(organization_id: str, merchant_id: int) -> Merchant:
    """Find a merchant, or raise NotFoundError."""
    return lookups.get(Merchant, organization_id, merchant_id)


def named(organization_id: str, name: str) -> Sequence[Merchant]:
    """List the merchants of a name, however it is written, that count."""
    is_named = fold(sa.func.trim(Merchant.name)) == fold(sa.literal(name.strip()))
    statement = sa.select(Merchant).where(
        Merchant.organization_id == organization_id, is_named, Merchant.merged_into_id.is_(None)
    )
    return db.session.scalars(statement.order_by(Merchant.id)).all()


def listed(
    organization_id: str,
    *,
    q: str | None = None,
    merged_into_id: int | None = None,
    ids: Sequence[int] = (),
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[Merchant]:
    """List by name the merchants that count, those that are merged into one, or those of some ids, merged or not.

    A text is looked for in their names and websites, and in the names of those that are merged into them.
    """
    statement = sa.select(Merchant).where(Merchant.organization_id == organization_id)
    if ids:
        statement = statement.where(Merchant.id.in_(ids))
    if not ids or merged_into_id is not None:
        # No id is None, so that this asks for those that are not merged.
        statement = statement.where(Merchant.merged_into_id.is_not_distinct_from(merged_into_id))
    if q is not None:
        statement = statement.where(_matches(organization_id, q))
    return page(statement, BY_NAME, after=after, limit=limit)


@dataclass(frozen=True, slots=True)
class PartyMarks:
    """What a merchant may be known by, as a document states it."""

    vat_id: str | None = None
    iban: str | None = None
    name: str | None = None


def recognised(organization_id: str, parties: Collection[PartyMarks]) -> dict[PartyMarks, list[Merchant]]:
    """List for each of some parties the merchants that count that are known by its marks.

    That is by the VAT id, else by the account, else by the name regardless of case. Several are for a person to choose
    from.
    """
    rows = _candidates(organization_id, parties)
    by_mark: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for row in rows:
        marks = [("vat_id", each) for each in row.vat_ids] + [("iban", each) for each in row.ibans]
        for kind, mark in {*((kind, mark.lower()) for kind, mark in marks), ("name", row.folded)}:
            by_mark[kind, mark].append(row.merged_into_id or row.id)
    ids = {party: next(filter(None, (by_mark.get(each) for each in _marks(party))), []) for party in parties}
    found = lookups.by_id(Merchant, organization_id, [each for some in ids.values() for each in some])
    return {party: [found[each] for each in dict.fromkeys(some)] for party, some in ids.items()}


def _marks(party: PartyMarks) -> list[tuple[str, str]]:
    """List what a party is looked for by, the surest first."""
    marks = [
        ("vat_id", compact(party.vat_id or "")),
        ("iban", compact(party.iban or "")),
        ("name", party.name or ""),
    ]
    return [(kind, mark.lower()) for kind, mark in marks if mark]


def _candidates(organization_id: str, parties: Collection[PartyMarks]) -> Sequence[Any]:
    """Read, by id, the merchants of the names of some parties, and those with a VAT id or an account.

    Where few are looked for, only those with one of theirs: a list is stored as JSON, each within quotes.
    """
    wanted = {mark for party in parties for mark in _marks(party)}
    if not wanted:
        return []
    lists = {"vat_id": sa.cast(Merchant.vat_ids, sa.Text), "iban": sa.cast(Merchant.ibans, sa.Text)}
    folded = fold(Merchant.name)
    conditions: list[sa.ColumnElement[bool]] = [folded.in_([mark for kind, mark in wanted if kind == "name"])]
    if len(wanted) <= FEW_MARKS:
        conditions += [contains(lists[kind], json.dumps(mark)) for kind, mark in wanted if kind in lists]
    else:
        conditions += [column != "[]" for column in lists.values()]
    columns = (Merchant.id, Merchant.merged_into_id, Merchant.vat_ids, Merchant.ibans, folded.label("folded"))
    of_books = Merchant.organization_id == organization_id
    asked = sa.select(*columns).where(of_books, sa.or_(*conditions)).order_by(Merchant.id)
    return db.session.execute(asked).all()


def _matches(organization_id: str, typed: str) -> sa.ColumnElement[bool]:
    other = orm.aliased(Merchant)
    merged = sa.select(other.merged_into_id).where(
        other.organization_id == organization_id,
        other.merged_into_id.is_not(None),
        contains(other.name, typed),
    )
    own = [contains(text, typed) for text in (Merchant.name, Merchant.website)]
    return sa.or_(*own, Merchant.id.in_(merged))


def merged_into(merchant: Merchant) -> list[Merchant]:
    """List the merchants that count as another one, A to Z."""
    found = sa.select(Merchant).where(
        Merchant.organization_id == merchant.organization_id, Merchant.merged_into_id == merchant.id
    )
    return list(db.session.scalars(found.order_by(*BY_NAME.columns)))
