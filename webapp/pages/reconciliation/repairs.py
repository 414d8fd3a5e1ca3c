"""The repair of a broken proof where it was broken: a card that leads to the one button, which then has the focus."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from flask import url_for

from webapp.queries.reconciliation.break_causes import BrokenBy
from webapp.queries.reconciliation.culprits import Culprit


class Repair(NamedTuple):
    """What the card does, what follows, and where it leads."""

    act: str
    consequence: str
    address: str


def repair_of(cause: BrokenBy, culprit: Culprit | None, can: Collection[str]) -> Repair | None:
    """The repair of what broke a proof, as far as the viewer may do it; None where the culprit is gone."""
    if culprit is None:
        return None
    if culprit.fa_id is not None and cause.transaction_id is not None:
        return _of_line(cause, cause.transaction_id, culprit, can)
    entry_id = cause.journal_entry_id
    if entry_id is None:
        return None
    if cause.field == "arrival" and culprit.entry_status == "POSTED" and "confirm" in can:
        return Repair(
            f"Void entry {entry_id}", "Its reversal cancels it, and the proof holds", _void(entry_id)
        )
    if cause.field == "entryStatus":
        return Repair(f"Open entry {entry_id}", "Write it again, then reopen the proof", _entry(entry_id))
    return Repair(f"Open entry {entry_id}", "Put back as it was, the proof holds", _entry(entry_id))


def _of_line(cause: BrokenBy, line_id: int, culprit: Culprit, can: Collection[str]) -> Repair:
    def at(edit: str | None, show: str | None = None) -> str:
        # A browser gives the focus to nothing where an address has a fragment.
        return url_for("feed_accounts.show", fa_id=culprit.fa_id, show=show, line=line_id, edit=edit)

    entry_id, is_draft = cause.journal_entry_id, culprit.entry_status == "DRAFT"
    if culprit.line_status in ("REMOVED", "DELETED") and "draft" in can:
        return Repair("Restore the line", "Restored and confirmed, it counts again", at("restore", "all"))
    if cause.field == "entryStatus" and is_draft and "confirm" in can:
        after = "Its draft becomes a new entry, and the proof holds"
        return Repair("Confirm the line again", after, at("confirm", "unconfirmed"))
    if cause.field == "arrival" and is_draft and "draft" in can:
        after = "It counts no longer, and the proof holds"
        return Repair("Leave the line out of the books", after, at("delete", "unconfirmed"))
    if cause.field == "arrival" and entry_id is not None and "confirm" in can:
        after = "Then leave its line out of the books, and the proof holds"
        return Repair(f"Void entry {entry_id}", after, _void(entry_id))
    return Repair(
        "Open the line", "With the values that the bank first sent, the proof holds", at(None, "all")
    )


def _entry(entry_id: int) -> str:
    return url_for("journal_entries.show", entry_id=entry_id)


def _void(entry_id: int) -> str:
    return url_for("journal_entries.show", entry_id=entry_id, act="void")
