"""What is left to do before a month is closed."""

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from webapp.mcp.calls import api_calls
from webapp.mcp.shapes.tool import Json, Tool
from webapp.schemas.base import Schema
from webapp.schemas.untrusted import Untrusted, UntrustedPaths, untrusted_paths


class MonthSchema(Schema):
    """A month that is over."""

    period = ma.fields.String(required=True, metadata={"description": "YYYY-MM."})


class LeftStepSchema(Schema):
    """A step that is left."""

    code = ma.fields.String()
    count = ma.fields.Integer()
    sentence = Untrusted()


class MonthEndSchema(Schema):
    """The days, and the steps that are left."""

    days = ma.fields.String()
    left = ma.fields.List(ma.fields.Nested(LeftStepSchema))
    untrusted = UntrustedPaths(untrusted_paths(LeftStepSchema(), "left[]."))


def run(arguments: Mapping[str, Any]) -> Json:
    """Read the close of a month."""
    found = api_calls.get(f"/closes/{arguments['period']}")["close"]
    return {
        "days": f"{found['from']} to {found['to']}",
        "left": [
            {name: each[name] for name in ("code", "count", "sentence")}
            for each in found["steps"]
            if each["state"] == "TO_DO"
        ],
    }


TOOL = Tool(
    name="month_end",
    title="Month end",
    description="What is left to close a month.",
    takes=MonthSchema,
    gives=MonthEndSchema,
    run=run,
)
