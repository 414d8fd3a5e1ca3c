"""Correction markers: the draft of what a posted entry shall be, set for one entry or many, and its posting."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError
from webapp.ledger.journal.corrections import difference, is_same
from webapp.ledger.journal.entries import Leg
from webapp.ledger.references import Kind
from webapp.models import JournalEntry, Organization
from webapp.models.base import table_of
from webapp.queries.access import organizations
from webapp.queries.journal import entries
from webapp.queries.journal.target_legs import Family
from webapp.services.audit import updates
from webapp.services.audit.act import Act
from webapp.services.journal import entries as journal_entries
from webapp.services.journal import open_days, settled_items

_ENTRY = table_of(JournalEntry)
CORRECTED = "A correction changed one of its items."


class NotInForceError(LedgerError):
    """Only a posted entry can be corrected: edit a draft instead; a voided entry has no effect."""

    code = "not_in_force"


def set_correction_target(
    entry: JournalEntry, target: Sequence[Leg], *, now: datetime
) -> JournalEntry | None:
    """Open or change the one marker of a posted entry; a target that is in force already deletes it."""
    _check_in_force(entry)
    marker = entries.marker_of(entry)
    if is_same(target, entries.effective_legs(entry)):
        if marker is not None:
            journal_entries.delete_draft(marker)
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


def bulk_set_correction_targets(
    organization: Organization, targets: Iterable[tuple[Family, Sequence[Leg]]], *, now: datetime
) -> None:
    """Open, change or delete the markers of many posted entries; the number of statements does not grow with them."""
    opening: dict[int, tuple[Family, Sequence[Leg]]] = {}
    changing: dict[int, Sequence[Leg]] = {}
    deleting: list[int] = []
    corrected: list[int] = []
    for family, target in targets:
        if family.entry.status != "POSTED":
            raise NotInForceError
        corrected.append(family.entry.id)
        if not is_same(target, family.effective):
            if family.marker_id is None:
                opening[family.entry.id] = family, target
            else:
                changing[family.marker_id] = target
        elif family.marker_id is not None:
            deleting.append(family.marker_id)
    updates.touch(Kind.JOURNAL_ENTRY, corrected)
    journal_entries.delete_legs(organization.id, deleting)
    _delete_markers(organization.id, deleting)
    markers = changing | _open_markers(organization, opening, now)
    journal_entries.write_all_legs(organization.id, organization.base_currency, markers)


def post_marker(entry: JournalEntry, marker: JournalEntry, doing: Act) -> JournalEntry | None:
    """Post the difference between a marker and what is in force, and delete the marker; no difference posts nothing."""
    _check_in_force(entry)
    target = entries.legs_of(marker)
    in_force = entries.effective_legs(entry)
    journal_entries.check_accounts(entry.organization_id, target, existing=in_force)
    legs = difference(target, in_force)
    journal_entries.delete_draft(marker)
    if not legs:
        return None
    organization = organizations.get(entry.organization_id)
    adjusted = open_days.adjusted(entry)
    correction = journal_entries.add_draft(
        organization,
        adjusted or organizations.first_open_day(organization.id, entry.effective_on),
        legs,
        source="correction",
        description=entry.description,
        now=doing.now,
        corrects_id=entry.id,
        is_closing=entry.is_closing,
        is_adjusting=adjusted is not None,
        appropriates_on=entry.appropriates_on,
    )
    settled_items.make_room(entry, legs, CORRECTED, correction.effective_on)
    journal_entries.post(correction, doing)
    doing.corrected.add(entry.id)
    db.session.flush()
    settled_items.release_uncarried(entry, CORRECTED, correction.effective_on)
    return correction


def _check_in_force(entry: JournalEntry) -> None:
    if entry.status != "POSTED":
        raise NotInForceError


def _open_markers(
    organization: Organization, opening: Mapping[int, tuple[Family, Sequence[Leg]]], now: datetime
) -> dict[int, Sequence[Leg]]:
    """Write new markers without legs; answers the target of each by the marker's id."""
    if not opening:
        return {}
    rows = [
        {
            "organization_id": organization.id,
            "effective_on": family.entry.effective_on,
            "description": family.entry.description,
            "status": "DRAFT",
            "source": "correction",
            "base_currency": organization.base_currency,
            "corrects_id": family.entry.id,
            "created_at": now,
        }
        for family, _ in opening.values()
    ]
    insert = sa.insert(_ENTRY).returning(_ENTRY.c.id, _ENTRY.c.corrects_id)
    written = sorted(db.session.connection().execute(insert, rows).all())
    return {marker_id: opening[entry_id][1] for marker_id, entry_id in written}


def _delete_markers(organization_id: str, marker_ids: Collection[int]) -> None:
    """Take markers out of the books; one that was posted meanwhile stays, and stops the run."""
    if not marker_ids:
        return
    are_drafts = (_ENTRY.c.organization_id == organization_id, _ENTRY.c.status == "DRAFT")
    deleted = db.session.connection().execute(
        sa.delete(_ENTRY).where(*are_drafts, _ENTRY.c.id.in_(marker_ids))
    )
    if deleted.rowcount != len(marker_ids):
        raise journal_entries.AlreadyPostedError
