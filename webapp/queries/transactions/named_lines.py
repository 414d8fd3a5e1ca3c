"""Records of lines with what is not sent unasked: the names of what they are booked on, and what they likely are."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from webapp.queries.suggestions import line_meanings
from webapp.queries.suggestions.line_meanings import NOTHING, LineMeaning
from webapp.queries.transactions.part_names import PartNames
from webapp.queries.transactions.transactions import SplitRecord, TransactionRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSplit(SplitRecord):
    """A part of a line with the names of its account, merchant and project."""

    account_name: str | None
    merchant_name: str | None
    project_name: str | None


def extended(
    organization_id: str, records: Sequence[TransactionRecord], *, names: bool, likely: bool
) -> list[dict[str, Any]]:
    """Give the fields of lines, with the names of what they are booked on, what they likely are, or both.

    What is not wanted is null. It takes a constant number of statements.
    """
    known = names_of(organization_id, records) if names else None
    meanings = line_meanings.of_records(organization_id, records) if likely else {}
    return [
        {each.name: getattr(record, each.name) for each in fields(TransactionRecord)}
        | named_fields(known, record)
        | _likely(meanings.get(record.id, NOTHING))
        for record in records
    ]


def _likely(meaning: LineMeaning) -> dict[str, Any]:
    return {f"likely_{each.name}": getattr(meaning, each.name) for each in fields(meaning)}


def named_fields(known: PartNames | None, record: TransactionRecord) -> dict[str, Any]:
    """Give the names of what a line is booked on, and its parts with theirs; null where the names are not known."""
    if known is None:
        return dict.fromkeys(("account_name", "merchant_name", "project_name"))
    return {
        "splits": [named_split(known, split) for split in record.splits or ()] or None,
        "account_name": known.account(record.account_id),
        "merchant_name": known.merchant(record.org_merchant_id),
        "project_name": known.project(record.project_id),
    }


def names_of(organization_id: str, records: Sequence[TransactionRecord]) -> PartNames:
    """Read the names of what lines and their splits are booked on."""
    parts: list[TransactionRecord | SplitRecord] = []
    for record in records:
        parts += [record, *(record.splits or ())]
    return PartNames(
        organization_id, [(part.account_id, part.org_merchant_id, part.project_id) for part in parts]
    )


def named_split(names: PartNames, split: SplitRecord) -> NamedSplit:
    """Give a part with the names of what it is booked on."""
    return NamedSplit(
        split.account_id,
        split.amount,
        split.project_id,
        split.org_merchant_id,
        split.tax_code_id,
        split.tax_point,
        account_name=names.account(split.account_id),
        merchant_name=names.merchant(split.org_merchant_id),
        project_name=names.project(split.project_id),
    )
