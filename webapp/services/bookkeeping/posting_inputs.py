"""Postings that somebody writes, as legs without mirrors."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import NotRequired

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.journal.entries import AccountCurrencyError, Leg, check_account_currency, is_base_only
from webapp.ledger.money import money_at
from webapp.ledger.texts.legible import cited
from webapp.models import Account, Merchant, Organization, Project
from webapp.queries.common import lookups
from webapp.services.tax import coding
from webapp.services.tax.coding import TaxInput
from webapp.services.transactions.changed_legs import ArchivedAccountError


class PostingInput(TaxInput):
    """A posting of an entry that somebody writes."""

    account_id: int
    amount: Decimal
    amount_base: NotRequired[Decimal | None]
    currency: NotRequired[str | None]
    project_id: NotRequired[int | None]
    org_merchant_id: NotRequired[int | None]
    due_on: NotRequired[date | None]
    reference: NotRequired[str | None]


PostingInputs = Sequence[PostingInput]


class AmountBaseError(UnprocessableError):
    """A leg in another currency than the base may have an amount in that of its own, with its sign."""

    code = "amount_base"


def legs_of(
    organization: Organization,
    postings: PostingInputs,
    day: date,
    *,
    takes_shares: bool = False,
    known_codes: frozenset[int] = frozenset(),
    name: str = "postings",
) -> list[Leg]:
    """Give postings as legs without mirrors, or raise the error of one at its path.

    With `takes_shares` an account in the base currency takes a foreign leg, which becomes its share in that.

    A posting without a currency is in its account's, else in the base currency. One of 0.00 in another currency
    may have an amount in the base currency, in place of its mirror: an exchange difference. So may any other leg in
    another currency, at a rate of a contract, of customs or of a bank. What has a tax code becomes its base and tax,
    by default with `day` as tax point; `known_codes` may be archived, or no longer valid.
    """
    paths = {f"{name}.{index}": posting for index, posting in enumerate(postings)}
    legs = [_leg(organization, path, posting, takes_shares=takes_shares) for path, posting in paths.items()]
    return coding.with_taxes(organization, legs, paths, day, known_codes, takes_opening=True)


def _leg(organization: Organization, path: str, posting: PostingInput, *, takes_shares: bool) -> Leg:
    account = lookups.refer(Account, organization.id, posting["account_id"], f"{path}.accountId")
    if account.is_archived:
        raise ArchivedAccountError(
            fields={f"{path}.accountId": ["This account is archived; choose another one."]}
        )
    merchant_id, project_id = posting.get("org_merchant_id"), posting.get("project_id")
    if merchant_id is not None:
        lookups.refer(Merchant, organization.id, merchant_id, f"{path}.orgMerchantId")
    if project_id is not None:
        lookups.refer(Project, organization.id, project_id, f"{path}.projectId")
    currency = posting.get("currency") or account.currency or organization.base_currency
    amount = money_at(posting["amount"], currency, f"{path}.amount").minor
    amount_base = _amount_base(organization.base_currency, path, posting, currency)
    leg = Leg(
        account_id=account.id,
        amount_minor=amount,
        currency=currency,
        amount_base_minor=amount_base,
        merchant_id=merchant_id,
        project_id=project_id,
        due_on=posting.get("due_on"),
        reference=posting.get("reference") or None,
        has_own_base=bool(amount) and amount_base is not None,
    )
    if account.keeps_items and is_base_only(leg):
        sentence = (
            f"{cited(account.name)} keeps items: settle them, and what their rates differ by is realised with"
            " that."
        )
        raise AmountBaseError(sentence, fields={f"{path}.amount": [sentence]})
    if takes_shares and account.currency == organization.base_currency:
        return leg
    try:
        check_account_currency(leg, account.currency)
    except AccountCurrencyError as error:
        raise AccountCurrencyError(str(error), fields={f"{path}.currency": [str(error)]}) from error
    return leg


def _amount_base(base: str, path: str, posting: PostingInput, currency: str) -> int | None:
    """Give the amount in the base currency that somebody wrote for a posting, or None; raises AmountBaseError."""
    amount, name = posting.get("amount_base"), "amountBase"
    is_nothing = not posting["amount"] and currency != base
    if amount is None and not is_nothing:
        return None
    if currency == base:
        sentence = f"This posting is in {base}, which is the base currency: write its amount only."
    elif amount is not None and posting["amount"] * amount < 0:
        sentence = f"A posting has the same sign in {base}; write its amount in {base} with that sign."
    elif posting["amount"] and amount:
        return money_at(amount, base, f"{path}.{name}").minor
    elif posting["amount"]:
        sentence = (
            f"This posting is not nothing, and neither is it in {base}; leave that amount out for its rate."
        )
    elif not amount:
        sentence = f"A posting of nothing moves nothing; write a difference as its amount in {base}, or leave it out."
        name = "amount" if amount is None else name
    else:
        return money_at(amount, base, f"{path}.{name}").minor
    raise AmountBaseError(sentence, fields={f"{path}.{name}": [sentence]})
