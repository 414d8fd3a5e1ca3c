"""One account, merchant or project for selected lines or all that match: previewed, done as shown, and undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import marshmallow as ma
from flask import Blueprint, Response

from webapp import queries, services
from webapp.ledger.errors import LedgerError
from webapp.ledger.titles import counted
from webapp.pages.transactions.confirmations import render_dock
from webapp.pages.transactions.feed_accounts import workspace_filters
from webapp.pages.transactions.workspace_facts import filters_of
from webapp.schemas.addresses import WorkspaceQuerySchema
from webapp.schemas.transactions.line_forms import SharedEditFormSchema, SharedUndoFormSchema
from webapp.services.transactions.changed_legs import LineChanges
from webapp.services.transactions.shared_edits import MovedLinesError, SharedEdit
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.problems import problem_of

if TYPE_CHECKING:
    from collections.abc import Mapping

bp = Blueprint("shared_edits", __name__, url_prefix="/transactions/change")
FIELDS = ("account_id", "org_merchant_id", "project_id")


@bp.post("")
@requires("draft", is_heavy=True)
def change() -> Response:
    """Show what a change would do to the lines, or do exactly what was shown."""
    body = SharedEditFormSchema().load(form_body(lists=frozenset({"ids"})))
    changes = cast("LineChanges", {name: body[name] for name in FIELDS if body.get(name) is not None})
    fa_id = body["fa_id"]
    queries.accounts.feed_accounts.get(organization_id(), fa_id)
    try:
        ids = lines_of(body)
        if not body["asked"]:
            shown = services.transactions.shared_edits.preview(organization_id(), ids, changes, **acting())
            return render_dock(fa_id, changing=question(shown, changes))
        done = services.transactions.shared_edits.edit(
            organization_id(), ids, changes, digest=body["asked"], **acting()
        )
    except MovedLinesError as error:
        shown = error.preview
        return render_dock(fa_id, problem=problem_of(error, place="dock"), changing=question(shown, changes))
    except (LedgerError, ma.ValidationError) as error:
        return render_dock(fa_id, problem=problem_of(error, place="dock"))
    undo = {"text": summary(done), "undo": done.act_ids, "fa_id": fa_id}
    return render_dock(fa_id, notice=undo)


@bp.post("/undo")
@requires("draft", is_heavy=True)
def undo() -> Response:
    """Give the lines of one change back what they had, except those that somebody has changed since."""
    body = SharedUndoFormSchema().load(form_body(lists=frozenset({"actIds"})))
    count, kept = services.undo.shared_edits.undo(organization_id(), body["act_ids"], **acting())
    text = f"{counted(count, 'line')} as before."
    return render_dock(body["fa_id"], notice={"text": " ".join([text, *reasons(kept)])})


def lines_of(body: Mapping[str, Any]) -> Sequence[int]:
    """The ids of the selected lines, or of all that the list of the page has."""
    if not body["every"]:
        if not body["ids"]:
            raise ma.ValidationError({"ids": ["Select a line first."]})
        return cast("list[int]", body["ids"])
    query = {**WorkspaceQuerySchema().load({}), **workspace_filters(body["fa_id"])}
    draft = queries.transactions.line_filters.open_draft(organization_id(), body["fa_id"])
    filters = filters_of(query, query["show"] or ("statement" if draft else "all"))
    return queries.transactions.selected_lines.matching(organization_id(), body["fa_id"], filters)


def question(shown: SharedEdit, changes: LineChanges) -> dict[str, Any]:
    """The question before lines are changed: to what, how many of each kind, and why some are skipped."""
    return {"preview": shown, "changes": changes, "names": names_of(changes)}


def names_of(changes: LineChanges) -> str:
    """What lines get, in names."""
    return ", ".join(
        queries.transactions.selected_lines.names(organization_id(), cast("dict[str, int]", changes))
    )


def summary(done: SharedEdit) -> str:
    """What was done, in a sentence or two."""
    parts = [f"{counted(done.changed, 'line')} changed."]
    if done.corrections:
        parts.append(f"{counted(done.corrections, 'correction')} to confirm.")
    if done.skipped:
        parts.append(f"{counted(done.skipped, 'line')} skipped.")
    return " ".join(parts)


def reasons(kept: Sequence[str]) -> list[str]:
    """How many lines stay as they are, and why the first of them does."""
    return [f"{counted(len(kept), 'line')} not undone: {kept[0]}"] if kept else []
