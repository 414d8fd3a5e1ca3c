"""The choices of forms: accounts, merchants, projects, groups, feed accounts."""

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.functions import fold
from webapp.database.sessions import db
from webapp.models import Account, ActionRequest, FeedAccount, Merchant, Project, ProjectGroup
from webapp.queries.accounts.accounts import BY_CODE
from webapp.queries.common.made_once import made_once

ACTS_LOOKED_AT: Final = 200
MOST: Final = 5


def accounts(
    organization_id: str, *, with_feeds: bool = False, chosen: Collection[int | None] = ()
) -> list[Account]:
    """List the accounts in use by code; feed-backed ones only where a filter may name them.

    Those that are `chosen` already are among them in any case: a select without the chosen option
    would show another one, and save it.
    """
    statement = _with_feeds if with_feeds else _without_feeds
    return list(db.session.scalars(*statement(organization_id, _ids(chosen))))


@made_once
def _with_feeds(organization_id: str, ids: Sequence[int]) -> sa.Select[Any]:
    return _in_use(organization_id, ids, Account.is_archived.is_(False))


@made_once
def _without_feeds(organization_id: str, ids: Sequence[int]) -> sa.Select[Any]:
    backed = sa.select(FeedAccount.account_id).where(FeedAccount.organization_id == organization_id)
    return _in_use(organization_id, ids, sa.and_(Account.is_archived.is_(False), Account.id.not_in(backed)))


def _in_use(organization_id: str, ids: Any, fits: sa.ColumnElement[bool]) -> sa.Select[Any]:
    of_them = (Account.organization_id == organization_id, sa.or_(fits, Account.id.in_(ids)))
    return sa.select(Account).where(*of_them).order_by(*BY_CODE.columns)


def chosen(organization_id: str, *, chosen: Collection[int | None]) -> list[Account]:
    """List only those accounts that are chosen, by code."""
    return list(db.session.scalars(*_chosen(organization_id, _ids(chosen))))


@made_once
def _chosen(organization_id: str, ids: Sequence[int]) -> sa.Select[Any]:
    of_them = (Account.organization_id == organization_id, Account.id.in_(ids))
    return sa.select(Account).where(*of_them).order_by(*BY_CODE.columns)


def merchants(organization_id: str, *, chosen: Collection[int | None] = ()) -> list[Merchant]:
    """List the merchants that count and those that are chosen already, A to Z."""
    return list(db.session.scalars(*_merchants(organization_id, _ids(chosen))))


@made_once
def _merchants(organization_id: str, ids: Sequence[int]) -> sa.Select[Any]:
    counts = sa.or_(Merchant.merged_into_id.is_(None), Merchant.id.in_(ids))
    of_them = (Merchant.organization_id == organization_id, counts)
    return sa.select(Merchant).where(*of_them).order_by(fold(Merchant.name), Merchant.id)


def projects(organization_id: str) -> list[Project]:
    """List the projects, A to Z."""
    return list(db.session.scalars(*_by_name(Project)(organization_id)))


def project_groups(organization_id: str) -> list[ProjectGroup]:
    """List the groups of projects, A to Z."""
    return list(db.session.scalars(*_by_name(ProjectGroup)(organization_id)))


@cache
def _by_name(model: Any) -> Callable[[str], tuple[sa.Select[Any], dict[str, Any]]]:
    @made_once
    def statement(organization_id: str) -> sa.Select[Any]:
        of_it = sa.select(model).where(model.organization_id == organization_id)
        return of_it.order_by(fold(model.name), model.id)

    return statement


def feed_accounts(organization_id: str, *, chosen: Collection[int | None] = ()) -> list[FeedAccount]:
    """List the feed accounts in use and those that are chosen already, A to Z."""
    statement = sa.select(FeedAccount).where(
        FeedAccount.organization_id == organization_id,
        sa.or_(FeedAccount.is_active, FeedAccount.id.in_(_ids(chosen))),
    )
    return list(db.session.scalars(statement.order_by(fold(FeedAccount.name), FeedAccount.id)))


def _ids(chosen: Collection[int | None]) -> list[int]:
    return sorted({each for each in chosen if each is not None})


def recent(organization_id: str, user_id: int) -> list[int]:
    """List the ids of the accounts that the person gave to lines in the newest acts of the books, newest first."""
    newest = (
        sa.select(ActionRequest.kind, ActionRequest.status, ActionRequest.actor, ActionRequest.payload)
        .where(ActionRequest.organization_id == organization_id)
        .order_by(ActionRequest.id.desc())
        .limit(ACTS_LOOKED_AT)
    )
    found: dict[int, None] = {}
    for kind, status, actor, payload in db.session.execute(newest):
        is_mine = actor.get("kind") == "PERSON" and actor.get("id") == user_id
        account_id = payload.get("account_id", payload.get("accountId"))
        if kind == "edit_transaction" and status == "EXECUTED" and is_mine and isinstance(account_id, int):
            found.setdefault(account_id)
    return list(found)[:MOST]
