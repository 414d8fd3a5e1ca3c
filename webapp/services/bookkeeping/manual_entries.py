"""Manual entries: what a person writes into the journal without a bank line, and changes until it is posted."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import ClassVar, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.closing import schedules as rules
from webapp.ledger.closing.schedules import ScheduleKind
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.journal.corrections import reversal
from webapp.ledger.journal.entries import Leg, check_moves
from webapp.ledger.journal.merchants import kept
from webapp.ledger.references import Kind, Ref
from webapp.ledger.texts.legible import cited
from webapp.models import (
    Account,
    Document,
    JournalEntry,
    Schedule,
    Transaction,
    of_same_organization,
)
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.common import lookups, merchants
from webapp.queries.documents import findings
from webapp.queries.journal import attachments, entries, manual_entries
from webapp.queries.journal import schedules as queried
from webapp.queries.matching import booked_by_hand
from webapp.services.audit import field_changes, titles
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.results import ActionResult, TouchedIds
from webapp.services.bookkeeping import closing_entries, entry_questions, schedules
from webapp.services.bookkeeping.posting_inputs import PostingInputs, legs_of
from webapp.services.items import prepayments
from webapp.services.journal import entries as journal_entries
from webapp.services.journal import line_drafts, open_days
from webapp.services.tax import coding
from webapp.services.tax.coding import NoTaxHereError

ON_BANK: Final = "on_bank"
OF_BANK: Final = (
    "{name} is a bank's account: its own lines post to it, so a line for this would count twice."
    ' Use "Transfers between own accounts" where one will come.'
)


class NotManualError(LedgerError):
    """This entry was not written by hand; change the bank line or the entry that it belongs to."""

    code = "not_manual"


class EntryStateError(LedgerError):
    """The entry is no longer a draft."""

    code = "posted"
    codes: ClassVar[Mapping[str, str]] = {
        "posted": "The entry is posted and cannot be changed. Void it and write another one.",
        "voided": "The entry is voided and cannot be changed. Write another one.",
    }


class AlreadyOnLineError(LedgerError):
    """A bank line has this money already; look at it, and send `force` if it is not the same."""

    code = "already_explained"

    def __init__(self, lines: Sequence[Transaction]) -> None:
        super().__init__(
            f"The bank line {cited(lines[0].label)} (line {lines[0].id}) has this money already, so the entry would"
            " count it twice. "
            "Book the line instead, or post the entry as well (force) if it is other money.",
            details={"transactionIds": [each.id for each in lines], "faId": lines[0].feed_account_id},
        )


class StaleEntryError(LedgerError):
    """Somebody changed this draft after you opened it; look at it again, then repeat."""

    code = "stale_version"

    def __init__(self, entry: JournalEntry) -> None:
        super().__init__(
            f"{manual_entries.last_writer(entry) or 'Somebody'} changed this draft after you opened it.",
            details={"version": manual_entries.version(entry)},
        )


class ReversalDraftError(UnprocessableError):
    """An entry and its reversal are posted in one act: send `post` as well."""

    code = "reverses_posted"


def create(
    *,
    effective_at: date,
    postings: PostingInputs,
    actor: Actor,
    now: datetime,
    description: str = "",
    post: bool = False,
    document_id: int | None = None,
    is_stated: bool = False,
    source: str = "manual",
    is_adjusting: bool = False,
    reverses_on: date | None = None,
    force: bool = False,
) -> JournalEntry:
    """Write an entry as a draft, or with `post` as part of the books at once; of a document where one is named.

    With `reverses_on` its reversal is posted as well. The source "closing" closes a year in other books, and one that
    `is_adjusting` is of a year's last day, whose months may be locked. With `is_stated` accounts in base take their
    share of what the document states. `force` answers a question.
    """
    organization = organizations.get(actor.organization_id)
    payload = _payload(effective_at, description, postings, post=post)
    named = {"documentId": Ref.optional(Kind.DOCUMENT, document_id), "isAdjusting": is_adjusting}
    payload |= {name: value for name, value in named.items() if value}
    with act(actor, now, "create_journal_entry", ("journal_entry", "new"), payload=payload) as doing:
        _check_document(organization.id, document_id, force=force)
        legs = legs_of(organization, postings, effective_at, takes_shares=is_stated)
        doing.title = f"{'Posted' if post else 'Drafted'} {titles.of_new(description, legs, effective_at)}"
        _check_day(effective_at, doing, is_adjusting=is_adjusting, force=force)
        mirrored = _mirrored(legs, effective_at, doing, document_id, is_written=not is_stated, force=force)
        entry = journal_entries.add_draft(
            organization,
            effective_at,
            mirrored,
            source="manual" if document_id is None else "document",
            description=description,
            now=now,
            document_id=document_id,
            is_closing=source == "closing",
            is_adjusting=is_adjusting,
        )
        doing.target_id = str(entry.id)
        doing.after = _checked(entry, mirrored)
        _finish(entry, doing, post=post, reverses_on=reverses_on, force=force)
    return entry


def change(
    entry: JournalEntry,
    *,
    version: str,
    effective_at: date,
    postings: PostingInputs,
    actor: Actor,
    now: datetime,
    description: str = "",
    post: bool = False,
    is_exact: bool = False,
    force: bool = False,
) -> JournalEntry:
    """Change a draft, and with `post` make it part of the books in the same act.

    A merchant that counts as a present one's changes nothing, unless what is written `is_exact`. Raises
    StaleEntryError where `version` is not the one that the draft is in.
    """
    organization = organizations.get(actor.organization_id)
    payload = _payload(effective_at, description, postings, post=post)
    target = ("journal_entry", entry.id)
    with act(actor, now, "change_journal_entry", target, payload=payload) as doing:
        doing.title = f"{'Posted' if post else 'Changed'} the draft {titles.of_entry(entry)}"
        _require(entry, version)
        doing.before = _facts_of(entry)
        present = manual_entries.written_legs(entry)
        legs = coding.kept(legs_of(organization, postings, effective_at), postings, present)
        if not is_exact:
            legs = kept(legs, present, merchants.merged(organization.id))
        wanted = field_changes.of_legs(legs, description, base=entry.base_currency)
        if not post and doing.before == {**wanted, "effectiveAt": effective_at.isoformat()}:
            _warn(entry, doing)
            doing.nothing_to_do()
            return entry
        name = titles.of_legs(description, legs, effective_at)
        if name != titles.of_entry(entry):
            doing.title += f", changed to {name}"
        _check_day(effective_at, doing, is_adjusting=entry.is_adjusting, force=force)
        mirrored = _mirrored(legs, effective_at, doing, entry.document_id, is_written=True, force=force)
        _write(entry, effective_at, description)
        facts = _checked(entry, mirrored)
        journal_entries.write_legs(entry, mirrored)
        doing.after = {**facts, "effectiveAt": effective_at.isoformat()}
        _finish(entry, doing, post=post, force=force)
    return entry


def post(
    entry: JournalEntry,
    *,
    actor: Actor,
    now: datetime,
    version: str | None = None,
    note: str | None = None,
    force: bool = False,
) -> ActionResult:
    """Make a draft part of the books, for good; a repeat changes nothing and has the same result."""
    payload = {"note": note or "", "version": version}
    target = ("journal_entry", entry.id)
    with act(actor, now, "post_journal_entry", target, note=note or "", payload=payload) as doing:
        doing.title = f"Posted the draft {titles.of_entry(entry)}"
        _require_manual(entry)
        if entry.status == "POSTED":
            doing.nothing_to_do()
            return ActionResult(
                action_request_id=entry.action_request_id or "", changed=False, result=_posted(entry)
            )
        _require(entry, version)
        doing.before = {"status": entry.status}
        journal_entries.check_near(entry.organization_id, entry.effective_on, now, force=force)
        _post(entry, doing, force=force)
        doing.after = {"status": entry.status}
        _warn(entry, doing)
    return ActionResult(action_request_id=doing.id, changed=True, result=_posted(entry))


def delete(entry: JournalEntry, *, actor: Actor, now: datetime, version: str | None = None) -> None:
    """Delete a draft; its content stays in the audit trail."""
    target = ("journal_entry", entry.id)
    with act(actor, now, "delete_journal_entry", target, payload={"version": version}) as doing:
        doing.title = f"Deleted the draft {titles.of_entry(entry)}"
        _require(entry, version)
        doing.before = {**_facts_of(entry), "documentId": Ref.optional(Kind.DOCUMENT, entry.document_id)}
        doing.result = TouchedIds(deleted_journal_entry_ids=[entry.id]).as_json()
        journal_entries.delete_draft(entry)


def _checked(entry: JournalEntry, legs: Sequence[Leg]) -> dict[str, object]:
    """Refuse what no entry of its kind may have, and give its legs for the audit trail."""
    closing_entries.check(entry, legs)
    return field_changes.of_legs(legs, entry.description, base=entry.base_currency)


def _check_document(organization_id: str, document_id: int | None, *, force: bool) -> None:
    if document_id is not None:
        document = lookups.refer(Document, organization_id, document_id, "documentId")
        entry_questions.ask_about_document(document, force=force)


def _check_day(day: date, doing: Act, *, is_adjusting: bool, force: bool) -> None:
    """Refuse a locked day, and ask about one far ahead."""
    open_days.check_named(day, doing, is_adjusting=is_adjusting)
    journal_entries.check_near(doing.actor.organization_id, day, doing.now, force=force)


def _mirrored(
    legs: Sequence[Leg], day: date, doing: Act, document_id: int | None, *, is_written: bool, force: bool
) -> Sequence[Leg]:
    organization = organizations.get(doing.actor.organization_id)
    if not force:
        entry_questions.ask_about_rates(organization, legs, day)
    found = line_drafts.mirror_legs(organization, legs, day, document_id=document_id, is_written=is_written)
    check_moves(found, of_document=document_id is not None)
    return found


def _facts_of(entry: JournalEntry) -> dict[str, object]:
    """Give a draft with its day and without the legs of mirroring, for the audit trail."""
    legs = manual_entries.written_legs(entry)
    facts = field_changes.of_legs(legs, entry.description, base=entry.base_currency)
    return {**facts, "effectiveAt": entry.effective_on.isoformat()}


def _require_manual(entry: JournalEntry) -> None:
    if manual_entries.is_manual(entry):
        return
    lines = entries.transactions_of(entries.legs_of(entry))
    sentence = f"Entry {entry.id} belongs to bank line {lines[0]}; change it there." if lines else None
    raise NotManualError(sentence, details={"transactionIds": lines})


def _require(entry: JournalEntry, version: str | None) -> None:
    """Refuse an entry that was not written by hand, is no draft any more, or has another version."""
    _require_manual(entry)
    if entry.status == "POSTED":
        raise EntryStateError(
            f"Entry {entry.id} is posted and cannot be changed. Void it and write another one."
        )
    if entry.status != "DRAFT":
        raise EntryStateError(
            f"Entry {entry.id} is voided and cannot be changed. Write another one.", code="voided"
        )
    if version is not None and version != manual_entries.version(entry):
        raise StaleEntryError(entry)


def _write(entry: JournalEntry, effective_at: date, description: str) -> None:
    written = db.session.execute(
        sa.update(JournalEntry)
        .where(
            of_same_organization(JournalEntry, entry),
            JournalEntry.id == entry.id,
            JournalEntry.status == "DRAFT",
        )
        .values(effective_on=effective_at, description=description)
        .execution_options(synchronize_session=False)
    )
    if written.rowcount != 1:  # type: ignore[attr-defined]
        raise StaleEntryError(entry)
    db.session.refresh(entry)


def _post(entry: JournalEntry, doing: Act, *, reverses_on: date | None = None, force: bool) -> None:
    legs = entries.legs_of(entry)
    check_moves(legs, of_document=entry.document_id is not None)
    lines = () if force else booked_by_hand.lines_of_legs(entry.organization_id, legs, entry.effective_on)
    if lines:
        raise AlreadyOnLineError(lines)
    if not force:
        entry_questions.ask_about_numbers(entry.organization_id, legs)
    made = None if reverses_on is None else reversing(entry, reverses_on, doing)
    journal_entries.post(entry, doing)
    prepayments.settle(entry)
    closing_entries.warn_of_likeness(entry, legs, doing)
    posted = _posted(entry)
    if made is not None:
        back = reverse(entry, made, doing)
        posted = replace(posted, journal_entry_ids=[entry.id, back.id])
    doing.result = posted.as_json()


def _finish(
    entry: JournalEntry, doing: Act, *, post: bool, reverses_on: date | None = None, force: bool
) -> None:
    if reverses_on is not None and not post:
        raise ReversalDraftError(fields={"reversesOn": [str(ReversalDraftError.__doc__)]})
    if post:
        _post(entry, doing, reverses_on=reverses_on, force=force)
    _warn(entry, doing)


def _warn(entry: JournalEntry, doing: Act) -> None:
    """Warn of what is odd about an entry as it was written, with the draft and again as it is posted."""
    legs = entries.legs_of(entry)
    banks = accounts.feed_ids(entry.organization_id)
    rows = lookups.by_id(Account, entry.organization_id, {leg.account_id for leg in legs} & banks.keys())
    for leg in legs:
        if leg.account_id in rows:
            doing.warn(ON_BANK, OF_BANK.format(name=rows[leg.account_id].name))
    journal_entries.warn_of_rest(entry, legs, doing)
    document = entry.document_id and lookups.get(Document, entry.organization_id, entry.document_id)
    for each in findings.of_prepayment(document) if document else ():
        doing.warn(each.code, each.message)


def _posted(entry: JournalEntry) -> TouchedIds:
    return TouchedIds([entry.id], attachments.of_entry(entry.organization_id, entry.id))


def _payload(
    effective_at: date, description: str, postings: PostingInputs, *, post: bool
) -> dict[str, object]:
    return {
        "effectiveAt": effective_at.isoformat(),
        "description": description,
        "postings": field_changes.jsonable(postings),
        "post": post,
    }


def reversing(entry: JournalEntry, day: date, doing: Act) -> Schedule:
    """Make the schedule of an entry that is reversed on a later day; the entry is still a draft."""
    if day <= entry.effective_on:
        sentence = str(rules.ReversesBeforeError.__doc__)
        raise rules.ReversesBeforeError(fields={"reversesOn": [sentence]})
    if any(leg.tax_code_id for leg in entries.legs_of(entry)):
        raise NoTaxHereError(fields={"postings": [str(NoTaxHereError.__doc__)]})
    made = Schedule(
        organization_id=entry.organization_id,
        name=entry.description or f"Reversal of {entry.effective_on:%-d %b %Y}",
        kind=ScheduleKind.REVERSING,
        status="ACTIVE",
        starts_on=day,
        every="MONTH",
        day_rule=rules.DayRule.ANCHOR,
        origin_entry_id=entry.id,
        created_at=doing.now,
    )
    schedules.add(made, [day], [(None, None)])
    entry.schedule_id = made.id
    db.session.flush()
    return made


def reverse(entry: JournalEntry, made: Schedule, doing: Act) -> JournalEntry:
    """Post the reversal of an entry as the one part of its schedule."""
    (part,) = queried.parts_of(made)
    legs = reversal(entries.legs_of(entry))
    back = schedules.post_legs(made, legs, part.due_on, doing)
    part.state, part.journal_entry_id = "POSTED", back.id
    db.session.flush()
    return back
