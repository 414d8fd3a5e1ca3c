"""What to look at before a return is filed: money that settles nothing, drafts, and income without a tax code."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.ledger.chart import AccountType
from webapp.models import Account, JournalEntry, Merchant, Organization, OwedItem, Posting, refers_to
from webapp.queries.items.items import PARTY
from webapp.queries.tax import packs, uncoded
from webapp.queries.tax.returns import NOTICE, ReturnRecord, ReturnWarning

# The entries that a warning names.
MOST_NAMED: Final = 5


def with_warnings(organization: Organization, made: ReturnRecord, today: date) -> ReturnRecord:
    """Give an open return with what to look at before it is filed, such as that its period is not over."""
    if made.kind == NOTICE:
        return made
    blocking, money = open_receipts(organization.id, made.form, made.to), _open(organization.id)
    items = uncoded_items(organization.id, made.form, made.to)
    drafts, without = (
        _drafts(organization.id, made),
        uncoded.entries(organization.id, "SALE", made.from_, made.to),
    )
    left = [
        item
        for item, _, _, came_in in money
        if came_in and item not in blocking and _is_open_at(item, made.to)
    ]
    day = f"{made.to:%-d %b %Y}"
    counts = {
        "receipts_open": len(blocking),
        "open_items_uncoded": len(items),
        "money_open": len(left),
        "drafts": len(drafts),
        "income_without_code": len(without),
    }
    entries = {"drafts": drafts[:MOST_NAMED], "income_without_code": without[:MOST_NAMED]}
    early = f"Its period ends {day}: what comes by then would be late in the next return."
    return replace(
        made,
        warnings=[
            *([ReturnWarning("period_not_over", early)] if today <= made.to else []),
            *(
                ReturnWarning(code, _sentence(code, count, day), entries.get(code, ()))
                for code, count in counts.items()
                if count
            ),
        ],
    )


def _sentence(code: str, count: int, day: str) -> str:
    """Say how many things of a warning there are up to a day.

    >>> _sentence("drafts", 1, "31 Dec 2026"), _sentence("income_without_code", 2, "31 Dec 2026")
    ('1 draft to 31 Dec 2026 counts in no box.', '2 entries have income without a tax code.')
    """
    one, several = {
        "receipts_open": (
            f"1 receipt to {day} settles no invoice, and filing asks why.",
            f"{count} receipts to {day} settle no invoice, and filing asks why.",
        ),
        "open_items_uncoded": (
            "1 open item of before has no tax code, and filing asks why.",
            f"{count} open items of before have no tax code, and filing asks why.",
        ),
        "money_open": (
            f"1 receipt to {day} waits to be settled.",
            f"{count} receipts to {day} wait to be settled.",
        ),
        "drafts": (f"1 draft to {day} counts in no box.", f"{count} drafts to {day} count in no box."),
        "income_without_code": (
            "1 entry has income without a tax code.",
            f"{count} entries have income without a tax code.",
        ),
    }[code]
    return one if count == 1 else several


def _is_open_at(item: OwedItem, last: date) -> bool:
    return item.amount_minor < item.settled_minor and item.day is not None and item.day <= last


def _drafts(organization_id: str, made: ReturnRecord) -> Sequence[int]:
    statement = sa.select(JournalEntry.id).where(
        JournalEntry.organization_id == organization_id,
        JournalEntry.status == "DRAFT",
        JournalEntry.effective_on.between(made.from_, made.to),
        JournalEntry.corrects_id.is_(None),
    )
    return db.session.scalars(statement.order_by(JournalEntry.effective_on, JournalEntry.id)).all()


def open_receipts(organization_id: str, form: str, last: date) -> Sequence[OwedItem]:
    """List money received up to a day that is open on a receivable account, and that no open invoice can take.

    Under cash accounting any such money. One with a tax code is an advance, whose tax is in the return.
    """
    pack, open_ = packs.installed(organization_id, form), _open(organization_id)
    invoices = {
        (party, item.currency)
        for item, party, _, _ in open_
        if item.amount_minor > item.settled_minor and pack is not None and pack.basis == "ACCRUAL"
    }
    return [
        item
        for item, party, code_id, came_in in open_
        if came_in
        and code_id is None
        and _is_open_at(item, last)
        and (party is None or (party, item.currency) not in invoices)
    ]


def uncoded_items(organization_id: str, form: str, last: date) -> Sequence[OwedItem]:
    """List what was open before the books had taxes by money, and that brought no tax code."""
    pack = packs.installed(organization_id, form)
    if pack is None or pack.basis != "CASH":
        return []
    root, of_entry = orm.aliased(JournalEntry), orm.aliased(JournalEntry)
    coded = (
        sa.exists()
        .where(
            of_entry.organization_id == organization_id,
            sa.or_(
                of_entry.id == OwedItem.journal_entry_id, of_entry.corrects_id == OwedItem.journal_entry_id
            ),
            refers_to(Posting.journal_entry_id, of_entry),
            Posting.tax_code_id.is_not(None),
        )
        .correlate(OwedItem)
    )
    statement = (
        sa.select(OwedItem)
        .join(Account, refers_to(OwedItem.account_id, Account))
        .outerjoin(root, refers_to(OwedItem.journal_entry_id, root))
        .where(
            OwedItem.organization_id == organization_id,
            OwedItem.settled_minor != OwedItem.amount_minor,
            Account.role.is_(None),
            sa.or_(root.id.is_(None), sa.and_(root.effective_on < pack.starts_on, root.effective_on <= last)),
            ~coded,
        )
        .order_by(OwedItem.id)
    )
    return db.session.scalars(statement).all()


def _open(organization_id: str) -> Sequence[Any]:
    """List the open items of receivable accounts with their party, code, and whether money came in for them."""
    of_item, money, of_money = orm.aliased(Posting), orm.aliased(Posting), orm.aliased(Account)
    came_in = (
        sa.exists()
        .where(
            money.organization_id == organization_id,
            money.journal_entry_id == OwedItem.journal_entry_id,
            money.amount_minor > 0,
            of_money.organization_id == organization_id,
            of_money.id == money.account_id,
            of_money.type == AccountType.ASSET,
            of_money.role.is_distinct_from("tax_input"),
            ~of_money.keeps_items,
        )
        .correlate(OwedItem)
    )
    columns: list[Any] = [OwedItem, PARTY, of_item.tax_code_id, came_in]
    statement = (
        sa.select(*columns)
        .join(Account, refers_to(OwedItem.account_id, Account))
        .join(of_item, sa.and_(of_item.organization_id == organization_id, of_item.id == OwedItem.id))
        .outerjoin(Merchant, refers_to(OwedItem.org_merchant_id, Merchant))
        .where(
            OwedItem.organization_id == organization_id,
            sa.or_(
                OwedItem.settled_minor != OwedItem.amount_minor,
                OwedItem.settled_base_minor != OwedItem.amount_base_minor,
            ),
            Account.type == AccountType.ASSET,
        )
        .order_by(OwedItem.id)
    )
    return db.session.execute(statement).all()
