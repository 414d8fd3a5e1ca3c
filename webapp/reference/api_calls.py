"""The calls of the API: each method of each path, with its view and the view's declarations."""

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import marshmallow as ma
from flask import Flask

from webapp.ledger.canonical import camel
from webapp.web.access import idempotency
from webapp.web.access.hosts import SAFE_METHODS
from webapp.web.access.view_arguments import argument_schemas

METHODS_OF_HTTP = frozenset({"HEAD", "OPTIONS"})
PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


@dataclass(frozen=True, slots=True)
class ApiCall:
    """One method of one path, with its scope and the schemas of its arguments."""

    method: str
    rule: str
    endpoint: str
    area: str
    view: Callable[..., Any]

    @property
    def path(self) -> str:
        """The path as in the interface document."""
        return public_path(self.rule)

    @property
    def scope(self) -> str:
        """The required scope."""
        return str(self.view.scope)  # type: ignore[attr-defined]

    @property
    def writes(self) -> bool:
        """Whether it may change the books."""
        return bool(getattr(self.view, "writes", False))

    @property
    def is_documented(self) -> bool:
        """Whether it is an endpoint of the interface document."""
        return bool(getattr(self.view, "is_documented", False))

    @property
    def session_only(self) -> bool:
        """Whether no token may call it."""
        return bool(getattr(self.view, "session_only", False))

    @property
    def decides(self) -> bool:
        """Whether a key that approves may call it."""
        return bool(getattr(self.view, "decides", False))

    @property
    def is_safe(self) -> bool:
        """Whether it only reads."""
        return self.method in SAFE_METHODS

    @property
    def takes_ids(self) -> bool:
        """Whether its path has ids, whose objects may not exist."""
        return "{" in self.path

    @property
    def takes_key(self) -> bool:
        """Whether it takes an Idempotency-Key: every write does, even for signed-in people only."""
        return self.method.lower() in idempotency.WRITES and (self.writes or self.session_only)

    @property
    def summary(self) -> str:
        """The first line of the view's docstring."""
        return inspect.cleandoc(self.view.__doc__ or "").partition("\n")[0]

    @property
    def more(self) -> str:
        """The rest of the view's docstring."""
        return inspect.cleandoc(self.view.__doc__ or "").partition("\n")[2].strip()

    @property
    def schemas(self) -> list[type[ma.Schema]]:
        """The schemas of its query and its body."""
        return argument_schemas(self.view)


def calls(app: Flask) -> Iterator[ApiCall]:
    """Yield all calls of the API, by path and method."""
    for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.rule):
        if not rule.rule.startswith("/api/"):
            continue
        blueprint: Any = app.blueprints[rule.endpoint.rpartition(".")[0]]
        for method in sorted((rule.methods or set()) - METHODS_OF_HTTP):
            yield ApiCall(
                method,
                rule.rule,
                rule.endpoint,
                blueprint.description,
                app.view_functions[rule.endpoint],
            )


def own_path(rule: str) -> str:
    """Write a rule in flask-smorest's notation.

    >>> own_path("/api/feeds/accounts/<id:fa_id>/coverage")
    '/api/feeds/accounts/{fa_id}/coverage'
    """
    return PARAMETER.sub(r"{\1}", rule)


def public_path(rule: str) -> str:
    """Write a rule with the parameter names of the interface document.

    >>> public_path("/api/transactions/<id:transaction_id>/confirm")
    '/api/transactions/{id}/confirm'
    """
    names = public_names(rule)
    return PARAMETER.sub(lambda match: f"{{{names[match[1]]}}}", rule)


def public_names(rule: str) -> dict[str, str]:
    """Return the public name of each parameter of a rule: the first id of a path is `id`.

    >>> public_names("/api/automations/rules/<id:rule_id>/versions/<id:version>")
    {'rule_id': 'id', 'version': 'version'}
    >>> public_names("/api/feeds/accounts/<id:fa_id>")
    {'fa_id': 'faId'}
    """
    found = PARAMETER.findall(rule)
    return {
        name: "id" if index == 0 and name.endswith("_id") and name != "fa_id" else camel(name)
        for index, name in enumerate(found)
    }
