"""The hub: every feed account with its last proof, its open draft, and its status."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.proofs.proofs import Status, cleared_balance, difference, status
from webapp.models import FeedAccount, Invitation, JournalEntry, Membership, Reconciliation, Rule, Transaction
from webapp.queries.accounts import feed_accounts, provider_balances
from webapp.queries.accounts.feed_accounts import FeedAccountRecord
from webapp.queries.accounts.provider_balances import ProviderBalanceOnDay
from webapp.queries.common.made_once import made_once
from webapp.queries.common.records import record_of
from webapp.queries.reconciliation import draft_sums, uncleared_entries, verdicts
from webapp.queries.reconciliation.break_causes import BrokenBy
from webapp.queries.reconciliation.computed_verdicts import Verdict
from webapp.queries.reconciliation.draft_sums import DraftSums
from webapp.queries.reconciliation.uncleared_entries import UnclearedEntries


@dataclass(frozen=True, slots=True)
class AnchorRecord:
    """The last completed reconciliation, and whether it still holds."""

    id: int
    statement_date: date
    statement_balance: Money
    completed_at: datetime | None
    completed_by: Mapping[str, Any] | None
    digest: str | None
    holds: bool
    broken_by: BrokenBy | None


@dataclass(frozen=True, slots=True)
class BrokenProof:
    """A standing proof that holds no longer, and by how much it is off."""

    id: int
    statement_date: date
    statement_balance: Money
    broken_by: BrokenBy | None
    cleared_now: Money
    off_by: Money


@dataclass(frozen=True, slots=True)
class DraftRecord:
    """The open draft: its inputs, and the balance that they make."""

    id: int
    statement_date: date
    statement_balance: Money
    opening_balance: Money
    opening_date: date | None
    keep_as_new: bool
    cleared_balance: Money
    difference: Money
    cleared_count: int
    version: int
    opened_at: datetime
    opened_by: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class HubRecord(FeedAccountRecord):
    """A feed account as the hub shows it; `provider_balance` only where a day was asked for.

    `broken` is the oldest of its standing proofs that holds no longer; the anchor itself may hold. `uncleared_entries`
    stand on the ledger account and come from no line of the bank.
    """

    status: Status
    anchor: AnchorRecord | None
    draft: DraftRecord | None
    provider_balance: ProviderBalanceOnDay | None
    broken: BrokenProof | None
    uncleared_entries: UnclearedEntries


def accounts(organization_id: str, *, as_of: date | None = None) -> list[HubRecord]:
    """List the hub records of all active feed accounts, in a constant number of statements.

    With `as_of` each also carries the bank's balance rolled to that day.
    """
    return _records(organization_id, feed_accounts.active_records(organization_id), as_of)


def account(organization_id: str, fa_id: int, *, as_of: date | None = None) -> HubRecord:
    """Give the hub record of one feed account, or raise NotFoundError."""
    feed_accounts.get(organization_id, fa_id)
    return _records(organization_id, feed_accounts.records(organization_id, [fa_id]), as_of)[0]


def _records(organization_id: str, feeds: Sequence[FeedAccountRecord], as_of: date | None) -> list[HubRecord]:
    currencies = {feed.fa_id: feed.currency for feed in feeds}
    statements, verdict_of = verdicts.of_accounts(organization_id, list(currencies))
    drafts = {each.feed_account_id: each for each in statements if each.status == "DRAFT"}
    proofs = [each for each in statements if each.status == "COMPLETED"]
    facts = _HubFacts(
        anchors={proof.feed_account_id: proof for proof in proofs},
        drafts=drafts,
        verdicts=verdict_of,
        broken={
            proof.feed_account_id: _broken(proof, verdict_of[proof.id])
            for proof in reversed(proofs)
            if not verdict_of[proof.id].holds
        },
        sums=draft_sums.of_drafts(organization_id, [draft.id for draft in drafts.values()]),
        uncleared_entries=uncleared_entries.of_accounts(organization_id, currencies),
        provider_balances={} if as_of is None else provider_balances.on(organization_id, currencies, as_of),
    )
    return [_record(feed, facts) for feed in feeds]


@dataclass(frozen=True, slots=True)
class _HubFacts:
    anchors: dict[int, Reconciliation]
    drafts: dict[int, Reconciliation]
    verdicts: dict[int, Verdict]
    broken: dict[int, BrokenProof]
    sums: dict[int, DraftSums]
    uncleared_entries: dict[int, UnclearedEntries]
    provider_balances: dict[int, ProviderBalanceOnDay]


def _record(feed: FeedAccountRecord, facts: _HubFacts) -> HubRecord:
    anchor, draft = facts.anchors.get(feed.fa_id), facts.drafts.get(feed.fa_id)
    verdict = facts.verdicts[anchor.id] if anchor is not None else None
    broken = facts.broken.get(feed.fa_id)
    return record_of(
        HubRecord,
        feed,
        status=status(
            has_proof=anchor is not None,
            has_draft=draft is not None,
            unreconciled_count=feed.unreconciled_count,
            holds=broken is None,
        ),
        anchor=None if anchor is None or verdict is None else _anchor(anchor, verdict),
        draft=None if draft is None else draft_record(draft, anchor, facts.sums[draft.id]),
        provider_balance=facts.provider_balances.get(feed.fa_id),
        broken=broken,
        uncleared_entries=facts.uncleared_entries[feed.fa_id],
    )


def _broken(proof: Reconciliation, verdict: Verdict) -> BrokenProof:
    return BrokenProof(
        id=proof.id,
        statement_date=proof.statement_date,
        statement_balance=proof.statement_balance,
        broken_by=verdict.broken_by,
        cleared_now=Money(verdict.cleared_now_minor, proof.currency),
        off_by=Money(verdict.off_by_minor, proof.currency),
    )


def _anchor(proof: Reconciliation, verdict: Verdict) -> AnchorRecord:
    return record_of(
        AnchorRecord,
        proof,
        holds=verdict.holds,
        broken_by=verdict.broken_by,
    )


def opening_minor(draft: Reconciliation, anchor: Reconciliation | None) -> int:
    """Give the opening balance of a draft: the anchor's, else the one it keeps as new, else nothing."""
    return anchor.statement_balance_minor if anchor is not None else draft.opening_balance_minor or 0


def draft_record(draft: Reconciliation, anchor: Reconciliation | None, sums: DraftSums) -> DraftRecord:
    """Give the record of an open draft."""
    opening = opening_minor(draft, anchor)
    cleared = cleared_balance(opening, [sums.minor])
    return record_of(
        DraftRecord,
        draft,
        opening_balance=Money(opening, draft.currency),
        cleared_balance=Money(cleared, draft.currency),
        difference=Money(difference(draft.statement_balance_minor, cleared), draft.currency),
        cleared_count=sums.count,
    )


def steps_taken(organization_id: str) -> dict[str, bool]:
    """Find which of the first steps somebody has taken in the books."""
    found = db.session.execute(*_steps_taken(organization_id)).mappings().one()
    return {name: bool(value) for name, value in found.items()}


@made_once
def _steps_taken(organization_id: str) -> sa.Select[*tuple[Any, ...]]:
    taken = {
        "account": sa.exists().where(FeedAccount.organization_id == organization_id),
        "file": sa.exists().where(Transaction.organization_id == organization_id),
        "categories": sa.exists().where(
            JournalEntry.organization_id == organization_id,
            JournalEntry.source == "bank_feed",
            # Drafts have no number, and there may be many of them before the first that has.
            JournalEntry.number.is_not(None),
            JournalEntry.status == "POSTED",
        ),
        "rule": sa.exists().where(Rule.organization_id == organization_id),
        "proof": sa.exists().where(
            Reconciliation.organization_id == organization_id, Reconciliation.status == "COMPLETED"
        ),
        "invite": sa.or_(
            sa.exists().where(Invitation.organization_id == organization_id),
            sa.select(sa.func.count() > 1)
            .where(Membership.organization_id == organization_id)
            .scalar_subquery(),
        ),
    }
    return sa.select(*(condition.label(name) for name, condition in taken.items()))
