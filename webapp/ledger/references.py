"""Typed references: the id of a row with its kind."""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, Final, Self

from webapp.ledger.canonical import canonical_json, sha256_hex


class Kind(StrEnum):
    """The kind of a referenced row, in the word of the audit trail."""

    ACCOUNT = "account"
    FEED_ACCOUNT = "feed_account"
    TRANSACTION = "transaction"
    JOURNAL_ENTRY = "journal_entry"
    MERCHANT = "merchant"
    PROJECT = "project"
    PROJECT_GROUP = "project_group"
    IMPORT = "import"
    INBOX_FILE = "inbox_file"
    RULE = "rule"
    RULE_RUN = "rule_run"
    RECONCILIATION = "reconciliation"
    DOCUMENT = "document"
    DOCUMENT_RELATION = "document_relation"
    POSTING = "posting"
    SETTLEMENT = "settlement"
    SCHEDULE = "schedule"
    TAX_CODE = "tax_code"
    TAX_RETURN = "tax_return"
    BALANCE_NOTE = "balance_note"
    LOCK_EXCEPTION = "lock_exception"
    OWNER = "owner"
    OWN_STEP = "own_step"
    CLOSE = "close"

    @property
    def address(self) -> str | None:
        """The address of the interface that lists such rows, if any."""
        return _LISTED.get(self)

    @classmethod
    def at(cls, address: str) -> Self | None:
        """Return the kinds that an address of the interface lists.

        >>> Kind.at("/api/transactions"), Kind.at("/api/me")
        (<Kind.TRANSACTION: 'transaction'>, None)
        """
        return next((kind for kind in cls if kind.address == address), None)

    @property
    def table(self) -> str:
        """The table of its rows."""
        return "journal_entries" if self is Kind.JOURNAL_ENTRY else f"{self}s"


_LISTED: Final[Mapping[Kind, str]] = {
    Kind.ACCOUNT: "/api/accounts",
    Kind.FEED_ACCOUNT: "/api/feeds/accounts",
    Kind.TRANSACTION: "/api/transactions",
    Kind.JOURNAL_ENTRY: "/api/journal-entries",
    Kind.MERCHANT: "/api/merchants",
    Kind.PROJECT: "/api/projects",
    Kind.PROJECT_GROUP: "/api/projects/groups",
    Kind.IMPORT: "/api/feeds/imports",
    Kind.INBOX_FILE: "/api/inbox",
    Kind.RULE: "/api/automations/rules",
    Kind.RULE_RUN: "/api/automations/runs",
    Kind.RECONCILIATION: "/api/reconciliations",
    Kind.DOCUMENT: "/api/documents",
    Kind.SETTLEMENT: "/api/settlements",
    Kind.SCHEDULE: "/api/schedules",
    Kind.TAX_CODE: "/api/tax/codes",
    Kind.TAX_RETURN: "/api/tax/returns",
}


class Ref(int):
    """The id of a row with its kind. It works as a number, and is a number in JSON; another kind of row is not equal.

    >>> import json
    >>> ref = Ref(Kind.ACCOUNT, 7)
    >>> ref == 7, ref.kind, json.dumps({"accountId": ref})
    (True, <Kind.ACCOUNT: 'account'>, '{"accountId": 7}')
    >>> ref == Ref(Kind.RULE, 7), ref != Ref(Kind.RULE, 7), len({ref, Ref(Kind.RULE, 7), Ref(Kind.ACCOUNT, 7)})
    (False, True, 2)
    """

    kind: Kind

    def __new__(cls, kind: Kind, row_id: int) -> Self:
        """Make a reference to a row."""
        made = super().__new__(cls, row_id)
        made.kind = kind
        return made

    def __eq__(self, other: object) -> bool:
        is_other_kind = isinstance(other, Ref) and other.kind is not self.kind
        return not is_other_kind and super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = int.__hash__

    def __getnewargs__(self) -> tuple[Kind, int]:  # type: ignore[override]
        return self.kind, int(self)

    @classmethod
    def optional(cls, kind: Kind, row_id: int | None) -> Self | None:
        """Make a reference to a row, or None."""
        return None if row_id is None else cls(kind, row_id)


class ReferringDigest(str):
    """The SHA-256 of a JSON value with references, in hex; written as text in JSON.

    It keeps the value, to compute the digest again when names replace the ids of new rows.
    """

    __slots__ = ("value",)
    value: Any

    def __new__(cls, value: Any) -> Self:
        """Compute the digest of a value."""
        made = super().__new__(cls, sha256_hex(canonical_json(value)))
        made.value = value
        return made

    def __getnewargs__(self) -> tuple[Any]:
        return (self.value,)


def refs(kind: Kind, ids: Iterable[int]) -> list[Ref]:
    """Make references to rows of one kind."""
    return [Ref(kind, each) for each in ids]


def references(value: Any) -> Iterator[Ref]:
    """Walk the references in a JSON value.

    >>> sorted(references({"of": Ref(Kind.RULE, 2), "count": 5, "all": [Ref(Kind.RULE, 1)]}))
    [1, 2]
    """
    if isinstance(value, Ref):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from references(inner)
