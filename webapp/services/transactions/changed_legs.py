"""The counter legs of a line after a change of its account, tax code, splits, merchant or project."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import NotRequired, TypedDict

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.journal.entries import AccountCurrencyError, Leg
from webapp.ledger.journal.merchants import kept
from webapp.ledger.journal.splits import (
    MAX_SPLITS,
    NumberOfSplitsError,
    Split,
    check_splits,
    legs_of_splits,
    split_legs,
)
from webapp.ledger.money import money_at
from webapp.ledger.texts.legible import cited
from webapp.models import Account, FeedAccount, Merchant, Project, Transaction
from webapp.queries.access import organizations
from webapp.queries.common import lookups, merchants
from webapp.queries.tax import codes, packs
from webapp.services.items.payments import PaidInput
from webapp.services.items.shortfalls import ShortInput
from webapp.services.journal import line_drafts
from webapp.services.tax import coding
from webapp.services.tax.coding import TaxInput


class SplitInput(TaxInput):
    """A part of a line's amount, with the line's sign."""

    account_id: int
    amount: Decimal
    project_id: NotRequired[int | None]
    org_merchant_id: NotRequired[int | None]


class LineChanges(TypedDict, total=False):
    """The fields of a line's entry that were sent; what is not sent stays."""

    account_id: int | None
    tax_code_id: int | None
    project_id: int | None
    org_merchant_id: int | None
    description: str
    splits: list[SplitInput] | None
    settles: list[PaidInput] | None
    short: ShortInput | None
    force: bool
    # The document that splits are of: its tax is owed in the base currency.
    document_id: int


class BulkLineChanges(LineChanges):
    """The same of one line among several."""

    id: int


class UseTransfersAccountError(UnprocessableError):
    """Only its own lines post to a bank account; use "Transfers between own accounts" here."""

    code = "use_transfers_account"


class PartsHaveCodesError(UnprocessableError):
    """This line is split; send its parts, each with its tax code."""

    code = "split"


class ArchivedAccountError(UnprocessableError):
    """This account is archived; choose another one."""

    code = "archived"


def of_line(line: Transaction, legs: Sequence[Leg], changes: LineChanges) -> list[Leg]:
    """Give a line's counter legs after a change; what was not sent stays, and so do merchants that count alike."""
    organization_id = line.organization_id
    present = legs = line_drafts.in_line_currency(line, legs)
    changes = _with_code_of_account(line, legs, changes)
    splits = changes.get("splits")
    if splits is not None:
        splits = _with_codes_of_accounts(line, legs, splits)
        legs = coding.kept(_split(line, splits), splits, present)
    elif "tax_code_id" in changes:
        legs = _whole(line, legs, changes)
    elif "account_id" in changes or ("splits" in changes and len(legs) > 1):
        legs = [_one_leg(line, legs, changes.get("account_id"))]
    if "project_id" in changes:
        if changes["project_id"] is not None:
            lookups.refer(Project, organization_id, changes["project_id"], "projectId")
        legs = [replace(leg, project_id=changes["project_id"]) for leg in legs]
    if "org_merchant_id" in changes:
        if changes["org_merchant_id"] is not None:
            lookups.refer(Merchant, organization_id, changes["org_merchant_id"], "orgMerchantId")
        legs = [replace(leg, merchant_id=changes["org_merchant_id"]) for leg in legs]
    return kept(legs, present, merchants.merged(organization_id))


def _with_code_of_account(line: Transaction, legs: Sequence[Leg], changes: LineChanges) -> LineChanges:
    """Add the tax code of the account that a line changes to as a whole, unless a code is said.

    A line that is on the account already keeps its code, or its lack of one, which a person may have chosen.
    """
    account_id = changes.get("account_id")
    if account_id is None or changes.get("splits") is not None or "tax_code_id" in changes:
        return changes
    own = _own(line, legs)
    if len(own) == 1 and own[0].account_id == account_id:
        code_id = own[0].tax_code_id
    else:
        organization = organizations.get(line.organization_id)
        code_id = codes.of_account(organization, account_id, line.currency, line.booked_on)
    return changes if code_id is None else {**changes, "tax_code_id": code_id}


def _with_codes_of_accounts(
    line: Transaction, legs: Sequence[Leg], splits: list[SplitInput]
) -> list[SplitInput]:
    """Add to splits that say no tax code what their account had on this line, or else the code of the account.

    Splits that have the taxes on rows of their own are as somebody read them.
    """
    of_taxes = packs.account_ids(line.organization_id).values()
    if not of_taxes or any(each["account_id"] in of_taxes for each in splits):
        return splits
    organization = organizations.get(line.organization_id)
    earlier: dict[int, list[int | None]] = {}
    for leg in _own(line, legs):
        earlier.setdefault(leg.account_id, []).append(leg.tax_code_id)
    found: list[SplitInput] = []
    for split in splits:
        account_id, code_id = split["account_id"], split.get("tax_code_id")
        had = earlier.get(account_id)
        if "tax_code_id" not in split:
            code_id = (
                had[0] if had else codes.of_account(organization, account_id, line.currency, line.booked_on)
            )
        if had and len(had) > 1:
            del had[0]
        found.append(split if code_id is None else {**split, "tax_code_id": code_id})
    return found


def _own(line: Transaction, legs: Sequence[Leg]) -> list[Leg]:
    """Give the legs without those of the taxes of codes."""
    if all(leg.tax_code_id is None for leg in legs):
        return list(legs)
    of_taxes = {each.id for each in packs.accounts(line.organization_id).values()}
    return [leg for leg in legs if not (leg.tax_code_id and leg.account_id in of_taxes)]


def _whole(line: Transaction, legs: Sequence[Leg], changes: LineChanges) -> list[Leg]:
    """Give the legs of a line that has one tax code or none as a whole, on its account or another one."""
    own = _own(line, legs)
    if len(own) != 1 and "account_id" not in changes:
        raise PartsHaveCodesError(fields={"taxCodeId": [str(PartsHaveCodesError.__doc__)]})
    account_id, code_id = changes.get("account_id", own[0].account_id), changes["tax_code_id"]
    leg = _one_leg(line, own, account_id)
    if code_id is None:
        return [leg]
    if len(own) == 1 and (own[0].tax_code_id, own[0].account_id) == (code_id, account_id):
        return list(legs)
    organization = organizations.get(line.organization_id)
    return coding.with_taxes(organization, [leg], {"": {"tax_code_id": code_id}}, line.booked_on)


def _one_leg(line: Transaction, legs: Sequence[Leg], account_id: int | None) -> Leg:
    kept = legs[0] if len(legs) == 1 else line_drafts.uncategorised_leg(line)
    amount = -line.amount_minor
    if account_id is None:
        chosen = line_drafts.uncategorised_leg(line).account_id
    else:
        chosen = counter_account(line.organization_id, account_id, line.currency, "accountId").id
    return replace(
        kept,
        account_id=chosen,
        amount_minor=amount,
        currency=line.currency,
        amount_base_minor=None,
        tax_code_id=None,
        tax_point=None,
        boxes=(),
    )


def _split(line: Transaction, splits: Sequence[SplitInput]) -> list[Leg]:
    organization_id = line.organization_id
    parts = []
    for index, split in enumerate(splits):
        path = f"splits.{index}"
        account = counter_account(organization_id, split["account_id"], line.currency, f"{path}.accountId")
        project_id, merchant_id = split.get("project_id"), split.get("org_merchant_id")
        if project_id is not None:
            lookups.refer(Project, organization_id, project_id, f"{path}.projectId")
        if merchant_id is not None:
            lookups.refer(Merchant, organization_id, merchant_id, f"{path}.orgMerchantId")
        amount = money_at(split["amount"], line.currency, f"{path}.amount")
        parts.append(Split(account.id, amount.minor, project_id, merchant_id))
    if all(split.get("tax_code_id") is None for split in splits):
        if len(parts) == 1:
            raise NumberOfSplitsError(fields={"splits": [str(NumberOfSplitsError.__doc__)]})
        return list(split_legs(line.amount, parts))
    return _with_taxes(line, parts, splits)


def _with_taxes(line: Transaction, parts: Sequence[Split], splits: Sequence[SplitInput]) -> list[Leg]:
    """Give the counter legs of splits with the taxes of their codes, with which they add up to the line."""
    if len(parts) > MAX_SPLITS:
        raise NumberOfSplitsError
    organization = organizations.get(line.organization_id)
    paths = {f"splits.{index}": split for index, split in enumerate(splits)}
    legs = coding.with_taxes(organization, legs_of_splits(parts, line.currency), paths, line.booked_on)
    if line.currency == organization.base_currency:
        check_splits(line.amount, -sum(leg.amount_minor for leg in legs))
    else:
        # Its taxes are in the base currency; what is written has them.
        check_splits(line.amount, sum(part.amount_minor for part in parts))
    return legs


def counter_account(organization_id: str, account_id: int, currency: str, path: str) -> Account:
    """Find an account that a counter leg may go to, or say at `path` why not.

    One in the base currency takes the base share of a line in another currency.
    """
    account = lookups.refer(Account, organization_id, account_id, path)
    if account.is_archived:
        raise ArchivedAccountError(fields={path: ["This account is archived; choose another one."]})
    backed = sa.select(FeedAccount.id).where(
        FeedAccount.organization_id == organization_id, FeedAccount.account_id == account_id
    )
    if db.session.scalar(backed) is not None:
        raise UseTransfersAccountError(
            f"{cited(account.name)} is a bank account: only its own lines post to it. "
            'Use "Transfers between own accounts" here, on both lines.',
            fields={path: ['Use "Transfers between own accounts" instead.']},
        )
    if account.currency not in (None, currency, organizations.get(organization_id).base_currency):
        sentence = f"{cited(account.name)} takes {account.currency} only, and this is in {currency}."
        raise AccountCurrencyError(sentence, fields={path: [sentence]})
    return account
