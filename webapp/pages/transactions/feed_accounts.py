"""The workspace of a bank account: its lines, and its reconciliation."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.queries.transactions.workspaces import WorkspaceFilters
from webapp.schemas.accounts.feed_accounts import BatchesFormSchema
from webapp.schemas.addresses import WorkspaceQuerySchema
from webapp.web import paging
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering import rule_wording
from webapp.web.rendering.figures import figure
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import is_htmx, redirect_back, redirect_to, render, target
from webapp.web.rendering.problems import Problem

if TYPE_CHECKING:
    from webapp.ledger.proofs.covered_months import CoveredMonth
    from webapp.models import FeedAccount, Transaction
    from webapp.queries.common.paging import Page
    from webapp.queries.reconciliation.hub import HubRecord
    from webapp.queries.reconciliation.panels import Panel
    from webapp.queries.rule_decisions.line_reasons import LineReasons
    from webapp.queries.transactions.shown_lines import ChangedLine
    from webapp.queries.transactions.workspaces import AccountOfLine, NamedSplit, WorkspaceLine

bp = Blueprint("feed_accounts", __name__, url_prefix="/feeds")

TEMPLATE = "feed_accounts/show.html"
EMPTY_SPLIT_ROWS = 2
SPLIT_CHOICES = ("account_id", "org_merchant_id", "project_id")
STRIP_MONTHS = 12
# What the parts of the page ask the books for, beside what every part is rendered with; other parts ask for nothing.
ASKED_FOR = {
    "line": frozenset({"choices"}),
    "filters": frozenset({"counts", "choices"}),
    "panel": frozenset({"panel"}),
    "head": frozenset({"neighbours"}),
    "lines": frozenset({"lines", "page", "counts", "choices", "split_rows", "why"}),
}


@bp.get("/<id:fa_id>")
@requires("read")
def show(fa_id: int) -> Response:
    """Show the workspace, or for htmx one line."""
    query = WorkspaceQuerySchema().load(request.args)
    if target() == f"line-{query['line']}":
        line = queries.transactions.transactions.get(organization_id(), query["line"])
        current_id = None if query["edit"] == "closed" else line.id
        return render_line(line, parts=("line",), current_id=current_id, editing=query["edit"])
    return render(TEMPLATE, **workspace(fa_id, query))


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
) -> Response:
    """Answer an act on a line with its row and the parts that it changes, or with the whole page.

    `rows` are the splits of a refused form as they were typed, `changed` the line that is otherwise than its row was.
    """
    query = {**WorkspaceQuerySchema().load({}), **workspace_filters(transaction.feed_account_id)}
    query |= {"line": current_id, "edit": editing}
    form = request.form if problem else None
    asked = parts if is_htmx() else ()
    context = workspace(transaction.feed_account_id, query, asked, problem=problem, form=form)
    line = queries.transactions.workspaces.line(transaction)
    context |= {"line": line, "split_rows": rows or split_rows(line), "why": why(transaction.id, query)}
    context["changed"] = {changed.line_id: changed} if changed else {}
    context |= {"choices": choices(line)}
    elements = {part: f"line-{transaction.id}" if part == "line" else part for part in parts}
    return render(TEMPLATE, parts=elements, status=problem.status if problem else 200, **context)


def workspace_filters(fa_id: int) -> dict[str, Any]:
    """Read the filters of the workspace in which an act was made from the URL of its page."""
    address, _, query = request.headers.get("HX-Current-URL", request.referrer or "").partition("?")
    if not address.endswith(f"/feeds/{fa_id}"):
        return {}
    return WorkspaceQuerySchema.read_leniently(query)


def workspace(
    fa_id: int,
    query: Mapping[str, Any],
    parts: Collection[str] = (),
    *,
    problem: Problem | None = None,
    form: Mapping[str, str] | None = None,
    asking: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The context of the whole workspace, or of these parts of it."""
    facts = WorkspaceFacts(fa_id, query, parts or ASKED_FOR)
    asked = {name for part in parts or ASKED_FOR for name in ASKED_FOR.get(part, ())}
    return {
        "account": facts.account_of_line if set(parts) == {"line"} else facts.account,
        "filters": facts.filters,
        "keep": filters_query(facts.filters),
        "current_id": query["line"],
        "editing": query["edit"],
        "split_rows": [],
        "why": None,
        "words": rule_wording,
        "coverage": None if target() else coverage(facts.feed_account),
        "form": form or {},
        "problem": problem,
        "asking": asking,
        "changed": {},
        **{name: getattr(facts, name) for name in asked},
    }


class WorkspaceFacts:
    """What the parts of a workspace show, asked of the books at most once, and only where a part needs it."""

    def __init__(self, fa_id: int, query: Mapping[str, Any], parts: Collection[str]) -> None:
        self._fa_id, self._query, self._parts = fa_id, query, parts

    @cached_property
    def feed_account(self) -> FeedAccount:
        """The account as it is stored."""
        return queries.accounts.feed_accounts.get(organization_id(), self._fa_id)

    @cached_property
    def account(self) -> HubRecord:
        """The account as the hub shows it."""
        hub = self._hub if "head" in self._parts else ()
        shown = next((each for each in hub if each.fa_id == self._fa_id), None)
        return shown or queries.reconciliation.hub.account(organization_id(), self._fa_id)

    @cached_property
    def _hub(self) -> list[HubRecord]:
        return queries.reconciliation.hub.accounts(organization_id())

    @cached_property
    def account_of_line(self) -> AccountOfLine:
        """What a line alone shows of its account."""
        return queries.transactions.workspaces.account_of_line(self.feed_account)

    @cached_property
    def filters(self) -> WorkspaceFilters:
        """The tab and the filters of the list."""
        draft = queries.transactions.workspaces.open_draft(organization_id(), self._fa_id)
        return filters_of(self._query, self._query["show"] or ("statement" if draft else "all"))

    @cached_property
    def counts(self) -> dict[str, int]:
        """The number of lines behind each tab."""
        return queries.transactions.tab_counts.of_account(organization_id(), self.account, self.filters)

    @cached_property
    def _found(self) -> Page[WorkspaceLine]:
        after = paging.decode(self.filters.cursor, "di")
        return queries.transactions.workspaces.lines(
            organization_id(), self._fa_id, self.filters, after=after, limit=self._query["limit"]
        )

    @cached_property
    def lines(self) -> Sequence[WorkspaceLine]:
        """The lines of the page, newest first."""
        return self._found.items

    @cached_property
    def page(self) -> dict[str, Any]:
        """How many lines are shown, how many there are, and where the next ones begin."""
        return {
            "shown": len(self._found.items),
            "total": self.counts[self.filters.show],
            "next_cursor": paging.encode(self._found.next_key),
        }

    @cached_property
    def _current(self) -> WorkspaceLine | None:
        if "lines" not in self._parts:
            return None
        return next((line for line in self._found.items if line.id == self._query["line"]), None)

    @cached_property
    def split_rows(self) -> list[dict[str, Any]]:
        """The rows of the split form of the current line."""
        return split_rows(self._current) if self._current else []

    @cached_property
    def why(self) -> LineReasons | None:
        """The reasons for the entry of the current line, if they are shown."""
        return why(self._current.id, self._query) if self._current else None

    @cached_property
    def choices(self) -> dict[str, Any]:
        """The choices for the fields of the current line, and of the filters."""
        return choices(self._current)

    @cached_property
    def neighbours(self) -> dict[str, Any]:
        """The accounts beside this one."""
        return neighbours(self._hub, self._fa_id)

    @cached_property
    def panel(self) -> Panel | None:
        """The figures of the open reconciliation."""
        return queries.reconciliation.panels.panel(self.feed_account)


def filters_of(query: Mapping[str, Any], show: str) -> WorkspaceFilters:
    """The filters that an address asks for, in a tab."""
    names = ("q", "from_", "to", "cursor", "project_id", "project_group_id", "org_merchant_id")
    return WorkspaceFilters(show, *(query[each] for each in names))


def why(line_id: int, query: Mapping[str, Any]) -> LineReasons | None:
    """The reasons for a line's entry (rules and suggestions), if they are shown."""
    if query["edit"] != "why":
        return None
    return queries.rule_decisions.line_reasons.reasons(
        queries.transactions.transactions.get(organization_id(), line_id)
    )


def coverage(feed_account: FeedAccount) -> list[CoveredMonth]:
    """The newest months of the account's coverage, oldest first, as many as the strip shows."""
    return queries.imports.coverage.record(feed_account).months[STRIP_MONTHS - 1 :: -1]


def filters_query(filters: WorkspaceFilters) -> dict[str, str]:
    """The filters in use, as parameters of the URL."""
    parameters = {
        "show": filters.show,
        "q": filters.q,
        "from": filters.from_date,
        "to": filters.to_date,
        "projectId": filters.project_id,
        "projectGroupId": filters.project_group_id,
        "orgMerchantId": filters.org_merchant_id,
    }
    return {name: str(value) for name, value in parameters.items() if value}


def choices(line: WorkspaceLine | None) -> dict[str, Any]:
    """The choices for the current line's fields."""
    parts: list[WorkspaceLine | NamedSplit] = [line, *(line.splits or ())] if line else []
    return {
        "accounts": queries.accounts.choices.accounts(
            organization_id(), chosen=[part.account_id for part in parts]
        ),
        "merchants": queries.accounts.choices.merchants(organization_id()),
        "projects": queries.accounts.choices.projects(organization_id()),
        "project_groups": queries.accounts.choices.project_groups(organization_id()),
    }


def neighbours(hub: list[Any], fa_id: int) -> dict[str, Any]:
    """The accounts before and after this one by name, and the next that is not reconciled."""
    by_name = sorted(hub, key=lambda account: (account.account_name.casefold(), account.fa_id))
    at = next(index for index, account in enumerate(by_name) if account.fa_id == fa_id)
    later = [*by_name[at + 1 :], *by_name[:at]]
    return {
        "previous": by_name[at - 1] if at else None,
        "next": by_name[at + 1] if at + 1 < len(by_name) else None,
        "waiting": next((each for each in later if each.status != "reconciled"), None),
    }


def split_rows(line: WorkspaceLine) -> list[dict[str, Any]]:
    """The rows of the split form: the existing splits, and empty rows."""
    parts: Sequence[WorkspaceLine | NamedSplit] = line.splits or [line]
    rows = [
        {"amount": figure(part.amount), **{name: getattr(part, name) for name in SPLIT_CHOICES}}
        for part in parts
    ]
    empty = dict.fromkeys(("amount", *SPLIT_CHOICES))
    return [*rows, *(dict(empty) for _ in range(EMPTY_SPLIT_ROWS))]
