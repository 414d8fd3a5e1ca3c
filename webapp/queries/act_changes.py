"""What acts changed, for a person to read: each field as it was and as it is, with names instead of ids."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.models import Account, ActionRequest, Merchant, Project, ProjectGroup
from webapp.queries import lookups

# Which ids a person knows by another name.
NAMED: Mapping[str, Any] = {
    "accountId": Account,
    "parentId": Account,
    "orgMerchantId": Merchant,
    "projectId": Project,
    "groupId": ProjectGroup,
}
# What a person calls a field whose key says it in another way.
SPOKEN: Mapping[str, str] = {
    "externalId": "account number",
    "inScope": "in scope",
    "institutionName": "bank",
    "institutionUrl": "address of the bank",
    "isActive": "active",
    "isArchived": "archived",
    "isWatched": "watched",
    "mask": "end of the number",
    "requiresCounterparty": "merchant required",
    "splitsBatches": "batches split",
    "stopProcessing": "stops later rules",
}
Names = Mapping[tuple[str, int], str]


@dataclass(frozen=True, slots=True)
class Change:
    """One field of what an act was about, as lines of text; nothing where it did not say."""

    field: str
    before: list[str]
    after: list[str]


def of(organization_id: str, requests: Sequence[ActionRequest]) -> dict[str, list[Change]]:
    """Give what each act changed, by its id; fields that stayed as they were are left out."""
    names = _names(organization_id, requests)
    return {each.id: list(_changes(each.before or {}, each.after or {}, names)) for each in requests}


def _changes(before: Mapping[str, Any], after: Mapping[str, Any], names: Names) -> Iterator[Change]:
    for key in dict.fromkeys((*before, *after)):
        if before.get(key) != after.get(key):
            yield Change(words(key), _lines(key, before.get(key), names), _lines(key, after.get(key), names))


def words(key: str) -> str:
    """Write a JSON key as words.

    >>> words("lockDate"), words("orgMerchantId"), words("isArchived"), words("sha256")
    ('lock date', 'merchant', 'archived', 'sha256')
    """
    if key in SPOKEN:
        return SPOKEN[key]
    plain = key.removeprefix("org").removesuffix("Id") if key in NAMED else key
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in plain).strip()


def _lines(key: str, value: Any, names: Names) -> list[str]:
    """Write a value, one line for each thing that a list holds."""
    if value is None:
        return []
    if isinstance(value, list):
        return [_text(key, each, names) for each in value]
    return [_text(key, value, names)]


def _text(key: str, value: Any, names: Names) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        told = [
            _text(inner, each, names) if inner in NAMED or isinstance(each, str) else f"{words(inner)} {each}"
            for inner, each in value.items()
            if each is not None
        ]
        return " · ".join(told)
    return names.get((key, value), str(value)) if isinstance(value, int) else str(value)


def _names(organization_id: str, requests: Sequence[ActionRequest]) -> dict[tuple[str, int], str]:
    """Look the names up that ids stand for, one question for each kind."""
    wanted: dict[str, set[int]] = defaultdict(set)
    for each in requests:
        for key, value in (*_ids(each.before), *_ids(each.after)):
            wanted[key].add(value)
    return {
        (key, row.id): row.name
        for key, ids in wanted.items()
        for row in lookups.by_id(NAMED[key], organization_id, ids).values()
    }


def _ids(value: Any, key: str = "") -> Iterator[tuple[str, int]]:
    if isinstance(value, Mapping):
        for inner, each in value.items():
            yield from _ids(each, inner)
    elif isinstance(value, list):
        for each in value:
            yield from _ids(each, key)
    elif key in NAMED and isinstance(value, int):
        yield key, value
