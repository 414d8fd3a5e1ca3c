"""What parts of items have of taxes, derived anew: what was posted of each item adds up to it."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.tax.parts import BACK, DISCOUNT, SHORT, PartShare, TaxedItem, shares_of, standing
from webapp.models import TaxCode, TaxPart
from webapp.queries.common.portions import portions
from webapp.queries.tax import parts
from webapp.queries.tax.parts import ItemTax


def taxed_item(
    organization_id: str, item: ItemTax, present: Sequence[PartShare], codes: Mapping[int | None, TaxCode]
) -> TaxedItem:
    """Give an item with all that its parts are computed of; `present` is what they had.

    `codes` are its own, and those of what it is settled with.
    """
    return TaxedItem(
        wholes=item.wholes,
        gross_minor=parts.gross(organization_id, item.entry_id),
        cash=frozenset(row.id for row in codes.values() if row.rule.waits),
        is_advance=item.is_advance,
        relieved=standing(present),
    )


def differing(organization_id: str) -> Iterator[int]:
    """Find the entries whose items have other parts than they should, whatever the order in which these came.

    What was undone of an item took back what it had posted, so that other parts kept their roundings.
    """
    codes: dict[int | None, TaxCode] = {
        each.id: each
        for each in db.session.scalars(sa.select(TaxCode).where(TaxCode.organization_id == organization_id))
    }
    waiting = {code_id for code_id, each in codes.items() if each.rule.waits}
    of_parts = sa.select(TaxPart.journal_entry_id).where(TaxPart.organization_id == organization_id)
    for portion in portions(sorted({*db.session.scalars(of_parts)})):
        taxed, had = parts.of_entries(organization_id, portion), parts.shares(organization_id, portion)
        met = parts.pieces(organization_id, portion, taxed)
        for entry_id in portion:
            present, wanted = had[entry_id], list[PartShare]()
            pieces = met.get(entry_id, ())
            numbers = {piece.settlement for piece in pieces} | {None}
            if entry_id in taxed:
                item = taxed_item(organization_id, taxed[entry_id], present, codes)
                wanted = shares_of(item, pieces)
                if any(each.settlement not in numbers for each in present):
                    continue
            if _sums(present, waiting) != _sums(wanted, waiting):
                yield entry_id


def _sums(shares: Iterable[PartShare], waiting: Collection[int | None]) -> dict[tuple[str, int, int], int]:
    """Add up base and tax of shares by code and kind; what is short of an item is one kind.

    What is short of a code that waits is in no box: without tax there is nothing to post, and its base is not kept.
    """
    found: Counter[tuple[str, int, int]] = Counter()
    for each in shares:
        if each.kind in BACK:
            continue
        kind = DISCOUNT if each.kind in SHORT else each.kind
        found[kind, each.code, 1] += each.figures.tax_minor
        if each.kind not in SHORT or each.code not in waiting:
            found[kind, each.code, 0] += each.figures.base_minor
    return {key: minor for key, minor in found.items() if minor}
