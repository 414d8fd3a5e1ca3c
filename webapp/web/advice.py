"""What to do about refusals, for programs: the next step beside what is true."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound
from werkzeug.routing import Rule

from webapp.database.sessions import db
from webapp.errors import HTTP_ERRORS, answer_http_error, answer_ledger_error, error_response, is_for_api
from webapp.ledger import titles
from webapp.ledger.errors import LedgerError, NotFoundError
from webapp.ledger.journal.entries import UnbalancedError
from webapp.ledger.money import TooManyDigitsError
from webapp.ledger.texts.legible import cited
from webapp.queries.accounts import accounts
from webapp.queries.common.lookups import UnknownReferenceError
from webapp.services.reconciliation.proofs import NotReadyError
from webapp.services.transactions.clearing import StaleDraftError
from webapp.web.access.auth import NoScopeError
from webapp.web.access.request_state import requested_view, state

NO_ADDRESS: Final = "There is no such address. GET /api/docs.md lists every address."
ALLOWED_BY_OTHERS: Final = "A person does this in the browser."
ANOTHER_KEY: Final = (
    "Ask its owner for a key that has it, or propose: then the call waits until a person approves."
)
NOTHING_CODE, NOTHING = HTTP_ERRORS[404]
PARAMETER: Final = re.compile(r"<[^>]*>")


class NothingThereError(LedgerError):
    """There is nothing here."""

    status = 404
    code = NOTHING_CODE


def register_advice(app: Flask) -> None:
    """Give the refusals that have advice their handlers."""
    app.register_error_handler(NotFound, answer_no_address)
    app.register_error_handler(MethodNotAllowed, answer_other_method)
    app.register_error_handler(NotFoundError, answer_nothing_there)
    for error in ADVICE:
        app.register_error_handler(error, answer_with_advice)
    app.register_error_handler(NoScopeError, answer_scope)


def answer_no_address(error: NotFound) -> Response:
    """Answer an address that there is not; one with an id that can be none is answered as an unknown id."""
    if not is_for_api() or state().principal is None:
        return answer_http_error(error)
    return error_response(404, NOTHING_CODE, nothing_at(request.path, request.method) or NO_ADDRESS)


def answer_other_method(error: MethodNotAllowed) -> Response:
    """Answer a method that an address does not take with those that it takes."""
    taken = sorted(set(error.valid_methods or ()) - {"HEAD", "OPTIONS"})
    if not is_for_api() or not taken:
        return answer_http_error(error)
    code, _ = HTTP_ERRORS[405]
    sentence = f"This address takes {titles.joined(taken)}, not {request.method}. GET /api/docs.md says what each does."
    response = error_response(405, code, sentence, details={"allowed": taken})
    response.headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
    return response


def answer_nothing_there(error: NotFoundError) -> Response:
    """Answer an unknown id, or one of other books, with where such ids are listed."""
    if type(error) is not NotFoundError or not is_for_api() or request.url_rule is None:
        return answer_ledger_error(error)
    return error_response(404, error.code, nothing_here())


def nothing_here() -> str:
    """Say that there is nothing under the ids of the request's address, and where such ids are listed."""
    return NOTHING if request.url_rule is None else _nothing_under(request.url_rule)


def nothing_at(path: str, method: str) -> str | None:
    """Say the same of a path with ids that can be none; None where the path is not of an address with ids."""
    asked = path.rstrip("/").split("/")
    for rule in current_app.url_map.iter_rules():
        parts = rule.rule.split("/")
        if method not in (rule.methods or ()) or not rule.arguments or len(parts) != len(asked):
            continue
        if all(PARAMETER.fullmatch(part) or part == other for part, other in zip(parts, asked, strict=True)):
            return _nothing_under(rule)
    return None


def _nothing_under(rule: Rule) -> str:
    """Say where the ids of an address are listed; the interface document's own calls say what they always said."""
    is_bank = "fa_id" in rule.arguments
    # Their states are at another address, which does not list all of them.
    listed = "/api/feeds/accounts" if is_bank else PARAMETER.split(rule.rule)[0].rstrip("/")
    if getattr(current_app.view_functions[rule.endpoint], "is_documented", False) or not _is_list(listed):
        return NOTHING
    what = "bank account under this faId" if is_bank else "record under this id"
    return f"There is no {what}; GET {listed} lists those there are.{_meant_account()}"


def _is_list(path: str) -> bool:
    try:
        current_app.url_map.bind("").match(path, "GET")
    except HTTPException:
        return False
    return True


def _meant_account() -> str:
    """Say which bank account is meant by the id of its ledger account."""
    fa_id, caller = (request.view_args or {}).get("fa_id"), state().principal
    if fa_id is None or caller is None or not db.session().in_transaction():
        return ""
    found = accounts.feed_of(caller.organization_id, fa_id)
    if found is None:
        return ""
    return f" This is the accountId of the ledger account of {cited(found.name)}: send its faId, {found.id}."


def answer_with_advice(error: LedgerError) -> Response:
    """Answer a refusal with what to do about it; on the interface document's endpoints as ever."""
    response = answer_ledger_error(error)
    return _advised(response, ADVICE[type(error)](error)) if _is_advised() else response


def answer_scope(error: NoScopeError) -> Response:
    """Answer a missing scope with who can help."""
    response = answer_http_error(error)
    if not _is_advised() or error.own_code != NoScopeError.own_code:
        return response
    return _advised(response, ANOTHER_KEY if error.scope else ALLOWED_BY_OTHERS)


def _is_advised() -> bool:
    return is_for_api() and not getattr(requested_view(), "is_documented", False)


def _advised(response: Response, advice: str) -> Response:
    body = json.loads(response.get_data())
    body["error"] = f"{body['error']} {advice}" if advice else body["error"]
    response.set_data(json.dumps(body))
    return response


def _of_reference(error: UnknownReferenceError) -> str:
    return f"GET {error.listed_at} lists them." if error.listed_at else ""


def _of_difference(_error: UnbalancedError) -> str:
    return "Debits are positive and credits negative: change a posting, or add one over the rest."


def _of_digits(_error: TooManyDigitsError) -> str:
    return "Round it to them."


def _of_statement(error: NotReadyError) -> str:
    account = f"/api/reconciliations/accounts/{(request.view_args or {}).get('fa_id')}"
    if error.code == "difference":
        return (
            f"GET {account} lists the lines with what is cleared: clear the others, import those that are missing,"
            " or correct the balance."
        )
    if error.code == "unconfirmed":
        return "POST /api/transactions/confirm takes their ids."
    return "Confirm, correct or void what the books have otherwise."


def _of_version(error: StaleDraftError) -> str:
    path = "GET /api/reconciliations/accounts has the present version of each draft."
    gone = "Send no version to open a new one." if error.details.get("version") is None else "Send that one."
    return f"{path} {gone}"


ADVICE: Final[Mapping[type[LedgerError], Callable[[Any], str]]] = {
    UnknownReferenceError: _of_reference,
    UnbalancedError: _of_difference,
    TooManyDigitsError: _of_digits,
    NotReadyError: _of_statement,
    StaleDraftError: _of_version,
}
