"""The financial year in the settings: its first month, and changing it."""

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.notation.days import MONTHS_IN_FULL
from webapp.schemas.bookkeeping.periods import FirstMonthFormSchema
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering import periods
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import render
from webapp.web.rendering.languages import ENGLISH, language
from webapp.web.rendering.problems import Problem, act_or_show

bp = Blueprint("financial_years", __name__, url_prefix="/settings/financial-year")


@bp.get("")
@requires("read")
def show() -> Response:
    """Show the financial year."""
    return show_year()


@bp.post("")
@requires("admin")
def change() -> Response:
    """Change the first month, or show it with the error."""
    organization = queries.access.organizations.get(organization_id())
    return act_or_show(
        lambda: services.bookkeeping.financial_years.change(
            organization, **FirstMonthFormSchema().load(form_body()), **acting()
        ),
        url_for("financial_years.show"),
        show_year,
    )


def show_year(problem: Problem | None = None) -> Response:
    """Render the financial year, with a refused form as it was typed."""
    year = periods.financial_year()
    names = MONTHS_IN_FULL.get(language(), MONTHS_IN_FULL[ENGLISH])
    return render(
        "settings/financial_year.html",
        year=year,
        since=[(each.since, names[each.month - 1]) for each in year.years.first_months],
        months=[{"id": number, "name": name} for number, name in enumerate(names, 1)],
        form=request.form,
        problem=problem,
    )
