"""Reconciliation drafts: a statement's day and balance, changed in the version that was seen, or abandoned."""

from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import NamedTuple

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger import titles
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.money import Money, money_at
from webapp.ledger.references import Kind, Ref
from webapp.models import Document, FeedAccount, Reconciliation, ReconciliationItem, refers_to
from webapp.queries.access import organizations
from webapp.queries.imports import statement_files
from webapp.queries.reconciliation import openings, reconciliations
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.documents import attached_files
from webapp.services.documents.sent_files import SentFile
from webapp.services.reconciliation import set_asides, statement_documents
from webapp.services.transactions import clearing


class Figures(NamedTuple):
    """The figures of a statement as a draft or proof stores them."""

    statement_date: date
    statement_balance_minor: int
    keep_as_new: bool
    opening_balance_minor: int | None
    opening_date: date | None


class StatementError(UnprocessableError):
    """These figures cannot be a statement of this account."""

    code = "statement"


class VersionRequiredError(UnprocessableError):
    """A draft is open already; send the version that you saw."""

    code = "version_required"


@dataclass(frozen=True, slots=True)
class DraftChange:
    """A draft after a change, and the ids of the lines and entries that the change uncleared."""

    draft: Reconciliation
    uncleared: list[int]
    uncleared_entries: list[int]


@dataclass(frozen=True, slots=True)
class StatementInput:
    """The figures of a statement, and whether it keeps its account as new.

    `document_id` is the statement itself, none for none; where it `keeps_document`, a draft has the one that it had.
    """

    statement_date: date
    statement_balance: Decimal
    keep_as_new: bool = False
    opening_balance: Decimal | None = None
    opening_date: date | None = None
    document_id: int | None = None
    keeps_document: bool = True


def put_draft(
    account: FeedAccount,
    statement: StatementInput,
    *,
    actor: Actor,
    now: datetime,
    version: int | None = None,
) -> DraftChange:
    """Open the draft of an account, or change its inputs; items that it may not clear any more are uncleared.

    An open draft needs the `version` that the caller saw.
    """
    title = f"Changed the statement of {account.name}"
    with act(actor, now, "put_reconciliation_draft", ("feed_account", account.id), title=title) as doing:
        draft = _open_draft(account, version)
        check_day(account, statement.statement_date, now)
        figures = _figures(account, reconciliations.anchor_of(account), statement)
        has = None if draft is None else statement_files.document_id_of(draft)
        document_id = has if statement.keeps_document else statement.document_id
        doing.payload = doing.after = _as_json(figures, account.currency, document_id)
        said = _in_words(figures, account.currency)
        doing.title = f"{'Started' if draft is None else 'Changed'} the statement of {account.name}: {said}"
        if draft is None:
            change = DraftChange(_create(account, figures, actor=actor, now=now), [], [])
            db.session.flush()
        else:
            doing.before = statement_facts(draft)
            if _figures_of(draft) == figures and document_id == has:
                doing.nothing_to_do()
                return DraftChange(draft, [], [])
            clearing.advance(draft, **figures._asdict())
            set_asides.resynchronise(account, now=now)
            change = DraftChange(draft, *clearing.prune(account, draft))
        if document_id != has:
            statement_documents.put(change.draft, document_id)
        doing.target_kind, doing.target_id = "reconciliation", str(change.draft.id)
        count = len(change.uncleared) + len(change.uncleared_entries)
        if count:
            doing.title += f", which unticked {titles.counted(count, 'item')}"
    return change


def inputs_of(draft: Reconciliation) -> StatementInput:
    """Give the figures of a draft as somebody would send them again."""
    opening = draft.opening_balance_minor
    return StatementInput(
        draft.statement_date,
        draft.statement_balance.decimal,
        draft.keep_as_new,
        None if opening is None else Money(opening, draft.currency).decimal,
        draft.opening_date,
    )


def _open_draft(account: FeedAccount, version: int | None) -> Reconciliation | None:
    """Find the open draft, if there is one, in the version that the caller saw; raises VersionRequiredError."""
    if version is not None:
        return clearing.require(account, version)
    if reconciliations.draft_of(account) is not None:
        raise VersionRequiredError(fields={"version": ["Send the version that you saw."]})
    return None


def _create(account: FeedAccount, figures: Figures, *, actor: Actor, now: datetime) -> Reconciliation:
    draft = Reconciliation(
        organization_id=account.organization_id,
        feed_account_id=account.id,
        status="DRAFT",
        currency=account.currency,
        opened_at=now,
        opened_by=actor.as_json(),
        **figures._asdict(),
    )
    db.session.add(draft)
    set_asides.resynchronise(account, now=now)
    return draft


def check_day(account: FeedAccount, statement_date: date, now: datetime) -> None:
    """Refuse a statement that ends after today: every line from then on would arrive inside its proof."""
    today = organizations.today(account.organization_id, now)
    if statement_date > today:
        raise _invalid(
            "statementDate",
            f"{statement_date:%-d %b %Y} has not come yet: today is {today:%-d %b %Y}. "
            "Choose the day on which the statement ends.",
        )


def _figures(account: FeedAccount, anchor: Reconciliation | None, statement: StatementInput) -> Figures:
    """Check the figures of a statement, and give them as a draft stores them."""
    if anchor is not None and statement.statement_date <= anchor.statement_date:
        day = f"{anchor.statement_date:%-d %b %Y}"
        raise _invalid("statementDate", f"The last proof is of {day}. Choose a later day.")
    if anchor is not None and statement.keep_as_new:
        raise _invalid("keepAsNew", "This account has a proof already and continues from its balance.")
    balance = money_at(statement.statement_balance, account.currency, "statementBalance").minor
    opening: int | None = None
    if statement.opening_balance is not None:
        opening = money_at(statement.opening_balance, account.currency, "openingBalance").minor
    opening_date = statement.opening_date
    if not statement.keep_as_new:
        _check_no_opening(anchor, opening, opening_date, account.currency)
        opening = opening_date = None
    else:
        opening = opening or 0
        opening_date = opening_date or _opening_day(account, statement.statement_date)
        if opening_date > statement.statement_date:
            raise _invalid(
                "openingDate", "The books cannot begin after the statement. Choose an earlier day."
            )
    return Figures(statement.statement_date, balance, statement.keep_as_new, opening, opening_date)


def _check_no_opening(
    anchor: Reconciliation | None, opening: int | None, opening_date: date | None, currency: str
) -> None:
    """Refuse an opening that would be ignored: without keep-as-new the balance goes on from the last proof."""
    follows = 0 if anchor is None else anchor.statement_balance_minor
    if opening is not None and opening != follows:
        amount = Money(follows, currency)
        raise _invalid("openingBalance", f"Without keepAsNew this draft opens with {amount.formatted}.")
    if opening_date is not None:
        raise _invalid("openingDate", "Send keepAsNew with it, or leave it out.")


def _opening_day(account: FeedAccount, statement_date: date) -> date:
    return min(openings.day_before_first_line(account) or statement_date, statement_date)


def _invalid(path: str, sentence: str) -> StatementError:
    return StatementError(f"{path}: {sentence}", fields={path: [sentence]})


def _in_words(figures: Figures, currency: str) -> str:
    """Write the figures of a statement for a title."""
    balance = Money(figures.statement_balance_minor, currency).formatted
    sentence = f"{balance} on {figures.statement_date:%-d %b %Y}"
    if not figures.keep_as_new:
        return sentence
    opening = Money(figures.opening_balance_minor or 0, currency).formatted
    return f"{sentence}, starting from an opening balance of {opening} on {figures.opening_date:%-d %b %Y}"


def _figures_of(draft: Reconciliation) -> Figures:
    return Figures(*(getattr(draft, name) for name in Figures._fields))


def statement_facts(draft: Reconciliation) -> dict[str, object]:
    """Give the figures of a draft or proof as JSON, for the audit trail."""
    return _as_json(_figures_of(draft), draft.currency, statement_files.document_id_of(draft))


def _cleared(draft: Reconciliation) -> dict[str, list[Ref]]:
    """Give the cleared items of a draft: lines, and entries that come from none."""
    items = db.session.execute(
        sa.select(ReconciliationItem.transaction_id, ReconciliationItem.journal_entry_id)
        .where(refers_to(ReconciliationItem.reconciliation_id, draft))
        .order_by(ReconciliationItem.id)
    ).all()
    return {
        "cleared": [Ref(Kind.TRANSACTION, line_id) for line_id, _ in items if line_id is not None],
        "clearedEntries": [
            Ref(Kind.JOURNAL_ENTRY, entry_id)
            for line_id, entry_id in items
            if line_id is None and entry_id is not None
        ],
    }


def _as_json(figures: Figures, currency: str, document_id: int | None) -> dict[str, object]:
    opening, opening_date = figures.opening_balance_minor, figures.opening_date
    attached = {} if document_id is None else {"documentId": Ref(Kind.DOCUMENT, document_id)}
    return attached | {
        "statementDate": figures.statement_date.isoformat(),
        "statementBalance": str(Money(figures.statement_balance_minor, currency)),
        "keepAsNew": figures.keep_as_new,
        "openingBalance": None if opening is None else str(Money(opening, currency)),
        "openingDate": None if opening_date is None else opening_date.isoformat(),
    }


def abandon(account: FeedAccount, *, actor: Actor, now: datetime) -> None:
    """Delete the open draft with its cleared items; without one nothing happens, and a proof stays."""
    title = f"Cancelled the reconciliation of {account.name}"
    with act(actor, now, "abandon_reconciliation", ("feed_account", account.id), title=title) as doing:
        draft = reconciliations.draft_of(account)
        if draft is None:
            doing.nothing_to_do()
            return
        cleared = _cleared(draft)
        doing.title += f" to {draft.statement_date:%-d %b %Y}"
        if count := sum(map(len, cleared.values())):
            doing.title += f" with {titles.counted(count, 'ticked item')}"
        doing.target_kind, doing.target_id = "reconciliation", str(draft.id)
        doing.before = {**statement_facts(draft), "faId": Ref(Kind.FEED_ACCOUNT, account.id), **cleared}
        db.session.execute(
            sa.delete(ReconciliationItem).where(refers_to(ReconciliationItem.reconciliation_id, draft))
        )
        db.session.delete(draft)
        set_asides.resynchronise(account, now=now)


def attach_file(account: FeedAccount, file: SentFile, *, actor: Actor, now: datetime) -> Document:
    """Keep a file as a document, or take the one that has it, and make it the statement of the open draft.

    Raises what filing a document raises, and NoDraftError.
    """
    draft = clearing.require(account, None)
    document = attached_files.filed({}, file, actor=actor, now=now)
    statement = replace(inputs_of(draft), document_id=document.id, keeps_document=False)
    put_draft(account, statement, version=draft.version, actor=actor, now=now)
    return document
