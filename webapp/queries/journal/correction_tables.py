"""The table of a corrected entry: original, corrections, effective legs, target, and what would be posted."""

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.ledger.journal.corrections import difference
from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.merchants import with_counting_merchants
from webapp.ledger.money import Money
from webapp.models import JournalEntry
from webapp.queries.common import merchants
from webapp.queries.journal import entries
from webapp.queries.journal.entry_details import LegNames, line_of


@dataclass(frozen=True, slots=True)
class CorrectionColumn:
    """One state of a corrected entry, or with `is_change` the difference of a correction, and its entry."""

    label: str
    entry_id: int | None
    is_change: bool = False


@dataclass(frozen=True, slots=True)
class CorrectionRow:
    """The amounts of one account, project and merchant in the states of a corrected entry."""

    account_name: str
    project_name: str | None
    merchant_name: str | None
    amounts: list[Money | None]
    will_post: Money | None


@dataclass(frozen=True, slots=True)
class CorrectionTable:
    """The states of a corrected entry as columns, and what its open marker would post."""

    columns: list[CorrectionColumn]
    rows: list[CorrectionRow]
    has_currencies: bool
    has_merchants: bool
    marker_id: int | None
    transaction_id: int | None


def correction_table(entry: JournalEntry) -> CorrectionTable | None:
    """Make the table of a corrected entry; none where nothing was or will be corrected."""
    posted = entries.corrections_of(entry)
    marker = entries.marker_of(entry)
    if entry.status == "DRAFT" or entry.corrects_id is not None or not (posted or marker):
        return None
    merged = merchants.merged(entry.organization_id)
    original = with_counting_merchants(entries.legs_of(entry), merged)
    effective = with_counting_merchants(entries.effective_legs(entry), merged)
    states: list[tuple[CorrectionColumn, Sequence[Leg]]] = [
        (CorrectionColumn("Original", entry.id), original)
    ]
    states += [
        (
            CorrectionColumn("Correction", one.id, is_change=True),
            with_counting_merchants(entries.legs_of(one), merged),
        )
        for one in posted
    ]
    states.append(
        (CorrectionColumn("Until it was voided" if entry.status == "VOIDED" else "Current", None), effective)
    )
    will_post: Sequence[Leg] = ()
    if marker is not None:
        target = with_counting_merchants(entries.legs_of(marker), merged)
        states.append((CorrectionColumn("Planned", marker.id), target))
        will_post = difference(target, effective)
    line = line_of(entry)
    rows = _rows(entry.organization_id, [legs for _, legs in states], will_post)
    every = [leg for legs in (*(legs for _, legs in states), will_post) for leg in legs]
    return CorrectionTable(
        columns=[column for column, _ in states],
        rows=rows,
        has_currencies=len({leg.currency for leg in every}) > 1,
        has_merchants=any(row.merchant_name for row in rows),
        marker_id=marker.id if marker is not None else None,
        transaction_id=line.id if line is not None else None,
    )


def _rows(organization_id: str, states: list[Sequence[Leg]], will_post: Sequence[Leg]) -> list[CorrectionRow]:
    names = LegNames(organization_id, (leg for legs in (*states, will_post) for leg in legs))
    keys = dict.fromkeys(_key(leg) for legs in (*states, will_post) for leg in legs)
    return [
        CorrectionRow(
            account_name=names.accounts[key[0]].name,
            project_name=names.project(key[2]),
            merchant_name=names.merchant(key[3]),
            amounts=[_amount(legs, key) for legs in states],
            will_post=_amount(will_post, key),
        )
        for key in keys
    ]


def _key(leg: Leg) -> tuple[int, str, int | None, int | None]:
    return leg.account_id, leg.currency, leg.project_id, leg.merchant_id


def _amount(legs: Sequence[Leg], key: tuple[int, str, int | None, int | None]) -> Money | None:
    found = [leg.amount_minor for leg in legs if _key(leg) == key]
    return Money(sum(found), key[1]) if found else None
