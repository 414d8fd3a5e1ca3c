"""The workspace of a bank account: its lines, and its reconciliation."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.periods import Period
from webapp.pages.transactions.workspace_facts import (
    WorkspaceFacts,
    filters_query,
)
from webapp.schemas.accounts.feed_accounts import BatchesFormSchema
from webapp.schemas.addresses import WorkspaceQuerySchema
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering import charts, rule_wording
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import is_htmx, redirect_back, redirect_to, render, target
from webapp.web.rendering.problems import Problem

if TYPE_CHECKING:
    from webapp.models import Transaction
    from webapp.pages.transactions.stale_edits import StaleEdit
    from webapp.queries.reconciliation.hub import HubRecord
    from webapp.queries.transactions.shown_lines import ChangedLine

bp = Blueprint("feed_accounts", __name__, url_prefix="/feeds")

TEMPLATE = "feed_accounts/show.html"
MONTHS_COMPARED = 12
# What the parts of the page ask the books for, beside what every part is rendered with; other parts ask for nothing.
OF_LINE = frozenset(
    {"choices", "split_rows", "rest", "why", "candidates", "description", "payments", "has_file", "bookings"}
)
ASKED_FOR = {
    "line": OF_LINE | {"line"},
    "filters": frozenset({"counts", "choices"}),
    "panel": frozenset({"panel", "next_statement", "statement"}),
    "head": frozenset({"neighbours"}),
    "coverage": frozenset({"coverage"}),
    "dock": frozenset({"choices"}),
    "foot": frozenset({"page"}),
    "lines": OF_LINE | {"lines", "page", "counts"},
}

# What another filter changes.
FILTERED = ("lines", "filters", "dock", "foot", "head")


@bp.get("")
@requires("read")
def index() -> Response:
    """List the bank accounts, each with the way to its lines and its balances."""
    accounts = queries.accounts.choices.feed_accounts(organization_id())
    return render("feed_accounts/index.html", accounts=accounts)


@bp.get("/<id:fa_id>")
@requires("read")
def show(fa_id: int) -> Response:
    """Show the workspace, or for htmx one line, or the lines that a filter leaves and what else goes by it."""
    query = WorkspaceQuerySchema().load(request.args)
    if target() == f"line-{query['line']}":
        line = queries.transactions.transactions.get(organization_id(), query["line"])
        current_id = None if query["edit"] == "closed" else line.id
        return render_line(line, parts=("line",), current_id=current_id, editing=query["edit"])
    parts = FILTERED if target() == "lines" else ()
    return render(TEMPLATE, parts=dict(zip(parts, parts, strict=True)), **workspace(fa_id, query, parts))


@bp.get("/<id:fa_id>/balances")
@requires("read")
def stated_balances(fa_id: int) -> Response:
    """Show the balance by the books beside the stated ones, over twelve months."""
    period = Period.months_to(
        queries.access.organizations.today(organization_id(), requests.now()), MONTHS_COMPARED
    )
    feed_account = queries.accounts.feed_accounts.get(organization_id(), fa_id)
    history = queries.reports.stated_balances.history(feed_account, period)
    return render(
        "feed_accounts/balances.html",
        account=feed_account,
        history=history,
        chart=charts.line(
            period,
            history.books,
            [],
            feed_account.currency,
            {each.day: each.stated for each in history.points},
        ),
        period=period,
    )


@bp.post("/<id:fa_id>/resume")
@requires("admin")
def resume(fa_id: int) -> Response:
    """Resume a paused feed."""
    services.feeds.pushes.resume(queries.accounts.feed_accounts.get(organization_id(), fa_id), **acting())
    return redirect_back(url_for("feed_accounts.show", fa_id=fa_id))


@bp.post("/<id:fa_id>/batches")
@requires("admin")
def batches(fa_id: int) -> Response:
    """Set whether the batches of an account's files are split."""
    feed_account = queries.accounts.feed_accounts.get(organization_id(), fa_id)
    services.accounts.feed_accounts.edit(feed_account, BatchesFormSchema().load(form_body()), **acting())
    return redirect_to(url_for("accounts.show", account_id=feed_account.account_id))


def render_line(
    transaction: Transaction,
    *,
    parts: tuple[str, ...] = ("line", "filters", "panel"),
    current_id: int | None = None,
    editing: str | None = None,
    problem: Problem | None = None,
    rows: list[dict[str, Any]] | None = None,
    changed: ChangedLine | None = None,
    stale: StaleEdit | None = None,
) -> Response:
    """Answer an act on a line with its row and the parts that it changes, or with the whole page.

    `rows` are the splits of a refused form as they were typed, `changed` the line that is otherwise than its row was,
    `stale` the edit that was refused for it.
    """
    query = {**WorkspaceQuerySchema().load({}), **workspace_filters(transaction.feed_account_id)}
    query |= {"line": current_id, "edit": editing}
    form = request.form if problem else None
    account = None
    if "panel" in parts:
        account = queries.reconciliation.hub.account(organization_id(), transaction.feed_account_id)
        parts = (*parts, "coverage") if is_proved(transaction, account) else parts
    context = workspace(
        transaction.feed_account_id,
        query,
        parts,
        problem=problem,
        form=form,
        account=account,
        asked_line=transaction,
        typed=rows or (),
    )
    context |= {"changed": {changed.line_id: changed} if changed else {}, "stale": stale}
    elements = {part: f"line-{transaction.id}" if part == "line" else part for part in parts}
    return render(TEMPLATE, parts=elements, **context)


def is_proved(transaction: Transaction, account: HubRecord) -> bool:
    """Return whether a proof has the day of a line, so that an act on the line may change its verdict."""
    return account.anchor is not None and transaction.booked_on <= account.anchor.statement_date


def workspace_filters(fa_id: int) -> dict[str, Any]:
    """Read the filters of the workspace in which an act was made from the URL of its page."""
    address, _, query = request.headers.get("HX-Current-URL", request.referrer or "").partition("?")
    if not address.endswith(f"/feeds/{fa_id}"):
        return {}
    return WorkspaceQuerySchema.read_leniently(query)


def selected_lines(text: str) -> frozenset[int]:
    """The ids of the lines that an address selects, as in 17.4.9."""
    return frozenset(int(each) for each in text.split(".") if each.isascii() and each.isdigit())


def workspace(
    fa_id: int,
    query: Mapping[str, Any],
    parts: Collection[str] = (),
    *,
    problem: Problem | None = None,
    form: Mapping[str, str] | None = None,
    asking: Mapping[str, Any] | None = None,
    account: HubRecord | None = None,
    asked_line: Transaction | None = None,
    typed: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The context of the whole workspace, or for htmx of these parts of it; `typed` are splits of a refused form.

    `account` is the account as the hub shows it, where it is read already.
    """
    parts = parts if is_htmx() else ()
    facts = WorkspaceFacts(fa_id, query, parts or ASKED_FOR, account=account, asked=asked_line, typed=typed)
    asked = {name for part in parts or ASKED_FOR for name in ASKED_FOR.get(part, ())}
    return {
        "account": facts.account_of_line if set(parts) == {"line"} else facts.account,
        "filters": facts.filters,
        "keep": filters_query(facts.filters),
        "current_id": query["line"],
        "editing": query["edit"],
        "selected": frozenset() if is_htmx() else selected_lines(query["selected"]),
        "split_rows": [],
        "rest": None,
        "why": None,
        "candidates": (),
        "payments": None,
        "has_file": False,
        "bookings": {},
        "words": rule_wording,
        "coverage": None,
        "form": form or {},
        "problem": problem,
        "asking": asking,
        "changing": None,
        "changed": {},
        "stale": None,
        "since": None if is_htmx() else queries.audit.book_moves.last_act(organization_id()),
        **{name: getattr(facts, name) for name in asked},
    }
