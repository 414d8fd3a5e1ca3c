"""Audit files: the events of a period, the rows that they bound, and the chain's heads, to be verified elsewhere."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.bound_rows import FIELDS, FORMAT
from webapp.ledger.canonical import canonical_json
from webapp.ledger.chain import GENESIS
from webapp.models import AuditEvent, BoundRow, Organization
from webapp.queries.audit import events
from webapp.queries.audit.bound_rows import kept

AT_ONCE = 2000


def lines_of(organization: Organization, first: date | None, last: date | None) -> Iterator[str]:
    """Write an audit file as JSON Lines (docs/format.md): the events of some days, both inclusive, and their rows."""
    chosen = _between(organization, first, last)
    ends = sa.func.min(AuditEvent.sequence), sa.func.max(AuditEvent.sequence)
    lowest, highest = db.session.execute(sa.select(*ends).where(*chosen)).one()
    hashes = events.hashes(organization.id, [number for number in ((lowest or 1) - 1, highest) if number])
    before = hashes.get((lowest or 1) - 1, GENESIS)
    yield _line(type="books", organization=organization.id, format=FORMAT, fields=FIELDS, before=before)
    if lowest is None:
        yield _line(type="head", sequence=0, hash=before, events=0, rows=0)
        return
    yield from _events(organization.id, lowest, highest)
    count = 0
    for row in kept(organization.id):
        newest = row.history[-1] if row.history else None
        if newest is not None and lowest <= newest.sequence <= highest and row.values is not None:
            yield _line(type="row", kind=row.kind, id=row.row_id, values=_named(row.kind, row.values))
            count += 1
    yield _line(
        type="head",
        sequence=highest,
        hash=hashes[highest],
        events=highest - lowest + 1,
        rows=count,
    )


def _between(
    organization: Organization, first: date | None, last: date | None
) -> list[sa.ColumnElement[bool]]:
    chosen = [AuditEvent.organization_id == organization.id]
    zone = ZoneInfo(organization.time_zone)
    if first is not None:
        chosen.append(AuditEvent.at >= datetime.combine(first, time(), zone))
    if last is not None:
        chosen.append(AuditEvent.at < datetime.combine(last + timedelta(days=1), time(), zone))
    return chosen


def _events(organization_id: str, lowest: int, highest: int) -> Iterator[str]:
    """Write each event, and behind it the digests that it bound."""
    chosen = BoundRow.organization_id == organization_id, BoundRow.sequence.between(lowest, highest)
    bound = sa.select(BoundRow.sequence, BoundRow.kind, BoundRow.row_id, BoundRow.digest).where(*chosen)
    chain = sa.select(AuditEvent.sequence, AuditEvent.body, AuditEvent.hash).where(
        AuditEvent.organization_id == organization_id, AuditEvent.sequence.between(lowest, highest)
    )
    with (
        _in_order(chain.order_by(AuditEvent.sequence)) as said,
        _in_order(bound.order_by(BoundRow.sequence, BoundRow.kind, BoundRow.row_id)) as rows,
    ):
        following = next(rows, None)
        for event in said:
            yield _line(type="event", sequence=event.sequence, body=event.body, hash=event.hash)
            while following is not None and following.sequence == event.sequence:
                digest = following.digest.hex() if following.digest else None
                yield _line(type="bound", kind=following.kind, id=following.row_id, digest=digest)
                following = next(rows, None)


def _in_order(statement: sa.Select[*tuple[object, ...]]) -> sa.Result[*tuple[object, ...]]:
    return db.session.execute(statement, execution_options={"yield_per": AT_ONCE})


def _named(kind: str, values: list[Any]) -> dict[str, object]:
    """Give values the names of their fields, and those of the rows that belong to it; one may end before the last."""
    own = [field for field in FIELDS[kind] if isinstance(field, str)]
    lists = [field for field in FIELDS[kind] if not isinstance(field, str)]
    found: dict[str, object] = dict(zip(own, values[: len(values) - len(lists)], strict=False))
    for (name, names), rows in zip(lists, values[len(values) - len(lists) :], strict=True):
        found[name] = [dict(zip(names, row, strict=False)) for row in rows]
    return found


def _line(**record: object) -> str:
    return canonical_json(record) + "\n"
