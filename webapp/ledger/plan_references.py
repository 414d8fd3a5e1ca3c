"""References between the steps of a plan: `{"$ref": "1#/transaction/id"}` stands for a value of an earlier answer.

The number is the step's, from 1; behind `#` is a JSON Pointer (RFC 6901) into its answer. In a
path the reference is in braces: `/api/transactions/{1#/transaction/id}`. Other text is never searched.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from webapp.ledger.errors import UnprocessableError

KEY: Final = "$ref"
# What a reference in a path is while nothing is answered yet: an id that every address takes.
PLACE: Final = "1"
_REFERENCE: Final = re.compile(r"([1-9][0-9]{0,2})#((?:/[^/]*)*)")
_IN_PATH: Final = re.compile(r"\{([^{}]*)\}")
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,5}")
_ESCAPE: Final = re.compile(r"~(?![01])")
Scalar = str | int | float | bool | None


class BadReferenceError(UnprocessableError):
    """A reference names a value in the answer of an earlier step, like {"$ref": "1#/transaction/id"}."""

    code = "bad_reference"


class Reference(NamedTuple):
    """The number of a step, and the keys that lead to a value of its answer."""

    step: int
    keys: tuple[str, ...]


def read(text: object, number: int) -> Reference:
    """Read a reference in a step; raises BadReferenceError unless it names an earlier step.

    >>> read("1#/results/0/a~1b", 2)
    Reference(step=1, keys=('results', '0', 'a/b'))
    """
    match = _REFERENCE.fullmatch(text) if isinstance(text, str) else None
    if match is None or _ESCAPE.search(match[2]):
        raise BadReferenceError(
            f"{text!s:.80} is no reference. Write a step's number, # and a JSON Pointer, like 1#/transaction/id."
        )
    step = int(match[1])
    if step >= number:
        raise BadReferenceError(f"{match[0]:.80} refers to step {step}, which does not come before this one.")
    return Reference(step, tuple(_unescaped(each) for each in match[2].split("/")[1:]))


def resolved(value: Any, number: int, answers: Mapping[int, Any]) -> Any:
    """Return a JSON value with its references replaced; the values keep their type.

    >>> resolved({"ids": [{"$ref": "1#/id"}], "text": "1#/id"}, 2, {1: {"id": 7}})
    {'ids': [7], 'text': '1#/id'}
    """
    return _replaced(value, lambda text: _found(text, number, answers))


def resolved_path(path: str, number: int, answers: Mapping[int, Any]) -> str:
    """Return a path with its references replaced.

    >>> resolved_path("/api/accounts/{1#/name}", 2, {1: {"name": "a/b"}})
    '/api/accounts/a%2Fb'
    """
    return _IN_PATH.sub(lambda match: _written(_found(match[1], number, answers), match[1]), path)


def check(path: str, body: Any, number: int) -> str:
    """Check the references of a step without their values; return its path with `1` in their places."""
    _replaced(body, lambda text: read(text, number) and None)
    return _IN_PATH.sub(lambda match: PLACE if read(match[1], number) else "", path)


def _replaced(value: Any, find: Callable[[object], Any]) -> Any:
    if isinstance(value, Mapping):
        if KEY not in value:
            return {key: _replaced(inner, find) for key, inner in value.items()}
        if len(value) > 1:
            raise BadReferenceError(f"{KEY} stands alone in its object. Leave out what is beside it.")
        return find(value[KEY])
    return [_replaced(each, find) for each in value] if isinstance(value, list) else value


def _found(text: object, number: int, answers: Mapping[int, Any]) -> Scalar:
    reference = read(text, number)
    value = answers.get(reference.step)
    for place, key in enumerate(reference.keys):
        if isinstance(value, Mapping) and key in value:
            value = value[key]
        elif isinstance(value, list) and _INDEX.fullmatch(key) and int(key) < len(value):
            value = value[int(key)]
        else:
            raise BadReferenceError(
                f"{text!s:.80}: the answer of step {reference.step} has {_beside(value, reference, place)}."
            )
    if isinstance(value, (Mapping, list)):
        raise BadReferenceError(
            f"{text!s:.80} is {'an object' if isinstance(value, Mapping) else 'a list'}. Name one value in it."
        )
    found: Scalar = value
    return found


def _beside(value: Any, reference: Reference, place: int) -> str:
    """Describe the value at the place where a reference finds nothing."""
    where = f" under /{'/'.join(reference.keys[:place])}" if place else ""
    if isinstance(value, Mapping):
        return f"no {reference.keys[place]!s:.40}{where}; it has {', '.join(list(map(str, value))[:12]) or 'nothing'}"
    if isinstance(value, list):
        return f"{len(value)} in the list{where}"
    return f"nothing more{where}"


def _written(value: Scalar, text: str) -> str:
    if value is None:
        raise BadReferenceError(f"{text:.80} is null, which no path can have.")
    return quote(str(value).lower() if isinstance(value, bool) else str(value), safe="")


def _unescaped(key: str) -> str:
    return key.replace("~1", "/").replace("~0", "~")
