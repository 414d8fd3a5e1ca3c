"""Records of lines with what is not sent unasked: the names of what they are booked on, and their likely account."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from webapp.queries.suggestions import likely_accounts
from webapp.queries.suggestions.likely_accounts import LikelyAccount
from webapp.queries.transactions.part_names import PartNames
from webapp.queries.transactions.transactions import SplitRecord, TransactionRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSplit(SplitRecord):
    """A part of a line with the names of its account, merchant and project."""

    account_name: str | None
    merchant_name: str | None
    project_name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedLine(TransactionRecord):
    """A line with the names of its account, merchant and project, and with its likely account."""

    account_name: str | None = None
    merchant_name: str | None = None
    project_name: str | None = None
    likely_account: LikelyAccount | None = None


def with_names(organization_id: str, records: Sequence[TransactionRecord]) -> list[TransactionRecord]:
    """Give lines with the names of what they and their splits are booked on, in three statements."""
    names = names_of(organization_id, records)
    return [
        replace(
            _named(record),
            splits=[named_split(names, split) for split in record.splits or ()] or None,
            account_name=names.account(record.account_id),
            merchant_name=names.merchant(record.org_merchant_id),
            project_name=names.project(record.project_id),
        )
        for record in records
    ]


def with_likely(organization_id: str, records: Sequence[TransactionRecord]) -> list[TransactionRecord]:
    """Give lines with their likely accounts, in a constant number of statements."""
    likely = likely_accounts.of_lines(organization_id, records)
    return [replace(_named(record), likely_account=likely.get(record.id)) for record in records]


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
        account_name=names.account(split.account_id),
        merchant_name=names.merchant(split.org_merchant_id),
        project_name=names.project(split.project_id),
    )


def _named(record: TransactionRecord) -> NamedLine:
    if isinstance(record, NamedLine):
        return record
    return NamedLine(**{each.name: getattr(record, each.name) for each in fields(TransactionRecord)})
