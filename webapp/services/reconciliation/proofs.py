"""Proofs: a draft whose figures and books agree is frozen for ever."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.canonical import canonical_json
from webapp.ledger.chain import NO_EVENT
from webapp.ledger.errors import LedgerError
from webapp.ledger.money import Money
from webapp.ledger.proofs import proofs
from webapp.ledger.proofs.proofs import Item, Proof
from webapp.ledger.references import Kind, Ref, ReferringDigest
from webapp.models import FeedAccount, JournalEntry, Reconciliation, ReconciliationItem
from webapp.queries.audit import events
from webapp.queries.imports import coverage, statement_files
from webapp.queries.reconciliation import book_balances, proof_lists, reconciliations
from webapp.queries.reconciliation.hub import opening_minor
from webapp.queries.reconciliation.reconciliations import Readiness
from webapp.queries.reconciliation.statement_items import IS_LINE
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.reconciliation import drafts, openings, set_asides
from webapp.services.transactions import clearing

# Of what a statement lacks so many of a kind are named; the lists of lines and of coverage have all.
MOST_NAMED: Final = 20


class NotReadyError(LedgerError):
    """This statement is not reconciled yet."""

    codes: ClassVar[Mapping[str, str]] = {
        "difference": "This statement is not reconciled yet: its difference is not zero.",
        "unconfirmed": "This statement is not reconciled yet: ticked lines are not confirmed.",
        "books_differ": "This statement is not reconciled yet: the books differ from it.",
    }


def complete(
    account: FeedAccount, *, actor: Actor, now: datetime, version: int | None = None
) -> Reconciliation:
    """Freeze the open draft as a proof, when its difference is zero, all is confirmed and the books agree."""
    title = f"Completed the statement of {account.name}"
    with act(actor, now, "complete_reconciliation", ("feed_account", account.id), title=title) as doing:
        draft = clearing.require(account, version)
        doing.target_kind, doing.target_id = "reconciliation", str(draft.id)
        balance = Money(draft.statement_balance_minor, draft.currency).formatted
        doing.title += f": {balance} on {draft.statement_date:%-d %b %Y}"
        drafts.check_day(account, draft.statement_date, now)
        opening = prove(account, draft, doing)
        doing.after = proof_facts(draft)
        doing.result = {"journalEntryIds": [] if opening is None else [Ref(Kind.JOURNAL_ENTRY, opening.id)]}
    return draft


def prove(account: FeedAccount, draft: Reconciliation, doing: Act) -> JournalEntry | None:
    """Make a draft a proof as part of an act, or raise NotReadyError; answers the opening entry, if it posts one."""
    clearing.prune(account, draft)
    anchor = reconciliations.anchor_of(account)
    ready = reconciliations.readiness(account, draft, anchor)
    if not ready.is_ready:
        raise _not_ready(account, draft, ready)
    opening = openings.post(account, draft, ready.opening_entry_minor, doing)
    _freeze(account, draft, anchor, opening, doing)
    set_asides.resynchronise(account, now=doing.now)
    return opening


def proof_facts(proof: Reconciliation) -> dict[str, object]:
    """Give the statement of a proof as JSON, and a digest of its lines, which the same lines always have."""
    document = json.loads(proof.frozen or "{}")
    return {
        "digest": proof.digest or "",
        "statementDate": document["statementDate"],
        "openingBalance": document["openingBalance"],
        "statementBalance": document["statementBalance"],
        "clearedCount": len(document["lines"]),
        "linesDigest": ReferringDigest([_referring(line) for line in document["lines"]]),
    }


def _referring(line: Mapping[str, Any]) -> dict[str, Any]:
    """Give a frozen line with references: it may be one that came in the same act or plan."""
    return {
        **line,
        "transactionId": Ref.optional(Kind.TRANSACTION, line["transactionId"]),
        "journalEntryId": Ref.optional(Kind.JOURNAL_ENTRY, line["journalEntryId"]),
    }


def _not_ready(account: FeedAccount, draft: Reconciliation, ready: Readiness) -> NotReadyError:
    """Write everything that is missing as one error; the code is of the first."""
    currency = account.currency
    details: dict[str, object] = {}
    missing = []
    if ready.difference_minor:
        amount = Money(ready.difference_minor, currency)
        details["difference"] = str(amount)
        details |= _in_the_difference(account, draft)
        missing.append(f"the difference is {amount.formatted}, not zero")
    if ready.unconfirmed:
        details["unconfirmed"] = ready.unconfirmed
        count = len(ready.unconfirmed)
        missing.append(f"{count} ticked line{' is' if count == 1 else 's are'} not confirmed")
    if ready.books_differ_minor:
        amount = Money(ready.books_differ_minor, currency)
        details["books_differ"] = str(amount)
        missing.append(f"the books differ from it by {amount.formatted}")
    sentence = f"This statement is not reconciled yet: {'; '.join(missing)}."
    return NotReadyError(sentence, details=details, code=next(iter(details)))


def _in_the_difference(account: FeedAccount, draft: Reconciliation) -> dict[str, object]:
    """Say which items up to the statement's day are not cleared, and on which days before it the bank sent nothing."""
    rows = reconciliations.open_lines(account, draft, is_cleared=False, until=draft.statement_date)
    months = coverage.record(account, proof_lists.covering(account)).months
    gaps = [gap for month in months for gap in month.gaps if gap.first <= draft.statement_date]
    return {
        "uncleared": {
            "count": len(rows),
            "sum": str(Money(sum(row.amount_minor for row in rows), account.currency)),
            "transactionIds": [row.id for row in rows if row.kind == IS_LINE][:MOST_NAMED],
            "journalEntryIds": [row.id for row in rows if row.kind != IS_LINE][:MOST_NAMED],
        },
        "missing": [{"first": f"{each.first}", "last": f"{each.last}"} for each in gaps][:MOST_NAMED],
    }


def _freeze(
    account: FeedAccount,
    draft: Reconciliation,
    anchor: Reconciliation | None,
    opening: JournalEntry | None,
    doing: Act,
) -> None:
    rows = reconciliations.open_lines(account, draft, until=draft.statement_date)
    cleared = [row for row in rows if row.is_cleared]
    lines = reconciliations.as_items(cleared)
    document = proofs.frozen(_proof(account, draft, anchor, opening=opening, lines=lines, doing=doing))
    _freeze_items(draft, cleared)
    left_open = [row for row in rows if not row.is_cleared]
    clearing.advance(
        draft,
        status="COMPLETED",
        frozen=canonical_json(document),
        digest=proofs.digest(document),
        left_open={
            "transactionIds": [row.id for row in left_open if row.kind == IS_LINE],
            "journalEntryIds": [row.id for row in left_open if row.kind != IS_LINE],
        },
        previous_id=None if anchor is None else anchor.id,
        opening_entry_id=None if opening is None else opening.id,
        opening_balance_minor=opening_minor(draft, anchor),
        completed_at=doing.now,
        completed_by=doing.actor.as_json(),
    )


def _proof(
    account: FeedAccount,
    draft: Reconciliation,
    anchor: Reconciliation | None,
    *,
    opening: JournalEntry | None,
    lines: Sequence[Item],
    doing: Act,
) -> Proof:
    books = book_balances.of_draft(draft)
    return Proof(
        id=draft.id,
        organization_id=account.organization_id,
        fa_id=account.id,
        currency=account.currency,
        statement_date=draft.statement_date,
        statement_balance_minor=draft.statement_balance_minor,
        opening_balance_minor=opening_minor(draft, anchor),
        opening_date=draft.opening_date,
        keep_as_new=draft.keep_as_new,
        opening_entry_id=None if opening is None else opening.id,
        ledger_balance_minor=books.ledger_balance_minor,
        outstanding=books.outstanding,
        in_transit=books.in_transit,
        lines=tuple(lines),
        completed_at=doing.now,
        completed_by=doing.actor.id,
        previous_digest=None if anchor is None else anchor.digest,
        head=events.end(account.organization_id).head or NO_EVENT,
        statement_digest=statement_files.statement_digest(draft),
        file_digests=tuple(statement_files.file_digests(draft)),
    )


def _freeze_items(draft: Reconciliation, rows: Sequence[Any]) -> None:
    frozen = {(row.kind == IS_LINE, row.id): row for row in rows}
    changes = [
        {
            "organization_id": item.organization_id,
            "id": item.id,
            "frozen_on": (row := frozen[clearing.key_of(item)]).day,
            "frozen_minor": int(row.amount_minor),
        }
        for item in clearing.items_of(draft)
    ]
    if changes:
        db.session.execute(sa.update(ReconciliationItem), changes)
