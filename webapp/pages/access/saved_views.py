"""The saved views of a list: its bar, and the acts to save, rename and delete one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.errors import UnprocessableError
from webapp.schemas.access import ListAddressSchema, NewSavedViewFormSchema, SavedViewFormSchema
from webapp.web.access import requests
from webapp.web.access.auth import organization_id, principal, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of

if TYPE_CHECKING:
    from webapp.models import SavedView

bp = Blueprint("saved_views", __name__, url_prefix="/views")


class NoFilterError(UnprocessableError):
    """This list has no filter; set one, and save it then."""

    code = "no_filter"


# Where somebody is in a list is no part of its filter.
PLACES = frozenset({"cursor", "edit", "ids", "limit", "line", "selected"})


@bp.get("")
@requires("read", session_only=True)
def index() -> Response:
    """Show the views of a list, and the form that saves its filter."""
    query = ListAddressSchema.read_leniently_of(request.args.to_dict())
    # The bar is of the page that asks for it, whose address a filter of the workspace changes without another visit.
    asking = request.headers.get("HX-Current-URL", request.referrer or "")
    return show_views(query["path"], query["query"] or urlsplit(asking).query)


@bp.post("")
@requires("read", session_only=True)
def save() -> Response:
    """Save the filter of a list, and show the list; or show the error."""
    try:
        body = NewSavedViewFormSchema().load(form_body())
        body["query"] = filter_of(body["query"])
        if not body["query"]:
            raise NoFilterError
        view = services.access.saved_views.save(
            organization_id(), principal().user_id, **body, now=requests.now()
        )
    except REFUSALS as error:
        sent = ListAddressSchema.read_leniently_of(request.form.to_dict())
        return show_views(sent["path"], sent["query"], problem_of(error))
    return redirect_to(address_of(view))


@bp.post("/<id:view_id>")
@requires("read", session_only=True)
def rename(view_id: int) -> Response:
    """Rename a view, and show its list; or show the error."""
    view = own_view(view_id)
    try:
        services.access.saved_views.rename(view, SavedViewFormSchema().load(form_body())["name"])
    except REFUSALS as error:
        problem = problem_of(error)
        view = own_view(view_id)
        return show_views(view.path, view.query, problem)
    return redirect_to(address_of(view))


@bp.post("/<id:view_id>/delete")
@requires("read", session_only=True)
def delete(view_id: int) -> Response:
    """Delete a view, and show the same lines without it."""
    view = own_view(view_id)
    address = address_of(view)
    services.access.saved_views.delete(view)
    return redirect_to(address)


def own_view(view_id: int) -> SavedView:
    """Find a view of the viewer."""
    return queries.access.saved_views.get(organization_id(), principal().user_id, view_id)


def filter_of(query: str) -> str:
    """Return what a query filters by, in one order.

    >>> filter_of("?status=DRAFT&q=&line=7&from=2026-01-01")
    'from=2026-01-01&status=DRAFT'
    """
    pairs = parse_qsl(query.removeprefix("?"))
    return urlencode(sorted(each for each in pairs if each[0] not in PLACES))


def address_of(view: SavedView) -> str:
    """Return the address of a list with the filter of a view, which other members may open as well."""
    return url_for("hub.index").rstrip("/") + view.path + f"?{view.query}"


def show_views(path: str, query: str, problem: Problem | None = None) -> Response:
    """Render the views of a list, or its bar alone."""
    return render("saved_views/index.html", shown=views_of(path, query), form=request.form, problem=problem)


@bp.app_template_global()
def views_here() -> dict[str, Any]:
    """Find the views of the list that is shown, for the bar in it."""
    path = request.path.removeprefix(url_for("hub.index").rstrip("/"))
    return views_of(path, request.query_string.decode())


def views_of(path: str, query: str) -> dict[str, Any]:
    """Find the views of a list; the current one is that of its filter."""
    views = queries.access.saved_views.of_list(organization_id(), principal().user_id, path)
    wanted = filter_of(query)
    shown: list[dict[str, Any]] = [
        {"id": each.id, "name": each.name, "address": address_of(each), "is_current": each.query == wanted}
        for each in views
    ]
    current = next((each for each in shown if each["is_current"]), None)
    return {"views": shown, "current": current, "path": path, "query": wanted}
