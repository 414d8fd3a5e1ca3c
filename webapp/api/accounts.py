"""The chart of accounts over JSON."""

from __future__ import annotations

from typing import Any

from flask_smorest import Blueprint

from webapp import queries, services
from webapp.schemas.accounts import AccountChangesSchema, AccountQuerySchema, AccountSchema, NewAccountSchema
from webapp.schemas.paging import listing, wrapped
from webapp.web import paging
from webapp.web.auth import acting, here, requires

bp = Blueprint("api_accounts", __name__, url_prefix="/api/accounts", description="Ledger accounts")
AnswerSchema = wrapped("account", AccountSchema)


@bp.get("")
@requires("read")
@bp.arguments(AccountQuerySchema, location="query")
@bp.response(200, listing("accounts", AccountSchema))
def listed(asked: dict[str, Any]) -> dict[str, Any]:
    """List ledger accounts by code, with their balances."""
    after = paging.decode(asked.pop("cursor"), "isi")
    return paging.answer("accounts", queries.accounts.listed(here(), after=after, **asked))


@bp.post("")
@requires("admin")
@bp.arguments(NewAccountSchema)
@bp.response(201, AnswerSchema)
def create(body: dict[str, Any]) -> dict[str, Any]:
    """Open a ledger account."""
    return {"account": queries.accounts.record(services.accounts.create(**body, **acting()))}


@bp.get("/<id:account_id>")
@requires("read")
@bp.response(200, AnswerSchema)
def read(account_id: int) -> dict[str, Any]:
    """Read one ledger account."""
    return {"account": queries.accounts.record(queries.accounts.get(here(), account_id))}


@bp.patch("/<id:account_id>")
@requires("admin")
@bp.arguments(AccountChangesSchema)
@bp.response(200, AnswerSchema)
def update(changes: dict[str, Any], account_id: int) -> dict[str, Any]:
    """Change or archive a ledger account."""
    account = services.accounts.update(queries.accounts.get(here(), account_id), changes, **acting())
    return {"account": queries.accounts.record(account)}
