"""The form of a line's parts: amounts without the line's sign; one part may take the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import marshmallow as ma

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.journal.splits import shares, size_of
from webapp.ledger.money import Money, money_at, total
from webapp.schemas.fields import AMOUNT_WANTED, DECIMAL
from webapp.web.rendering.forms import chosen_id, form_body

if TYPE_CHECKING:
    from webapp.queries.transactions.named_lines import NamedSplit
    from webapp.queries.transactions.workspaces import WorkspaceLine

CHOICES: Final = {"accountId": "account_id", "orgMerchantId": "org_merchant_id", "projectId": "project_id"}
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


def of_line(line: WorkspaceLine, charges_account_id: int | None = None) -> list[Row]:
    """The rows of the form: the present parts, or an empty one beside the rest that stays where the line is.

    The charges that the bank states within the line are proposed as a part of the account for them.
    """
    parts: Sequence[WorkspaceLine | NamedSplit] = line.splits or [line]
    rows = [
        {
            "amount": str(size_of(part.amount, line.amount)) if line.splits else None,
            **{name: getattr(part, name) for name in CHOICES.values()},
        }
        for part in parts
    ]
    if line.splits:
        return [*rows, empty()]
    charges = (line.details or {}).get("charges")
    if not charges or charges_account_id is None:
        return [empty(), *rows]
    # A charge goes out, also where money came in.
    amount = charges if line.amount.minor < 0 else f"-{charges}"
    return [empty() | {"amount": amount, "account_id": charges_account_id}, *rows]


def empty() -> Row:
    """A row for a further part."""
    return dict.fromkeys(("amount", *CHOICES.values()))


def typed() -> list[Row]:
    """The rows as they were typed."""
    return [
        {"amount": row.get("amount")} | {name: chosen_id(row.get(key)) for key, name in CHOICES.items()}
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
    amounts = zip(sizes, shares(line, list(sizes.values())), strict=True)
    return [{**rows[index], "amount": str(amount)} for index, amount in amounts if amount]


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
