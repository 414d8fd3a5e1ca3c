"""Journal entries over JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webapp import queries, services
from webapp.queries.journal.entry_records import EntryFilters
from webapp.schemas.audit.action_requests import ActionResultSchema
from webapp.schemas.bookkeeping.journal_entries import (
    CorrectionSchema,
    EntryAnswerSchema,
    EntryChangesSchema,
    EntryDeletionQuerySchema,
    EntryPostSchema,
    EntryQuerySchema,
    ListedEntrySchema,
    ManualEntrySchema,
    VoidSchema,
    WrittenEntryAnswerSchema,
)
from webapp.schemas.paging import OkSchema, changing, listing
from webapp.services.audit.results import ActionResult
from webapp.web import paging
from webapp.web.access import selections
from webapp.web.access.auth import acting, demand, organization_id, requires
from webapp.web.access.blueprints import Blueprint

if TYPE_CHECKING:
    from webapp.models import JournalEntry

bp = Blueprint(
    "api_journal_entries", __name__, url_prefix="/api/journal-entries", description="Journal entries"
)


@bp.get("")
@requires("read")
@bp.arguments(EntryQuerySchema, location="query")
@bp.response(200, listing("entries", ListedEntrySchema))
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List journal entries, newest first."""
    since, entries = selections.changed_since(), queries.journal.entry_records.listed
    return paging.listed("entries", "di", query, entries, filters=EntryFilters, changed_since=since)


@bp.get("/<id:entry_id>")
@requires("read", is_documented=True)
@bp.response(200, EntryAnswerSchema)
def read(entry_id: int) -> dict[str, Any]:
    """Read one journal entry, its origin, and whether it can be voided."""
    record = queries.journal.entry_records.read(organization_id(), entry_id)
    if record.status == "DRAFT":
        return answer(queries.journal.entries.get(organization_id(), entry_id))
    return {"entry": record, "number": record.number}


@bp.post("")
@requires("draft", posts=True)
@bp.arguments(ManualEntrySchema)
@bp.response(201, WrittenEntryAnswerSchema)
def create(body: dict[str, Any]) -> dict[str, Any]:
    """Create a manual entry; posting it at once needs the scope confirm."""
    if body["post"]:
        demand("confirm")
    return written(services.bookkeeping.manual_entries.create(**body, **acting()))


@bp.put("/<id:entry_id>")
@requires("draft", posts=True)
@bp.arguments(EntryChangesSchema)
@bp.response(200, changing(WrittenEntryAnswerSchema))
def change(body: dict[str, Any], entry_id: int) -> dict[str, Any]:
    """Change a manual draft; posting it at once needs the scope confirm."""
    if body["post"]:
        demand("confirm")
    entry = queries.journal.entries.get(organization_id(), entry_id)
    return written(services.bookkeeping.manual_entries.change(entry, **body, **acting()))


@bp.delete("/<id:entry_id>")
@requires("draft")
@bp.arguments(EntryDeletionQuerySchema, location="query")
@bp.response(200, changing(OkSchema))
def delete(query: dict[str, Any], entry_id: int) -> dict[str, bool]:
    """Delete a manual draft."""
    services.bookkeeping.manual_entries.delete(
        queries.journal.entries.get(organization_id(), entry_id), **query, **acting()
    )
    return {"ok": True}


@bp.post("/<id:entry_id>/post")
@requires("confirm")
@bp.arguments(EntryPostSchema)
@bp.response(200, ActionResultSchema)
def post(body: dict[str, Any], entry_id: int) -> ActionResult:
    """Post a manual draft; a repeat changes nothing."""
    entry = queries.journal.entries.get(organization_id(), entry_id)
    return services.bookkeeping.manual_entries.post(entry, **body, **acting())


@bp.post("/<id:entry_id>/correct")
@requires("confirm")
@bp.arguments(CorrectionSchema)
@bp.response(200, changing(WrittenEntryAnswerSchema))
def correct(body: dict[str, Any], entry_id: int) -> dict[str, Any]:
    """Correct a posted entry that somebody wrote; the difference is posted, with its taxes on their tax point."""
    entry = queries.journal.entries.get(organization_id(), entry_id)
    return written(services.bookkeeping.posted_corrections.correct(entry, **body, **acting()))


@bp.post("/<id:entry_id>/void")
@requires("confirm")
@bp.arguments(VoidSchema)
@bp.response(200, ActionResultSchema)
def void(body: dict[str, Any], entry_id: int) -> ActionResult:
    """Void an entry by a reversal; a bank line gets a new draft, a manual entry only with `copy`."""
    if body["copy"]:
        demand("draft")
    body["effective_on"] = body.pop("effective_at")
    return services.bookkeeping.voids.void(
        queries.journal.entries.get(organization_id(), entry_id), **body, **acting()
    )


def answer(entry: JournalEntry) -> dict[str, Any]:
    """One entry with its number, or for a manual draft the version that a change of it has to name."""
    beside = {"number": entry.number, "version": queries.journal.manual_entries.version(entry)}
    shown = {name: value for name, value in beside.items() if value is not None}
    return {"entry": queries.journal.entry_records.read(entry.organization_id, entry.id), **shown}


def written(entry: JournalEntry) -> dict[str, Any]:
    """The same with what the act warns of, if only that there is nothing."""
    return {**answer(entry), "warnings": []}
