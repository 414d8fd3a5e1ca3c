"""What is to do: all that waits for a person, each row with its act or the way to it, and its count for the bar."""

from flask import Blueprint, Response

from webapp import queries
from webapp.pages.reconciliation import hub
from webapp.web.access import requests
from webapp.web.access.auth import organization_id, requires
from webapp.web.rendering.htmx import render

bp = Blueprint("todo", __name__, url_prefix="/todo")

MOST_SHOWN = 20


@bp.get("")
@requires("read")
def index() -> Response:
    """Show what waits, by its kind."""
    accounts = sorted(queries.reconciliation.hub.accounts(organization_id()), key=hub.sort_key)
    broken = [account for account in accounts if account.broken is not None]
    causes = [each.broken.broken_by for each in broken if each.broken is not None]
    culprits = queries.reconciliation.culprits.of_causes(organization_id(), causes)
    proposals = queries.audit.proposals.waiting(organization_id(), requests.now(), limit=MOST_SHOWN)
    return render(
        "todo/index.html",
        broken=[hub.shown(each, None) | hub.breach(each, culprits) for each in broken],
        proposals=proposals,
        headings={
            each.action_request_id: queries.effects.summaries.heading(each.request) for each in proposals
        },
        files=queries.documents.inbox_files.listed(organization_id(), after=None, limit=MOST_SHOWN).items,
        accounts=[account for account in accounts if account.unconfirmed_count],
        lines=queries.transactions.waiting_lines.of_accounts(organization_id(), accounts),
        **hub.waiting_in(accounts)._asdict(),
    )


@bp.get("/count")
@requires("read")
def count() -> Response:
    """Count what waits, for the bar of every page."""
    accounts = queries.reconciliation.hub.accounts(organization_id())
    return render("todo/_count.html", todo_count=hub.waiting_in(accounts).todo_count)
