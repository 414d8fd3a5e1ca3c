"""Postings with boxes: those that are in a return, and those that are in none yet."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.ledger.journal.boxes import BASE, OF_ITEM, BoxAmount, Boxes
from webapp.ledger.money import Money
from webapp.ledger.tax.late import SCHEME_REASONS
from webapp.models import (
    COUNTING,
    Account,
    Document,
    JournalEntry,
    Posting,
    TaxPart,
    TaxReturn,
    TaxStamp,
    refers_to,
)
from webapp.queries.access import organizations
from webapp.queries.common.paging import Order, Page, page_of_rows
from webapp.queries.common.portions import ids_where, portions
from webapp.queries.journal.entry_records import PostedBox
from webapp.queries.tax import packs
from webapp.queries.tax.periods import Periods

BY_TAX_POINT = Order((Posting.tax_point, Posting.id), ascends=True)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class StampedPosting:
    """A posting in a return, with what it adds to the boxes of the form, and what tells how it is late."""

    posting_id: int
    journal_entry_id: int
    item_id: int
    account_id: int
    base_minor: int
    tax_point: date
    boxes: Boxes
    is_own_day: bool
    received_on: date | None
    tax_code_id: int | None


@dataclass(frozen=True, slots=True)
class BoxedPosting:
    """A posting in a return, with what it adds to the boxes of the form."""

    id: int
    journal_entry_id: int
    description: str
    account_id: int
    account_name: str
    tax_code_id: int | None
    tax_point: date
    amount_base: Money
    boxes: Sequence[PostedBox]


def of_return(
    filed: TaxReturn, *, boxes: Collection[str], after: tuple[Any, ...] | None, limit: int
) -> Page[BoxedPosting]:
    """List the postings that a return stamped, the earliest tax point first; of some boxes, or of all."""
    statement = _described(filed.organization_id).join(
        TaxStamp,
        sa.and_(
            TaxStamp.organization_id == filed.organization_id,
            TaxStamp.return_id == filed.id,
            TaxStamp.posting_id == Posting.id,
        ),
    )
    if boxes:
        # Boxes are kept as text by both databases: as Python writes JSON, or without its spaces as SQLite does.
        text = sa.func.replace(sa.cast(Posting.boxes, sa.Text), '", ', '",')
        has = (text.contains(f'["{filed.form}","{box}",', autoescape=True) for box in sorted(boxes))
        statement = statement.where(sa.or_(*has))
    found = page_of_rows(statement, BY_TAX_POINT, after=after, limit=limit)
    rows: Sequence[Any] = found.items
    return found.of([_boxed(row[0], row[1], row[2], filed.form) for row in rows])


def described(organization_id: str, form: str, found: Sequence[StampedPosting]) -> Iterator[BoxedPosting]:
    """Yield postings that an open return has, as a filed one has them."""
    statement = _described(organization_id)
    for ids in portions([each.posting_id for each in found]):
        for posting, account, description in db.session.execute(
            statement.where(Posting.id.in_(ids)).order_by(*BY_TAX_POINT.columns)
        ):
            yield _boxed(posting, account, description, form)


def _described(organization_id: str) -> sa.Select[Any]:
    columns: list[Any] = [Posting, Account.name, JournalEntry.description]
    return (
        sa.select(*columns)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .where(Posting.organization_id == organization_id)
    )


def _boxed(posting: Posting, account: str, description: str, form: str) -> BoxedPosting:
    base = posting.base_currency
    return BoxedPosting(
        posting.id,
        posting.journal_entry_id,
        description,
        posting.account_id,
        account,
        posting.tax_code_id,
        posting.tax_point or date.min,
        Money(posting.amount_base_minor or 0, base),
        [PostedBox(of, box, Money(minor, base)) for of, box, minor in posting.boxes or () if of == form],
    )


def coded_boxes(filed: TaxReturn) -> Iterator[tuple[int | None, Boxes]]:
    """Yield the tax code and the boxes of each posting that a return stamped."""
    columns: list[Any] = [Posting.tax_code_id, Posting.boxes]
    statement = (
        sa.select(*columns)
        .join(
            TaxStamp,
            sa.and_(TaxStamp.organization_id == filed.organization_id, TaxStamp.posting_id == Posting.id),
        )
        .where(Posting.organization_id == filed.organization_id, TaxStamp.return_id == filed.id)
    )
    for code_id, boxes in db.session.execute(statement):
        yield code_id, tuple(BoxAmount(*each) for each in boxes or ())


def taxes_of_return(filed: TaxReturn) -> int:
    """Add up what the postings of a return have on the accounts of taxes, debit positive."""
    statement = (
        sa.select(sa.func.coalesce(sa.func.sum(Posting.amount_base_minor), 0))
        .join(
            TaxStamp,
            sa.and_(TaxStamp.organization_id == filed.organization_id, TaxStamp.posting_id == Posting.id),
        )
        .join(Account, refers_to(Posting.account_id, Account))
        .where(
            Posting.organization_id == filed.organization_id,
            TaxStamp.return_id == filed.id,
            Account.role.in_(packs.TAX_ACCOUNTS),
        )
    )
    return int(db.session.scalar(statement) or 0)


def stamped_with(organization_id: str, *chosen: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Tell whether a posting has a standing stamp of these."""
    return sa.exists().where(
        TaxStamp.organization_id == organization_id,
        TaxStamp.posting_id == Posting.id,
        TaxStamp.ended_at.is_(None),
        *chosen,
    )


def unstamped(organization_id: str, form: str, last: date, periods: Periods) -> list[StampedPosting]:
    """Read the postings with boxes of a form and a tax point up to a day that are in no return.

    A filed return took all up to its end that was posted by then, but for what was out of time: what is left of its
    days was posted later, so that the history behind it is not read again.
    """
    statement = _postings_before(organization_id, form, last)
    wheres = _left_behind(organization_id, periods)
    rows = [row for where in wheres for row in db.session.execute(statement.where(*where))]
    rows.sort(key=lambda row: (row[0].tax_point, row[0].id))
    credit_notes = {row[1] for row in rows if row[2] == "CREDIT_NOTE" or _is_credit(row[0], row[1])}
    found = []
    for posting, item, _, received_on, filed_at, is_own_day in rows:
        boxes = tuple(BoxAmount(*each) for each in posting.boxes or () if each[0] == form)
        came = received_on or (filed_at and organizations.today(organization_id, filed_at))
        if boxes:
            found.append(
                StampedPosting(
                    posting.id,
                    posting.journal_entry_id,
                    item,
                    posting.account_id,
                    posting.amount_base_minor,
                    posting.tax_point,
                    boxes,
                    bool(is_own_day) or item in credit_notes,
                    came,
                    posting.tax_code_id,
                )
            )
    return found


def _postings_before(organization_id: str, form: str, last: date) -> sa.Select[Any]:
    """Select postings with a tax point up to a day that are in no return, with what tells how they are late."""
    original, item_id = orm.aliased(JournalEntry), _item_id()
    columns: list[Any] = [
        Posting,
        item_id,
        Document.document_type,
        Document.received_on,
        Document.created_at,
        sa.or_(
            sa.func.coalesce(_of_part(TaxPart.is_own_day), sa.false()),
            sa.func.coalesce(original.tax_reason, "").in_(SCHEME_REASONS),
        ),
    ]
    return (
        sa.select(*columns)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(original, sa.and_(original.organization_id == organization_id, original.id == item_id))
        .outerjoin(Document, refers_to(original.document_id, Document))
        .where(
            Posting.organization_id == organization_id,
            Posting.tax_point <= last,
            JournalEntry.status.in_(COUNTING),
            ~stamped_with(organization_id, TaxStamp.form == form),
        )
    )


def _is_credit(posting: Posting, item: int) -> bool:
    """Return whether a posting began an item that lowers taxes."""
    own = (minor for form, box, minor in posting.boxes or () if (form, box) == (OF_ITEM, BASE))
    return posting.journal_entry_id == item and any(minor < 0 for minor in own)


def _item_id() -> sa.ColumnElement[int]:
    """Give what a return names for a posting: what caused a part of a tax, what was corrected or voided, or itself."""
    original = sa.func.coalesce(JournalEntry.corrects_id, JournalEntry.voids_id, JournalEntry.id)
    return sa.func.coalesce(_of_part(TaxPart.cause_id), original)


def _of_part(column: Any) -> sa.ColumnElement[Any]:
    """Give what all parts of a tax say that an entry posted."""
    return sa.select(column).where(refers_to(TaxPart.posted_by_id, JournalEntry)).limit(1).scalar_subquery()


def _left_behind(organization_id: str, periods: Periods) -> list[list[sa.ColumnElement[bool]]]:
    """Give the conditions of what no return can have: later days, what was posted later, and what was out of time."""
    if not periods.filed or periods.filed[0].last_number is None:
        return [[]]
    newest_ = periods.filed[0]
    behind = [Posting.tax_point <= newest_.ends_on]
    later = [*behind, JournalEntry.number > newest_.last_number]
    found = [[Posting.tax_point > newest_.ends_on], later]
    # The first of what is kept of each is the entry.
    out = {each[0] for each in newest_.figures["out_of_time"]}
    if out:
        of_items = _entries_of(organization_id, out)
        found.append([*behind, JournalEntry.number <= newest_.last_number, JournalEntry.id.in_(of_items)])
    return found


def _entries_of(organization_id: str, items: set[int]) -> list[int]:
    """List the entries of items: the original ones, with what corrects and voids them, and what they caused."""
    of_entries = sa.select(JournalEntry.id).where(JournalEntry.organization_id == organization_id)
    of_parts = sa.select(TaxPart.posted_by_id).where(
        TaxPart.organization_id == organization_id, TaxPart.posted_by_id.is_not(None)
    )
    found: set[int] = set()
    for name in (JournalEntry.id, JournalEntry.corrects_id, JournalEntry.voids_id):
        found |= ids_where(of_entries, name, items)
    return sorted(found | ids_where(of_parts, TaxPart.cause_id, items))


def stamped_items(organization_id: str, form: str, items: set[int]) -> dict[tuple[int, date | None], date]:
    """Find by item and tax point the end of the last standing return that has postings of it."""
    found: dict[tuple[int, date | None], date] = {}
    for portion in portions(_entries_of(organization_id, items)):
        rows = db.session.execute(
            sa.select(_item_id(), Posting.tax_point, TaxReturn.ends_on)
            .select_from(Posting)
            .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
            .join(
                TaxStamp,
                sa.and_(TaxStamp.organization_id == organization_id, TaxStamp.posting_id == Posting.id),
            )
            .join(TaxReturn, refers_to(TaxStamp.return_id, TaxReturn))
            .where(
                Posting.organization_id == organization_id,
                Posting.journal_entry_id.in_(portion),
                TaxStamp.form == form,
                TaxStamp.ended_at.is_(None),
            )
            .distinct()
        )
        for item, day, end in rows:
            found[item, day] = max(end, found.get((item, day), end))
    return found
