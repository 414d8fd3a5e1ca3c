"""Effects of a call on the books: balances, proofs and entries before and after it."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.database.sqlite import SEQUENCES
from webapp.ledger.money import Money
from webapp.ledger.references import Kind, Ref
from webapp.models import (
    Account,
    FeedAccount,
    JournalEntry,
    MonthSum,
    Organization,
    Posting,
    ProofBreak,
    Reconciliation,
    RuleSetting,
    Transaction,
    refers_to,
)
from webapp.queries.common import lookups
from webapp.queries.common.portions import portions
from webapp.queries.journal import entry_records
from webapp.queries.journal.entry_records import EntryRecord

Sums = Mapping[tuple[int, str], tuple[int, int]]

# An effect as it is kept, of what changes nothing.
NO_EFFECT: Final[Mapping[str, Any]] = {
    "acts": [],
    "entries": [],
    "entryCount": 0,
    "balances": [],
    "proofs": [],
    "warnings": [],
}


@dataclass(frozen=True, slots=True)
class Mark:
    """A state of the books: the newest id of each table, and what each account holds in each currency."""

    newest: Mapping[str, int]
    sums: Sums


@dataclass(frozen=True, slots=True)
class BalanceChange:
    """What an account holds before and after."""

    account_id: int
    account_name: str
    account_type: str
    currency: str
    before: Money
    after: Money
    change: Money
    change_base: Money


@dataclass(frozen=True, slots=True)
class ProofChange:
    """A proof that would hold no longer, or would hold again: its figures after, and those of before."""

    reconciliation_id: int
    fa_id: int
    account_name: str
    statement_date: date
    statement_balance: Money
    cleared_now: Money
    off_by: Money
    holds: bool
    cleared_before: Money
    off_by_before: Money


def mark(organization_id: str) -> Mark:
    """Read the present state of the books."""
    return Mark(_newest(), _sums(organization_id))


def _newest() -> dict[str, int]:
    """Read the newest id that each table has given out; on PostgreSQL also to transactions that were rolled back."""
    if db.session.connection().dialect.name == "sqlite":
        return dict(db.session.execute(sa.select(SEQUENCES)).all())
    columns: list[Any] = [sa.column(name) for name in ("sequencename", "last_value", "schemaname")]
    given = sa.table("pg_sequences", *columns).c
    rows = db.session.execute(
        sa.select(given.sequencename, given.last_value).where(given.schemaname == sa.func.current_schema())
    )
    return {name.removesuffix("_id_seq"): last or 0 for name, last in rows}


def _sums(organization_id: str) -> Sums:
    rows = db.session.execute(
        sa.select(
            MonthSum.account_id,
            MonthSum.currency,
            sa.func.sum(MonthSum.amount_minor).label("minor"),
            sa.func.sum(MonthSum.amount_base_minor).label("base"),
        )
        .where(MonthSum.organization_id == organization_id)
        .group_by(MonthSum.account_id, MonthSum.currency)
    )
    return {(row.account_id, row.currency): (int(row.minor), int(row.base)) for row in rows}


def balances(organization_id: str, before: Sums) -> list[BalanceChange]:
    """List the accounts whose balance is another one now, by account and currency."""
    after = _sums(organization_id)
    moved = sorted(key for key in {*before, *after} if before.get(key, (0, 0)) != after.get(key, (0, 0)))
    base_currency = db.session.get_one(Organization, organization_id).base_currency
    accounts = lookups.by_id(Account, organization_id, {account_id for account_id, _ in moved})
    return [
        _balance(accounts[key[0]], key[1], before.get(key, (0, 0)), after.get(key, (0, 0)), base_currency)
        for key in moved
    ]


def _balance(
    account: Account, currency: str, before: tuple[int, int], after: tuple[int, int], base_currency: str
) -> BalanceChange:
    return BalanceChange(
        account.id,
        account.name,
        account.type,
        currency,
        Money(before[0], currency),
        Money(after[0], currency),
        Money(after[0] - before[0], currency),
        Money(after[1] - before[1], base_currency),
    )


def proofs(organization_id: str, act_ids: Collection[str]) -> list[ProofChange]:
    """List the proofs that these acts broke or mended, by account and day; one that was reopened is none any more."""
    rows = db.session.execute(
        sa.select(ProofBreak, Reconciliation, Account.name)
        .join(Reconciliation, Reconciliation.id == ProofBreak.reconciliation_id)
        .join(FeedAccount, FeedAccount.id == Reconciliation.feed_account_id)
        .join(Account, Account.id == FeedAccount.account_id)
        .where(
            ProofBreak.organization_id == organization_id,
            sa.or_(
                sa.and_(ProofBreak.action_request_id.in_(act_ids), ProofBreak.repaired_at.is_(None)),
                sa.and_(
                    ProofBreak.repair_action_request_id.in_(act_ids),
                    sa.func.coalesce(ProofBreak.action_request_id, "").not_in(act_ids),
                    ProofBreak.repair != "REOPENED",
                ),
            ),
        )
        .order_by(Reconciliation.feed_account_id, Reconciliation.statement_date)
    )
    return [_proof(broken, proof, name) for broken, proof, name in rows]


def _proof(broken: ProofBreak, proof: Reconciliation, name: str) -> ProofChange:
    stated = Money(proof.statement_balance_minor, proof.currency)
    # A break keeps what it last came to, also once it is repaired.
    while_broken = (
        Money(broken.cleared_now_minor, proof.currency),
        Money(broken.off_by_minor, proof.currency),
    )
    while_holding = (stated, Money(0, proof.currency))
    holds = broken.repaired_at is not None
    after, before = (while_holding, while_broken) if holds else (while_broken, while_holding)
    of_proof = (proof.id, proof.feed_account_id, name, proof.statement_date, stated)
    return ProofChange(*of_proof, *after, holds, *before)


def entry_ids(organization_id: str, references: Iterable[Ref], newest: Mapping[str, int]) -> set[int]:
    """Find the entries that came since a mark, that acts name, or that belong to lines or imports which they name."""
    named: dict[Kind, set[int]] = {kind: set() for kind in Kind}
    for each in references:
        named[each.kind].add(each)
    lines = named[Kind.TRANSACTION] | _lines_of_runs(organization_id, named[Kind.RULE_RUN])
    entry = sa.select(JournalEntry.id).where(JournalEntry.organization_id == organization_id)
    posting = sa.select(Posting.journal_entry_id).where(Posting.organization_id == organization_id)
    of_transactions = sa.select(Transaction.journal_entry_id).where(
        Transaction.organization_id == organization_id, Transaction.journal_entry_id.is_not(None)
    )
    parts = [
        entry.where(JournalEntry.id > newest.get(JournalEntry.__tablename__, 0)),
        posting.where(Posting.id > newest.get(Posting.__tablename__, 0)),
        entry.where(JournalEntry.id.in_(named[Kind.JOURNAL_ENTRY])),
    ]
    if imports := named[Kind.IMPORT]:
        parts.append(
            entry.where(JournalEntry.id.in_(of_transactions.where(Transaction.import_id.in_(imports))))
        )
    if lines:
        of_lines = of_transactions.where(Transaction.id.in_(lines))
        correction = JournalEntry.corrects_id.in_(of_lines), JournalEntry.status == "DRAFT"
        parts += [entry.where(JournalEntry.id.in_(of_lines)), entry.where(*correction)]
    return set(db.session.scalars(sa.union(*parts)))


def _lines_of_runs(organization_id: str, runs: Collection[int]) -> set[int]:
    if not runs:
        return set()
    return set(
        db.session.scalars(
            sa.select(RuleSetting.transaction_id)
            .where(RuleSetting.organization_id == organization_id, RuleSetting.run_id.in_(runs))
            .distinct()
        )
    )


def entries(organization_id: str, ids: Sequence[int]) -> dict[int, EntryRecord]:
    """Return everything about these entries, as far as they are there."""
    found = lookups.by_id(JournalEntry, organization_id, ids)
    return {record.id: record for record in entry_records.records(organization_id, list(found.values()))}


def entry_facts(organization_id: str, ids: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Read the facts of these entries, a record for each leg, with the keys that the API has for them."""
    for portion in portions(ids):
        rows = db.session.execute(
            sa.select(
                JournalEntry.id.label("entry_id"),
                JournalEntry.effective_on,
                JournalEntry.status,
                JournalEntry.description,
                JournalEntry.corrects_id,
                Posting.account_id,
                Posting.currency,
                Posting.amount_minor,
                Posting.amount_base_minor,
                Posting.org_merchant_id,
                Posting.project_id,
            )
            .join(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
            .where(JournalEntry.organization_id == organization_id, JournalEntry.id.in_(portion))
            .order_by(JournalEntry.id, Posting.position)
        )
        yield from (_facts(row) for row in rows)


def _facts(row: Any) -> dict[str, Any]:
    return {
        "journalEntryId": Ref(Kind.JOURNAL_ENTRY, row.entry_id),
        "day": row.effective_on.isoformat(),
        "status": row.status,
        "description": row.description,
        "correctsJournalEntryId": Ref.optional(Kind.JOURNAL_ENTRY, row.corrects_id),
        "accountId": Ref(Kind.ACCOUNT, row.account_id),
        "currency": row.currency,
        "amount": row.amount_minor,
        "amountBase": row.amount_base_minor,
        "orgMerchantId": Ref.optional(Kind.MERCHANT, row.org_merchant_id),
        "projectId": Ref.optional(Kind.PROJECT, row.project_id),
    }
