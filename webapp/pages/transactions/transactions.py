"""Acts on bank lines in the workspace."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import marshmallow as ma
from flask import Blueprint, Response, make_response, render_template, request, url_for

from webapp import queries, services
from webapp.ledger.errors import LedgerError
from webapp.ledger.money import Money
from webapp.pages.transactions import split_forms, stale_edits
from webapp.pages.transactions.feed_accounts import render_line
from webapp.pages.transactions.workspace_facts import of_taxes
from webapp.queries.suggestions.document_bookings import ChosenAccounts
from webapp.schemas.documents.bookings import SplitByDocumentFormSchema
from webapp.schemas.transactions.line_forms import ShownFormSchema, TransactionFormSchema
from webapp.services.transactions.changed_legs import LineChanges
from webapp.services.transactions.shown_edits import ChangedLineError
from webapp.web import downloads
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import is_htmx, redirect_back
from webapp.web.rendering.problems import problem_of

if TYPE_CHECKING:
    from datetime import datetime

    from webapp.ledger.journal.shown_lines import ShownLine
    from webapp.models import Transaction

bp = Blueprint("transactions", __name__, url_prefix="/transactions")


@bp.post("/<id:transaction_id>")
@requires("draft")
def edit(transaction_id: int) -> Response:
    """Change a line's entry as its row shows it, or show what somebody else has changed."""
    return act_on(transaction_id, save, **ShownFormSchema().load(form_body()))


@bp.get("/<id:transaction_id>/file")
@requires("read")
def file(transaction_id: int) -> Response:
    """Download what brought a line: the bank's file, or the batch that was pushed."""
    line = queries.transactions.transactions.get(organization_id(), transaction_id)
    bank_files = queries.imports.bank_files
    return downloads.attachment(*bank_files.require(bank_files.of_line(line)))


@bp.post("/<id:transaction_id>/documents/split")
@requires("draft")
def split_by_document(transaction_id: int) -> Response:
    """Split a line by what the document that it pays states."""
    body = SplitByDocumentFormSchema().load(form_body())
    document_id, force = body.pop("document_id"), body.pop("force")
    chosen, split = ChosenAccounts(**body), services.bookkeeping.document_bookings.split
    return act_on(transaction_id, lambda line: split(line, document_id, chosen, force=force, **acting()))


@bp.post("/<id:transaction_id>/delete")
@requires("draft")
def delete(transaction_id: int) -> Response:
    """Delete a line."""
    return act_on(transaction_id, lambda line: services.transactions.lifecycle.delete(line, **acting()))


@bp.post("/<id:transaction_id>/restore")
@requires("draft")
def restore(transaction_id: int) -> Response:
    """Restore a line."""
    return act_on(transaction_id, lambda line: services.transactions.lifecycle.restore(line, **acting()))


@bp.post("/<id:transaction_id>/parts")
@requires("draft", begins=False)
def parts(transaction_id: int) -> Response:
    """Show what the typed parts of a line leave of it, or the form with another part if requested; writes nothing."""
    _ = request.form  # read before the snapshot is opened, so that a slow sender holds none
    requests.begin_reading(organization_id())
    line = queries.transactions.transactions.get(organization_id(), transaction_id)
    if "add" in request.args:
        # At the end, for a morph keeps what is typed in the rows before by their numbers.
        rows = [*split_forms.typed(), split_forms.empty()]
        return render_line(line, parts=("line",), current_id=line.id, editing="splits", rows=rows)
    rest = split_forms.rest(Money(line.amount_minor, line.currency), split_forms.sent())
    return make_response(render_template("feed_accounts/line/_rest.html", line_id=line.id, rest=rest))


def act_on(
    transaction_id: int,
    act: Callable[[Transaction], object],
    *,
    shown: ShownLine | None = None,
    shown_at: datetime | None = None,
    shown_description: str | None = None,
    closes: bool = False,
) -> Response:
    """Act on one line, and answer with its row, or with the error in it.

    `shown` is what its row showed of it, where that is an edit at the instant `shown_at`, and `shown_description` its
    text where that is edited; an act that `closes` the line leaves its fields as text.
    """
    line = queries.transactions.transactions.get(organization_id(), transaction_id)
    try:
        act(line)
    except (LedgerError, ma.ValidationError) as error:
        problem = problem_of(error, line_id=transaction_id, place="line")
        line = queries.transactions.transactions.get(organization_id(), transaction_id)
        rows = split_forms.typed()
        editing = "splits" if rows else "description" if "description" in request.form else None
        changed = stale = None
        if shown is not None and problem.code == ChangedLineError.code:
            changed = queries.transactions.shown_lines.changed(organization_id(), shown, shown_description)
            stale = stale_edits.of_form(line, shown, shown_at) if shown_at else None
        return render_line(
            line,
            current_id=transaction_id,
            editing=editing,
            problem=problem,
            rows=rows,
            changed=changed,
            stale=stale,
        )
    if not is_htmx():
        return redirect_back(url_for("feed_accounts.show", fa_id=line.feed_account_id))
    return render_line(line, current_id=None if closes else transaction_id)


def save(line: Transaction) -> None:
    """Save the changed fields of a line's form."""
    body, present = form_body(), queries.transactions.transactions.record(line)
    if isinstance(body.get("splits"), list):
        body["splits"] = split_forms.without_blank_codes(present, split_forms.read(line.amount))
    changes = TransactionFormSchema().load(body)
    shown, _, text = (changes.pop(name, None) for name in ("shown", "shown_at", "shown_description"))
    if body.get("splits") and split_forms.are_as_shown(present, body["splits"], of_taxes()):
        del changes["splits"]
    changed = {
        name: value
        for name, value in changes.items()
        if name in ("splits", "description", "settles", "short", "force") or value != getattr(present, name)
    }
    if changed:
        services.transactions.shown_edits.edit(
            line, cast("LineChanges", changed), shown, description=text, **acting()
        )
