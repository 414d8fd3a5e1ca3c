"""Correction markers of many posted entries at once, as a rule's run opens, changes and removes them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.journal.corrections import is_same
from webapp.ledger.journal.entries import Leg
from webapp.models import JournalEntry, Organization, Posting
from webapp.models.base import table_of
from webapp.queries.journal import target_legs
from webapp.queries.journal.target_legs import Family
from webapp.services.journal import counter_legs, entries
from webapp.services.journal.corrections import NotInForceError

_ENTRY, _POSTING = table_of(JournalEntry), table_of(Posting)


@dataclass(slots=True)
class _Markers:
    """What becomes of markers: those that open by the entry that they correct, those that change, those that go."""

    opening: dict[int, tuple[Family, Sequence[Leg]]] = field(default_factory=dict)
    changing: dict[int, Sequence[Leg]] = field(default_factory=dict)
    going: list[int] = field(default_factory=list)


def put_counters(organization: Organization, chosen: Mapping[int, tuple[int, Leg]], *, now: datetime) -> None:
    """Let one leg stand opposite a line in each of some posted entries, by their markers.

    `chosen` gives the line and the leg by the entry, which is that line's alone. A marker that would say what is in
    force goes. Takes a number of statements that does not depend on how many there are. Raises NotInForceError.
    """
    markers = _Markers()
    for entry_id, family in target_legs.families(organization.id, chosen.keys()).items():
        if family.entry.status != "POSTED":
            raise NotInForceError
        line_id, leg = chosen[entry_id]
        standing = family.standing
        present = [each for _, each in family.present.legs]
        wanted = counter_legs.target(organization.id, present, {line_id: [leg]}, standing)
        if not is_same(wanted, standing):
            if family.marker_id is None:
                markers.opening[entry_id] = family, wanted
            else:
                markers.changing[family.marker_id] = wanted
        elif family.marker_id is not None:
            markers.going.append(family.marker_id)
    _write(organization, markers, now)


def _write(organization: Organization, markers: _Markers, now: datetime) -> None:
    connection = db.session.connection()
    _take_legs(organization.id, [*markers.changing, *markers.going])
    _delete(organization.id, markers.going)
    said = dict(markers.changing)
    if markers.opening:
        rows = [_row(organization, family, now) for family, _ in markers.opening.values()]
        insert = sa.insert(_ENTRY).returning(_ENTRY.c.id, _ENTRY.c.corrects_id)
        for marker_id, entry_id in sorted(connection.execute(insert, rows).all()):
            said[marker_id] = markers.opening[entry_id][1]
    legs = [
        row
        for marker_id, wanted in said.items()
        for row in entries.leg_rows(organization.id, marker_id, organization.base_currency, wanted)
    ]
    if legs:
        connection.execute(sa.insert(_POSTING), legs)


def _row(organization: Organization, family: Family, now: datetime) -> dict[str, object]:
    return {
        "organization_id": organization.id,
        "effective_on": family.entry.effective_on,
        "description": family.entry.description,
        "status": "DRAFT",
        "source": "correction",
        "base_currency": organization.base_currency,
        "corrects_id": family.entry.id,
        "created_at": now,
    }


def _take_legs(organization_id: str, marker_ids: Collection[int]) -> None:
    if marker_ids:
        of_them = (_POSTING.c.organization_id == organization_id, _POSTING.c.journal_entry_id.in_(marker_ids))
        db.session.connection().execute(sa.delete(_POSTING).where(*of_them))


def _delete(organization_id: str, marker_ids: Collection[int]) -> None:
    """Take markers out of the books; one that was posted meanwhile stays, and stops the run."""
    if not marker_ids:
        return
    are_drafts = (_ENTRY.c.organization_id == organization_id, _ENTRY.c.status == "DRAFT")
    gone = db.session.connection().execute(sa.delete(_ENTRY).where(*are_drafts, _ENTRY.c.id.in_(marker_ids)))
    if gone.rowcount != len(marker_ids):
        raise entries.AlreadyPostedError
