"""The form of a line's parts: amounts without the line's sign; one part may take the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import marshmallow as ma

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.journal.splits import shares, size_of
from webapp.ledger.money import Money, money_at, total
from webapp.ledger.tax import amounts
from webapp.schemas.fields import AMOUNT_WANTED, DECIMAL
from webapp.web.rendering.forms import chosen_id, form_body

if TYPE_CHECKING:
    from webapp.queries.transactions.transactions import SplitRecord, TransactionRecord
    from webapp.queries.transactions.workspaces import WorkspaceLine

CHOICES: Final = {
    "accountId": "account_id",
    "orgMerchantId": "org_merchant_id",
    "projectId": "project_id",
    "taxCodeId": "tax_code_id",
}
# What is typed for the rest of the line.
REST: Final = "="
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rest:
    """What the typed parts leave of a line, as the form shows it: without the line's sign."""

    left: Money

    @property
    def sentence(self) -> str:
        """What is left, in words."""
        if not self.left:
            return "Nothing is left."
        if self.left.minor < 0:
            return f"{abs(self.left).formatted} too much."
        return f"{self.left.formatted} is left."


def of_line(
    line: WorkspaceLine, charges_account_id: int | None = None, of_taxes: Collection[int] = ()
) -> list[Row]:
    """The rows of the form: the present parts, or an empty one beside the rest that stays where the line is.

    Parts with tax codes have their tax, as somebody wrote them; `of_taxes` are the accounts of that. The charges that
    the bank states within the line are proposed as a part of the account for them.
    """
    if line.splits:
        return [*_of_splits(line, line.splits, of_taxes), empty()]
    rows = [empty() | {name: getattr(line, name, None) for name in CHOICES.values()}]
    charges = (line.details or {}).get("charges")
    if not charges or charges_account_id is None:
        return [empty(), *rows]
    # A charge goes out, also where money came in.
    amount = charges if line.amount.minor < 0 else f"-{charges}"
    return [empty() | {"amount": amount, "account_id": charges_account_id}, *rows]


def _of_splits(
    line: WorkspaceLine | TransactionRecord, splits: Sequence[SplitRecord], of_taxes: Collection[int]
) -> list[Row]:
    codes = [each.tax_code_id and (each.tax_code_id, each.tax_point) for each in splits]
    written = amounts.written(
        [
            (each.amount.minor, code, each.account_id in of_taxes)
            for each, code in zip(splits, codes, strict=True)
        ]
    )
    return [
        {
            "amount": str(size_of(Money(amount, each.amount.currency), line.amount)),
            "tax_point": each.tax_point,
            **{name: getattr(each, name) for name in CHOICES.values()},
        }
        for each, amount in zip(splits, written, strict=True)
        if amount is not None
    ]


def empty() -> Row:
    """A row for a further part."""
    return dict.fromkeys(("amount", "tax_point", *CHOICES.values()))


def typed() -> list[Row]:
    """The rows as they were typed."""
    return [
        {"amount": row.get("amount"), "tax_point": row.get("taxPoint")}
        | {name: chosen_id(row.get(key)) for key, name in CHOICES.items()}
        for row in sent()
    ]


def sent() -> list[Mapping[str, Any]]:
    """The rows of the posted form."""
    parts = form_body().get("splits")
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []


def read(line: Money) -> list[dict[str, Any]]:
    """Read the posted parts as a body of the API, or raise the errors by the names of the inputs.

    A part with an account and without an amount, or with `=`, takes the rest; a rest of nothing is no part.
    """
    rows = {index: row for index, row in enumerate(sent()) if row.get("amount") or row.get("accountId")}
    sizes = {index: _size(row.get("amount"), line.currency, index) for index, row in rows.items()}
    problems = {
        index: {"accountId": ["Choose an account."]}
        for index, row in rows.items()
        if not row.get("accountId")
    }
    open_rows = [index for index, size in sizes.items() if size is None]
    problems |= {index: {"amount": ["Only one part can take the rest."]} for index in open_rows[:-1]}
    if problems:
        raise ma.ValidationError({"splits": problems})
    sized = zip(sizes, shares(line, list(sizes.values())), strict=True)
    return [{**rows[index], "amount": str(amount)} for index, amount in sized if amount]


def are_as_shown(
    line: TransactionRecord, splits: Sequence[Mapping[str, Any]], of_taxes: Collection[int]
) -> bool:
    """Return whether read parts are those that the form showed; then the tax that a document stated stays."""
    if not line.splits:
        return False
    shown = [
        [money_at(Decimal(row["amount"]), line.currency, ""), *(row[name] for name in CHOICES.values())]
        for row in _of_splits(line, line.splits, of_taxes)
    ]
    return shown == [
        [
            size_of(Money.of(each["amount"], line.currency), line.amount),
            *(chosen_id(each.get(key)) for key in CHOICES),
        ]
        for each in splits
    ]


def without_blank_codes(line: TransactionRecord, splits: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Leave out codes that are blank, so that a part gets that of its account, unless one was taken away there."""
    coded = {str(each.account_id) for each in line.splits or () if each.tax_code_id}
    return [
        {
            name: value
            for name, value in each.items()
            if value or name != "taxCodeId" or each["accountId"] in coded
        }
        for each in splits
    ]


def rest(line: Money, rows: Iterable[Mapping[str, Any]]) -> Rest:
    """What the parts of these rows leave of a line; what cannot be read yet counts as nothing."""
    sizes = []
    for row in rows:
        try:
            sizes.append(_size(row.get("amount"), line.currency, 0) or Money.zero(line.currency))
        except (ma.ValidationError, UnprocessableError):
            continue
    written = shares(line, [each for each in sizes if each])
    return Rest(size_of(line - total(written, line.currency), line))


def _size(text: Any, currency: str, index: int) -> Money | None:
    """Read the amount of a part; None for the rest."""
    if not text or text == REST:
        return None
    if not isinstance(text, str) or not DECIMAL.fullmatch(text):
        raise ma.ValidationError({"splits": {index: {"amount": [AMOUNT_WANTED]}}})
    return money_at(Decimal(text), currency, f"splits.{index}.amount")
