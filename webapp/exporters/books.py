"""The exported book: accounts, entries by day, and balance assertions of standing proofs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

from webapp.ledger.money import Money


@dataclass(frozen=True, slots=True)
class BookAccount:
    """A ledger account; `currency` is None if it takes any."""

    id: int
    code: str | None
    name: str
    type: str
    currency: str | None


@dataclass(frozen=True, slots=True)
class BookLeg:
    """A posting that counts, with its mirror in the base currency.

    `details` are what the bank states of its line besides amount and text: its reference, charges, an amount before
    its conversion, why it came back.
    """

    account_id: int
    amount: Money
    base: Money
    merchant: str | None = None
    project: str | None = None
    details: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def labels(self) -> dict[str, str]:
        """The merchant and the project of the leg, and what the bank states of its line, by their keys."""
        labels = {"merchant": self.merchant, "project": self.project, **self.details}
        return {key: text for key, text in labels.items() if text is not None}

    @property
    def priced(self) -> str:
        """The amount with its total price in the base currency, as Beancount and hledger both write it."""
        price, _ = self.at_total
        is_foreign = self.amount.currency != self.base.currency
        at = f" @@ {price} {price.currency}" if is_foreign and self.amount else ""
        return f"{self.amount} {self.amount.currency}{at}"

    @property
    def at_total(self) -> tuple[Money, Money]:
        """Split the mirror into the price of the amount, never below zero, and the rest.

        Systems that price each amount cannot write that nothing is worth something, or that money in
        is worth money out; the mirror of such a leg becomes a separate sum in the base currency.
        """
        nothing = Money.zero(self.base.currency)
        if self.amount.currency == self.base.currency:
            return nothing, nothing
        if self.amount.minor * self.base.minor > 0:
            return abs(self.base), nothing
        return nothing, self.base


@dataclass(frozen=True, slots=True)
class BookEntry:
    """A POSTED or VOIDED entry; `voids_id` and `corrects_id` name the entry it cancels or corrects.

    `number` counts the entries of the book without gaps, in the order of posting. `settlement_ids` are those that
    stand, and take something of one of its items or caused it.
    """

    id: int
    number: int
    day: date
    description: str
    status: str
    source: str
    voids_id: int | None
    corrects_id: int | None
    legs: tuple[BookLeg, ...]
    settlement_ids: tuple[int, ...] = ()

    @property
    def links(self) -> dict[str, int]:
        """The entries that this one cancels or corrects, by what it does to them."""
        references = {"voids": self.voids_id, "corrects": self.corrects_id}
        return {key: other for key, other in references.items() if other is not None}


@dataclass(frozen=True, slots=True)
class BookAssertion:
    """The balance of an account at the close of a day, from a standing proof that holds."""

    day: date
    account_id: int
    balance: Money
    proof_id: int
    digest: str


@dataclass(frozen=True, slots=True)
class ExportedBook:
    """The whole book; `entries` by day and id, read once, and `assertions` by day."""

    name: str
    base_currency: str
    currencies: tuple[str, ...]
    accounts: tuple[BookAccount, ...]
    entries: Iterable[BookEntry]
    assertions: tuple[BookAssertion, ...]
    first_day: date
