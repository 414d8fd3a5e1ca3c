"""Ways on from a refused address of the API: addresses that are near, its methods, and where its ids are listed."""

from __future__ import annotations

from typing import Final

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import MethodNotAllowed, NotFound

from webapp.database.sessions import db
from webapp.errors import HTTP_ERRORS, answer_http_error, answer_ledger_error, error_response, is_for_api
from webapp.ledger import titles
from webapp.ledger.errors import LedgerError, NotFoundError
from webapp.queries.accounts import accounts
from webapp.web import near_addresses
from webapp.web.access.request_state import state

EVERY: Final = "GET /api/docs.md lists every address."
NOTHING_CODE, NOTHING = HTTP_ERRORS[404]


class NothingThereError(LedgerError):
    """There is nothing here."""

    status = 404
    code = NOTHING_CODE


def register_ways_on(app: Flask) -> None:
    """Answer what is not there, for programs, with what is."""
    app.register_error_handler(NotFound, answer_no_address)
    app.register_error_handler(MethodNotAllowed, answer_other_method)
    app.register_error_handler(NotFoundError, answer_nothing_there)


def answer_no_address(error: NotFound) -> Response:
    """Answer an address that there is not: an id that can be none as an unknown one, else with what is near."""
    if not is_for_api() or state().principal is None:
        return answer_http_error(error)
    nothing = nothing_at(request.path, request.method)
    if nothing is not None:
        return error_response(404, NOTHING_CODE, nothing)
    found = near_addresses.near(current_app.url_map, request.path)
    near = f"Near it: {'; '.join(found)}. " if found else ""
    return error_response(
        404,
        NOTHING_CODE,
        f"There is no such address. {near}{EVERY}",
        details={"near": found} if found else None,
    )


def answer_other_method(error: MethodNotAllowed) -> Response:
    """Answer a method that an address does not take with those that it takes."""
    taken = sorted(set(error.valid_methods or ()) - near_addresses.NOT_NAMED)
    if not is_for_api() or not taken:
        return answer_http_error(error)
    code, _ = HTTP_ERRORS[405]
    sentence = f"This address takes {titles.joined(taken)}, not {request.method}. GET /api/docs.md says what each does."
    response = error_response(405, code, sentence, details={"allowed": taken})
    response.headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
    return response


def answer_nothing_there(error: NotFoundError) -> Response:
    """Answer an id under which there is nothing with where such ids are listed.

    An unknown id, one of other books and one that can be none are answered alike.
    """
    if type(error) is not NotFoundError or not is_for_api() or request.url_rule is None:
        return answer_ledger_error(error)
    return error_response(404, error.code, nothing_here())


def nothing_here() -> str:
    """Say that there is nothing under the ids of the request's address, and where such ids are listed."""
    rule = request.url_rule
    return NOTHING if rule is None else _nothing_under(rule.endpoint, rule.rule)


def nothing_at(path: str, method: str) -> str | None:
    """Say the same of a path with ids that can be none; None where the path is not of an address with ids."""
    rule = near_addresses.same_but_ids(current_app.url_map, path, method)
    return None if rule is None else _nothing_under(rule.endpoint, rule.rule)


def _nothing_under(endpoint: str, rule: str) -> str:
    """Say where the ids of an address are listed; the interface document's own calls say what they always said."""
    view = current_app.view_functions[endpoint]
    listed = near_addresses.list_address(current_app.url_map, rule)
    if getattr(view, "is_documented", False) or listed is None:
        return NOTHING
    what = "bank account under this faId" if "fa_id" in rule else "record under this id"
    return f"There is no {what}; GET {listed} lists those there are.{_meant_account()}"


def _meant_account() -> str:
    """Say which bank account is meant by the id of its ledger account."""
    fa_id, caller = (request.view_args or {}).get("fa_id"), state().principal
    if fa_id is None or caller is None or not db.session().in_transaction():
        return ""
    found = accounts.feed_of(caller.organization_id, fa_id)
    if found is None:
        return ""
    return f" This is the accountId of the ledger account of {found.name}: send its faId, {found.id}."
