"""Reconciliation in the workspace, and the page of a proof."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import marshmallow as ma
from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.errors import LedgerError
from webapp.ledger.money import Money
from webapp.ledger.titles import counted
from webapp.pages.transactions import confirmations, line_parts
from webapp.pages.transactions.feed_accounts import TEMPLATE, render_line, workspace, workspace_filters
from webapp.schemas.addresses import WorkspaceQuerySchema
from webapp.schemas.reconciliation.reconciliations import (
    AcceptFormSchema,
    DraftFormSchema,
    LinesFormSchema,
    ReopenFormSchema,
    VersionFormSchema,
)
from webapp.schemas.transactions.line_forms import MOST_LINES, ChosenLinesFormSchema
from webapp.services.audit import limits
from webapp.services.audit.results import FailedItem
from webapp.services.reconciliation.cleared_items import ClearingChoice
from webapp.services.reconciliation.drafts import StatementInput
from webapp.web import document_files
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import is_htmx, redirect_back, redirect_to, render, target
from webapp.web.rendering.problems import Problem, problem_of

if TYPE_CHECKING:
    from webapp.models import FeedAccount, Reconciliation

bp = Blueprint("reconciliations", __name__, url_prefix="/reconciliations")

IDS = frozenset({"ids", "cleared", "uncleared", "clearedEntries", "unclearedEntries"})
TICKING = IDS | {"doneIds", "refused"}
# Each mark of selected lines with its inverse.
MARKS = {"cleared": "uncleared", "uncleared": "cleared"}


@bp.post("/<id:fa_id>/draft")
@requires("reconcile")
def put_draft(fa_id: int) -> Response:
    """Save the inputs of the draft."""
    return act_on(fa_id, save_draft)


@bp.post("/<id:fa_id>/statement")
@requires("reconcile", begins=False, body_limit=document_files.BODY_LIMIT)
def attach_statement(fa_id: int) -> Response:
    """Keep a file as a document, and attach it to the draft as its statement."""
    file = document_files.received()
    requests.begin(organization_id())

    def act(account: FeedAccount) -> None:
        sent = document_files.required(file)
        services.reconciliation.drafts.attach_file(account, sent, **acting())

    return act_on(fa_id, act)


@bp.post("/<id:fa_id>/lines")
@requires("reconcile")
def put_lines(fa_id: int) -> Response:
    """Tick lines and entries, or take their ticks away; many lines in parts."""
    body = form_body(lists=TICKING)
    if body.get("mark") in MARKS and (
        body.get("every") or body.get("total") or len(body.get("ids", ())) > line_parts.PART
    ):
        return tick_part(queries.accounts.feed_accounts.get(organization_id(), fa_id), body)
    return act_on(fa_id, save_lines)


def tick_part(account: FeedAccount, form: Mapping[str, Any]) -> Response:
    """Tick the first part of many lines, or take their ticks away; a refused line stops no other."""
    mark = form["mark"]
    body = ChosenLinesFormSchema().load({**form, "faId": str(account.id)})
    ids = confirmations.lines_of(body)
    part, rest = ids[: line_parts.PART], ids[line_parts.PART :]
    try:
        limits.refuse_above(MOST_LINES, len(ids), "lines", "ticked", "Narrow the list.")
        results = services.reconciliation.cleared_items.bulk_put_items(
            account,
            ClearingChoice(cleared=part) if mark == "cleared" else ClearingChoice(uncleared=part),
            **acting(),
        )
    except LedgerError as error:
        return confirmations.render_dock(account.id, problem=problem_of(error, place="dock"))
    refused = [line_parts.refusal(each.id, each.error) for each in results if isinstance(each, FailedItem)]
    refused, done = [*body["refused"], *refused], [*body["done_ids"], *(e.id for e in results if e.changed)]
    total, address = body["total"] or len(ids), url_for("reconciliations.put_lines", fa_id=account.id)
    if rest:
        text = f"{total - len(rest):,} of {counted(total, 'line')} done."
        values = {"mark": mark, "total": total, "ids": rest, "doneIds": done, "refused": refused}
        return confirmations.render_dock(account.id, notice=line_parts.going(text, address, values))
    back = line_parts.form("Undo this", address, {"mark": MARKS[mark], "total": len(done), "ids": done})
    words = "ticked" if mark == "cleared" else "no longer ticked"
    text = f"{counted(len(done), 'line')} {words}."
    listed = line_parts.refused_lines(account.id, refused)
    return confirmations.render_dock(
        account.id, notice={"text": text, "forms": [back] if done else [], **listed}
    )


@bp.post("/<id:fa_id>/complete")
@requires("reconcile")
def complete(fa_id: int) -> Response:
    """Complete the draft as a proof."""

    def act(account: FeedAccount) -> None:
        body = VersionFormSchema(unknown=ma.EXCLUDE).load(form_body())
        services.reconciliation.proofs.complete(account, **body, **acting())

    return act_on(fa_id, act)


@bp.post("/<id:fa_id>/abandon")
@requires("reconcile")
def abandon(fa_id: int) -> Response:
    """Discard the draft."""
    return act_on(fa_id, lambda account: services.reconciliation.drafts.abandon(account, **acting()))


@bp.post("/<id:fa_id>/reopen")
@requires("reconcile")
def reopen(fa_id: int) -> Response:
    """Reopen the newest proof as a draft, or show the error on its page."""
    account = queries.accounts.feed_accounts.get(organization_id(), fa_id)
    try:
        services.reconciliation.reopenings.reopen(account, **ReopenFormSchema().load(form_body()), **acting())
    except (LedgerError, ma.ValidationError) as error:
        return show_refused(fa_id, problem_of(error))
    return redirect_to(url_for("feed_accounts.show", fa_id=fa_id))


@bp.post("/<id:fa_id>/accept")
@requires("reconcile")
def accept(fa_id: int) -> Response:
    """Accept a broken proof with the items as they are now, or show the error on its page."""
    account = queries.accounts.feed_accounts.get(organization_id(), fa_id)
    try:
        proof = services.reconciliation.reopenings.accept(
            account, **AcceptFormSchema().load(form_body()), **acting()
        )
    except (LedgerError, ma.ValidationError) as error:
        return show_refused(fa_id, problem_of(error))
    return redirect_to(url_for("reconciliations.show", reconciliation_id=proof.id))


def show_refused(fa_id: int, problem: Problem) -> Response:
    """Show an error on the last proof's page; without a proof, in the workspace."""
    proof = queries.reconciliation.reconciliations.anchor_of(
        queries.accounts.feed_accounts.get(organization_id(), fa_id)
    )
    if proof is None:
        return render_workspace(fa_id, problem=problem)
    return show_proof(proof, problem=problem)


@bp.get("/proofs/<id:reconciliation_id>")
@requires("read")
def show(reconciliation_id: int) -> Response:
    """Show a proof; a draft is shown in its workspace."""
    proof = queries.reconciliation.reconciliations.get(organization_id(), reconciliation_id)
    if proof.status == "DRAFT":
        return redirect_to(url_for("feed_accounts.show", fa_id=proof.feed_account_id))
    return show_proof(proof)


def show_proof(proof: Reconciliation, *, problem: Problem | None = None) -> Response:
    """Render a proof, with the difference if it is broken."""
    verdict = queries.reconciliation.proof_pages.verdict_of(proof) if proof.status == "COMPLETED" else None
    is_off = verdict is not None and not verdict.holds
    cause = verdict.broken_by if verdict is not None else None
    return render(
        "reconciliations/show.html",
        proof=queries.reconciliation.proof_pages.proof_page(proof),
        account=queries.reconciliation.hub.account(organization_id(), proof.feed_account_id),
        off_by=Money(verdict.off_by_minor, proof.currency) if verdict is not None and is_off else None,
        broken_by=cause,
        culprits=queries.reconciliation.culprits.of_causes(organization_id(), [cause]),
        checked_at=requests.now(),
        is_newest=queries.reconciliation.proof_pages.is_newest(proof),
        problem=problem,
        form=request.form,
    )


def act_on(fa_id: int, act: Callable[[FeedAccount], object]) -> Response:
    """Act on an account's reconciliation, and answer in its workspace."""
    account = queries.accounts.feed_accounts.get(organization_id(), fa_id)
    try:
        act(account)
    except (LedgerError, ma.ValidationError) as error:
        return render_workspace(fa_id, problem=problem_of(error))
    if "isOpened" in request.form:
        return redirect_to(url_for("feed_accounts.show", fa_id=fa_id))
    if not is_htmx():
        return redirect_back(url_for("feed_accounts.show", fa_id=fa_id))
    return render_workspace(fa_id)


def render_workspace(fa_id: int, *, problem: Problem | None = None) -> Response:
    """Answer with the line whose check box was changed, or with the panel and the lines."""
    line_id = target().removeprefix("line-")
    if line_id.isdigit() and problem is None:
        line = queries.transactions.transactions.get(organization_id(), int(line_id))
        return render_line(line, current_id=line.id if "isCurrent" in request.form else None)
    query = {**WorkspaceQuerySchema().load({}), **workspace_filters(fa_id)}
    parts = ("panel",) if problem else ("panel", "filters", "lines", "foot", "dock", "head", "coverage")
    context = workspace(fa_id, query, parts, problem=problem, form=request.form if problem else None)
    return render(TEMPLATE, parts={part: part for part in parts}, **context)


def save_draft(account: FeedAccount) -> None:
    """Save the draft's form, with the sign of an owed amount."""
    body: dict[str, Any] = form_body()
    if account.account.type == "LIABILITY":
        for name, choice in (("statementBalance", "owed"), ("openingBalance", "openingOwed")):
            body[name] = signed(body.get(name), is_owed=body.get(choice) != "credit")
    body.pop("owed", None)
    body.pop("openingOwed", None)
    body.pop("isOpened", None)
    body["keepAsNew"] = "keepAsNew" in body
    inputs = DraftFormSchema().load(body)
    version = inputs.pop("version")
    services.reconciliation.drafts.put_draft(account, StatementInput(**inputs), version=version, **acting())


def signed(size: str | None, *, is_owed: bool) -> str | None:
    """The balance of a card's statement with the sign of the books: an owed amount is negative.

    >>> signed("2356.38", is_owed=True), signed("0.00", is_owed=True), signed("12.00", is_owed=False)
    ('-2356.38', '0.00', '12.00')
    """
    if not size or not is_owed or size.startswith("-") or not size.strip("0."):
        return size
    return f"-{size}"


def save_lines(account: FeedAccount) -> None:
    """Clear or unclear the line of a check box, or the selected ones."""
    body = form_body(lists=IDS)
    mark, ids = body.pop("mark", None), body.pop("ids", [])
    if mark in ("cleared", "uncleared"):
        body[mark] = ids
    lines = LinesFormSchema(unknown=ma.EXCLUDE).load(body)
    services.reconciliation.cleared_items.put_items(account, ClearingChoice(**lines), **acting())
