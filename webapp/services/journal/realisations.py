"""Realised exchange differences: what is left in the base currency when a balance in another one comes to nil."""

from __future__ import annotations

from webapp.ledger.chart import Role
from webapp.ledger.journal.revaluations import realisation
from webapp.models import Organization
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.currencies import nil_balances
from webapp.queries.currencies.nil_balances import NilBalance
from webapp.services.audit.act import CLOSINGS, Act
from webapp.services.journal import entries

SOURCE = "exchange"


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


CLOSINGS.append(realise)
