"""The lines of one bank account as a bookkeeper works through them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import sqlalchemy as sa

from webapp.ledger.codes import IN_BOOKS
from webapp.ledger.journal.shown_lines import ShownLine, ShownPart
from webapp.ledger.matching.explanations import BankAmount
from webapp.models import (
    DocumentRelation,
    LinePayment,
    ReconciliationItem,
    RuleSetting,
    Transaction,
    TransferPair,
)
from webapp.queries.common import lookups
from webapp.queries.common.feed_currencies import Feed
from webapp.queries.common.paging import Page, page
from webapp.queries.items import line_payments
from webapp.queries.items.likely_payments import LikelyPayment
from webapp.queries.journal import attachments
from webapp.queries.journal.attachments import AttachedDocument
from webapp.queries.matching import booked_by_hand, line_joins, transfer_pairs
from webapp.queries.matching.booked_by_hand import EntryByHand
from webapp.queries.matching.line_joins import BankChangeRecord, LineOrigins
from webapp.queries.matching.line_rows import LineRows
from webapp.queries.rules import runs
from webapp.queries.suggestions import line_meanings
from webapp.queries.suggestions.likely_accounts import LikelyAccount
from webapp.queries.suggestions.line_meanings import NOTHING, LineMeaning
from webapp.queries.transactions import (
    named_lines,
    pending_corrections,
    shown_lines,
    transactions,
)
from webapp.queries.transactions.line_filters import (
    OpenDraft,
    WorkspaceFilters,
    conditions,
    shown,
)
from webapp.queries.transactions.named_lines import NamedSplit
from webapp.queries.transactions.part_names import PartNames
from webapp.queries.transactions.pending_corrections import PendingFieldChange
from webapp.queries.transactions.transactions import NEWEST, TransactionRecord
from webapp.queries.transfers.proposed import ProposedTransfer

RECORD_FIELDS = [
    each.name for each in fields(TransactionRecord) if each.name not in ("splits", "settles", "short")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceLine(TransactionRecord):
    """A line of the workspace: its record with names, whether it is cleared, and what a person may decide about it.

    `clearable` lines may be cleared in the open draft. `by_rules` are the fields that a rule set. `pending` is what
    its open correction would change, `bank_change` the bank's last change while it matters. `shown` is what confirming
    it as it is would post, and one that `asks` has an uncategorised part in it. `transfer` is the other line of its
    transfer, `proposal` the best one that is proposed, and `payment` what it likely pays. What `explained` a draft
    already are entries that were written by hand.
    """

    splits: Sequence[NamedSplit] | None
    account_name: str | None
    merchant_name: str | None
    project_name: str | None
    is_uncategorised: bool
    cleared: bool
    clearable: bool
    transfer: Transaction | None
    proposal: ProposedTransfer | None
    origins: LineOrigins
    by_rules: Collection[str]
    payment: LikelyPayment | None
    likely: LikelyAccount | None
    pending: Sequence[PendingFieldChange]
    bank_change: BankChangeRecord | None
    shown: ShownLine
    asks: bool
    documents: Sequence[AttachedDocument]
    explained: Sequence[EntryByHand]

    @property
    def offered(self) -> LikelyAccount | None:
        """The likely account of an unconfirmed line, which confirming takes over."""
        is_open = self.status == "BOOKED" and self.entry_status == "DRAFT"
        return self.likely if is_open and self.is_uncategorised else None

    @property
    def is_doubtful(self) -> bool:
        """Whether confirming the line is asked about: it likely pays, is a transfer, or is in the books already."""
        return bool(self.explained or self.payment or (self.proposal and self.proposal.is_only))

    @property
    def is_removed_but_posted(self) -> bool:
        """Tell whether the bank removed a line whose entry still counts."""
        return self.status == "REMOVED" and self.entry_status == "POSTED"

    @property
    def has_open_origins(self) -> bool:
        """Tell whether a person should look at its origins: joins to decide, entries by hand, changes by the bank."""
        return bool(
            self.origins.suggestions or self.explained or self.bank_change or self.is_removed_but_posted
        )

    @property
    def shown_with_offer(self) -> ShownLine:
        """What confirming the line with its likely account would post."""
        likely = self.offered
        if likely is None:
            return self.shown
        merchant_id = self.org_merchant_id or likely.org_merchant_id
        project_id = self.project_id or likely.project_id
        accepted = ShownPart(likely.account_id, merchant_id, project_id, self.amount.minor)
        return replace(self.shown, accepted=accepted)


@dataclass(frozen=True, slots=True)
class AccountOfLine:
    """What a line shows of its account."""

    fa_id: int
    currency: str
    draft: OpenDraft | None


def lines(
    organization_id: str,
    fa_id: int,
    filters: WorkspaceFilters,
    draft: OpenDraft | None,
    feeds: Mapping[int | None, Feed],
    *,
    current_id: int | None,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[WorkspaceLine]:
    """List an account's lines, newest first, as they stand to its open draft; the current one is open to be edited.

    `feeds` are all feed accounts.
    """
    statement = sa.select(Transaction).where(
        *conditions(organization_id, fa_id, filters), shown(filters.show, draft)
    )
    found = page(statement, NEWEST, after=after, limit=limit)
    return found.of(_named(organization_id, found.items, draft, feeds, current_id))


def line(
    transaction: Transaction,
    draft: OpenDraft | None,
    feeds: Mapping[int | None, Feed],
    *,
    current_id: int | None,
) -> WorkspaceLine:
    """Give one line of the workspace, as it stands to the open draft of its account; `feeds` are all feed accounts."""
    return _named(transaction.organization_id, [transaction], draft, feeds, current_id)[0]


def _named(
    organization_id: str,
    lines: Sequence[Transaction],
    draft: OpenDraft | None,
    feeds: Mapping[int | None, Feed],
    current_id: int | None,
) -> list[WorkspaceLine]:
    """Make workspace lines, in a constant number of statements."""
    about = LineRows(organization_id, [line.id for line in lines])
    cleared = transactions.standing_items(organization_id, about.of(ReconciliationItem))
    records = transactions.records(organization_id, lines, cleared)
    names = named_lines.names_of(organization_id, records)
    origins = line_joins.of_lines(organization_id, records, about)
    paired = _paired(organization_id, about.of(TransferPair))
    unpaired = [each for each in records if each.id not in paired]
    meanings = _meanings(organization_id, unpaired, names, current_id, feeds)
    by_rules = runs.set_fields(organization_id, about.of(RuleSetting))
    pending = pending_corrections.of_records(organization_id, records)
    documents = attachments.of_lines(organization_id, about.of(DocumentRelation))
    paid = shown_lines.paid_by_drafts(organization_id, records, about.of(LinePayment))
    explained = _explained(organization_id, records, feeds)
    shown_now = shown_lines.of_records(organization_id, records, paid)
    return [
        WorkspaceLine(
            **{name: getattr(record, name) for name in RECORD_FIELDS},
            **named_lines.named_fields(names, record),
            settles=paid[record.id].parts if record.id in paid else (),
            short=line_payments.short_of(paid[record.id]) if record.id in paid else None,
            is_uncategorised=names.is_uncategorised(record.account_id),
            cleared=record.id in cleared,
            clearable=_is_clearable(record, draft),
            transfer=paired.get(record.id),
            proposal=meaning.transfer.proposal if meaning.transfer else None,
            origins=origins[record.id],
            by_rules=by_rules.get(record.id, set()),
            payment=meaning.payment,
            likely=meaning.account,
            pending=pending.get(record.id, ()),
            bank_change=_bank_change(record, origins[record.id]),
            shown=shown_now[record.id],
            documents=documents.get(record.id, ()),
            explained=explained.get(record.id, ()),
            asks=any(names.is_uncategorised(part.account_id) for part in shown_now[record.id].parts),
        )
        for record, meaning in ((each, meanings.get(each.id, NOTHING)) for each in records)
    ]


def _paired(organization_id: str, line_ids: Collection[int]) -> dict[int, Transaction]:
    """Give the other line of the transfer that each line is a side of."""
    others = transfer_pairs.others(organization_id, line_ids)
    found = lookups.by_id(Transaction, organization_id, others.values())
    return {line_id: found[other_id] for line_id, other_id in others.items()}


def _meanings(
    organization_id: str,
    records: Sequence[TransactionRecord],
    names: PartNames,
    current_id: int | None,
    feeds: Mapping[int | None, Feed],
) -> dict[int, LineMeaning]:
    """Give what each line likely is; the account only of what confirming would put there, and of the current one."""
    return line_meanings.of_records(
        organization_id,
        records,
        with_accounts={each.id for each in records if each.entry_status == "DRAFT"} | {current_id},
        uncategorised=[each.account_id for each in records if names.is_uncategorised(each.account_id)],
        feeds=feeds,
    )


def _explained(
    organization_id: str, records: Sequence[TransactionRecord], feeds: Mapping[int | None, Feed]
) -> Mapping[int, Sequence[EntryByHand]]:
    amounts = {
        each.id: BankAmount(feeds[each.fa_id].account_id, each.currency, each.amount.minor, each.booked_on)
        for each in records
        if each.entry_status == "DRAFT" and each.status == "BOOKED"
    }
    return booked_by_hand.of_amounts(organization_id, amounts)


def _is_clearable(record: TransactionRecord, draft: OpenDraft | None) -> bool:
    return (
        draft is not None
        and record.status == "BOOKED"
        and record.booked_on <= draft.statement_date
        and record.reconciliation_id is None
    )


def _bank_change(record: TransactionRecord, origins: LineOrigins) -> BankChangeRecord | None:
    """Give the bank's last change while the line is unconfirmed, or where it moved the day of a posted line."""
    last = next((each for each in origins.changes if not each.is_return), None)
    is_confirmed = record.entry_status == "POSTED" and record.correction_marker_id is None
    if last is None or record.status not in IN_BOOKS or (is_confirmed and "bookedOn" not in last.after):
        return None
    return last
