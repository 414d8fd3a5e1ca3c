"""The call that a request is for, as trials make it: the view is called, and its answer read with its schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from flask import current_app, request

from webapp.ledger.errors import NotFoundError
from webapp.ledger.scopes import scopes_of_role
from webapp.queries.access.principals import Principal
from webapp.queries.effects.books import BalanceChange, ProofChange
from webapp.queries.journal.entry_records import EntryRecord
from webapp.schemas.audit.effects import BalanceChangeSchema, ProofChangeSchema
from webapp.schemas.bookkeeping.journal_entries import JournalEntrySchema
from webapp.schemas.references import referring
from webapp.services.audit import trials
from webapp.services.audit.trials import CallResult, Json, Trial
from webapp.web.access import selections
from webapp.web.access.auth import organization_id
from webapp.web.access.request_state import state

View = TypeVar("View", bound=Callable[..., Any])


class InterfaceShapes:
    """What a trial finds, in the shapes of the API."""

    def __init__(self) -> None:
        self._entry = JournalEntrySchema()
        self._balances, self._proofs = BalanceChangeSchema(many=True), ProofChangeSchema(many=True)

    def entry(self, record: EntryRecord) -> Json:
        """Write a journal entry."""
        found: Json = referring(self._entry, self._entry.dump(record))
        return found

    def balances(self, changes: Sequence[BalanceChange]) -> list[Json]:
        """Write what accounts hold before and after."""
        found: list[Json] = referring(self._balances, self._balances.dump(changes))
        return found

    def proofs(self, changes: Sequence[ProofChange]) -> list[Json]:
        """Write proofs that break or hold again."""
        found: list[Json] = referring(self._proofs, self._proofs.dump(changes))
        return found


def view() -> Any:
    """Give the view that the request is for."""
    return current_app.view_functions[request.endpoint or ""]


def scope() -> str:
    """Give the scope that the request's call needs, or several with spaces between."""
    own = getattr(view(), "own_scope", None)
    return str(view().scope) if own is None else str(own())


def kind() -> str:
    """Name what is done at an address, for a call that comes to no act or to several kinds."""
    return (request.endpoint or "").removeprefix("api_").replace(".", "_")


def make() -> CallResult:
    """Call the view that the request is for."""
    response = current_app.make_response(view()(**(request.view_args or {})))
    body, schema = response.get_json(silent=True), selections.answer_schema(view())
    if schema is not None:
        body = referring(schema, body)
    for each in _failed(body):
        if each.get("code") == NotFoundError.code:
            # Of what is not there only the number that was sent is known: it is no row that the call would make.
            each["id"] = int(each["id"])
    failures = [
        {"id": each.get("id"), "code": each.get("code"), "message": each["error"]} for each in _failed(body)
    ]
    return CallResult(response.status_code, body, failures)


def tried(who: Principal | None = None) -> Trial:
    """Try the call that the request is for, as whoever asks or as somebody else."""
    if who is None:
        return tried_here()
    with acting_as(who):
        return tried_here()


def tried_here() -> Trial:
    """Try the call that the request is for, in the way that its view declares, if it does."""
    own: Callable[[], Trial] | None = getattr(view(), "own_trial", None)
    return trials.run(organization_id(), make, InterfaceShapes()) if own is None else own()


def has_own_trial(view_: Any) -> bool:
    """Return whether a view declares how its call is tried."""
    return getattr(view_, "own_trial", None) is not None


def with_own_trial(tried: Callable[[], Trial], needed: Callable[[], str]) -> Callable[[View], View]:
    """Declare how a view's call is tried, and which scopes it needs, where both depend on what is sent."""

    def declare(view_: View) -> View:
        view_.own_trial, view_.own_scope = tried, needed  # type: ignore[attr-defined]
        return view_

    return declare


def _failed(body: Any) -> list[Json]:
    """List what a bulk call refuses of what it was asked for."""
    results = body.get("results") if isinstance(body, dict) else None
    if not isinstance(results, list):
        return []
    return [each for each in results if isinstance(each, dict) and each.get("status") == "FAILED"]


def with_role(found: Principal) -> Principal:
    """Give a token all that its owner may: what it may not do itself is only tried in this name."""
    return replace(found, scopes=scopes_of_role(found.role))


@contextmanager
def acting_as(who: Principal) -> Iterator[None]:
    """Let somebody else be the one who asks, for what a person decides on; no cap of a token stands against it."""
    asked = state()
    before = asked.principal
    asked.principal, asked.is_decided_on = who, True
    try:
        yield
    finally:
        asked.principal, asked.is_decided_on = before, False
