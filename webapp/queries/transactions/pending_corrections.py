"""Pending corrections: the account, merchant and project that confirming would give a posted line."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.merchants import with_counting_merchants
from webapp.ledger.journal.sides import opposite
from webapp.ledger.money import Money
from webapp.models import Account, Merchant, Project, Transaction
from webapp.queries.common import lookups, merchants
from webapp.queries.items import line_payments
from webapp.queries.journal import target_legs
from webapp.queries.rules import runs
from webapp.queries.transactions import transactions
from webapp.queries.transactions.transactions import (
    PendingChange,
    TransactionRecord,
    parts_by_line,
    splits_of,
)

# Each field: its name, the attribute of a leg, the attribute of a line's record, and the model.
FIELDS = (
    ("account", "account_id", "account_id", Account),
    ("merchant", "merchant_id", "org_merchant_id", Merchant),
    ("project", "project_id", "project_id", Project),
)


@dataclass(frozen=True, slots=True)
class PendingFieldChange:
    """A field of a line by its name, with its effective value and the one after the correction, if any."""

    field: str
    before: str | None
    after: str | None


def detailed(transaction: Transaction) -> TransactionRecord:
    """Give the record of one line, with what set its fields, what waits, and what its draft is to pay."""
    provenance = runs.provenance(transaction.organization_id, transaction.id)
    (record,) = with_changes(transaction.organization_id, [transactions.record(transaction)])
    payment = line_payments.of_line(transaction.organization_id, transaction.id)
    if payment is None or record.entry_status != "DRAFT":
        return replace(record, provenance=provenance)
    return replace(
        record, provenance=provenance, settles=payment.parts, short=line_payments.short_of(payment)
    )


def of_records(
    organization_id: str, records: Sequence[TransactionRecord]
) -> dict[int, list[PendingFieldChange]]:
    """Give what the open corrections of lines would change beside the amount and the day."""
    corrected = [record for record in records if record.correction_marker_id is not None]
    legs_of = _target_legs(organization_id, corrected)
    return _field_changes(organization_id, corrected, legs_of)


def with_changes(organization_id: str, records: Sequence[TransactionRecord]) -> list[TransactionRecord]:
    """Give records with what confirming would give each posted line that has an open correction."""
    corrected = [record for record in records if record.correction_marker_id is not None]
    if not corrected:
        return list(records)
    legs_of = _target_legs(organization_id, corrected)
    changes = _field_changes(organization_id, corrected, legs_of)
    known = parts_by_line(organization_id, {record.id: record.amount for record in corrected}, legs_of)
    pending = {
        record.id: _pending(
            record.amount, legs_of.get(record.id, ()), changes[record.id], known.get(record.id, {})
        )
        for record in corrected
    }
    return [replace(each, pending_change=pending.get(each.id)) for each in records]


def of_lines(organization_id: str, line_ids: Sequence[int]) -> dict[int, PendingChange]:
    """Give what confirming would give each of these lines that has an open correction."""
    lines = lookups.by_id(Transaction, organization_id, line_ids)
    changed = with_changes(organization_id, transactions.records(organization_id, list(lines.values())))
    return {each.id: each.pending_change for each in changed if each.pending_change is not None}


def _pending(
    line: Money,
    legs: Sequence[Leg],
    changes: Sequence[PendingFieldChange],
    known: Mapping[int, int],
) -> PendingChange:
    single = legs[0] if len(legs) == 1 else None
    moved = ", ".join(
        f"{each.field} from {each.before or 'none'} to {each.after or 'none'}" for each in changes
    )
    return PendingChange(
        account_id=single.account_id if single else None,
        org_merchant_id=single.merchant_id if single else None,
        project_id=single.project_id if single else None,
        splits=splits_of(line, legs, known) if len(legs) > 1 else None,
        message=f"Posted: a correction is prepared{f' ({moved})' if moved else ''}. Confirm the line to write it.",
    )


def _target_legs(organization_id: str, corrected: Sequence[TransactionRecord]) -> dict[int, Sequence[Leg]]:
    """Give the legs opposite each line that its correction leads to."""
    entries = target_legs.bulk_of(
        organization_id,
        {record.journal_entry_id for record in corrected if record.journal_entry_id is not None},
    )
    merged = merchants.merged(organization_id) if entries else {}
    return {
        record.id: with_counting_merchants(
            opposite([leg for _, leg in entries[record.journal_entry_id].legs], record.id), merged
        )
        for record in corrected
        if record.journal_entry_id in entries
    }


def _field_changes(
    organization_id: str, corrected: Sequence[TransactionRecord], legs_of: Mapping[int, Sequence[Leg]]
) -> dict[int, list[PendingFieldChange]]:
    names = _FieldNames(organization_id, corrected, [leg for legs in legs_of.values() for leg in legs])
    return {record.id: list(names.changes(record, legs_of.get(record.id, ()))) for record in corrected}


class _FieldNames:
    def __init__(
        self, organization_id: str, records: Sequence[TransactionRecord], legs: Sequence[Leg]
    ) -> None:
        self._found: dict[str, Any] = {}
        for field, of_leg, of_line, model in FIELDS:
            ids = {getattr(leg, of_leg) for leg in legs} | {getattr(record, of_line) for record in records}
            self._found[field] = lookups.by_id(model, organization_id, ids)

    def changes(self, record: TransactionRecord, legs: Sequence[Leg]) -> Iterator[PendingFieldChange]:
        """Compare the effective fields of a line with the counter legs of its correction."""
        if not legs:
            return
        if len(legs) != 1 or record.splits:
            parts = record.splits
            before = f"split in {len(parts)}" if parts else self._name("account", record.account_id)
            after = f"split in {len(legs)}" if len(legs) != 1 else self._name("account", legs[0].account_id)
            yield PendingFieldChange("account", before, after)
            return
        for field, of_leg, of_line, _ in FIELDS:
            before_id, after_id = getattr(record, of_line), getattr(legs[0], of_leg)
            if before_id != after_id:
                yield PendingFieldChange(field, self._name(field, before_id), self._name(field, after_id))

    def _name(self, field: str, item_id: int | None) -> str | None:
        found = self._found[field].get(item_id)
        return found.name if found is not None else None
