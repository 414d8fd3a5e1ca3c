"""Merchants: created, changed and, where nothing names them, deleted."""

from __future__ import annotations

from datetime import datetime
from typing import TypedDict

from webapp.db import db
from webapp.ledger.errors import LedgerError
from webapp.models import Merchant
from webapp.queries.accounts import usages
from webapp.services.audit import titles
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.field_changes import change, facts, payload

FACTS = ("name", "website")


class MerchantInUseError(LedgerError):
    """Postings or a rule use this merchant, so it stays."""

    code = "in_use"


class MerchantChanges(TypedDict, total=False):
    """The fields of a merchant that were sent; what is not sent stays."""

    name: str
    website: str | None


def create(*, name: str, website: str | None = None, actor: Actor, now: datetime) -> Merchant:
    """Make a merchant."""
    fields = payload({"name": name, "website": website}, Merchant)
    target = ("merchant", "new")
    with act(
        actor, now, "create_merchant", target, title=f"Created the merchant {name}", payload=fields
    ) as doing:
        merchant = Merchant(organization_id=actor.organization_id, name=name, website=website, created_at=now)
        db.session.add(merchant)
        db.session.flush()
        doing.target_id, doing.after = str(merchant.id), facts(merchant, FACTS)
    return merchant


def delete(merchant: Merchant, *, actor: Actor, now: datetime) -> None:
    """Delete a merchant that no posting and no rule names, or raise MerchantInUseError."""
    title = f"Deleted the merchant {merchant.name}"
    with act(actor, now, "delete_merchant", ("merchant", merchant.id), title=title) as doing:
        usage = usages.of_merchant(merchant)
        if usage.sentence:
            raise MerchantInUseError(f"{merchant.name} is used by {usage.sentence}. Remove it there first.")
        doing.before = facts(merchant, FACTS)
        db.session.delete(merchant)
        db.session.flush()


def update(merchant: Merchant, changes: MerchantChanges, *, actor: Actor, now: datetime) -> Merchant:
    """Change what was sent of a merchant."""
    title = titles.changed(
        "the merchant",
        merchant.name,
        facts(merchant, changes),
        payload(changes, Merchant),
        merchant.organization_id,
    )
    target = ("merchant", merchant.id)
    with act(actor, now, "update_merchant", target, title=title, payload=payload(changes, Merchant)) as doing:
        change(merchant, changes, doing)
    return merchant
