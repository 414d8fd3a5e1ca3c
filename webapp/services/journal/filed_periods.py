"""Periods of which a tax return is filed: what is posted to them is late, and enters the next return."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from webapp.ledger.errors import LedgerError
from webapp.ledger.journal.boxes import BoxAmount, Boxes, summed
from webapp.ledger.journal.entries import Leg
from webapp.ledger.money import Money
from webapp.models import JournalEntry
from webapp.queries.accounts import accounts
from webapp.queries.journal import entries
from webapp.queries.tax import periods
from webapp.services.audit.act import Act

# What comes of a bank or on paper is a fact; what somebody writes is asked about.
WRITTEN_BY_HAND: Final = frozenset({"manual", "correction", "void", "tax"})
# Somebody decides on a relief and its end, and on tax of unpaid bills; other effects of a settlement follow the money.
RELIEFS: Final = frozenset({"claim_tax_relief", "take_back_tax_relief", "repay_unpaid_tax"})


class LateTaxError(LedgerError):
    """The tax return of this tax point is filed; send `late` if this is to enter the next one."""

    code = "tax_period_filed"


def check(entry: JournalEntry, legs: Sequence[Leg], doing: Act) -> None:
    """Ask before somebody posts to a period of which a return is filed, and warn where a bank or a document does.

    What comes to nothing in each period is not asked about.
    """
    boxes = {box.form for leg in legs for box in leg.boxes}
    for form in sorted(boxes):
        found = _filed(entry.organization_id, form, legs)
        if found is None:
            continue
        last, amounts = found
        figures = [(each.box, Money(each.amount_minor, entry.base_currency)) for each in amounts]
        said = ", ".join(f"{amount.formatted} in box {box}" for box, amount in figures)
        sentence = f"The tax return to {last:%-d %b %Y} is filed: {said}"
        is_asked = entry.source in WRITTEN_BY_HAND or doing.kind in RELIEFS
        if is_asked and not doing.actor.is_late:
            details = {"form": form, "to": last.isoformat()}
            told = [{"box": box, "amount": str(amount)} for box, amount in figures]
            raise LateTaxError(
                f"{sentence} would come late. Send it as late if it is to enter the next one.",
                details={**details, "amounts": told},
            )
        doing.warn(LateTaxError.code, f"{sentence} is late, and in the next one.")


def warn_before_start(entry: JournalEntry, change: JournalEntry, doing: Act) -> None:
    """Warn of tax that a change of an entry moves in no return: it was in one of before the books had taxes."""
    foreign = {leg.account_id for leg in entries.legs_of(entry) if leg.currency != entry.base_currency}
    since = accounts.in_base_since(entry.organization_id, foreign)
    tax = sum(leg.amount_base_minor or 0 for leg in entries.legs_of(change) if leg.account_id in since)
    if tax:
        amount = abs(Money(tax, entry.base_currency)).formatted
        doing.warn(
            "before_start",
            f"{amount} of tax is from before the books kept taxes: it enters no return here, so report it apart.",
        )


def _filed(organization_id: str, form: str, legs: Sequence[Leg]) -> tuple[date, Boxes] | None:
    """Find the end of the first filed period to whose boxes legs add something, and what; None for nothing."""
    filed = periods.standing(organization_id, form)
    of_period: dict[date, list[BoxAmount]] = {}
    for leg in legs:
        if filed and leg.tax_point is not None and leg.tax_point <= filed[0].ends_on:
            ends = (each.ends_on for each in reversed(filed) if leg.tax_point <= each.ends_on)
            of_period.setdefault(next(ends), []).extend(box for box in leg.boxes if box.form == form)
    sums = {last: amounts for last, boxes in of_period.items() if (amounts := summed(boxes))}
    return min(sums.items()) if sums else None
