"""Figures of tax returns: of each box, and of what is late, as they are shown and kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from webapp.ledger.journal.boxes import Boxes
from webapp.ledger.money import Money
from webapp.ledger.tax.forms import TaxForm


@dataclass(frozen=True, slots=True)
class BoxFigure:
    """A box of a form: the figure that it shows, and the exact one."""

    box: str
    label: str
    amount: Money
    exact: Money


@dataclass(frozen=True, slots=True)
class LateFigure:
    """What an entry adds late to a return, of one period, and as what; `error_of` is the end of that made wrong."""

    journal_entry_id: int
    tax_point: date
    boxes: Sequence[BoxFigure]
    late_as: str | None = None
    error_of: date | None = None


def stored(figure: BoxFigure) -> list[Any]:
    """Give a figure as a return keeps it: amounts in minor units."""
    return [figure.box, figure.label, figure.amount.minor, figure.exact.minor]


def kept(kept_of: Sequence[Any], base: str) -> BoxFigure:
    """Read a figure that a return keeps."""
    return BoxFigure(kept_of[0], kept_of[1], Money(kept_of[2], base), Money(kept_of[3], base))


def stored_late(row: LateFigure) -> list[Any]:
    """Give what is late as a return keeps it."""
    error_of = row.error_of and row.error_of.isoformat()
    boxes = [stored(each) for each in row.boxes]
    return [row.journal_entry_id, row.tax_point.isoformat(), boxes, row.late_as, error_of]


def kept_late(kept_of: Sequence[Any], base: str) -> LateFigure:
    """Read what a return keeps as late."""
    error_of = kept_of[4] and date.fromisoformat(kept_of[4])
    boxes = [kept(each, base) for each in kept_of[2]]
    return LateFigure(kept_of[0], date.fromisoformat(kept_of[1]), boxes, kept_of[3], error_of)


def figures_of(form: TaxForm, boxes: Boxes, base: str) -> list[BoxFigure]:
    """Give what adds to the boxes of a form, as figures of them."""
    labels = {each.box: each.label for each in form.boxes}
    return [
        BoxFigure(each.box, labels[each.box], Money(each.amount_minor, base), Money(each.amount_minor, base))
        for each in boxes
        if each.form == form.name
    ]
