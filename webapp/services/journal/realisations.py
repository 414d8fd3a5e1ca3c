"""Balances that come to nil: their items are settled, and what is left in the base currency is realised."""

from collections.abc import Collection
from typing import Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import Role
from webapp.ledger.journal.revaluations import realisation
from webapp.models import Account, Organization
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.currencies import nil_balances, revaluation_verdicts
from webapp.queries.currencies.nil_balances import NilBalance
from webapp.queries.items import items
from webapp.services.audit.act import Act
from webapp.services.journal import entries
from webapp.services.journal.settlements import note, rest_of, settle_items

SOURCE = "exchange"
# They say themselves what they change of revaluations.
REVALUING: Final = frozenset({"revalue", "take_back_revaluation"})
LEAST_PARTS = 2


def realise(doing: Act) -> None:
    """Post what an act left over on the accounts that it brought to nil in another currency than the base.

    Each difference is dated the latest movement of its account in that currency, or the first open day after it.
    """
    if not doing.moved:
        return
    organization = organizations.get(doing.actor.organization_id)
    for nil in nil_balances.among(organization.id, doing.moved):
        _post(organization, nil, doing)


def _post(organization: Organization, nil: NilBalance, doing: Act) -> None:
    latest = nil_balances.latest_movement(organization.id, nil.account_id, nil.currency)
    differences_id = accounts.by_role(organization.id, Role.REALISED_EXCHANGE).id
    entry = entries.add_draft(
        organization,
        organizations.first_open_day(organization.id, latest),
        realisation(
            nil.account_id, nil.currency, nil.rest_base_minor, organization.base_currency, differences_id
        ),
        source=SOURCE,
        description=f"Exchange difference of {nil.account_name} in {nil.currency}",
        now=doing.now,
    )
    # It moves no amount in the currency of a bank, so that an opening balance of that day stays what it is.
    entries.post(entry, doing, is_opening=True)


def settle_nil_items(doing: Act) -> None:
    """Settle the items of no party that have come to nil on an account and in a currency that the act moved.

    Those of a party wait for somebody: an advance of the same amount may be for something else than what is disputed.
    """
    organization_id = doing.actor.organization_id
    made = []
    for account in _keeping(organization_id, {account_id for account_id, _ in doing.moved}):
        for currency in sorted(code for account_id, code in doing.moved if account_id == account.id):
            found = items.nil_of_no_party(organization_id, account.id, currency)
            if len(found) >= LEAST_PARTS:
                made.append(settle_items(account, [rest_of(each) for each in found], cause="NIL"))
    note("after", made)


def _keeping(organization_id: str, account_ids: Collection[int]) -> list[Account]:
    if not account_ids:
        return []
    of_them = (Account.organization_id == organization_id, Account.id.in_(account_ids))
    return list(
        db.session.scalars(sa.select(Account).where(*of_them, Account.keeps_items).order_by(Account.id))
    )


def warn_of_stale(doing: Act) -> None:
    """Warn of the revaluations that an act makes stale: each of a day at or after what it moved in other currencies."""
    if doing.foreign_from is None or doing.kind in REVALUING:
        return
    found = revaluation_verdicts.stale_from(doing.actor.organization_id, doing.foreign_from)
    warnings = [each.warning for each in found if each.warning is not None]
    for warning in warnings[:1]:
        more = f" So are {len(found) - 1} later ones." if len(found) > 1 else ""
        doing.warn(warning.code, f"{warning.message}{more}")
