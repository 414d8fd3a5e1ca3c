"""Questions about idempotency keys: what one stands for."""

from __future__ import annotations

import sqlalchemy as sa

from webapp.db import db
from webapp.models import IdempotencyKey


def find(organization_id: str, actor: tuple[str, int], key: str) -> IdempotencyKey | None:
    """Find what somebody, by kind and id, was answered under a key."""
    return db.session.scalar(
        sa.select(IdempotencyKey).where(
            IdempotencyKey.organization_id == organization_id,
            IdempotencyKey.actor_kind == actor[0],
            IdempotencyKey.actor_id == actor[1],
            IdempotencyKey.key == key,
        )
    )
