"""The field changes of acts for people: each field before and after, with names instead of ids."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, NamedTuple

from webapp.ledger.notation.amounts import MINUS
from webapp.ledger.rules import triggers
from webapp.ledger.rules.conditions import Condition, Operator, condition_problem
from webapp.ledger.rules.effects import effect_problem
from webapp.ledger.rules.fields import ID_FIELDS, Field
from webapp.ledger.scopes import RIGHTS
from webapp.ledger.texts.words import Words
from webapp.ledger.titles import file_size
from webapp.models import (
    Account,
    ActionRequest,
    Document,
    FeedAccount,
    JournalEntry,
    Merchant,
    OwedItem,
    Project,
    ProjectGroup,
    TaxCode,
    Transaction,
)
from webapp.queries.common import lookups


def entry_label(entry: JournalEntry) -> str:
    """Name an entry by its number and its text."""
    return f"entry {entry.id} “{entry.description}”" if entry.description else f"entry {entry.id}"


# The ids that are shown by a name.
NAMED: Final[Mapping[str, tuple[Any, Callable[[Any], str]]]] = {
    "accountId": (Account, lambda row: row.name),
    "parentId": (Account, lambda row: row.name),
    "orgMerchantId": (Merchant, lambda row: row.name),
    "mergedIntoId": (Merchant, lambda row: row.name),
    "mergedThroughId": (Merchant, lambda row: row.name),
    "projectId": (Project, lambda row: row.name),
    "groupId": (ProjectGroup, lambda row: row.name),
    "faId": (FeedAccount, lambda row: row.name),
    "documentId": (Document, lambda row: row.label),
    "transactionId": (Transaction, lambda row: Words(row.label)),
    "journalEntryId": (JournalEntry, lambda row: Words(entry_label(row))),
    "taxCodeId": (TaxCode, lambda row: row.code),
    "itemId": (OwedItem, lambda row: row.name),
}
# Lists of ids whose key is not the plural of an id's key.
LISTS: Final = {"cleared": "transactionId", "clearedEntries": "journalEntryId"}
# Keys that link records and mean nothing to people.
HIDDEN: Final = frozenset(
    {
        "digest",
        "draftId",
        "entries",
        "firstMonths",
        "key",
        "linesDigest",
        "mirroredJournalEntryIds",
        "movedJournalEntryIds",
        "reconciliationIds",
        "relationId",
        "reopenedIds",
        "runId",
        "settlementIds",
        "sha256",
        "sortOrder",
        "voidedById",
    }
)
# The labels of fields whose key is not its label.
LABELS: Final[Mapping[str, str]] = {
    "cleared": "ticked",
    "clearedCount": "number of ticks",
    "clearedEntries": "ticked entries",
    "externalId": "account number",
    "inScope": "in scope",
    "institutionName": "bank",
    "institutionUrl": "address of the bank",
    "isActive": "active",
    "isArchived": "archived",
    "isRevalued": "revalued",
    "isWatched": "watched",
    "journalEntryIds": "entries",
    "mask": "end of the number",
    "mergedIntoId": "merged into",
    "mergedThroughId": "together with",
    "orgMerchantId": "customer or supplier",
    "prefix": "begins with",
    "projectIds": "projects",
    "requiresCounterparty": "customer or supplier required",
    "scopes": "rights",
    "splitsBatches": "batches split",
    "stopProcessing": "stops later rules",
    "transactionId": "bank line",
    "transactionIds": "bank lines",
    "uncleared": "unticked",
    "unclearedEntries": "unticked entries",
    **triggers.NAMES,
}
SHORT: Final = "short"
# The endings of the keys of days.
DAYS: Final = ("Date", "On", "effectiveAt", "day", "taxPoint")
CODE: Final = re.compile("[A-Z][A-Z_]+")
# The keys whose values are codes.
OF_CODES: Final = frozenset(
    {
        "accountType",
        "amountIs",
        "basis",
        "documentType",
        "entryStatus",
        "every",
        "frequency",
        "kind",
        "lineStatus",
        "side",
        "status",
        "target",
        "trigger",
        "type",
    }
)
# The keys of amounts and rates.
OF_FIGURES: Final = re.compile("(?i)amount|balance|net$|rate$|tax$|total$|^units")
Names = Mapping[tuple[str, int], str]


class RulePart(NamedTuple):
    """A condition or an effect of a rule with the names of its ids."""

    part: Condition | Mapping[str, Any]
    names: Names


# The pieces of a line of text, in order; a plain one is a text of a person or a bank.
Line = tuple[str | RulePart, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one field by an act, as lines; empty where there is no value."""

    field: str
    before: list[Line]
    after: list[Line]


def of(organization_id: str, requests: Sequence[ActionRequest]) -> dict[str, list[Change]]:
    """Give the field changes of each act, by its id; unchanged fields are left out."""
    names = _names(organization_id, requests)
    return {each.id: list(_changes(each.before or {}, each.after or {}, names)) for each in requests}


def _changes(before: Mapping[str, Any], after: Mapping[str, Any], names: Names) -> Iterator[Change]:
    for key in dict.fromkeys((*before, *after)):
        if key == SHORT and any(
            isinstance((side.get(key) or {}).get("splits"), list) for side in (before, after)
        ):
            # As it is stored, in minor units; the title of the act has it in words.
            continue
        was, is_now = _lines(key, before.get(key), names), _lines(key, after.get(key), names)
        if key not in HIDDEN and was != is_now:
            yield Change(label(key), was, is_now)


def label(key: str) -> str:
    """Give the label of a JSON key or a code.

    >>> label("lockDate"), label("orgMerchantId"), label("isArchived"), label("ALREADY_THERE"), label("scopes")
    ('lock date', 'customer or supplier', 'archived', 'already there', 'rights')
    """
    if key in LABELS:
        return LABELS[key]
    if CODE.fullmatch(key):
        return key.replace("_", " ").lower()
    plain = key.removeprefix("org").removesuffix("Id") if key in NAMED else key
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in plain).strip()


def _kind_of(key: str) -> str:
    """Give the key of one id for a key of ids."""
    return LISTS.get(key) or (key.removesuffix("s") if key.endswith("Ids") else key)


def _lines(key: str, value: Any, names: Names) -> list[Line]:
    """Format a value, one line for each item of a list."""
    if value is None or value in ("", [], {}):
        return []
    if isinstance(value, Mapping) and "match" in value:
        conditions = [_line(key, each, names) for each in value["conditions"]]
        is_any = value["match"] == "ANY" and len(conditions) > 1
        return [(Words("one of"),), *conditions] if is_any else conditions or [(Words("everything"),)]
    if isinstance(value, list):
        return [_line(key, each, names) for each in value]
    line = _line(key, value, names)
    return [line] if line else []


def _line(key: str, value: Any, names: Names) -> Line:
    if isinstance(value, Mapping):
        part = _part(value)
        return (RulePart(part, names),) if part else _object(value, names)
    if isinstance(value, bool):
        return (Words("yes") if value else Words("no"),)
    if isinstance(value, int) and key == "fileSize":
        return (Words(file_size(value)),)
    if isinstance(value, int):
        return (names.get((_kind_of(key), value), str(value)),)
    return (_text(key, str(value)),)


def _text(key: str, value: str) -> str:
    if value.startswith("new-"):
        return Words("a new one")
    if key.endswith(DAYS) and len(value) == len("2026-03-31"):
        return Words(f"{date.fromisoformat(value):%-d %b %Y}")
    if key == "scopes":
        return RIGHTS.get(value, value)
    if key in OF_CODES:
        return Words(label(value) if key in {"target", "trigger"} else value.replace("_", " ").lower())
    return Words(value.replace("-", MINUS)) if OF_FIGURES.search(key) else value


def _part(value: Mapping[str, Any]) -> Condition | Mapping[str, Any] | None:
    """Read a condition or an effect of a rule; what a call says may only look like one."""
    if value.get("field") in Field.__members__ and value.get("operator") in Operator.__members__:
        condition = Condition(Field(value["field"]), Operator(value["operator"]), value.get("value", ""))
        return None if condition_problem(condition, triggers.Target.RECEIPT) else condition
    return value if "kind" in value and not effect_problem(value) else None


def _object(fields: Mapping[str, Any], names: Names) -> Line:
    """Format an object, each field by its name or with its label."""
    pieces: list[str | RulePart] = []
    for key, value in fields.items():
        # The boxes of a posting are stored in minor units.
        if key in HIDDEN or key == "boxes" or value is None or value == []:
            continue
        pieces += [" · "] if pieces else []
        pieces += [] if _kind_of(key) in NAMED or isinstance(value, str) else [Words(label(key)), " "]
        for place, line in enumerate(_lines(key, value, names)):
            pieces += [", ", *line] if place else line
    return tuple(pieces)


def _names(organization_id: str, requests: Sequence[ActionRequest]) -> dict[tuple[str, int], str]:
    """Look up the names of ids, one statement for each kind."""
    ids_of: dict[str, set[int]] = defaultdict(set)
    for each in requests:
        for kind, value in (*_ids(each.before), *_ids(each.after)):
            ids_of[kind].add(value)
    found = {}
    for kind, ids in ids_of.items():
        model, name_of = NAMED[kind]
        for row in lookups.by_id(model, organization_id, ids).values():
            found[kind, row.id] = name_of(row)
    return found


def _ids(value: Any, key: str = "") -> Iterator[tuple[str, int]]:
    if isinstance(value, Mapping):
        key_of_ids = ID_FIELDS.get(value.get("field", ""))
        if key_of_ids:
            yield from (
                (key_of_ids, int(each)) for each in value["value"].split(",") if each.strip().isdecimal()
            )
        for inner, each in value.items():
            yield from _ids(each, inner)
    elif isinstance(value, list):
        for each in value:
            yield from _ids(each, key)
    elif _kind_of(key) in NAMED and isinstance(value, int) and not isinstance(value, bool):
        yield _kind_of(key), value
