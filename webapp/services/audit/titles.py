"""Titles of acts: what they are about in the names, amounts and days that a bookkeeper knows."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final

from webapp.ledger import titles
from webapp.ledger.journal import sides
from webapp.ledger.journal.entries import Leg
from webapp.ledger.money import Money
from webapp.models import Account, ActionRequest, Document, JournalEntry, Merchant, Project, Transaction
from webapp.queries.audit import field_changes
from webapp.queries.common import lookups
from webapp.queries.journal import entries
from webapp.services.audit.field_changes import facts, payload

THE_DOCUMENT: Final[Mapping[str, str]] = {
    "RECEIPT": "the receipt",
    "INVOICE": "the invoice",
    "BILL": "the bill",
    "CREDIT_NOTE": "the credit note",
    "OTHER": "the document",
}


def of_pair(line: Transaction, other: Transaction) -> str:
    """Name two lines of two banks by both their accounts."""
    opposite = f"{other.amount.formatted} of {other.booked_on:%-d %b}"
    return f"{line.label} on {line.feed_account.name} and {opposite} on {other.feed_account.name}"


def of_entry(entry: JournalEntry) -> str:
    """Name an entry: by its text, its day and the bank's amount, or else by what is debited."""
    return of_legs(entry.description, entries.legs_of(entry), entry.effective_on)


def of_legs(description: str, legs: Sequence[Leg], day: date) -> str:
    """Name legs by a text, their sums and a day."""
    return " ".join(filter(None, (titles.quoted(description), _amounts(legs), f"of {day:%-d %b}")))


def of_new(description: str, legs: Sequence[Leg], day: date) -> str:
    """Name an entry that is being written."""
    text = f"“{titles.clipped(description)}”" if description else "an entry"
    return ", ".join(filter(None, (text, _amounts(legs), f"{day:%-d %b}")))


def _amounts(legs: Sequence[Leg]) -> str:
    bank = [leg for leg in legs if leg.is_bank_leg]
    sums: dict[str, int] = {}
    for leg in bank if len(bank) == 1 else [leg for leg in legs if leg.amount_minor > 0]:
        sums[leg.currency] = sums.get(leg.currency, 0) + leg.amount_minor
    return " + ".join(Money(minor, code).formatted for code, minor in sorted(sums.items()))


def of_document(document: Document) -> str:
    """Name a document by its kind, its label and its total."""
    total = f", {document.total.formatted}" if document.total is not None else ""
    return f"{THE_DOCUMENT[document.document_type]} {titles.quoted(document.label)}{total}"


def of_confirmation(line: Transaction, entry: JournalEntry | None) -> str:
    """Name the accounts that confirming a line posts to; of a posted one, from where to where its correction does."""
    if entry is None:
        return f"Confirmed {line.label}"
    if entry.status != "DRAFT":
        marker = entries.marker_of(entry)
        return f"Confirmed {line.label}" if marker is None else _of_correction(line, entry, marker)
    legs = entries.legs_of(entry)
    went = _went(line.id, legs, _names(line, legs))
    return f"Confirmed {line.label} as {went}" if went else f"Confirmed {line.label}"


def _of_correction(line: Transaction, entry: JournalEntry, marker: JournalEntry) -> str:
    """Name what a correction changes of a line: the accounts before and after it, the merchant and the project."""
    before, after = entries.effective_legs(entry), entries.legs_of(marker)
    names = _names(line, [*before, *after])
    origin, went = _went(line.id, before, names), _went(line.id, after, names)
    moved = "" if origin == went else f" from {origin} to {went}"
    head = f"Confirmed the correction of {line.label}{moved}"
    old, new = sides.counter_legs(before, line.id), sides.counter_legs(after, line.id)
    if len(old) != 1 or len(new) != 1:
        return head
    parts = []
    if old[0].merchant_id != new[0].merchant_id:
        parts += _choice(line, {"id": new[0].merchant_id}, "id", Merchant)
    if old[0].project_id != new[0].project_id:
        parts += _choice(line, {"id": new[0].project_id}, "id", Project)
    return f"{head}{',' if moved else ':'} {', '.join(parts)}" if parts else head


def _went(line_id: int, legs: Sequence[Leg], names: Mapping[int, str]) -> str:
    """Name where legs book a line, by the names of their accounts."""
    counters = dict.fromkeys(leg.account_id for leg in sides.counter_legs(legs, line_id))
    is_transfer = sides.is_shared(legs) and not counters
    return "a transfer" if is_transfer else titles.listed([names[each] for each in counters if each in names])


def _names(line: Transaction, legs: Iterable[Leg]) -> dict[int, str]:
    found = lookups.by_id(Account, line.organization_id, [leg.account_id for leg in legs])
    return {row.id: row.name for row in found.values()}


def _accounts(line: Transaction, ids: Iterable[int | None]) -> str:
    wanted = list(dict.fromkeys(ids))
    found = lookups.by_id(Account, line.organization_id, wanted)
    return titles.listed([found[each].name for each in wanted if each in found])


def of_edit(line: Transaction, changes: Mapping[str, Any]) -> str:
    """Write what an edit changes of a line, with names in place of ids."""
    entry = line.journal_entry
    parts = [
        *_choice(line, changes, "org_merchant_id", Merchant),
        *_choice(line, changes, "project_id", Project),
    ]
    if changes.get("description") is not None:
        parts.append(f"description “{titles.clipped(changes['description'])}”")
    if changes.get("splits") is not None:
        went = _accounts(line, [each["account_id"] for each in changes["splits"]])
        head = f"Split {line.label} among {went}"
    elif "account_id" in changes:
        nowhere = "uncategorised" if changes["account_id"] is None else "an unknown account"
        went = _accounts(line, [changes["account_id"]]) or nowhere
        head = f"Booked {line.label} to {went}"
    else:
        went, head = "", f"Changed {line.label}"
    if entry is not None and entry.status == "POSTED":
        head = f"Prepared a correction of {line.label}{f' to {went}' if went else ''}"
    return f"{head}{', ' if went else ': '}{', '.join(parts)}" if parts else head


def _choice(
    line: Transaction, changes: Mapping[str, Any], key: str, model: type[Merchant | Project]
) -> list[str]:
    if key not in changes:
        return []
    noun = "customer or supplier" if model is Merchant else "project"
    row = lookups.by_id(model, line.organization_id, [changes[key]]).get(changes[key])
    return [f"no {noun}" if row is None else f"{noun} {row.name}"]


def changed(
    thing: str, name: str, before: Mapping[str, object], after: Mapping[str, object], organization_id: str
) -> str:
    """Write what an act changes of a thing with a name; `before` and `after` are JSON as the audit trail has it.

    A list or an object is only named: a page shows it whole beside the title.
    """
    earlier = {key: before.get(key) for key in after}
    request = ActionRequest(id="", before=earlier, after=dict(after))
    is_renamed = (after.get("name") or name) != name
    values = {field_changes.label(key): after[key] for key in after}
    changes = [
        _change(each.field, values[each.field], each.after)
        for each in field_changes.of(organization_id, [request])[""]
        if each.field != "name"
    ]
    head = f"Renamed {thing} {name} to {after['name']}" if is_renamed else f"Changed {thing} {name}"
    return f"{head}: {', '.join(changes)}" if changes else head


def of_change(thing: str, row: Any, changes: Mapping[str, Any]) -> str:
    """Write what an act changes of a row with a name."""
    asked = payload(changes, type(row))
    return changed(thing, row.name, facts(row, changes), asked, row.organization_id)


def _change(field: str, value: object, lines: Sequence[field_changes.Line]) -> str:
    if isinstance(value, bool):
        return field if value else f"not {field}"
    if isinstance(value, (list, dict)):
        return field
    text = "".join(map(str, lines[0])) if lines else ""
    return f"{field} {titles.clipped(text)}" if text else f"no {field}"
