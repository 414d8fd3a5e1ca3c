"""The details of one journal entry for its page: named legs, totals, rate, bank lines and history."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger import chain
from webapp.ledger.chart import BANK, AccountType, group_of
from webapp.ledger.journal.entries import Leg
from webapp.ledger.money import Money
from webapp.ledger.rates import MAX_AGE_DAYS, implied_rate
from webapp.models import (
    IS_EVENT_OF_ACT,
    Account,
    ActionRequest,
    AuditEvent,
    ExchangeRate,
    Import,
    JournalEntry,
    Posting,
    Project,
    Transaction,
    of_same_organization,
)
from webapp.queries.audit import field_changes
from webapp.queries.audit.field_changes import Change
from webapp.queries.common import lookups, merchants
from webapp.queries.common.records import record_of
from webapp.queries.currencies import exchange_rates
from webapp.queries.journal import entries
from webapp.queries.matching import transfer_pairs

HASH_SHOWN = 8


@dataclass(frozen=True, slots=True)
class NamedPosting:
    """A leg with the names of its account, merchant and project.

    A prepayment `can_be_spread`: what stands on an asset that is no bank's, no customer's and has no role.
    """

    account_id: int
    account_name: str
    account_role: str | None
    amount: Money
    currency: str
    amount_base: Money | None
    own_rate: str
    is_bank_leg: bool
    can_be_spread: bool
    merchant_name: str | None
    project_name: str | None


@dataclass(frozen=True, slots=True)
class Totals:
    """Debits and credits; in the posting currency only where all legs share one."""

    debit: Money | None
    credit: Money | None
    debit_base: Money | None
    credit_base: Money | None


@dataclass(frozen=True, slots=True)
class Rate:
    """The rate that mirrors an entry."""

    units_per_base: Decimal
    currency: str
    day: date
    source: str


@dataclass(frozen=True, slots=True)
class EntryEvent:
    """One act in an entry's history."""

    at: datetime
    actor: Mapping[str, Any]
    text: str
    detail: str
    hash: str
    changes: Sequence[Change]


@dataclass(frozen=True, slots=True)
class ChainState:
    """Whether the audit events of a history have the right hashes."""

    whole: bool
    count: int


class LegNames:
    """The names of accounts, merchants and projects of legs, read once."""

    def __init__(self, organization_id: str, legs: Iterable[Leg]) -> None:
        legs = list(legs)
        self.accounts = lookups.by_id(Account, organization_id, {leg.account_id for leg in legs})
        self.merchants = merchants.counting(organization_id, {leg.merchant_id for leg in legs})
        self.projects = lookups.by_id(Project, organization_id, {leg.project_id for leg in legs})

    def merchant(self, merchant_id: int | None) -> str | None:
        """Name a merchant."""
        return self.merchants[merchant_id].name if merchant_id is not None else None

    def project(self, project_id: int | None) -> str | None:
        """Name a project."""
        return self.projects[project_id].name if project_id is not None else None


def postings(entry: JournalEntry) -> list[NamedPosting]:
    """Give an entry's legs with names."""
    names = LegNames(entry.organization_id, entries.legs_of(entry))
    return [
        record_of(
            NamedPosting,
            each,
            account_name=names.accounts[each.account_id].name,
            account_role=names.accounts[each.account_id].role,
            own_rate=_own_rate(entry, each),
            can_be_spread=_can_be_spread(entry, each, names.accounts[each.account_id]),
            merchant_name=names.merchant(each.org_merchant_id),
            project_name=names.project(each.project_id),
        )
        for each in entry.postings
    ]


def _can_be_spread(entry: JournalEntry, posting: Posting, account: Account) -> bool:
    is_plain = account.type == AccountType.ASSET and account.role is None and not account.keeps_items
    is_whole = (
        entry.status == "POSTED" and entry.schedule_id is None and posting.currency == entry.base_currency
    )
    is_bank = group_of(account.type, account.role, account.code, account.group) == BANK
    return is_plain and is_whole and not is_bank and posting.amount_minor > 0


def _own_rate(entry: JournalEntry, posting: Posting) -> str:
    """Say at which rate somebody wrote a posting, and which rate its day has."""
    if not posting.has_own_base or not posting.amount_base:
        return ""
    of_day = exchange_rates.rate_on(
        entry.organization_id, posting.currency, entry.base_currency, entry.effective_on
    )
    instead = "" if of_day is None else f" instead of {of_day:f}"
    return f"at {implied_rate(posting.amount, posting.amount_base):f}{instead}"


def totals(entry: JournalEntry) -> Totals:
    """Sum an entry's debits and credits."""
    legs = entry.postings
    currencies = {leg.currency for leg in legs}
    is_mirrored = all(leg.amount_base_minor is not None for leg in legs)
    currency = currencies.pop() if len(currencies) == 1 else None
    return Totals(
        debit=_side_total(currency, (leg.amount_minor for leg in legs), 1) if currency else None,
        credit=_side_total(currency, (leg.amount_minor for leg in legs), -1) if currency else None,
        debit_base=_side_total(entry.base_currency, _bases(legs), 1) if is_mirrored else None,
        credit_base=_side_total(entry.base_currency, _bases(legs), -1) if is_mirrored else None,
    )


def _bases(legs: Sequence[Posting]) -> Iterable[int]:
    return (leg.amount_base_minor or 0 for leg in legs)


def _side_total(currency: str, amounts: Iterable[int], sign: int) -> Money:
    return Money(sum(abs(amount) for amount in amounts if amount * sign > 0), currency)


def rate(entry: JournalEntry, line: Transaction | None) -> Rate | None:
    """Find the rate that mirrors an entry in one foreign currency."""
    foreign = {leg.currency for leg in entry.postings} - {entry.base_currency}
    if len(foreign) != 1:
        return None
    day = line.booked_on if line is not None else entry.effective_on
    found = db.session.scalar(
        sa.select(ExchangeRate)
        .where(
            of_same_organization(ExchangeRate, entry),
            ExchangeRate.currency == foreign.pop(),
            ExchangeRate.day <= day,
        )
        .order_by(ExchangeRate.day.desc())
        .limit(1)
    )
    if found is None or (day - found.day).days > MAX_AGE_DAYS:
        return None
    return Rate(found.units_per_base, found.currency, found.day, found.source)


def line_of(entry: JournalEntry) -> Transaction | None:
    """Find the bank line that an entry, or the entry that it corrects or voids, is of."""
    organization_id, original_id = entry.organization_id, entry.corrects_id or entry.voids_id or entry.id
    original = db.session.get(JournalEntry, (organization_id, original_id)) or entry
    named = entries.transactions_of(entries.legs_of(original))
    return db.session.get(Transaction, (organization_id, named[0])) if named else None


def other_line_of(entry: JournalEntry, line: Transaction | None) -> Transaction | None:
    """Find the other side of an entry's bank line: the second line that shares the entry, or the one linked to it."""
    if line is None:
        return None
    named = entries.transactions_of(entries.legs_of(entry))
    shared = [line_id for line_id in named if line_id != line.id]
    linked = transfer_pairs.others(entry.organization_id, [line.id])
    other_id = shared[0] if shared else linked.get(line.id)
    return db.session.get(Transaction, (entry.organization_id, other_id)) if other_id is not None else None


def import_name(line: Transaction | None) -> str | None:
    """Give the name of the file that a line came by."""
    if line is None or line.import_id is None:
        return None
    return db.session.scalar(
        sa.select(Import.file_name).where(of_same_organization(Import, line), Import.id == line.import_id)
    )


def history(entry: JournalEntry, line: Transaction | None) -> tuple[list[EntryEvent], ChainState]:
    """List the acts on an entry and its line, newest first, with the hash of each in the audit chain."""
    family = [entry, *entries.corrections_of(entry)]
    about_entries = sa.and_(
        ActionRequest.target_kind == "journal_entry",
        ActionRequest.target_id.in_([str(one.id) for one in family]),
    )
    about_line = sa.and_(
        ActionRequest.target_kind == "transaction", ActionRequest.target_id == str(line.id if line else 0)
    )
    posted_by = ActionRequest.id.in_([one.action_request_id for one in family if one.action_request_id])
    brought_by = sa.and_(
        ActionRequest.target_kind == "import", ActionRequest.target_id == str(line.import_id if line else 0)
    )
    rows = db.session.execute(
        sa.select(ActionRequest, AuditEvent)
        .join(AuditEvent, IS_EVENT_OF_ACT)
        .where(
            of_same_organization(ActionRequest, entry),
            sa.or_(about_entries, about_line, posted_by, brought_by),
        )
        .order_by(AuditEvent.sequence.desc())
        .limit(100)
    ).all()
    changes = field_changes.of(entry.organization_id, [request for request, _ in rows])
    events = [_event(request, event, changes[request.id]) for request, event in rows]
    is_whole = all(chain.hash_of(event.previous_hash, event.body) == event.hash for _, event in rows)
    return events, ChainState(is_whole, len(events))


def _event(request: ActionRequest, event: AuditEvent, changes: Sequence[Change]) -> EntryEvent:
    title = f"Tried in vain: {request.title}" if request.status == "FAILED" else request.title
    return EntryEvent(
        request.created_at,
        request.actor,
        title,
        request.note or request.error,
        event.hash[:HASH_SHOWN],
        changes,
    )


def latest_day(entry: JournalEntry) -> date:
    """Give the day of the latest of an entry and its corrections: its reversal is dated then or later."""
    return max(one.effective_on for one in (entry, *entries.corrections_of(entry)))
