"""Packs: the form of a country's tax return with the codes that fill it, as data."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from webapp.ledger.journal.boxes import BoxShare
from webapp.ledger.tax.forms import FormBox, TaxForm
from webapp.ledger.tax.rules import TaxRule, TaxShare

# The categories of VAT (UNCL 5305) of which an invoice states no tax: their rate says nothing.
UNTAXED: Final = frozenset({"AE", "K", "G", "O"})


@dataclass(frozen=True, slots=True)
class PackCode:
    """A code as a pack proposes it; `category` is that of invoices (UNCL 5305), here or from abroad only."""

    code: str
    name: str
    rule: TaxRule
    has_relief: bool
    is_import: bool = False
    category: str | None = None
    is_abroad: bool | None = None

    def is_of(self, category: str | None, rate: Decimal | None, *, is_abroad: bool) -> bool:
        """Return whether a row of an invoice's breakdown most likely has this code."""
        if category is None or self.category != category or self.is_abroad not in (None, is_abroad):
            return False
        return category in UNTAXED or self.rule.rate == rate

    @property
    def waits(self) -> bool:
        """Return whether its tax may wait for money."""
        return not (self.rule.is_self_assessed or self.rule.is_all_tax or self.is_import)


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack: its form, and its codes in order; with a `currency` it is for books in that one only."""

    name: str
    version: int
    title: str
    currency: str | None
    form: TaxForm
    codes: tuple[PackCode, ...]

    def codes_by(self, basis: str) -> tuple[PackCode, ...]:
        """Return the codes for books of a basis; where tax is due by money, those that can wait for it have a twin.

        What the buyer assesses himself, imports and all that is tax stays on invoices.
        """
        if basis != "CASH":
            return self.codes
        twins = (
            replace(
                each,
                code=f"{each.code}C",
                name=f"{each.name}, by money",
                rule=replace(each.rule, basis="CASH"),
                has_relief=False,
            )
            for each in self.codes
            if each.waits
        )
        return (*self.codes, *twins)


def read_pack(data: Mapping[str, Any]) -> Pack:
    """Read a pack from its JSON."""
    own = {"version", "title", "currency", "boxes", "codes"}
    name = data["name"]
    form = TaxForm(
        boxes=tuple(FormBox(**each) for each in data["boxes"]),
        **{key: value for key, value in data.items() if key not in own},
    )
    codes = tuple(_code(name, each) for each in data["codes"])
    return Pack(name, data["version"], data["title"], data["currency"], form, codes)


def _code(form: str, data: Mapping[str, Any]) -> PackCode:
    one = Decimal(1)
    base = tuple(BoxShare(form, box, one) for box in data["base"])
    taxes = (
        TaxShare(
            "TAX", Decimal(factor), role, tuple(BoxShare(form, box, abs(Decimal(factor))) for box in boxes)
        )
        for factor, role, boxes in data["tax"]
    )
    is_all_tax = data.get("all_tax", False)
    rule = TaxRule(
        side=data["side"],
        rate=Decimal(data["rate"]),
        shares=(*(() if is_all_tax else (TaxShare("BASE", one, None, base),)), *taxes),
        is_all_tax=is_all_tax,
        is_self_assessed=data.get("self_assessed", False),
    )
    return PackCode(
        data["code"],
        data["name"],
        rule,
        has_relief=data.get("relief", False),
        is_import=data.get("import", False),
        category=data.get("category"),
        is_abroad=data.get("abroad"),
    )
