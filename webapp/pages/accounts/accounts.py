"""The chart of accounts with balances, and the page of an account to change or archive it."""

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.chart import GROUPS
from webapp.pages.accounts.dimension_figures import account_chart
from webapp.schemas.accounts.accounts import (
    AccountFormSchema,
    ArchiveFormSchema,
    NewAccountFormSchema,
    RegisterPageQuerySchema,
)
from webapp.web import paging
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering import wording
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import render
from webapp.web.rendering.problems import Problem, act_or_show

GROUP_CHOICES = {
    type_.value: [{"id": each, "name": each.replace("_", " ").capitalize()} for each in sorted(groups)]
    for type_, groups in GROUPS.items()
}
bp = Blueprint("accounts", __name__, url_prefix="/accounts")


@bp.get("")
@requires("read")
def index() -> Response:
    """Show the chart."""
    return show_chart()


@bp.post("")
@requires("admin")
def create() -> Response:
    """Create an account, or show the chart with the error."""
    return act_or_show(
        lambda: services.accounts.accounts.create(**NewAccountFormSchema().load(form_body()), **acting()),
        url_for("accounts.index"),
        show_chart,
    )


@bp.get("/<id:account_id>")
@requires("read")
def show(account_id: int) -> Response:
    """Show one account."""
    return show_account(account_id)


@bp.get("/<id:account_id>/register")
@requires("read")
def register(account_id: int) -> Response:
    """Show the register of an account, newest or oldest first, with the balance after each posting."""
    query = RegisterPageQuerySchema().load(request.args)
    account = queries.accounts.accounts.get(organization_id(), account_id)
    cursor, oldest_first = query.pop("cursor"), query.pop("order") == "OLDEST"
    page = queries.reports.registers.page(
        queries.reports.registers.account(organization_id(), account_id),
        oldest_first=oldest_first,
        after=paging.decode(cursor, "dii"),
        **query,
    )
    return render(
        "accounts/register.html",
        account=queries.accounts.accounts.record(account, as_of=query["to"]),
        fa_id=queries.accounts.accounts.feed_ids(organization_id()).get(account_id),
        lines=page.items,
        days={"from_date": query["from_"], "to_date": query["to"]},
        oldest_first=oldest_first,
        keep={name: value for name, value in request.args.items() if value and name != "cursor"},
        cursor=cursor,
        next_cursor=paging.encode(page.next_key),
    )


@bp.post("/<id:account_id>")
@requires("admin")
def update(account_id: int) -> Response:
    """Change an account, or show it with the error."""
    account = queries.accounts.accounts.get(organization_id(), account_id)
    return act_or_show(
        lambda: services.accounts.accounts.update(account, AccountFormSchema().load(form_body()), **acting()),
        url_for("accounts.index"),
        lambda problem: show_account(account_id, problem),
    )


@bp.post("/<id:account_id>/archive")
@requires("admin")
def archive(account_id: int) -> Response:
    """Archive an account or restore it, or show it with the error."""
    account = queries.accounts.accounts.get(organization_id(), account_id)
    return act_or_show(
        lambda: services.accounts.accounts.update(account, ArchiveFormSchema().load(form_body()), **acting()),
        url_for("accounts.show", account_id=account_id),
        lambda problem: show_account(account_id, problem),
    )


def show_chart(problem: Problem | None = None) -> Response:
    """Render the chart, with a refused form as it was typed."""
    return render(
        "accounts/index.html",
        groups=queries.accounts.accounts.chart(organization_id()),
        feeds=queries.accounts.accounts.feed_ids(organization_id()),
        form=request.form,
        problem=problem,
    )


def show_account(account_id: int, problem: Problem | None = None) -> Response:
    """Render an account, with a refused form as it was typed."""
    row = queries.accounts.accounts.get(organization_id(), account_id)
    account = queries.accounts.accounts.record(row)
    takes_none = queries.tax.codes.takes_none(row) or row.keeps_items
    codes = () if takes_none else queries.tax.codes.in_use(organization_id(), [row.tax_code_id])
    fa_id = queries.accounts.accounts.feed_ids(organization_id()).get(account_id)
    return render(
        "accounts/show.html",
        account=account,
        fa_id=fa_id,
        chart=account_chart(account),
        splits_batches=fa_id is not None
        and queries.accounts.feed_accounts.get(organization_id(), fa_id).splits_batches,
        parents=[
            each
            for each in queries.accounts.choices.accounts(
                organization_id(), with_feeds=True, chosen=[account.parent_id]
            )
            if each.id != account_id
        ],
        codes=wording.code_choices(codes),
        groups=GROUP_CHOICES,
        form=request.form,
        problem=problem,
    )
