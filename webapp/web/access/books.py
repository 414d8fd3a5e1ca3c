"""The books of a request: a page names them in its address, a program with a session in a header or the query.

The choice of a session only decides where `/` leads. An address without books is from an older version.
"""

from functools import cache
from typing import Any

from flask import Flask, current_app, redirect, request, url_for
from werkzeug.datastructures import ImmutableMultiDict
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound
from werkzeug.wrappers import Response

from webapp.database.sessions import db
from webapp.errors import is_for_api
from webapp.ledger.errors import LedgerError, NotFoundError
from webapp.models import (
    Account,
    ActionRequest,
    ApiToken,
    BankConnection,
    Document,
    FeedAccount,
    Import,
    InboxFile,
    Job,
    JournalEntry,
    Merchant,
    OwedItem,
    Project,
    ProjectGroup,
    Reconciliation,
    Rule,
    RuleRun,
    SavedView,
    Schedule,
    TaxReturn,
    Transaction,
    WebhookDelivery,
    WebhookEndpoint,
)
from webapp.queries.access import organizations, principals
from webapp.queries.access.principals import Principal
from webapp.web.access import requests
from webapp.web.access.hosts import refuse_cross_site
from webapp.web.access.request_state import BOOKS, state

HEADER, QUERY = "Tieout-Organization", "organization"
# What the ids in the addresses of pages stand for.
HELD = {
    "account_id": Account,
    "connection_id": BankConnection,
    "document_id": Document,
    "entry_id": JournalEntry,
    "fa_id": FeedAccount,
    "group_id": ProjectGroup,
    "import_id": Import,
    "inbox_file_id": InboxFile,
    "item_id": OwedItem,
    "job_id": Job,
    "merchant_id": Merchant,
    "plan_id": ActionRequest,
    "project_id": Project,
    "reconciliation_id": Reconciliation,
    "rule_id": Rule,
    "return_id": TaxReturn,
    "run_id": RuleRun,
    "schedule_id": Schedule,
    "token_id": ApiToken,
    "transaction_id": Transaction,
    "view_id": SavedView,
    "webhook_id": WebhookEndpoint,
    "delivery_id": WebhookDelivery,
}


class OlderPageError(LedgerError):
    """This page is from an older version. Reload it, and do this again there; nothing was changed."""

    status = 409
    code = "older_page"


class WhichBooksError(LedgerError):
    """You belong to several books. Name the organization in the header Tieout-Organization; nothing was changed."""

    status = 409
    code = "which_books"


def register_books(app: Flask) -> None:
    """Give the address of each page the books of its request."""

    # What the addresses of the application expect is settled once it serves.
    @cache
    def has_books(endpoint: str) -> bool:
        return app.url_map.is_endpoint_expecting(endpoint, BOOKS)

    @app.url_defaults
    def name_books(endpoint: str, values: dict[str, Any]) -> None:
        found = state().principal
        if found is None or BOOKS in values:
            return
        if has_books(endpoint):
            values[BOOKS] = found.organization_id
        elif endpoint.startswith("api_") and found.session_hash is not None and not is_for_api():
            # What a page offers to download.
            values[QUERY] = found.organization_id


def enter(found: Principal) -> Principal:
    """Find the caller in the books that the request names.

    Raises NotFoundError where the caller does not belong to them, and WhichBooksError where a write through the API
    names none of several.
    """
    named = state().books
    if found.session_hash is not None and is_for_api():
        named = request.headers.get(HEADER) or _taken_from_query()
        if named is None and not requests.is_safe() and _has_several(found):
            raise WhichBooksError
    if named in {None, found.organization_id}:
        return found
    other = None
    if found.session_hash is not None:
        with requests.looking_up(found.organization_id):
            other = principals.in_books(db.session(), found, named, requests.now())
    if other is None:
        raise NotFoundError
    return other


def _taken_from_query() -> str | None:
    """Take the organization out of the query, which no view declares."""
    named = request.args.get(QUERY)
    if named is not None:
        rest = [(key, value) for key, value in request.args.items(multi=True) if key != QUERY]
        request.args = ImmutableMultiDict(rest)
    return named


def _has_several(found: Principal) -> bool:
    with requests.looking_up(found.organization_id):
        return len(organizations.of_user(found.user_id)) > 1


def answer_older_address(found: Principal) -> Response:
    """Redirect a read without books in its address to the books that hold what it shows; refuse a write.

    Raises the error of the routing where there never was such a page.
    """
    endpoint, values = older_page() or (None, {})
    if endpoint is None:
        raise request.routing_exception or NotFound
    if not requests.is_safe():
        refuse_cross_site(found)
        raise OlderPageError
    requests.begin_reading(found.organization_id)
    return redirect(with_query(url_for(endpoint, **values, books=_holder(found, values))), 302)


def with_query(address: str) -> str:
    """Give another address the query of the request."""
    query = request.query_string.decode()
    return f"{address}?{query}" if query else address


def older_page() -> tuple[str, dict[str, Any]] | None:
    """Find the page that an address without books stands for."""
    adapter = current_app.create_url_adapter(request)
    if adapter is None or request.routing_exception is None or is_for_api():
        return None
    try:
        endpoint, values = adapter.match(f"/b/-{request.path}")
    except MethodNotAllowed:
        return None if requests.is_safe() else (request.path, {})
    except HTTPException:
        return None
    return endpoint, {name: value for name, value in values.items() if name != BOOKS}


def _holder(found: Principal, values: dict[str, Any]) -> str:
    """Find the books of the caller that hold what an address names, the session's own first."""
    named = [(HELD[name], value) for name, value in values.items() if name in HELD]
    if not named:
        return found.organization_id
    model, row_id = named[0]
    theirs = organizations.of_user(found.user_id) if found.session_hash is not None else []
    ids = [found.organization_id, *(each.id for each in theirs if each.id != found.organization_id)]
    holder = next((each for each in ids if organizations.holds(each, model, row_id)), None)
    if holder is None:
        raise NotFoundError
    return holder
