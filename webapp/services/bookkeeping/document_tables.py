"""Filing the invoices of a table: a document for each, with its merchant and its entry where somebody wants them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError
from webapp.ledger.files.file_kinds import cleaned, sniffed
from webapp.models import Document, InboxFile
from webapp.queries.access import organizations
from webapp.queries.documents import documents as queried
from webapp.queries.documents import inbox_files
from webapp.queries.suggestions.document_bookings import SUGGESTED, ChosenAccounts
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.limits import Bound
from webapp.services.bookkeeping import document_bookings
from webapp.services.documents import documents, fields, filings, parties, same_invoices, table_plans
from webapp.services.documents.table_plans import PlannedInvoice, SentTable
from webapp.services.storage import stored_files

BOUND_OF_ENTRIES: Final = Bound(200, "invoices", "filed with their entries", table_plans.IN_PARTS)


@dataclass(frozen=True, slots=True)
class TableChoices:
    """What is made of the rows apart from documents: merchants that are not known yet, and entries.

    `entries` is one of `codes.TABLE_ENTRIES`. With `force` a row is filed whose number its sender has used before, and
    a `note` says why.
    """

    makes_merchants: bool = False
    entries: str = "NONE"
    accounts: ChosenAccounts = SUGGESTED
    force: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class FiledTable:
    """What became of a table: its own document, and of each row the entry, or why it has none, by the row's number."""

    planned: Sequence[PlannedInvoice]
    filed: frozenset[int]
    document: Document | None = None
    entry_ids: Mapping[int, int] = field(default_factory=dict)
    problems: Mapping[int, str] = field(default_factory=dict)


def file_table(sent: SentTable, choices: TableChoices, *, actor: Actor, now: datetime) -> FiledTable:
    """File the invoices of a table that are not there, and with them the table itself, which they came from.

    An entry that the books refuse leaves its document without one, with the reason. Raises what `table_plans.plan`
    raises, UnknownReferenceError, ActTooLargeError, and ForceNoteError for `force` without a note.
    """
    if choices.force and not choices.note.strip():
        raise same_invoices.ForceNoteError(fields={"note": [str(same_invoices.ForceNoteError())]})
    document_bookings.refer(choices.accounts, actor.organization_id)
    planned = table_plans.plan(sent, organizations.get(actor.organization_id), now=now)
    new = table_plans.chosen(planned, force=choices.force)
    if choices.entries != "NONE":
        BOUND_OF_ENTRIES.hold(len(new))
    made = [each.document for each in new]
    parties.recognise(actor.organization_id, made)
    if choices.makes_merchants:
        _make_merchants(made, actor, now)
    filings.file_all(made, actor=actor, now=now, note=choices.note)
    entry_ids: dict[int, int] = {}
    problems: dict[int, str] = {}
    for each in new if choices.entries != "NONE" else ():
        try:
            entry_ids[each.stated.row] = _enter(each, choices, actor, now)
        except LedgerError as error:
            problems[each.stated.row] = str(error)
    rows = frozenset(each.stated.row for each in new)
    document = (
        _file_itself(sent, actor, now) if new else queried.with_file(actor.organization_id, sent.digest)
    )
    return FiledTable(planned, rows, document, entry_ids, problems)


def file_waiting(
    waiting: InboxFile, sent: SentTable, choices: TableChoices, *, actor: Actor, now: datetime
) -> FiledTable:
    """File the invoices of a table that waits in the inbox, where it waits no longer once a document has its file."""
    filed = file_table(sent, choices, actor=actor, now=now)
    if filed.document is not None:
        db.session.delete(waiting)
        db.session.flush()
    return filed


def data_of(waiting: InboxFile) -> bytes:
    """Give the bytes of a file that waits."""
    return stored_files.read(inbox_files.file_of(waiting))


def _enter(planned: PlannedInvoice, choices: TableChoices, actor: Actor, now: datetime) -> int:
    """Write the entry of a document in a savepoint of its own, so that a refused one leaves nothing."""
    document, own = planned.document, planned.stated.amount_base
    is_foreign = document.currency != organizations.get(actor.organization_id).base_currency
    with db.session.begin_nested():
        return document_bookings.enter(
            document,
            choices.accounts,
            amount_base=own if is_foreign else None,
            post=choices.entries == "POSTED",
            force=choices.force,
            actor=actor,
            now=now,
        ).id


def _make_merchants(made: Sequence[Document], actor: Actor, now: datetime) -> None:
    """Make a merchant of each party that fits none, and let the documents behind it have that one."""
    for document in made:
        if document.org_merchant_id is None:
            fitting = parties.fitting(document)
            if not fitting:
                fitting = [parties.make(document, actor=actor, now=now)]
            document.org_merchant_id = fitting[0].id if len(fitting) == 1 else None


def _file_itself(sent: SentTable, actor: Actor, now: datetime) -> Document:
    """File a table as a document of no type, unless one has its file; from there it is downloaded and deleted."""
    there = queried.with_file(actor.organization_id, sent.digest)
    if there is not None:
        return there
    with act(actor, now, "create_document", ("document", "new")) as doing:
        document, kind = documents.begun(actor.organization_id, now), sniffed(sent.data)
        document.file_name, document.file_type = cleaned(sent.name, kind.endings), kind.type
        document.file_size, document.sha256 = len(sent.data), sent.digest
        packed = stored_files.pack(sent.data)
        stored_files.keep(actor.organization_id, packed, document.file_name, kind.type, now=now)
        fields.write(document, {})
        db.session.add(document)
        db.session.flush()
        documents.filed(document, {}, doing)
    return document
