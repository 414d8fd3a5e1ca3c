"""Merchants: made and changed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from webapp.db import db
from webapp.models import Merchant
from webapp.services.action_requests import act
from webapp.services.actors import Actor
from webapp.services.changes import change, facts, payload

FACTS = ("name", "website")


def create(*, name: str, website: str | None = None, actor: Actor, now: datetime) -> Merchant:
    """Make a merchant."""
    said = payload({"name": name, "website": website})
    target = ("merchant", "new")
    with act(actor, now, "create_merchant", target, title=f"Made the merchant {name}", payload=said) as doing:
        merchant = Merchant(
            organization_id=actor.organization_id, name=name, website=website, created_at=now, updated_at=now
        )
        db.session.add(merchant)
        db.session.flush()
        doing.target_id, doing.after = str(merchant.id), facts(merchant, FACTS)
    return merchant


def update(merchant: Merchant, changes: Mapping[str, Any], *, actor: Actor, now: datetime) -> Merchant:
    """Change what was sent of a merchant."""
    title = f"Changed the merchant {merchant.name}"
    target = ("merchant", merchant.id)
    with act(actor, now, "update_merchant", target, title=title, payload=payload(changes)) as doing:
        change(merchant, changes, doing, now)
    return merchant
