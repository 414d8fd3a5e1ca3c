"""Conditions of calls in the OpenAPI document: ETag and If-None-Match of reads, If-Match of writes."""

from typing import Any, Final

from webapp.reference import documented_errors
from webapp.reference.api_calls import ApiCall
from webapp.reference.components import header_references
from webapp.reference.documented_errors import DocumentedError
from webapp.web.access import versions
from webapp.web.proposals import preconditions

TAG: Final = "ETag"
IF_NONE_MATCH: Final[dict[str, Any]] = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "description": "The `ETag` of the answer that you have: 304 without a body if it would be the same.",
    "schema": {"type": "string"},
}


def parameters(call: ApiCall) -> list[dict[str, Any]]:
    """Describe the condition of a call."""
    if reads_record(call):
        return [IF_NONE_MATCH]
    return [preconditions.PARAMETER] if writes_record(call) else []


def headers(call: ApiCall) -> list[str]:
    """Describe the header of an answer with one record."""
    return [TAG] if (reads_record(call) or not call.is_safe) and versions.has_version(call.view) else []


def answers(call: ApiCall) -> dict[str, Any]:
    """Describe the answer to a read without changes."""
    if not reads_record(call):
        return {}
    unchanged = "As it was under the ETag of `If-None-Match`."
    return {"304": {"description": unchanged, "headers": header_references(TAG)}}


def errors(call: ApiCall) -> set[DocumentedError]:
    """Return the refusals of If-Match: for a changed record, and for an answer without a version."""
    if not preconditions.counts(call.view, call.method):
        return set()
    stale = preconditions.StaleVersionError if writes_record(call) else preconditions.NoVersionError
    return documented_errors.of_class(stale)


def reads_record(call: ApiCall) -> bool:
    """Return whether a call reads one record."""
    return call.is_safe and versions.rule_of_record(call.rule) == call.rule


def writes_record(call: ApiCall) -> bool:
    """Return whether a call writes to one record that has a version."""
    is_held = preconditions.counts(call.view, call.method)
    return is_held and versions.rule_of_record(call.rule) is not None
