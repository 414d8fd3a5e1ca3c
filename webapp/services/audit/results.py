"""What an act on lines and entries answers: the ids that it touched, and for several, what became of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from webapp.db import db
from webapp.ledger.errors import LedgerError
from webapp.services.audit.act import Act
from webapp.services.audit.action_requests import RECORDED_REFUSALS, record


def answer(request_id: str | None, result: dict[str, Any], *, is_changed: bool) -> dict[str, Any]:
    """Give an executed act as the interface's action request result."""
    return {
        "action_request_id": request_id,
        "status": "EXECUTED",
        "changed": is_changed,
        "result": result,
        "error": "",
    }


def ids_result(
    posted: Sequence[int] = (),
    *,
    deleted: Sequence[int] = (),
    voided: Sequence[int] = (),
    relations: Sequence[int] = (),
) -> dict[str, Any]:
    """Give the ids that an act touched under the interface's four names."""
    return {
        "journalEntryIds": list(posted),
        "documentRelationIds": list(relations),
        "deletedJournalEntryIds": list(deleted),
        "voidedJournalEntryIds": list(voided),
    }


def attempt(item_id: int, do: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Do one act of several in a savepoint of its own, and answer what became of it under the id of its item.

    One that a rule refuses is recorded as FAILED, one that a cap does is no act; `do` gives an action request result.
    """
    try:
        with db.session.begin_nested():
            return {"id": item_id, **do()}
    except LedgerError as error:
        refused: Act | None = getattr(error, "act", None)
        if error.status not in RECORDED_REFUSALS:
            refused = None
        if refused is not None:
            refused.before = None
            record(refused, "FAILED", error=str(error))
        failed = {"status": "FAILED", "error": str(error), "code": error.code}
        return {
            "id": item_id,
            **answer(refused.id if refused else None, ids_result(), is_changed=False),
            **failed,
        }
