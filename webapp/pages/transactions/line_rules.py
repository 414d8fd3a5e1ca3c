"""Making a rule from lines: the editor is filled with what they have in common, and knows the way back to them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from flask import Blueprint, Response, request, url_for

from webapp import queries
from webapp.ledger.rules.fields import Field
from webapp.pages.transactions.confirmations import lines_of
from webapp.pages.transactions.feed_accounts import workspace_filters
from webapp.pages.transactions.workspace_facts import filters_of, filters_query
from webapp.schemas.addresses import WorkspaceQuerySchema
from webapp.schemas.transactions.line_forms import ChosenLinesFormSchema
from webapp.web.access import requests
from webapp.web.access.auth import organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import visit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webapp.queries.transactions.line_rules import LineRule

bp = Blueprint("rules_of_lines", __name__, url_prefix="/rules")


@bp.post("/of-lines")
@requires("draft", begins=False)
def start() -> Response:
    """Go to the editor with a rule for the selected lines, or for all that match the list; writes nothing."""
    _ = request.form  # read before the snapshot is opened, so that a slow sender holds none
    requests.begin_reading(organization_id())
    body = ChosenLinesFormSchema().load(form_body(lists=frozenset({"ids"})))
    fa_id, ids = body["fa_id"], lines_of(body)
    queries.accounts.feed_accounts.get(organization_id(), fa_id)
    rule = queries.transactions.line_rules.of_lines(organization_id(), fa_id, ids)
    selected = [] if body["every"] else ids
    address = {**editor_query(rule), "ofFaId": fa_id, "back": f"{fa_id}?{list_query(fa_id, selected)}"}
    return visit(f"{url_for('rule_editor.new')}?{urlencode(address)}")


def editor_query(rule: LineRule) -> dict[str, str | int]:
    """A rule as parameters of the editor's URL."""
    found: dict[str, str | int | None] = {
        "name": rule.name,
        "accountId": rule.account_id,
        "orgMerchantId": rule.org_merchant_id,
        "projectId": rule.project_id,
    }
    for each in rule.conditions:
        if each.field is Field.DIRECTION:
            found["direction"] = each.value
        else:
            found |= {"field": each.field.value, "operator": each.operator.value, "value": each.value}
    return {name: value for name, value in found.items() if value}


def list_query(fa_id: int, selected: Sequence[int]) -> str:
    """The filters of the list in which the lines were selected, and the selection, as a query."""
    query = {**WorkspaceQuerySchema().load({}), **workspace_filters(fa_id)}
    keep = filters_query(filters_of(query, query["show"])) if query["show"] else {}
    keep |= {"cursor": query["cursor"]} if query["cursor"] else {}
    if query["line"]:
        keep["line"] = str(query["line"])
    if selected:
        keep["selected"] = ".".join(map(str, selected))
    return urlencode(keep)
