"""What the books name: accounts, bank accounts, merchants, projects and rules, found by name or code."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.texts.finding import Fit, fit, words
from webapp.models import Account, FeedAccount, Merchant, Project, ProjectGroup, Rule
from webapp.queries.common.merchants import counting as counting_merchants
from webapp.queries.common.search import contains

# So many rows of a kind are ranked: more than organizations have, and few enough for a moment.
MOST_RANKED = 5000


class Named(NamedTuple):
    """Something with a name, and how well it fits what was typed."""

    id: int
    name: str
    code: str
    detail: str
    fit: Fit


def accounts(organization_id: str, typed: str, *, limit: int) -> list[Named]:
    """Find ledger accounts by code and name; their detail is the type."""
    columns = (Account.id, Account.name, Account.code, Account.type)
    found = _best(typed, _rows(organization_id, Account, columns, typed), limit)
    return [each._replace(detail=each.detail.capitalize()) for each in found]


def feed_accounts(organization_id: str, typed: str = "", *, limit: int = MOST_RANKED) -> list[Named]:
    """Find the bank accounts in use by name and by the last digits of their number; nothing typed finds all of them."""
    columns = (FeedAccount.id, FeedAccount.name, FeedAccount.mask, FeedAccount.currency)
    rows = _rows(organization_id, FeedAccount, columns, "", FeedAccount.is_active)
    if typed:
        return _best(typed, rows, limit)
    return [Named(row[0], row[1], row[2] or "", row[3], Fit.NAME) for row in rows]


def merchants(organization_id: str, typed: str, *, limit: int) -> list[Named]:
    """Find merchants by name; one that is merged leads to the one that it counts as, with its own name as detail."""
    columns = (Merchant.id, Merchant.name, sa.null(), Merchant.website)
    found = _best(typed, _rows(organization_id, Merchant, columns, typed), limit)
    counting = counting_merchants(organization_id, [each.id for each in found])
    shown: dict[int, Named] = {}
    for each in found:
        row = counting[each.id]
        is_merged = row.id != each.id
        shown.setdefault(
            row.id, each._replace(id=row.id, name=row.name, detail=each.name) if is_merged else each
        )
    return list(shown.values())


def projects(organization_id: str, typed: str, *, limit: int) -> list[Named]:
    """Find projects by name; their detail is their group."""
    columns = (Project.id, Project.name, sa.null(), ProjectGroup.name)
    return _best(typed, _rows(organization_id, Project, columns, typed), limit)


def rules(organization_id: str, typed: str, *, limit: int) -> list[Named]:
    """Find rules by name."""
    columns = (Rule.id, Rule.name, sa.null(), Rule.description)
    return _best(typed, _rows(organization_id, Rule, columns, typed), limit)


def _rows(
    organization_id: str, model: Any, columns: Sequence[Any], typed: str, *conditions: Any
) -> Sequence[Any]:
    """Read names, those with the longest typed word first; others may have it with accents."""
    statement = sa.select(*columns).where(model.organization_id == organization_id, *conditions)
    if model is Project:
        statement = statement.outerjoin(Project.group)
    is_first = contains(model.name, max(words(typed), key=len, default=""))
    return db.session.execute(statement.order_by(is_first.desc(), model.id.desc()).limit(MOST_RANKED)).all()


def _best(typed: str, rows: Sequence[Any], limit: int) -> list[Named]:
    found = [
        Named(row_id, name, code or "", detail or "", fits)
        for row_id, name, code, detail in rows
        if (fits := fit(typed, name, code=code or "")) is not None
    ]
    return sorted(found, key=lambda each: (each.fit, each.name.lower(), each.id))[:limit]
