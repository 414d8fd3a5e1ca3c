"""Pushes of a bank feed: a provider, or a program on its behalf, sends lines."""

from typing import Any

from flask import Response, request

from webapp import queries, services
from webapp.api.accounts.feed_accounts import AnswerSchema
from webapp.schemas.paging import changing
from webapp.schemas.pushes import PushResultsSchema, PushSchema
from webapp.services.feeds.incoming_lines import PushBody
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import JSON, Blueprint, JsonAnswer
from webapp.web.access.requests import MEBIBYTE

bp = Blueprint("api_pushes", __name__, url_prefix="/api/feeds/accounts", description="Pushes of a feed")
BODY_LIMIT = 8 * MEBIBYTE


@bp.post("/<id:fa_id>/transactions")
@requires("draft", body_limit=BODY_LIMIT)
@bp.arguments(PushSchema)
@bp.response(200, PushResultsSchema)
def push(body: PushBody, fa_id: int) -> Response:
    """Push a batch of lines, all or nothing; the same batch again gets the same answer."""
    feed_account = queries.accounts.feed_accounts.get_with_books(organization_id(), fa_id)
    answer = services.feeds.pushes.push(feed_account, body, sent=request.get_data(), **acting())
    return JsonAnswer(answer, 200, content_type=JSON)


@bp.post("/<id:fa_id>/resume")
@requires("admin")
@bp.response(200, changing(AnswerSchema))
def resume(fa_id: int) -> dict[str, Any]:
    """Resume a paused feed."""
    feed_account = queries.accounts.feed_accounts.get(organization_id(), fa_id)
    services.feeds.pushes.resume(feed_account, **acting())
    return {"feedAccount": queries.accounts.feed_accounts.record(feed_account)}
