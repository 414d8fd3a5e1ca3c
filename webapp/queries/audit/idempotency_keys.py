"""Queries on idempotency keys."""

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import IdempotencyKey


def find(organization_id: str, actor: tuple[str, int], key: str) -> IdempotencyKey | None:
    """Find the answer that an actor, by kind and id, got under a key."""
    return db.session.scalar(
        sa.select(IdempotencyKey).where(
            IdempotencyKey.organization_id == organization_id,
            IdempotencyKey.actor_kind == actor[0],
            IdempotencyKey.actor_id == actor[1],
            IdempotencyKey.key == key,
        )
    )
