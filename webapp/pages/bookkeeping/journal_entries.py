"""The journal, and the page of an entry with its origin and history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import marshmallow as ma
from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.errors import LedgerError
from webapp.ledger.money import Money
from webapp.queries.journal.entry_records import EntryFilters, EntryRecord
from webapp.schemas.bookkeeping.exchange_rates import TakeBackSchema
from webapp.schemas.bookkeeping.journal_entries import EntryFilterFormSchema, VoidFormSchema
from webapp.web import paging
from webapp.web.access.auth import acting, demand, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.periods import with_counting_merchant
from webapp.web.rendering.problems import Problem, problem_of

if TYPE_CHECKING:
    from webapp.models import JournalEntry

bp = Blueprint("journal_entries", __name__, url_prefix="/journal")


@bp.get("")
@requires("read")
def index() -> Response:
    """Show the journal, newest first, with the filters of the URL."""
    query: dict[str, Any] = with_counting_merchant(EntryFilterFormSchema().load(request.args))
    limit, cursor = query.pop("limit"), query.pop("cursor")
    page = queries.journal.entry_records.listed(
        organization_id(), EntryFilters(**query), after=paging.decode(cursor, "di"), limit=limit
    )
    keep = {name: value for name, value in request.args.items() if value and name != "cursor"}
    return render(
        "journal_entries/index.html",
        entries=[listed_entry(record) for record in page.items],
        filters={**query, "from_date": query["from_"], "to_date": query["to"]},
        accounts=queries.accounts.choices.accounts(
            organization_id(), with_feeds=True, chosen=[query["account_id"]]
        ),
        projects=queries.accounts.choices.projects(organization_id()),
        project_groups=queries.accounts.choices.project_groups(organization_id()),
        merchants=queries.accounts.choices.merchants(organization_id()),
        keep=keep,
        cursor=cursor,
        next_cursor=paging.encode(page.next_key),
    )


@bp.get("/<id:entry_id>")
@requires("read")
def show(entry_id: int) -> Response:
    """Show one entry."""
    return show_entry(queries.journal.entries.get(organization_id(), entry_id))


@bp.post("/<id:entry_id>/void")
@requires("confirm")
def void(entry_id: int) -> Response:
    """Void an entry and show it, or show the error at the form."""
    entry = queries.journal.entries.get(organization_id(), entry_id)
    try:
        body = VoidFormSchema().load(form_body())
        if body["copy"]:
            demand("draft")
        body["effective_on"] = body.pop("effective_at")
        done = services.bookkeeping.voids.void(entry, **body, **acting())
    except (LedgerError, ma.ValidationError) as error:
        return show_entry(
            queries.journal.entries.get(organization_id(), entry_id), problem=problem_of(error, place="void")
        )
    if body["copy"]:
        return redirect_to(url_for("manual_entries.edit", entry_id=done.result.journal_entry_ids[-1]))
    return redirect_to(url_for("journal_entries.show", entry_id=entry_id))


@bp.post("/<id:entry_id>/take-back")
@requires("confirm")
def take_back(entry_id: int) -> Response:
    """Take back the revaluation that an entry belongs to, or show the error at the form."""
    entry = queries.journal.entries.get(organization_id(), entry_id)
    try:
        body = TakeBackSchema().load(form_body())
        services.bookkeeping.revaluations.take_back(entry, **body, **acting())
    except (LedgerError, ma.ValidationError) as error:
        return show_entry(
            queries.journal.entries.get(organization_id(), entry_id),
            problem=problem_of(error, place="take-back"),
        )
    return redirect_to(url_for("journal_entries.show", entry_id=entry_id))


@bp.post("/<id:entry_id>/correction/discard")
@requires("draft")
def discard(entry_id: int) -> Response:
    """Discard the open correction of an entry, and show the entry."""
    entry = queries.journal.entries.get(organization_id(), entry_id)
    services.transactions.edits.discard_correction(entry, **acting())
    return redirect_to(url_for("journal_entries.show", entry_id=entry_id))


def listed_entry(record: EntryRecord) -> dict[str, Any]:
    """An entry as a row of the journal."""
    banks_first = sorted(record.postings, key=lambda posting: not posting.is_bank_leg)
    currencies = {posting.currency for posting in record.postings}
    debits = sum(posting.amount.minor for posting in record.postings if posting.amount.minor > 0)
    return {
        "id": record.id,
        "number": record.number,
        "effective_on": record.effective_at,
        "description": record.description,
        "status": record.status,
        "source": record.source,
        "total": Money(debits, currencies.pop()) if len(currencies) == 1 else None,
        "account_names": list(dict.fromkeys(posting.account_name for posting in banks_first)),
    }


def show_entry(entry: JournalEntry, *, problem: Problem | None = None) -> Response:
    """Render an entry, with an error at the form that has it."""
    record = queries.journal.entry_records.read(entry.organization_id, entry.id)
    details = queries.journal.entry_details
    line = details.line_of(entry)
    history, chain = details.history(entry, line)
    totals = details.totals(entry)
    corrections = queries.journal.correction_tables.correction_table(entry)
    waits = corrections is not None and corrections.marker_id is not None
    is_draft = record.status == "DRAFT" and record.source == "bank_feed"
    can_be_confirmed = line is not None and line.status == "BOOKED" and (waits or is_draft)
    return render(
        "journal_entries/show.html",
        entry={
            **{name: getattr(record, name) for name in record.__slots__},
            "effective_on": entry.effective_on,
            "voids_id": entry.voids_id,
            "voided_by_id": entry.voided_by_id,
            "postings": details.postings(entry),
        },
        totals=totals,
        shows_base=any(posting.currency != entry.base_currency for posting in entry.postings),
        rate=details.rate(entry, line),
        transaction=line,
        import_name=details.import_name(line),
        other=details.other_line_of(entry, line),
        corrections=corrections,
        shown=queries.transactions.shown_lines.of_line(line) if line and can_be_confirmed else None,
        proof=queries.reconciliation.proof_pages.of_line(line) if line is not None else None,
        documents=queries.journal.attachments.documents_of_entry(entry),
        candidates=queries.documents.candidates.documents_of_entry(entry),
        history=history,
        chain=chain,
        voiding=queries.journal.void_previews.void_preview(entry) if record.can_void else None,
        revaluation=queries.currencies.revaluations.of_entry(entry),
        void_from=queries.access.organizations.first_open_day(organization_id(), details.latest_day(entry)),
        version=queries.journal.manual_entries.version(entry),
        is_manual=queries.journal.manual_entries.is_manual(entry),
        form=request.form,
        problem=problem,
    )
