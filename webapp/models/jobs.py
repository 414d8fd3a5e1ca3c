"""What is done by itself: one row for each time that something is to be done, or was."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.ledger.codes import JOB_STATES
from webapp.models.base import Numbered, created, numbered, one_of, partial_index


class Job(Numbered, Base):
    """Something that the worker does from `run_at` on, written in the transaction of the act that wants it.

    There is one of a kind, a subject and an occurrence, such as a day. A worker that runs it holds a lease. It is done
    at least once, and its effect is stored once: in one transaction with its end. `error` says what went wrong last.
    """

    __tablename__ = "jobs"
    __table_args__ = numbered(
        one_of("state", *JOB_STATES),
        sa.UniqueConstraint("organization_id", "kind", "subject", "occurrence"),
        partial_index("ix_jobs_open", "run_at", where="state IN ('WAITING', 'RUNNING')"),
        partial_index("ix_jobs_failed", "organization_id", where="state = 'FAILED'"),
    )

    kind: Mapped[str] = mapped_column(sa.String(32))
    subject: Mapped[str] = mapped_column(sa.String(80))
    occurrence: Mapped[str] = mapped_column(sa.String(40))
    state: Mapped[str] = mapped_column(sa.String(8))
    run_at: Mapped[datetime] = mapped_column(Instant)
    attempts: Mapped[int]
    leased_until: Mapped[datetime | None] = mapped_column(Instant)
    leased_by: Mapped[str | None] = mapped_column(sa.String(80))
    error: Mapped[str | None] = mapped_column(sa.Text)
    ended_at: Mapped[datetime | None] = mapped_column(Instant)
    created_at: Mapped[datetime] = created()
