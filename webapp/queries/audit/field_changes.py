"""What acts changed, for a person to read: each field as it was and as it is, with names instead of ids."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from webapp.ledger.rules import triggers
from webapp.models import (
    Account,
    ActionRequest,
    Document,
    FeedAccount,
    JournalEntry,
    Merchant,
    Project,
    ProjectGroup,
    Transaction,
)
from webapp.queries.common import lookups
from webapp.queries.rules.names import ID_FIELDS

# Which ids a person knows by another name, and what that is.
NAMED: Final[Mapping[str, tuple[Any, Callable[[Any], str]]]] = {
    "accountId": (Account, lambda row: row.name),
    "parentId": (Account, lambda row: row.name),
    "orgMerchantId": (Merchant, lambda row: row.name),
    "projectId": (Project, lambda row: row.name),
    "groupId": (ProjectGroup, lambda row: row.name),
    "faId": (FeedAccount, lambda row: row.name),
    "documentId": (Document, lambda row: row.label),
    "transactionId": (Transaction, lambda row: row.label),
    "journalEntryId": (JournalEntry, lambda row: f"entry {row.id} {row.description}".rstrip()),
}
# Lists of ids whose key says another thing than what is in them.
LISTS: Final = {"cleared": "transactionId", "clearedEntries": "journalEntryId"}
# What ties records together, and says nothing to a person who looks at them.
UNSAID: Final = frozenset(
    {
        "digest",
        "draftId",
        "entries",
        "key",
        "linesDigest",
        "mirroredJournalEntryIds",
        "movedJournalEntryIds",
        "reconciliationIds",
        "relationId",
        "reopenedIds",
        "runId",
        "sha256",
        "sortOrder",
        "voidedById",
    }
)
# What a person calls a field whose key says it in another way.
SPOKEN: Final[Mapping[str, str]] = {
    "clearedEntries": "cleared entries",
    "externalId": "account number",
    "inScope": "in scope",
    "institutionName": "bank",
    "institutionUrl": "address of the bank",
    "isActive": "active",
    "isArchived": "archived",
    "isWatched": "watched",
    "journalEntryIds": "entries",
    "mask": "end of the number",
    "projectIds": "projects",
    "requiresCounterparty": "merchant required",
    "splitsBatches": "batches split",
    "stopProcessing": "stops later rules",
    "transactionId": "bank line",
    "transactionIds": "bank lines",
    **triggers.NAMES,
}
# What keys of days end in.
DAYS: Final = ("Date", "On", "effectiveAt", "day")
WORD: Final = re.compile("[A-Z][A-Z_]+")
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
        was, is_now = _lines(key, before.get(key), names), _lines(key, after.get(key), names)
        if key not in UNSAID and was != is_now:
            yield Change(words(key), was, is_now)


def words(key: str) -> str:
    """Write a JSON key as words.

    >>> words("lockDate"), words("orgMerchantId"), words("isArchived"), words("ALREADY_THERE")
    ('lock date', 'merchant', 'archived', 'already there')
    """
    if key in SPOKEN:
        return SPOKEN[key]
    if WORD.fullmatch(key):
        return key.replace("_", " ").lower()
    plain = key.removeprefix("org").removesuffix("Id") if key in NAMED else key
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in plain).strip()


def _kind_of(key: str) -> str:
    """Tell what the ids under a key are of, by the key of one such id."""
    return LISTS.get(key) or (key.removesuffix("s") if key.endswith("Ids") else key)


def _lines(key: str, value: Any, names: Names) -> list[str]:
    """Write a value, one line for each thing that a list holds."""
    if value is None or value in ("", [], {}):
        return []
    if isinstance(value, Mapping) and "match" in value:
        said = [_text(key, each, names) for each in value["conditions"]]
        return ["one of", *said] if value["match"] == "ANY" and len(said) > 1 else said or ["everything"]
    if isinstance(value, list):
        return [_text(key, each, names) for each in value]
    text = _text(key, value, names)
    return [text] if text else []


def _text(key: str, value: Any, names: Names) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return _condition(value, names) if "operator" in value else _parts(value, names)
    if isinstance(value, int):
        return names.get((_kind_of(key), value), str(value))
    if isinstance(value, str) and value.startswith("new-"):
        return "a new one"
    if isinstance(value, str) and key.endswith(DAYS) and len(value) == len("2026-03-31"):
        return f"{date.fromisoformat(value):%-d %b %Y}"
    return words(value) if isinstance(value, str) and key in ("kind", "target", "trigger") else str(value)


def _condition(said: Mapping[str, Any], names: Names) -> str:
    """Write a condition of a rule, with the names of what it asks for by id."""
    key = ID_FIELDS.get(said["field"])
    ids = [each.strip() for each in said["value"].split(",")] if key else []
    value = ", ".join(names.get((key or "", int(each) if each.isdecimal() else 0), each) for each in ids)
    return f"{words(said['field'])} {words(said['operator'])} {value or said['value']}".rstrip()


def _parts(said: Mapping[str, Any], names: Names) -> str:
    """Write what an object holds, each part by its name or by what it says of itself."""
    told = []
    for key, value in said.items():
        if key in UNSAID or value is None or value == []:
            continue
        plain = _kind_of(key) in NAMED or isinstance(value, str)
        text = ", ".join(_lines(key, value, names))
        told.append(text if plain else f"{words(key)} {text}")
    return " · ".join(told)


def _names(organization_id: str, requests: Sequence[ActionRequest]) -> dict[tuple[str, int], str]:
    """Look the names up that ids stand for, one question for each kind."""
    wanted: dict[str, set[int]] = defaultdict(set)
    for each in requests:
        for kind, value in (*_ids(each.before), *_ids(each.after)):
            wanted[kind].add(value)
    found = {}
    for kind, ids in wanted.items():
        model, name_of = NAMED[kind]
        for row in lookups.by_id(model, organization_id, ids).values():
            found[kind, row.id] = name_of(row)
    return found


def _ids(value: Any, key: str = "") -> Iterator[tuple[str, int]]:
    if isinstance(value, Mapping):
        asked = ID_FIELDS.get(value.get("field", ""))
        if asked:
            yield from ((asked, int(each)) for each in value["value"].split(",") if each.strip().isdecimal())
        for inner, each in value.items():
            yield from _ids(each, inner)
    elif isinstance(value, list):
        for each in value:
            yield from _ids(each, key)
    elif _kind_of(key) in NAMED and isinstance(value, int) and not isinstance(value, bool):
        yield _kind_of(key), value
