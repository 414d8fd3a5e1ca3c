"""The page on which a file's columns are mapped, with a preview of its lines."""

from typing import Any

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.pages.imports import column_forms
from webapp.schemas.column_mappings import ColumnsFormSchema
from webapp.services.imports.previews import PreviewExpiredError
from webapp.web import uploads
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import REFUSALS, problem_of

bp = Blueprint("import_columns", __name__, url_prefix="/imports")


@bp.get("/<id:import_id>/columns")
@requires("read", is_heavy=True)
def show(import_id: int) -> Response:
    """Show how a stored file is read, or the question that it raises."""
    imported = queries.imports.imports.get(organization_id(), import_id)
    if imported.status == "IMPORTED" or imported.kept_file is None:
        return redirect_to(url_for("imports.show", import_id=import_id))
    try:
        return show_columns(import_id, imported.reading.get("mapping"), ColumnsFormSchema().load({}))
    except PreviewExpiredError:
        return redirect_to(url_for("imports.show", import_id=import_id))


@bp.post("/<id:import_id>/columns")
@requires("draft", begins=False, is_heavy=True)
def save(import_id: int) -> Response:
    """Preview a mapping of the columns, store it, or import the file with it."""
    _ = request.form
    form = ColumnsFormSchema().load({"act": "look"})
    mapping: dict[str, object] | None = None
    try:
        form = ColumnsFormSchema().load(form_body(lists=frozenset({"columns"})))
        mapping = column_forms.mapping_of(form)
        if form["act"] != "look":
            return _use(import_id, mapping, is_import=form["act"] == "import")
    except REFUSALS as error:
        problem = problem_of(error)
        return show_columns(import_id, mapping, form, problem=problem.message, status=problem.status)
    return show_columns(import_id, mapping, form)


@bp.post("/columns/<id:mapping_id>/forget")
@requires("draft")
def forget(mapping_id: int) -> Response:
    """Delete the stored mapping of an account's columns."""
    services.imports.column_mappings.forget(
        queries.imports.column_mappings.get(organization_id(), mapping_id), **acting()
    )
    return redirect_to(url_for("imports.new"))


def _use(import_id: int, mapping: dict[str, object] | None, *, is_import: bool) -> Response:
    uploads.read_again(import_id, mapping)
    if is_import:
        uploads.import_previewed(import_id)
    return redirect_to(url_for("imports.show", import_id=import_id))


def show_columns(
    import_id: int,
    mapping: dict[str, object] | None,
    form: dict[str, Any],
    *,
    problem: str | None = None,
    status: int = 200,
) -> Response:
    """Render the page with the file as it is read now."""
    imported, reading = uploads.tried(import_id, mapping)
    return render(
        "imports/columns.html",
        status=status,
        bank_import=queries.imports.imports.record(imported),
        standing=column_forms.columns_view(reading, mapping, form["columns"] if problem else ()),
        typed=form
        | column_forms.form_of({**(mapping or reading.guess or {}), **column_forms.proposed_of(reading)}),
        remembered=queries.imports.column_mappings.listed(organization_id()),
        kinds=column_forms.KINDS,
        figures=column_forms.FIGURES,
        is_of_bank=True,
        problem=problem,
    )
