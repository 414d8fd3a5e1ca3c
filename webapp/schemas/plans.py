"""The schemas of plans: calls in an order, and what each of them was answered."""

from __future__ import annotations

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.untrusted import UNTRUSTED

METHODS = ("POST", "PUT", "PATCH", "DELETE")
LONGEST_PATH = 2000


class StepSchema(Schema):
    """A call of a plan, as it would be sent by itself."""

    method = fields.OneOf(*METHODS, required=True)
    path = ma.fields.String(
        required=True,
        validate=[
            ma.validate.Regexp(
                r"/api/", error="Write the path as in the documentation, like /api/transactions/12/confirm."
            ),
            ma.validate.Length(max=LONGEST_PATH, error=f"Write at most {LONGEST_PATH} characters."),
        ],
        metadata={
            "description": "The path of the call, with its query. `{1#/transaction/id}` in it is a value of the answer "
            "of step 1, by a JSON Pointer."
        },
    )
    body = fields.JsonObject(
        load_default=None,
        metadata={
            "description": 'The JSON body of the call. Anywhere in it `{"$ref": "1#/transaction/id"}` stands for a '
            "value of the answer of step 1."
        },
    )


class PlanInputSchema(Schema):
    """Calls that are tried, approved and done together."""

    title = fields.Text(
        least=1,
        most=200,
        strip=True,
        required=True,
        metadata={"description": "What the plan does, for whoever approves it."},
    )
    note = fields.Text(
        most=2000,
        load_default="",
        metadata={"description": "Why: kept with the plan and with each step that has no note of its own."},
    )
    steps = ma.fields.List(
        ma.fields.Nested(StepSchema),
        required=True,
        validate=ma.validate.Length(min=1, error="Send 1 to 100 steps."),
        metadata={
            "description": "1 to 100 calls, in the order in which they are done, as many as are done in a second:"
            " 66 on one record each, 111 records in lists, or 400 confirmations by POST /api/transactions/confirm."
        },
    )
    replaces = fields.Text(
        most=40,
        load_default=None,
        allow_none=True,
        metadata={
            "description": "The id of an older plan of the same key, which expires when this one comes."
        },
    )


class StepDoneSchema(Schema):
    """What a step was answered, and its acts."""

    number = ma.fields.Integer()
    method = fields.OneOf(*METHODS)
    path = ma.fields.String()
    status = ma.fields.Integer()
    answer = ma.fields.Raw(allow_none=True, metadata=UNTRUSTED)
    action_request_ids = ma.fields.List(ma.fields.String())


class PlanSchema(Schema):
    """A plan that was done; without an id there was nothing to do."""

    id = ma.fields.String(allow_none=True)
    title = ma.fields.String()
    changed = ma.fields.Boolean()
    steps = ma.fields.List(ma.fields.Nested(StepDoneSchema))
