"""Taxes of entries written by hand: codes that are given later, and adjustments of boxes."""

from collections.abc import Iterable, Sequence
from typing import Any

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.errors import NotFoundError
from webapp.ledger.tax.late import ADJUSTMENT_REASONS
from webapp.ledger.titles import counted
from webapp.schemas.bookkeeping.journal_entries import AdjustmentFormSchema
from webapp.schemas.tax.codes import CodedLinesFormSchema, UncodedPageSchema
from webapp.services.audit.results import FailedItem, ItemResult
from webapp.services.bookkeeping import tax_adjustments
from webapp.services.transactions.changed_legs import BulkLineChanges
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering import wording
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of

bp = Blueprint("tax_entries", __name__, url_prefix="/tax")
LATE = "tax_period_filed"


@bp.get("/uncoded")
@requires("read")
def uncoded() -> Response:
    """List income and expenses without a tax code since the books have taxes."""
    return show_uncoded(UncodedPageSchema.read_leniently(request.query_string.decode()))


@bp.post("/uncoded")
@requires("confirm")
def give_codes() -> Response:
    """Give bank lines a tax code, correct those that are posted, and list what is left."""
    query = UncodedPageSchema.read_leniently_of(request.form)
    try:
        body = CodedLinesFormSchema().load(form_body(lists=frozenset({"ids"})))
        results = _coded(dict.fromkeys(body["ids"]), body["tax_code_id"])
    except REFUSALS as error:
        return show_uncoded(query, problem_of(error))
    return show_uncoded(query, results=results)


def _coded(ids: Iterable[int], code_id: int) -> list[ItemResult]:
    """Give each line its code and post that; answers one result for each."""
    changes: list[BulkLineChanges] = [{"id": each, "tax_code_id": code_id} for each in ids]
    edited = services.transactions.bulk_edits.bulk_edit(organization_id(), changes, **acting())
    refused = [each for each in edited if isinstance(each, FailedItem)]
    left = [each.id for each in edited if not isinstance(each, FailedItem)]
    return [*refused, *services.transactions.lifecycle.bulk_confirm(organization_id(), left, **acting())]


def show_uncoded(
    query: dict[str, Any], problem: Problem | None = None, results: Sequence[ItemResult] = ()
) -> Response:
    """Render what has no tax code, with what became of the lines that were to get one."""
    after = paging.decode(query["cursor"], "di")
    page = queries.tax.uncoded.listed(
        organization_id(), side=query["side"], after=after, limit=query["limit"]
    )
    refused = [each for each in results if isinstance(each, FailedItem)]
    names = queries.transactions.selected_lines.labels(organization_id(), [each.id for each in refused])
    codes = queries.tax.codes.in_use(organization_id())
    older = paging.encode(page.next_key)
    return render(
        "tax/uncoded.html",
        postings=page.items,
        side=query["side"] or "",
        codes=wording.code_choices(each for each in codes if query["side"] in (None, each.side)),
        older=url_for("tax_entries.uncoded", side=query["side"], cursor=older) if older else None,
        done=counted(len(results) - len(refused), "line") if results else None,
        refused=[{"name": names.get(each.id, ""), "sentence": each.error} for each in refused],
        is_late=any(each.code == LATE for each in refused),
        chosen={int(each) for each in request.form.getlist("ids") if each.isdecimal()},
        form=request.form,
        problem=problem,
    )


@bp.get("/adjustments/new")
@requires("confirm")
def adjustment() -> Response:
    """Show the form to add to boxes by hand."""
    return show_adjustment(request.args.get("form", ""))


@bp.post("/adjustments")
@requires("confirm")
def adjust() -> Response:
    """Add to boxes by hand and show the entry, or show the error."""
    try:
        body = AdjustmentFormSchema().load(form_body())
        counter_id = body.pop("counter_account_id")
        legs = tax_adjustments.legs_against(organization_id(), body["form"], body["boxes"], counter_id)
        entry = tax_adjustments.adjust(**body, legs=legs, **acting())
    except REFUSALS as error:
        return show_adjustment(request.form.get("form", ""), problem_of(error))
    return redirect_to(url_for("journal_entries.show", entry_id=entry.id))


def show_adjustment(form: str, problem: Problem | None = None) -> Response:
    """Render the form to add to boxes by hand as it was typed."""
    packs = [each for each in queries.tax.packs.listed(organization_id()) if each.is_installed]
    chosen = next((each for each in packs if each.name == form), next(iter(packs), None))
    if chosen is None:
        raise NotFoundError
    return render(
        "tax/adjustment.html",
        pack=chosen,
        boxes=[each for each in queries.tax.packs.content(chosen.name).form.boxes if each.terms is None],
        typed={each.get("box"): each.get("amount") for each in _typed_boxes()},
        base=queries.access.organizations.base_currency(organization_id()),
        today=queries.access.organizations.today(organization_id(), requests.now()),
        reasons=wording.choices((each, each.replace("_", " ").capitalize()) for each in ADJUSTMENT_REASONS),
        accounts=queries.accounts.choices.accounts(organization_id()),
        form=request.form,
        problem=problem,
    )


def _typed_boxes() -> list[dict[str, Any]]:
    found = form_body().get("boxes") if request.method == "POST" else None
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
