"""One account, tax code, merchant or project for selected lines or all that match: shown before, and undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import marshmallow as ma
from flask import Blueprint, Response, url_for

from webapp import queries, services
from webapp.ledger.errors import LedgerError
from webapp.ledger.titles import counted
from webapp.pages.transactions import line_parts
from webapp.pages.transactions.confirmations import lines_of, render_dock
from webapp.schemas.transactions.line_forms import SharedEditFormSchema, SharedUndoFormSchema
from webapp.services.transactions.changed_legs import LineChanges
from webapp.services.transactions.shared_edits import MovedLinesError, SharedEdit
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.problems import problem_of

if TYPE_CHECKING:
    from collections.abc import Mapping

bp = Blueprint("shared_edits", __name__, url_prefix="/transactions/change")
FIELD_NAMES = {
    "account_id": "accountId",
    "tax_code_id": "taxCodeId",
    "org_merchant_id": "orgMerchantId",
    "project_id": "projectId",
}
LISTS = frozenset({"ids", "seen", "actIds", "refused"})


@bp.post("")
@requires("draft", is_heavy=True)
def change() -> Response:
    """Show what a change would do to the lines, or do exactly what was shown."""
    body = SharedEditFormSchema().load(form_body(lists=LISTS))
    changes = cast("LineChanges", {name: body[name] for name in FIELD_NAMES if body.get(name) is not None})
    fa_id = body["fa_id"]
    queries.accounts.feed_accounts.get(organization_id(), fa_id)
    try:
        ids = lines_of(body)
        if not body["asked"]:
            shown = services.transactions.shared_edits.preview(organization_id(), ids, changes, **acting())
            return render_dock(
                fa_id, changing=question(shown, changes, of_list=len(ids) if body["every"] else 0)
            )
        if body["seen"]:
            return render_dock(fa_id, notice=change_part(body, ids, changes))
        done = services.transactions.shared_edits.edit(
            organization_id(), ids, changes, digest=body["asked"], **acting()
        )
    except MovedLinesError as error:
        shown = error.preview
        return render_dock(fa_id, problem=problem_of(error, place="dock"), changing=question(shown, changes))
    except (LedgerError, ma.ValidationError) as error:
        return render_dock(fa_id, problem=problem_of(error, place="dock"))
    refused = [line_parts.refusal(*each) for each in done.refused]
    return render_dock(fa_id, notice=notice_of(fa_id, done.changed, done.corrections, refused, done.act_ids))


def change_part(body: Mapping[str, Any], ids: Sequence[int], changes: LineChanges) -> dict[str, Any]:
    """Change the first part of many lines; answers how far that is, and goes on, or what became of all."""
    part, rest = ids[: line_parts.PART], list(ids[line_parts.PART :])
    done = services.transactions.shared_edits.edit_part(
        organization_id(), part, changes, seen=dict(zip(ids, body["seen"], strict=False)), **acting()
    )
    total = body["total"] or len(ids)
    acts, corrections = [*body["act_ids"], *done.act_ids], body["corrections"] + done.corrections
    refused = [*body["refused"], *(line_parts.refusal(*each) for each in done.refused)]
    if not rest:
        return notice_of(body["fa_id"], len(acts), corrections, refused, acts)
    values = {
        "faId": body["fa_id"],
        "asked": body["asked"],
        **{FIELD_NAMES[name]: value for name, value in changes.items()},
        "total": total,
        "corrections": corrections,
        "ids": rest,
        "seen": body["seen"][len(part) :],
        "actIds": acts,
        "refused": refused,
    }
    text = f"{total - len(rest):,} of {counted(total, 'line')} done."
    return line_parts.going(text, url_for("shared_edits.change"), values)


def notice_of(
    fa_id: int, changed: int, corrections: int, refused: Sequence[str], act_ids: Sequence[str]
) -> dict[str, Any]:
    """The notice on changed lines: how many, which ones were refused, and the way back."""
    back = line_parts.form(
        "Undo this", url_for("shared_edits.undo"), {"faId": fa_id, "actIds": list(act_ids)}
    )
    listed = line_parts.refused_lines(fa_id, refused)
    return {"text": summary(changed, corrections, len(refused)), "forms": [back] if act_ids else [], **listed}


@bp.post("/undo")
@requires("draft", is_heavy=True)
def undo() -> Response:
    """Give the lines of one change back what they had, except those that somebody has changed since."""
    body = SharedUndoFormSchema().load(form_body(lists=LISTS))
    # The newest part first.
    rest, part = body["act_ids"][: -line_parts.PART], body["act_ids"][-line_parts.PART :]
    count, kept = services.undo.transactions.undo_edits(organization_id(), part, **acting())
    done, kept = body["done"] + count, [*body["refused"], *kept]
    text = f"{counted(done, 'line')} as before."
    if rest:
        values = {"faId": body["fa_id"], "done": done, "actIds": rest, "refused": kept}
        return render_dock(body["fa_id"], notice=line_parts.going(text, url_for("shared_edits.undo"), values))
    return render_dock(body["fa_id"], notice={"text": " ".join([text, *reasons(kept)])})


def question(shown: SharedEdit, changes: LineChanges, *, of_list: int = 0) -> dict[str, Any]:
    """The question before lines, or all those of a list, are changed: to what, how many, and why some are skipped."""
    count = len(shown.line_ids)
    return {
        "preview": shown,
        "changes": changes,
        "names": names_of(changes),
        "every": of_list,
        "count": count,
    }


def names_of(changes: LineChanges) -> str:
    """What lines get, in names."""
    return ", ".join(
        queries.transactions.selected_lines.names(organization_id(), cast("dict[str, int]", changes))
    )


def summary(changed: int, corrections: int, refused: int) -> str:
    """What was done, in a sentence or two."""
    parts = [f"{counted(changed, 'line')} changed."]
    if corrections:
        parts.append(f"{counted(corrections, 'correction')} to confirm.")
    if refused:
        parts.append(f"{counted(refused, 'line')} skipped.")
    return " ".join(parts)


def reasons(kept: Sequence[str]) -> list[str]:
    """How many lines stay as they are, and why the first of them does."""
    return [f"{counted(len(kept), 'line')} not undone: {kept[0]}"] if kept else []
