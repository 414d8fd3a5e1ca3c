"""When an item is due, and by which reference a payment of it is known: changed by hand."""

from datetime import date, datetime, timedelta
from typing import TypedDict

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.references import Kind, Ref
from webapp.models import Account, DueChange, OwedItem
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.field_changes import change, payload


class ItemChanges(TypedDict, total=False):
    """The fields of an item that were sent; what is not sent stays."""

    due_on: date | None
    reference: str | None


def edit(item: OwedItem, changes: ItemChanges, *, actor: Actor, now: datetime) -> OwedItem:
    """Change what was sent of an item; what is not sent stays."""
    account = lookups.get(Account, item.organization_id, item.account_id)
    title = f"Changed {_named(item)} of {account.name}{_words(changes)}"
    target = ("posting", item.id)
    facts = payload({**changes}, OwedItem)
    with act(actor, now, "edit_item", target, title=title, payload=facts) as doing:
        if "due_on" in changes and changes["due_on"] != item.due_on:
            _keep_locked(item)
        change(item, {name: value or None for name, value in changes.items()}, doing)
        if not doing.is_void:
            doing.after = {**(doing.after or {}), "accountId": Ref(Kind.ACCOUNT, account.id)}
    return item


def _keep_locked(item: OwedItem) -> None:
    """Let a new due day count from the first open day on, so that lists of locked days keep their ages."""
    lock_date = organizations.get(item.organization_id).lock_date
    of_item = DueChange.organization_id == item.organization_id, DueChange.item_id == item.id
    since = date.min if lock_date is None else lock_date + timedelta(days=1)
    later = db.session.scalars(
        sa.select(DueChange).where(*of_item, DueChange.since >= since).order_by(DueChange.since)
    ).all()
    before = later[0].due_before if later else item.due_on
    for each in later:
        db.session.delete(each)
    db.session.flush()
    if lock_date is not None:
        db.session.add(
            DueChange(organization_id=item.organization_id, item_id=item.id, since=since, due_before=before)
        )
        db.session.flush()


def _named(item: OwedItem) -> str:
    return f"the open item {item.reference or item.id}"


def _words(changes: ItemChanges) -> str:
    """Say what is set.

    >>> _words({"due_on": date(2026, 3, 31)}), _words({"reference": None})
    (': due on 31 Mar 2026', ': no reference')
    """
    words = []
    if "due_on" in changes:
        day = changes["due_on"]
        words.append(f"due on {day:%-d %b %Y}" if day else "no due day")
    if "reference" in changes:
        words.append(f"reference {changes['reference']}" if changes["reference"] else "no reference")
    return f": {', '.join(words)}" if words else ""
