"""The accounts to choose from: one list for all fields of a page that ask for an account."""

from flask import Blueprint, Response

from webapp import queries
from webapp.web.access.auth import organization_id, principal, requires
from webapp.web.rendering.htmx import render

bp = Blueprint("account_choices", __name__, url_prefix="/accounts")


@bp.get("/choices")
@requires("read")
def index() -> Response:
    """List the accounts that lines may go to by type, and mark those that the viewer chose lately."""
    return render(
        "accounts/choices.html",
        accounts=queries.accounts.choices.accounts(organization_id()),
        codes={each.id: each.code for each in queries.tax.codes.in_use(organization_id())},
        recent=queries.accounts.choices.recent(organization_id(), principal().user_id),
    )
