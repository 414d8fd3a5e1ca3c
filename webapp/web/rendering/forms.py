"""Forms with dotted names, which are nested like a JSON body before a schema reads them."""

import re
from typing import Any, Final

from flask import request
from werkzeug.datastructures import MultiDict

DEEPEST_NAME = 8
LONGEST_LIST = 200
# The fields of passwords, which every form and command takes as they were typed.
PASSWORDS: Final = {"password", "current"}
# At most 18 digits, so that the number is less than the largest id.
ID = re.compile("[1-9][0-9]{0,17}", re.ASCII)


def form_body(*, lists: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The posted form as a JSON body; names in `lists` keep all their values."""
    return nest(request.form, lists=lists)


def filled_fields() -> dict[str, Any]:
    """The fields of the posted form that are filled in."""
    return {name: value for name, value in form_body().items() if value is not None}


def chosen_id(value: object) -> int | None:
    """The id that a select has chosen; None for anything else.

    >>> chosen_id("17"), chosen_id("CREDIT"), chosen_id(None)
    (17, None, None)
    """
    return int(value) if isinstance(value, str) and ID.fullmatch(value) else None


def nest(form: MultiDict[str, str], *, lists: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Nest dotted names: numbers are positions, an empty value is None.

    Values lose the spaces at their ends, except passwords.

    >>> nest(MultiDict([("name", " Ada"), ("password", " open sesame ")]))
    {'name': 'Ada', 'password': ' open sesame '}
    >>> nest(MultiDict([("name", "Ada"), ("splits.0.amount", "1.00"), ("splits.1.amount", ""), ("ids", "4")]),
    ...      lists=frozenset({"ids"}))
    {'name': 'Ada', 'ids': ['4'], 'splits': [{'amount': '1.00'}, {'amount': None}]}
    """
    flat: dict[str, Any] = {}
    tree: dict[str, Any] = {}
    for name, values in form.lists():
        if name in lists:
            flat[name] = values
        elif name in PASSWORDS:
            flat[name] = values[-1]
        elif "." not in name:
            flat[name] = values[-1].strip() or None
        else:
            _insert(tree, name.split("."), values[-1].strip() or None)
    return flat | {name: _listed(branch) for name, branch in tree.items()}


def _insert(tree: dict[str, Any], path: list[str], value: str | None) -> None:
    for step in path[: DEEPEST_NAME - 1][:-1]:
        branch = tree.setdefault(step, {})
        if not isinstance(branch, dict):
            return
        tree = branch
    tree[path[-1]] = value


def _listed(branch: Any) -> Any:
    if not isinstance(branch, dict):
        return branch
    inner = {key: _listed(value) for key, value in branch.items()}
    if inner and all(key.isascii() and key.isdigit() for key in inner):
        return [inner[key] for key in sorted(inner, key=int)[:LONGEST_LIST]]
    return inner
