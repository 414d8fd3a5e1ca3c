"""Preconditions of writes: If-Match names the version of the record that a write is meant for."""

from typing import Any, Final

from flask import current_app, request

from webapp.database.sessions import db
from webapp.errors import is_for_api
from webapp.ledger.errors import PreconditionError
from webapp.web.access import requests, versions
from webapp.web.access.auth import organization_id
from webapp.web.access.hosts import SAFE_METHODS
from webapp.web.proposals import calls
from webapp.web.proposals.calls import IF_MATCH, Call

PARAMETER: Final[dict[str, Any]] = {
    "name": IF_MATCH,
    "in": "header",
    "required": False,
    "description": (
        "The `ETag` of the record as you read it, or of your last write to it. If the record has changed since, the"
        " call is refused (412 `stale_version`) and changes nothing. A proposal is asked again when it is approved."
        " `*` means that it exists."
    ),
    "schema": {"type": "string"},
}


class NoVersionError(PreconditionError):
    """What this address writes to has no version, so nothing matches If-Match. Leave it out."""

    code = "no_version"


class StaleVersionError(PreconditionError):
    """This has changed since it was read, so nothing was done. Read it again, and send the ETag of that answer."""

    code = "stale_version"


def counts(view: Any, method: str) -> bool:
    """Return whether If-Match counts at an address: on writes, but of the interface document's on the confirmation."""
    is_write = getattr(view, "writes", False) or getattr(view, "session_only", False)
    is_ignored = getattr(view, "is_documented", False) and view.scope != "confirm"
    return method not in SAFE_METHODS and is_write and not is_ignored


def check() -> None:
    """Refuse a write to a record that is not as its If-Match says; raises NoVersionError or StaleVersionError."""
    if IF_MATCH not in request.headers or not is_for_api() or not counts(calls.view(), request.method):
        return
    expected = request.if_match
    if expected.star_tag:
        return
    rule = versions.rule_of_record(str(request.url_rule))
    if rule is None:
        raise NoVersionError
    version = _present("/".join(request.path.split("/")[: len(rule.split("/"))]))
    if version not in {versions.of_tag(tag) for tag in expected.as_set()}:
        raise StaleVersionError(details={"version": version})


def _present(place: str) -> str:
    """Read the version of a record in the transaction that writes, or where the view opens that, before it."""
    is_open = db.session().in_transaction()
    if not is_open:
        requests.begin_reading(organization_id())
    with calls.made_again(Call("GET", place)):
        view = calls.view()
        answer = current_app.make_response(view(**(request.view_args or {})))
        version = versions.of_answer(view, answer.get_json())
    if not is_open:
        db.session.rollback()
    return version
