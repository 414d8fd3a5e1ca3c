"""The errors of a call, found in the code that its view reaches, so the list is complete."""

import dis
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FunctionType, ModuleType
from typing import Any

from webapp.errors import HTTP_ERRORS
from webapp.ledger.errors import LedgerError

OURS = "webapp."
# The documentation itself refers to all calls, and raises no errors.
DESCRIBING = "webapp.reference."
# An internal check that no request can cause.
NEVER_SENT = frozenset({"mixed_currencies"})
# Bytecode instructions between the parts of a dotted name and its call.
FILLERS = frozenset({"CACHE", "PRECALL", "PUSH_NULL"})
MISSING, TOO_MANY, BUSY = 404, 429, 503


@dataclass(frozen=True, slots=True, order=True)
class DocumentedError:
    """A status, a code, its usual sentence, and whether the ledger package raises it."""

    status: int
    code: str
    sentence: str
    is_of_ledger: bool = field(default=False, compare=False)


def general(status: int, code: str | None = None, sentence: str | None = None) -> DocumentedError:
    """Return an HTTP error that any call can have.

    >>> general(415).code
    'unsupported_media_type'
    """
    usual_code, usual_sentence = HTTP_ERRORS[status]
    return DocumentedError(status, code or usual_code, sentence or usual_sentence)


def of_view(view: Callable[..., Any], schemas: Iterable[type] = ()) -> set[DocumentedError]:
    """Return the ledger errors in all code that a view and its schemas reach."""
    found: set[DocumentedError] = set()
    for each in reachable_code(inspect.unwrap(view), *schemas):
        if isinstance(each, type) and issubclass(each, LedgerError):
            found |= of_class(each)
    return found


def of_class(error: type[LedgerError]) -> set[DocumentedError]:
    """Return the codes of an error class, each with its sentence."""
    is_of_ledger = ".ledger." in error.__module__ and error.status != MISSING and not error.is_read
    codes = error.codes or {error.code: inspect.cleandoc(error.__doc__ or "").partition("\n")[0]}
    return {
        DocumentedError(error.status, code, sentence, is_of_ledger)
        for code, sentence in codes.items()
        if code not in NEVER_SENT
    }


def reachable_code(*roots: Any) -> set[Any]:
    """Return all of our functions and classes that these use, directly or not."""
    found: set[Any] = set()
    unvisited = list(roots)
    while unvisited:
        each = unvisited.pop()
        if each not in found:
            found.add(each)
            unvisited.extend(_used_by(each))
    return found


@functools.cache
def _used_by(place: Any) -> tuple[Any, ...]:
    if isinstance(place, FunctionType):
        used = [*_closure_values(place), *_named_in_code(place.__code__, place.__globals__)]
    else:
        used = [member for name, member in vars(place).items() if _is_used(place, name)]
    return tuple(ours for each in used for ours in _ours(each))


def _is_used(place: type, name: str) -> bool:
    """Return whether code with a reference to a class may call this member; of a ledger value only its constructor."""
    if issubclass(place, LedgerError) or ".models." in place.__module__:
        return False
    return ".ledger." not in place.__module__ or name in {"__init__", "__post_init__"}


def _closure_values(function: FunctionType) -> Iterator[Any]:
    """Yield the values in a function's closure."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue


def _ours(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list, frozenset, set)):
        for each in value:
            if isinstance(each, FunctionType):
                yield from _ours(each)
        return
    if isinstance(value, functools.partial):
        value = value.func
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    if isinstance(value, FunctionType):
        value = inspect.unwrap(value)
    if not isinstance(value, (FunctionType, type)):
        return
    place = value.__module__ or ""
    if place.startswith(OURS) and not place.startswith(DESCRIBING):
        yield value


def _named_in_code(code: CodeType, names: dict[str, Any]) -> Iterator[Any]:
    """Follow the dotted names that code reads, without errors that it only catches."""
    current: Any = None
    for step in dis.get_instructions(code):
        if step.opname in FILLERS:
            continue
        if step.opname in {"LOAD_ATTR", "LOAD_METHOD"} and isinstance(current, (ModuleType, type)):
            current = inspect.getattr_static(current, step.argval, None)
            continue
        if current is not None and step.opname != "CHECK_EXC_MATCH":
            yield current
        current = names.get(step.argval) if step.opname == "LOAD_GLOBAL" else None
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _named_in_code(constant, names)
