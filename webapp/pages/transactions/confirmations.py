"""Confirming lines in the workspace: one, or those that are selected, as their rows show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import marshmallow as ma
from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.canonical import sha256_hex
from webapp.ledger.codes import DoubtCode
from webapp.ledger.journal.shown_lines import ShownLine
from webapp.ledger.titles import counted
from webapp.pages.transactions import line_parts
from webapp.pages.transactions.feed_accounts import TEMPLATE, workspace, workspace_filters
from webapp.pages.transactions.transactions import act_on
from webapp.pages.transactions.workspace_facts import filters_of
from webapp.schemas.addresses import WorkspaceQuerySchema
from webapp.schemas.transactions.line_forms import (
    MOST_LINES,
    ConfirmFormSchema,
    ConfirmManyFormSchema,
    VoidManyFormSchema,
)
from webapp.services.audit import limits
from webapp.services.audit.limits import ActTooLargeError
from webapp.services.audit.results import FailedItem, WarnedItem
from webapp.web.access.auth import acting, demand, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import is_htmx, redirect_back, render
from webapp.web.rendering.problems import Problem, problem_of

if TYPE_CHECKING:
    from webapp.models import Transaction
    from webapp.queries.transactions.shown_lines import ChangedLine
    from webapp.services.audit.results import ActionResult, ItemResult

# What nobody asked about before: doubts were answered.
SAID_AFTERWARDS = frozenset({"moved_by_lock", "revaluation_stale"})
LISTS = frozenset({"ids", "shown", "doneIds", "refused"})
bp = Blueprint("confirmations", __name__, url_prefix="/transactions")


@bp.post("/<id:transaction_id>/confirm")
@requires("confirm")
def confirm(transaction_id: int) -> Response:
    """Confirm a line as its row shows it, after a question if that is doubtful."""
    body = ConfirmFormSchema().load(form_body())
    shown: ShownLine | None = body["shown"]
    if shown is not None and shown.accepted is not None:
        demand("draft")
    if shown is not None and shown.line_id != transaction_id:
        raise ma.ValidationError({"shown": ["This is what another row shows."]})

    def act(line: Transaction) -> ActionResult:
        return services.transactions.lifecycle.confirm(line, **body, asks=True, **acting())

    return act_on(transaction_id, act, shown=shown, closes=True)


@bp.post("/confirm")
@requires("confirm", is_heavy=True)
def confirm_many() -> Response:
    """Confirm the unconfirmed ones of the selected lines as their rows show them, after a question that previews it."""
    body = ConfirmManyFormSchema().load(form_body(lists=LISTS))
    chosen = lines_of(body)
    limits.refuse_above(MOST_LINES, len(chosen), "lines", "confirmed", "Narrow the list.")
    first = queries.transactions.transactions.get(organization_id(), chosen[0])
    ids = queries.transactions.selected_lines.unconfirmed(organization_id(), chosen)
    shown = {each.line_id: each for each in body["shown"] if each.line_id in ids}
    if any(each.accepted for each in shown.values()):
        demand("draft")
    changed = services.transactions.shown_edits.changed(organization_id(), shown.values())
    if changed:
        return render_dock(first.feed_account_id, problem=problem_of_changed(len(changed)), changed=changed)
    asking = question(ids, shown, of_list=len(chosen) if body["every"] else 0)
    if asking is not None and not body["total"] and body["asked"] != asking["key"]:
        return render_dock(first.feed_account_id, asking=asking)
    if body["total"] or len(ids) > line_parts.PART:
        return render_dock(first.feed_account_id, notice=confirm_part(body, first, ids, shown))
    try:
        results = services.transactions.lifecycle.bulk_confirm(
            organization_id(), ids, note=body["note"], shown=shown, **acting()
        )
    except ActTooLargeError as error:
        return render_dock(first.feed_account_id, problem=problem_of(error, place="dock"))
    problem = problem_of_refused(results, "confirmed")
    fa_id = first.feed_account_id
    notice = listed(fa_id, results) if problem else notice_of(first, ids, results)
    return render_dock(fa_id, problem=problem, notice=notice)


def confirm_part(
    body: Mapping[str, Any], first: Transaction, ids: Sequence[int], shown: Mapping[int, ShownLine]
) -> dict[str, Any]:
    """Confirm the first part of many lines; answers how far that is, and goes on, or what became of all."""
    part = services.transactions.lifecycle.part_of(organization_id(), ids, line_parts.PART)
    results = services.transactions.lifecycle.bulk_confirm(
        organization_id(), part, note=body["note"], shown=shown, **acting()
    )
    failed = [each for each in results if isinstance(each, FailedItem)]
    refused = [*body["refused"], *(line_parts.refusal(each.id, each.error) for each in failed)]
    gone = {each.id for each in failed}
    done = [*body["done_ids"], *(each for each in part if each not in gone)]
    rest, total = list(ids[len(part) :]), body["total"] or len(ids)
    fa_id = first.feed_account_id
    if not rest:
        notice = notice_of(first, done, []) | {"href": None}
        return notice | line_parts.refused_lines(fa_id, refused)
    kept = [raw for raw in request.form.getlist("shown") if ShownLine.read(raw).line_id in set(rest)]
    values = {"faId": fa_id, "total": total, "note": body["note"], "ids": rest, "shown": kept}
    return line_parts.going(
        f"{total - len(rest):,} of {counted(total, 'line')} done.",
        url_for("confirmations.confirm_many"),
        values | {"doneIds": done, "refused": refused},
    )


def lines_of(body: Mapping[str, Any]) -> list[int]:
    """The ids of the selected lines, or of all that the list of the page has."""
    if not body["every"]:
        if not body["ids"]:
            raise ma.ValidationError({"ids": ["Select a line first."]})
        return list(body["ids"])
    query = {**WorkspaceQuerySchema().load({}), **workspace_filters(body["fa_id"])}
    draft = queries.transactions.line_filters.open_draft(organization_id(), body["fa_id"])
    filters = filters_of(query, query["show"] or ("statement" if draft else "all"))
    found = queries.transactions.selected_lines.matching(organization_id(), body["fa_id"], filters)
    if not found:
        raise ma.ValidationError({"ids": ["The list has no line any more."]})
    return found


def problem_of_changed(count: int) -> Problem:
    """The message on selected lines that are otherwise than their rows."""
    have = "has" if count == 1 else "have"
    message = f"{counted(count, 'line')} {have} changed since shown. Nothing was posted."
    return Problem(message, "line_changed", 409, place="dock")


def problem_of_refused(results: Sequence[ItemResult], done: str) -> Problem | None:
    """The message on refused items: how many were `done`, and why the first was not."""
    refused = [result for result in results if isinstance(result, FailedItem)]
    if not refused:
        return None
    message = f"{len(results) - len(refused)} of {len(results)} {done}. {refused[0].error}"
    return Problem(message, refused[0].code, 409, place="dock")


def listed(fa_id: int, results: Sequence[ItemResult]) -> dict[str, Any]:
    """The notice on refused lines, each with its reason."""
    refused = [line_parts.refusal(each.id, each.error) for each in results if isinstance(each, FailedItem)]
    text = f"{len(results) - len(refused)} of {counted(len(results), 'line')} confirmed."
    return {"text": text, **line_parts.refused_lines(fa_id, refused)}


def question(ids: list[int], shown: Mapping[int, ShownLine], *, of_list: int = 0) -> dict[str, Any] | None:
    """The question before lines are confirmed: how many as suggested, and how many are doubtful for each reason.

    All lines of a list, which are so many, are asked about in any case, for not all of them are seen.
    """
    suggested = [each for each in ids if each in shown and shown[each].accepted]
    counts = queries.transactions.doubts.counts(organization_id(), ids, suggested)
    if not ids or not (of_list or suggested or any(counts.values())):
        return None
    return {
        "ids": ids,
        "every": of_list,
        "key": sha256_hex(",".join(map(str, ids))),
        "count": len(ids),
        "suggested_count": len(suggested),
        "uncategorised_count": counts[DoubtCode.UNCATEGORISED],
        "explained_count": counts[DoubtCode.ALREADY_EXPLAINED],
        "owed_count": counts[DoubtCode.PAYS_OPEN_ITEM],
        "moving_count": counts[DoubtCode.MAY_BE_TRANSFER],
    }


@bp.post("/void")
@requires("confirm", is_heavy=True)
def void_many() -> Response:
    """Void the entries of lines that were just confirmed together, so that the lines have drafts again.

    What does not fit in one act is voided by further requests of the same page, between which others write.
    """
    body = VoidManyFormSchema().load(form_body(lists=frozenset({"entryIds"})))
    most = services.bookkeeping.voids.MOST_AT_ONCE
    ids, rest = body["entry_ids"][:most], body["entry_ids"][most:]
    results = services.bookkeeping.voids.void_many(
        organization_id(), ids, reason="Taken back after confirming several lines.", **acting()
    )
    problem = problem_of_refused(results, "voided")
    if problem is not None:
        return render_dock(body["fa_id"], problem=problem)
    done = body["done"] + len(results)
    voided = f"{counted(done, 'entry', 'entries')} voided"
    if rest:
        values = {"faId": body["fa_id"], "done": done, "entryIds": rest}
        text = f"{voided}, {len(rest):,} to go"
        return render_dock(
            body["fa_id"], notice=line_parts.going(text, url_for("confirmations.void_many"), values)
        )
    return render_dock(body["fa_id"], notice={"text": f"{voided}; the lines have drafts again."})


def warned_of(result: ItemResult) -> list[tuple[str, str]]:
    """The warnings of a confirmed line, each with its code."""
    return (
        list(zip(result.warning_codes, result.warnings, strict=True))
        if isinstance(result, WarnedItem)
        else []
    )


def notice_of(first: Transaction, ids: list[int], results: Sequence[ItemResult]) -> dict[str, Any]:
    """The notice on confirmed lines: their number and sum, with a link to what was posted and the way back."""
    if not ids:
        return {"text": "Nothing left to confirm."}
    amount = queries.transactions.selected_lines.total(organization_id(), ids, first.currency)
    posted = dict.fromkeys(entry_id for each in results for entry_id in each.result.journal_entry_ids)
    voidable = queries.transactions.selected_lines.uncorrected_entries(organization_id(), ids)
    told = [text for each in results for code, text in warned_of(each) if code in SAID_AFTERWARDS]
    more = f" And {counted(len(told) - 1, 'warning')} more." if len(told) > 1 else ""
    said = f". {told[0]}{more}" if told else ""
    name = "Void it" if len(voidable) == 1 else f"Void these {len(voidable):,}"
    values = {"faId": first.feed_account_id, "entryIds": voidable}
    return {
        "text": f"{counted(len(ids), 'line')} confirmed, {amount.formatted}{said}",
        "href": url_for("journal_entries.index", ids=",".join(map(str, posted))),
        "link": "See the entries",
        "forms": [line_parts.form(name, url_for("confirmations.void_many"), values)] if voidable else [],
    }


def render_dock(
    fa_id: int,
    *,
    asking: dict[str, Any] | None = None,
    changing: dict[str, Any] | None = None,
    problem: Problem | None = None,
    notice: dict[str, Any] | None = None,
    changed: Mapping[int, ChangedLine] | None = None,
) -> Response:
    """Answer an act on selected lines."""
    stays = (
        asking or changing or problem or (notice and any(each["goes"] for each in notice.get("forms", ())))
    )
    if not is_htmx() and not stays:
        return redirect_back(url_for("feed_accounts.show", fa_id=fa_id))
    query = {**WorkspaceQuerySchema().load({}), **workspace_filters(fa_id)}
    parts = (
        ("dock",)
        if asking or changing
        else ("lines", "foot", "filters", "panel", "coverage", "dock", "toast")
    )
    context = workspace(fa_id, query, parts, problem=problem, asking=asking) | {
        "notice": notice,
        "changing": changing,
    }
    context["changed"] = changed or {}
    status = 409 if (asking or changing) and problem is None else None
    return render(TEMPLATE, parts={part: part for part in parts}, status=status, **context)
