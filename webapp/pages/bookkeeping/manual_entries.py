"""Manual entries: creating one, and changing, posting or deleting a draft."""

from datetime import date
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.pages.bookkeeping import entry_forms
from webapp.pages.bookkeeping.entry_forms import EntryForm
from webapp.pages.bookkeeping.journal_entries import show_entry
from webapp.schemas.bookkeeping.journal_entries import (
    CorrectionFormSchema,
    EntryChangesFormSchema,
    EntryPostFormSchema,
    EntryPostSchema,
    ManualEntryFormSchema,
    NewEntryPageSchema,
)
from webapp.schemas.instants import EffectiveAt
from webapp.web.access import requests
from webapp.web.access.auth import acting, demand, organization_id, requires
from webapp.web.rendering import wording
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of

if TYPE_CHECKING:
    from webapp.models import JournalEntry

TEMPLATE = "journal_entries/form.html"
POST_AS_WELL, SAVE_AS_WELL = "post_as_well", "save_as_well"

bp = Blueprint("manual_entries", __name__, url_prefix="/journal")


@bp.get("/new")
@requires("draft")
def new() -> Response:
    """Show an empty form, dated today or on the first open day, or one that is filled from a document.

    A credit note whose side is unknown is shown instead, with the question.
    """
    query = NewEntryPageSchema.read_leniently(request.query_string.decode())
    document = (
        queries.documents.documents.get(organization_id(), query["document_id"])
        if query["document_id"]
        else None
    )
    today = queries.access.organizations.today(organization_id(), requests.now())
    day = today if document is None else document.issued_on or today
    first = queries.access.organizations.first_open_day(organization_id(), day)
    if document is not None:
        if not queries.documents.parties.has_side(document):
            return redirect_to(url_for("documents.show", document_id=document.id, _anchor="side"))
        return show_form(entry_forms.of_document(document, first))
    accounts = queries.accounts.choices.accounts(organization_id(), with_feeds=True)
    return show_form(EntryForm(first.isoformat(), "", None, [], accounts))


@bp.post("/new")
@requires("draft")
def create() -> Response:
    """Create the entry as a draft, or post it at once, or show the errors at their inputs."""
    form = entry_forms.read()
    asked = {name: value for name, value in form_body().items() if name == "isAdjusting"}
    try:
        entry = services.bookkeeping.manual_entries.create(
            **ManualEntryFormSchema().load(form.body() | asked),
            post=asks_to_post(),
            force=is_forced(),
            **acting(),
        )
    except REFUSALS as error:
        return show_form(form, problem=problem_of(error))
    return redirect_to(url_for("journal_entries.show", entry_id=entry.id))


@bp.post("/balance", defaults={"entry_id": None})
@bp.post("/<id:entry_id>/balance")
@requires("draft", begins=False)
def balance(entry_id: int | None) -> Response:
    """Show the balance of the form, with another leg or the difference filled in if requested; writes nothing."""
    _ = request.form  # read before the snapshot is opened, so that a slow sender holds none
    requests.begin_reading(organization_id())
    return show_form(entry_forms.read(), entry_id=entry_id)


@bp.get("/<id:entry_id>/edit")
@requires("draft")
def edit(entry_id: int) -> Response:
    """Show a draft in the form; an entry that cannot be changed is shown on its page."""
    entry = queries.journal.entries.get(organization_id(), entry_id)
    if queries.journal.manual_entries.version(entry) is None:
        return redirect_to(url_for("journal_entries.show", entry_id=entry_id))
    return show_form(entry_forms.of_draft(entry), entry_id=entry_id)


@bp.post("/<id:entry_id>/edit")
@requires("draft")
def change(entry_id: int) -> Response:
    """Change a draft, and post it if requested, or show the errors at their inputs."""
    entry = queries.journal.entries.get(organization_id(), entry_id)
    form = entry_forms.read()
    try:
        services.bookkeeping.manual_entries.change(
            entry,
            **EntryChangesFormSchema().load(entry_forms.kept_or_sent(form, entry).body()),
            post=asks_to_post(),
            force=is_forced(),
            **acting(),
        )
    except REFUSALS as error:
        return show_form(form, entry_id=entry_id, problem=problem_of(error))
    return redirect_to(url_for("journal_entries.show", entry_id=entry_id))


@bp.get("/<id:entry_id>/correct")
@requires("confirm")
def correct(entry_id: int) -> Response:
    """Show a posted entry in the form, to correct it."""
    entry = queries.journal.entries.get(organization_id(), entry_id)
    return show_form(entry_forms.of_posted(entry), entry_id=entry_id, correcting=True)


@bp.post("/<id:entry_id>/correct")
@requires("confirm")
def post_correction(entry_id: int) -> Response:
    """Post the correction of an entry, or show the errors at their inputs."""
    entry = queries.journal.entries.get(organization_id(), entry_id)
    form = entry_forms.read()
    try:
        body = CorrectionFormSchema().load(
            {"postings": form.body()["postings"]}
            | {name: request.form.get(name) or None for name in ("reason", "wasWrong")}
        )
        services.bookkeeping.posted_corrections.correct(entry, **body, **acting())
    except REFUSALS as error:
        return show_form(form, entry_id=entry_id, problem=problem_of(error), correcting=True)
    return redirect_to(url_for("journal_entries.show", entry_id=entry_id))


@bp.post("/<id:entry_id>/post")
@requires("confirm")
def post(entry_id: int) -> Response:
    """Post a draft, and show it."""
    entry = queries.journal.entries.get(organization_id(), entry_id)
    try:
        services.bookkeeping.manual_entries.post(entry, **EntryPostFormSchema().load(form_body()), **acting())
    except REFUSALS as error:
        return show_refused(entry_id, problem_of(error, place="draft"))
    return redirect_to(url_for("journal_entries.show", entry_id=entry_id))


@bp.post("/<id:entry_id>/delete")
@requires("draft")
def delete(entry_id: int) -> Response:
    """Delete a draft, and go back to the journal."""
    entry = queries.journal.entries.get(organization_id(), entry_id)
    try:
        body = EntryPostSchema(only=("version",)).load(form_body())
        services.bookkeeping.manual_entries.delete(entry, **body, **acting())
    except REFUSALS as error:
        return show_refused(entry_id, problem_of(error, place="draft"))
    return redirect_to(url_for("journal_entries.index"))


def show_refused(entry_id: int, problem: Problem) -> Response:
    """Show an entry with an error at its acts."""
    return show_entry(queries.journal.entries.get(organization_id(), entry_id), problem=problem)


def asks_to_post() -> bool:
    """Return whether the button to post was pressed, by somebody with the scope."""
    if request.form.get("act") not in ("post", POST_AS_WELL):
        return False
    demand("confirm")
    return True


def is_forced() -> bool:
    """Return whether the button was pressed that posts what a bank line has already, or keeps a day far ahead."""
    return request.form.get("act") in (POST_AS_WELL, SAVE_AS_WELL)


def show_form(
    form: EntryForm, *, entry_id: int | None = None, problem: Problem | None = None, correcting: bool = False
) -> Response:
    """Render the form as it was typed, with its balance and its errors."""
    organization = queries.access.organizations.get(organization_id())
    day = day_of(form)
    if "fill" in request.args:
        fill(form, organization.base_currency, day)
    legs, needs = form.legs(organization.base_currency)
    entry: JournalEntry | None = (
        queries.journal.entries.get(organization_id(), entry_id) if entry_id else None
    )
    document = entry_forms.document_of(form)
    context: dict[str, Any] = {
        "form": form,
        "entry": entry,
        "correcting": correcting,
        "typed": request.form,
        "document": document,
        "day": day,
        "rows": [
            *({**row, "isItem": form.is_item(row)} for row in form.rows),
            *({} for _ in range(max(1, entry_forms.BLANK_LEGS - len(form.rows)))),
        ],
        "preview": services.bookkeeping.entry_previews.preview(
            organization, legs, day, None if document is None else document.id
        ),
        "needs": needs,
        "base": organization.base_currency,
        "merchants": queries.accounts.choices.merchants(organization_id()),
        "projects": queries.accounts.choices.projects(organization_id()),
        "codes": wording.code_choices(queries.tax.codes.in_use(organization_id())),
        "labels": [(entry_forms.label(account), account.keeps_items) for account in form.accounts],
        "keeps_items": any(account.keeps_items for account in form.accounts),
        "problem": problem,
        "wrong": form.placed(problem) if problem else {},
    }
    parts = {"legs": "legs", "balance": "balance"} if request.args else None
    return render(TEMPLATE, parts=parts, **context)


def day_of(form: EntryForm) -> date:
    """Read the typed day; while it is invalid, today is used for the balance."""
    try:
        day: date = EffectiveAt().deserialize(form.effective_at)
    except REFUSALS:
        return queries.access.organizations.today(organization_id(), requests.now())
    return day


def fill(form: EntryForm, base: str, day: date) -> None:
    """Fill the last leg without an amount, or a new one, with the difference to balance the entry."""
    open_rows = [row for row in form.rows if not row.get("debit") and not row.get("credit")]
    if not open_rows:
        form.rows.append({})
    row = open_rows[-1] if open_rows else form.rows[-1]
    legs, _ = form.legs(base)
    only = {leg.currency for leg in legs}
    try:
        currency = form.currency_of(row, only.pop() if len(only) == 1 else base)
    except REFUSALS:
        return
    rest = services.bookkeeping.entry_previews.rest(
        queries.access.organizations.get(organization_id()), legs, currency, day
    )
    if rest:
        row["debit" if rest.minor > 0 else "credit"] = str(abs(rest))
        row["currency"] = currency
