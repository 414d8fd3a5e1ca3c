"""Merchants: all of them A to Z, and each one's own page to change it."""

from __future__ import annotations

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.schemas.accounts.merchants import MerchantPageQuerySchema, NewMerchantSchema
from webapp.web import paging
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of

bp = Blueprint("merchants", __name__, url_prefix="/merchants")


@bp.get("")
@requires("read")
def index() -> Response:
    """Show merchants."""
    return show_list()


@bp.post("")
@requires("draft")
def create() -> Response:
    """Make a merchant, or show the list with what is wrong."""
    try:
        services.accounts.merchants.create(**NewMerchantSchema().load(form_body()), **acting())
    except REFUSALS as error:
        return show_list(problem_of(error))
    return redirect_to(url_for("merchants.index"))


@bp.get("/<id:merchant_id>")
@requires("read")
def show(merchant_id: int) -> Response:
    """Show one merchant."""
    return show_merchant(merchant_id)


@bp.post("/<id:merchant_id>")
@requires("draft")
def update(merchant_id: int) -> Response:
    """Change a merchant, or show it with what is wrong."""
    merchant = queries.accounts.merchants.get(organization_id(), merchant_id)
    try:
        services.accounts.merchants.update(merchant, NewMerchantSchema().load(form_body()), **acting())
    except REFUSALS as error:
        return show_merchant(merchant_id, problem_of(error))
    return redirect_to(url_for("merchants.index"))


def show_list(problem: Problem | None = None) -> Response:
    """Render the merchants, with what was typed where it was refused."""
    asked = MerchantPageQuerySchema.read_leniently(request.query_string.decode())
    cursor = asked.pop("cursor")
    page = queries.accounts.merchants.listed(organization_id(), after=paging.decode(cursor, "si"), **asked)
    return render(
        "merchants/index.html",
        status=problem.status if problem else 200,
        merchants=page.items,
        next_cursor=paging.encode(page.next_key),
        q=asked["q"] or "",
        form=request.form,
        problem=problem,
    )


def show_merchant(merchant_id: int, problem: Problem | None = None) -> Response:
    """Render a merchant, with what was typed where it was refused."""
    return render(
        "merchants/show.html",
        status=problem.status if problem else 200,
        merchant=queries.accounts.merchants.get(organization_id(), merchant_id),
        form=request.form,
        problem=problem,
    )
