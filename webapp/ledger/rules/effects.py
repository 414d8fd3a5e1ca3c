"""What a rule may do to a bank line's draft or a receipt, and whether an effect makes sense."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from webapp.ledger.currencies import canonical
from webapp.ledger.rules.condition_values import currency_problem
from webapp.ledger.rules.triggers import Target


class EffectKind(StrEnum):
    """What a rule can set, and that a line may pay the open item which its text names."""

    SET_CURRENCY = "SET_CURRENCY"
    SET_ACCOUNT = "SET_ACCOUNT"
    SET_MERCHANT = "SET_MERCHANT"
    SET_PROJECT = "SET_PROJECT"
    SETTLE_BY_REFERENCE = "SETTLE_BY_REFERENCE"
    SET_TAX_CODE = "SET_TAX_CODE"

    # Every line of a run looks kinds up; an enum's own hash is a call in Python.
    __hash__ = str.__hash__


@dataclass(frozen=True, slots=True)
class Effect:
    """One thing that a rule sets: a currency code, or the id of an account, merchant, project or tax code.

    What a line pays by its reference is found for each line, so that the effect itself has no value: "".
    """

    kind: EffectKind
    sort_order: int
    value: str | int


MAX_ID: Final = 2**63 - 1

# The effect that finds its value for each line has no key.
VALUE_KEY: Final[dict[EffectKind, str]] = {
    EffectKind.SET_CURRENCY: "currency",
    EffectKind.SET_ACCOUNT: "accountId",
    EffectKind.SET_MERCHANT: "orgMerchantId",
    EffectKind.SET_PROJECT: "projectId",
    EffectKind.SET_TAX_CODE: "taxCodeId",
}
# What only bank lines have, each with the sentence for a rule on receipts.
OF_LINES: Final[dict[EffectKind, str]] = {
    EffectKind.SETTLE_BY_REFERENCE: "Only a bank line pays an open item; let this rule act on bank lines.",
    EffectKind.SET_TAX_CODE: "Only a bank line gets its tax code from a rule; let this rule act on bank lines.",
}
# The field of a line that each effect sets.
FIELD_OF: Final[dict[EffectKind, str]] = {**VALUE_KEY, EffectKind.SETTLE_BY_REFERENCE: "itemId"}


def effect_problem(
    effect: Mapping[str, object], target: Target = Target.TRANSACTION
) -> tuple[str, str] | None:
    """Return the key of the wrong part of an effect and a sentence on it, or None where all makes sense.

    Whether the account, merchant, project or tax code exists is checked against the books elsewhere.

    >>> effect_problem({"kind": "SET_CURRENCY", "currency": "usd"}) is None
    True
    >>> effect_problem({"kind": "SET_ACCOUNT", "accountId": True})
    ('accountId', 'SET_ACCOUNT needs accountId, an integer above zero.')
    >>> effect_problem({"kind": "SETTLE_BY_REFERENCE"}, Target.RECEIPT)
    ('kind', 'Only a bank line pays an open item; let this rule act on bank lines.')
    """
    kind = effect.get("kind")
    if not isinstance(kind, str) or kind not in set(EffectKind):
        return "kind", f"The kind of an effect is one of {', '.join(EffectKind)}."
    if kind in OF_LINES and target is Target.RECEIPT:
        return "kind", OF_LINES[EffectKind(kind)]
    if type(effect.get("sortOrder", 0)) is not int:
        return "sortOrder", "The sort order is an integer."
    key = VALUE_KEY.get(EffectKind(kind))
    problem = _value_problem(kind, key, effect.get(key)) if key else None
    return (key, problem) if key and problem else None


def effects_problems(
    effects: Sequence[Mapping[str, object]], target: Target = Target.TRANSACTION
) -> dict[str, list[str]]:
    """Collect the sentences of all wrong effects by their path in a rule's input.

    >>> effects_problems([])
    {'effects': ['A rule needs at least one effect.']}
    """
    if not effects:
        return {"effects": ["A rule needs at least one effect."]}
    problems = ((index, effect_problem(effect, target)) for index, effect in enumerate(effects))
    return {f"effects.{index}.{found[0]}": [found[1]] for index, found in problems if found}


def read_effects(effects: Sequence[Mapping[str, object]]) -> tuple[Effect, ...]:
    """Read effects that have no problem, in the order in which they apply: by sortOrder, then by place.

    Where a sort order is left out, the effect's place stands for it.

    >>> read_effects([{"kind": "SET_PROJECT", "projectId": 7, "sortOrder": 5},
    ...               {"kind": "SET_CURRENCY", "currency": "rur"}])
    (Effect(kind=<EffectKind.SET_CURRENCY: 'SET_CURRENCY'>, sort_order=1, value='RUB'), \
Effect(kind=<EffectKind.SET_PROJECT: 'SET_PROJECT'>, sort_order=5, value=7))
    """
    read = [_read(effect, index) for index, effect in enumerate(effects)]
    return tuple(sorted(read, key=lambda effect: effect.sort_order))


def outcome(effects: Sequence[Effect]) -> dict[EffectKind, str | int]:
    """Return the final value of each kind of effect; the last effect of a kind wins.

    >>> outcome([Effect(EffectKind.SET_PROJECT, 0, 1), Effect(EffectKind.SET_PROJECT, 1, 2)])
    {<EffectKind.SET_PROJECT: 'SET_PROJECT'>: 2}
    """
    return {effect.kind: effect.value for effect in effects}


def _value_problem(kind: str, key: str, value: object) -> str | None:
    if key == VALUE_KEY[EffectKind.SET_CURRENCY]:
        return (
            currency_problem(value) if isinstance(value, str) else f"{kind} needs {key}, a code such as EUR."
        )
    if type(value) is int and 0 < value <= MAX_ID:
        return None
    return f"{kind} needs {key}, an integer above zero."


def _read(effect: Mapping[str, object], place: int) -> Effect:
    kind = EffectKind(str(effect["kind"]))
    value = effect[VALUE_KEY[kind]] if kind in VALUE_KEY else ""
    order = effect.get("sortOrder", place)
    return Effect(
        kind,
        order if isinstance(order, int) else place,
        canonical(str(value)) if kind is EffectKind.SET_CURRENCY else value if isinstance(value, int) else "",
    )
