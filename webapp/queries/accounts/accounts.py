"""Queries on the chart of accounts."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.functions import fold
from webapp.database.sessions import db
from webapp.ledger.chart import UNCATEGORISED, AccountType, Role, ancestors, group_of
from webapp.ledger.money import Money
from webapp.ledger.rules.line_outcomes import AccountFacts
from webapp.ledger.texts.legible import cited
from webapp.models import Account, FeedAccount, MonthSum, Posting, of_same_organization, refers_to
from webapp.models.base import table_of
from webapp.queries.access import organizations
from webapp.queries.accounts import balances
from webapp.queries.accounts.balances import Balance
from webapp.queries.common import kept_rows, lookups
from webapp.queries.common.made_once import made_once
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.common.records import record_of


def by_code(account: Any) -> tuple[sa.ColumnElement[Any], ...]:
    """Order accounts, the model or its columns, by code; those without one come after all others, A to Z."""
    is_last = sa.case((account.code.is_(None), 1), else_=0)
    return is_last, sa.func.coalesce(account.code, fold(account.name)), account.id


BY_CODE = Order(
    by_code(Account),
    ascends=True,
)


@dataclass(frozen=True, slots=True)
class AccountRecord:
    """A ledger account with its balance: in its own currency, where it has none in the base currency."""

    id: int
    code: str | None
    name: str
    type: str
    emoji: str | None
    currency: str | None
    currency_from: date | None
    parent_id: int | None
    in_scope: bool
    requires_counterparty: bool
    is_watched: bool
    is_revalued: bool
    keeps_items: bool
    items_from: date | None
    is_system: bool
    is_archived: bool
    group: str
    tax_code_id: int | None
    balance: Money
    balance_base: Money


def get(organization_id: str, account_id: int) -> Account:
    """Find an account, or raise NotFoundError."""
    return lookups.get(Account, organization_id, account_id)


def record(account: Account, *, as_of: date | None = None) -> AccountRecord:
    """Give the record of one account, with its balance at the close of a day or of all time."""
    return records(account.organization_id, [account], as_of=as_of)[0]


def listed(
    organization_id: str,
    *,
    type_: str | None = None,
    archived: bool | None = None,
    ids: Sequence[int] = (),
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[AccountRecord]:
    """List accounts by code, with their balances; no ids leave all accounts."""
    statement = sa.select(Account).where(Account.organization_id == organization_id)
    if type_ is not None:
        statement = statement.where(Account.type == type_)
    if archived is not None:
        statement = statement.where(Account.is_archived.is_(archived))
    if ids:
        statement = statement.where(Account.id.in_(ids))
    found = page(statement, BY_CODE, after=after, limit=limit)
    return found.of(records(organization_id, found.items))


def chart(organization_id: str) -> list[tuple[str, list[AccountRecord]]]:
    """List all accounts by type and code, with their balances."""
    rows = db.session.scalars(
        sa.select(Account).where(Account.organization_id == organization_id).order_by(*BY_CODE.columns)
    ).all()
    every = records(organization_id, rows)
    return [(type_.value, [each for each in every if each.type == type_]) for type_ in AccountType]


def records(
    organization_id: str, accounts: Sequence[Account], *, as_of: date | None = None
) -> list[AccountRecord]:
    """Give the records of accounts; their balances, at the close of a day or of all time, are read in one statement."""
    base = organizations.get(organization_id).base_currency
    sums = balances.of_accounts(organization_id, [account.id for account in accounts], through=as_of)
    return [_record(account, base, sums.get(account.id, balances.NOTHING)) for account in accounts]


def _record(account: Account, base: str, balance: Balance) -> AccountRecord:
    balance_base = Money(balance.amount_base_minor, base)
    return record_of(
        AccountRecord,
        account,
        group=group_of(account.type, account.role, account.code, account.group),
        balance=Money(balance.amount_minor, account.currency) if account.currency else balance_base,
        balance_base=balance_base,
    )


def in_base_since(organization_id: str, account_ids: Collection[int]) -> frozenset[int]:
    """Find those accounts that took other currencies once, and only the base currency since."""
    statement = sa.select(Account.id).where(
        Account.organization_id == organization_id,
        Account.id.in_(account_ids),
        Account.currency_from.is_not(None),
    )
    return frozenset(db.session.scalars(statement) if account_ids else ())


def by_role(organization_id: str, role: Role) -> Account:
    """Find the system account that plays a role in the books."""
    key = f"{organization_id} {role}"
    found: Account | None = kept_rows.kept(key)
    if found is None:
        found = db.session.scalars(*_of_role(organization_id, role)).one()
        kept_rows.keep(key, found)
    return found


@made_once
def _of_role(organization_id: str, role: Role) -> sa.Select[Account]:
    return sa.select(Account).where(Account.organization_id == organization_id, Account.role == role)


def ids_by_role(organization_id: str, roles: Collection[Role]) -> set[int]:
    """Give the ids of the system accounts that play some roles in the books."""
    return set(
        db.session.scalars(
            sa.select(Account.id).where(Account.organization_id == organization_id, Account.role.in_(roles))
        )
    )


def feed_of(organization_id: str, account_id: int) -> FeedAccount | None:
    """Find the feed account that a ledger account stands behind, if it does."""
    return db.session.scalar(
        sa.select(FeedAccount).where(
            FeedAccount.organization_id == organization_id, FeedAccount.account_id == account_id
        )
    )


def feed_ids(organization_id: str) -> dict[int, int]:
    """Give the id of the feed account behind each ledger account that has one."""
    rows = db.session.execute(
        sa.select(FeedAccount.account_id, FeedAccount.id).where(
            FeedAccount.organization_id == organization_id
        )
    )
    return dict(rows.all())


def uncategorised_ids(organization_id: str) -> tuple[int, int]:
    """Give the ids of the accounts of uncategorised income and of uncategorised expenses."""
    found: dict[str, int] = dict(db.session.execute(*_uncategorised(organization_id)).all())
    income_id, expenses_id = (found[role] for role in UNCATEGORISED)
    return income_id, expenses_id


@made_once
def _uncategorised(organization_id: str) -> sa.Select[Any]:
    account = table_of(Account).c
    is_one = account.role.in_(UNCATEGORISED)
    return sa.select(account.role, account.id).where(account.organization_id == organization_id, is_one)


def for_counter_legs(organization_id: str) -> dict[int, AccountFacts]:
    """Give all accounts with the reason why they take no counter leg of a bank line, in a sentence."""
    return {
        account_id: AccountFacts(name, _closed(name, is_archived, feed_id), *facts)
        for account_id, name, is_archived, feed_id, *facts in db.session.execute(
            *_with_feeds(organization_id)
        ).all()
    }


def closed_to_counter_legs(organization_id: str) -> dict[int, str]:
    """Give the accounts that take no counter leg of a bank line, each with the reason in a sentence."""
    found = for_counter_legs(organization_id).items()
    return {account_id: each.closed for account_id, each in found if each.closed is not None}


def _closed(name: str, is_archived: object, feed_id: int | None) -> str | None:
    if feed_id is not None:
        return 'This is a bank\'s account; use "Transfers between own accounts" instead.'
    return f"{cited(name)} is archived; choose another account." if is_archived else None


@made_once
def _with_feeds(organization_id: str) -> sa.Select[Any]:
    account, feed = table_of(Account), table_of(FeedAccount)
    is_its = sa.and_(feed.c.organization_id == organization_id, feed.c.account_id == account.c.id)
    names = ("currency", "tax_code_id", "type", "role", "keeps_items")
    return (
        sa.select(
            account.c.id,
            account.c.name,
            account.c.is_archived,
            feed.c.id,
            *(account.c[name] for name in names),
        )
        .select_from(account.outerjoin(feed, is_its))
        .where(account.c.organization_id == organization_id)
    )


def in_currency(organization_id: str, currency: str, account_ids: Collection[int]) -> set[int]:
    """Give those of some accounts that take one currency alone; a session that holds them needs no statement."""
    known = db.session().identity_map
    keys = {each: orm.util.identity_key(Account, (organization_id, each)) for each in account_ids}
    held = {each: known.get(key) for each, key in keys.items()}
    found = lookups.by_id(Account, organization_id, [each for each, row in held.items() if row is None])
    rows = [row for row in (*held.values(), *found.values()) if row is not None]
    return {row.id for row in rows if row.currency == currency}


def codes(organization_id: str) -> dict[str, str]:
    """Return the codes that the accounts have, with their types."""
    rows = db.session.execute(
        sa.select(Account.code, Account.type).where(Account.organization_id == organization_id)
    )
    return {code: type_ for code, type_ in rows if code is not None}


def is_code_taken(organization_id: str, code: str, *, except_id: int | None = None) -> bool:
    """Return whether another account has this code."""
    taken = sa.select(Account.id).where(Account.organization_id == organization_id, Account.code == code)
    if except_id is not None:
        taken = taken.where(Account.id != except_id)
    return db.session.scalar(taken) is not None


def has_counting_postings(account: Account) -> bool:
    """Return whether any posting on an account counts in its balance."""
    return _exists(sa.select(MonthSum.account_id).where(refers_to(MonthSum.account_id, account)))


def has_postings(account: Account) -> bool:
    """Return whether any posting, of a draft too, is on an account."""
    return _exists(sa.select(Posting.id).where(refers_to(Posting.account_id, account)))


def has_other_currency(account: Account, currency: str) -> bool:
    """Return whether a posting or a draft on an account is in another currency."""
    return _exists(
        sa.select(Posting.id).where(refers_to(Posting.account_id, account), Posting.currency != currency)
    )


def _exists(statement: sa.Select[Any]) -> bool:
    return db.session.scalar(statement.limit(1)) is not None


def lineage(account: Account) -> list[int]:
    """List an account's ancestors, the nearest first."""
    parents: dict[int, int | None] = dict(
        db.session.execute(
            sa.select(Account.id, Account.parent_id).where(of_same_organization(Account, account))
        ).all()
    )
    return ancestors(account.id, parents)
