"""Imports of bank files: read, planned against the books, and taken whole."""

from datetime import datetime
from pathlib import Path

from webapp.database.sessions import db
from webapp.importers.bank_files import MappingNeededError
from webapp.ledger import titles
from webapp.ledger.money import Money
from webapp.ledger.references import Kind, Ref, refs
from webapp.models import Import
from webapp.queries.access import organizations
from webapp.queries.transactions import doubts
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.documents import payments
from webapp.services.imports import column_mappings, writes
from webapp.services.imports.planning import plans
from webapp.services.imports.planning.choices import NO_CHOICES, Choices
from webapp.services.imports.planning.records import Reading
from webapp.services.imports.prepared import ReadyImport
from webapp.services.imports.progress import Progress, silent
from webapp.services.imports.uploads import (
    Upload,
    add,
    chosen,
    describe,
    keep,
    payload_of,
)
from webapp.services.imports.writes import WrittenLines
from webapp.services.storage import kept_files


def recall(upload: Upload, organization_id: str) -> None:
    """Use the mapping that is remembered for the file's layout, where none came with it."""
    found = None
    if upload.mapping is None:
        found = column_mappings.find(organization_id, upload.data, upload.fa_id)
    if found is not None:
        upload.mapping, upload.remembered = found.mapping, found.sentence


def check_recalled(upload: Upload, reading: Reading) -> None:
    """Ask again for a remembered choice that this file's balances contradict; raises MappingNeededError."""
    columns = reading.file.columns
    if upload.remembered is None or columns is None or not columns.contradicted:
        return
    (key, *_) = columns.contradicted
    raise MappingNeededError(
        f"The balances of this file contradict what is remembered for its layout ({key}). Read it with a mapping of"
        " your own, or forget what is remembered.",
        key,
    )


def ready(
    reading: Reading,
    fa_id: int | None,
    organization_id: str,
    progress: Progress = silent,
    choices: Choices = NO_CHOICES,
    *,
    asks: bool = False,
) -> ReadyImport:
    """Compare a file with the books in the open transaction; raises FileRefusedError."""
    progress("comparing", 0, reading.lines)
    organization = organizations.get(organization_id)
    plan = plans.plan(organization, reading, chosen(organization_id, fa_id), choices, asks=asks)
    return ReadyImport(plan, organization, progress)


def begin(upload: Upload, *, actor: Actor, now: datetime) -> Import:
    """Write the record of a file whose lines come next."""
    return add(upload, actor, now, status="IMPORTED")


def take(
    imported: Import,
    ready: ReadyImport,
    written: WrittenLines,
    *,
    upload: Upload,
    actor: Actor,
    now: datetime,
) -> Import:
    """Complete an import whose lines are written, and keep its file."""
    target = ("import", imported.id)
    with act(actor, now, "import_file", target, payload=payload_of(imported)) as doing:
        organization = organizations.get(actor.organization_id)
        writing = writes.Writing(organization, imported, now)
        opened = writes.complete(writing, ready, written, act_id=doing.id)
        _remember_columns(imported, ready, now)
        describe(imported, ready)
        for code, sentence in ready.closed:
            doing.warn(code, sentence)
        if written.run_id is not None:
            put_elsewhere = doubts.of_runs(actor.organization_id, [written.run_id])
            imported.warnings = [*imported.warnings, *(sentence for _, sentence in put_elsewhere)]
        _note_accounts(imported, ready, {feed_account.id for feed_account in opened})
        keep(imported, upload, now=now)
        db.session.flush()
        doing.title = f"Imported {imported.file_name}: {_contents(imported, ready)}"
        doing.after = {"status": "IMPORTED", "added": ready.added}
        doing.result = {
            "added": ready.added,
            "faIds": [Ref.optional(Kind.FEED_ACCOUNT, account.target.fa_id) for account in ready.accounts],
            "openedFaIds": refs(Kind.FEED_ACCOUNT, [feed_account.id for feed_account in opened]),
        }
    payments.attach_to_import(actor.organization_id, imported.id, now=now)
    return imported


def take_kept(
    imported: Import,
    ready: ReadyImport,
    written: WrittenLines,
    *,
    upload: Upload,
    folder: Path,
    actor: Actor,
    now: datetime,
) -> Import:
    """Complete the import of a previewed file whose lines are written."""
    take(imported, ready, written, upload=upload, actor=actor, now=now)
    kept_files.drop(folder, imported.kept_file)
    imported.status, imported.kept_file, imported.created_at = "IMPORTED", None, now
    db.session.flush()
    return imported


def _note_accounts(imported: Import, ready: ReadyImport, opened: set[int]) -> None:
    """Store what the import did to its feed accounts, so that it can be taken back."""
    imported.accounts = [
        {
            **stored,
            "is_opened": stored["fa_id"] in opened,
            "takes_number": account.target.takes_number and stored["fa_id"] not in opened,
        }
        for stored, account in zip(imported.accounts, ready.accounts, strict=True)
    ]


def _remember_columns(imported: Import, ready: ReadyImport, now: datetime) -> None:
    """Remember the mapping that somebody chose for this file, or what was chosen for them, for the accounts in it."""
    if ready.columns is None or imported.reading.get("remembered"):
        return
    mapping = imported.reading.get("mapping") or ready.columns.choices
    if not mapping:
        return
    fa_ids = [account.target.fa_id for account in ready.accounts if account.target.fa_id is not None]
    column_mappings.remember(imported.organization_id, fa_ids, ready.columns, mapping, now=now)


def _contents(imported: Import, ready: ReadyImport) -> str:
    """Write for a title how many lines of which accounts and days a file brought, and their sums."""
    accounts = titles.listed([stored["name"] for stored in imported.accounts])
    lines = titles.counted(ready.added, "line")
    parts = [f"{titles.counted(ready.added, 'line')} of {accounts}" if accounts else lines]
    if ready.days_added:
        sums = [Money(minor, code).formatted for code, minor in sorted(ready.sums_added.items())]
        parts += [titles.days(min(ready.days_added), max(ready.days_added)), titles.listed(sums)]
    return ", ".join(parts)
