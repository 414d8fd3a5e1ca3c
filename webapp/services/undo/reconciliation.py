"""The inverses of acts on reconciliations."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import (
    ActionRequest,
    FeedAccount,
    Reconciliation,
    ReconciliationItem,
    of_same_organization,
    refers_to,
)
from webapp.queries.accounts import feed_accounts
from webapp.queries.reconciliation import reconciliations
from webapp.services.reconciliation import cleared_items, drafts, proofs, reopenings
from webapp.services.reconciliation.cleared_items import ClearingChoice
from webapp.services.reconciliation.drafts import StatementInput
from webapp.services.undo.reasons import ChangedSinceError, Undoing, require_same

Items = set[tuple[int | None, int | None]]


def unput(undoing: Undoing, request: ActionRequest) -> str:
    """Abandon a draft that was opened, or restore its figures from before a change."""
    account, draft = _draft(undoing, request)
    require_same(drafts.statement_facts(draft), request.after)
    if request.before is not None:
        drafts.put_draft(account, _statement(request.before), version=draft.version, **undoing.by)
        return "Restore the earlier figures of the draft."
    if _items(draft):
        raise ChangedSinceError("Somebody ticked items in it since, so it stays unchanged.")
    drafts.abandon(account, **undoing.by)
    return "Cancel the reconciliation."


def open_again(undoing: Undoing, request: ActionRequest) -> str:
    """Open an abandoned draft again, with what was cleared in it."""
    before, account = request.before or {}, _account(undoing, request)
    draft = drafts.put_draft(account, _statement(before), **undoing.by).draft
    undoing.move("reconciliation", int(request.target_id), draft.id)
    cleared, entries = before.get("cleared", []), before.get("clearedEntries", [])
    if cleared or entries:
        choice = ClearingChoice(cleared=cleared, cleared_entries=entries)
        cleared_items.put_items(account, choice, **undoing.by)
    return "Open the reconciliation again, with its ticks."


def unclear(undoing: Undoing, request: ActionRequest) -> str:
    """Unclear what was cleared in a draft, and clear what was uncleared."""
    account, _ = _draft(undoing, request)
    after = request.after or {}
    done, undone = after["cleared"], after["uncleared"]
    choice = ClearingChoice(
        cleared=undone["transactionIds"],
        uncleared=done["transactionIds"],
        cleared_entries=[undoing.present_id("journal_entry", each) for each in undone["journalEntryIds"]],
        uncleared_entries=[undoing.present_id("journal_entry", each) for each in done["journalEntryIds"]],
    )
    if not cleared_items.put_items(account, choice, **undoing.by).changed:
        raise ChangedSinceError
    return "Reverse its ticks."


def reopen(undoing: Undoing, request: ActionRequest) -> str:
    """Reopen a proof, where no later one stands on it."""
    account = _account(undoing, request)
    proof_id = undoing.target_id(request)
    anchor = reconciliations.anchor_of(account)
    if anchor is None or anchor.id != proof_id:
        raise ChangedSinceError("It was reopened since, or a later proof depends on it.")
    draft = reopenings.reopen(account, reason=undoing.reason, reconciliation_id=proof_id, **undoing.by)
    undoing.move("reconciliation", proof_id, draft.id)
    return f"Reopen the proof of {account.name} into a draft."


def complete_again(undoing: Undoing, request: ActionRequest) -> str:
    """Complete again a proof that was reopened, where its draft is as it was."""
    account = _account(undoing, request)
    after = request.after or {}
    draft = reconciliations.draft_of(account)
    if draft is None or draft.id != undoing.present_id("reconciliation", after["draftId"]):
        raise ChangedSinceError
    if len(after["reopenedIds"]) > 1:
        raise ChangedSinceError("Several proofs were reopened at once; complete them again one by one.")
    proof = reconciliations.get(account.organization_id, after["reopenedIds"][0])
    if _inputs(proof) != _inputs(draft) or _items(proof) != _items(draft):
        raise ChangedSinceError
    proofs.complete(account, **undoing.by)
    undoing.move("reconciliation", proof.id, draft.id)
    return f"Complete the proof of {account.name} again."


def _account(undoing: Undoing, request: ActionRequest) -> FeedAccount:
    """Find the account of a draft or proof; of an abandoned draft the act has it."""
    found = db.session.scalar(
        sa.select(Reconciliation.feed_account_id).where(
            of_same_organization(Reconciliation, undoing.actor),
            Reconciliation.id == undoing.target_id(request),
        )
    )
    fa_id = found if found is not None else (request.before or {}).get("faId")
    if fa_id is None:
        raise ChangedSinceError
    return feed_accounts.get(undoing.actor.organization_id, fa_id)


def _draft(undoing: Undoing, request: ActionRequest) -> tuple[FeedAccount, Reconciliation]:
    account = _account(undoing, request)
    draft = reconciliations.draft_of(account)
    if draft is None or draft.id != undoing.target_id(request):
        raise ChangedSinceError
    return account, draft


def _inputs(reconciliation: Reconciliation) -> dict[str, object]:
    """Give the figures of a statement as somebody entered them; a proof stores its opening balance too."""
    facts = drafts.statement_facts(reconciliation)
    return facts if facts["keepAsNew"] else {**facts, "openingBalance": None}


def _items(reconciliation: Reconciliation) -> Items:
    rows = db.session.execute(
        sa.select(ReconciliationItem.transaction_id, ReconciliationItem.journal_entry_id).where(
            refers_to(ReconciliationItem.reconciliation_id, reconciliation)
        )
    )
    # A proof stores the entry of each line too.
    return {(line_id, None if line_id is not None else entry_id) for line_id, entry_id in rows}


def _statement(facts: Mapping[str, Any]) -> StatementInput:
    opening, opening_date = facts["openingBalance"], facts["openingDate"]
    is_new = facts["keepAsNew"]
    return StatementInput(
        statement_date=date.fromisoformat(facts["statementDate"]),
        statement_balance=Decimal(facts["statementBalance"]),
        keep_as_new=is_new,
        opening_balance=Decimal(opening) if is_new and opening is not None else None,
        opening_date=date.fromisoformat(opening_date) if opening_date else None,
        document_id=facts.get("documentId"),
        keeps_document=False,
    )
