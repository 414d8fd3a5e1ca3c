"""Merchants: the list A to Z, and the page of a merchant to change it."""

from __future__ import annotations

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.dimensions import Dimension, DimensionSelection
from webapp.pages.accounts.dimension_figures import figures, results
from webapp.schemas.accounts.merchants import MerchantPageQuerySchema, NewMerchantSchema
from webapp.web import paging
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import render
from webapp.web.rendering.problems import Problem, act_or_show

bp = Blueprint("merchants", __name__, url_prefix="/merchants")


@bp.get("")
@requires("read")
def index() -> Response:
    """Show merchants."""
    return show_list()


@bp.post("")
@requires("draft")
def create() -> Response:
    """Create a merchant, or show the list with the error."""
    return act_or_show(
        lambda: services.accounts.merchants.create(**NewMerchantSchema().load(form_body()), **acting()),
        url_for("merchants.index"),
        show_list,
    )


@bp.get("/<id:merchant_id>")
@requires("read")
def show(merchant_id: int) -> Response:
    """Show one merchant."""
    return show_merchant(merchant_id)


@bp.post("/<id:merchant_id>")
@requires("draft")
def update(merchant_id: int) -> Response:
    """Change a merchant, or show it with the error."""
    merchant = queries.accounts.merchants.get(organization_id(), merchant_id)
    return act_or_show(
        lambda: services.accounts.merchants.update(
            merchant, NewMerchantSchema().load(form_body()), **acting()
        ),
        url_for("merchants.index"),
        lambda problem: show_merchant(merchant_id, problem),
    )


def show_list(problem: Problem | None = None) -> Response:
    """Render the merchants, with a refused form as it was typed."""
    query = MerchantPageQuerySchema.read_leniently(request.query_string.decode())
    cursor = query.pop("cursor")
    page = queries.accounts.merchants.listed(organization_id(), after=paging.decode(cursor, "si"), **query)
    return render(
        "merchants/index.html",
        status=problem.status if problem else 200,
        merchants=page.items,
        results=results(Dimension.MERCHANT, [merchant.id for merchant in page.items]),
        next_cursor=paging.encode(page.next_key),
        q=query["q"] or "",
        form=request.form,
        problem=problem,
    )


def show_merchant(merchant_id: int, problem: Problem | None = None) -> Response:
    """Render a merchant, with a refused form as it was typed."""
    return render(
        "merchants/show.html",
        status=problem.status if problem else 200,
        merchant=queries.accounts.merchants.get(organization_id(), merchant_id),
        form=request.form,
        problem=problem,
        **figures(DimensionSelection(org_merchant_id=merchant_id)),
    )
