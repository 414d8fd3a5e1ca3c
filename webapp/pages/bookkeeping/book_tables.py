"""Moving in: a table of another program waits until its columns are told, and is taken whole or not at all."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.errors import LedgerError
from webapp.pages.imports import column_forms
from webapp.schemas.documents.book_tables import (
    BookColumnsFormSchema,
    BookKindFormSchema,
    TableRemovalSchema,
)
from webapp.services.audit.action_requests import unrecorded
from webapp.services.bookkeeping import document_tables
from webapp.services.documents.sent_files import SentFile
from webapp.services.imports import column_trials
from webapp.services.imports.column_trials import ColumnReading
from webapp.services.moving.book_tables import MovedTable
from webapp.web import book_tables, document_files
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.languages import marked
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of

bp = Blueprint("book_tables", __name__, url_prefix="/moving-in")

NAMES: Final = {
    "ACCOUNTS": marked("Chart of accounts"),
    "OPENING": marked("Balances of a day"),
    "ITEMS": marked("Open invoices and bills"),
    "JOURNAL": marked("Journal"),
}
SIDES: Final = {"INVOICE": "Our invoices to customers", "BILL": "Bills of suppliers"}
# What the columns of these tables are called.
LABELS: Final = {
    "account": marked("Account"),
    "contraAccount": "Contra account",
    "code": marked("Code"),
    "name": marked("Name"),
    "type": marked("Type"),
    "entry": "Entry",
    "number": marked("Number"),
    "date": marked("Date"),
    "dueDate": marked("Due date"),
    "party": marked("Customer or supplier"),
    "amount": marked("Amount"),
    "debit": marked("Debit"),
    "credit": marked("Credit"),
    "side": "Debit or credit",
    "currencyColumn": marked("Currency"),
    "amountBase": "Amount in the base currency",
    "taxCode": marked("Tax code"),
    "base": marked("Net"),
    "tax": marked("Tax"),
    "taxPoint": marked("Tax point"),
    "receivedOn": marked("Received"),
    "reference": marked("Reference"),
    "description": marked("Description"),
    "source": marked("Source"),
}
FIGURES: Final = ("amount", "debit", "credit", "amountBase", "base", "tax")
CODE: Final = "book_table"
QUESTION: Final = "This table moves books in: look at its columns, and take its rows."
SHOWN: Final = 200


@bp.get("")
@requires("read")
def index() -> Response:
    """Show the form for a table, and the tables that were moved in."""
    return _shown()


@bp.post("")
@requires("admin", begins=False, body_limit=document_files.BODY_LIMIT)
def keep() -> Response:
    """Keep a table in the inbox, and go on to its columns."""
    try:
        body = BookKindFormSchema().load(request.form.to_dict())
        file = SentFile(*document_files.received_bytes(book_tables.RECEIVED))
        requests.begin(organization_id())
        waiting = services.inbox.inbox_files.keep(file, CODE, QUESTION, None, **acting())
    except REFUSALS as error:
        return _shown(problem_of(error))
    chosen = {"kind": body["kind"], "on": body["on"], "documentType": body["document_type"]}
    return redirect_to(url_for("book_tables.show", inbox_file_id=waiting.id, **chosen))


@bp.get("/<id:inbox_file_id>")
@requires("admin", is_heavy=True)
def show(inbox_file_id: int) -> Response:
    """Show a table as it is read, or the question that it raises."""
    form = BookColumnsFormSchema.read_leniently(request.query_string.decode())
    return _columns(inbox_file_id, form, None)


@bp.post("/<id:inbox_file_id>")
@requires("admin", begins=False, is_heavy=True)
def save(inbox_file_id: int) -> Response:
    """Read a table by a mapping of its columns, or take its rows."""
    _ = request.form
    form, mapping = BookColumnsFormSchema().load({}), None
    try:
        form = BookColumnsFormSchema().load(form_body(lists=frozenset({"columns"})))
        mapping = column_forms.mapping_of(form) if form["of"] == form["kind"] else None
        if form["act"] == "take":
            requests.begin(organization_id())
            waiting = queries.documents.inbox_files.kept(organization_id(), inbox_file_id)
            data = document_tables.data_of(waiting)
            table = book_tables.of_file(waiting.file_name, data, mapping, form)
            taken = services.moving.book_tables.take(table, **acting())
            services.inbox.inbox_files.delete(waiting, **acting())
            return render("moving/taken.html", table=taken, names=NAMES, shown=None)
    except REFUSALS as error:
        return _columns(inbox_file_id, form, mapping, problem_of(error))
    return _columns(inbox_file_id, form, mapping)


@bp.post("/tables/<string:table_id>/remove")
@requires("admin", is_heavy=True)
def remove(table_id: str) -> Response:
    """Remove a table that was moved in, or show why not."""
    try:
        services.moving.book_tables.remove(table_id, **TableRemovalSchema().load(form_body()), **acting())
    except REFUSALS as error:
        return _shown(problem_of(error))
    return redirect_to(url_for("book_tables.index"))


def _shown(problem: Problem | None = None) -> Response:
    requests.begin_reading(organization_id())
    return render(
        "moving/index.html",
        names=NAMES,
        sides=SIDES,
        taken=queries.journal.moved_tables.standing(organization_id()),
        form=request.form,
        problem=problem,
    )


def _columns(
    inbox_file_id: int,
    form: dict[str, Any],
    mapping: dict[str, object] | None,
    problem: Problem | None = None,
) -> Response:
    """Render the page with the table as it is read now; a refused act was taken back with its transaction."""
    requests.begin_trial(organization_id())
    waiting = queries.documents.inbox_files.kept(organization_id(), inbox_file_id)
    data = document_tables.data_of(waiting)
    reading, table = _tried(waiting.file_name, data, form, mapping)
    kinds = {key: LABELS[key] for key in services.moving.book_tables.columns(form["kind"])}
    return render(
        "moving/columns.html",
        inbox_file=waiting,
        standing=column_forms.columns_view(reading, mapping, form["columns"] if problem else (), kinds),
        table=table,
        shown=SHOWN,
        typed=form | column_forms.form_of(mapping),
        kinds=kinds,
        figures=FIGURES,
        is_of_bank=False,
        is_late=acting()["actor"].is_late,
        names=NAMES,
        sides=SIDES,
        problem=problem,
    )


def _tried(
    name: str, data: bytes, form: Mapping[str, Any], mapping: dict[str, object] | None
) -> tuple[ColumnReading, MovedTable | None]:
    """Read a table with a mapping, and take it on trial."""
    reading = ColumnReading(column_trials.sample_of_books(data, form["kind"], mapping))
    try:
        table = book_tables.of_file(name, data, mapping, form)
    except LedgerError as error:
        return replace(reading, refusal=error), None
    reading = replace(reading, mapping=table.table.mapping)
    try:
        return reading, services.moving.book_tables.preview(table, **acting())
    except LedgerError as error:
        unrecorded(error)
        return replace(reading, refusal=error), None
