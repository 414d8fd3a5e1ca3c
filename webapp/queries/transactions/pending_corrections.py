"""Pending corrections: the account, merchant and project that confirming would give a posted line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.merchants import with_counting_merchants
from webapp.ledger.journal.sides import opposite
from webapp.models import Account, Merchant, Project
from webapp.queries.common import lookups, merchants
from webapp.queries.journal import target_legs
from webapp.queries.transactions.transactions import TransactionRecord

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


def of_records(
    organization_id: str, records: Sequence[TransactionRecord]
) -> dict[int, list[PendingFieldChange]]:
    """Give what the open corrections of lines would change beside the amount and the day."""
    corrected = [record for record in records if record.correction_marker_id is not None]
    entries = target_legs.bulk_of(
        organization_id,
        {record.journal_entry_id for record in corrected if record.journal_entry_id is not None},
    )
    merged = merchants.merged(organization_id) if entries else {}
    target_legs_of = {
        record.id: with_counting_merchants(
            opposite([leg for _, leg in entries[record.journal_entry_id].legs], record.id), merged
        )
        for record in corrected
        if record.journal_entry_id in entries
    }
    names = _FieldNames(organization_id, corrected, [leg for legs in target_legs_of.values() for leg in legs])
    return {record.id: list(names.changes(record, target_legs_of.get(record.id, ()))) for record in corrected}


class _FieldNames:
    def __init__(
        self, organization_id: str, records: Sequence[TransactionRecord], legs: Sequence[Leg]
    ) -> None:
        """Read the names once, for all lines."""
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
