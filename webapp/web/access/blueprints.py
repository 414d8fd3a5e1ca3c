"""The blueprint of the API: flask-smorest's, with answers of the keys that `fields` and `include` ask for."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import flask_smorest
import marshmallow as ma
from flask import Response, jsonify
from flask_smorest.utils import resolve_schema_instance

from webapp.web.access import selections, versions
from webapp.web.access.request_state import state
from webapp.web.access.strictness import ArgumentsParser


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]
    """A noun of the API."""

    ARGUMENTS_PARSER = ArgumentsParser()

    def response(
        self, status_code: int, schema: Any = None, *, summary: Any = None, **documented: Any
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Dump the result of a view with a schema, or with those of its keys that the query asks for.

        `summary` is the schema of the result with `view=summary`.
        """
        full_schema: Any = resolve_schema_instance(schema)
        short_schema: Any = None if summary is None else resolve_schema_instance(summary)
        respond = super().response(status_code, full_schema, **documented)

        def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(view)
            def selecting(*args: Any, **kwargs: Any) -> Any:
                result = view(*args, **kwargs)
                if isinstance(result, Response) or not isinstance(full_schema, ma.Schema):
                    return result
                versions.note_of_part(responding, result)
                asked = short_schema if state().selection.is_summary else full_schema
                schema = selections.selected(asked)
                return result if schema is full_schema else jsonify(schema.dump(result))

            responding: Callable[..., Any] = respond(selecting)
            if isinstance(full_schema, ma.Schema):
                responding.answer_schema = full_schema  # type: ignore[attr-defined]
            responding.summary_schema = short_schema  # type: ignore[attr-defined]
            return responding

        return decorate
