"""What is owed: by party and age, the statement of a party to print, and settling its items by hand."""

from datetime import date
from decimal import Decimal
from typing import Any

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.errors import LedgerError
from webapp.ledger.money import Money
from webapp.ledger.open_items.ageing import AGE_WORDS, OwedSide
from webapp.ledger.open_items.payable_items import offsets
from webapp.ledger.periods import Period
from webapp.schemas.reports.ageing import OwedPageQuerySchema, StatementPageQuerySchema
from webapp.schemas.transactions.settlements import TickedItemsFormSchema
from webapp.services.transactions.settlements import PartInput
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering import periods, shares
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.languages import translated
from webapp.web.rendering.problems import Problem, problem_of

bp = Blueprint("owed", __name__, url_prefix="/owed")
MONTHS_OF_STATEMENT, MOST_SETTLEMENTS = 12, 20


@bp.get("")
@requires("read")
def index() -> Response:
    """Show what customers owe, or what is owed to suppliers, by party and age."""
    query = OwedPageQuerySchema.read_leniently(request.query_string.decode())
    day, side = periods.report_day(query["as_of"]), OwedSide(query["side"])
    report = queries.items.ageing.report(organization_id(), side, day)
    sign = 1 if side is OwedSide.RECEIVABLES else -1
    return render(
        "owed/index.html",
        report=report,
        bars=shares.stacked([each.amounts_base for each in report.parties], sign),
        whole=shares.stacked([report.amounts_base], sign)[0],
        expected=queries.items.ageing.expected(organization_id(), day),
        side=side,
        sign=sign,
        ages={age: translated(words) for age, words in AGE_WORDS.items()},
        first=Period.months_to(day, MONTHS_OF_STATEMENT).first,
    )


@bp.get("/statement")
@requires("read")
def statement() -> Response:
    """Show the statement of a party, or of what has none."""
    return show_statement()


@bp.post("/settlements")
@requires("confirm")
def settle() -> Response:
    """Settle the ticked items of a party with each other."""
    body = TickedItemsFormSchema().load(form_body(lists=frozenset({"items"})))
    found = queries.items.items.by_id(organization_id(), body["items"])
    items = sorted(found.values(), key=lambda each: (each.due_on or date.min, each.id))
    taken = offsets([each.amount_minor - each.settled_minor for each in items])
    parts: list[PartInput] = [
        {"item_id": item.id, "amount": _decimal(minor, item.currency)}
        for item, minor in zip(items, taken, strict=True)
        if minor
    ]
    try:
        services.transactions.settlements.settle(parts, **acting())
    except LedgerError as error:
        return show_statement(problem_of(error))
    asked: dict[str, Any] = request.args.to_dict()
    return redirect_to(url_for("owed.statement", **asked))


def _decimal(minor: int, currency: str) -> Decimal:
    return Money(minor, currency).decimal


def show_statement(problem: Problem | None = None) -> Response:
    """Render the statement of a party, by default of the last twelve months, with what was refused."""
    query = StatementPageQuerySchema.read_leniently(request.query_string.decode())
    last = periods.report_day(query["to"])
    period = Period(query["from_"] or Period.months_to(last, MONTHS_OF_STATEMENT).first, last)
    party = query["org_merchant_id"]
    of = queries.items.party_statements
    return render(
        "owed/statement.html",
        statement=of.statement(organization_id(), party, period),
        settlements=of.settlements(organization_id(), party, limit=MOST_SETTLEMENTS),
        has_taxes=queries.tax.packs.has_any(organization_id()),
        period=period,
        ages={age: translated(words) for age, words in AGE_WORDS.items()},
        keep={"from": period.first, "to": period.last, **({"orgMerchantId": party} if party else {})},
        problem=problem,
    )
