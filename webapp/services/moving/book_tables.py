"""Moving in: charts, openings, open items and journals of other programs, each table taken whole or not at all."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256
from typing import Final

from webapp.database.sessions import db
from webapp.importers import book_tables
from webapp.importers.bank_files import SkippedRow
from webapp.importers.book_tables import BookTable
from webapp.ledger.codes import MOVED_VERDICTS
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.references import Kind, refs
from webapp.ledger.titles import counted
from webapp.models import Account, ActionRequest
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.journal import moved_tables
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act, unrecorded
from webapp.services.audit.limits import Bound
from webapp.services.audit.results import TouchedIds
from webapp.services.bookkeeping import voids
from webapp.services.moving.moved_rows import MovedRowRecord, Moving, record
from webapp.services.storage.savepoints import is_trial, trial

# As nobody else writes while they are taken.
BOUND: Final = Bound(3_000, "rows", "moved in", "Send the table in parts, such as one for each month.")
NAMES: Final = {
    "ACCOUNTS": "chart",
    "OPENING": "opening balances",
    "ITEMS": "open items",
    "JOURNAL": "journal",
}


class RowsRefusedError(UnprocessableError):
    """Rows of this table cannot be taken, and so nothing was; correct them, and send it again."""

    code = "table_rows"

    def __init__(self, rows: Sequence[MovedRowRecord] = ()) -> None:
        """Name the rows that are refused, each with the reason."""
        self.rows = rows
        found = [{"row": each.row, "problem": each.problem} for each in rows if each.problem]
        sentence = f"{counted(len(found), 'row')} of this table cannot be taken, and so nothing was."
        if found:
            sentence += f" Row {found[0]['row']}: {found[0]['problem']}"
        super().__init__(sentence if found else None, details={"rows": found})


class TakenBeforeError(LedgerError):
    """This table was moved in before; remove that first to take it again."""

    code = "taken_before"


@dataclass(frozen=True, slots=True)
class SentBookTable:
    """A table as somebody sends it, read: `on` is the day of balances, `document_type` what items are, if not both.

    `force` takes what would be asked about.
    """

    name: str
    digest: str
    table: BookTable
    on: date | None = None
    document_type: str | None = None
    force: bool = False


@dataclass(frozen=True, slots=True)
class MovedTable:
    """A table with what its rows became, or would become; the id is that of the act, None for a preview."""

    id: str | None
    kind: str
    file_name: str
    sha256: str
    mapping: Mapping[str, object]
    rows: Sequence[MovedRowRecord]
    skipped: Sequence[SkippedRow]

    @property
    def counts(self) -> dict[str, int]:
        """How many rows have each verdict."""
        found = Counter(each.verdict for each in self.rows if each.row is not None)
        return {each.lower(): found[each] for each in MOVED_VERDICTS}


def columns(kind: str) -> list[str]:
    """Return the keys of the columns that a kind of table may have."""
    return [*book_tables.KINDS[kind].columns]


def read(
    name: str,
    data: bytes,
    kind: str,
    mapping: Mapping[str, object] | None,
    *,
    on: date | None = None,
    document_type: str | None = None,
    force: bool = False,
) -> SentBookTable:
    """Read a table before anybody waits for the books.

    Raises FileRefusedError, MappingNeededError, and ActTooLargeError for more rows than are taken at once.
    """
    table = book_tables.read(data, kind, mapping)
    BOUND.hold(len(table.rows))
    return SentBookTable(name, sha256(data).hexdigest(), table, on, document_type, force)


def take(sent: SentBookTable, *, actor: Actor, now: datetime) -> MovedTable:
    """Take a table into the books, or raise RowsRefusedError with the rows that stand against it."""
    kind, organization = sent.table.kind, organizations.get(actor.organization_id)
    title = f"Moved in the {NAMES[kind]} of {sent.name}"
    payload = {
        "kind": kind,
        "fileName": sent.name,
        "sha256": sent.digest,
        "on": sent.on and sent.on.isoformat(),
        "documentType": sent.document_type,
    }
    with act(actor, now, "take_table", ("table", sent.digest[:40]), title=title, payload=payload) as doing:
        standing = moved_tables.standing(organization.id, during=doing.id)
        if any(each.payload["sha256"] == sent.digest for each in standing):
            raise TakenBeforeError
        is_bill = None if sent.document_type is None else sent.document_type == "BILL"
        moving = Moving(organization, doing, sent.on, is_bill, force=sent.force)
        moved = moving.take(kind, sent.table.rows)
        rows = [record(each, is_trial=is_trial()) for each in moved]
        if any(each.problem for each in rows):
            raise RowsRefusedError(rows)
        made = [each for each in rows if each.verdict == "NEW"]
        if not made:
            doing.nothing_to_do()
        doing.result = TouchedIds(sorted({each.entry_id for each in made if each.entry_id})).as_json()
        opened = [each.account_id for each in made if each.account_id and kind == "ACCOUNTS"]
        doing.after = {"rows": len(made), "accountIds": refs(Kind.ACCOUNT, opened)}
    return _moved(sent, rows, doing.id if made else None)


def preview(sent: SentBookTable, *, actor: Actor, now: datetime) -> MovedTable:
    """Take a table and take it back: what its rows would become, and what stands against them."""
    with trial():
        try:
            rows = take(sent, actor=actor, now=now).rows
        except RowsRefusedError as error:
            unrecorded(error)
            rows = error.rows
    return _moved(sent, rows, None)


def _moved(sent: SentBookTable, rows: Sequence[MovedRowRecord], table_id: str | None) -> MovedTable:
    table = sent.table
    return MovedTable(table_id, table.kind, sent.name, sent.digest, table.mapping, rows, table.skipped)


def remove(table_id: str, *, note: str = "", actor: Actor, now: datetime) -> ActionRequest:
    """Remove a table: its entries are voided, and its accounts archived where nothing else is posted to them.

    Raises NotVoidableError while a proof holds one of its entries.
    """
    taken = moved_tables.get(actor.organization_id, table_id)
    title = f"Removed the {NAMES[taken.payload['kind']]} of {taken.payload['fileName']}"
    with act(actor, now, "remove_table", ("table", table_id), title=title, note=note) as doing:
        if taken not in moved_tables.standing(actor.organization_id, during=doing.id):
            doing.nothing_to_do()
            return taken
        entries = moved_tables.entries_of(taken)
        if entries:
            voids.check_not_opened(entries)
        touched = TouchedIds()
        for entry in reversed(entries):
            touched = touched.joined(voids.reverse(entry, doing))
        doing.result = touched.as_json()
        ids = [int(each) for each in (taken.after or {}).get("accountIds", ())]
        archived = sorted({*ids} - moved_tables.used(actor.organization_id, ids))
        for account in lookups.by_id(Account, actor.organization_id, archived).values():
            account.is_archived = True
        db.session.flush()
        doing.after = {"accountIds": refs(Kind.ACCOUNT, archived)}
    return taken
