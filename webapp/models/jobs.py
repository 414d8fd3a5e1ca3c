"""What is done by itself, one row for each time, and webhooks: the addresses that are told what happens."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.ledger.codes import DELIVERY_STATES, JOB_STATES, WEBHOOK_STATUSES, WEBHOOK_VIEWS
from webapp.models.base import BigId, Numbered, created, foreign_key, numbered, one_of, partial_index


class Job(Numbered, Base):
    """Something that the worker does from `run_at` on, written in the transaction of the act that wants it.

    There is one of a kind, a subject and an occurrence, such as a day. A worker that runs it holds a lease. It is done
    at least once, and its effect is stored once: in one transaction with its end. `attempts` counts its failures,
    `deaths` the workers that died while they did it, and `error` says what went wrong last.
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
    deaths: Mapped[int] = mapped_column(default=0, server_default="0")
    leased_until: Mapped[datetime | None] = mapped_column(Instant)
    leased_by: Mapped[str | None] = mapped_column(sa.String(80))
    error: Mapped[str | None] = mapped_column(sa.Text)
    ended_at: Mapped[datetime | None] = mapped_column(Instant)
    created_at: Mapped[datetime] = created()


class WebhookEndpoint(Numbered, Base):
    """An address that is told of events of these types, `*` for any text, after an event of the audit chain.

    The vault keeps its secret as that of `uid`; for a day after `rotated_at` the one before it signs too. Failures
    count from `failing_since` on, which is none after a success and where somebody let it go on.
    """

    __tablename__ = "webhook_endpoints"
    __table_args__ = numbered(one_of("view", *WEBHOOK_VIEWS), one_of("status", *WEBHOOK_STATUSES))

    uid: Mapped[str] = mapped_column(sa.String(32))
    url: Mapped[str] = mapped_column(sa.String(2000))
    types: Mapped[list[str]] = mapped_column(sa.JSON)
    view: Mapped[str] = mapped_column(sa.String(8))
    status: Mapped[str] = mapped_column(sa.String(8))
    after_sequence: Mapped[int] = mapped_column(sa.BigInteger)
    failing_since: Mapped[datetime | None] = mapped_column(Instant)
    enabled_at: Mapped[datetime] = mapped_column(Instant)
    rotated_at: Mapped[datetime | None] = mapped_column(Instant)
    created_at: Mapped[datetime] = created()


class WebhookDelivery(Numbered, Base):
    """A message to an endpoint: every try sends the same `body` under the same id.

    One that somebody sends again by hand has an id of its own, and `replays` is the id of the one before it.
    """

    __tablename__ = "webhook_deliveries"
    __table_args__ = numbered(
        foreign_key("endpoint_id", "webhook_endpoints"),
        one_of("state", *DELIVERY_STATES),
        sa.Index("ix_webhook_deliveries_endpoint_id", "organization_id", "endpoint_id", "id"),
    )

    endpoint_id: Mapped[int] = mapped_column(BigId)
    message_id: Mapped[str] = mapped_column(sa.String(40))
    replays: Mapped[str | None] = mapped_column(sa.String(40))
    type: Mapped[str] = mapped_column(sa.String(64))
    body: Mapped[str] = mapped_column(sa.Text)
    state: Mapped[str] = mapped_column(sa.String(8))
    attempts: Mapped[int]
    status_code: Mapped[int | None]
    answer: Mapped[str] = mapped_column(sa.Text, default="")
    tried_at: Mapped[datetime | None] = mapped_column(Instant)
    created_at: Mapped[datetime] = created()
