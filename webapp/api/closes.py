"""Closes of months over JSON."""

import json
from dataclasses import replace
from typing import Any

from flask import Response, url_for

from webapp import queries, services
from webapp.ledger.errors import NotFoundError
from webapp.ledger.scopes import CLOSE
from webapp.queries.closes.closes import CloseRecord
from webapp.schemas.audit.action_requests import ActionResultSchema
from webapp.schemas.closes import (
    AccrualSchema,
    CloseApprovalSchema,
    CloseDocumentSchema,
    ClosePreparationSchema,
    CloseReopeningSchema,
    CloseSchema,
    CloseTickSchema,
    CloseUntickSchema,
)
from webapp.schemas.paging import changing, wrapped
from webapp.services.audit.results import ActionResult
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint
from webapp.web.written_files import downloaded, spooled

bp = Blueprint("api_closes", __name__, url_prefix="/api/closes", description="Closes of months")
AnswerSchema = wrapped("close", CloseSchema)


@bp.get("/<string:period>")
@requires("read", is_heavy=True)
@bp.response(200, AnswerSchema)
def read(period: str) -> dict[str, Any]:
    """Read the close of a month such as 2026-03: what is left to do, and what is dated after it."""
    return answer(period)


def answer(period: str) -> dict[str, Any]:
    """Give the close of a month with the addresses of its pages."""
    found: CloseRecord = queries.closes.closes.read(organization_id(), period, requests.now())
    steps = [replace(each, href=each.page and url_for(each.page, **each.named)) for each in found.steps]
    return {"close": replace(found, steps=steps)}


@bp.get("/<string:period>/document")
@requires("read")
@bp.response(200, CloseDocumentSchema)
def document(period: str) -> dict[str, Any]:
    """Read what a close froze, to be kept and verified elsewhere."""
    last = queries.closes.closes.month_of(period).last
    row = queries.closes.closes.newest_of(organization_id(), last)
    if row is None:
        raise NotFoundError
    return {"document": json.loads(row.document), "digest": row.digest}


@bp.get("/<string:period>/pack")
@requires("read", is_heavy=True)
@bp.response(200, content_type="application/octet-stream", description="A workbook")
def pack(period: str) -> Response:
    """Download the pack of a close as a workbook: statements, lists, proofs, cut-off and steps, a sheet each."""
    tables = queries.closes.packs.of_close(organization_id(), period, requests.now())
    file = spooled()
    media_type = queries.closes.packs.write(tables, file)
    return downloaded(file, f"close-{period}.xlsx", media_type)


@bp.post("/<string:period>/prepare")
@requires("reconcile", is_heavy=True)
@bp.arguments(ClosePreparationSchema)
@bp.response(200, changing(AnswerSchema))
def prepare(body: dict[str, Any], period: str) -> dict[str, Any]:
    """Prepare the close of a month: what it will freeze, with the steps that are accepted as they are."""
    services.closes.closes.prepare(period, **body, **acting())
    return answer(period)


@bp.post("/<string:period>/approve")
@requires(CLOSE, closes=True, is_heavy=True)
@bp.arguments(CloseApprovalSchema)
@bp.response(200, changing(AnswerSchema))
def approve(body: dict[str, Any], period: str) -> dict[str, Any]:
    """Close a month as it was prepared, and lock it; only somebody who signed in may."""
    services.closes.closes.approve(period, **body, **acting())
    return answer(period)


@bp.post("/<string:period>/complete")
@requires(CLOSE, closes=True, is_heavy=True)
@bp.arguments(ClosePreparationSchema)
@bp.response(200, changing(AnswerSchema))
def complete(body: dict[str, Any], period: str) -> dict[str, Any]:
    """Prepare and approve the close of a month at once; only somebody who signed in may."""
    services.closes.closes.complete(period, **body, **acting())
    return answer(period)


@bp.post("/<string:period>/accruals")
@requires("confirm", is_heavy=True)
@bp.arguments(AccrualSchema)
@bp.response(200, ActionResultSchema)
def accrue(body: dict[str, Any], period: str) -> ActionResult:
    """Post the result of a later entry at the end of a month, and reverse it on the next day."""
    return services.closes.accruals.accrue(period, **body, **acting())


@bp.post("/<string:period>/reopen")
@requires("admin", closes=True, is_heavy=True)
@bp.arguments(CloseReopeningSchema)
@bp.response(200, changing(AnswerSchema))
def reopen(body: dict[str, Any], period: str) -> dict[str, Any]:
    """Reopen the newest close: its days are open again, what it froze stays; only somebody who signed in may."""
    services.closes.closes.reopen(period, **body, **acting())
    return answer(period)


@bp.post("/<string:period>/steps/<string:code>/done")
@requires("reconcile")
@bp.arguments(CloseTickSchema)
@bp.response(200, changing(AnswerSchema))
def tick(body: dict[str, Any], period: str, code: str) -> dict[str, Any]:
    """Tick a step of one's own, or something within a step."""
    services.closes.marks.done(period, code, **body, **acting())
    return answer(period)


@bp.post("/<string:period>/steps/<string:code>/undone")
@requires("reconcile")
@bp.arguments(CloseUntickSchema)
@bp.response(200, changing(AnswerSchema))
def untick(body: dict[str, Any], period: str, code: str) -> dict[str, Any]:
    """Take a tick back."""
    services.closes.marks.undone(period, code, **body, **acting())
    return answer(period)
