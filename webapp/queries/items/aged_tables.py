"""What is owed by age as a table of typed cells, above zero on either side."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from webapp.exporters.csv_files import Cell, Table
from webapp.ledger.money import Money
from webapp.ledger.open_items.ageing import AGE_WORDS, Age, OwedSide
from webapp.ledger.texts.words import Words
from webapp.queries.items import ageing
from webapp.queries.items.ageing import AgedParty, AgedReport

TITLES: Final = {OwedSide.RECEIVABLES: "Aged receivables", OwedSide.PAYABLES: "Aged payables"}


def table(organization_id: str, side: OwedSide, day: date) -> Table:
    """Write a row for each party and currency, the revaluation, and the total, which is that of the accounts."""
    report = ageing.report(organization_id, side, day)
    sign = 1 if side is OwedSide.RECEIVABLES else -1
    heads = ["Party", "Currency", *AGE_WORDS.values(), "Total", f"Total in {report.base_currency}"]
    return Table(TITLES[side], heads, [*_rows(report, sign), *_sums(report, sign)])


def _rows(report: AgedReport, sign: int) -> Iterator[Sequence[Cell]]:
    for party in report.parties:
        yield from _of_party(party, sign)


def _of_party(party: AgedParty, sign: int) -> Iterator[Sequence[Cell]]:
    for row in party.rows:
        ages = (_signed(row.amounts[age], sign) for age in Age)
        yield (
            party.name or Words("No party"),
            row.currency,
            *ages,
            _signed(row.total, sign),
            _signed(row.total_base, sign),
        )


def _sums(report: AgedReport, sign: int) -> Iterator[Sequence[Cell]]:
    nothing = [None] * (len(Age) + 1)
    if report.revaluation:
        yield (Words("Revaluation"), report.base_currency, *nothing, _signed(report.revaluation, sign))
    yield (Words("Total"), report.base_currency, *nothing, _signed(report.balance, sign))


def _signed(amount: Money, sign: int) -> Money:
    return amount if sign > 0 else -amount
