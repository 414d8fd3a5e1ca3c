"""Correction markers: a draft that says what a posted entry should look like, and the correction it becomes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from webapp.db import db
from webapp.ledger.errors import LedgerError
from webapp.ledger.journal.corrections import difference, effective, is_same
from webapp.ledger.journal.entries import Leg
from webapp.models import JournalEntry
from webapp.queries.access import organizations
from webapp.queries.journal import entries
from webapp.services.audit.act import Act
from webapp.services.journal import entries as journal_entries


class NotInForceError(LedgerError):
    """Only a posted entry is corrected: a draft is changed, and of a voided one nothing is in force."""

    code = "not_in_force"


def standing_legs(entry: JournalEntry) -> tuple[Leg, ...]:
    """Give the effective state of a posted entry: itself and all its corrections."""
    return effective(*entries.family_legs(entry))


def aim(entry: JournalEntry, target: Sequence[Leg], *, now: datetime) -> JournalEntry | None:
    """Open or change the one marker of a posted entry; a target that is in force already deletes it."""
    _check_in_force(entry)
    marker = entries.marker_of(entry)
    if is_same(target, standing_legs(entry)):
        if marker is not None:
            journal_entries.delete_draft(marker, now=now)
        return None
    if marker is None:
        return journal_entries.add_draft(
            organizations.get(entry.organization_id),
            entry.effective_on,
            target,
            source="correction",
            description=entry.description,
            now=now,
            corrects_id=entry.id,
        )
    journal_entries.write_legs(marker, target)
    return marker


def post_marker(entry: JournalEntry, marker: JournalEntry, doing: Act) -> JournalEntry | None:
    """Post what lies between a marker and what is in force, and delete the marker; nothing between posts nothing."""
    _check_in_force(entry)
    target = entries.legs_of(marker)
    standing = standing_legs(entry)
    journal_entries.check_accounts(entry.organization_id, target, standing=standing)
    legs = difference(target, standing)
    journal_entries.delete_draft(marker, now=doing.now)
    if not legs:
        return None
    organization = organizations.get(entry.organization_id)
    correction = journal_entries.add_draft(
        organization,
        organizations.first_open_day(organization.id, entry.effective_on),
        legs,
        source="correction",
        description=entry.description,
        now=doing.now,
        corrects_id=entry.id,
    )
    journal_entries.post(correction, doing)
    db.session.flush()
    return correction


def _check_in_force(entry: JournalEntry) -> None:
    if entry.status != "POSTED":
        raise NotInForceError
