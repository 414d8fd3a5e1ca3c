"""Imports of bank files: upload, preview, import, and removal."""

from collections.abc import Mapping
from dataclasses import dataclass

import marshmallow as ma
from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.codes import VERDICTS
from webapp.ledger.errors import LedgerError
from webapp.pages.imports import column_forms
from webapp.pages.transactions.workspace_facts import next_statement
from webapp.queries.common.paging import Page
from webapp.queries.documents.file_history import FileHistoryRow
from webapp.queries.imports.imports import ImportRecord
from webapp.queries.reconciliation.hub import HubRecord
from webapp.queries.reconciliation.next_statements import NextStatement
from webapp.schemas.addresses import ImportPageQuerySchema, ImportsPageQuerySchema
from webapp.schemas.imports import CommitFormSchema, CommitManyFormSchema, ImportFormSchema
from webapp.services.imports.planning.choices import NO_CHOICES, Choices
from webapp.services.imports.previews import PreviewExpiredError
from webapp.web import downloads, paging, uploads
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import REFUSALS, problem_of

bp = Blueprint("imports", __name__, url_prefix="/imports")

LINES_SHOWN = 100
MAPPED = ("csv", "xlsx", "qif")


@bp.get("")
@bp.get("/new")
@requires("read")
def new() -> Response:
    """Show the form, and the list of imports."""
    return show_form()


@bp.post("")
@requires("draft", begins=False, body_limit=uploads.BODY_LIMIT, is_heavy=True)
def preview() -> Response:
    """Preview a file, or several, which are then listed with their verdicts; no line is written."""
    form = {name: value for name, value in request.form.items() if value.strip()}
    try:
        files = uploads.received_together(ImportFormSchema(unknown=ma.EXCLUDE).load(form))
    except (LedgerError, ma.ValidationError) as error:
        problem = problem_of(error)
        return show_form(problem=problem.message, status=problem.status)
    if len(files) > 1:
        uploads.preview_each(files)
        return redirect_to(url_for("imports.new", _anchor="imports"))
    imported = uploads.preview(files[0], asks=True)
    asks = imported.asks is not None and imported.is_kept
    return redirect_to(url_for("import_columns.show" if asks else "imports.show", import_id=imported.id))


@bp.get("/<id:import_id>")
@requires("read", is_heavy=True)
def show(import_id: int) -> Response:
    """Show a preview, an import, or the reason of a refusal."""
    return show_import(import_id)


@bp.get("/<id:import_id>/file")
@requires("read")
def file(import_id: int) -> Response:
    """Download the file of an import as the bank wrote it."""
    imported = queries.imports.imports.get(organization_id(), import_id)
    bank_files = queries.imports.bank_files
    return downloads.attachment(*bank_files.require(bank_files.of_import(imported)))


@bp.post("/<id:import_id>/commit")
@requires("draft", begins=False, is_heavy=True)
def commit(import_id: int) -> Response:
    """Import a previewed file, all or nothing, or show it as it is read with the choices of the form."""
    try:
        body = CommitFormSchema().load(form_body())
        if body["act"] == "look":
            return show_import(import_id, choices=uploads.choices(body))
        uploads.import_previewed(import_id, uploads.choices(body))
    except REFUSALS as error:
        problem = problem_of(error)
        return show_import(import_id, problem=problem.message, status=problem.status)
    return redirect_to(url_for("imports.show", import_id=import_id))


@bp.post("/commit")
@requires("draft", begins=False, is_heavy=True)
def commit_many() -> Response:
    """Import several previewed files, each all or nothing; the list then says what became of each."""
    body = CommitManyFormSchema().load(form_body(lists=frozenset({"ids"})))
    uploads.import_each(body["ids"])
    return redirect_to(url_for("imports.new", _anchor="imports"))


@bp.post("/<id:import_id>/delete")
@requires("draft", is_heavy=True)
def delete(import_id: int) -> Response:
    """Remove an import and its lines."""
    imported = queries.imports.imports.get(organization_id(), import_id)
    try:
        services.imports.removal.removals.take_back(imported, uploads.folder(), **acting())
    except LedgerError as error:
        problem = problem_of(error)
        return show_import(import_id, problem=problem.message, status=problem.status)
    return redirect_to(url_for("imports.new"))


def show_form(*, problem: str | None = None, status: int = 200) -> Response:
    """Render the form for a file."""
    query = ImportsPageQuerySchema().load(request.args)
    page = queries.imports.imports.listed(
        organization_id(), after=paging.decode(query["cursor"], "i"), limit=query["limit"]
    )
    return render(
        "imports/new.html",
        status=status,
        feed_accounts=queries.accounts.choices.feed_accounts(organization_id()),
        fa_id=query["fa_id"],
        imports=page.items,
        history=[FileHistoryRow("import", each) for each in page.items],
        next_cursor=paging.encode(page.next_key),
        problem=problem,
    )


def show_import(
    import_id: int, *, problem: str | None = None, status: int = 200, choices: Choices = NO_CHOICES
) -> Response:
    """Render one import with its lines."""
    imported = queries.imports.imports.get(organization_id(), import_id)
    query = ImportPageQuerySchema().load(request.args)
    verdict = None if query["show"] == "ALL" else query["show"]
    after = paging.decode(query["cursor"], "i")
    try:
        rows = uploads.rows(imported, verdict=verdict, after=after, limit=LINES_SHOWN, choices=choices)
        is_kept = True
    except PreviewExpiredError:
        rows = uploads.Rows(queries.imports.imports.record(imported), Page([], None, 0), {})
        is_kept = False
    record, bank_files = rows.record, queries.imports.bank_files
    held = services.imports.removal.removals.blocker(imported)
    return render(
        "imports/show.html",
        status=status,
        bank_import=record,
        bank_file=bank_files.record(bank_files.of_import(imported)),
        lines=rows.page.items,
        counts={**dict.fromkeys(VERDICTS, 0), **rows.counts, "REFUSED": 0, "ALL": sum(rows.counts.values())},
        show=query["show"],
        next_cursor=paging.encode(rows.page.next_key),
        doubts=rows.doubts,
        whose=rows.open_accounts,
        added_sums=rows.added_sums,
        is_kept=is_kept,
        can_take_back=record.status == "IMPORTED" and held is None,
        held=held,
        with_account=queries.imports.imports.with_account(imported) if held is None else 0,
        next_steps=next_steps(record),
        is_mapped=record.is_kept and record.format in {None, *MAPPED},
        choices=column_forms.choices_of(record) if record.status == "PREVIEWED" else (),
        problem=problem,
    )


@dataclass(frozen=True, slots=True)
class NextStep:
    """What an imported account waits for; `statement` is None while a reconciliation is open."""

    account: HubRecord
    statement: NextStatement | None


def next_steps(imported: ImportRecord) -> Mapping[int, NextStep]:
    """The next step of each account of an imported file, by feed account; none of another file."""
    if imported.status != "IMPORTED":
        return {}
    ids = (each.fa_id for each in imported.accounts if each.fa_id is not None)
    return {fa_id: _next_step(fa_id) for fa_id in ids}


def _next_step(fa_id: int) -> NextStep:
    account = queries.reconciliation.hub.account(organization_id(), fa_id)
    feed_account = queries.accounts.feed_accounts.get(organization_id(), fa_id)
    return NextStep(account, None if account.draft else next_statement(feed_account, account.anchor))
