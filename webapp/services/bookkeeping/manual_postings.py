"""The postings that a person writes, read as legs: each account, merchant and project looked up, and named if wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from webapp.ledger.entries import AccountCurrencyError, Leg, check_account_currency
from webapp.models import Account, Merchant, Organization, Project
from webapp.queries.common import lookups
from webapp.services.storage.amounts import money_at
from webapp.services.transactions.edits import ArchivedAccountError

Said = Mapping[str, Any]


def legs_of(organization: Organization, postings: Sequence[Said]) -> list[Leg]:
    """Read postings as legs without mirrors, or say at the path of one what is wrong with it.

    A posting without a currency is in its account's, else in the base currency.
    """
    return [_leg(organization, f"postings.{index}", said) for index, said in enumerate(postings)]


def _leg(organization: Organization, path: str, said: Said) -> Leg:
    account = lookups.refer(Account, organization.id, said["account_id"], f"{path}.accountId")
    if account.is_archived:
        raise ArchivedAccountError(
            fields={f"{path}.accountId": ["This account is archived; choose another one."]}
        )
    if said.get("org_merchant_id") is not None:
        lookups.refer(Merchant, organization.id, said["org_merchant_id"], f"{path}.orgMerchantId")
    if said.get("project_id") is not None:
        lookups.refer(Project, organization.id, said["project_id"], f"{path}.projectId")
    currency = said.get("currency") or account.currency or organization.base_currency
    leg = Leg(
        account_id=account.id,
        amount_minor=money_at(said["amount"], currency, f"{path}.amount").minor,
        currency=currency,
        merchant_id=said.get("org_merchant_id"),
        project_id=said.get("project_id"),
    )
    try:
        check_account_currency(leg, account.currency)
    except AccountCurrencyError as error:
        raise AccountCurrencyError(str(error), fields={f"{path}.currency": [str(error)]}) from error
    return leg
