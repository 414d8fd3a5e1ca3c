"""Target and trigger of a rule: what it acts on and when it runs by itself; each implies something about the other."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final, NamedTuple, TypeVar

from webapp.ledger.errors import UnprocessableError


class Target(StrEnum):
    """What a rule acts on."""

    RECEIPT = "RECEIPT"
    TRANSACTION = "TRANSACTION"


class Trigger(StrEnum):
    """When a rule runs by itself; MANUAL_APPLY never does, MANUAL_PREVIEW never writes."""

    RECEIPT_PARSED = "RECEIPT_PARSED"
    TRANSACTION_INGESTED = "TRANSACTION_INGESTED"
    TRANSACTION_UPDATED = "TRANSACTION_UPDATED"
    MANUAL_PREVIEW = "MANUAL_PREVIEW"
    MANUAL_APPLY = "MANUAL_APPLY"


# Their names for people.
NAMES: Final[Mapping[str, str]] = {
    Target.TRANSACTION: "bank lines",
    Target.RECEIPT: "receipts",
    Trigger.TRANSACTION_INGESTED: "when a line comes in",
    Trigger.TRANSACTION_UPDATED: "when the bank changes a line",
    Trigger.RECEIPT_PARSED: "when a receipt is read",
    Trigger.MANUAL_APPLY: "only by hand",
    Trigger.MANUAL_PREVIEW: "never, only previewed",
}


class UnknownValueError(UnprocessableError):
    """The field does not take this word."""

    code = "validation"


class AmbiguousFieldError(UnprocessableError):
    """Two unknown fields contradict each other; keep one of them."""

    code = "ambiguous_field"


class TargetAndTrigger(NamedTuple):
    """A rule's target and trigger, and the paths of its input that nothing used, in input order."""

    target: Target
    trigger: Trigger
    ignored: list[str]


RULE_KEYS: Final = frozenset(
    {"name", "description", "conditions", "effects", "priority", "stopProcessing", "target", "trigger"}
)
CONDITIONS_KEYS: Final = frozenset({"match", "conditions"})
CONDITION_KEYS: Final = frozenset({"field", "operator", "value"})
# One set for all kinds: a key that its own kind does not know is for the effect's check to name.
EFFECT_KEYS: Final = frozenset({"kind", "sortOrder", "currency", "accountId", "orgMerchantId", "projectId"})

_TARGET_OF: Final = {
    Trigger.RECEIPT_PARSED: Target.RECEIPT,
    Trigger.TRANSACTION_INGESTED: Target.TRANSACTION,
    Trigger.TRANSACTION_UPDATED: Target.TRANSACTION,
}
_TRIGGER_OF: Final = {
    Target.RECEIPT: Trigger.RECEIPT_PARSED,
    Target.TRANSACTION: Trigger.TRANSACTION_INGESTED,
}

Code = TypeVar("Code", Target, Trigger)


def bind_target_and_trigger(payload: Mapping[str, object]) -> TargetAndTrigger:
    """Read target and trigger out of a rule's input, also where unknown top-level keys have their codes as values.

    The interface document withholds the names of the two fields, so a client that knows only it writes
    their codes under names of its own. The canonical key wins; then unknown keys must agree.
    Raises AmbiguousFieldError, or UnknownValueError for a canonical key's other value.

    >>> bind_target_and_trigger({"name": "n", "appliesTo": "RECEIPT", "color": "red"})
    TargetAndTrigger(target=<Target.RECEIPT: 'RECEIPT'>, trigger=<Trigger.RECEIPT_PARSED: 'RECEIPT_PARSED'>, \
ignored=['color'])
    """
    target, target_keys = _code("target", Target, payload)
    trigger, trigger_keys = _code("trigger", Trigger, payload)
    used = RULE_KEYS | target_keys | trigger_keys
    ignored = [key for key in payload if key not in used]
    return TargetAndTrigger(*completed(target, trigger), [*ignored, *_nested_ignored(payload)])


def completed(target: Target | None, trigger: Trigger | None) -> tuple[Target, Trigger]:
    """Complete target and trigger, each from the other; both of them stay as they were sent, whatever they are.

    >>> [code.value for code in completed(None, Trigger.RECEIPT_PARSED)]
    ['RECEIPT', 'RECEIPT_PARSED']
    >>> [code.value for code in completed(None, Trigger.MANUAL_APPLY)]
    ['TRANSACTION', 'MANUAL_APPLY']
    >>> [code.value for code in completed(Target.RECEIPT, Trigger.TRANSACTION_UPDATED)]
    ['RECEIPT', 'TRANSACTION_UPDATED']
    """
    implied = _TARGET_OF.get(trigger) if trigger else None
    found = target or implied or Target.TRANSACTION
    return found, trigger or _TRIGGER_OF[found]


def target_of(trigger: str) -> Target:
    """Return what a rule acts on that runs by itself on a trigger."""
    return _TARGET_OF[Trigger(trigger)]


def never_runs(target: str, trigger: str) -> str | None:
    """Say that a rule runs by hand only, because its trigger never meets what it acts on; None of any other.

    >>> never_runs("RECEIPT", "TRANSACTION_INGESTED")
    'This rule runs only by hand: TRANSACTION_INGESTED never meets a RECEIPT.'
    >>> never_runs("RECEIPT", "MANUAL_APPLY") is never_runs("RECEIPT", "RECEIPT_PARSED") is None
    True
    """
    if _TARGET_OF.get(Trigger(trigger), target) == target:
        return None
    return f"This rule runs only by hand: {trigger} never meets a {target}."


def is_narrowed(ignored: Iterable[str]) -> bool:
    """Return whether an ignored path is part of the conditions, so that the rule matches more than was meant.

    >>> is_narrowed(["color", "effects.0.note"]), is_narrowed(["conditions.conditions.0.caseSensitive"])
    (False, True)
    """
    return any(path.startswith("conditions.") for path in ignored)


def unread_names(ignored: Iterable[str]) -> list[str]:
    """Return the ignored keys of the rule itself; its conditions may be among them under a wrong name.

    >>> unread_names(["condition", "effects.0.note"])
    ['condition']
    """
    return [path for path in ignored if "." not in path]


def _code(name: str, codes: type[Code], payload: Mapping[str, object]) -> tuple[Code | None, frozenset[str]]:
    """Find a field's code and the unknown keys that have it as a value."""
    if name in payload:
        return _canonical_code(name, codes, payload[name]), frozenset()
    found = {
        key: codes(value)
        for key, value in payload.items()
        if key not in RULE_KEYS and isinstance(value, str) and value in set(codes)
    }
    if len(set(found.values())) > 1:
        keys = " and ".join(sorted(found))
        raise AmbiguousFieldError(
            f"{keys} contradict each other about the {name}; keep one, or use {name} itself.",
            fields={key: [f"This is read as the {name}, and another field contradicts it."] for key in found},
        )
    return next(iter(found.values()), None), frozenset(found)


def _canonical_code(name: str, codes: type[Code], value: object) -> Code:
    if isinstance(value, str) and value in set(codes):
        return codes(value)
    message = f"The {name} is one of {', '.join(codes)}."
    raise UnknownValueError(message, fields={name: [message]})


def _nested_ignored(payload: Mapping[str, object]) -> list[str]:
    conditions = payload.get("conditions")
    paths = _unknown(conditions, CONDITIONS_KEYS, "conditions")
    if isinstance(conditions, Mapping):
        paths += _unknown_in_each(conditions.get("conditions"), CONDITION_KEYS, "conditions.conditions")
    return paths + _unknown_in_each(payload.get("effects"), EFFECT_KEYS, "effects")


def _unknown_in_each(records: object, known_keys: frozenset[str], path: str) -> list[str]:
    each = records if isinstance(records, list) else []
    return [
        found
        for index, record in enumerate(each)
        for found in _unknown(record, known_keys, f"{path}.{index}")
    ]


def _unknown(record: object, known_keys: frozenset[str], path: str) -> list[str]:
    keys = record if isinstance(record, Mapping) else {}
    return [f"{path}.{key}" for key in keys if key not in known_keys]
