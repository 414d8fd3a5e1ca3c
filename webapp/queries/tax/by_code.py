"""What each tax code adds to the boxes of a return: the codes of a box add up to its exact figure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webapp.ledger.journal.boxes import Boxes
from webapp.ledger.money import Money
from webapp.models import Organization, TaxCode, TaxReturn
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.tax import packs, stamps
from webapp.queries.tax.figures import BoxFigure
from webapp.queries.tax.returns import OpenReturn


@dataclass(frozen=True, slots=True)
class CodeFigures:
    """What a tax code adds to the boxes of a return; without a code, what was adjusted by hand."""

    tax_code_id: int | None
    code: str | None
    name: str | None
    pack: str | None
    boxes: Sequence[BoxFigure]


def of_open(organization: Organization, found: OpenReturn) -> list[CodeFigures]:
    """List what the codes of an open return add to its boxes, A to Z."""
    coded = ((each.tax_code_id, each.boxes) for each in found.postings)
    return _figures(organization, found.record.form, coded)


def of_filed(filed: TaxReturn) -> list[CodeFigures]:
    """List what the codes of a filed return add to its boxes, A to Z."""
    organization = organizations.get(filed.organization_id)
    return _figures(organization, filed.form, stamps.coded_boxes(filed))


def _figures(
    organization: Organization, form: str, coded: Iterable[tuple[int | None, Boxes]]
) -> list[CodeFigures]:
    sums: dict[int | None, Counter[str]] = {}
    for code_id, boxes in coded:
        own = sums.setdefault(code_id, Counter())
        for each in boxes:
            if each.form == form:
                own[each.box] += each.amount_minor
    codes = lookups.by_id(TaxCode, organization.id, sums)
    of_form, base = packs.content(form).form, organization.base_currency
    found = [
        CodeFigures(
            code_id,
            codes[code_id].code if code_id in codes else None,
            codes[code_id].name if code_id in codes else None,
            codes[code_id].pack if code_id in codes else None,
            [
                BoxFigure(each.box, each.label, Money(own[each.box], base), Money(own[each.box], base))
                for each in of_form.boxes
                if own[each.box]
            ],
        )
        for code_id, own in sums.items()
    ]
    return sorted((each for each in found if each.boxes), key=lambda each: each.code or "~")
