"""What an act on lines and entries answers: the ids that it touched, and of several acts one result each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Self

from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError
from webapp.ledger.references import Kind, refs
from webapp.queries.transactions.doubts import Doubt
from webapp.queries.transactions.transactions import PendingChange
from webapp.services.audit.act import Act
from webapp.services.audit.action_requests import RECORDED_REFUSALS, count_untold, record, untold

FORBIDDEN: Final = 403


@dataclass(frozen=True, slots=True)
class TouchedIds:
    """The ids that an act touched, under the interface's four names."""

    journal_entry_ids: Sequence[int] = ()
    document_relation_ids: Sequence[int] = ()
    deleted_journal_entry_ids: Sequence[int] = ()
    voided_journal_entry_ids: Sequence[int] = ()

    def as_json(self) -> dict[str, object]:
        """Give the ids as the audit trail stores them."""
        return {
            "journalEntryIds": refs(Kind.JOURNAL_ENTRY, self.journal_entry_ids),
            "documentRelationIds": refs(Kind.DOCUMENT_RELATION, self.document_relation_ids),
            "deletedJournalEntryIds": refs(Kind.JOURNAL_ENTRY, self.deleted_journal_entry_ids),
            "voidedJournalEntryIds": refs(Kind.JOURNAL_ENTRY, self.voided_journal_entry_ids),
        }

    def joined(self, other: Self) -> Self:
        """Give these ids and those of another."""
        return type(self)(*([*getattr(self, each.name), *getattr(other, each.name)] for each in fields(self)))

    @classmethod
    def from_json(cls, stored: Mapping[str, Sequence[int]]) -> Self:
        """Read the ids that an earlier act stored."""
        return cls(
            stored.get("journalEntryIds", ()),
            stored.get("documentRelationIds", ()),
            stored.get("deletedJournalEntryIds", ()),
            stored.get("voidedJournalEntryIds", ()),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionResult:
    """The interface's action request result; without an `action_request_id` nothing was recorded.

    `title` says in words what was done; the interface's own result has no place for it, those of bulk acts have.
    """

    action_request_id: str | None
    changed: bool
    status: str = "EXECUTED"
    result: TouchedIds = TouchedIds()
    error: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WarnedResult(ActionResult):
    """The result of an act that was done, with what to look at once more, in sentences and by their codes."""

    warnings: Sequence[str]
    warning_codes: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemResult(ActionResult):
    """The result of one item of a bulk act; `path` is its place in the request, where that has several lists.

    `pending_change` is what confirming a line would give it, where it was changed and is posted.
    """

    id: int
    path: str = ""
    pending_change: PendingChange | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WarnedItem(ItemResult):
    """The result of an item that was done, with what to look at once more, in sentences and by their codes."""

    warnings: Sequence[str]
    warning_codes: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedItem(ItemResult):
    """The result of an item that a rule refused, with the error's code."""

    code: str


def attempt(item_id: int, do: Callable[[], ActionResult]) -> ItemResult:
    """Do one act of several in a savepoint of its own; one that a rule refuses is recorded as FAILED.

    Raises CapReachedError: what the key may not do is refused, or proposed, as a whole.
    """
    before = count_untold()
    try:
        with db.session.begin_nested():
            done = do()
    except LedgerError as error:
        untold(before)
        if error.status == FORBIDDEN:
            raise
        refused: Act | None = getattr(error, "act", None)
        if error.status not in RECORDED_REFUSALS:
            refused = None
        if refused is not None:
            refused.before = None
            record(refused, "FAILED", error=str(error))
        return FailedItem(
            id=item_id,
            action_request_id=refused.id if refused else None,
            changed=False,
            status="FAILED",
            error=str(error),
            code=error.code,
        )
    item = {**facts_of(done), "id": item_id}
    warned = untold(before)
    if isinstance(done, WarnedResult):
        warned = [*zip(done.warning_codes, done.warnings, strict=True), *warned]
    if not warned:
        return ItemResult(**item)
    codes, sentences = zip(*warned, strict=True)
    return WarnedItem(**item, warnings=sentences, warning_codes=codes)


def warned(done: ActionResult, doubtful: Sequence[Doubt]) -> ActionResult:
    """Give a result with what to look at once more, if anything."""
    if not doubtful:
        return done
    kind = WarnedItem if isinstance(done, ItemResult) else WarnedResult
    facts = {
        "warnings": (),
        "warning_codes": (),
        **{each.name: getattr(done, each.name) for each in fields(done)},
    }
    facts["warnings"] = [*facts["warnings"], *(each.sentence for each in doubtful)]
    facts["warning_codes"] = [*facts["warning_codes"], *(each.code for each in doubtful)]
    return kind(**facts)


def facts_of(done: ActionResult) -> dict[str, Any]:
    """Give what every result has of one, to make another kind of it."""
    return {each.name: getattr(done, each.name) for each in fields(ActionResult)}
