"""Tax returns: the open one, computed from what no return has yet, and those that were filed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.canonical import canonical_json, sha256_hex
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.journal.boxes import BoxAmount, of_boxes, summed
from webapp.ledger.money import Money
from webapp.ledger.periods import Period
from webapp.ledger.tax.forms import TaxForm, direction_of
from webapp.ledger.tax.late import ERROR, LatePosting, LateRow, late_rows, sums_of
from webapp.ledger.tax.rules import TAX_ROLES
from webapp.models import (
    COUNTING,
    ActionRequest,
    JournalEntry,
    Organization,
    Posting,
    TaxPack,
    TaxReturn,
    TaxStamp,
    refers_to,
)
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.tax import packs, stamps, unpaid
from webapp.queries.tax.figures import (
    BoxFigure,
    LateFigure,
    figures_of,
    kept,
    kept_late,
    stored,
    stored_late,
)
from webapp.queries.tax.periods import NotAPeriodError, Periods, periods_of
from webapp.queries.tax.stamps import BoxedPosting, StampedPosting, stamped_items, stamped_with, unstamped

RETURN, NOTICE = "RETURN", "NOTICE"
NEWEST = Order((TaxReturn.ends_on, TaxReturn.id))  # type: ignore[arg-type]


class NoBoxError(UnprocessableError):
    """This form has no such box."""

    code = "validation"


class NothingToNotifyError(UnprocessableError):
    """There is no error of earlier periods to notify on this form."""

    code = "nothing_to_notify"


@dataclass(frozen=True, slots=True)
class SinceFiling:
    """What an entry added to a box of a period after its return was filed, and who posted it."""

    journal_entry_id: int
    actor: str
    box: str
    amount: Money


@dataclass(frozen=True, slots=True)
class ReturnWarning:
    """What to look at before a return is filed, and the first entries that it is about."""

    code: str
    message: str
    entry_ids: Sequence[int] = ()


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
    payable: Money
    late: Sequence[LateFigure]
    net_errors: Money | None
    boxes: Sequence[BoxFigure] = ()
    direction: str | None = None
    due_on: date | None = None
    out_of_time: Sequence[LateFigure] = ()
    digest: str = ""
    filed_at: datetime | None = None
    filed_by: str | None = None
    reference: str | None = None
    note: str | None = None
    journal_entry_id: int | None = None
    since_filing: Sequence[SinceFiling] = ()
    warnings: Sequence[ReturnWarning] = ()
    bills_unpaid_six_months: unpaid.UnpaidTax | None = None


@dataclass(frozen=True, slots=True)
class OpenReturn:
    """An open return with the postings that filing it would stamp."""

    record: ReturnRecord
    postings: Sequence[StampedPosting]
    figures: Mapping[str, int]


def last_number(organization_id: str) -> int:
    """Return the number of the newest entry; 0 in books without one."""
    of_books = JournalEntry.organization_id == organization_id
    return (
        db.session.scalar(sa.select(sa.func.coalesce(sa.func.max(JournalEntry.number), 0)).where(of_books))
        or 0
    )


def get(organization_id: str, return_id: int) -> TaxReturn:
    """Find a filed return, or raise NotFoundError."""
    return lookups.get(TaxReturn, organization_id, return_id)


def taxes_of(organization_id: str, found: Sequence[StampedPosting]) -> int:
    """Add up what postings have on the accounts of taxes, debit positive."""
    of_taxes = {each.id for role, each in packs.accounts(organization_id).items() if role in TAX_ROLES}
    return sum(each.base_minor for each in found if each.account_id in of_taxes)


def postings(
    organization_id: str,
    *,
    filed: TaxReturn,
    box: str | None = None,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[BoxedPosting]:
    """List the postings that a return has in a box, or in all; those of a total are those of its boxes."""
    del organization_id
    return stamps.of_return(filed, boxes=_parts(filed.form, box), after=after, limit=limit)


def open_postings(
    organization_id: str, found: OpenReturn, box: str, *, most: int
) -> tuple[Sequence[BoxedPosting], int]:
    """Give the first postings that an open return has in a box, and how many it has."""
    parts = _parts(found.record.form, box)
    inside = [each for each in found.postings if any(own.box in parts for own in each.boxes)]
    return [*stamps.described(organization_id, found.record.form, inside[:most])], len(inside)


def _parts(form: str, box: str | None) -> set[str]:
    """Give the boxes of which a form has one added up; none for all. Raises NoBoxError."""
    of_form = packs.content(form).form
    known = [each.box for each in of_form.boxes]
    if box is not None and box not in known:
        sentence = f"This form has the boxes {', '.join(known)}."
        raise NoBoxError(sentence, fields={"box": [sentence]})
    return set() if box is None else of_form.parts(box)


def listed(
    organization_id: str, *, form: str | None = None, after: tuple[Any, ...] | None, limit: int
) -> Page[ReturnRecord]:
    """List filed and withdrawn returns, the newest first."""
    statement = sa.select(TaxReturn).where(TaxReturn.organization_id == organization_id)
    if form is not None:
        statement = statement.where(TaxReturn.form == form)
    found = page(statement, NEWEST, after=after, limit=limit)
    return found.of([record(each) for each in found.items])


def open_return(
    organization: Organization, form: str, to: date | None = None, kind: str = RETURN
) -> OpenReturn:
    """Compute the return of the period that ends `to`, by default the next one, or the notice of its late errors.

    Raises NotAPeriodError or NothingToNotifyError.
    """
    periods = periods_of(organization.id, form)
    first = periods.first_open
    own = periods.of(to or first)
    if to and (to != own.last or to < first):
        sentence = f"The next return ends {periods.of(first).last:%-d %b %Y}."
        raise NotAPeriodError(sentence, fields={"to": [sentence]})
    period, of_form = Period(max(first, own.first), own.last), packs.content(form).form
    found = unstamped(organization.id, form, own.last, periods)
    out = [each for each in found if of_form.is_out_of_time(periods.of(each.tax_point).last, own.last)]
    inside = [each for each in found if each not in out]
    before = [each for each in inside if each.tax_point < period.first]
    late = late_rows(_late(organization.id, form, before, periods), of_form.claims)
    if kind == NOTICE:
        return _notice(organization.base_currency, periods.pack, period, inside, late)
    made = _computed(organization.base_currency, periods.pack, period, (inside, out, late))
    owed = unpaid.owed(organization, form, own.last)
    return replace(made, record=replace(made.record, bills_unpaid_six_months=owed))


def _notice(
    base: str, pack: TaxPack, period: Period, inside: Sequence[StampedPosting], late: Sequence[LateRow]
) -> OpenReturn:
    """Give the notice of late errors: of the rows that are errors, outside the boxes of a return."""
    of_form = packs.content(pack.name).form
    rows = [row for row in late if row.late_as == ERROR]
    errors = of_form.net_errors(sums_of(rows, ERROR, of_form.name))
    if errors is None or not rows:
        raise NothingToNotifyError
    notified = {number for row in rows for number in row.posting_ids}
    made = ReturnRecord(
        **_begun(of_form, pack, period, NOTICE),
        late=[_late_figure(of_form, row, base) for row in rows],
        payable=Money(errors, base),
        net_errors=Money(errors, base),
    )
    return OpenReturn(_digested(made), [each for each in inside if each.posting_id in notified], {})


def _begun(of_form: TaxForm, pack: TaxPack, period: Period, kind: str) -> dict[str, Any]:
    """Give what any open return of a period says."""
    return {
        "id": None,
        "form": of_form.name,
        "pack_version": pack.version,
        "kind": kind,
        "from_": period.first,
        "to": period.last,
        "status": "OPEN",
    }


def _late_figure(of_form: TaxForm, row: LateRow, base: str) -> LateFigure:
    return LateFigure(
        int(row.item), row.tax_point, figures_of(of_form, row.boxes, base), row.late_as, row.error_of
    )


def _out_of_time(of_form: TaxForm, out: Sequence[StampedPosting], base: str) -> list[LateFigure]:
    """Give a row for each item that is out of time; what comes to nothing has none."""
    of_item: dict[int, list[StampedPosting]] = {}
    for each in out:
        of_item.setdefault(each.item_id, []).append(each)
    rows = {item: summed(box for each in group for box in each.boxes) for item, group in of_item.items()}
    return [
        LateFigure(item, min(each.tax_point for each in of_item[item]), figures_of(of_form, boxes, base))
        for item, boxes in rows.items()
        if boxes
    ]


def _digested(made: ReturnRecord) -> ReturnRecord:
    content = [made.form, made.pack_version, f"{made.from_}", f"{made.to}", kept_figures(made)]
    return replace(made, digest=sha256_hex(canonical_json(content)))


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
        **_begun(of_form, pack, period, RETURN),
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
        late=[_late_figure(of_form, row, base) for row in late],
        net_errors=None if errors is None else Money(errors, base),
        out_of_time=_out_of_time(of_form, out, base),
    )
    return OpenReturn(_digested(made), inside, figures)


def record(filed: TaxReturn) -> ReturnRecord:
    """Give the record of a filed return as it was filed."""
    base = organizations.get(filed.organization_id).base_currency
    said = filed.figures
    return ReturnRecord(
        id=filed.id,
        form=filed.form,
        pack_version=filed.pack_version,
        kind=NOTICE if filed.is_notice else RETURN,
        from_=filed.starts_on,
        to=filed.ends_on,
        status=filed.status,
        boxes=[kept(each, base) for each in said["boxes"]],
        payable=Money(said["payable"], base),
        direction=said["direction"],
        due_on=None if said["due_on"] is None else date.fromisoformat(said["due_on"]),
        late=[kept_late(each, base) for each in said["late"]],
        net_errors=None if said["net_errors"] is None else Money(said["net_errors"], base),
        out_of_time=[kept_late(each, base) for each in said["out_of_time"]],
        bills_unpaid_six_months=unpaid.kept(said.get("unpaid"), base),
        digest=filed.digest,
        filed_at=filed.filed_at,
        filed_by=filed.filed_by["name"],
        reference=filed.reference,
        note=filed.note,
        journal_entry_id=filed.journal_entry_id,
    )


def with_later(filed: TaxReturn) -> ReturnRecord:
    """Give the record of a filed return, with what came for its period since."""
    is_standing = filed.status == "FILED" and not filed.is_notice
    return replace(record(filed), since_filing=_since(filed) if is_standing else ())


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
            ~stamped_with(filed.organization_id, TaxStamp.return_id == filed.id),
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
        **({"kind": NOTICE} if made.kind == NOTICE else {}),
        "boxes": [stored(each) for each in made.boxes],
        "payable": made.payable.minor,
        "direction": made.direction,
        "due_on": made.due_on and made.due_on.isoformat(),
        "late": [stored_late(each) for each in made.late],
        "net_errors": None if made.net_errors is None else made.net_errors.minor,
        "out_of_time": [stored_late(each) for each in made.out_of_time],
    }


def _late(
    organization_id: str, form: str, postings: Sequence[StampedPosting], periods: Periods
) -> Iterator[LatePosting]:
    ends = stamped_items(organization_id, form, {each.item_id for each in postings})
    for each in postings:
        end = periods.of(each.tax_point).last
        yield LatePosting(
            str(each.item_id),
            each.tax_point,
            end,
            each.boxes,
            ends.get((each.item_id, each.tax_point), end),
            each.received_on,
            each.is_own_day,
            each.posting_id,
        )
