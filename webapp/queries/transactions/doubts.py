"""Reasons to look at a bank line again before it is posted."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webapp.ledger.chart import UNCATEGORISED
from webapp.ledger.codes import DoubtCode
from webapp.ledger.open_items.payable_items import PayableItem
from webapp.models import Account, JournalEntry, Transaction
from webapp.queries.common import lookups
from webapp.queries.items import line_payments, payment_choices, returned_payments
from webapp.queries.journal import entries
from webapp.queries.matching import booked_by_hand
from webapp.queries.transactions import lines_ahead


@dataclass(frozen=True, slots=True)
class Doubt:
    """A reason to look at a line again, in a sentence that a program tells from others by its code."""

    code: DoubtCode
    sentence: str
    details: Mapping[str, Any] = field(default_factory=dict)


def of_lines(lines: Sequence[Transaction]) -> dict[int, list[Doubt]]:
    """List, by line, what is doubtful about posting its draft or its correction as it stands."""
    found: dict[int, list[Doubt]] = {line.id: [] for line in lines}
    drafts = {}
    for line in lines:
        entry = line.journal_entry
        if entry is not None and entry.status == "DRAFT":
            drafts[line.id] = line
        posted = entry if entry is None or entry.status == "DRAFT" else entries.marker_of(entry)
        if posted is not None:
            found[line.id] += _uncategorised(line, posted)
    if not drafts:
        return found
    explained = booked_by_hand.of_lines(
        drafts.values(), {line.feed_account_id: line.feed_account for line in drafts.values()}
    )
    for line_id, by_hand in explained.items():
        ids = [each.journal_entry_id for each in by_hand]
        found[line_id] += (
            Doubt(DoubtCode.ALREADY_EXPLAINED, each.sentence, {"journalEntryIds": ids}) for each in by_hand
        )
    for line_id, item in _owed(list(drafts.values())):
        sentence = (
            f"Line {line_id} is exactly what is open of {item.label}. Let it settle that, or it stays open."
        )
        found[line_id].append(Doubt(DoubtCode.PAYS_OPEN_ITEM, sentence, {"itemIds": [item.id]}))
    for line in drafts.values():
        found[line.id] += _returned(line)
    return found


def _returned(line: Transaction) -> Iterable[Doubt]:
    """Say where a line on an account that keeps items, without a party, brings back a payment that it names."""
    legs = entries.legs_of(line.journal_entry) if line.journal_entry is not None else []
    nobody = {leg.account_id for leg in legs if not leg.is_bank_leg and leg.merchant_id is None}
    kept = [lookups.get(Account, line.organization_id, each) for each in sorted(nobody)]
    if not any(each.keeps_items for each in kept) or line_payments.paying(line.organization_id, [line.id]):
        return
    for row in returned_payments.rows(line, None)[:1]:
        sentence = (
            f"Line {line.id} brings back the payment of {row.day:%-d %b %Y} over {abs(line.amount).formatted}. Let it"
            " settle that, or what was paid then stays paid."
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
        sentence = f"Line {line.id} goes to {names[0]}."
        yield Doubt(DoubtCode.UNCATEGORISED, sentence)


def _owed(lines: Sequence[Transaction]) -> Iterable[tuple[int, PayableItem]]:
    """Give the open items that lines are exactly the amount of, for lines that pay nothing."""
    organization_id = lines[0].organization_id
    owed = payment_choices.exactly_open(organization_id, lines)
    paying = line_payments.paying(organization_id, owed) if owed else set()
    return ((line_id, item) for line_id, item in owed.items() if line_id not in paying)
