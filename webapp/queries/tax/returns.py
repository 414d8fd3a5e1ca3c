"""Tax returns: the open one, computed from what no return has yet, and those that were filed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.ledger.canonical import canonical_json, sha256_hex
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.journal.boxes import BASE, OF_ITEM, BoxAmount, Boxes, of_boxes
from webapp.ledger.money import Money
from webapp.ledger.periods import Period
from webapp.ledger.tax.forms import TaxForm, direction_of, period_of
from webapp.ledger.tax.late import ERROR, LatePosting, LateRow, late_rows, sums_of
from webapp.models import (
    COUNTING,
    ActionRequest,
    Document,
    JournalEntry,
    Organization,
    Posting,
    TaxPack,
    TaxPart,
    TaxReturn,
    TaxStamp,
    refers_to,
)
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.tax import packs, unpaid

NEWEST = Order((TaxReturn.ends_on, TaxReturn.id))  # type: ignore[arg-type]


class NotInstalledError(UnprocessableError):
    """The books have not installed this form; install its pack first."""

    code = "not_installed"


class NotAPeriodError(UnprocessableError):
    """A return is for one period, after those that are filed."""

    code = "not_a_period"


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


@dataclass(frozen=True, slots=True)
class SinceFiling:
    """What an entry added to a box of a period after its return was filed, and who posted it."""

    journal_entry_id: int
    actor: str
    box: str
    amount: Money


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
    received_at: datetime | None
    stamped: date | None


@dataclass(frozen=True, slots=True)
class ReturnRecord:
    """A return, open or filed."""

    id: int | None
    form: str
    pack_version: int
    kind: str
    from_: date
    to: date
    status: str
    boxes: Sequence[BoxFigure]
    payable: Money
    direction: str | None
    due_on: date | None
    late: Sequence[LateFigure]
    net_errors: Money | None
    out_of_time: Sequence[LateFigure]
    digest: str
    filed_at: datetime | None = None
    filed_by: str | None = None
    reference: str | None = None
    note: str | None = None
    journal_entry_id: int | None = None
    since_filing: Sequence[SinceFiling] = ()
    bills_unpaid_six_months: unpaid.UnpaidTax | None = None


@dataclass(frozen=True, slots=True)
class OpenReturn:
    """An open return with the postings that filing it would stamp."""

    record: ReturnRecord
    postings: Sequence[StampedPosting]
    figures: Mapping[str, int]


def get(organization_id: str, return_id: int) -> TaxReturn:
    """Find a filed return, or raise NotFoundError."""
    return lookups.get(TaxReturn, organization_id, return_id)


def listed(
    organization_id: str, *, form: str | None = None, after: tuple[Any, ...] | None, limit: int
) -> Page[ReturnRecord]:
    """List filed and withdrawn returns, the newest first."""
    statement = sa.select(TaxReturn).where(TaxReturn.organization_id == organization_id)
    if form is not None:
        statement = statement.where(TaxReturn.form == form)
    found = page(statement, NEWEST, after=after, limit=limit)
    return found.of([record(each) for each in found.items])


def newest(organization_id: str, form: str) -> TaxReturn | None:
    """Find the newest standing return of a form."""
    statement = sa.select(TaxReturn).where(
        TaxReturn.organization_id == organization_id, TaxReturn.form == form, TaxReturn.status == "FILED"
    )
    return db.session.scalar(statement.order_by(TaxReturn.ends_on.desc()).limit(1))


def filed_to(organization_id: str) -> date | None:
    """Give the last day of which a return is filed."""
    return db.session.scalar(
        sa.select(sa.func.max(TaxReturn.ends_on)).where(
            TaxReturn.organization_id == organization_id, TaxReturn.status == "FILED"
        )
    )


def open_return(organization: Organization, form: str, to: date | None = None) -> OpenReturn:
    """Compute the return of the period that ends `to`, by default the next one, or raise NotAPeriodError."""
    pack = packs.installed(organization.id, form)
    if pack is None:
        raise NotInstalledError(fields={"form": [str(NotInstalledError.__doc__)]})
    last = newest(organization.id, form)
    first = pack.starts_on if last is None else last.ends_on + timedelta(days=1)
    own = period_of(to or first, pack.starts_on, pack.frequency)
    if to and (to != own.last or to < first):
        sentence = f"The next return ends {_end(first, pack):%-d %b %Y}."
        raise NotAPeriodError(sentence, fields={"to": [sentence]})
    first = max(first, own.first)
    unstamped = _unstamped(organization.id, form, own.last)
    of_form = packs.content(form).form
    out = [each for each in unstamped if of_form.is_out_of_time(_end(each.tax_point, pack), own.last)]
    inside = [each for each in unstamped if each not in out]
    late = [_late(each, pack) for each in inside if each.tax_point < first]
    parts = inside, out, late_rows(late, of_form.claims)
    found = _computed(organization.base_currency, pack, Period(first, own.last), parts)
    owed = unpaid.owed(organization, of_form, own.last)
    return replace(found, record=replace(found.record, bills_unpaid_six_months=owed))


def _computed(
    base: str,
    pack: TaxPack,
    period: Period,
    found: tuple[Sequence[StampedPosting], Sequence[StampedPosting], Sequence[LateRow]],
) -> OpenReturn:
    """Give the return of a period: of the postings in it, those that are out of time, and what is late."""
    (inside, out, late), of_form = found, packs.content(pack.name).form
    sums = of_boxes((box for posting in inside for box in posting.boxes), of_form.name)
    figures = of_form.figures(sums, base)
    payable, due_on = of_form.payable_of(figures), of_form.due_on(period.last)
    errors = of_form.net_errors(sums_of(late, ERROR, of_form.name)) if late else None
    made = ReturnRecord(
        id=None,
        form=of_form.name,
        pack_version=pack.version,
        kind="RETURN",
        from_=period.first,
        to=period.last,
        status="OPEN",
        boxes=[
            BoxFigure(
                each.box,
                each.label,
                Money(figures[each.box], base),
                Money(figures[each.box] if each.terms else sums.get(each.box, 0), base),
            )
            for each in of_form.boxes
        ],
        payable=Money(payable, base),
        direction=direction_of(payable) if due_on else None,
        due_on=due_on,
        late=[
            LateFigure(
                int(row.item), row.tax_point, _figures(of_form, row.boxes, base), row.late_as, row.error_of
            )
            for row in late
        ],
        net_errors=None if errors is None else Money(errors, base),
        out_of_time=[
            LateFigure(each.item_id, each.tax_point, _figures(of_form, each.boxes, base)) for each in out
        ],
        digest="",
    )
    content = [of_form.name, pack.version, f"{period.first}", f"{period.last}", kept_figures(made)]
    return OpenReturn(replace(made, digest=sha256_hex(canonical_json(content))), inside, figures)


def record(filed: TaxReturn) -> ReturnRecord:
    """Give the record of a filed return as it was filed."""
    base = organizations.get(filed.organization_id).base_currency
    said = filed.figures
    return ReturnRecord(
        id=filed.id,
        form=filed.form,
        pack_version=filed.pack_version,
        kind="RETURN",
        from_=filed.starts_on,
        to=filed.ends_on,
        status=filed.status,
        boxes=[_kept(each, base) for each in said["boxes"]],
        payable=Money(said["payable"], base),
        direction=said["direction"],
        due_on=None if said["due_on"] is None else date.fromisoformat(said["due_on"]),
        late=[_kept_late(each, base) for each in said["late"]],
        net_errors=None if said["net_errors"] is None else Money(said["net_errors"], base),
        out_of_time=[_kept_late(each, base) for each in said["out_of_time"]],
        digest=filed.digest,
        filed_at=filed.filed_at,
        filed_by=filed.filed_by["name"],
        reference=filed.reference,
        note=filed.note,
        journal_entry_id=filed.journal_entry_id,
    )


def with_later(filed: TaxReturn) -> ReturnRecord:
    """Give the record of a filed return, with what came for its period since."""
    return replace(record(filed), since_filing=_since(filed) if filed.status == "FILED" else ())


def _since(filed: TaxReturn) -> list[SinceFiling]:
    columns: list[Any] = [Posting.journal_entry_id, ActionRequest.actor, Posting.boxes]
    statement = (
        sa.select(*columns)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(ActionRequest, refers_to(JournalEntry.action_request_id, ActionRequest))
        .where(
            Posting.organization_id == filed.organization_id,
            Posting.tax_point.between(filed.starts_on, filed.ends_on),
            JournalEntry.status.in_(COUNTING),
            ~_stamped_with(filed.organization_id, TaxStamp.return_id == filed.id),
        )
        .order_by(Posting.journal_entry_id, Posting.id)
    )
    base = organizations.get(filed.organization_id).base_currency
    found: dict[int, tuple[Any, list[BoxAmount]]] = {}
    for entry_id, actor, boxes in db.session.execute(statement):
        found.setdefault(entry_id, (actor, []))[1].extend(BoxAmount(*each) for each in boxes or ())
    return [
        SinceFiling(entry_id, actor["name"], box, Money(minor, base))
        for entry_id, (actor, boxes) in found.items()
        for box, minor in of_boxes(boxes, filed.form).items()
        if minor
    ]


def kept_figures(made: ReturnRecord) -> dict[str, Any]:
    """Give what a return says as it is kept: amounts in minor units of the base currency."""
    return {
        "boxes": [_stored(each) for each in made.boxes],
        "payable": made.payable.minor,
        "direction": made.direction,
        "due_on": made.due_on and made.due_on.isoformat(),
        "late": [_stored_late(each) for each in made.late],
        "net_errors": None if made.net_errors is None else made.net_errors.minor,
        "out_of_time": [_stored_late(each) for each in made.out_of_time],
    }


def _stored(figure: BoxFigure) -> list[Any]:
    return [figure.box, figure.label, figure.amount.minor, figure.exact.minor]


def _kept(stored: Sequence[Any], base: str) -> BoxFigure:
    return BoxFigure(stored[0], stored[1], Money(stored[2], base), Money(stored[3], base))


def _stored_late(row: LateFigure) -> list[Any]:
    error_of = row.error_of and row.error_of.isoformat()
    boxes = [_stored(each) for each in row.boxes]
    return [row.journal_entry_id, row.tax_point.isoformat(), boxes, row.late_as, error_of]


def _kept_late(stored: Sequence[Any], base: str) -> LateFigure:
    error_of = stored[4] and date.fromisoformat(stored[4])
    boxes = [_kept(each, base) for each in stored[2]]
    return LateFigure(stored[0], date.fromisoformat(stored[1]), boxes, stored[3], error_of)


def _figures(form: TaxForm, boxes: Boxes, base: str) -> list[BoxFigure]:
    labels = {each.box: each.label for each in form.boxes}
    return [
        BoxFigure(each.box, labels[each.box], Money(each.amount_minor, base), Money(each.amount_minor, base))
        for each in boxes
        if each.form == form.name
    ]


def _end(day: date, pack: TaxPack) -> date:
    return period_of(day, pack.starts_on, pack.frequency).last


def _late(posting: StampedPosting, pack: TaxPack) -> LatePosting:
    end = _end(posting.tax_point, pack)
    return LatePosting(
        str(posting.item_id),
        posting.tax_point,
        end,
        posting.boxes,
        posting.stamped or end,
        posting.received_at.date() if posting.received_at else None,
        posting.is_own_day,
    )


def _stamped_with(organization_id: str, *chosen: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Tell whether a posting has a standing stamp of these."""
    return sa.exists().where(
        TaxStamp.organization_id == organization_id,
        TaxStamp.posting_id == Posting.id,
        TaxStamp.ended_at.is_(None),
        *chosen,
    )


def _unstamped(organization_id: str, form: str, last: date) -> list[StampedPosting]:
    """Read the postings with boxes of a form and a tax point up to a day that are in no return."""
    original = orm.aliased(JournalEntry)
    item_id = _item_id()
    is_own_day = _of_part(TaxPart.is_own_day)
    columns: list[Any] = [Posting, item_id, Document.document_type, Document.created_at, is_own_day]
    statement = (
        sa.select(*columns)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(original, sa.and_(original.organization_id == organization_id, original.id == item_id))
        .outerjoin(Document, refers_to(original.document_id, Document))
        .where(
            Posting.organization_id == organization_id,
            Posting.tax_point <= last,
            JournalEntry.status.in_(COUNTING),
            ~_stamped_with(organization_id, TaxStamp.form == form),
        )
        .order_by(Posting.tax_point, Posting.id)
    )
    rows = db.session.execute(statement).all()
    ends = _stamped_items(organization_id, form, {row[1] for row in rows})
    credit_notes = {row[1] for row in rows if row[2] == "CREDIT_NOTE" or _is_credit(row[0], row[1])}
    found = []
    for posting, item, _, received_at, is_own_day in rows:
        boxes = tuple(BoxAmount(*each) for each in posting.boxes or () if each[0] == form)
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
                    received_at,
                    ends.get((item, posting.tax_point)),
                )
            )
    return found


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


def _stamped_items(organization_id: str, form: str, items: set[int]) -> dict[tuple[int, date | None], date]:
    """Find by item and tax point the end of the last standing return that has postings of it."""
    if not items:
        return {}
    item_id = _item_id()
    rows = db.session.execute(
        sa.select(item_id, Posting.tax_point, sa.func.max(TaxReturn.ends_on))
        .select_from(TaxStamp)
        .join(TaxReturn, refers_to(TaxStamp.return_id, TaxReturn))
        .join(Posting, sa.and_(Posting.organization_id == organization_id, Posting.id == TaxStamp.posting_id))
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            TaxStamp.organization_id == organization_id,
            TaxStamp.form == form,
            TaxStamp.ended_at.is_(None),
            item_id.in_(items),
        )
        .group_by(item_id, Posting.tax_point)
    )
    return {(item, day): end for item, day, end in rows}
