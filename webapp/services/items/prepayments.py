"""What a document states as prepaid: settled, when it is booked, with the items of its party that make it exactly."""

from typing import Any

from webapp.ledger.open_items.payment_sets import SetVerdict, payment_sets
from webapp.models import Account, Document, JournalEntry, OwedItem
from webapp.queries.common import lookups
from webapp.queries.items import prepaid
from webapp.services.journal.settlements import TakenPart, note, part_of, rest_of, settle_items


def settle(entry: JournalEntry) -> None:
    """Settle what the document of an entry that is posted now states as prepaid, in the open act.

    Where the party's items of the other sign make it in several ways, or in none, nothing is settled: that is a
    finding on the document.
    """
    if entry.document_id is None:
        return
    document = lookups.get(Document, entry.organization_id, entry.document_id)
    owed = prepaid.owed_item(document, entry.id)
    if owed is None or document.prepaid is None:
        return
    sign = 1 if owed.amount_minor > 0 else -1
    paid = _exactly(prepaid.paid_before(owed), -sign * document.prepaid.minor)
    if paid:
        account = lookups.get(Account, entry.organization_id, owed.account_id)
        taken = [part_of(owed, sign * document.prepaid.minor), *paid]
        note("after", [settle_items(account, taken, cause="DOCUMENT")])


def _exactly(candidates: list[Any], amount: int) -> list[TakenPart]:
    """Give the one set of items that make an amount, taken whole; none where there is none, or several."""
    found = payment_sets([each.amount_minor - each.settled_minor for each in candidates], amount)
    if found.verdict is not SetVerdict.UNIQUE:
        return []
    chosen: list[OwedItem] = [candidates[place] for place in found.sets[0]]
    return [rest_of(each) for each in chosen]
