"""The schemas of plans: calls in an order, what each was answered, and references in the places of ids."""

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from webapp.ledger.references import Ref
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.fields import Id, NewId
from webapp.schemas.untrusted import UNTRUSTED_ANSWER, Untrusted

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
        # Up to here the answer says what fits instead.
        validate=ma.validate.Length(min=1, max=200, error="Send 1 to 100 steps."),
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

    number = ma.fields.Integer(attribute="step.number")
    method = fields.OneOf(*METHODS, attribute="step.method")
    path = ma.fields.String(attribute="step.path")
    status = ma.fields.Integer(attribute="result.status")
    answer = ma.fields.Raw(attribute="result.body", allow_none=True, metadata=UNTRUSTED_ANSWER)
    action_request_ids = ma.fields.List(ma.fields.String())


class PlanSchema(Schema):
    """A plan that was done; without an id there was nothing to do."""

    id = ma.fields.String(allow_none=True)
    title = Untrusted()
    changed = ma.fields.Boolean()
    steps = ma.fields.List(ma.fields.Nested(StepDoneSchema))


def referring(schema: ma.Schema, written: Any) -> Any:
    """Give what a schema has written, or a list of that, with its ids as references.

    >>> from webapp.schemas.audit.action_requests import ResultSchema
    >>> [each.kind.value for each in referring(ResultSchema(), {"journalEntryIds": [7]})["journalEntryIds"]]
    ['journal_entry']
    """
    if isinstance(written, list):
        return [referring(schema, each) for each in written]
    if not isinstance(written, Mapping):
        return written
    fields = {field.data_key or name: field for name, field in schema.dump_fields.items()}
    return {key: _referring(fields.get(key), inner) for key, inner in written.items()}


def _referring(field: ma.fields.Field[Any] | None, written: Any) -> Any:
    if isinstance(field, ma.fields.List):
        return [_referring(field.inner, each) for each in written] if isinstance(written, list) else written
    if isinstance(field, ma.fields.Nested):
        return referring(field.schema, written)
    kind = field.of if isinstance(field, (Id, NewId)) else None
    return written if kind is None or not isinstance(written, int) else Ref(kind, written)
