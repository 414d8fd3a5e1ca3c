"""The supported rules, their verdicts, and the findings on an invoice for people."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from webapp.importers.invoices.records import Invoice, InvoiceTotals, Syntax
from webapp.importers.invoices.rules import decimals, sdi, totals, vat
from webapp.importers.invoices.rules.arithmetic import Figure, add, minus, shown, sum_of

# The rules of intra-community supplies are named after IC, and the category is K.
CATEGORIES: Final[Mapping[str, str]] = {"Z": "Z", "E": "E", "AE": "AE", "IC": "K", "G": "G", "O": "O"}
RULES: Final[Mapping[str, Callable[[Invoice], bool]]] = {
    "BR-CO-10": totals.lines_add_up,
    "BR-CO-11": totals.allowances_add_up,
    "BR-CO-12": totals.charges_add_up,
    "BR-CO-13": totals.net_adds_up,
    "BR-CO-14": totals.taxes_add_up,
    "BR-CO-15": totals.gross_adds_up,
    "BR-CO-16": totals.due_adds_up,
    "BR-CO-17": vat.tax_follows,
    "BR-S-05": vat.standard_rate_is_positive,
    "BR-S-08": vat.base_of_standard_adds_up,
    "BR-S-09": vat.tax_of_standard_follows,
    "BR-AE-02": vat.reverse_charge_names_both,
    **{f"BR-{name}-08": partial(vat.base_adds_up, category=code) for name, code in CATEGORIES.items()},
    **{f"BR-{name}-09": partial(vat.has_no_tax, category=code) for name, code in CATEGORIES.items()},
    **{rule: partial(decimals.are_few, rule=rule) for rule in decimals.FIGURES},
    "BR-DEC-13": decimals.tax_has_cents,
    "BR-DEC-15": decimals.accounting_tax_has_cents,
}
# What an invoice without lines cannot be compared with: its profile leaves them out.
_OF_LINES: Final = frozenset({"BR-CO-10", "BR-S-08", *(f"BR-{name}-08" for name in CATEGORIES)})
# The smallest profile has the net, the tax, the gross and what is due, and nothing that they come from.
_OF_SUMS: Final = frozenset({"BR-CO-13", "BR-CO-14", "BR-CO-16"})
_MINIMUM: Final = "minimum"
_BASIC_WL: Final = "basicwl"
MOST_ROWS: Final = 5


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """A broken rule of an invoice, and a sentence with its figures."""

    rule: str
    sentence: str


def failing(invoice: Invoice) -> list[str]:
    """List the rules of EN 16931 that fail in the official validation, which has none for the other languages."""
    if invoice.syntax not in (Syntax.UBL, Syntax.CII):
        return []
    return [rule for rule, holds in RULES.items() if not holds(invoice)]


def findings(invoice: Invoice) -> list[RuleFinding]:
    """List the broken rules and the parts that the profile leaves out; no figure changes."""
    left_out = _left_out(invoice)
    found = [RuleFinding("unreadable", sentence) for sentence in invoice.unreadable]
    found += [
        RuleFinding(rule, _sentence(rule, invoice)) for rule in failing(invoice) if rule not in left_out
    ]
    if invoice.syntax is Syntax.FATTURA_PA:
        found += [RuleFinding(rule, sentence) for rule, sentence in sdi.failing(invoice)]
    if left_out:
        parts = "lines" if invoice.rows else "lines and no VAT by rate"
        found.append(
            RuleFinding(
                "left_out", f"The profile of this invoice has no {parts}, so that its totals stand alone."
            )
        )
    if invoice.syntax is Syntax.ZUGFERD_1:
        found.append(
            RuleFinding(
                "zugferd_1", "ZUGFeRD 1 is older than EN 16931; its figures are read and not checked."
            )
        )
    return found


def _left_out(invoice: Invoice) -> frozenset[str]:
    profile = (invoice.profile or "").casefold().replace("-", "").replace(" ", "")
    if invoice.syntax in (Syntax.UBL, Syntax.FATTURA_PA) or invoice.lines:
        return frozenset()
    if profile.endswith(_MINIMUM):
        return _OF_LINES | _OF_SUMS
    return _OF_LINES if profile.endswith(_BASIC_WL) else frozenset()


def _compared(invoice: Invoice) -> Mapping[str, tuple[str, Figure, str, Figure]]:
    """Return what is stated and what makes it, with their names, by rule."""
    stated = invoice.totals or InvoiceTotals()
    own = invoice.adjustments
    return {
        "BR-CO-10": (
            "sum of the lines",
            stated.lines,
            "lines",
            _sum_if_any(each.net for each in invoice.counted_lines),
        ),
        "BR-CO-11": (
            "sum of allowances",
            stated.allowances,
            "allowances",
            _sum_if_any(each.amount for each in own if not each.is_charge),
        ),
        "BR-CO-12": (
            "sum of charges",
            stated.charges,
            "charges",
            _sum_if_any(each.amount for each in own if each.is_charge),
        ),
        "BR-CO-13": (
            "net",
            stated.net,
            "lines, less allowances, with charges,",
            _with(stated.lines, minus(stated.allowances), stated.charges),
        ),
        "BR-CO-14": ("tax", invoice.tax, "taxes by rate", _sum_if_any(row.tax for row in invoice.rows)),
        "BR-CO-15": ("gross", stated.gross, "net and the tax", add(stated.net, invoice.tax)),
        "BR-CO-16": (
            "amount due",
            stated.due,
            "gross, less what was prepaid, with the rounding,",
            _with(stated.gross, minus(stated.prepaid), stated.rounding, stated.third_party),
        ),
    }


def _sentence(rule: str, invoice: Invoice) -> str:
    compared = _compared(invoice)
    if rule == "BR-CO-15" and len(totals_in := invoice.own_tax_totals) > 1:
        return f"The invoice states {len(totals_in)} totals of tax in {invoice.currency}, and may state only one."
    if rule in compared:
        name, figure, parts, made = compared[rule]
        if made is None:
            return f"The {name} is stated as {shown(figure)}, and there are no {parts} that make it."
        if figure == made:
            return (
                f"The {name}, {shown(figure)}, has more than two decimals, or comes from amounts that have."
            )
        return f"The {name} is stated as {shown(figure)}, and the {parts} make {shown(made)}."
    if rule.startswith("BR-DEC"):
        return "An amount is written with more than two decimals."
    what = "base" if rule.endswith("08") else "tax"
    rows = _rows(rule, invoice)
    return _OTHERS.get(rule, f"The {what} of a VAT category does not follow from its lines and rate: {rows}.")


_OTHERS: Final = {
    "BR-S-05": "A line of the standard rate states no rate above 0.",
    "BR-AE-02": "A line is under reverse charge, and the VAT ids of the seller and the buyer are not both stated.",
}


def _rows(rule: str, invoice: Invoice) -> str:
    name = rule.split("-")[1]
    category = CATEGORIES.get(name, name)
    rows = [row for row in invoice.all_rows if category in {"CO", row.category}]
    written = (
        f"{row.category or 'no category'} {shown(row.rate)} %: base {shown(row.base)}, tax {shown(row.tax)}"
        for row in rows[:MOST_ROWS]
    )
    return ", ".join(written)


def _sum_if_any(figures: Iterable[Figure]) -> Figure:
    found = [figure for figure in figures if figure is not None]
    return sum_of(found) if found else None


def _with(first: Figure, *others: Figure) -> Figure:
    return add(first, *(other for other in others if other is not None))
