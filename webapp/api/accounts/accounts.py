"""The chart of accounts over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.accounts.accounts import (
    AccountChangesSchema,
    AccountDayQuerySchema,
    AccountQuerySchema,
    AccountSchema,
    NewAccountSchema,
    RegisterLineSchema,
    RegisterQuerySchema,
)
from webapp.schemas.paging import changing, listing, wrapped
from webapp.services.accounts.accounts import AccountChanges
from webapp.web import paging
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_accounts", __name__, url_prefix="/api/accounts", description="Ledger accounts")
AnswerSchema = wrapped("account", AccountSchema)


@bp.get("")
@requires("read")
@bp.arguments(AccountQuerySchema, location="query")
@bp.response(200, listing("accounts", AccountSchema))
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List ledger accounts by code, with their balances."""
    return paging.listed("accounts", "isi", query, queries.accounts.accounts.listed)


@bp.post("")
@requires("admin")
@bp.arguments(NewAccountSchema)
@bp.response(201, AnswerSchema)
def create(body: dict[str, Any]) -> dict[str, Any]:
    """Open a ledger account."""
    return {
        "account": queries.accounts.accounts.record(services.accounts.accounts.create(**body, **acting()))
    }


@bp.get("/<id:account_id>")
@requires("read")
@bp.arguments(AccountDayQuerySchema, location="query")
@bp.response(200, AnswerSchema)
def read(query: dict[str, Any], account_id: int) -> dict[str, Any]:
    """Read one ledger account, with its balance at the close of a day (`asOf`) or of all time."""
    return {
        "account": queries.accounts.accounts.record(
            queries.accounts.accounts.get(organization_id(), account_id), **query
        )
    }


@bp.get("/<id:account_id>/postings")
@requires("read")
@bp.arguments(RegisterQuerySchema, location="query")
@bp.response(200, listing("postings", RegisterLineSchema))
def postings(query: dict[str, Any], account_id: int) -> dict[str, Any]:
    """List the postings of an account, newest or oldest first, with the balance after each posting."""
    account = queries.reports.registers.account(organization_id(), account_id)
    query["after"] = paging.decode(query.pop("cursor"), "dii")
    query["oldest_first"] = query.pop("order") == "OLDEST"
    return paging.answer("postings", queries.reports.registers.page(account, **query))


@bp.patch("/<id:account_id>")
@requires("admin")
@bp.arguments(AccountChangesSchema)
@bp.response(200, changing(AnswerSchema))
def update(changes: AccountChanges, account_id: int) -> dict[str, Any]:
    """Change or archive a ledger account."""
    account = services.accounts.accounts.update(
        queries.accounts.accounts.get(organization_id(), account_id), changes, **acting()
    )
    return {"account": queries.accounts.accounts.record(account)}
