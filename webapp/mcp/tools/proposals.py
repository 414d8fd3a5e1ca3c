"""The state of proposals: waiting, done, refused with a reason, or out of date."""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import marshmallow as ma

from webapp.mcp.calls import api_calls
from webapp.mcp.shapes.tool import Json, Tool
from webapp.mcp.tools.names import ActId
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.untrusted import Untrusted, UntrustedPaths, untrusted_paths
from webapp.web.access.auth import principal, settings
from webapp.web.access.heavy_calls import NoSlotError, Slots

MOST_PROPOSALS: Final = 25
LONGEST_WAIT: Final = 25
# How often a waiting call looks, in seconds.
EVERY: Final = 1.0
FOLDER, MOST, MOST_OF_ONE = "waits", 2, 1
WAITING: Final = "waiting"
STATES: Final[Mapping[str, str]] = {
    "PENDING": WAITING,
    "EXECUTED": "done",
    "REJECTED": "refused",
    "FAILED": "failed",
    "EXPIRED": "out of date",
}
NEXT: Final[Mapping[str, str]] = {
    WAITING: "Some wait for a person. Ask again later, or go on with what does not depend on them.",
    "refused": "A person refused; read the reason before you propose anything like it.",
    "failed": "The books had changed. Look at them again, and propose it anew.",
    "out of date": "Propose again what is still right.",
}


class ProposalsQuerySchema(Schema):
    """Which proposals, and how long to wait for a decision."""

    ids = ma.fields.List(ActId(), required=True, validate=ma.validate.Length(min=1, max=MOST_PROPOSALS))
    wait_seconds = fields.WholeNumber(least=0, most=LONGEST_WAIT, load_default=0)


class ProposalStateSchema(Schema):
    """A proposal; `reason` is the person's where it was refused, or why it failed."""

    proposal = ma.fields.String()
    state = ma.fields.String()
    summary = Untrusted()
    reason = Untrusted(allow_none=True)
    replaced_by = ma.fields.String(allow_none=True)


class ProposalStatesSchema(Schema):
    """Proposals in the order asked for."""

    proposals = ma.fields.List(ma.fields.Nested(ProposalStateSchema))
    next = ma.fields.String()
    untrusted = UntrustedPaths(untrusted_paths(ProposalStateSchema(), "proposals[]."))


def run(arguments: Mapping[str, Any]) -> Json:
    """Read the proposals repeatedly while all wait and there is time."""
    ids = arguments["ids"]
    found = [_state(each) for each in ids]
    with _waiting(arguments["wait_seconds"]) as until:
        while until and all(each["state"] == WAITING for each in found) and time.monotonic() + EVERY < until:
            time.sleep(EVERY)
            found = [_state(each) for each in ids]
    states = {each["state"] for each in found}
    following = next((NEXT[state] for state in NEXT if state in states), "All are done.")
    return {"proposals": found, "next": following}


def _state(proposal_id: str) -> Json:
    found = api_calls.get(f"/action-requests/{proposal_id}", view="summary")["actionRequest"]
    return {
        "proposal": found["id"],
        "state": STATES[found["status"]],
        "summary": found["title"],
        "reason": found["reason"] or found["error"] or None,
        "replaced_by": found["replacedBy"],
    }


@contextmanager
def _waiting(seconds: int) -> Iterator[float]:
    """Yield the deadline of a waiting call, 0 if it may not wait: one call per key, two in all.

    Nothing is held meanwhile: each look is a separate call.
    """
    slots = Slots(settings().instance_path / FOLDER, most=MOST, most_of_one=MOST_OF_ONE)
    try:
        slot = slots.take(f"token {principal().token_id}") if seconds else None
    except NoSlotError:
        slot = None
    try:
        yield time.monotonic() + seconds if slot is not None else 0.0
    finally:
        if slot is not None:
            os.close(slot)


TOOL = Tool(
    name="check_proposals",
    title="Proposals",
    description="Whether proposals wait, are done, or were refused and why. waitSeconds waits.",
    takes=ProposalsQuerySchema,
    gives=ProposalStatesSchema,
    run=run,
)
