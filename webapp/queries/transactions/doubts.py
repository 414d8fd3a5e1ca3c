"""Reasons to look at a bank line again before it is posted."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import UNCATEGORISED
from webapp.ledger.codes import DoubtCode
from webapp.ledger.rules.effects import EffectKind
from webapp.ledger.titles import counted
from webapp.models import Account, FeedAccount, JournalEntry, OwedItem, RuleSetting, Transaction
from webapp.queries.common import feed_currencies, lookups
from webapp.queries.common.feed_currencies import Feed
from webapp.queries.items import line_payments, returned_payments
from webapp.queries.items.likely_payments import LikelyPayment, PayingLine
from webapp.queries.journal import entries
from webapp.queries.matching import booked_by_hand
from webapp.queries.transactions import lines_ahead
from webapp.queries.transfers import destinations
from webapp.queries.transfers.destinations import Destination

# The lines of runs of rules that are looked at, and those of them that are named.
MOST_PUT: Final = 500
MOST_NAMED: Final = 20


@dataclass(frozen=True, slots=True)
class Doubt:
    """A reason to look at a line again, in a sentence that a program tells from others by its code."""

    code: DoubtCode
    sentence: str
    details: Mapping[str, Any] = field(default_factory=dict)


def of_lines(lines: Sequence[Transaction]) -> dict[int, list[Doubt]]:
    """List, by line, what is doubtful about posting its draft or its correction as it stands."""
    found: dict[int, list[Doubt]] = {line.id: [] for line in lines}
    drafts = {
        line.id: line
        for line in lines
        if line.journal_entry is not None and line.journal_entry.status == "DRAFT"
    }
    held = _held(list(drafts.values()))
    for line in lines:
        entry = line.journal_entry
        posted = entry if entry is None or entry.status == "DRAFT" else entries.marker_of(entry)
        if posted is not None:
            found[line.id] += _uncategorised(line, posted)
    if not drafts:
        return found
    feeds = feed_currencies.of_books(lines[0].organization_id)
    explained = booked_by_hand.of_lines(drafts.values(), feeds)
    for line_id, by_hand in explained.items():
        ids = [each.journal_entry_id for each in by_hand]
        found[line_id] += (
            Doubt(DoubtCode.ALREADY_EXPLAINED, each.sentence, {"journalEntryIds": ids}) for each in by_hand
        )
    for line_id, destination in _destinations(list(drafts.values()), feeds).items():
        found[line_id] += _doubt(line_id, destination)
    for line in drafts.values():
        found[line.id] += _returned(line, held)
    return found


def elsewhere(lines: Sequence[Transaction]) -> dict[int, list[Doubt]]:
    """List, by line, what drafts pay or move that were put on an account instead."""
    drafts = [
        line for line in lines if line.journal_entry is not None and line.journal_entry.status == "DRAFT"
    ]
    if not drafts:
        return {}
    destined = _destinations(drafts, feed_currencies.of_books(drafts[0].organization_id))
    found = {line_id: list(_doubt(line_id, each)) for line_id, each in destined.items()}
    held = _held(drafts)
    for line in drafts:
        found.setdefault(line.id, []).extend(_returned(line, held))
    return found


def paying(lines: Sequence[Transaction]) -> dict[int, str]:
    """Say, by line, which open item a draft pays that was put elsewhere, so that the item would stay open."""
    return {
        line_id: each.sentence
        for line_id, doubted in elsewhere(lines).items()
        for each in doubted
        if each.code is DoubtCode.PAYS_OPEN_ITEM
    }


def of_runs(organization_id: str, run_ids: Collection[int]) -> list[tuple[str, str]]:
    """Doubt the first lines that runs of rules put on an account although they pay or move something.

    Answers the code and the sentence of each.
    """
    if not run_ids:
        return []
    put = (
        sa.select(RuleSetting.transaction_id)
        .where(
            RuleSetting.organization_id == organization_id,
            RuleSetting.run_id.in_(run_ids),
            RuleSetting.kind == EffectKind.SET_ACCOUNT,
            _may_be_elsewhere(organization_id),
        )
        .order_by(RuleSetting.transaction_id)
        .limit(MOST_PUT)
    )
    ids = db.session.scalars(put).all()
    found = elsewhere(lines_ahead.load(organization_id, ids)) if ids else {}
    said = [(str(each.code), each.sentence) for _, doubts in sorted(found.items()) for each in doubts]
    left = said[MOST_NAMED:]
    if not left:
        return said
    more = f"{counted(len(left), 'more line')} that rules put on an account may pay or move something."
    return [*said[:MOST_NAMED], (left[0][0], more)]


def _may_be_elsewhere(organization_id: str) -> sa.ColumnElement[bool]:
    """Ask whether books have what a line may pay or move: open items, or another bank account."""
    feeds = sa.select(sa.func.count()).select_from(FeedAccount)
    return sa.or_(
        sa.exists().where(OwedItem.organization_id == organization_id),
        feeds.where(FeedAccount.organization_id == organization_id).scalar_subquery() > 1,
    )


def _held(drafted: Sequence[Transaction]) -> Mapping[int | None, Account]:
    """Give the accounts opposite lines, which several doubts are about."""
    legs = (leg for line in drafted if line.journal_entry for leg in entries.legs_of(line.journal_entry))
    ids = {leg.account_id for leg in legs if not leg.is_bank_leg}
    return {each: lookups.get(Account, drafted[0].organization_id, each) for each in ids}


def _returned(line: Transaction, held: Mapping[int | None, Account]) -> Iterable[Doubt]:
    """Say where a line on an account that keeps items, without a party, brings back a payment that it names."""
    legs = entries.legs_of(line.journal_entry) if line.journal_entry is not None else []
    nobody = {leg.account_id for leg in legs if not leg.is_bank_leg and leg.merchant_id is None}
    keeps_items = any(held[each].keeps_items for each in nobody)
    if not keeps_items or line_payments.paying(line.organization_id, [line.id]):
        return
    for row in returned_payments.rows(line, None)[:1]:
        sentence = (
            f"This brings back the payment of {row.day:%-d %b %Y} over {abs(line.amount).formatted} (line {line.id})."
            " Match it to that, or what was paid then stays paid."
        )
        yield Doubt(DoubtCode.PAYS_OPEN_ITEM, sentence, {"itemIds": [row.id]})


def counts(
    organization_id: str, line_ids: Sequence[int], categorised: Collection[int]
) -> dict[DoubtCode, int]:
    """Count the lines of each doubt; those in `categorised` get an account before they are posted."""
    found = of_lines(lines_ahead.load(organization_id, line_ids))
    codes = {line_id: {each.code for each in doubts} for line_id, doubts in found.items()}
    for line_id in categorised:
        codes[line_id] -= {DoubtCode.UNCATEGORISED}
    return {code: sum(code in each for each in codes.values()) for code in DoubtCode}


def _uncategorised(line: Transaction, posted: JournalEntry) -> Iterable[Doubt]:
    ids = {leg.account_id for leg in entries.legs_of(posted) if not leg.is_bank_leg}
    found = [lookups.get(Account, line.organization_id, each) for each in sorted(ids)]
    names = [each.name for each in found if each.role in UNCATEGORISED]
    if names:
        sentence = f"This goes to {names[0]} (line {line.id})."
        yield Doubt(DoubtCode.UNCATEGORISED, sentence)


def _destinations(
    drafts: Sequence[Transaction], feeds: Mapping[int | None, Feed]
) -> Mapping[int, Destination]:
    """Give what drafts likely pay or move, apart from those that do."""
    paying = [PayingLine.of(line, _merchants(line.journal_entry)) for line in drafts]
    return destinations.of_lines(drafts[0].organization_id, drafts, paying, feeds)


def _merchants(entry: JournalEntry | None) -> Iterable[int | None]:
    legs = [] if entry is None else entries.legs_of(entry)
    return [leg.merchant_id for leg in legs if not leg.is_bank_leg]


def _doubt(line_id: int, found: Destination) -> Iterable[Doubt]:
    """Doubt a line that likely pays something, or can only be one transfer."""
    if isinstance(found, LikelyPayment):
        yield Doubt(DoubtCode.PAYS_OPEN_ITEM, found.warning(line_id), {"itemIds": found.item_ids})
    elif found.is_only:
        others = {"transactionIds": [found.transaction_id]}
        yield Doubt(DoubtCode.MAY_BE_TRANSFER, found.warning(line_id), others)
