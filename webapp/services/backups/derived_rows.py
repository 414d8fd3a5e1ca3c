"""Derived rows of restored books: kept sums, registers, verdicts, and the texts by which documents are found."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.models import Document, Organization, RegisterLine, TransferPair
from webapp.models.base import table_of
from webapp.queries.checks import items, stored, sums, transfers
from webapp.queries.checks.violations import Violation
from webapp.services.audit import proof_breaks
from webapp.services.backups.archives import NotABackupError

# What the checks find wrong in derived rows alone: no figure of the books is in doubt.
CODES: Final = frozenset(
    {
        "sum_differs",
        "line_sum_differs",
        "register_differs",
        "pair_settled_differs",
        "item_settled_differs",
        "proof_verdict",
        "proof_break",
    }
)
# As in migrations/sql/sqlite/0230_words.sql.
_TEXTS: Final = tuple(f"coalesce({each}, '')" for each in ("number", "sender", "file_name", "text"))
_AMOUNTS: Final = tuple(
    f"coalesce(char(57345) || abs({each}) || char(57345), '')"
    for each in ("net_minor", "tax_minor", "total_minor")
)
_INDEX: Final = sa.table("document_texts", sa.column("rowid"), sa.column("texts"))
_ALL: Final = sa.literal_column(" || char(10) || ".join((*_TEXTS, *_AMOUNTS)), sa.Text())


def is_derived(violation: Violation) -> bool:
    """Tell whether a violation is one of derived rows, which a restore computes again."""
    return violation.code in CODES


def compute_again(session: orm.Session, now: datetime) -> None:
    """Write the derived rows anew where they are not what the facts make them; others stay as they are."""
    for check, counted in (
        (sums.account_sums, sums.counted_account_sums()),
        (sums.line_sums, sums.counted_line_sums()),
        (sums.registers, {RegisterLine: sums.registered()}),
    ):
        if any(check()):
            _write(session, counted)
    session.execute(
        sa.update(TransferPair)
        .where(transfers.is_wrongly_settled())
        .values(is_settled=sa.not_(TransferPair.is_settled))
        .execution_options(synchronize_session=False)
    )
    session.execute(items.settled_anew().execution_options(synchronize_session=False))
    for organization_id in session.scalars(sa.select(Organization.id).order_by(Organization.id)).all():
        proof_breaks.check_all(organization_id, now)


def _write(session: orm.Session, counted: Mapping[Any, sa.Select[Any]]) -> None:
    for model, rows in counted.items():
        # PostgreSQL refused these when it put the keys back; SQLite looks at the end, when they are written anew.
        if any(stored.lost_of([table_of(model)])):
            raise NotABackupError
        session.execute(sa.delete(model))
        session.execute(sa.insert(model).from_select(rows.selected_columns.keys(), rows))


def index_documents(connection: sa.Connection) -> None:
    """Let all documents be found that were written without triggers, where none was indexed before."""
    if connection.dialect.name == "sqlite":
        texts = sa.select(Document.id, _ALL).order_by(Document.id)
        connection.execute(sa.insert(_INDEX).from_select(["rowid", "texts"], texts))
