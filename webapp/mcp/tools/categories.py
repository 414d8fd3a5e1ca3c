"""What lines are, each with its reason: categories, payments, transfers; confirmed in the same act if wanted."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import marshmallow as ma

from webapp.ledger.open_items.payable_items import ShortAs
from webapp.mcp.calls import api_calls
from webapp.mcp.shapes.tool import Json, OutcomeSchema, Tool, as_taken
from webapp.mcp.tools import lines, outcomes
from webapp.mcp.tools.items.payments import SettledPartSchema, settling
from webapp.mcp.tools.lines import FoundLineSchema
from webapp.mcp.tools.names import Directory, NameOrId, WrittenAmount
from webapp.mcp.tools.outcomes import WriteSchema
from webapp.schemas import fields
from webapp.schemas.base import Schema

# Nobody else writes meanwhile; the API takes no more at once.
MOST_LINES: Final = 50
MOST_ROWS: Final = 25
# What a line is said to be by one of them; a line that pays several parties has both, its splits and what it pays.
ALONE: Final = frozenset({"category", "pays", "pair", "splits"})


class LinePartSchema(Schema):
    """A part of a line, with the line's sign."""

    category = NameOrId(required=True)
    amount = WrittenAmount(required=True)
    merchant = NameOrId()
    tax_code = NameOrId()


class LineTargetSchema(Schema):
    """A line, and one of: its category, what it pays, or the other side of its transfer."""

    id = fields.Id(required=True)
    category = NameOrId()
    pays = ma.fields.List(ma.fields.Nested(SettledPartSchema), validate=ma.validate.Length(min=1, max=100))
    short = WrittenAmount()
    short_as = fields.OneOf(*ShortAs)
    short_category = NameOrId()
    pair = fields.Id()
    why = ma.fields.String()

    @ma.validates_schema
    def _says_one_thing(self, data: Mapping[str, Any], **kwargs: Any) -> None:
        del kwargs
        said = ALONE & data.keys()
        if (len(said) > 1 and said != {"pays", "splits"}) or (
            "pair" in data and len(data.keys() - {"why"}) > len(("id", "pair"))
        ):
            raise ma.ValidationError(f"Line {data['id']}: send a category, pays or pair.")
        if {"short", "short_as", "short_category"} & data.keys() and "pays" not in data:
            raise ma.ValidationError(f"Line {data['id']}: only a line that pays is short.")


class LineTarget(ma.fields.Field[Json]):
    """The same within another tool, whose description names this one instead of repeating it."""

    def __init__(self) -> None:
        super().__init__(metadata={"type": "object", "description": "As lines of categorise_lines."})

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Json:
        del attr, data, kwargs
        shape = LineTargetSchema()
        found: Json = shape.load(as_taken(shape, value))
        return found


class LineCategorySchema(LineTargetSchema):
    """The same with what only a line with a category has."""

    merchant = NameOrId()
    project = NameOrId()
    tax_code = NameOrId()
    splits = ma.fields.List(ma.fields.Nested(LinePartSchema))


class CategoriesSchema(WriteSchema):
    """Which lines get what."""

    lines = ma.fields.List(
        ma.fields.Nested(LineCategorySchema),
        required=True,
        validate=ma.validate.Length(
            min=1, max=MOST_LINES, error="Send 1 to 50 lines; others in the next call."
        ),
    )
    confirm = ma.fields.Boolean(load_default=False)


class CategorisedSchema(OutcomeSchema):
    """What was done or is proposed, and the first lines as they are now."""

    lines = ma.fields.List(ma.fields.Nested(FoundLineSchema))


def run(arguments: Mapping[str, Any]) -> Json:
    """Set what lines are; with `confirm`, or with transfers, as a plan, done or proposed as a whole."""
    ids = [each["id"] for each in arguments["lines"]]
    steps = steps_of(arguments["lines"], Directory())
    asked = {**arguments, "why": outcomes.reasons(arguments, "lines")}
    if arguments["confirm"]:
        steps.append(("POST", "/transactions/confirm", {"ids": ids}))
    if len(steps) > 1:
        word = "Categorise and confirm" if arguments["confirm"] else "Categorise"
        answer = outcomes.plan(f"{word} {lines.counted(len(ids))}", steps, asked)
    else:
        answer = outcomes.write(*steps[0], asked)
    found = api_calls.get("/transactions", ids=ids[:MOST_ROWS], include="names", limit=MOST_ROWS)
    done = (
        "Posted." if arguments["confirm"] else "confirm_lines posts them; reconcile can do it with its plan."
    )
    return {
        **outcomes.outcome(answer, done=done),
        "lines": [lines.line_row(each) for each in found["transactions"]],
    }


def steps_of(chosen: Sequence[Mapping[str, Any]], directory: Directory) -> list[tuple[str, str, Json]]:
    """Write the calls that make lines what they are said to be: one for all that change, and one for each transfer."""
    changes = [_change(each, directory) for each in chosen if "pair" not in each]
    joins: list[tuple[str, str, Json]] = [
        ("POST", f"/transactions/{each['id']}/join", {"transactionId": each["pair"]})
        for each in chosen
        if "pair" in each
    ]
    return [
        *directory.makes,
        *([("PATCH", "/transactions", {"changes": changes})] if changes else []),
        *joins,
    ]


def _change(line: Mapping[str, Any], directory: Directory) -> Json:
    change: Json = {"id": line["id"], **directory.taxed(line)}
    if "category" in line:
        change["accountId"] = directory.account_id(line["category"])
    if "pays" in line:
        short = {
            "amount": line.get("short"),
            "as": line.get("short_as"),
            "category": line.get("short_category"),
        }
        change |= settling(line["pays"], short, directory)
    if "merchant" in line:
        change["orgMerchantId"] = directory.merchant_for(line["merchant"])
    if "project" in line:
        change["projectId"] = directory.project_id(line["project"])
    if "splits" in line:
        change["splits"] = [_part(each, directory) for each in line["splits"]]
    return change


def _part(part: Mapping[str, Any], directory: Directory) -> Json:
    found = {"accountId": directory.account_id(part["category"]), "amount": part["amount"]}
    found |= {"orgMerchantId": directory.merchant_for(part["merchant"])} if "merchant" in part else {}
    return found | directory.taxed(part)


TOOL = Tool(
    name="categorise_lines",
    title="Categorise",
    description="Say what up to 50 lines are or pay; confirm posts them, corrections too.",
    takes=CategoriesSchema,
    gives=CategorisedSchema,
    run=run,
    scope="draft",
)
