"""One figure of an e-invoice is altered: a check finds it, or it is shown as it is stated, and never hidden."""

import xml.etree.ElementTree as ET
from collections import Counter
from decimal import Decimal
from random import Random

from tests.corpus import manifest
from webapp.importers import pdfs
from webapp.importers.invoices import read
from webapp.importers.invoices.facts import facts

FILES = [(name, entry) for name in ("ubl", "cii", "facturx_pdf") for entry in manifest.entries(name)]
# The figures of totals, of the breakdown and of lines, by their names in both syntaxes.
UBL = {
    *(
        "LineExtensionAmount",
        "TaxExclusiveAmount",
        "TaxInclusiveAmount",
        "PayableAmount",
        "PayableRoundingAmount",
    ),
    *("AllowanceTotalAmount", "ChargeTotalAmount", "PrepaidAmount", "TaxableAmount", "TaxAmount"),
}
CII = {
    *("LineTotalAmount", "TaxBasisTotalAmount", "TaxTotalAmount", "GrandTotalAmount", "DuePayableAmount"),
    *("AllowanceTotalAmount", "ChargeTotalAmount", "TotalPrepaidAmount", "RoundingAmount"),
    *("BasisAmount", "CalculatedAmount"),
}
ALTERED_BY = Decimal("10.00")


def figures(root):
    """List the elements with a figure; those of allowances within lines are no figures of the invoice's own."""
    parents = {child: parent for parent in root.iter() for child in parent}
    return [
        each
        for each in root.iter()
        if local(each) in UBL | CII
        and "Allowance" not in local(parents.get(each, root)).replace("TotalAmount", "")
    ]


def local(element):
    return element.tag.rpartition("}")[2]


def numbers(value):
    """Count every figure of what was read, wherever it stands."""
    if isinstance(value, dict):
        return sum((numbers(each) for name, each in value.items() if name != "findings"), Counter())
    if isinstance(value, list):
        return sum(map(numbers, value), Counter())
    return Counter([value] if isinstance(value, str) else [])


def test_each_altered_figure_is_found_or_shown(rounds, remark):
    counted, chance = Counter(), Random(2026)  # noqa: S311
    for name, entry in FILES:
        xml = pdfs.read(entry.data).xml if name == "facturx_pdf" else entry.data
        before = facts(read(xml))
        rules = {each["rule"] for each in before["findings"]}
        root = ET.fromstring(xml)  # noqa: S314
        elements = figures(root)
        for element in chance.sample(elements, min(len(elements), rounds(1, len(elements)))):
            written = element.text
            element.text = str(Decimal(written) + ALTERED_BY)
            after = facts(read(ET.tostring(root)))
            is_found = bool({each["rule"] for each in after["findings"]} - rules)
            is_shown = bool(numbers(after) - numbers(before))
            counted.update(
                altered=1, found=is_found, shown=is_shown, **{"only shown": is_shown and not is_found}
            )
            assert is_found or is_shown, (entry.path, local(element), written)
            element.text = written
        counted["files"] += 1
    remark(", ".join(f"{count} {what}" for what, count in counted.items()))
    assert counted["found"] > counted["altered"] // 2
