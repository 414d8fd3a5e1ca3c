"""Merchants: the list A to Z, and the pages of a merchant to change it, to merge it and to separate it again."""

from typing import Any

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.dimensions import Dimension, DimensionSelection
from webapp.pages.accounts.dimension_figures import figures, results
from webapp.schemas.accounts.merchants import (
    MerchantFormSchema,
    MerchantPageQuerySchema,
    MergeFormSchema,
    MergePageSchema,
)
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, principal, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import render
from webapp.web.rendering.problems import Problem, act_or_show

bp = Blueprint("merchants", __name__, url_prefix="/merchants")
MOST_OPEN = 10


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
        lambda: services.accounts.merchants.create(**MerchantFormSchema().load(form_body()), **acting()),
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
            merchant, MerchantFormSchema().load(form_body()), **acting()
        ),
        url_for("merchants.index"),
        lambda problem: show_merchant(merchant_id, problem),
    )


@bp.get("/<id:merchant_id>/merge")
@requires("draft")
def preview_merge(merchant_id: int) -> Response:
    """Show the merchants to merge one into, and what merging it into the chosen one brings together."""
    return show_merge(merchant_id)


@bp.post("/<id:merchant_id>/merge")
@requires("draft")
def merge(merchant_id: int) -> Response:
    """Merge a merchant into another one, and show that one."""
    merchant = queries.accounts.merchants.get(organization_id(), merchant_id)
    chosen = MergePageSchema.read_leniently_of(request.form.to_dict())["merged_into_id"]
    return act_or_show(
        lambda: services.accounts.merchants.merge(
            merchant, MergeFormSchema().load(form_body())["merged_into_id"], **acting()
        ),
        url_for("merchants.show", merchant_id=chosen or merchant_id),
        lambda problem: show_merge(merchant_id, problem),
    )


@bp.post("/<id:merchant_id>/separate")
@requires("draft")
def separate(merchant_id: int) -> Response:
    """Separate a merged merchant again, and show it."""
    merchant = queries.accounts.merchants.get(organization_id(), merchant_id)
    return act_or_show(
        lambda: services.accounts.merchants.separate(merchant, **acting()),
        url_for("merchants.show", merchant_id=merchant_id),
        lambda problem: show_merchant(merchant_id, problem),
    )


def show_list(problem: Problem | None = None) -> Response:
    """Render the merchants, with a refused form as it was typed."""
    query = MerchantPageQuerySchema.read_leniently(request.query_string.decode())
    cursor = query.pop("cursor")
    page = queries.accounts.merchants.listed(organization_id(), after=paging.decode(cursor, "si"), **query)
    return render(
        "merchants/index.html",
        merchants=page.items,
        results=results(Dimension.MERCHANT, [merchant.id for merchant in page.items]),
        next_cursor=paging.encode(page.next_key),
        q=query["q"] or "",
        form=request.form,
        problem=problem,
    )


def show_merchant(merchant_id: int, problem: Problem | None = None) -> Response:
    """Render a merchant, with a refused form as it was typed; of a merged one, what it counts as."""
    of = queries.accounts.merchants
    merchant = of.get(organization_id(), merchant_id)
    is_merged = merchant.merged_into_id is not None
    return render(
        "merchants/show.html",
        merchant=merchant,
        into=of.get(organization_id(), merchant.counting_id) if is_merged else None,
        merged=of.merged_into(merchant),
        form=request.form,
        problem=problem,
        **({} if is_merged else figures(DimensionSelection(org_merchant_id=merchant_id))),
        **({} if is_merged else owed(merchant_id)),
    )


def owed(merchant_id: int) -> dict[str, Any]:
    """What is open of a merchant, the newest first, and whether there is more."""
    today = queries.access.organizations.today(organization_id(), requests.now())
    page = queries.items.listings.listed(
        organization_id(), today=today, merchant_id=merchant_id, after=None, limit=MOST_OPEN
    )
    return {"open_items": page.items, "has_more": page.next_key is not None}


def show_merge(merchant_id: int, problem: Problem | None = None) -> Response:
    """Render the merge of a merchant: whom to choose from, and the preview once one is chosen."""
    of, here = queries.accounts.merchants, organization_id()
    merchant = of.get(here, merchant_id)
    chosen = MergePageSchema.read_leniently_of(request.values.to_dict())["merged_into_id"]
    choices = [each for each in queries.accounts.choices.merchants(here) if each.id != merchant_id]
    into = of.get(here, chosen) if any(each.id == chosen for each in choices) else None
    return render(
        "merchants/merge.html",
        merchant=merchant,
        choices=choices,
        preview=into
        and queries.transactions.merchant_merges.preview(merchant, into, principal().base_currency),
        problem=problem,
    )
