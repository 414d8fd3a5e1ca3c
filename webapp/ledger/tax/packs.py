"""Packs: the form of a country's tax return with the codes that fill it, as data."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from webapp.ledger.journal.boxes import BoxShare
from webapp.ledger.tax.forms import FormBox, TaxForm
from webapp.ledger.tax.rules import TaxRule, TaxShare


@dataclass(frozen=True, slots=True)
class PackCode:
    """A code as a pack proposes it."""

    code: str
    name: str
    rule: TaxRule
    has_relief: bool
    is_import: bool = False

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
    return PackCode(data["code"], data["name"], rule, data.get("relief", False), data.get("import", False))
