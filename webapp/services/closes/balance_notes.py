"""Notes on the proof of an account: a figure that somebody attests, and explanations of a difference."""

from datetime import date, datetime
from decimal import Decimal
from typing import TypedDict

from webapp.database.sessions import db
from webapp.ledger.closing.balances import ATTESTED
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.money import Money, money_at
from webapp.models import Account, BalanceNote, Document, Organization
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.field_changes import jsonable


class ExplanationError(UnprocessableError):
    """An explanation has an owner and the day by which it is gone; a figure that is attested has its document."""

    code = "explanation"


class WithdrawnError(LedgerError):
    """This was withdrawn already."""

    code = "withdrawn"


class NoteInput(TypedDict):
    """A figure that is attested, or an explanation."""

    account_id: int
    as_of: date
    kind: str
    amount: Decimal
    text: str
    owner: str | None
    reverses_by: date | None
    document_id: int | None


def write(given: NoteInput, *, actor: Actor, now: datetime) -> BalanceNote:
    """Attest the figure of an account, or explain a part of its difference."""
    organization = organizations.get(actor.organization_id)
    account = lookups.refer(Account, organization.id, given["account_id"], "accountId")
    amount = money_at(given["amount"], organization.base_currency, "amount")
    is_attested = given["kind"] == ATTESTED
    what = f"{amount} of {account.name} at {given['as_of']:%-d %b %Y}"
    title = f"Attested {what}" if is_attested else f"Explained {what}"
    payload = jsonable(given)
    with act(
        actor, now, "write_balance_note", ("account", account.id), title=title, payload=payload
    ) as doing:
        missing = ["documentId"] if is_attested and given["document_id"] is None else []
        if not is_attested:
            needed = {"owner": given["owner"], "reversesBy": given["reverses_by"]}
            missing = [name for name, value in needed.items() if not value]
        if missing:
            raise ExplanationError(fields={each: [str(ExplanationError.__doc__)] for each in missing})
        if given["document_id"] is not None:
            lookups.refer(Document, organization.id, given["document_id"], "documentId")
        made = BalanceNote(
            organization_id=organization.id,
            account_id=account.id,
            as_of=given["as_of"],
            kind=given["kind"],
            amount_minor=amount.minor,
            text=given["text"],
            owner=given["owner"],
            reverses_by=None if is_attested else given["reverses_by"],
            document_id=given["document_id"],
            created_at=now,
        )
        db.session.add(made)
        db.session.flush()
        doing.after = payload
    return made


def withdraw(note: BalanceNote, *, actor: Actor, now: datetime) -> BalanceNote:
    """Withdraw what was attested or explained; it stays in the history."""
    account = lookups.get(Account, note.organization_id, note.account_id)
    title = f"Withdrew what was said of {account.name} at {note.as_of:%-d %b %Y}"
    with act(actor, now, "withdraw_balance_note", ("account", account.id), title=title) as doing:
        if note.withdrawn_at is not None:
            raise WithdrawnError
        note.withdrawn_at = now
        db.session.flush()
        doing.after = {"id": note.id, "withdrawn": True}
    return note


def set_materiality(organization: Organization, amount: Decimal, *, actor: Actor, now: datetime) -> Money:
    """Set up to which size explanations need no approver."""
    materiality = money_at(amount, organization.base_currency, "materiality")
    title = f"Set the materiality to {materiality}"
    target = ("organization", organization.id)
    payload = {"materiality": str(materiality)}
    with act(actor, now, "set_materiality", target, title=title, payload=payload) as doing:
        if materiality.minor < 0:
            raise ExplanationError(
                "The materiality is not below zero.", fields={"materiality": ["Not below zero."]}
            )
        if materiality.minor == organization.materiality_minor:
            doing.nothing_to_do()
            return materiality
        doing.before = {"materiality": str(Money(organization.materiality_minor, organization.base_currency))}
        organization.materiality_minor = materiality.minor
        db.session.flush()
        doing.after = {**payload}
    return materiality
