"""What a line is short of the items that it pays: read, measured, and where it is booked."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final, NotRequired, TypedDict

from webapp.ledger.chart import Role
from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.settled_parts import base_share
from webapp.ledger.money import Money, divided, money_at
from webapp.ledger.open_items.payable_items import SHORTFALL_NAMES, ShortAs
from webapp.ledger.texts.legible import cited
from webapp.models import Account, OwedItem, Project, Transaction
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.common import lookups
from webapp.queries.currencies import exchange_rates
from webapp.services.items.refusals import ShortfallError
from webapp.services.journal.settlements import Shortfall

_TYPES: Final = frozenset({"INCOME", "EXPENSE"})


class ShortSplitInput(TypedDict):
    """A part of what is short, without a sign."""

    account_id: int
    amount: Decimal
    project_id: NotRequired[int | None]


# The keys are those of the interface, which has `as`.
ShortInput = TypedDict(
    "ShortInput",
    {
        "amount": Decimal,
        "as": str,
        "currency": NotRequired[str | None],
        "account_id": NotRequired[int | None],
        "splits": NotRequired[list[ShortSplitInput] | None],
    },
)


class StoredSplit(TypedDict):
    """An account with its share of what is short, in minor units with the sign of the items."""

    accountId: int
    projectId: int | None
    amount: int


# Without a currency it is in that of the items.
StoredShort = TypedDict(
    "StoredShort", {"amount": int, "as": str, "splits": list[StoredSplit], "currency": NotRequired[str]}
)


def read(line: Transaction, short: ShortInput, owed: Money) -> StoredShort:
    """Read what is short of items: in the line's currency, or in theirs where that is named."""
    currency = short.get("currency") or line.currency
    if currency not in {line.currency, owed.currency}:
        sentence = f"What is short is in {line.currency} as the line, or in {owed.currency} as its items."
        raise ShortfallError(sentence, fields={"short.currency": [sentence]})
    sign = -1 if (owed.minor or line.amount_minor) < 0 else 1
    amount = money_at(short["amount"], currency, "short.amount").minor
    if amount <= 0 or (currency == owed.currency and amount >= abs(owed.minor)):
        sentence = "What is short is more than nothing, without a sign, and less than what the items come to."
        raise ShortfallError(sentence, fields={"short.amount": [sentence]})
    parts = [] if short["as"] == ShortAs.LEAVE_OPEN else _parts(line.organization_id, short, currency, sign)
    rest = Money(amount - sign * sum(each["amount"] for each in parts), currency)
    if parts and (rest or any(not each["amount"] for each in parts)):
        sentence = f"The parts of what is short leave {rest.formatted} of it; each is more than nothing."
        raise ShortfallError(sentence, fields={"short.splits": [sentence]})
    return {"amount": sign * amount, "as": short["as"], "splits": parts, "currency": currency}


def _parts(organization_id: str, short: ShortInput, currency: str, sign: int) -> list[StoredSplit]:
    find = _account if short["as"] == ShortAs.FEE else _part_account
    parts = [
        StoredSplit(
            accountId=find(organization_id, each["account_id"], f"short.splits.{index}.accountId").id,
            projectId=_project(organization_id, each.get("project_id"), f"short.splits.{index}.projectId"),
            amount=sign * money_at(each["amount"], currency, f"short.splits.{index}.amount").minor,
        )
        for index, each in enumerate(short.get("splits") or ())
    ]
    amount = sign * money_at(short["amount"], currency, "short.amount").minor
    return parts or [StoredSplit(accountId=_one(organization_id, short).id, projectId=None, amount=amount)]


def in_items(short: StoredShort | None, owed: Money, in_line_minor: int) -> int:
    """Give what is short in the currency of the items; in the line's it is taken at the rate at which they are paid.

    >>> short = {"amount": 800, "as": "FEE", "splits": [], "currency": "GBP"}
    >>> in_items(short, Money(70000, "USD"), 54000), in_items(short, Money(70000, "GBP"), 69200)
    (1022, 800)
    """
    if short is None:
        return 0
    if short.get("currency", owed.currency) == owed.currency:
        return short["amount"]
    whole = in_line_minor + short["amount"]
    return divided(owed.minor * short["amount"], whole) if whole else 0


def check(line: Transaction, short: StoredShort | None, taken: Sequence[tuple[OwedItem, int]]) -> None:
    """Refuse to write off more than one payment may, measured in the base currency."""
    if short is None or short["as"] != ShortAs.WRITE_OFF:
        return
    most = organizations.get(line.organization_id).write_off_limit
    written_off = Money(abs(_worth(line, short, taken, most.currency) or 0), most.currency)
    if written_off > most:
        raise ShortfallError(
            f"At most {most.formatted} is written off with a payment, not {written_off.formatted}. Leave it open, and"
            " settle it with an entry of its own, or change the limit in the settings.",
            details={"most": str(most), "currency": most.currency},
        )


def _worth(
    line: Transaction, short: StoredShort, taken: Sequence[tuple[OwedItem, int]], base: str
) -> int | None:
    """Measure what is short in the base currency: its share of the items, or at the rate of the line's day."""
    item, _ = taken[0]
    currency = short.get("currency", item.currency)
    if currency != item.currency:
        amount = Money(short["amount"], currency)
        return exchange_rates.worth_on(line.organization_id, amount, base, line.booked_on)
    owed = sum(amount for _, amount in taken)
    worth = sum(
        base_share(
            (item.amount_minor, item.amount_base_minor), (item.settled_minor, item.settled_base_minor), amount
        )
        for item, amount in taken
    )
    return divided(worth * short["amount"], owed)


def posted(short: StoredShort, amount: Money, names: str, bank: Leg) -> Shortfall:
    """Give what is short, in the currency of the items, as the settlement posts it.

    What was stated in the line's own currency instead is worth what that much of the line is.
    """
    worth = None
    if short.get("currency", amount.currency) != amount.currency:
        worth = divided(short["amount"] * (bank.amount_base_minor or 0), bank.amount_minor)
    splits = [(each["accountId"], each["projectId"], each["amount"]) for each in short["splits"]]
    description = f"{SHORTFALL_NAMES[short['as']]} on {names}"
    return Shortfall(short["as"], description, amount.minor, splits, worth)


def _one(organization_id: str, short: ShortInput) -> Account:
    account_id = short.get("account_id")
    if account_id is not None:
        return _account(organization_id, account_id, "short.accountId")
    if short["as"] == ShortAs.FEE:
        return accounts.by_role(organization_id, Role.BANK_CHARGES)
    sentence = f"Name the account of the {SHORTFALL_NAMES[short['as']].lower()}, or its splits."
    raise ShortfallError(sentence, fields={"short.accountId": [sentence]})


def _account(organization_id: str, account_id: int, path: str) -> Account:
    account = lookups.refer(Account, organization_id, account_id, path)
    if account.is_archived or account.type not in _TYPES:
        sentence = (
            f"{cited(account.name)} is archived, or no account of income or expenses; choose another one."
        )
        raise ShortfallError(sentence, fields={path: [sentence]})
    return account


def _part_account(organization_id: str, account_id: int, path: str) -> Account:
    """Find an account for a part of what is short, such as that of its tax."""
    account = lookups.refer(Account, organization_id, account_id, path)
    base = organizations.get(organization_id).base_currency
    is_refused = account.is_archived or account.keeps_items or account.currency not in {None, base}
    if is_refused or accounts.feed_of(organization_id, account_id) is not None:
        sentence = (
            f"{cited(account.name)} is archived, keeps items, is a bank's, or is not in {base}; choose another"
            " one."
        )
        raise ShortfallError(sentence, fields={path: [sentence]})
    return account


def _project(organization_id: str, project_id: int | None, path: str) -> int | None:
    return None if project_id is None else lookups.refer(Project, organization_id, project_id, path).id
