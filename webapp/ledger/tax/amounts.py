"""Amounts of taxes: the base and tax of each line of an entry, and what they are in the base currency."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from webapp.ledger.journal.boxes import Boxes
from webapp.ledger.journal.mirrors import share
from webapp.ledger.tax.parts import TaxFigures
from webapp.ledger.tax.rules import (
    TaxLeg,
    TaxRule,
    base_boxes,
    joined_tax,
    tax_added,
    tax_legs,
    tax_within,
)


class CodedLine(NamedTuple):
    """A line of a code as somebody wrote it, positive on invoices; `tax_minor` is what its document states."""

    amount_minor: int
    is_included: bool = False
    tax_minor: int | None = None


class TaxedLine(NamedTuple):
    """A line's base and tax."""

    base_minor: int
    tax_minor: int


class BaseLeg(NamedTuple):
    """The leg of a line on its own account, debit positive, with the tax that joins it, and its boxes."""

    amount_minor: int
    boxes: Boxes


class CodedLegs(NamedTuple):
    """The legs of one code in an entry: of its lines in the entry's currency, of its tax in the base currency.

    `whole` is its base and tax in the base currency.
    """

    bases: list[BaseLeg]
    taxes: list[TaxLeg]
    whole: TaxFigures


def figures(rule: TaxRule, amount_minor: int, *, is_within: bool) -> TaxedLine:
    """Return base and tax of an amount, which has the tax in it or not."""
    if rule.is_all_tax:
        return TaxedLine(0, amount_minor)
    if is_within:
        tax = tax_within(amount_minor, rule.rate)
        return TaxedLine(amount_minor - tax, tax)
    return TaxedLine(amount_minor, tax_added(amount_minor, rule.rate))


def taxed(rule: TaxRule, lines: Sequence[CodedLine]) -> list[TaxedLine]:
    """Return base and tax of the lines of one code: stated tax as stated, else one rounding that they share.

    >>> from decimal import Decimal
    >>> vat = TaxRule("SALE", Decimal(20), ())
    >>> within = [CodedLine(size, is_included=True) for size in (1000, 1000, 1000, 333)]
    >>> [line.tax_minor for line in taxed(vat, within)]
    [167, 167, 167, 55]
    >>> taxed(vat, [CodedLine(3333, tax_minor=666), CodedLine(100)])
    [TaxedLine(base_minor=3333, tax_minor=666), TaxedLine(base_minor=100, tax_minor=20)]
    """
    if rule.is_all_tax:
        return [figures(rule, line.amount_minor, is_within=True) for line in lines]
    # What the buyer assesses himself is in no price.
    within = [line.is_included and not rule.is_self_assessed for line in lines]
    taxes = [line.tax_minor or 0 for line in lines]
    sharing: dict[bool, list[int]] = {}
    for place, line in enumerate(lines):
        if line.tax_minor is None:
            sharing.setdefault(within[place], []).append(place)
    for is_within, places in sharing.items():
        sizes = [lines[place].amount_minor for place in places]
        # Lines that come to nothing together have no tax that they could share.
        if size := sum(sizes):
            tax = figures(rule, size, is_within=is_within).tax_minor
            for place, part in zip(places, share(tax, sizes), strict=True):
                taxes[place] = part
    return [
        TaxedLine(line.amount_minor - tax if is_within else line.amount_minor, tax)
        for line, tax, is_within in zip(lines, taxes, within, strict=True)
    ]


def coded_legs(
    rule: TaxRule,
    lines: Sequence[CodedLine],
    in_base: Callable[[int], int] = int,
    stated_in_base: int | None = None,
) -> CodedLegs:
    """Return the legs of the lines of one code.

    `in_base` converts at the tax rate of the tax point, `stated_in_base` is the tax that a document states in the
    base currency. Base and tax are converted and rounded alone; self-assessed tax is the rate of the converted base.

    >>> from decimal import Decimal
    >>> from webapp.ledger.rates import mirroring
    >>> from webapp.ledger.journal.boxes import BoxShare
    >>> from webapp.ledger.tax.rules import TaxShare
    >>> one = Decimal(1)
    >>> shares = TaxShare("BASE", one, None, (BoxShare("f", "6", one),)), TaxShare("TAX", one, "output")
    >>> pounds = mirroring("USD", "GBP", Decimal("1.15"))
    >>> legs = coded_legs(TaxRule("SALE", Decimal(20), shares), [CodedLine(119000, is_included=True)], pounds)
    >>> legs.bases[0].amount_minor, legs.bases[0].boxes[0].amount_minor, legs.taxes[0].amount_minor
    (-99167, 86232, -17246)
    """
    found = taxed(rule, lines)
    bases, taxes = [line.base_minor for line in found], [line.tax_minor for line in found]
    base_in_base = in_base(sum(bases))
    if stated_in_base is not None:
        tax_in_base = stated_in_base
    elif rule.is_self_assessed and not rule.is_all_tax:
        tax_in_base = tax_added(base_in_base, rule.rate)
    else:
        tax_in_base = in_base(sum(taxes))
    return _legs(rule, bases, taxes, TaxFigures(base_in_base, tax_in_base))


def _legs(rule: TaxRule, bases: Sequence[int], taxes: Sequence[int], whole: TaxFigures) -> CodedLegs:
    """Return the legs of the bases and taxes of lines that are `whole` in the base currency."""
    tax, joined = sum(taxes), [0] * len(taxes)
    if tax and rule.has_joined_tax:
        joined = share(joined_tax(rule, tax), taxes)
    boxes = base_boxes(rule, bases, whole.base_minor)
    return CodedLegs(
        [
            BaseLeg(rule.sign * (base + more), each)
            for base, more, each in zip(bases, joined, boxes, strict=True)
        ],
        tax_legs(rule, whole.tax_minor),
        whole,
    )


def whole_legs(rule: TaxRule, amount_minor: int) -> tuple[BaseLeg, list[TaxLeg]]:
    """Return the legs of an amount in the base currency, debit positive, that is of one code and has its tax in it.

    >>> from decimal import Decimal
    >>> from webapp.ledger.tax.rules import TaxShare
    >>> whole_legs(TaxRule("SALE", Decimal(20), (TaxShare("TAX", Decimal(1), "output"),)), -12000)
    (BaseLeg(amount_minor=-10000, boxes=()), [TaxLeg(role='output', amount_minor=-2000, boxes=())])
    """
    base, tax = figures(rule, rule.sign * amount_minor, is_within=not rule.is_self_assessed)
    found = _legs(rule, [base], [tax], TaxFigures(base, tax))
    return found.bases[0], [each for each in found.taxes if each.amount_minor]


def written(parts: Sequence[tuple[int, object, bool]]) -> list[int | None]:
    """Return what people wrote of parts with codes: amounts with their tax, and None for what is tax alone.

    Each part has its amount, its code or None, and whether it is on an account of taxes.

    >>> written([(12000, None, False), (-6000, "S20", False), (-4000, "S20", False), (-2000, "S20", True)])
    [12000, -7200, -4800, None]
    >>> written([(-500, "C79", True)])
    [None]
    """
    found: list[int | None] = [None if code and is_tax else amount for amount, code, is_tax in parts]
    for code in {code for _, code, is_tax in parts if code and is_tax}:
        places = [place for place, part in enumerate(parts) if part[1] == code and not part[2]]
        bases = [parts[place][0] for place in places]
        if sum(bases):
            taxes = share(sum(part[0] for part in parts if part[1] == code and part[2]), bases)
            for place, base, tax in zip(places, bases, taxes, strict=True):
                found[place] = base + tax
    return found
