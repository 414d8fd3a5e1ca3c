"""The choices of forms: accounts, merchants, projects, groups, feed accounts."""

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any, Final, TypeAlias

import sqlalchemy as sa

from webapp.database.functions import fold
from webapp.database.sessions import db
from webapp.models import Account, ActionRequest, FeedAccount, Merchant, Project, ProjectGroup
from webapp.models.base import table_of
from webapp.queries.accounts.accounts import by_code
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once

ACTS_LOOKED_AT: Final = 200
MOST: Final = 5
# What forms show of a choice: an account, merchant, project or group, with its id and its name.
ChoiceRow: TypeAlias = sa.Row[tuple[Any, ...]]

_ACCOUNT, _MERCHANT = table_of(Account).c, table_of(Merchant).c


def accounts(
    organization_id: str, *, with_feeds: bool = False, chosen: Collection[int | None] = ()
) -> Sequence[ChoiceRow]:
    """List the accounts in use by code; feed-backed ones only where a filter may name them.

    Those that are `chosen` already are among them in any case: a select without the chosen option
    would show another one, and save it.
    """
    statement = _with_feeds if with_feeds else _without_feeds
    return db.session.execute(*statement(organization_id, _ids(chosen))).all()


@made_once
def _with_feeds(organization_id: str, ids: Sequence[int]) -> sa.Select[Any]:
    return _in_use(organization_id, ids, _ACCOUNT.is_archived.is_(False))


@made_once
def _without_feeds(organization_id: str, ids: Sequence[int]) -> sa.Select[Any]:
    feed = table_of(FeedAccount).c
    backed = sa.select(feed.account_id).where(feed.organization_id == organization_id)
    return _in_use(organization_id, ids, sa.and_(_ACCOUNT.is_archived.is_(False), _ACCOUNT.id.not_in(backed)))


def _in_use(organization_id: str, ids: Any, fits: sa.ColumnElement[bool]) -> sa.Select[Any]:
    return _accounts(organization_id, sa.or_(fits, among(_ACCOUNT.id, ids)))


def chosen(organization_id: str, *, chosen: Collection[int | None]) -> Sequence[ChoiceRow]:
    """List only those accounts that are chosen, by code."""
    return db.session.execute(*_chosen(organization_id, _ids(chosen))).all()


@made_once
def _chosen(organization_id: str, ids: Sequence[int]) -> sa.Select[Any]:
    return _accounts(organization_id, among(_ACCOUNT.id, ids))


def _accounts(organization_id: str, fits: sa.ColumnElement[bool]) -> sa.Select[Any]:
    account = _ACCOUNT
    return (
        sa.select(
            *(account.id, account.code, account.name, account.type, account.currency),
            *(account.is_archived, account.keeps_items, account.tax_code_id),
        )
        .where(account.organization_id == organization_id, fits)
        .order_by(*by_code(account))
    )


def merchants(organization_id: str, *, chosen: Collection[int | None] = ()) -> Sequence[ChoiceRow]:
    """List the merchants that count and those that are chosen already, A to Z."""
    return db.session.execute(*_merchants(organization_id, _ids(chosen))).all()


@made_once
def _merchants(organization_id: str, ids: Sequence[int]) -> sa.Select[Any]:
    merchant = _MERCHANT
    counts = sa.or_(merchant.merged_into_id.is_(None), among(merchant.id, ids))
    return (
        sa.select(merchant.id, merchant.name, merchant.merged_into_id)
        .where(merchant.organization_id == organization_id, counts)
        .order_by(fold(merchant.name), merchant.id)
    )


def projects(organization_id: str) -> Sequence[ChoiceRow]:
    """List the projects, A to Z."""
    return db.session.execute(*_by_name(Project)(organization_id)).all()


def project_groups(organization_id: str) -> Sequence[ChoiceRow]:
    """List the groups of projects, A to Z."""
    return db.session.execute(*_by_name(ProjectGroup)(organization_id)).all()


@cache
def _by_name(model: Any) -> Callable[[str], tuple[sa.Select[Any], dict[str, Any]]]:
    @made_once
    def statement(organization_id: str) -> sa.Select[Any]:
        row = table_of(model).c
        of_it = sa.select(row.id, row.name).where(row.organization_id == organization_id)
        return of_it.order_by(fold(row.name), row.id)

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
