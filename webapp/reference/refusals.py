"""Which errors an address can answer with, found in the code that its view reaches, so that the list is never stale."""

from __future__ import annotations

import dis
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FunctionType, ModuleType
from typing import Any

from webapp.errors import SENTENCES
from webapp.ledger.errors import LedgerError

OURS = "webapp."
# What describes the calls names all that they reach, and refuses nothing itself.
DESCRIBING = "webapp.reference."
# A guard against mistakes of our own; no request brings it about.
NEVER_SENT = frozenset({"mixed_currencies"})
# Between the parts of a dotted name and the call of it.
FILLERS = frozenset({"CACHE", "PRECALL", "PUSH_NULL"})
MISSING, TOO_MANY, BUSY = 404, 429, 503


@dataclass(frozen=True, slots=True, order=True)
class DocumentedError:
    """A status, the stable code beside it, the sentence that is usual for it, and whether arithmetic refuses."""

    status: int
    code: str
    sentence: str
    is_of_ledger: bool = field(default=False, compare=False)


def general(status: int, code: str | None = None, sentence: str | None = None) -> DocumentedError:
    """Give what is answered to every address alike.

    >>> general(415).code
    'unsupported_media_type'
    """
    usual, words = SENTENCES[status]
    return DocumentedError(status, code or usual, sentence or words)


def of_view(view: Callable[..., Any], schemas: Iterable[type] = ()) -> set[DocumentedError]:
    """Give what the rules of the books refuse in all that a view and its schemas reach."""
    found: set[DocumentedError] = set()
    for each in reached(inspect.unwrap(view), *schemas):
        if isinstance(each, type) and issubclass(each, LedgerError):
            found |= of_class(each)
    return found


def of_class(error: type[LedgerError]) -> set[DocumentedError]:
    """Give the codes of an error class, each with its sentence."""
    is_of_ledger = ".ledger." in error.__module__ and error.status != MISSING
    codes = error.codes or {error.code: inspect.cleandoc(error.__doc__ or "").partition("\n")[0]}
    return {
        DocumentedError(error.status, code, sentence, is_of_ledger)
        for code, sentence in codes.items()
        if code not in NEVER_SENT
    }


def reached(*roots: Any) -> set[Any]:
    """Give every function and class of ours that these name, directly or through others."""
    seen: set[Any] = set()
    waiting = list(roots)
    while waiting:
        each = waiting.pop()
        if each not in seen:
            seen.add(each)
            waiting.extend(_names(each))
    return seen


@functools.cache
def _names(place: Any) -> tuple[Any, ...]:
    if isinstance(place, FunctionType):
        held = [*_held(place), *_named(place.__code__, place.__globals__)]
    else:
        held = [member for name, member in vars(place).items() if _is_used(place, name)]
    return tuple(ours for each in held for ours in _ours(each))


def _is_used(place: type, name: str) -> bool:
    """Tell whether who names a class may call this of it; of a value only how it is made, for anybody names those."""
    if issubclass(place, LedgerError) or ".models." in place.__module__:
        return False
    return ".ledger." not in place.__module__ or name in {"__init__", "__post_init__"}


def _held(function: FunctionType) -> Iterator[Any]:
    """Give what a function that was made by another one remembers of it."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue


def _ours(thing: Any) -> Iterator[Any]:
    if isinstance(thing, dict):
        thing = tuple(thing.values())
    if isinstance(thing, (tuple, list, frozenset, set)):
        for each in thing:
            if isinstance(each, FunctionType):
                yield from _ours(each)
        return
    if isinstance(thing, functools.partial):
        thing = thing.func
    if isinstance(thing, (staticmethod, classmethod)):
        thing = thing.__func__
    if isinstance(thing, FunctionType):
        thing = inspect.unwrap(thing)
    if not isinstance(thing, (FunctionType, type)):
        return
    place = thing.__module__ or ""
    if place.startswith(OURS) and not place.startswith(DESCRIBING):
        yield thing


def _named(code: CodeType, names: dict[str, Any]) -> Iterator[Any]:
    """Follow the dotted names that code reads; an error that it only catches is not one that it raises."""
    held: Any = None
    for step in dis.get_instructions(code):
        if step.opname in FILLERS:
            continue
        if step.opname in {"LOAD_ATTR", "LOAD_METHOD"} and isinstance(held, (ModuleType, type)):
            held = inspect.getattr_static(held, step.argval, None)
            continue
        if held is not None and step.opname != "CHECK_EXC_MATCH":
            yield held
        held = names.get(step.argval) if step.opname == "LOAD_GLOBAL" else None
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _named(constant, names)
