"""Column mappings, remembered for each feed account as long as its tables keep their layout."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from webapp import importers
from webapp.database.sessions import db
from webapp.importers.bank_files import Columns
from webapp.models import ColumnMapping
from webapp.queries.imports import column_mappings
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act


@dataclass(frozen=True, slots=True)
class Remembered:
    """A remembered mapping, its feed account, and when it was set."""

    mapping: dict[str, object]
    fa_id: int
    name: str
    set_at: datetime

    @property
    def sentence(self) -> str:
        """Write where the mapping is from."""
        return f"The columns were read as remembered for {self.name} since {self.set_at:%-d %b %Y}."


def find(organization_id: str, data: bytes, fa_id: int | None) -> Remembered | None:
    """Find the mapping that is remembered for a table of this layout.

    That of the account that the file is for; where none was chosen, the one that all accounts agree on.
    """
    if not db.session.scalar(sa.select(sa.exists().where(ColumnMapping.organization_id == organization_id))):
        return None
    layouts = importers.layouts(data)
    if not layouts:
        return None
    statement = column_mappings.with_accounts(organization_id).where(ColumnMapping.layout.in_(layouts))
    if fa_id is not None:
        statement = statement.where(ColumnMapping.feed_account_id == fa_id)
    found = db.session.execute(statement).all()
    if not found or any(row.mapping != found[0][0].mapping for row, _ in found):
        return None
    row, name = found[0]
    return Remembered(row.mapping, row.feed_account_id, name, row.updated_at)


def remember(
    organization_id: str,
    fa_ids: Iterable[int],
    columns: Columns,
    mapping: Mapping[str, object],
    *,
    now: datetime,
) -> None:
    """Remember for these accounts how tables of this layout are read."""
    for fa_id in fa_ids:
        row = db.session.scalar(
            sa.select(ColumnMapping).where(
                ColumnMapping.organization_id == organization_id,
                ColumnMapping.feed_account_id == fa_id,
                ColumnMapping.layout == columns.layout,
            )
        )
        if row is None:
            row = ColumnMapping(
                organization_id=organization_id, feed_account_id=fa_id, layout=columns.layout, created_at=now
            )
            db.session.add(row)
        # The same mapping is the latest one again.
        row.mapping, row.names, row.updated_at = dict(mapping), list(columns.names), now
    db.session.flush()


def forget(mapping: ColumnMapping, *, actor: Actor, now: datetime) -> None:
    """Forget a mapping: the columns of the next file are detected, or chosen again."""
    with act(
        actor,
        now,
        "forget_columns",
        ("feed_account", mapping.feed_account_id),
        title="Forgot the remembered columns",
    ) as doing:
        doing.before = {"mapping": mapping.mapping, "names": mapping.names}
        db.session.delete(mapping)
        db.session.flush()
