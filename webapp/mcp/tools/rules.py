"""Rules: their effect on past lines, their mistakes there, and their creation."""

from collections.abc import Mapping
from typing import Any, Final

import marshmallow as ma

from webapp.ledger.rules.conditions import Operator
from webapp.ledger.rules.fields import fields_of
from webapp.ledger.rules.triggers import Target
from webapp.mcp.calls import api_calls
from webapp.mcp.shapes.tool import Json, OutcomeSchema, Tool, ToolError
from webapp.mcp.tools import outcomes
from webapp.mcp.tools.names import Directory, NameOrId
from webapp.mcp.tools.outcomes import WriteSchema
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.untrusted import Untrusted

FIELDS: Final = fields_of(Target.TRANSACTION)
MOST_WARNINGS: Final = 20
MOST_ROWS: Final = 10
IN_PARTS: Final = "several accounts"
# What a rule sets: its effect, the argument that names it, and the key of a line that has it.
SETS: Final = (
    ("SET_ACCOUNT", "category", "accountId"),
    ("SET_MERCHANT", "merchant", "orgMerchantId"),
    ("SET_PROJECT", "project", "projectId"),
    ("SET_TAX_CODE", "taxCode", "taxCodeId"),
)


class ConditionInputSchema(Schema):
    """A condition; without a field any text, without an operator CONTAINS."""

    field = fields.OneOf(*FIELDS, load_default="ANY_TEXT")
    operator = fields.OneOf(*Operator, load_default="CONTAINS")
    value = ma.fields.String(required=True)


class RuleProposalSchema(WriteSchema):
    """A rule on bank lines."""

    name = ma.fields.String(required=True)
    when = ma.fields.List(
        ma.fields.Nested(ConditionInputSchema), required=True, validate=ma.validate.Length(min=1, max=20)
    )
    category = NameOrId()
    merchant = NameOrId()
    project = NameOrId()
    tax_code = NameOrId()
    settle_by_reference = ma.fields.Boolean(load_default=False)
    propose = ma.fields.Boolean(load_default=False, metadata={"description": "For new lines."})


class WrongLineSchema(Schema):
    """A past line that somebody booked otherwise."""

    line_id = ma.fields.Integer()
    day = ma.fields.String()
    amount = ma.fields.String()
    text = Untrusted()
    is_on = Untrusted()


class TriedRuleSchema(OutcomeSchema):
    """What the rule would do to past lines; `wrong` are those of the first `lookedAt` that people booked otherwise."""

    matched = ma.fields.Integer()
    changed = ma.fields.Integer()
    looked_at = ma.fields.Integer()
    wrong_count = ma.fields.Integer()
    wrong = ma.fields.List(ma.fields.Nested(WrongLineSchema))


def run(arguments: Mapping[str, Any]) -> Json:
    """Try a rule on past lines and, if wanted, make it."""
    directory = Directory()
    settings = {
        "accountId": directory.account_id(arguments.get("category")),
        "orgMerchantId": directory.merchant_id(arguments.get("merchant")),
        "projectId": directory.project_id(arguments.get("project")),
        **directory.taxed(arguments),
    }
    effects = [{"kind": kind, key: settings[key]} for kind, _, key in SETS if settings.get(key) is not None]
    if arguments["settle_by_reference"]:
        effects.append({"kind": "SETTLE_BY_REFERENCE"})
    if not effects:
        raise ToolError("Send what the rule does: category, merchant, project, taxCode or settleByReference.")
    rule = {"name": arguments["name"], "conditions": {"conditions": arguments["when"]}, "effects": effects}
    tried, items = _tried(rule)
    wrong = [each for each in items if _is_wrong(each, settings)]
    if arguments["propose"]:
        made = outcomes.outcome(
            outcomes.write("POST", "/automations/rules", rule, arguments),
            done="It runs on lines that come in.",
        )
    else:
        advice = "Narrow the conditions. " if wrong else ""
        following = f"{outcomes.NOTHING_WRITTEN} {advice}Call again with propose to make it."
        made = outcomes.plain(
            outcomes.PREVIEW, f"The rule {arguments['name']}", following, warnings=tried["warnings"]
        )
    accounts = (
        {each["id"]: each["name"] for each in api_calls.every("/accounts", "accounts")} if wrong else {}
    )
    return {
        **made,
        "warnings": list(dict.fromkeys([*made["warnings"], *tried["warnings"][:MOST_WARNINGS]])),
        "matched": tried["matched"],
        "changed": tried["changed"],
        "looked_at": len(items),
        "wrong_count": len(wrong),
        "wrong": [_row(each, accounts) for each in wrong[:MOST_ROWS]],
    }


def _tried(rule: Json) -> tuple[Json, list[Json]]:
    """Preview a rule on past lines: its figures, and the first lines that it matches."""
    query = {"limit": api_calls.LARGEST_PAGE}
    preview = api_calls.ask("POST", "/automations/rules/preview", query=query, body=rule).body["preview"]
    return preview, preview["items"]


def _is_wrong(item: Json, settings: Mapping[str, int | None]) -> bool:
    """Return whether a person or a posted entry booked a line otherwise than the rule would, or in parts."""
    if not item["skipped"]:
        return False
    wanted = {key: value for key, value in settings.items() if value is not None}
    if item["before"] is None:
        return bool(wanted)
    return any(item["before"].get(key) not in (None, value) for key, value in wanted.items())


def _row(item: Json, accounts: Mapping[int, str]) -> Json:
    account_id = item["before"] and item["before"]["accountId"]
    return {
        "line_id": item["transactionId"],
        "day": item["bookedOn"],
        "amount": item["amount"],
        "text": item["description"],
        "is_on": IN_PARTS if account_id is None else accounts.get(account_id, str(account_id)),
    }


TOOL = Tool(
    name="write_rule",
    title="Rule",
    description="Try a rule on past lines; all conditions must hold. settleByReference pays what lines name.",
    takes=RuleProposalSchema,
    gives=TriedRuleSchema,
    run=run,
    scope="draft",
)
