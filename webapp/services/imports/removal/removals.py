"""Taking an import back: everything that it brought is deleted, as if it had never been imported.

What another import brought too stays, and becomes that import's: it would have brought it without this one.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger import titles
from webapp.ledger.errors import LedgerError
from webapp.models import (
    Import,
    ImportLine,
    JournalEntry,
    Posting,
    ProviderBalance,
    ReconciliationItem,
    RuleSetting,
    StoredFile,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.models.base import table_of
from webapp.queries.accounts import feed_accounts
from webapp.queries.common import lookups
from webapp.queries.common.portions import portions
from webapp.queries.transactions import transactions
from webapp.queries.transactions.transactions import TransactionRecord
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.imports.removal import released_lines, unused_accounts
from webapp.services.storage import kept_files, stored_files
from webapp.services.transactions import unpairing

FEW = 20


class ConfirmedLinesError(LedgerError):
    """Lines of this import are or were confirmed, so it cannot be removed."""

    code = "confirmed"


class ClearedLinesError(LedgerError):
    """Lines of this import are ticked on a statement; untick them, then remove the import."""

    code = "cleared"


class Heir(NamedTuple):
    """The row of another import that has a line too."""

    transaction_id: int
    import_id: int
    position: int
    feed_account_id: int
    verdict: str


class RemovalBlocker(NamedTuple):
    """Why an import cannot be taken back, with the first lines in the way: `most` is how many are listed at most."""

    code: str
    sentence: str
    lines: list[TransactionRecord]
    most: int


def take_back(imported: Import, folder: Path, *, actor: Actor, now: datetime) -> None:
    """Undo an import and forget it; a preview or a refused one is only forgotten."""
    title = f"Removed the import {imported.file_name}"
    with act(actor, now, "take_back_import", ("import", imported.id), title=title) as doing:
        doing.before = {"status": imported.status, "fileName": imported.file_name, "sha256": imported.sha256}
        error = refusal(imported)
        if error is not None:
            raise error
        if imported.status == "IMPORTED":
            added = doing.before["added"] = sum(stored["added"] for stored in imported.accounts)
            doing.title += f" with its {titles.counted(added, 'line')}"
            _undo(imported, now)
        kept_files.drop(folder, imported.kept_file)
        db.session.flush()
        stored = _file_of(imported)
        db.session.delete(imported)
        db.session.flush()
        if stored is not None:
            # As if it had never been imported: a file that another import, a push or a document has too stays.
            stored_files.release(stored, now=now)


def _file_of(imported: Import) -> StoredFile | None:
    return db.session.scalar(
        sa.select(StoredFile).where(
            of_same_organization(StoredFile, imported), StoredFile.id == imported.file_id
        )
    )


def refusal(imported: Import) -> LedgerError | None:
    """Find the error that taking an import back would raise; None where it can be."""
    lines = _lines(imported)
    confirmed = _ids(
        sa.select(Posting.transaction_id)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            of_same_organization(Posting, imported),
            Posting.transaction_id.in_(lines),
            JournalEntry.status != "DRAFT",
        )
        .order_by(Posting.transaction_id)
    )
    if confirmed:
        return ConfirmedLinesError(details={"transactionIds": confirmed})
    cleared = _ids(
        sa.select(ReconciliationItem.transaction_id)
        .where(
            of_same_organization(ReconciliationItem, imported),
            ReconciliationItem.transaction_id.in_(lines),
        )
        .order_by(ReconciliationItem.transaction_id)
    )
    return ClearedLinesError(details={"transactionIds": cleared}) if cleared else None


def blocker(imported: Import) -> RemovalBlocker | None:
    """List the first lines that prevent taking an import back; None where none does."""
    error = refusal(imported) if imported.status == "IMPORTED" else None
    if error is None:
        return None
    ids: Any = error.details["transactionIds"]
    lines = lookups.by_id(Transaction, imported.organization_id, ids).values()
    in_order = sorted(lines, key=lambda line: (line.booked_on, line.id))
    records = transactions.records(imported.organization_id, in_order)
    return RemovalBlocker(error.code, error.message, records, FEW)


def _lines(imported: Import) -> sa.Select[int]:
    return sa.select(Transaction.id).where(refers_to(Transaction.import_id, imported))


def _ids(statement: sa.Select[Any]) -> list[int]:
    return list(db.session.scalars(statement.distinct().limit(FEW)))


def _undo(imported: Import, now: datetime) -> None:
    others = _other_imports(imported)
    _hand_over(imported, others)
    released_lines.release(imported, now=now)
    _delete_lines(imported, now)
    for model in (ImportLine, ProviderBalance):
        db.session.execute(sa.delete(model).where(refers_to(model.import_id, imported)))
    db.session.expire_all()
    for stored in imported.accounts:
        feed_account = feed_accounts.get(imported.organization_id, stored["fa_id"])
        touching = [each for each in others if _says_about(each, feed_account.id)]
        released_lines.update_pending(feed_account, touching)
        if feed_account.last_feed_at == imported.created_at:
            feed_account.last_feed_at = touching[-1].created_at if touching else None
        unused_accounts.undo_account(feed_account, stored, touching)


def _other_imports(imported: Import) -> Sequence[Import]:
    """List the imports that stay, from the first to the last."""
    return db.session.scalars(
        sa.select(Import)
        .where(
            of_same_organization(Import, imported),
            Import.id != imported.id,
            Import.status == "IMPORTED",
        )
        .order_by(Import.created_at, Import.id)
    ).all()


def _says_about(imported: Import, fa_id: int) -> bool:
    return any(stored["fa_id"] == fa_id for stored in imported.accounts)


def _hand_over(imported: Import, others: Sequence[Import]) -> None:
    """Give each line that another import has too to the first that has it."""
    by_id = {each.id: each for each in others}
    heirs = list(_heirs(imported, list(by_id)))
    line, row = table_of(Transaction), table_of(ImportLine)
    of_organization = {"of_organization": imported.organization_id}
    if heirs:
        db.session.execute(
            sa.update(line)
            .where(
                line.c.organization_id == sa.bindparam("of_organization"), line.c.id == sa.bindparam("line")
            )
            .values(import_id=sa.bindparam("heir")),
            [{**of_organization, "line": heir.transaction_id, "heir": heir.import_id} for heir in heirs],
        )
    booked = [heir for heir in heirs if heir.verdict == "ALREADY_THERE"]
    if booked:
        db.session.execute(
            sa.update(row)
            .where(
                row.c.organization_id == sa.bindparam("of_organization"),
                row.c.import_id == sa.bindparam("heir"),
                row.c.position == sa.bindparam("place"),
            )
            .values(verdict="NEW"),
            [{**of_organization, "heir": heir.import_id, "place": heir.position} for heir in booked],
        )
    for (import_id, fa_id), count in Counter(
        (each.import_id, each.feed_account_id) for each in booked
    ).items():
        _count_as_added(by_id[import_id], fa_id, count)


def _heirs(imported: Import, import_ids: Sequence[int]) -> Iterator[Heir]:
    """Find the first other import that has each line of this one."""
    place = {import_id: index for index, import_id in enumerate(import_ids)}
    rows = db.session.execute(
        sa.select(
            ImportLine.transaction_id,
            ImportLine.import_id,
            ImportLine.position,
            Transaction.feed_account_id,
            ImportLine.verdict,
        )
        .join(Transaction, refers_to(ImportLine.transaction_id, Transaction))
        .where(refers_to(Transaction.import_id, imported), ImportLine.import_id != imported.id)
    ).all()
    found = [Heir(row.transaction_id or 0, *row[1:]) for row in rows if row.import_id in place]
    first: dict[int, Heir] = {}
    for heir in sorted(found, key=lambda heir: (place[heir.import_id], heir.position)):
        first.setdefault(heir.transaction_id, heir)
    yield from first.values()


def _count_as_added(heir: Import, fa_id: int, count: int) -> None:
    heir.accounts = [
        {**stored, "added": stored["added"] + count, "already_there": stored["already_there"] - count}
        if stored["fa_id"] == fa_id
        else stored
        for stored in heir.accounts
    ]


def _delete_lines(imported: Import, now: datetime) -> None:
    """Delete the lines that only this import has, with their drafts and what else names them."""
    unpairing.bulk_unpair(_lines(imported), now=now)
    unpairing.forget(imported.organization_id, _lines(imported))
    entry_ids = set(
        db.session.scalars(
            sa.select(Transaction.journal_entry_id).where(
                refers_to(Transaction.import_id, imported),
                Transaction.journal_entry_id.is_not(None),
            )
        )
    )
    for portion in portions(entry_ids):
        db.session.execute(_of(imported, Posting).where(Posting.journal_entry_id.in_(portion)))
    db.session.execute(_of(imported, ImportLine).where(ImportLine.import_id == imported.id))
    db.session.execute(_of(imported, RuleSetting).where(RuleSetting.transaction_id.in_(_lines(imported))))
    db.session.execute(_of(imported, Transaction).where(Transaction.import_id == imported.id))
    for portion in portions(entry_ids):
        db.session.execute(_of(imported, JournalEntry).where(JournalEntry.id.in_(portion)))


def _of(imported: Import, model: Any) -> sa.Delete:
    return (
        sa.delete(model)
        .where(of_same_organization(model, imported))
        .execution_options(synchronize_session=False)
    )
