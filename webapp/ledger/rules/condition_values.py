"""Checks of the values of a rule's conditions; each gives a sentence on what is wrong."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, Final

from webapp.ledger.currencies import UnknownCurrencyError, canonical

MAX_PATTERN_LENGTH: Final = 1000
MAX_PATTERN_BYTES: Final = 8 * 1024 * 1024
MAX_ID: Final = 2**63 - 1

_AMOUNT: Final = re.compile(r"[+-]?[0-9]{1,19}(\.[0-9]{1,8})?")
_ID: Final = re.compile("[1-9][0-9]{0,18}")
_DAY: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")

# What a pattern is made of: an escape, a whole character class, the opening of a special group, a character.
_PATTERN_PART: Final = re.compile(
    r"\\(?P<escape>.) | \[\^?+\]?+(?:\\.|[^\]\\])*\] | \((?P<group>\?P?.=?) | .", re.VERBOSE | re.DOTALL
)
_SHARP_S: Final = frozenset("\u00df\u1e9e")
# Python warns of these in a class, for they are to become nested sets one day.
_SET_OPERATION: Final = re.compile(r"\A\[\^?\[|\A\[.*(--|&&|~~|\|\|)", re.DOTALL)
# Groups that a linear-time engine can follow; look-around, back references, conditions and atomic groups it cannot.
_LINEAR_GROUPS: Final = ("?:", "?P<")


def text_problem(_value: str) -> None:
    """Accept any text; every text contains an empty one."""


def amount_problem(value: str) -> str | None:
    """Refuse a text that is not a decimal number.

    >>> amount_problem("-12.50") is None, amount_problem("12,50")
    (True, 'An amount is written like -12.50; "12,50" is not.')
    """
    return None if _AMOUNT.fullmatch(value) else f"An amount is written like -12.50; {_quoted(value)} is not."


def size_problem(value: str) -> str | None:
    """Refuse a text that is not a decimal number from zero up."""
    problem = amount_problem(value)
    if problem is None and value.startswith("-"):
        return f"An amount without its sign is never below zero; {_quoted(value)} is."
    return problem


def date_problem(value: str) -> str | None:
    """Refuse a text that is not a day of the calendar.

    >>> date_problem("2024-02-29") is None, date_problem("2026-02-29")
    (True, 'A day is written like 2026-10-31; "2026-02-29" is none.')
    """
    try:
        is_day = bool(_DAY.fullmatch(value) and date.fromisoformat(value))
    except ValueError:
        is_day = False
    return None if is_day else f"A day is written like 2026-10-31; {_quoted(value)} is none."


def currency_problem(value: str) -> str | None:
    """Refuse a text that is not a currency."""
    try:
        canonical(value)
    except UnknownCurrencyError as error:
        return error.message
    return None


def id_problem(value: str) -> str | None:
    """Refuse a text that cannot be an id."""
    if _ID.fullmatch(value) and int(value) <= MAX_ID:
        return None
    return f"This takes the id of a record, like 42; {_quoted(value)} is none."


def code_problem(subject: str, codes: Sequence[str]) -> Callable[[str], str | None]:
    """Make a check for one of a few codes, read without case.

    >>> code_problem("A direction", ["IN", "OUT"])("up")
    'A direction is one of IN, OUT; "up" is none of them.'
    """

    def problem(value: str) -> str | None:
        if value.upper() in codes:
            return None
        return f"{subject} is one of {', '.join(codes)}; {_quoted(value)} is none of them."

    return problem


def pattern_problem(pattern: str) -> str | None:
    r"""Refuse a pattern that is not a regular expression, or cannot be followed in linear time.

    >>> pattern_problem(r"rent \d+ (jan|feb)") is None, pattern_problem("[(?=]") is None
    (True, True)
    >>> pattern_problem(r"(a)\1")
    'A pattern cannot look back at what it found or look around; leave out \\1.'
    """
    if len(pattern) > MAX_PATTERN_LENGTH:
        return f"A pattern has at most {MAX_PATTERN_LENGTH} characters."
    for part in _PATTERN_PART.finditer(pattern):
        group, escape = part["group"], part["escape"]
        if (group and not group.startswith(_LINEAR_GROUPS)) or (escape and escape in "123456789"):
            return f"A pattern cannot look back at what it found or look around; leave out {part[0]}."
        if part[0] == "[":
            return f"{_quoted(pattern)} is not a regular expression; close its bracket."
        if _SET_OPERATION.search(part[0]):
            return f"The class {part[0]} may mean two things; put a backslash before the signs in it."
    import re2  # noqa: PLC0415  (it takes 2 MB, and few processes match a pattern)

    try:
        # RE2 takes a repetition that is too large for the letters it is written with; Python does not.
        re.compile(pattern)
        re2.compile(pattern, pattern_options())
    except (re.error, re2.error, OverflowError, RecursionError):
        return f"{_quoted(pattern)} is not a regular expression; check its brackets and repetitions."
    return None


def folded_pattern(pattern: str) -> str:
    """Write a sound pattern for folded text: composed, and a sharp s as the two letters that it folds to.

    >>> folded_pattern("Cafe\u0301 Stra\u00dfe+ [\u00df]") == "Caf\u00e9 Stra(?:ss)e+ [\u00df]"
    True
    """
    composed = unicodedata.normalize("NFC", pattern)
    parts = (part[0] for part in _PATTERN_PART.finditer(composed))
    return "".join("(?:ss)" if part in _SHARP_S else part for part in parts)


def pattern_options() -> Any:
    """Return the options of patterns: without case, quiet, in bounded memory; RE2 follows each in linear time."""
    import re2  # noqa: PLC0415  (it takes 2 MB, and few processes match a pattern)

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.max_mem = MAX_PATTERN_BYTES
    return options


def _quoted(value: str) -> str:
    shown = value if len(value) <= len("..") * 20 else value[:39] + "…"
    return f'"{shown}"'
