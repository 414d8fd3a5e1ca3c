"""Own bills that are unpaid six months after the later of their due day and their tax point."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.tax.forms import months_after
from webapp.ledger.tax.parts import (
    NOT_OWED,
    UNPAID,
    PartShare,
    Piece,
    TaxedItem,
    TaxFigures,
    less_credits,
    relief_of,
)
from webapp.ledger.tax.rules import tax_legs
from webapp.models import JournalEntry, Organization, OwedItem, Posting, TaxCode, TaxPart, refers_to
from webapp.queries.tax import packs, parts
from webapp.queries.tax.parts import ItemTax
from webapp.queries.tax.periods import periods_of


@dataclass(frozen=True, slots=True)
class UnpaidTax:
    """Own bills that were unpaid for six months: their items, and the tax that is to be repaid for them."""

    items: Sequence[int]
    tax: Money


@dataclass(frozen=True, slots=True)
class UnpaidBill:
    """A bill with what was unpaid of it when its six months ended, and the tax that is to be repaid for that.

    `left` is the item without what was credited of it by then.
    """

    item_id: int
    entry_id: int
    account_id: int
    ends_on: date
    size_minor: int
    tax_minor: int
    item: TaxedItem
    left: TaxedItem
    codes: tuple[int, ...]
    pieces: Sequence[Piece]


def owed(organization: Organization, form: str, last: date) -> UnpaidTax | None:
    """Give the bills that a return or an earlier one has, and that are unpaid too long; None where no form asks."""
    if packs.content(form).form.unpaid_months is None:
        return None
    found = bills(organization.id, form, last)
    tax = Money(sum(bill.tax_minor for bill in found), organization.base_currency)
    return UnpaidTax([bill.item_id for bill in found], tax)


def stored(found: UnpaidTax | None) -> list[Any] | None:
    """Give unpaid bills as a filed return keeps them."""
    return None if found is None else [list(found.items), found.tax.minor]


def kept(kept_of: Sequence[Any] | None, base: str) -> UnpaidTax | None:
    """Read the unpaid bills that a return keeps; None for what was filed without a word of them."""
    return None if kept_of is None else UnpaidTax(kept_of[0], Money(kept_of[1], base))


def bills(organization_id: str, form: str, until: date) -> list[UnpaidBill]:
    """Find the bills whose months are over by a day, and whose tax was not repaid; none whose tax waits for money.

    Those that are out of time in the return of that day are left out.
    """
    of_form, periods = packs.content(form).form, periods_of(organization_id, form)
    months, years = of_form.unpaid_months, of_form.years
    if months is None:
        return []
    oldest = date.min if years is None else months_after(periods.of(until).last, -12 * years)
    since = oldest if years is None else periods.of(oldest).first
    codes = {
        each.id: each
        for each in db.session.scalars(
            sa.select(TaxCode).where(TaxCode.organization_id == organization_id, TaxCode.side == "PURCHASE")
        )
        if not (each.rule.waits or each.rule.is_self_assessed)
    }
    if not codes:
        return []
    rows = _begun(organization_id, (since, until, months), codes)
    taxed = parts.of_entries(organization_id, {row.journal_entry_id for row in rows})
    met = parts.pieces(organization_id, {*taxed}, taxed) if taxed else {}
    found = []
    for row in rows:
        item = taxed.get(row.journal_entry_id)
        if item is not None and not item.is_credit:
            ends_on = months_after(max(row.due_on or item.tax_point, item.tax_point), months)
            bill = _bill(row.id, item, ends_on, met.get(item.entry_id, ()), codes)
            if ends_on <= until and bill.size_minor > 0 and bill.tax_minor > 0:
                found.append(bill)
    return found


def _begun(
    organization_id: str, days: tuple[date, date, int], codes: Mapping[int, TaxCode]
) -> Sequence[sa.Row[Any]]:
    """Find the items of entries with codes whose tax point is so many months before a day, and that nobody repaid."""
    since, until, months = days
    columns: list[Any] = [OwedItem.id, OwedItem.journal_entry_id, OwedItem.due_on]
    repaid = sa.exists().where(refers_to(TaxPart.journal_entry_id, JournalEntry), TaxPart.kind == UNPAID)
    # The last day of a month may have its end on an earlier day of a later one.
    latest = months_after(until, -months) + timedelta(days=3)
    statement = (
        sa.select(*columns)
        .join(JournalEntry, refers_to(OwedItem.journal_entry_id, JournalEntry))
        .join(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            Posting.organization_id == organization_id,
            Posting.tax_point.between(since, latest),
            Posting.tax_code_id.in_(codes),
            JournalEntry.status == "POSTED",
            ~repaid,
        )
        .distinct()
        .order_by(OwedItem.id)
    )
    return db.session.execute(statement).all()


def _bill(
    item_id: int, item: ItemTax, ends_on: date, pieces: Sequence[Piece], codes: Mapping[int, TaxCode]
) -> UnpaidBill:
    """Give what was unpaid of a bill on a day, with the tax of that."""
    gross = parts.gross(item.organization_id, item.entry_id)
    before = [piece for piece in pieces if piece.tax_point <= ends_on]
    size = gross - sum(piece.size_minor for piece in before if piece.kind in NOT_OWED)
    own = tuple(code for code in item.wholes if code in codes)
    whole = TaxedItem(item.wholes, gross)
    left = less_credits(whole, before)
    relief = PartShare(None, UNPAID, 0, ends_on, TaxFigures(), item.entry_id, size_minor=size)
    tax = sum(
        leg.amount_minor
        for share in relief_of(left, own, relief)
        for leg in tax_legs(codes[share.code].rule, share.figures.tax_minor)
    )
    return UnpaidBill(item_id, item.entry_id, item.account_id, ends_on, size, tax, whole, left, own, pieces)
