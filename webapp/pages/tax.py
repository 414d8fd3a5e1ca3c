"""Taxes: packs with what they do not support, codes, and the returns, open and filed."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.money import Money
from webapp.ledger.tax.forms import FREQUENCIES
from webapp.queries.tax.returns import NOTICE, ReturnRecord
from webapp.queries.tax.stamps import BoxedPosting
from webapp.schemas.tax.codes import TaxPackFormSchema
from webapp.schemas.tax.returns import (
    FILE_FORMATS,
    BadDebtFormSchema,
    FilingSchema,
    OpenReturnPageSchema,
    ReturnPostingPageSchema,
    TaxPageSchema,
    UnpaidBillsSchema,
    WithdrawalSchema,
)
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering import wording
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.languages import marked
from webapp.web.rendering.problems import REFUSALS, Problem, act_or_show, problem_of

if TYPE_CHECKING:
    from webapp.models import TaxReturn

bp = Blueprint("tax", __name__, url_prefix="/tax")
BASES = {"ACCRUAL": marked("By invoice"), "CASH": marked("By money (cash accounting)")}
MOST_CODES = 200
MOST_LATE = 50
MOST_POSTINGS = 200


@bp.get("")
@requires("read")
def index() -> Response:
    """Show the installed packs with their returns and codes, and those that can be installed."""
    return show_taxes()


@bp.post("/packs/<string:name>/install")
@requires("admin")
def install(name: str) -> Response:
    """Install a pack, or show the error."""
    return act_or_show(
        lambda: services.tax.packs.install(name, **TaxPackFormSchema().load(form_body()), **acting()),
        url_for("tax.index"),
        lambda problem: show_taxes(name, problem),
    )


@bp.get("/returns/open")
@requires("read")
def show_open() -> Response:
    """Show the open return of a form, or the notice of its late errors."""
    return show_open_return(OpenReturnPageSchema.read_leniently(_query()))


@bp.post("/returns")
@requires("confirm")
def file() -> Response:
    """File the return that was looked at and show it, or show the error."""
    try:
        filed = services.tax.returns.file(**FilingSchema().load(form_body()), **acting())
    except REFUSALS as error:
        query = OpenReturnPageSchema.read_leniently_of(request.form)
        return show_open_return(query, problem_of(error))
    return redirect_to(url_for("tax.show_return", return_id=filed.id))


@bp.get("/returns/<id:return_id>")
@requires("read")
def show_return(return_id: int) -> Response:
    """Show a filed return."""
    return show_filed(queries.tax.returns.get(organization_id(), return_id))


@bp.post("/returns/<id:return_id>/withdraw")
@requires("confirm")
def withdraw(return_id: int) -> Response:
    """Withdraw a return and show it, or show the error."""
    filed = queries.tax.returns.get(organization_id(), return_id)
    return act_or_show(
        lambda: services.tax.returns.withdraw(filed, **WithdrawalSchema().load(form_body()), **acting()),
        url_for("tax.show_return", return_id=return_id),
        lambda problem: show_filed(queries.tax.returns.get(organization_id(), return_id), problem),
    )


@bp.get("/waiting")
@requires("read")
def waiting() -> Response:
    """Show the taxes that wait for money and those of advances."""
    return render("tax/waiting.html", accounts=queries.tax.waiting.listed(organization_id()))


@bp.post("/unpaid-bills")
@requires("confirm")
def repay() -> Response:
    """Repay the tax of own bills that are unpaid for six months, and show the open return."""
    query = OpenReturnPageSchema.read_leniently_of(request.form)
    try:
        body = UnpaidBillsSchema().load({"until": request.form.get("to") or None})
        services.tax.reliefs.repay(**body, **acting())
    except REFUSALS as error:
        return show_open_return(query, problem_of(error))
    address = url_for("tax.show_open", form=query["form"], to=body["until"].isoformat())
    return redirect_to(address)


@bp.get("/bad-debts/<id:item_id>")
@requires("confirm")
def relieve(item_id: int) -> Response:
    """Show the form to claim the tax of a bad debt."""
    return show_relief(item_id)


@bp.post("/bad-debts/<id:item_id>")
@requires("confirm")
def claim(item_id: int) -> Response:
    """Claim the tax of a bad debt and show the entry, or show the error."""
    item = queries.items.items.get(organization_id(), item_id)
    try:
        body = BadDebtFormSchema().load(form_body())
        (entry_id, *_) = services.tax.reliefs.claim(item, **body, **acting())
    except REFUSALS as error:
        return show_relief(item_id, problem_of(error))
    return redirect_to(url_for("journal_entries.show", entry_id=entry_id))


@bp.post("/bad-debts/<id:item_id>/<id:entry_id>/take-back")
@requires("confirm")
def take_back(item_id: int, entry_id: int) -> Response:
    """Take back a relief of an item, or show why not."""
    entry = queries.journal.entries.get(organization_id(), entry_id)
    try:
        services.tax.reliefs.take_back(entry, **WithdrawalSchema().load(form_body()), **acting())
    except REFUSALS as error:
        return show_relief(item_id, problem_of(error), refused=entry_id)
    return redirect_to(url_for("tax.relieve", item_id=item_id))


def show_relief(item_id: int, problem: Problem | None = None, refused: int | None = None) -> Response:
    """Render the form to claim the tax of a bad debt as it was typed; `refused` is the relief that did not end."""
    item = queries.items.items.get(organization_id(), item_id)
    base = queries.access.organizations.get(organization_id()).base_currency
    return render(
        "tax/relief.html",
        item=item,
        open=Money(item.amount_minor - item.settled_minor, item.currency),
        reliefs=[
            {"entry_id": each.cause, "day": each.tax_point, "tax": Money(each.figures.tax_minor, base)}
            for each in queries.tax.parts.reliefs_of(organization_id(), item.journal_entry_id or 0)
        ],
        today=queries.access.organizations.today(organization_id(), requests.now()),
        accounts=queries.accounts.choices.accounts(organization_id()),
        form=request.form,
        problem=problem,
        refused=refused,
    )


def show_taxes(place: str = "", problem: Problem | None = None) -> Response:
    """Render the taxes, with an error at the pack that has it."""
    found = organization_id()
    organization = queries.access.organizations.get(found)
    records = queries.tax.packs.listed(found)
    today = queries.access.organizations.today(found, requests.now())
    return render(
        "tax/index.html",
        packs=[
            each
            for each in records
            if each.is_installed or each.currency in (None, organization.base_currency)
        ],
        titles={each.name: each.title for each in records},
        not_supported=queries.tax.packs.NOT_SUPPORTED,
        open_returns=[
            queries.tax.returns.open_return(organization, each.name).record
            for each in records
            if each.is_installed
        ],
        due=queries.tax.periods.due(found, TaxPageSchema.read_leniently(_query())["due"] or today),
        returns=queries.tax.returns.listed(found, after=None, limit=50).items,
        codes=queries.tax.codes.listed(found, after=None, limit=MOST_CODES).items,
        frequencies=wording.choices((each, each.capitalize()) for each in FREQUENCIES),
        bases=wording.choices(BASES.items()),
        form=request.form,
        place=place,
        problem=problem,
    )


def show_open_return(query: dict[str, Any], problem: Problem | None = None) -> Response:
    """Render the open return that a query asks for, with the error of filing it."""
    organization = queries.access.organizations.get(organization_id())
    form = query["form"] or next(
        (each.name for each in queries.tax.packs.listed(organization.id) if each.is_installed), ""
    )
    try:
        found = queries.tax.returns.open_return(organization, form, query["to"], query["kind"])
    except REFUSALS as error:
        return show_taxes("returns", problem or problem_of(error))
    today = queries.access.organizations.today(organization.id, requests.now())
    made = queries.tax.before_filing.with_warnings(organization, found.record, today)
    taxes = queries.tax.returns.taxes_of(organization.id, found.postings)
    shown: dict[str, Any] = {"count": 0, "postings": ()}
    if query["box"] is not None:
        behind, count = queries.tax.returns.open_postings(
            organization.id, found, query["box"], most=MOST_POSTINGS
        )
        shown = {"postings": _adding(made, query["box"], behind), "count": count}
    if query["codes"]:
        shown["codes"] = queries.tax.by_code.of_open(organization, found)
    return _show(made, taxes, query, problem, **shown)


def show_filed(filed: "TaxReturn", problem: Problem | None = None) -> Response:
    """Render a filed return, with the error of withdrawing it."""
    query = ReturnPostingPageSchema.read_leniently(_query())
    made, shown = queries.tax.returns.with_later(filed), dict[str, Any]()
    if query["box"] is not None:
        page = queries.tax.returns.postings(
            filed.organization_id,
            filed=filed,
            box=query["box"],
            after=paging.decode(query["cursor"], "di"),
            limit=query["limit"],
        )
        shown = {"postings": _adding(made, query["box"], page.items), "count": len(page.items)}
        shown["next_cursor"] = paging.encode(page.next_key)
    if query["codes"]:
        shown["codes"] = queries.tax.by_code.of_filed(filed)
    return _show(made, queries.tax.stamps.taxes_of_return(filed), query, problem, **shown)


def _query() -> str:
    return request.query_string.decode()


def _adding(made: ReturnRecord, box: str, postings: Sequence[BoxedPosting]) -> list[dict[str, Any]]:
    """Give postings with what each adds to a box."""
    form, base = queries.tax.packs.content(made.form).form, made.payable.currency
    return [
        {
            "posting": each,
            "amount": Money(form.adds(box, {own.box: own.amount.minor for own in each.boxes}), base),
        }
        for each in postings
    ]


def _show(
    made: ReturnRecord, taxes: int, query: Mapping[str, Any], problem: Problem | None, **shown: Any
) -> Response:
    first = query["late_from"]
    rows = made.late[first : first + MOST_LATE]
    last, whole = first + len(rows), len(made.late)
    entries = {each.journal_entry_id for each in (*rows, *made.out_of_time)}
    entries |= {each.journal_entry_id for each in made.since_filing}
    entries |= {number for each in made.warnings for number in each.entry_ids}
    return render(
        "tax/return.html",
        made=made,
        files=[{"format": each, "href": _file_address(made, each)} for each in _formats(made)],
        late={
            "rows": rows,
            "shown": f"{first + 1:,} to {last:,} of {whole:,}" if whole > MOST_LATE else "",
            "href": _address(made, lateFrom=first + MOST_LATE) if last < whole else None,
        },
        boxes=[{"box": each, "href": _address(made, box=each.box)} for each in made.boxes],
        by_code=_address(made, codes="true"),
        is_notice=made.kind == NOTICE,
        ties=taxes == -made.payable.minor,
        title=queries.tax.packs.content(made.form).title,
        descriptions=queries.journal.entries.descriptions(organization_id(), entries),
        form=request.form,
        problem=problem,
        box=query["box"],
        **shown,
    )


def _formats(made: ReturnRecord) -> list[str]:
    has_json = any(each.key for each in queries.tax.packs.content(made.form).form.boxes)
    return [each for each in FILE_FORMATS if each != "json" or (has_json and made.boxes)]


def _address(made: ReturnRecord, **query: Any) -> str:
    """Give the address of the page of a return."""
    if made.id is not None:
        return url_for("tax.show_return", return_id=made.id, **query)
    return url_for("tax.show_open", form=made.form, to=made.to.isoformat(), kind=made.kind, **query)


def _file_address(made: ReturnRecord, format_: str) -> str:
    if made.id is not None:
        return url_for("api_tax_returns.file_of_filed", return_id=made.id, format=format_)
    to = made.to.isoformat()
    return url_for("api_tax_returns.file_of_open", form=made.form, to=to, kind=made.kind, format=format_)
