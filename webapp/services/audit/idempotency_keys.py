"""Idempotency keys: a write's answer, kept with the write itself, so that sending it again does it once."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import UnprocessableError
from webapp.models import IdempotencyKey

KEPT = timedelta(hours=48)
# Each new key takes so many old ones with it: the table shrinks by itself, and no write waits for long.
SWEPT_AT_ONCE = 20


class KeyReusedError(UnprocessableError):
    """This Idempotency-Key was sent with another request; give every new request a key of its own."""

    code = "idempotency_key_reused"


@dataclass(frozen=True, slots=True)
class Claim:
    """A key, whose it is, by kind and id, and the fingerprint of the request that it was sent with."""

    organization_id: str
    actor: tuple[str, int]
    key: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request was answered, byte for byte."""

    status: int
    content_type: str
    body: bytes


def answered(claim: Claim) -> Answer | None:
    """Give what the same request was answered under its key before; raises KeyReusedError for another request."""
    found = _kept(claim)
    if found is None:
        return None
    if found.fingerprint != claim.fingerprint:
        raise KeyReusedError
    return Answer(found.status, found.content_type, found.body)


def _kept(claim: Claim) -> IdempotencyKey | None:
    kind, actor_id = claim.actor
    return db.session.scalar(
        sa.select(IdempotencyKey).where(
            IdempotencyKey.organization_id == claim.organization_id,
            IdempotencyKey.actor_kind == kind,
            IdempotencyKey.actor_id == actor_id,
            IdempotencyKey.key == claim.key,
        )
    )


def keep(claim: Claim, answer: Answer, *, now: datetime) -> None:
    """Keep an answer for at least a day, in the open transaction of the organization's writer."""
    _sweep(claim.organization_id, now - KEPT)
    kind, actor_id = claim.actor
    db.session.execute(
        sa.insert(IdempotencyKey).values(
            organization_id=claim.organization_id,
            actor_kind=kind,
            actor_id=actor_id,
            key=claim.key,
            fingerprint=claim.fingerprint,
            status=answer.status,
            content_type=answer.content_type,
            body=answer.body,
            created_at=now,
        )
    )


def _sweep(organization_id: str, before: datetime) -> None:
    old = (
        sa.select(IdempotencyKey.id)
        .where(IdempotencyKey.organization_id == organization_id, IdempotencyKey.created_at < before)
        .order_by(IdempotencyKey.created_at)
        .limit(SWEPT_AT_ONCE)
    )
    db.session.execute(
        sa.delete(IdempotencyKey)
        .where(IdempotencyKey.organization_id == organization_id, IdempotencyKey.id.in_(old))
        .execution_options(synchronize_session=False)
    )
