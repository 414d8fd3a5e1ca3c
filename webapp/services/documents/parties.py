"""The merchant of an e-invoice: recognised by what it states of the other party, made of it, and known by it later."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final, cast

from webapp.database.sessions import db
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.journal.transfer_sides import compact
from webapp.models import Document, Merchant
from webapp.queries.accounts import merchants
from webapp.queries.accounts.merchants import PartyMarks
from webapp.queries.documents.parties import other_party
from webapp.services.accounts import merchants as merchant_acts
from webapp.services.accounts.merchants import MerchantChanges
from webapp.services.audit.act import Actor

# What a merchant is known by: its column, what the other party states, and the name in the audit trail.
MARKS: Final = (("vat_ids", "vat_id", "merchantVatId"), ("ibans", "iban", "merchantIban"))
LEARNT: Final = frozenset(learnt for _, _, learnt in MARKS)


class NoPartyError(UnprocessableError):
    """The document names no sender; enter it first."""

    code = "no_party"


def recognise(organization_id: str, documents: Iterable[Document]) -> None:
    """Let documents have the one merchant that their e-invoice fits; where several do, somebody chooses."""
    parties = [
        (document, PartyMarks(party.vat_id, party.iban, party.name))
        for document in documents
        if document.invoice is not None
        if (party := other_party(document)) is not None
    ]
    known = merchants.recognised(organization_id, {marks for _, marks in parties})
    for document, marks in parties:
        if len(known[marks]) == 1:
            document.org_merchant_id = known[marks][0].id


def fitting(document: Document) -> list[Merchant]:
    """List the merchants that a document's party fits: none, one, or several that somebody chooses from."""
    party = other_party(document)
    if party is None:
        return []
    marks = PartyMarks(party.vat_id, party.iban, party.name)
    return merchants.recognised(document.organization_id, [marks])[marks]


def learn(document: Document) -> dict[str, object]:
    """Let the merchant that somebody chose be known by the VAT id and the account on the invoice.

    What another merchant is known by stays with that one. Answers what is new, for the audit trail.
    """
    party = other_party(document) if document.invoice is not None else None
    if party is None or document.org_merchant_id is None:
        return {}
    merchant = merchants.get(document.organization_id, document.org_merchant_id)
    learnt: dict[str, object] = {}
    for column, key, name in MARKS:
        mark: str | None = getattr(party, key)
        asked = PartyMarks(**{key: mark})
        if mark and not merchants.recognised(document.organization_id, [asked])[asked]:
            setattr(merchant, column, [*getattr(merchant, column), compact(mark)])
            learnt[name] = compact(mark)
    db.session.flush()
    return learnt


def forget(merchant: Merchant, learnt: Mapping[str, object], *, actor: Actor, now: datetime) -> None:
    """Let a merchant no longer be known by what it learnt of a document, as far as it still is."""
    changes = {
        column: [each for each in getattr(merchant, column) if each != learnt[name]]
        for column, _, name in MARKS
        if learnt.get(name) in getattr(merchant, column)
    }
    if changes:
        merchant_acts.update(merchant, cast("MerchantChanges", changes), actor=actor, now=now)


def make(document: Document, *, actor: Actor, now: datetime) -> Merchant:
    """Make the merchant of a document, known by its VAT id and its account; raises NoPartyError."""
    party = other_party(document)
    if party is None or not party.name:
        raise NoPartyError
    return merchant_acts.create(
        name=party.name,
        vat_ids=[compact(party.vat_id)] if party.vat_id else [],
        ibans=[compact(party.iban)] if party.iban else [],
        actor=actor,
        now=now,
    )
