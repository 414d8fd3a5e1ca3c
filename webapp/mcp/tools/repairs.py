"""The repair of a broken proof."""

from collections.abc import Mapping
from typing import Any, Final

import marshmallow as ma

from webapp.mcp.shapes.tool import Json, OutcomeSchema, Tool, ToolError
from webapp.mcp.tools import outcomes, proofs
from webapp.mcp.tools.outcomes import WriteSchema
from webapp.mcp.tools.proofs import REPAIRS
from webapp.schemas import fields

NAME: Final = "repair_proof"


class RepairSchema(WriteSchema):
    """Which proof, and how."""

    proof = ma.fields.String(required=True, metadata={"description": "Its id, or Main/2026-07."})
    repair = fields.OneOf(*REPAIRS, required=True)
    why = fields.Text(least=1, most=2000, required=True, strip=True)


class RepairedSchema(OutcomeSchema):
    """What was done or is proposed, and whether the proof holds afterwards."""

    holds_afterwards = ma.fields.Boolean(allow_none=True)


def run(arguments: Mapping[str, Any]) -> Json:
    """Repair a proof by the steps that `explain` tries; sent again under its key, return the earlier answer."""
    repair, earlier = arguments["repair"], outcomes.done_before(NAME, arguments)
    if earlier is not None:
        return _done_before(arguments, outcomes.outcome(earlier))
    proof = _named(arguments)
    if proof["holds"]:
        raise ToolError(f"The {_title(proof)} holds; there is nothing to repair.")
    steps = proofs.steps_of(proof, repair, arguments["why"])
    if steps is None:
        raise ToolError("No act puts back what broke this proof. Reopen it, or accept it as it is now.")
    tried = outcomes.outcome(proofs.do(repair, proof, steps, arguments, is_preview=True))
    sent_as = outcomes.fingerprint(NAME, arguments)
    done = outcomes.outcome(proofs.do(repair, proof, steps, arguments, sent_as=sent_as))
    return {**done, "holds_afterwards": repair == proofs.ACCEPT or _mends(tried, proof)}


def _done_before(arguments: Mapping[str, Any], done: Json) -> Json:
    """Write the result of the first call; a reopened proof is gone."""
    if arguments["repair"] == proofs.ACCEPT:
        return {**done, "holds_afterwards": True}
    try:
        holds = _mends(done, _named(arguments))
    except ToolError:
        holds = False
    return {**done, "holds_afterwards": holds}


def _named(arguments: Mapping[str, Any]) -> Json:
    return proofs.named(arguments["proof"].removeprefix("proof:"))


def _title(proof: Json) -> str:
    return f"proof of {proof['accountName']} {proof['statementDate']}"


def _mends(outcome: Json, proof: Json) -> bool:
    mended = {each["what"] for each in outcome["changes"] if each["change"] == outcomes.HOLDS}
    return _title(proof) in mended


TOOL = Tool(
    name=NAME,
    title="Repair",
    description="Undo what broke a proof, reopen its statement, or accept its items; explain shows what each "
    "changes.",
    takes=RepairSchema,
    gives=RepairedSchema,
    run=run,
    scope="reconcile",
    is_destructive=True,
)
