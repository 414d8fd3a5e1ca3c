"""Proposed transfers, and open items of the watched accounts."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.chart import Role
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.pages.transactions.transactions import act_on
from webapp.schemas.addresses import OpenItemsPageSchema
from webapp.schemas.transactions.line_joins import LineToJoinFormSchema, OtherLineFormSchema
from webapp.schemas.transactions.settlements import TickedItemsFormSchema
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import is_htmx, redirect_back, render
from webapp.web.rendering.problems import Problem, problem_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from webapp.models import Transaction


class TwoLinesError(UnprocessableError):
    """A transfer is of two bank lines; tick two open items that are bank lines."""

    code = "two_lines"


SETTLEMENTS_SHOWN = 20
bp = Blueprint("transfers", __name__, url_prefix="/transfers")


@bp.get("")
@requires("read", is_heavy=True)
def index() -> Response:
    """Show proposed transfers, and open items with their age."""
    return show()


@bp.post("/accept")
@requires("draft", is_heavy=True)
def accept() -> Response:
    """Pair all unambiguous transfers."""
    services.transactions.transfers.pair_unambiguous(**acting())
    return redirect_back(url_for("transfers.index"))


@bp.post("/pair")
@requires("draft")
def pair() -> Response:
    """Pair the lines of two ticked open items; what they differ by is booked as what it is called."""
    body = TickedItemsFormSchema().load(form_body(lists=frozenset({"items"})))
    line_ids = queries.transfers.open_items.lines_of(organization_id(), body["items"])
    try:
        if len(line_ids) != 2:  # noqa: PLR2004  (a transfer has two sides)
            raise TwoLinesError
        one, other = (queries.transactions.transactions.get(organization_id(), each) for each in line_ids)
        services.transactions.links.join(one, other, difference=body["difference"], **acting())
    except LedgerError as error:
        return show(problem=problem_of(error))
    return redirect_back(url_for("transfers.index"))


@bp.post("/<id:transaction_id>/join")
@requires("draft")
def join(transaction_id: int) -> Response:
    """Pair two lines; what they differ by is booked as what it is called."""
    body = LineToJoinFormSchema().load(form_body())
    pair_with = partial(services.transactions.links.join, difference=body["difference"])
    return act_on_pair(transaction_id, body["transaction_id"], pair_with)


@bp.post("/<id:transaction_id>/unjoin")
@requires("draft")
def unjoin(transaction_id: int) -> Response:
    """Separate two lines, or reject them as a transfer."""
    body = OtherLineFormSchema().load(form_body())
    return act_on_pair(transaction_id, body["transaction_id"], services.transactions.links.unjoin)


def act_on_pair(transaction_id: int, other_id: int, act: Callable[..., object]) -> Response:
    """Pair or separate two lines, and answer in the workspace or on the page of transfers."""

    def on_both(line: Transaction) -> None:
        act(line, queries.transactions.transactions.refer(organization_id(), other_id), **acting())

    if is_htmx():
        return act_on(transaction_id, on_both)
    try:
        on_both(queries.transactions.transactions.get(organization_id(), transaction_id))
    except LedgerError as error:
        return show(problem=problem_of(error))
    return redirect_back(url_for("transfers.index"))


def show(*, problem: Problem | None = None) -> Response:
    """Render proposed transfers and open items."""
    query: dict[str, Any] = OpenItemsPageSchema().load(request.args)
    after = paging.decode(query.pop("cursor"), "di")
    today = queries.access.organizations.today(organization_id(), requests.now())
    page = queries.transfers.open_items.listed(organization_id(), today=today, after=after, **query)
    settled = (
        queries.items.settlements.listed(
            organization_id(), account_id=query["account_id"], after=None, limit=SETTLEMENTS_SHOWN
        ).items
        if query["account_id"]
        else []
    )
    proposals = queries.transfers.proposed.proposed(organization_id())
    best: dict[int | None, Any] = defaultdict(lambda: None)
    for each in reversed(proposals.listed):
        best[each.line.id] = best[each.other.id] = each
    return render(
        "transfers/index.html",
        proposals=proposals,
        proposed_for=best,
        items=page.items,
        settlements=settled,
        watched=queries.transfers.watched.watched(organization_id()),
        account_id=query["account_id"],
        transfers_id=queries.accounts.accounts.by_role(organization_id(), Role.TRANSFERS).id,
        keep={
            name: value for name, value in (("accountId", query["account_id"]), ("to", query["to"])) if value
        },
        next_cursor=paging.encode(page.next_key),
        problem=problem,
    )
