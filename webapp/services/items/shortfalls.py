"""What a line is short of the items that it pays: read, measured, and where it is booked."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final, NotRequired, TypedDict

from webapp.ledger.chart import Role
from webapp.ledger.journal.settled_parts import base_share
from webapp.ledger.money import Money, divided, money_at
from webapp.ledger.open_items.payable_items import MOST_WRITTEN_OFF, SHORTFALL_NAMES, ShortAs
from webapp.models import Account, OwedItem, Project
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.common import lookups
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
        "account_id": NotRequired[int | None],
        "splits": NotRequired[list[ShortSplitInput] | None],
    },
)


class StoredSplit(TypedDict):
    """An account with its share of what is short, in minor units with the sign of the items."""

    accountId: int
    projectId: int | None
    amount: int


StoredShort = TypedDict("StoredShort", {"amount": int, "as": str, "splits": list[StoredSplit]})


def read(
    organization_id: str, short: ShortInput | None, currency: str, owed_minor: int, line_minor: int
) -> StoredShort | None:
    """Read what is short of items that come to `owed_minor`; what is left open is nothing."""
    if short is None or short["as"] == ShortAs.LEAVE_OPEN:
        return None
    sign = -1 if (owed_minor or line_minor) < 0 else 1
    amount = money_at(short["amount"], currency, "short.amount").minor
    if amount <= 0 or amount >= abs(owed_minor):
        sentence = "What is short is more than nothing, without a sign, and less than what the items come to."
        raise ShortfallError(sentence, fields={"short.amount": [sentence]})
    parts = [
        StoredSplit(
            accountId=_account(organization_id, each["account_id"], f"short.splits.{index}.accountId").id,
            projectId=_project(organization_id, each.get("project_id"), f"short.splits.{index}.projectId"),
            amount=sign * money_at(each["amount"], currency, f"short.splits.{index}.amount").minor,
        )
        for index, each in enumerate(short.get("splits") or ())
    ] or [StoredSplit(accountId=_one(organization_id, short).id, projectId=None, amount=sign * amount)]
    rest = Money(amount - sign * sum(each["amount"] for each in parts), currency)
    if rest or any(not each["amount"] for each in parts):
        sentence = f"The parts of what is short leave {rest.formatted} of it; each is more than nothing."
        raise ShortfallError(sentence, fields={"short.splits": [sentence]})
    return {"amount": sign * amount, "as": short["as"], "splits": parts}


def check(organization_id: str, short: StoredShort | None, taken: Sequence[tuple[OwedItem, int]]) -> None:
    """Refuse to write off more than one payment may, measured in the base currency."""
    if short is None or short["as"] != ShortAs.WRITE_OFF:
        return
    owed = sum(amount for _, amount in taken)
    worth = sum(
        base_share(
            (item.amount_minor, item.amount_base_minor), (item.settled_minor, item.settled_base_minor), amount
        )
        for item, amount in taken
    )
    written_off = abs(divided(worth * short["amount"], owed))
    if written_off > MOST_WRITTEN_OFF:
        base = organizations.get(organization_id).base_currency
        raise ShortfallError(
            f"At most {Money(MOST_WRITTEN_OFF, base).formatted} is written off with a payment, not "
            f"{Money(written_off, base).formatted}. Leave it open, and settle it with an entry of its own.",
            details={"most": str(Money(MOST_WRITTEN_OFF, base)), "currency": base},
        )


def posted(short: StoredShort, names: str) -> Shortfall:
    """Give what is short as the settlement posts it."""
    return Shortfall(
        short["as"],
        f"{SHORTFALL_NAMES[short['as']]} on {names}",
        short["amount"],
        [(each["accountId"], each["projectId"], each["amount"]) for each in short["splits"]],
    )


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
        sentence = f"{account.name} is archived, or no account of income or expenses; choose another one."
        raise ShortfallError(sentence, fields={path: [sentence]})
    return account


def _project(organization_id: str, project_id: int | None, path: str) -> int | None:
    return None if project_id is None else lookups.refer(Project, organization_id, project_id, path).id
