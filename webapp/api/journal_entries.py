"""Journal entries over JSON."""

from __future__ import annotations

from typing import Any

from flask_smorest import Blueprint

from webapp import queries, services
from webapp.queries.entry_records import Filters
from webapp.schemas.action_requests import ActionResultSchema
from webapp.schemas.journal_entries import EntryQuerySchema, JournalEntrySchema, ManualEntrySchema, VoidSchema
from webapp.schemas.paging import listing, wrapped
from webapp.web import paging
from webapp.web.auth import acting, demand, here, requires

bp = Blueprint(
    "api_journal_entries", __name__, url_prefix="/api/journal-entries", description="Journal entries"
)
AnswerSchema = wrapped("entry", JournalEntrySchema)


@bp.get("")
@requires("read")
@bp.arguments(EntryQuerySchema, location="query")
@bp.response(200, listing("entries", JournalEntrySchema))
def listed(asked: dict[str, Any]) -> dict[str, Any]:
    """List journal entries, newest first."""
    limit, after = asked.pop("limit"), paging.decode(asked.pop("cursor"), "di")
    page = queries.entry_records.listed(here(), Filters(**asked), after=after, limit=limit)
    return paging.answer("entries", page)


@bp.get("/<id:entry_id>")
@requires("read", is_documented=True)
@bp.response(200, AnswerSchema)
def read(entry_id: int) -> dict[str, Any]:
    """Read one journal entry, its origin, and whether it can be voided."""
    return {"entry": queries.entry_records.record(queries.journal_entries.get(here(), entry_id))}


@bp.post("")
@requires("draft")
@bp.arguments(ManualEntrySchema)
@bp.response(201, AnswerSchema)
def create(body: dict[str, Any]) -> dict[str, Any]:
    """Write a manual entry; posting it at once needs the scope confirm."""
    if body["post"]:
        demand("confirm")
    return {"entry": queries.entry_records.record(services.manual_entries.create(**body, **acting()))}


@bp.post("/<id:entry_id>/void")
@requires("confirm")
@bp.arguments(VoidSchema)
@bp.response(200, ActionResultSchema)
def void(body: dict[str, Any], entry_id: int) -> dict[str, Any]:
    """Cancel an entry as it stands by a reversal; a bank line gets a fresh draft."""
    entry = queries.journal_entries.get(here(), entry_id)
    return services.voids.void(entry, reason=body["reason"], effective_on=body["effective_at"], **acting())
