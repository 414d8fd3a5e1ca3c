"""What an e-invoice states: parties, days, totals, VAT per rate and lines, each figure a decimal exactly as written."""

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Final

from webapp.ledger.errors import UnprocessableError

# UNTDID 1001, those that EN 16931 lists for credit notes: the type decides the direction, never a figure's sign.
CREDIT_NOTES: Final = frozenset(
    {"81", "83", "261", "262", "296", "308", "381", "396", "420", "458", "502", "503", "532"}
)


class InvoiceRefusedError(UnprocessableError):
    """The invoice in this file cannot be read; the file itself is not damaged by that."""

    code = "invoice_refused"


class Syntax(StrEnum):
    """The language of an invoice; TABLE is a row of a table, without rules in EN 16931."""

    UBL = "UBL"
    CII = "CII"
    ZUGFERD_1 = "ZUGFERD_1"
    FATTURA_PA = "FATTURA_PA"
    TABLE = "TABLE"


@dataclass(frozen=True, slots=True)
class Party:
    """A seller or a buyer (BG-4, BG-7); `tax_number` is BT-32, `registration` the id in a register (BT-30, BT-47).

    `stated_ids` are the ids with an element, even an empty one: the official rules require no more.
    """

    name: str | None = None
    vat_id: str | None = None
    tax_number: str | None = None
    registration: str | None = None
    country: str | None = None
    address: tuple[str, ...] = ()
    stated_ids: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class InvoiceTotals:
    """The document's totals, BT-106 to BT-109 and BT-112 to BT-115; the tax is among its `TaxTotal`s.

    `third_party` is what others are paid for with it, which the extension of XRechnung adds to what is due. Of an
    Italian invoice `withheld` is what the buyer pays to the state or a fund for the seller, `split_tax` the tax that
    the buyer pays to the state, and `stamp` the duty on the document. `made` names the totals that are not stated,
    and are sums of what is.
    """

    lines: Decimal | None = None
    allowances: Decimal | None = None
    charges: Decimal | None = None
    net: Decimal | None = None
    gross: Decimal | None = None
    prepaid: Decimal | None = None
    rounding: Decimal | None = None
    due: Decimal | None = None
    third_party: Decimal | None = None
    withheld: Decimal | None = None
    split_tax: Decimal | None = None
    stamp: Decimal | None = None
    made: tuple[str, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True, slots=True)
class VatRow:
    """The base and the tax of a category and a rate in percent (BG-23), with the reason of an exemption.

    `parts` is what the base of an Italian row has apart from lines, `is_split` whether the buyer pays its tax to the
    state.
    """

    base: Decimal | None
    tax: Decimal | None
    category: str | None
    rate: Decimal | None
    reason: str | None = None
    reason_code: str | None = None
    is_vat: bool = True
    parts: tuple[Decimal, ...] = ()
    is_split: bool = False


@dataclass(frozen=True, slots=True)
class TaxTotal:
    """The tax in a currency (BT-110, BT-111), and in UBL the rows that add up to it."""

    amount: Decimal | None
    currency: str | None
    rows: tuple[VatRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Adjustment:
    """An allowance or a charge of the document or of a line (BG-20, BG-21, BG-27, BG-28)."""

    is_charge: bool
    amount: Decimal | None
    base: Decimal | None = None
    category: str | None = None
    rate: Decimal | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class InvoiceLine:
    """A line of an invoice (BG-25); the price is for `base_quantity` of its unit.

    `status` is that of the extended profile of Factur-X (BT-X-7): DETAIL, GROUP or INFORMATION. `is_withheld` where
    something is withheld of an Italian line.
    """

    id: str | None = None
    name: str | None = None
    quantity: Decimal | None = None
    unit: str | None = None
    net: Decimal | None = None
    price: Decimal | None = None
    base_quantity: Decimal | None = None
    category: str | None = None
    rate: Decimal | None = None
    is_vat: bool = True
    adjustments: tuple[Adjustment, ...] = ()
    status: str | None = None
    is_withheld: bool = False

    @property
    def is_counted(self) -> bool:
        """Return whether its net is in the totals: a group sums up its details, and information is in none."""
        return self.status not in {"GROUP", "INFORMATION"}


@dataclass(frozen=True, slots=True)
class Payment:
    """The payment instructions of an invoice: means (BT-81), remittance text (BT-83), account (BT-84)."""

    means: str | None = None
    remittance: str | None = None
    account: str | None = None


@dataclass(frozen=True, slots=True)
class Withholding:
    """What the buyer withholds of an Italian invoice, by its kind, its rate in percent and its reason in codes."""

    kind: str | None
    amount: Decimal | None
    rate: Decimal | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Instalment:
    """A payment that an Italian invoice asks for."""

    amount: Decimal | None
    due_on: date | None = None
    means: str | None = None


@dataclass(frozen=True, slots=True)
class Invoice:
    """An e-invoice as stated.

    `totals` is None if the document has no summation. `unreadable` are sentences on figures and days that cannot
    be read. `rows` is the VAT of the total in the document's currency. `supplied_on` is the day of delivery (BT-72),
    or the last one of the period that it is of (BT-74).
    """

    syntax: Syntax
    type_code: str | None = None
    number: str | None = None
    profile: str | None = None
    issued_on: date | None = None
    due_on: date | None = None
    tax_point_on: date | None = None
    supplied_on: date | None = None
    currency: str | None = None
    tax_currency: str | None = None
    preceding: tuple[str, ...] = ()
    seller: Party = field(default_factory=Party)
    buyer: Party = field(default_factory=Party)
    representative_vat_id: str | None = None
    payment: Payment = field(default_factory=Payment)
    totals: InvoiceTotals | None = None
    tax_totals: tuple[TaxTotal, ...] = ()
    rows: tuple[VatRow, ...] = ()
    adjustments: tuple[Adjustment, ...] = ()
    lines: tuple[InvoiceLine, ...] = ()
    withholdings: tuple[Withholding, ...] = ()
    instalments: tuple[Instalment, ...] = ()
    is_credit_note: bool = False
    attachments: int = 0
    unreadable: tuple[str, ...] = ()

    @property
    def counted_lines(self) -> tuple[InvoiceLine, ...]:
        """The lines that the totals add up."""
        return tuple(line for line in self.lines if line.is_counted)

    @property
    def tax(self) -> Decimal | None:
        """The tax in the document's currency (BT-110), if exactly that is stated."""
        amounts = [each.amount for each in self.own_tax_totals if each.amount is not None]
        return sum(amounts, Decimal(0)) if amounts else None

    @property
    def own_tax_totals(self) -> tuple[TaxTotal, ...]:
        """The valid tax totals: those in the document's currency, else the one without a currency.

        EN 16931 allows one; some invoices have one for each rate.
        """
        own = tuple(each for each in self.tax_totals if each.currency == self.currency)
        return own or tuple(each for each in self.tax_totals if each.currency is None)[:1]

    @property
    def all_rows(self) -> tuple[VatRow, ...]:
        """The rows of every total, including the total in the tax currency, which EN 16931 checks too."""
        if self.syntax is not Syntax.UBL:
            return self.rows
        return tuple(row for total in self.tax_totals for row in total.rows)

    @property
    def common_rows(self) -> tuple[VatRow, ...]:
        """The rows for the rules of every category: the CII schematron checks O, L and M only by their own rules."""
        if self.syntax is Syntax.UBL:
            return self.all_rows
        return tuple(row for row in self.rows if row.category not in {"O", "L", "M"} or not row.is_vat)
