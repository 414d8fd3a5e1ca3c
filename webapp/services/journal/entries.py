"""Journal entries: written as drafts, posted once, voided by a reversal of their effective state."""

from calendar import monthrange
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from webapp.database import failures
from webapp.database.sessions import db
from webapp.ledger.chart import Role
from webapp.ledger.errors import LedgerError
from webapp.ledger.journal.boxes import stored
from webapp.ledger.journal.entries import Leg, check_balanced, moved_by
from webapp.ledger.journal.mirrors import without_rest
from webapp.ledger.money import AmountTooLargeError, Money
from webapp.ledger.rates import ExchangeRateMissingError
from webapp.ledger.references import Kind
from webapp.ledger.texts.legible import cited
from webapp.models import (
    Account,
    Document,
    DocumentRelation,
    FeedAccount,
    JournalEntry,
    LockException,
    Organization,
    Posting,
    Reconciliation,
    SchedulePart,
    Transaction,
    delete_rows,
    of_same_organization,
    refers_to,
    update_rows,
)
from webapp.models.base import table_of
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.common import lookups
from webapp.queries.common.made_once import made_once
from webapp.queries.common.portions import portions
from webapp.queries.currencies import exchange_rates
from webapp.queries.journal import entries as journal_entries
from webapp.queries.reports.closings import RESULT_TYPES
from webapp.services.access import token_caps
from webapp.services.audit import updates
from webapp.services.audit.act import Act
from webapp.services.journal import filed_periods, open_days

_ENTRY, _OTHER = table_of(JournalEntry), table_of(JournalEntry).alias("other")
_LAST = (
    sa.select(sa.func.max(_OTHER.c.number))
    .where(_OTHER.c.organization_id == sa.bindparam("of_organization"))
    .scalar_subquery()
)
# An act that posts holds the books' lock: two never take one number, and none is lost when an act fails. It is a
# change of the table: one of the model would be compared with every entry that the session holds in a bulk act.
_POST = (
    sa.update(_ENTRY)
    .where(
        _ENTRY.c.organization_id == sa.bindparam("of_organization"),
        _ENTRY.c.id == sa.bindparam("entry_id"),
        _ENTRY.c.status == "DRAFT",
    )
    .values(
        status="POSTED",
        posted_at=sa.bindparam("at"),
        action_request_id=sa.bindparam("act"),
        number=sa.func.coalesce(_LAST, 0) + 1,
        fact_on=sa.bindparam("fact"),
        is_moved=sa.bindparam("moved"),
        lock_exception_id=sa.bindparam("exception"),
    )
    .returning(_ENTRY.c.number)
)
MOVED_BY_LOCK: Final = "moved_by_lock"
ROUNDING: Final = "rounding"
# The sources of entries whose legs are mirrored by rates; what reverses them repeats their rest.
_RESTING: Final = frozenset({"bank_feed", "document", "manual", "correction"})
# The columns of a posting that a leg calls the same.
_AS_IN_LEGS: Final = (
    *("account_id", "amount_minor", "currency", "amount_base_minor", "is_bank_leg", "project_id"),
    *("transaction_id", "due_on", "reference", "has_own_base", "tax_code_id", "tax_point"),
)
# The columns that it writes.
_WRITTEN = ("status", "posted_at", "action_request_id", "number", "fact_on", "is_moved", "lock_exception_id")


class AlreadyPostedError(LedgerError):
    """Somebody else posted or removed this entry in the meantime; look at it again."""

    code = "changed_meanwhile"


class FarAheadError(LedgerError):
    """This day is more than a year ahead; look at it, and send `force` if it is meant."""

    code = "far_ahead"


class BeforeOpeningError(LedgerError):
    """The books of this account begin later; reopen the proof with the opening balance to post before it."""

    code = "before_opening"


class ArchivedError(LedgerError):
    """An account of the draft was archived since; choose another one or restore it, then post."""

    code = "archived"


class CounterpartyRequiredError(LedgerError):
    """This account needs a customer or supplier on each posting; choose one, then post."""

    code = "counterparty_required"


def add_draft(
    organization: Organization,
    effective_on: date,
    legs: Sequence[Leg],
    *,
    source: str,
    description: str,
    now: datetime,
    corrects_id: int | None = None,
    voids_id: int | None = None,
    document_id: int | None = None,
    is_closing: bool = False,
    is_adjusting: bool = False,
    appropriates_on: date | None = None,
) -> JournalEntry:
    """Write a draft with its legs; it counts in no balance. A document that it comes from belongs to it."""
    entry = JournalEntry(
        organization_id=organization.id,
        effective_on=effective_on,
        description=description,
        status="DRAFT",
        source=source,
        base_currency=organization.base_currency,
        corrects_id=corrects_id,
        voids_id=voids_id,
        document_id=document_id,
        is_closing=is_closing,
        is_adjusting=is_adjusting,
        appropriates_on=appropriates_on,
        created_at=now,
    )
    db.session.add(entry)
    db.session.flush()
    _insert_legs(organization.id, organization.base_currency, {entry.id: legs})
    db.session.expire(entry, ["postings"])
    if corrects_id is not None:
        updates.touch(Kind.JOURNAL_ENTRY, [corrects_id])
    if document_id is not None:
        relation = {"organization_id": organization.id, "document_id": document_id, "created_at": now}
        db.session.execute(sa.insert(DocumentRelation).values(**relation, journal_entry_id=entry.id))
        updates.touch(Kind.DOCUMENT, [document_id])
    return entry


def write_legs(entry: JournalEntry, legs: Iterable[Leg]) -> None:
    """Give a draft these legs instead of those it has."""
    write_all_legs(entry.organization_id, entry.base_currency, {entry.id: legs})
    db.session.expire(entry, ["postings"])


def write_all_legs(organization_id: str, base_currency: str, targets: Mapping[int, Iterable[Leg]]) -> None:
    """Give drafts these legs, by their ids, instead of those they have; their number costs no more statements."""
    delete_legs(organization_id, targets)
    _insert_legs(organization_id, base_currency, targets)
    updates.touch(Kind.JOURNAL_ENTRY, targets)


def delete_legs(organization_id: str, entry_ids: Collection[int]) -> None:
    """Delete the legs of drafts."""
    of_books = Posting.organization_id == organization_id
    for portion in portions(entry_ids):
        delete_rows(Posting, of_books, Posting.journal_entry_id.in_(portion))


def _insert_legs(organization_id: str, base_currency: str, targets: Mapping[int, Iterable[Leg]]) -> None:
    rows = [
        {
            "organization_id": organization_id,
            "journal_entry_id": entry_id,
            "position": position,
            "base_currency": base_currency,
            "org_merchant_id": leg.merchant_id,
            "boxes": stored(leg.boxes),
            **{name: getattr(leg, name) for name in _AS_IN_LEGS},
        }
        for entry_id, legs in targets.items()
        for position, leg in enumerate(legs)
    ]
    # Into the table: with the model, rows that lack other columns would be other statements.
    if rows:
        db.session.execute(sa.insert(table_of(Posting)), rows)


def delete_draft(entry: JournalEntry) -> None:
    """Take a draft out of the books; a posted entry stays."""
    db.session.flush()
    updates.touch_documents_of(entry.organization_id, [entry.id])
    if entry.corrects_id is not None:
        updates.touch(Kind.JOURNAL_ENTRY, [entry.corrects_id])
    if entry.schedule_id is not None:
        due_again = {"state": "PLANNED", "journal_entry_id": None}
        update_rows(SchedulePart, refers_to(SchedulePart.journal_entry_id, entry), **due_again)
    delete_rows(Posting, refers_to(Posting.journal_entry_id, entry))
    still_draft = JournalEntry.id == entry.id, JournalEntry.status == "DRAFT"
    if delete_rows(JournalEntry, of_same_organization(JournalEntry, entry), *still_draft) != 1:
        raise AlreadyPostedError


@dataclass(frozen=True, slots=True)
class Fact:
    """The day of what an entry is about, and whether a lock date is why the entry is dated later."""

    on: date
    is_moved: bool


def post(entry: JournalEntry, doing: Act, *, is_opening: bool = False, fact: Fact | None = None) -> None:
    """Make a draft part of the books by one conditional update, or raise the rule that it breaks.

    It keeps the day of what it is about, where that is earlier, and warns where a lock date moved it from there.
    """
    legs = journal_entries.legs_of(entry)
    _refuse_missing_rates(entry, legs)
    check_balanced(legs, entry.base_currency)
    let_in = open_days.check_entry(entry, doing)
    if entry.source in ("bank_feed", "document", "manual"):
        check_accounts(entry.organization_id, legs)
    if not is_opening:
        check_after_opening(entry.organization_id, entry.effective_on, legs)
    filed_periods.check(entry, legs, doing)
    token_caps.count(entry, legs, doing)
    fact = fact or _fact_of(entry, legs)
    if fact is not None and fact.on >= entry.effective_on:
        fact = None
    if not _post_numbered(entry, doing, fact, let_in):
        raise AlreadyPostedError
    if fact is not None and fact.is_moved:
        _warn_of_move(entry, legs, fact, doing)
    warn_of_rest(entry, legs, doing)
    db.session.expire(entry, _WRITTEN)
    if entry.source != "revaluation" and any(leg.currency != entry.base_currency for leg in legs):
        doing.moves_foreign(entry.effective_on)
    doing.moved |= {
        (leg.account_id, leg.currency)
        for leg in legs
        if leg.currency != entry.base_currency and leg.amount_minor
    }


def mark_voided(entries: Sequence[JournalEntry], reversal: JournalEntry) -> None:
    """Name the reversal that cancels these entries: the one change that a posted entry allows."""
    posted = (
        of_same_organization(JournalEntry, reversal),
        JournalEntry.id.in_([entry.id for entry in entries]),
        JournalEntry.status == "POSTED",
    )
    if update_rows(JournalEntry, *posted, status="VOIDED", voided_by_id=reversal.id) != len(entries):
        raise AlreadyPostedError


def check_near(organization_id: str, day: date, now: datetime, *, force: bool) -> None:
    """Ask about a day of more than a year ahead, which is a slip more often than not."""
    today = organizations.today(organization_id, now)
    last = date(today.year + 1, today.month, min(today.day, monthrange(today.year + 1, today.month)[1]))
    if day > last and not force:
        raise FarAheadError(
            f"{day:%-d %b %Y} is more than a year ahead. Send `force` if that day is meant.",
            details={"day": day.isoformat(), "last": last.isoformat()},
        )


def check_accounts(organization_id: str, legs: Sequence[Leg], *, existing: Sequence[Leg] = ()) -> None:
    """Refuse an archived account that no existing leg has, and a leg without a merchant where one is required."""
    added = {leg.account_id for leg in legs} - {leg.account_id for leg in existing}
    without = {leg.account_id for leg in legs if leg.merchant_id is None}
    refused = db.session.execute(*_refused_account(organization_id, added, without)).first()
    if refused is not None and refused.is_archived and refused.id in added:
        raise ArchivedError(
            f"{cited(refused.name)} is archived. Choose another account or restore it, then post."
        )
    if refused is not None:
        sentence = "needs a customer or supplier on each posting. Choose one, then post."
        raise CounterpartyRequiredError(f"{cited(refused.name)} {sentence}")


@made_once
def _refused_account(
    organization_id: str, added: Collection[int], without_merchant: Collection[int]
) -> sa.Select[int, str, bool]:
    return (
        sa.select(Account.id, Account.name, Account.is_archived)
        .where(
            Account.organization_id == organization_id,
            sa.or_(
                sa.and_(Account.id.in_(added), Account.is_archived),
                sa.and_(Account.id.in_(without_merchant), Account.requires_counterparty),
            ),
        )
        .order_by(Account.is_archived.desc(), *accounts.BY_CODE.columns)
        .limit(1)
    )


def check_after_opening(organization_id: str, day: date, legs: Sequence[Leg]) -> None:
    """Refuse to post to a bank's account on or before the opening day of a proof that keeps it as new.

    A leg of nothing moves no opening balance, so that a correction which leaves the bank leg alone is free.
    """
    touched = {leg.account_id for leg in legs if leg.amount_minor or leg.amount_base_minor}
    proof = db.session.execute(*_opening_after(organization_id, day, touched)).one_or_none()
    if proof is not None:
        raise BeforeOpeningError(
            f"This account's books begin after {proof.opening_date:%-d %b %Y}. "
            f"Reopen proof {proof.id} to post on or before that day.",
            details={"reconciliationId": proof.id, "openingDate": proof.opening_date.isoformat()},
        )


@made_once
def _opening_after(
    organization_id: str, day: date, account_ids: Collection[int]
) -> sa.Select[int, date | None]:
    return (
        sa.select(Reconciliation.id, Reconciliation.opening_date)
        .join(FeedAccount, refers_to(Reconciliation.feed_account_id, FeedAccount))
        .where(
            Reconciliation.organization_id == organization_id,
            Reconciliation.status == "COMPLETED",
            Reconciliation.keep_as_new,
            Reconciliation.opening_date >= day,
            FeedAccount.account_id.in_(account_ids),
        )
        .order_by(Reconciliation.opening_date.desc(), Reconciliation.id.desc())
        .limit(1)
    )


def _refuse_missing_rates(draft: JournalEntry, legs: Sequence[Leg]) -> None:
    """Refuse a draft with a leg that has no mirror in the base currency."""
    missing = sorted({leg.currency for leg in legs if leg.amount_base_minor is None})
    if not missing:
        return
    days = _days(draft, legs, missing)
    missing = [code for code in missing if _has_no_rate(draft, code, days[code])] or missing
    first = missing[0]
    raise ExchangeRateMissingError(
        f"No {first} rate for {days[first]:%-d %b %Y}. Add one to confirm.",
        details={"missingRates": [{"day": days[code].isoformat(), "currency": code} for code in missing]},
    )


def _days(draft: JournalEntry, legs: Sequence[Leg], currencies: Iterable[str]) -> dict[str, date]:
    """Give the days whose rates mirror a draft: its line's booking day, wherever a lock moved it.

    Where two banks' lines share it, each currency is at its own line's day.
    """
    bank = [leg for leg in legs if leg.transaction_id is not None]
    lines = lookups.by_id(Transaction, draft.organization_id, [each.transaction_id for each in bank])
    booked = {each.currency: lines[each.transaction_id].booked_on for each in reversed(bank)}
    first = lines[bank[0].transaction_id].booked_on if bank else draft.effective_on
    return {code: booked.get(code, first) for code in currencies}


def _has_no_rate(draft: JournalEntry, currency: str, day: date) -> bool:
    return exchange_rates.rate_on(draft.organization_id, currency, draft.base_currency, day) is None


def _post_numbered(draft: JournalEntry, doing: Act, fact: Fact | None, let_in: LockException | None) -> bool:
    """Post a draft under the next number by one conditional update; answers whether it was still a draft.

    Raises AmountTooLargeError where the database could not keep a sum of it.
    """
    db.session.flush()
    of = {"of_organization": draft.organization_id, "entry_id": draft.id, "at": doing.now, "act": doing.id}
    of |= {"fact": None if fact is None else fact.on, "moved": fact is not None and fact.is_moved}
    of["exception"] = None if let_in is None else let_in.id
    try:
        return db.session.scalar(_POST, of) is not None
    except DBAPIError as error:
        if failures.is_too_large(error):
            raise AmountTooLargeError from error
        raise


def _fact_of(entry: JournalEntry, legs: Sequence[Leg]) -> Fact | None:
    """Find the day of what a draft is about: of its line, document or part, or of the entry that it corrects."""
    days: list[date | None] = []
    if entry.source == "bank_feed":
        lines = journal_entries.transactions_of(legs)
        days = [lookups.get(Transaction, entry.organization_id, each).booked_on for each in lines]
    elif entry.document_id is not None:
        days = [lookups.get(Document, entry.organization_id, entry.document_id).issued_on]
    elif entry.schedule_id is not None:
        due = sa.select(SchedulePart.due_on).where(refers_to(SchedulePart.journal_entry_id, entry))
        days = [*db.session.scalars(due)]
    elif entry.corrects_id is not None:
        days = [lookups.get(JournalEntry, entry.organization_id, entry.corrects_id).effective_on]
    known = [day for day in days if day is not None]
    return fact_of(entry, max(known)) if known else None


def fact_of(entry: JournalEntry, day: date) -> Fact:
    """Say of an entry that it is about a day: a lock date moved it, if it is on the first open day after that."""
    return Fact(day, organizations.first_open_day(entry.organization_id, day) == entry.effective_on)


def _warn_of_move(entry: JournalEntry, legs: Sequence[Leg], fact: Fact, doing: Act) -> None:
    size = Money(abs(_size_of(entry, legs)), entry.base_currency)
    is_other_year = fact.on.year != entry.effective_on.year
    into = str(entry.effective_on.year) if is_other_year else f"{entry.effective_on:%-d %b %Y}"
    sentence = f"{size.formatted} of {fact.on:%-d %b %Y} goes into {into}: the day is locked."
    doing.warn(MOVED_BY_LOCK, sentence)


def warn_of_rest(entry: JournalEntry, legs: Sequence[Leg], doing: Act) -> None:
    """Warn of what the rates of an entry leave over, which is no amount of anybody's."""
    base = entry.base_currency
    if entry.source not in _RESTING or all(leg.currency == base for leg in legs):
        return
    rounding = accounts.by_role(entry.organization_id, Role.ROUNDING)
    rests = [leg.amount_base_minor or 0 for leg in legs if leg.account_id == rounding.id]
    if entry.source != "correction" and len(without_rest(legs, base, {rounding.id})) == len(legs):
        rests = []
    if sum(rests):
        rest = Money(sum(rests), base)
        doing.warn(ROUNDING, f"{rest.formatted} that its rates leave over is posted on {rounding.name}.")


def _size_of(entry: JournalEntry, legs: Sequence[Leg]) -> int:
    rows = lookups.by_id(Account, entry.organization_id, {leg.account_id for leg in legs})
    sums = [0, 0, 0, 0]
    for leg in legs:
        amount, row = leg.amount_base_minor or 0, rows[leg.account_id]
        sums[0] += amount if leg.is_bank_leg else 0
        sums[1] += amount if row.keeps_items and not leg.is_bank_leg else 0
        sums[2] -= amount if row.type in RESULT_TYPES and row.in_scope and not entry.is_closing else 0
        sums[3] += max(amount, 0)
    return moved_by(*sums)
