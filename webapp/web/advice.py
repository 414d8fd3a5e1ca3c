"""What to do about refusals of the books, for programs: the next step beside what is true."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from flask import Flask, Response, request

from webapp.errors import answer_http_error, answer_ledger_error, is_for_api
from webapp.ledger.errors import LedgerError
from webapp.ledger.journal.entries import UnbalancedError
from webapp.ledger.money import TooManyDigitsError
from webapp.queries.common.lookups import UnknownReferenceError
from webapp.services.reconciliation.proofs import NotReadyError
from webapp.services.transactions.clearing import StaleDraftError
from webapp.web.access.auth import NoScopeError
from webapp.web.access.request_state import requested_view

ALLOWED_BY_OTHERS: Final = "A person does this in the browser."
ANOTHER_KEY: Final = (
    "Ask its owner for a key that has it, or propose: then the call waits until a person approves."
)


def register_advice(app: Flask) -> None:
    """Give the refusals that have advice their handlers."""
    for error in ADVICE:
        app.register_error_handler(error, answer_with_advice)
    app.register_error_handler(NoScopeError, answer_scope)


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
