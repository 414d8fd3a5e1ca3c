"""Bound rows: every row of the books is as the event of the last act that wrote it bound it."""

import json
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.bound_rows import FIELDS, FORMAT, BoundDigest, digest_of, summary_of
from webapp.models import AuditEvent, BoundRow, WrittenRow
from webapp.queries.audit.bound_rows import Kept, kept
from webapp.queries.checks.violations import Violation, checked_organizations, found

AT_ONCE: Final = 5000
# How violations and the interface name a row of each kind.
NAMES: Final = {
    "account": ("Account", "accountId"),
    "bank_account": ("Bank account", "feedAccountId"),
    "bank_connection": ("Bank connection", "bankConnectionId"),
    "close": ("Close", "closeId"),
    "document": ("Document", "documentId"),
    "entry": ("Entry", "journalEntryId"),
    "key": ("Key", "tokenId"),
    "line": ("Bank line", "transactionId"),
    "member": ("The membership of person", "userId"),
    "organization": ("The organization's own row", ""),
    "proof": ("Reconciliation", "reconciliationId"),
    "rate": ("Exchange rate", "exchangeRateId"),
    "schedule": ("Schedule", "scheduleId"),
    "settlement": ("Settlement", "settlementId"),
    "tax_code": ("Tax code", "taxCodeId"),
    "tax_pack": ("Tax pack", "taxPackId"),
    "tax_part": ("Part of a tax", "taxPartId"),
    "tax_rate": ("Tax rate", "taxRateId"),
    "tax_return": ("Tax return", "taxReturnId"),
}
_STATUS, _VOIDED_BY = (FIELDS["entry"].index(name) for name in ("status", "voided_by_id"))


def unbound_writes() -> Iterable[Violation]:
    """Find rows that were written since the last event."""
    return found(
        "row_not_bound",
        sa.select(WrittenRow.organization_id, WrittenRow.kind, WrittenRow.row_id),
        lambda row: f"{_name(row.kind, row.row_id)} was written, and no event of the audit trail binds it.",
        lambda row: _about(row.kind, row.row_id),
    )


def rows_of_events() -> Iterator[Violation]:
    """Find events that say of the rows they bound something else than what is kept of these."""
    for organization_id in checked_organizations():
        events = sa.select(AuditEvent.sequence, AuditEvent.body)
        of_events = events.where(AuditEvent.organization_id == organization_id)
        bound = sa.select(BoundRow.sequence, BoundRow.kind, BoundRow.row_id, BoundRow.digest)
        of_rows = bound.where(BoundRow.organization_id == organization_id)
        with _in_order(of_events) as said, _in_order(of_rows) as kept:
            for sequence, group in groupby(merge(said, kept, key=itemgetter(0)), itemgetter(0)):
                if not _says(list(group)):
                    message = f"The rows that event {sequence} bound are not those that are kept of it."
                    yield Violation("event_rows_differ", message, organization_id, {"sequence": sequence})


def _in_order(statement: sa.Select[*tuple[Any, ...]]) -> sa.Result[Any]:
    return db.session.execute(statement.order_by("sequence"), execution_options={"yield_per": AT_ONCE})


def _says(of_event: Sequence[Any]) -> bool:
    """Return whether an event, the first, says of the rows behind it what they are."""
    event, *rows = of_event
    if len(event) != len(("sequence", "body")):
        return False
    said = json.loads(event.body).get("rows")
    return bool(said == (summary_of(BoundDigest(*row[1:]) for row in rows) if rows else None))


def rows() -> Iterator[Violation]:
    """Find rows that differ from what was bound of them last, and entries that ever were another one."""
    noted = sa.select(WrittenRow.organization_id, WrittenRow.kind, WrittenRow.row_id)
    written = {tuple(row) for row in db.session.execute(noted)}
    for organization_id in checked_organizations():
        for row in kept(organization_id):
            if _is_bound(organization_id, row) or (organization_id, row.kind, row.row_id) in written:
                continue
            message = f"{_name(row.kind, row.row_id)} is not what the audit trail says that an act wrote."
            yield Violation("row_differs", message, organization_id, _about(row.kind, row.row_id))


def _is_bound(organization_id: str, row: Kept) -> bool:
    """Return whether a row is what was bound last; a posted entry never was anything else, but for its void.

    What is bound in a format that nobody knows is nothing that a row can be.
    """
    digests = [bound.digest for bound in row.history]
    if any(bound.format != FORMAT for bound in row.history):
        return False
    if row.values is None or not digests:
        return row.values is None and digests[-1] is None
    last = digest_of(row.kind, organization_id, row.row_id, row.values)
    if row.kind != "entry" or digests[-1] != last:
        return bool(digests[-1] == last)
    row.values[_STATUS], row.values[_VOIDED_BY] = "POSTED", None
    return {*digests} <= {last, digest_of(row.kind, organization_id, row.row_id, row.values)}


def _name(kind: str, row_id: int) -> str:
    name, key = NAMES[kind]
    return f"{name} {row_id}" if key else name


def _about(kind: str, row_id: int) -> dict[str, object]:
    key = NAMES[kind][1]
    return {key: row_id} if key else {}


CHECKS = (unbound_writes, rows_of_events, rows)
