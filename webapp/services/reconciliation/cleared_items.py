"""The items that an open reconciliation draft clears against its statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger import titles
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.references import Kind, Ref, refs
from webapp.models import (
    FeedAccount,
    JournalEntry,
    Reconciliation,
    ReconciliationItem,
    Transaction,
    refers_to,
)
from webapp.queries.common import lookups
from webapp.queries.reconciliation import reconciliations
from webapp.queries.reconciliation.statement_items import IS_ENTRY, IS_LINE
from webapp.services.audit import titles as act_titles
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.results import ActionResult, ItemResult, attempt
from webapp.services.transactions import clearing
from webapp.services.transactions.states import require

Key = tuple[int, int]
MOST_AT_ONCE = 500


class NothingToClearError(UnprocessableError):
    """Send what to clear: cleared, uncleared, clearedEntries, unclearedEntries, or auto by itself."""

    code = "nothing_to_clear"


class ClearedAndUnclearedError(UnprocessableError):
    """An item is named as cleared and as uncleared; send it once."""

    code = "cleared_and_uncleared"


class TooManyItemsError(UnprocessableError):
    """One by one, at most 500 items are cleared and uncleared at once."""

    code = "too_many"


class AfterStatementError(UnprocessableError):
    """An item dated after the statement cannot be on it; tick it on a later one."""

    code = "after_statement"


class NoItemError(UnprocessableError):
    """That entry is not an item of this account; items are bank lines, and posted entries without one."""

    code = "no_item"


class ClearedBeforeError(LedgerError):
    """A proof contains this already; reopen that proof first."""

    code = "reconciled"


@dataclass(frozen=True, slots=True)
class ClearingChoice:
    """The items to clear and unclear: ids of lines and of entries, or with `auto` all confirmed ones."""

    cleared: Sequence[int] = ()
    uncleared: Sequence[int] = ()
    cleared_entries: Sequence[int] = ()
    uncleared_entries: Sequence[int] = ()
    auto: bool = False

    @property
    def has_ids(self) -> bool:
        """Return whether it has ids."""
        return bool(self.cleared or self.uncleared or self.cleared_entries or self.uncleared_entries)

    def alone(self) -> Iterator[tuple[str, int, ClearingChoice]]:
        """Give each id with its place in the body, as a choice of its own."""
        for index, each in enumerate(self.cleared):
            yield f"cleared.{index}", each, ClearingChoice(cleared=(each,))
        for index, each in enumerate(self.uncleared):
            yield f"uncleared.{index}", each, ClearingChoice(uncleared=(each,))
        for index, each in enumerate(self.cleared_entries):
            yield f"clearedEntries.{index}", each, ClearingChoice(cleared_entries=(each,))
        for index, each in enumerate(self.uncleared_entries):
            yield f"unclearedEntries.{index}", each, ClearingChoice(uncleared_entries=(each,))

    def paths(self) -> dict[Key, str]:
        """Give the place in the body of each id."""
        lists = [
            ("cleared", IS_LINE, self.cleared),
            ("uncleared", IS_LINE, self.uncleared),
            ("clearedEntries", IS_ENTRY, self.cleared_entries),
            ("unclearedEntries", IS_ENTRY, self.uncleared_entries),
        ]
        return {
            (kind, each): f"{name}.{index}" for name, kind, ids in lists for index, each in enumerate(ids)
        }


def put_items(
    account: FeedAccount, choice: ClearingChoice, *, actor: Actor, now: datetime, version: int | None = None
) -> ActionResult:
    """Clear and unclear items in the open draft, all or nothing; `auto` clears each confirmed one up to its day."""
    payload = {
        "cleared": refs(Kind.TRANSACTION, choice.cleared),
        "uncleared": refs(Kind.TRANSACTION, choice.uncleared),
        "clearedEntries": refs(Kind.JOURNAL_ENTRY, choice.cleared_entries),
        "unclearedEntries": refs(Kind.JOURNAL_ENTRY, choice.uncleared_entries),
        "auto": choice.auto,
    }
    target = ("feed_account", account.id)
    title = f"Changed the ticks of {account.name}"
    with act(actor, now, "clear_reconciliation_items", target, title=title, payload=payload) as doing:
        if choice.auto == choice.has_ids:
            raise NothingToClearError
        draft = clearing.require(account, version)
        doing.target_kind, doing.target_id = "reconciliation", str(draft.id)
        cleared, uncleared = (
            (_confirmed(account, draft), []) if choice.auto else _chosen(account, draft, choice)
        )
        doing.title = _title(draft, cleared, uncleared, account.name)
        if not cleared and not uncleared:
            doing.nothing_to_do()
            return ActionResult(action_request_id=None, changed=False)
        _insert(draft, cleared)
        _remove(draft, uncleared)
        clearing.advance(draft)
        doing.after = {"cleared": _ids(cleared), "uncleared": _ids(uncleared)}
    return ActionResult(action_request_id=doing.id, changed=True)


def _title(draft: Reconciliation, cleared: Sequence[Key], uncleared: Sequence[Key], name: str) -> str:
    some, others = (
        _name(draft.organization_id, keys[0]) if len(keys) == 1 else titles.counted(len(keys), "item")
        for keys in (cleared, uncleared)
    )
    title = f"Ticked {some}" if cleared else f"Unticked {others}"
    if cleared and uncleared:
        title += f" instead of {others}"
    return title + f" on the statement of {name} to {draft.statement_date:%-d %b %Y}"


def _name(organization_id: str, key: Key) -> str:
    kind, row_id = key
    if kind == IS_LINE:
        return lookups.get(Transaction, organization_id, row_id).label
    return act_titles.of_entry(lookups.get(JournalEntry, organization_id, row_id))


def bulk_put_items(
    account: FeedAccount, choice: ClearingChoice, *, actor: Actor, now: datetime, version: int | None = None
) -> list[ItemResult]:
    """Clear and unclear items by an act for each; a refused one stops no other.

    Each result has the place of its item in the lists as `path`, in the order of the lists.
    """
    clearing.require(account, version)
    if choice.auto or not choice.has_ids:
        raise NothingToClearError
    alone = list(choice.alone())
    if len(alone) > MOST_AT_ONCE:
        raise TooManyItemsError

    def put(one: ClearingChoice) -> ActionResult:
        return put_items(account, one, actor=actor, now=now)

    return [replace(attempt(each, partial(put, one)), path=path) for path, each, one in alone]


def clear_confirmed(account: FeedAccount, draft: Reconciliation) -> None:
    """Clear every confirmed item up to a draft's day, as part of an act."""
    _insert(draft, _confirmed(account, draft))


def _confirmed(account: FeedAccount, draft: Reconciliation) -> list[Key]:
    rows = reconciliations.open_lines(
        account, draft, is_cleared=False, is_confirmed=True, until=draft.statement_date
    )
    return [(row.kind, row.id) for row in rows]


def _chosen(
    account: FeedAccount, draft: Reconciliation, choice: ClearingChoice
) -> tuple[list[Key], list[Key]]:
    """Find which of the items change, or raise the error of one of them with its place in the body."""
    wanted = {(IS_LINE, each) for each in choice.cleared} | {
        (IS_ENTRY, each) for each in choice.cleared_entries
    }
    unwanted = {(IS_LINE, each) for each in choice.uncleared} | {
        (IS_ENTRY, each) for each in choice.uncleared_entries
    }
    if wanted & unwanted:
        raise ClearedAndUnclearedError
    rows = {
        (row.kind, row.id): row
        for row in reconciliations.open_lines(
            account,
            draft,
            transaction_ids=[*choice.cleared, *choice.uncleared],
            journal_entry_ids=[*choice.cleared_entries, *choice.uncleared_entries],
        )
    }
    for (kind, each), path in choice.paths().items():
        if (kind, each) not in rows:
            _refuse(account, kind, each, path)
        if (kind, each) in wanted and rows[kind, each].day > draft.statement_date:
            sentence = f"This is dated after the statement of {draft.statement_date:%-d %b %Y}."
            raise AfterStatementError(fields={path: [sentence]})
    return (
        sorted(key for key in wanted if not rows[key].is_cleared),
        sorted(key for key in unwanted if rows[key].is_cleared),
    )


def _refuse(account: FeedAccount, kind: int, each: int, path: str) -> None:
    """Raise why something is no open item of the account."""
    organization_id = account.organization_id
    if kind == IS_LINE:
        line = lookups.refer(Transaction, organization_id, each, path)
        if line.feed_account_id != account.id:
            sentence = "This line is of another account."
            raise NoItemError(f"{path}: {sentence}", fields={path: [sentence]})
        require(line, "BOOKED")
    else:
        lookups.refer(JournalEntry, organization_id, each, path)
        if not _is_proved(account, each):
            raise NoItemError(fields={path: ["This entry is not an item of the account."]})
    raise ClearedBeforeError


def _is_proved(account: FeedAccount, entry_id: int) -> bool:
    proved = sa.select(ReconciliationItem.id).where(
        refers_to(ReconciliationItem.feed_account_id, account),
        ReconciliationItem.journal_entry_id == entry_id,
        ReconciliationItem.is_standing,
    )
    return db.session.scalar(proved) is not None


def _insert(draft: Reconciliation, keys: Sequence[Key]) -> None:
    rows: list[dict[str, object]] = [
        {
            "organization_id": draft.organization_id,
            "reconciliation_id": draft.id,
            "feed_account_id": draft.feed_account_id,
            "transaction_id": each if kind == IS_LINE else None,
            "journal_entry_id": each if kind == IS_ENTRY else None,
            "is_standing": True,
        }
        for kind, each in keys
    ]
    if rows:
        db.session.execute(sa.insert(ReconciliationItem), rows)


def _remove(draft: Reconciliation, keys: Sequence[Key]) -> None:
    lines = [each for kind, each in keys if kind == IS_LINE]
    entries = [each for kind, each in keys if kind == IS_ENTRY]
    db.session.execute(
        sa.delete(ReconciliationItem).where(
            refers_to(ReconciliationItem.reconciliation_id, draft),
            sa.or_(
                ReconciliationItem.transaction_id.in_(lines), ReconciliationItem.journal_entry_id.in_(entries)
            ),
        )
    )


def _ids(keys: Sequence[Key]) -> dict[str, list[Ref]]:
    return {
        "transactionIds": [Ref(Kind.TRANSACTION, each) for kind, each in keys if kind == IS_LINE],
        "journalEntryIds": [Ref(Kind.JOURNAL_ENTRY, each) for kind, each in keys if kind == IS_ENTRY],
    }
