"""The base of all schemas: snake_case in Python is camelCase in JSON."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import marshmallow as ma

from webapp.ledger.canonical import camel

# Marks a key of an answer that may be missing; the OpenAPI document does not list it as required.
OPTIONAL = {"x-optional": True}
WARNINGS = {**OPTIONAL, "description": "What to look at once more; left out where there is nothing."}
WARNING_CODES = {
    **OPTIONAL,
    "description": "The code of each warning, in the same order; empty for one that has none.",
}
# Marks a key that is sent where `include` has its word, and the word.
INCLUDED_BY = "x-include"
KNOWN_NAMES = "This name is unknown; the valid ones are: "
SENTENCES = {"required": "This is missing.", "null": "This cannot be empty."}


def included_by(word: str, description: str) -> dict[str, object]:
    """Give the metadata of a key of an answer that is sent only where `include` asks for it.

    >>> included_by("names", "The name of the account.")["description"]
    'The name of the account. Only with `include=names`.'
    """
    return {**OPTIONAL, INCLUDED_BY: word, "description": f"{description} Only with `include={word}`."}


class Schema(ma.Schema):
    """A schema that refuses unknown keys by name."""

    class Meta:
        """Unknown keys are an error unless a schema says otherwise."""

        unknown = ma.RAISE

    error_messages = {"unknown": "This name is unknown.", "type": "Send a JSON object."}  # noqa: RUF012

    @ma.pre_load
    def refuse_long_lists(self, data: Any, **kwargs: object) -> Any:
        """Refuse a list that is too long by its length, before something is said about each of its items."""
        del kwargs
        for key, bound in self._bounds.items() if isinstance(data, Mapping) else ():
            sent = data.get(key)
            if isinstance(sent, list) and len(sent) > bound.max:
                try:
                    bound(sent)
                except ma.ValidationError as error:
                    raise ma.ValidationError(error.messages, key) from None
        return data

    @cached_property
    def _bounds(self) -> dict[str, Any]:
        return {
            field.data_key or name: bound
            for name, field in self.load_fields.items()
            if isinstance(field, ma.fields.List)
            for bound in field.validators
            if isinstance(bound, ma.validate.Length) and bound.max is not None
        }

    def get_attribute(self, obj: Any, attr: str, default: Any) -> Any:
        """Read a key of a dictionary, or an attribute of a record."""
        if type(obj) is dict and "." not in attr:
            return obj.get(attr, default)
        if "." in attr or hasattr(obj, "__getitem__"):
            return super().get_attribute(obj, attr, default)
        return getattr(obj, attr, default)

    def on_bind_field(self, field_name: str, field_obj: ma.fields.Field) -> None:  # type: ignore[type-arg]
        """Give every field its camelCase key, and a sentence for missing and empty values unless it has its own."""
        ours = {
            key: sentence
            for key, sentence in SENTENCES.items()
            if field_obj.error_messages[key] == ma.fields.Field.default_error_messages[key]
        }
        field_obj.error_messages |= ours
        field_obj.data_key = field_obj.data_key or camel(field_name)

    def handle_error(self, error: ma.ValidationError, data: object, *, many: bool, **kwargs: object) -> None:
        """List the valid keys in the messages of unknown ones."""
        del data, many, kwargs
        messages = error.messages
        if not isinstance(messages, dict) or self.unknown != ma.RAISE:
            return
        valid = ", ".join(sorted(field.data_key or name for name, field in self.load_fields.items()))
        for key, message in list(messages.items()):
            if message == [self.error_messages["unknown"]]:
                messages[key] = [f"{KNOWN_NAMES}{valid or 'none'}."]


class DocumentedSchema(Schema):
    """The body of one of the interface document's seven endpoints, which ignore unknown keys."""

    class Meta:
        """Unknown keys are left out."""

        unknown = ma.EXCLUDE


class EmptyAsMissing(Schema):
    """A schema of a form or a query in which an empty field counts as missing."""

    @ma.pre_load
    def leave_out_empty(self, data: Mapping[str, str], **kwargs: object) -> dict[str, str]:
        """Leave out empty fields."""
        del kwargs
        return {name: value for name, value in data.items() if value.strip()}


class ErrorSchema(Schema):
    """An error: a sentence on what is wrong and what to do, and a stable code."""

    error = ma.fields.String(
        validate=ma.validate.Length(min=1),
        metadata={"description": "A sentence; it may quote what was sent."},
    )
    code = ma.fields.String(metadata={"pattern": "^[a-z0-9_]+$"})
    fields_ = ma.fields.Dict(
        keys=ma.fields.String(),
        values=ma.fields.List(ma.fields.String()),
        data_key="fields",
        metadata={**OPTIONAL, "description": "Of 422: paths of the body or query, and what is wrong."},
    )
    details = ma.fields.Dict(
        metadata={**OPTIONAL, "description": "What a program can act on; what it has depends on the code."}
    )
