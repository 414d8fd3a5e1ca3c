"""The repair of a proof that holds no longer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from webapp.mcp.shapes.tool import Json, OutcomeSchema, Tool, ToolError
from webapp.mcp.tools import outcomes, proofs
from webapp.mcp.tools.outcomes import WriteSchema
from webapp.mcp.tools.proofs import REPAIRS
from webapp.schemas import fields


class RepairSchema(WriteSchema):
    """Which proof, and how."""

    proof = ma.fields.String(required=True, metadata={"description": "Its id, or Current account/2026-07."})
    repair = fields.OneOf(*REPAIRS, required=True)
    why = fields.Text(least=1, most=2000, required=True, strip=True)


class RepairedSchema(OutcomeSchema):
    """What was done or is proposed, and whether the proof holds afterwards."""

    holds_afterwards = ma.fields.Boolean(allow_none=True)


def run(arguments: Mapping[str, Any]) -> Json:
    """Repair a proof by the same steps that explain tries."""
    proof = proofs.named(arguments["proof"].removeprefix("proof:"))
    if proof["holds"]:
        raise ToolError(
            f"The proof of {proof['accountName']} {proof['statementDate']} holds; there is nothing to repair."
        )
    repair = arguments["repair"]
    steps = proofs.steps_of(proof, repair, arguments["why"])
    if steps is None:
        raise ToolError("No act puts back what broke this proof. Reopen it, or accept it as it is now.")
    tried = outcomes.outcome(proofs.do(repair, proof, steps, arguments, is_preview=True))
    done = outcomes.outcome(proofs.do(repair, proof, steps, arguments))
    this = f"proof of {proof['accountName']} {proof['statementDate']}"
    mended = {each["what"] for each in tried["changes"] if each["change"] == outcomes.HOLDS}
    return {**done, "holds_afterwards": repair == proofs.ACCEPT or this in mended}


TOOL = Tool(
    name="repair_proof",
    title="Repair a broken proof",
    description="Repair a proof that holds no longer: undo what broke it, reopen its statement, or accept the items as "
    "they are now. explain about the proof shows the cause and what each would change.",
    takes=RepairSchema,
    gives=RepairedSchema,
    run=run,
    scope="reconcile",
    is_destructive=True,
)
