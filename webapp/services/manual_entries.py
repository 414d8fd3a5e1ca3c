"""Manual entries: what a person writes into the journal without a bank line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from webapp.ledger.entries import AccountCurrencyError, Leg, check_account_currency
from webapp.models import Account, JournalEntry, Merchant, Project
from webapp.queries import lookups, organizations
from webapp.services import drafts, journal_entries
from webapp.services.action_requests import act
from webapp.services.actors import Actor
from webapp.services.edits import ArchivedAccountError, jsonable, money_at, summary


def create(
    *,
    effective_at: date,
    postings: Sequence[Mapping[str, Any]],
    actor: Actor,
    now: datetime,
    description: str = "",
    post: bool = False,
) -> JournalEntry:
    """Write a manual entry as a draft, or with `post` as part of the books at once.

    A posting without a currency is in its account's, else in the base currency.
    """
    organization = organizations.get(actor.organization_id)
    payload = {"effectiveAt": effective_at.isoformat(), "postings": jsonable(postings), "post": post}
    with act(actor, now, "create_journal_entry", ("journal_entry", "new"), payload=payload) as doing:
        doing.title = f"Wrote the entry {description}" if description else "Wrote an entry"
        legs = [
            _leg(actor.organization_id, index, posting, organization.base_currency)
            for index, posting in enumerate(postings)
        ]
        journal_entries.check_open(organization.id, effective_at)
        mirrored = drafts.mirror_legs(organization, legs, effective_at)
        entry = journal_entries.add_draft(
            organization, effective_at, mirrored, source="manual", description=description, now=now
        )
        doing.target_id = str(entry.id)
        doing.after = summary(mirrored, description)
        if post:
            journal_entries.post(entry, doing)
            doing.result = {"journalEntryIds": [entry.id]}
    return entry


def _leg(organization_id: str, index: int, posting: Mapping[str, Any], base_currency: str) -> Leg:
    path = f"postings.{index}"
    account = lookups.refer(Account, organization_id, posting["account_id"], f"{path}.accountId")
    if account.is_archived:
        raise ArchivedAccountError(
            fields={f"{path}.accountId": ["This account is archived; choose another one."]}
        )
    if posting.get("org_merchant_id") is not None:
        lookups.refer(Merchant, organization_id, posting["org_merchant_id"], f"{path}.orgMerchantId")
    if posting.get("project_id") is not None:
        lookups.refer(Project, organization_id, posting["project_id"], f"{path}.projectId")
    currency = posting.get("currency") or account.currency or base_currency
    leg = Leg(
        account_id=account.id,
        amount_minor=money_at(posting["amount"], currency, f"{path}.amount").minor,
        currency=currency,
        merchant_id=posting.get("org_merchant_id"),
        project_id=posting.get("project_id"),
    )
    try:
        check_account_currency(leg, account.currency)
    except AccountCurrencyError as error:
        raise AccountCurrencyError(str(error), fields={f"{path}.currency": [str(error)]}) from error
    return leg
