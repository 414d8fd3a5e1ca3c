"""Proofs taken back: reopened with a reason into a draft, or accepted as the books are now."""

from collections.abc import Sequence
from datetime import date, datetime

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError
from webapp.ledger.money import Money
from webapp.ledger.references import Kind, Ref, refs
from webapp.models import FeedAccount, Reconciliation, ReconciliationItem, of_same_organization, refers_to
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.imports import statement_files
from webapp.queries.journal import entries
from webapp.queries.reconciliation import reconciliations, verdicts
from webapp.services.audit import proof_breaks
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.results import TouchedIds
from webapp.services.journal.open_days import PeriodLockedError
from webapp.services.reconciliation import (
    cleared_items,
    openings,
    proofs,
    set_asides,
    statement_documents,
)
from webapp.services.transactions import clearing


class NoProofError(LedgerError):
    """This account has no completed reconciliation to reopen."""

    code = "no_proof"


class DraftOpenError(LedgerError):
    """A reconciliation of this account is open; complete or cancel it, then reopen the proof."""

    code = "draft_open"


class HoldsError(LedgerError):
    """This proof is valid; there is nothing to accept."""

    code = "holds"


def reopen(
    account: FeedAccount,
    *,
    reason: str,
    actor: Actor,
    now: datetime,
    reconciliation_id: int | None = None,
) -> Reconciliation:
    """Reopen the newest proof, or all from the newest back to the one named; they stay stored for ever.

    A draft opens with the inputs and cleared items of the oldest of them.
    """
    named = Ref.optional(Kind.RECONCILIATION, reconciliation_id)
    payload = {"reason": reason, "reconciliationId": named}
    target = ("feed_account", account.id)
    title = f"Reopened the proof of {account.name}"
    with act(actor, now, "reopen_reconciliation", target, title=title, note=reason, payload=payload) as doing:
        taken = _newest_back_to(account, reconciliation_id)
        proof = taken[-1]
        doing.target_kind, doing.target_id = "reconciliation", str(proof.id)
        doing.title += f" of {proof.statement_date:%-d %b %Y}"
        if len(taken) > 1:
            doing.title += f" and {len(taken) - 1} after it"
        doing.before = {
            "proofs": [
                {
                    "statementDate": each.statement_date.isoformat(),
                    "statementBalance": str(Money(each.statement_balance_minor, each.currency)),
                    "currency": each.currency,
                }
                for each in taken
            ]
        }
        voided = _take_back_all(taken, reason, doing, "REOPENED")
        doing.result = None if voided is None else voided.as_json()
        draft = _draft_from(proof, doing)
        set_asides.resynchronise(account, now=now)
        clearing.prune(account, draft)
        doing.after = {
            "draftId": Ref(Kind.RECONCILIATION, draft.id),
            "reopenedIds": refs(Kind.RECONCILIATION, [each.id for each in taken]),
        }
    return draft


def accept(
    account: FeedAccount, *, reconciliation_id: int, actor: Actor, now: datetime, reason: str | None = None
) -> Reconciliation:
    """Complete the statement of a broken proof again with the items as they are now; answers the new proof.

    Its cleared items are cleared again; where that leaves a difference, newer confirmed items are cleared too. The
    proofs after it are completed again likewise. Raises NotReadyError where a difference is left.
    """
    named = Ref.optional(Kind.RECONCILIATION, reconciliation_id)
    payload = {"reason": reason, "reconciliationId": named}
    target = ("reconciliation", reconciliation_id)
    title = f"Accepted what changed in the proof of {account.name}"
    with act(
        actor, now, "accept_reconciliation", target, title=title, note=reason or "", payload=payload
    ) as doing:
        taken = _newest_back_to(account, reconciliation_id)
        broken = taken[-1]
        if verdicts.of_proofs(account.organization_id, [broken])[broken.id].holds:
            raise HoldsError
        doing.title += f" of {broken.statement_date:%-d %b %Y}"
        voided = _take_back_all(taken, reason or "Accepted as it is now", doing, "ACCEPTED")
        doing.result = None if voided is None else voided.as_json()
        proved = [_prove_again(account, each, doing) for each in reversed(taken)]
        again = refs(Kind.RECONCILIATION, [each.id for each in proved])
        doing.after = {"reconciliationIds": again, **proofs.proof_facts(proved[0])}
    return proved[0]


def _prove_again(account: FeedAccount, proof: Reconciliation, doing: Act) -> Reconciliation:
    draft = _draft_from(proof, doing)
    set_asides.resynchronise(account, now=doing.now)
    clearing.prune(account, draft)
    ready = reconciliations.readiness(account, draft, reconciliations.anchor_of(account))
    if ready.difference_minor:
        cleared_items.clear_confirmed(account, draft)
    proofs.prove(account, draft, doing)
    return draft


def _newest_back_to(account: FeedAccount, reconciliation_id: int | None) -> list[Reconciliation]:
    """List the proofs in force from the newest back to the one named, all of them in open periods."""
    if reconciliation_id is not None:
        lookups.refer(Reconciliation, account.organization_id, reconciliation_id, "reconciliationId")
    if reconciliations.draft_of(account) is not None:
        raise DraftOpenError
    in_force = reconciliations.standing_proofs(account)
    last = next(
        (at for at, proof in enumerate(in_force) if reconciliation_id in (None, proof.id)),
        None,
    )
    if last is None:
        raise NoProofError
    taken = in_force[: last + 1]
    for proof in taken:
        _check_open(proof)
    return taken


def _take_back_all(
    taken: Sequence[Reconciliation], reason: str, doing: Act, repair: str
) -> TouchedIds | None:
    """Take proofs back, the newest first; answers what voiding an opening entry did, if one of them has one."""
    voided: TouchedIds | None = None
    for proof in taken:
        proof_breaks.take_back(proof, doing, repair)
        _take_back(proof, reason, doing)
        voided = openings.cancel(proof, doing) or voided
    return voided


def _check_open(proof: Reconciliation) -> None:
    """Refuse to take back a proof whose statement, or whose opening entry, lies in a locked period."""
    days: list[date] = [proof.statement_date]
    if proof.opening_entry_id is not None:
        days.append(entries.get(proof.organization_id, proof.opening_entry_id).effective_on)
    for day in days:
        if organizations.first_open_day(proof.organization_id, day) != day:
            raise PeriodLockedError(
                f"{day:%-d %b %Y} is in a locked period. Open the period to reopen this proof."
            )


def _take_back(proof: Reconciliation, reason: str, doing: Act) -> None:
    taken = db.session.execute(
        sa.update(Reconciliation)
        .where(
            of_same_organization(Reconciliation, proof),
            Reconciliation.id == proof.id,
            Reconciliation.status == "COMPLETED",
        )
        .values(
            status="REOPENED",
            reopened_at=doing.now,
            reopened_by=doing.actor.as_json(),
            reopen_reason=reason,
        )
        .execution_options(synchronize_session=False)
    )
    if taken.rowcount != 1:  # type: ignore[attr-defined]
        raise NoProofError
    db.session.execute(
        sa.update(ReconciliationItem)
        .where(refers_to(ReconciliationItem.reconciliation_id, proof))
        .values(is_standing=False)
    )
    db.session.refresh(proof)


def _draft_from(proof: Reconciliation, doing: Act) -> Reconciliation:
    draft = Reconciliation(
        organization_id=proof.organization_id,
        feed_account_id=proof.feed_account_id,
        status="DRAFT",
        statement_date=proof.statement_date,
        statement_balance_minor=proof.statement_balance_minor,
        currency=proof.currency,
        keep_as_new=proof.keep_as_new,
        opening_balance_minor=proof.opening_balance_minor if proof.keep_as_new else None,
        opening_date=proof.opening_date,
        opened_at=doing.now,
        opened_by=doing.actor.as_json(),
        reopened_from_id=proof.id,
    )
    db.session.add(draft)
    db.session.flush()
    statement_documents.put(draft, statement_files.document_id_of(proof))
    copied = sa.select(
        ReconciliationItem.organization_id,
        sa.literal(draft.id),
        ReconciliationItem.feed_account_id,
        ReconciliationItem.transaction_id,
        ReconciliationItem.journal_entry_id,
        sa.true(),
    ).where(refers_to(ReconciliationItem.reconciliation_id, proof))
    columns = (
        "organization_id",
        "reconciliation_id",
        "feed_account_id",
        "transaction_id",
        "journal_entry_id",
        "is_standing",
    )
    db.session.execute(sa.insert(ReconciliationItem).from_select(columns, copied))
    return draft
