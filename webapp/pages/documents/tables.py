"""A table of invoices: it waits in the inbox until its columns are told, and its rows are filed."""

from collections.abc import Mapping
from typing import Any, Final

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.pages.imports import column_forms
from webapp.schemas.documents.tables import TableColumnsFormSchema, TableTypeFormSchema
from webapp.services.documents.sent_files import SentFile
from webapp.web import document_files, document_tables
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of

bp = Blueprint("document_tables", __name__, url_prefix="/documents/tables")

TYPES: Final = {"INVOICE": "Our invoices to customers", "BILL": "Bills of suppliers"}
KINDS: Final = {
    "number": "Number",
    "date": "Date",
    "dueDate": "Due date",
    "party": "Customer or supplier",
    "vatId": "VAT id",
    "iban": "IBAN",
    "net": "Net",
    "tax": "Tax",
    "total": "Total",
    "amountBase": "Total in the base currency",
    "currencyColumn": "Currency",
    "reference": "Payment reference",
    "description": "Description",
}
FIGURES: Final = ("net", "tax", "total")
CODE: Final = "invoice_table"
QUESTION: Final = "This is a table of invoices: look at its columns, and file its rows."
SHOWN: Final = 50


@bp.get("")
@requires("read")
def new() -> Response:
    """Show the form for a table."""
    return _show_new()


@bp.post("")
@requires("draft", begins=False, body_limit=document_files.BODY_LIMIT)
def keep() -> Response:
    """Keep a table in the inbox, and go on to its columns."""
    try:
        body = TableTypeFormSchema().load(request.form.to_dict())
        file = SentFile(*document_files.received_bytes(document_files.RECEIVED_TABLE))
        requests.begin(organization_id())
        waiting = services.inbox.inbox_files.keep(file, CODE, QUESTION, None, **acting())
    except REFUSALS as error:
        return _show_new(problem_of(error))
    return redirect_to(
        url_for("document_tables.show", inbox_file_id=waiting.id, documentType=body["document_type"])
    )


@bp.get("/<id:inbox_file_id>")
@requires("read", is_heavy=True)
def show(inbox_file_id: int) -> Response:
    """Show a table as it is read, or the question that it raises."""
    form = TableColumnsFormSchema.read_leniently(request.query_string.decode())
    return _show_columns(inbox_file_id, None, form)


@bp.post("/<id:inbox_file_id>")
@requires("draft", begins=False, is_heavy=True)
def save(inbox_file_id: int) -> Response:
    """Read a table by a mapping of its columns, or file its rows."""
    _ = request.form
    form = TableColumnsFormSchema().load({"act": "look"})
    mapping: dict[str, object] | None = None
    try:
        form = TableColumnsFormSchema().load(form_body(lists=frozenset({"columns"})))
        mapping = column_forms.mapping_of(form)
        if form["act"] == "file":
            return _file(inbox_file_id, mapping, form)
    except REFUSALS as error:
        return _show_columns(inbox_file_id, mapping, form, problem=problem_of(error))
    return _show_columns(inbox_file_id, mapping, form)


def _file(inbox_file_id: int, mapping: dict[str, object] | None, form: Mapping[str, Any]) -> Response:
    chosen = document_tables.choices(form)
    table = document_tables.waiting(inbox_file_id, form["document_type"], mapping)
    requests.begin(organization_id())
    done = document_tables.filed_waiting(document_tables.kept(inbox_file_id), table, chosen)
    return render("documents/tables/filed.html", table=done, entries=form["entries"], is_filed=True)


def _show_new(problem: Problem | None = None) -> Response:
    return render(
        "documents/tables/new.html",
        types=TYPES,
        form=request.form,
        problem=problem,
    )


def _show_columns(
    inbox_file_id: int,
    mapping: dict[str, object] | None,
    form: dict[str, Any],
    *,
    problem: Problem | None = None,
) -> Response:
    """Render the page with the table as it is read now."""
    tried = document_tables.tried_waiting(inbox_file_id, form["document_type"], mapping)
    return render(
        "documents/tables/columns.html",
        inbox_file=tried.waiting,
        standing=column_forms.columns_view(tried.reading, mapping, form["columns"] if problem else (), KINDS),
        table=tried.table,
        shown=SHOWN,
        typed=form | column_forms.form_of(mapping),
        kinds=KINDS,
        figures=FIGURES,
        is_of_bank=False,
        types=TYPES,
        accounts=queries.accounts.choices.accounts(
            organization_id(), chosen=[form["account_id"], form["tax_account_id"], form["counter_account_id"]]
        ),
        problem=problem,
    )
