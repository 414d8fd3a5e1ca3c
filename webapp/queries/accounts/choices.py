"""The choices of forms: accounts, merchants, projects, groups, feed accounts."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from webapp.db import db
from webapp.models import Account, FeedAccount, Merchant, Project, ProjectGroup
from webapp.queries.accounts.accounts import BY_CODE
from webapp.sql_functions import fold


def accounts(
    organization_id: str, *, with_feeds: bool = False, chosen: Collection[int | None] = ()
) -> list[Account]:
    """List the accounts in use by code; feed-backed ones only where a filter may name them.

    Those that are `chosen` already are among them in any case: a select without the chosen option
    would show another one, and save it.
    """
    fits: sa.ColumnElement[bool] = Account.is_archived.is_(False)
    if not with_feeds:
        backed = sa.select(FeedAccount.account_id).where(FeedAccount.organization_id == organization_id)
        fits = sa.and_(fits, Account.id.not_in(backed))
    statement = sa.select(Account).where(
        Account.organization_id == organization_id, sa.or_(fits, Account.id.in_(_ids(chosen)))
    )
    return list(db.session.scalars(statement.order_by(*BY_CODE.columns)))


def chosen(organization_id: str, *, chosen: Collection[int | None]) -> list[Account]:
    """List only those accounts that are chosen, by code."""
    statement = sa.select(Account).where(
        Account.organization_id == organization_id, Account.id.in_(_ids(chosen))
    )
    return list(db.session.scalars(statement.order_by(*BY_CODE.columns)))


def merchants(organization_id: str, *, chosen: Collection[int | None] = ()) -> list[Merchant]:
    """List the merchants that count and those that are chosen already, A to Z."""
    statement = sa.select(Merchant).where(
        Merchant.organization_id == organization_id,
        sa.or_(Merchant.merged_into_id.is_(None), Merchant.id.in_(_ids(chosen))),
    )
    return list(db.session.scalars(statement.order_by(fold(Merchant.name), Merchant.id)))


def projects(organization_id: str) -> list[Project]:
    """List the projects, A to Z."""
    statement = sa.select(Project).where(Project.organization_id == organization_id)
    return list(db.session.scalars(statement.order_by(fold(Project.name), Project.id)))


def project_groups(organization_id: str) -> list[ProjectGroup]:
    """List the groups of projects, A to Z."""
    statement = sa.select(ProjectGroup).where(ProjectGroup.organization_id == organization_id)
    return list(db.session.scalars(statement.order_by(fold(ProjectGroup.name), ProjectGroup.id)))


def feed_accounts(organization_id: str, *, chosen: Collection[int | None] = ()) -> list[FeedAccount]:
    """List the feed accounts in use and those that are chosen already, A to Z."""
    statement = sa.select(FeedAccount).where(
        FeedAccount.organization_id == organization_id,
        sa.or_(FeedAccount.is_active, FeedAccount.id.in_(_ids(chosen))),
    )
    return list(db.session.scalars(statement.order_by(fold(FeedAccount.name), FeedAccount.id)))


def _ids(chosen: Collection[int | None]) -> list[int]:
    return sorted({each for each in chosen if each is not None})
