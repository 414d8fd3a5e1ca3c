"""Items of one party in a foreign currency that an act brought to nil together are settled in the same act."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import Account
from webapp.queries.items import items
from webapp.services.audit.act import CLOSINGS, Act
from webapp.services.journal.settlements import note, rest_of, settle_items

LEAST_PARTS = 2


def settle(doing: Act) -> None:
    """Settle the items of each party that have come to nil on an account and in a currency that the act moved."""
    organization_id = doing.actor.organization_id
    made = []
    for account in _keeping(organization_id, {account_id for account_id, _ in doing.moved}):
        for currency in sorted(code for account_id, code in doing.moved if account_id == account.id):
            parties = items.nil_parties(organization_id, account.id, currency)
            made += [
                settle_items(account, [rest_of(each) for each in found], cause="NIL")
                for found in parties
                if len(found) >= LEAST_PARTS
            ]
    note("after", made)


def _keeping(organization_id: str, account_ids: Collection[int]) -> list[Account]:
    if not account_ids:
        return []
    of_them = (Account.organization_id == organization_id, Account.id.in_(account_ids))
    return list(
        db.session.scalars(sa.select(Account).where(*of_them, Account.keeps_items).order_by(Account.id))
    )


CLOSINGS.append(settle)
