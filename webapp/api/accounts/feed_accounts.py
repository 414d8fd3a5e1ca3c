"""Feed accounts over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.accounts.feed_accounts import (
    CoverageSchema,
    FeedAccountChangesSchema,
    FeedAccountSchema,
    NewFeedAccountSchema,
)
from webapp.schemas.paging import PageSchema, changing, listing, wrapped
from webapp.services.accounts.feed_accounts import FeedAccountChanges
from webapp.web import paging
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_feed_accounts", __name__, url_prefix="/api/feeds/accounts", description="Feed accounts")
AnswerSchema = wrapped("feedAccount", FeedAccountSchema)


@bp.get("")
@requires("read")
@bp.arguments(PageSchema, location="query")
@bp.response(200, listing("feedAccounts", FeedAccountSchema))
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List feed accounts, newest first."""
    return paging.listed("feedAccounts", "i", query, queries.accounts.feed_accounts.listed)


@bp.post("")
@requires("admin")
@bp.arguments(NewFeedAccountSchema)
@bp.response(201, AnswerSchema)
def create(body: dict[str, Any]) -> dict[str, Any]:
    """Open a feed account, with a ledger account of its own unless one is named."""
    feed_account = services.accounts.feed_accounts.create(**body, **acting())
    return {"feedAccount": queries.accounts.feed_accounts.record(feed_account)}


@bp.get("/<id:fa_id>")
@requires("read")
@bp.response(200, AnswerSchema)
def read(fa_id: int) -> dict[str, Any]:
    """Read one feed account."""
    return {
        "feedAccount": queries.accounts.feed_accounts.record(
            queries.accounts.feed_accounts.get(organization_id(), fa_id)
        )
    }


@bp.patch("/<id:fa_id>")
@requires("admin")
@bp.arguments(FeedAccountChangesSchema)
@bp.response(200, changing(AnswerSchema))
def edit(changes: FeedAccountChanges, fa_id: int) -> dict[str, Any]:
    """Change a feed account; its ledger account can only be replaced while no line is posted."""
    feed_account = queries.accounts.feed_accounts.get(organization_id(), fa_id)
    services.accounts.feed_accounts.edit(feed_account, changes, **acting())
    return {"feedAccount": queries.accounts.feed_accounts.record(feed_account)}


@bp.get("/<id:fa_id>/coverage")
@requires("read")
@bp.response(200, wrapped("coverage", CoverageSchema))
def coverage(fa_id: int) -> dict[str, Any]:
    """List the months of a feed account that files or feeds cover, and whether its lines and proofs agree and hold."""
    feed_account = queries.accounts.feed_accounts.get(organization_id(), fa_id)
    proofs = queries.reconciliation.proof_lists.covering(feed_account)
    return {"coverage": queries.imports.coverage.record(feed_account, proofs)}
