"""Whether a document is the receipt of a payment: evidence in words for an equal amount, never a score."""

from dataclasses import dataclass
from datetime import date
from typing import Final

from webapp.ledger.texts.remittances import compacted, is_telling, names, names_another

MOST_DAYS: Final = 60
SHORTEST_NAME: Final = 4


@dataclass(frozen=True, slots=True)
class ReceiptFacts:
    """The statements of a document about its payment; missing ones are None.

    `party` pays or is paid, `iban` is the account to pay, None for our own. `is_paid_to_us` is whether
    its money comes in, None if its kind does not tell.
    """

    number: str | None
    party: str | None
    issued_on: date | None
    due_on: date | None = None
    remittance: str | None = None
    iban: str | None = None
    is_paid_to_us: bool | None = None


@dataclass(frozen=True, slots=True)
class PaymentFacts:
    """The facts of a bank line or an entry; `is_due` is whether its amount is the document's amount due.

    `comes_in` is None for an entry, which has amounts on both sides.
    """

    day: date
    text: str
    iban: str | None = None
    is_due: bool = True
    comes_in: bool | None = None


@dataclass(frozen=True, slots=True)
class ReceiptEvidence:
    """The evidence for a document of the same amount; `days_apart` is None if it states no day."""

    days_apart: int | None
    number: str | None = None
    party: str | None = None
    remittance: str | None = None
    has_iban: bool = False
    is_other_account: bool = False
    names_another: bool = False
    is_due: bool = True
    is_right_way: bool = False
    is_other_way: bool = False

    @property
    def identifies(self) -> bool:
        """Return whether it identifies the paid document: the amount due, and its number or reference."""
        return self.is_due and not self.is_other_way and bool(self.number or self.remittance)

    @property
    def is_certain(self) -> bool:
        """Return whether no person needs to decide, if no other document or payment has such evidence.

        The number or reference can hardly be there by chance, without another of its kind; the party is the
        right one by account or name, and no account contradicts it; and the money goes the right way
        within the days around it.
        """
        is_near = self.days_apart is not None and self.days_apart <= MOST_DAYS
        is_unmistakable = is_telling(self.number) or is_telling(self.remittance)
        is_the_party = self.has_iban or (self.party is not None and not self.is_other_account)
        is_alone = is_unmistakable and not self.names_another
        return self.identifies and self.is_right_way and is_near and is_alone and is_the_party

    @property
    def rank(self) -> tuple[bool, bool, bool, bool, int]:
        """Rank the evidence: identification, account, sender, days between."""
        days = MOST_DAYS + 1 if self.days_apart is None else self.days_apart
        named = self.number or self.remittance
        return self.is_other_way, not named, not self.has_iban, self.party is None, days

    @property
    def reason(self) -> str:
        """The evidence in a sentence."""
        if self.days_apart is None:
            days = "no day on the document"
        else:
            days = {0: "same day", 1: "1 day apart"}.get(self.days_apart, f"{self.days_apart} days apart")
        named = [f"number {self.number}"] if self.number else []
        named += [f"reference {self.remittance}"] if self.remittance else []
        named += [self.party] if self.party else []
        parts = ["Same amount" if self.is_due else "Its total, which is not what is due", days]
        parts += [f"names {' and '.join(named)}"] if named else []
        parts += ["on the account that it names"] if self.has_iban else []
        parts += ["but the money goes the other way"] if self.is_other_way else []
        return ", ".join(parts)


def receipt_evidence(receipt: ReceiptFacts, payment: PaymentFacts) -> ReceiptEvidence:
    """Return the evidence for a document in a payment of the same amount.

    >>> paper = ReceiptFacts("RE-4711", "Paper Shop Ltd", date(2026, 3, 2), iban="DE02 1203")
    >>> receipt_evidence(paper, PaymentFacts(date(2026, 3, 5), "PAPER SHOP LTD re 4711", "DE021203")).reason
    'Same amount, 3 days apart, names number RE-4711 and Paper Shop Ltd, on the account that it names'
    >>> receipt_evidence(paper, PaymentFacts(date(2026, 3, 2), "Card payment RE-47110")).reason
    'Same amount, same day'
    """
    number = receipt.number if names(payment.text, receipt.number) else None
    is_other = compacted(receipt.remittance) != compacted(receipt.number)
    accounts = compacted(receipt.iban), compacted(payment.iban)
    ways = (receipt.is_paid_to_us, payment.comes_in)
    stated = receipt.issued_on or receipt.due_on
    return ReceiptEvidence(
        days_apart=None if stated is None else abs((payment.day - stated).days),
        number=number,
        party=receipt.party if _is_named(receipt.party, payment.text) else None,
        remittance=receipt.remittance if is_other and names(payment.text, receipt.remittance) else None,
        has_iban=all(accounts) and accounts[0] == accounts[1],
        is_other_account=all(accounts) and accounts[0] != accounts[1],
        names_another=any(
            names_another(payment.text, each) for each in (receipt.number, receipt.remittance) if each
        ),
        is_due=payment.is_due,
        is_right_way=None not in ways and ways[0] == ways[1],
        is_other_way=None not in ways and ways[0] != ways[1],
    )


def _is_named(party: str | None, text: str) -> bool:
    return len(party or "") >= SHORTEST_NAME and names(text, party)
