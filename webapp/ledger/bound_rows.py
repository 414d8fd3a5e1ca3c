"""Bound rows: the canonical form in which the audit chain binds what acts wrote (docs/format.md)."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from webapp.ledger.canonical import canonical_json, sha256_hex

# Raised where FIELDS change: the migration that does so lets all rows be bound anew.
FORMAT: Final = 1

Fields = tuple["str | tuple[str, Fields]", ...]
# By kind, the columns of a row in the order of its canonical form; a pair is a list of rows that belong to it.
FIELDS: Final[Mapping[str, Fields]] = {
    "account": (
        "code",
        "name",
        "type",
        "currency",
        "parent_id",
        "in_scope",
        "requires_counterparty",
        "is_revalued",
        "keeps_items",
        "items_from",
        "is_archived",
        "role",
        "created_at",
    ),
    "bank_account": (
        "account_id",
        "institution_id",
        "external_id",
        "name",
        "currency",
        "mask",
        "provider",
        "is_active",
        "splits_batches",
        "created_at",
    ),
    "close": (
        "period",
        "starts_on",
        "ends_on",
        "status",
        "needs_two",
        "document",
        "digest",
        "note",
        "previous_id",
        "lock_before",
        "preparer_id",
        "prepared_by",
        "prepared_at",
        "approved_by",
        "approved_at",
        "reopened_by",
        "reopened_at",
        "reopen_note",
    ),
    "document": (
        "document_type",
        "side",
        "file_name",
        "number",
        "sender",
        "issued_on",
        "net_minor",
        "tax_minor",
        "total_minor",
        "currency",
        "original_currency",
        "due_on",
        "prepaid_minor",
        "due_minor",
        "buyer",
        "seller_vat_id",
        "iban",
        "remittance",
        "invoice",
        "account_id",
        "org_merchant_id",
        "project_id",
        "sha256",
        "created_at",
        "received_on",
        ("files", ("sha256", "file_name")),
    ),
    "entry": (
        "effective_on",
        "description",
        "status",
        "source",
        "base_currency",
        "corrects_id",
        "voids_id",
        "voided_by_id",
        "document_id",
        "action_request_id",
        "created_at",
        "posted_at",
        "number",
        "fact_on",
        "is_moved",
        "is_closing",
        "tax_reason",
        "is_adjusting",
        "lock_exception_id",
        "appropriates_on",
        (
            "legs",
            (
                "account_id",
                "amount_minor",
                "currency",
                "amount_base_minor",
                "is_bank_leg",
                "org_merchant_id",
                "project_id",
                "transaction_id",
                "due_on",
                "reference",
                "has_own_base",
                "tax_code_id",
                "tax_point",
                "boxes",
            ),
        ),
    ),
    "key": (
        "user_id",
        "name",
        "scopes",
        "created_at",
        "expires_at",
        "revoked_at",
        "max_entries_a_day",
        "max_amount_a_day_minor",
        "max_requests_a_minute",
    ),
    "line": (
        "feed_account_id",
        "provider_transaction_id",
        "status",
        "booked_on",
        "value_on",
        "amount_minor",
        "currency",
        "description",
        "counterparty",
        "reference",
        "iban",
        "details",
        "created_at",
    ),
    "member": ("role", "created_at"),
    "organization": (
        "name",
        "base_currency",
        "time_zone",
        "lock_date",
        "vat_ids",
        "retention_years",
        "write_off_limit_minor",
        "created_at",
        "adjustments_lock_date",
        ("years", ("starts_on", "first_month")),
    ),
    "proof": (
        "feed_account_id",
        "status",
        "statement_date",
        "statement_balance_minor",
        "currency",
        "keep_as_new",
        "opening_balance_minor",
        "opening_date",
        "previous_id",
        "reopened_from_id",
        "opening_entry_id",
        "frozen",
        "digest",
        "left_open",
        "opened_at",
        "opened_by",
        "completed_at",
        "completed_by",
        "reopened_at",
        "reopened_by",
        "reopen_reason",
        ("items", ("transaction_id", "journal_entry_id", "is_standing", "frozen_on", "frozen_minor")),
    ),
    "rate": ("day", "currency", "units_per_base", "source", "created_at"),
    "settlement": (
        "account_id",
        "currency",
        "base_currency",
        "status",
        "cause",
        "settled_on",
        "undone_on",
        "actor",
        "reason",
        "created_at",
        "undone_at",
        ("parts", ("item_id", "journal_entry_id", "amount_minor", "amount_base_minor")),
        ("entries", ("journal_entry_id", "purpose")),
    ),
    "tax_code": (
        "code",
        "name",
        "side",
        "rate",
        "basis",
        "amount_is",
        "is_self_assessed",
        "has_relief",
        "pack",
        "valid_from",
        "valid_to",
        "is_archived",
        "shares",
        "created_at",
    ),
    "tax_pack": ("name", "version", "basis", "frequency", "starts_on", "created_at", "counted_from"),
    "tax_part": (
        "journal_entry_id",
        "settlement_id",
        "kind",
        "tax_code_id",
        "tax_point",
        "base_minor",
        "tax_minor",
        "posted_by_id",
        "cause_id",
        "is_own_day",
        "account_id",
        "size_minor",
    ),
    "tax_rate": ("day", "last_day", "currency", "units_per_base", "source", "created_at"),
    "tax_return": (
        "form",
        "pack_version",
        "starts_on",
        "ends_on",
        "status",
        "figures",
        "digest",
        "reference",
        "note",
        "filed_at",
        "filed_by",
        "journal_entry_id",
        "withdrawn_at",
        "reason",
        ("stamps", ("posting_id", "form", "ended_at")),
    ),
}
# A row ends before each of these, if it has nothing from there on.
LEFT_OUT: Final = frozenset(
    {"tax_code_id", "tax_reason", "is_adjusting", "received_on", "counted_from", "adjustments_lock_date"}
)


class BoundDigest(NamedTuple):
    """A row as an act left it: its digest of 32 bytes, or None where it is gone."""

    kind: str
    row_id: int
    digest: bytes | None


def digest_of(kind: str, organization_id: str, row_id: int, values: Sequence[object]) -> bytes:
    """Hash a row: SHA-256 of the canonical JSON of its kind, format, organization, id and the values of its fields.

    >>> digest_of("member", "org_1", 7, ["OWNER", "2026-11-02T23:30:00.000000Z"]).hex()[:16]
    '0fed3b6e15f26dbd'
    """
    text = canonical_json([kind, FORMAT, organization_id, row_id, *values])
    return sha256(text.encode()).digest()


def summary_of(rows: Iterable[BoundDigest]) -> dict[str, object]:
    r"""Count rows, and hash them by kind and id: a line each, `kind id digest\n`, with `-` for a row that is gone.

    >>> summary_of([BoundDigest("rate", 2, None), BoundDigest("entry", 10, bytes(32))])["count"]
    2
    """
    lines = [f"{row.kind} {row.row_id} {row.digest.hex() if row.digest else '-'}\n" for row in sorted(rows)]
    return {"count": len(lines), "digest": sha256_hex("".join(lines))}
