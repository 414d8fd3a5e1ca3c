"""Own bills that are unpaid six months after the later of their due day and their tax point."""

from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.tax.forms import months_after
from webapp.ledger.tax.parts import CREDIT, MONEY, UNPAID, Figures, Share, TaxedItem, relief_of
from webapp.ledger.tax.rules import tax_legs
from webapp.models import JournalEntry, OwedItem, Posting, TaxCode, TaxPart, refers_to
from webapp.queries.tax import parts


@dataclass(frozen=True, slots=True)
class UnpaidBill:
    """A bill with what was unpaid of it when its six months ended, and the tax that is to be repaid for that."""

    item_id: int
    entry_id: int
    account_id: int
    ends_on: date
    size_minor: int
    tax_minor: int
    item: TaxedItem
    codes: tuple[int, ...]


def bills(organization_id: str, until: date, months: int, since: date | None = None) -> list[UnpaidBill]:
    """Find the bills whose months are over by a day, and whose tax was not repaid; none whose tax waits for money.

    With `since` those whose tax point is older are left out.
    """
    codes = {
        each.id: each
        for each in db.session.scalars(
            sa.select(TaxCode).where(TaxCode.organization_id == organization_id, TaxCode.side == "PURCHASE")
        )
        if not (each.rule.waits or each.rule.is_self_assessed)
    }
    if not codes:
        return []
    columns: list[Any] = [OwedItem.id, OwedItem.journal_entry_id, OwedItem.due_on]
    repaid = sa.exists().where(refers_to(TaxPart.journal_entry_id, JournalEntry), TaxPart.kind == UNPAID)
    rows = db.session.execute(
        sa.select(*columns)
        .join(JournalEntry, refers_to(OwedItem.journal_entry_id, JournalEntry))
        .join(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            Posting.organization_id == organization_id,
            Posting.tax_point <= months_after(until, -months),
            Posting.tax_point >= (since or date.min),
            Posting.tax_code_id.in_(codes),
            JournalEntry.status == "POSTED",
            ~repaid,
        )
        .distinct()
        .order_by(OwedItem.id)
    ).all()
    taxed = parts.of_entries(organization_id, {row.journal_entry_id for row in rows})
    met = parts.pieces(organization_id, {*taxed}, taxed) if taxed else {}
    found = []
    for row in rows:
        item = taxed.get(row.journal_entry_id)
        if item is None or item.is_credit:
            continue
        ends_on = months_after(max(row.due_on or item.tax_point, item.tax_point), months)
        gross = parts.gross(organization_id, item.entry_id)
        kinds = (MONEY, CREDIT)
        paid = sum(
            piece.size_minor
            for piece in met.get(item.entry_id, ())
            if piece.tax_point <= ends_on and piece.kind in kinds
        )
        own = tuple(code for code in item.wholes if code in codes)
        if ends_on > until or paid >= gross or not own:
            continue
        whole = TaxedItem(item.wholes, gross)
        size = gross - paid
        shares = relief_of(
            whole, own, Share(None, UNPAID, 0, ends_on, Figures(), item.entry_id, size_minor=size)
        )
        tax = sum(
            leg.amount_minor
            for share in shares
            for leg in tax_legs(codes[share.code].rule, share.figures.tax_minor)
        )
        if tax > 0:
            found.append(UnpaidBill(row.id, item.entry_id, item.account_id, ends_on, size, tax, whole, own))
    return found
