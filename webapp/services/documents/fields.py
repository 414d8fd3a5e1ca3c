"""The fields of a document: its own ones, and those that somebody chose for it."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from hashlib import sha256
from typing import Any, Final, TypedDict

from webapp.ledger.canonical import camel
from webapp.ledger.dimensions import count_alike
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.money import Money
from webapp.ledger.references import Kind, Ref
from webapp.ledger.rules.effects import EffectKind
from webapp.ledger.rules.line_outcomes import other_currency
from webapp.models import Account, Document, Merchant, Project
from webapp.models.base import Numbered
from webapp.queries.access import organizations
from webapp.queries.common import lookups, merchants
from webapp.queries.rules import compiled_rules
from webapp.services.rules import document_rules

PLAIN: Final = (
    *("document_type", "side", "number", "issued_on", "due_on", "received_on", "sender", "text", "file_name"),
)
AMOUNTS: Final = ("net", "tax", "total")
# What is written on a document; the rest is chosen for it.
OWN_FIELDS: Final = frozenset({*PLAIN, *AMOUNTS, "currency"})
CHOICES: Final[Mapping[str, tuple[EffectKind, type[Numbered]]]] = {
    "account_id": (EffectKind.SET_ACCOUNT, Account),
    "org_merchant_id": (EffectKind.SET_MERCHANT, Merchant),
    "project_id": (EffectKind.SET_PROJECT, Project),
}
KINDS: Final[Mapping[str, Kind]] = {
    "account_id": Kind.ACCOUNT,
    "org_merchant_id": Kind.MERCHANT,
    "project_id": Kind.PROJECT,
}
SHOWN: Final = (*PLAIN, *AMOUNTS, "currency", *CHOICES, "file_type", "file_size", "sha256")
LONGEST_TEXT: Final = 200


class DocumentInput(TypedDict, total=False):
    """The fields of a document that were sent; what is not sent stays, or is unknown."""

    document_type: str
    side: str | None
    number: str | None
    issued_on: date | None
    due_on: date | None
    received_on: date | None
    sender: str | None
    currency: str | None
    net: Decimal | None
    tax: Decimal | None
    total: Decimal | None
    text: str | None
    file_name: str | None
    account_id: int | None
    org_merchant_id: int | None
    project_id: int | None


class DocumentAccountError(UnprocessableError):
    """An entry of this document cannot be posted to that account; choose another one."""

    code = "document_account"


def write(document: Document, content: DocumentInput) -> set[str]:
    """Write fields of a document; answers the kinds of effects whose value somebody chose by hand.

    Raises UnknownReferenceError, DocumentAccountError, or what an amount that its currency cannot hold raises.
    """
    sent: Mapping[str, Any] = _with_present_merchant(document, content)
    by_hand = _chosen_by_hand(document, sent)
    for name in PLAIN:
        if name in sent:
            setattr(document, name, sent[name])
    _write_amounts(document, sent)
    for name, (_, model) in CHOICES.items():
        if name in sent:
            if sent[name] is not None:
                lookups.refer(model, document.organization_id, sent[name], camel(name))
            setattr(document, name, sent[name])
    if content.get("account_id") is not None:
        _check_account(document)
    document.set_by_hand = sorted({*document.set_by_hand, *by_hand})
    return by_hand


def _with_present_merchant(document: Document, content: DocumentInput) -> Mapping[str, Any]:
    """Give fields with the merchant that a document has, where the one that was sent counts as the same."""
    present, wanted = document.org_merchant_id, content.get("org_merchant_id")
    if present is None or wanted is None:
        return content
    is_same = count_alike(present, wanted, merchants.merged(document.organization_id))
    return {**content, "org_merchant_id": present} if is_same else content


def facts(document: Document) -> dict[str, object]:
    """Give the fields of a document as JSON, for the audit trail."""
    return as_json({name: getattr(document, name) for name in SHOWN})


def own_facts(facts_: Mapping[str, object]) -> dict[str, object]:
    """Give the document's own fields out of its facts."""
    return {camel(name): facts_[camel(name)] for name in OWN_FIELDS}


def as_json(content: Mapping[str, object]) -> dict[str, object]:
    """Give fields as JSON for the audit trail; a long text by its beginning and its digest."""
    return {camel(name): _value_as_json(name, value) for name, value in content.items()}


def _value_as_json(name: str, value: Any) -> str | int | None:
    if name in KINDS:
        return Ref.optional(KINDS[name], value)
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        digest = sha256(value.encode()).hexdigest()
        return f"{value[:LONGEST_TEXT]}… ({len(value):,} characters, SHA-256 {digest})"
    return value if value is None or isinstance(value, (str, int)) else str(value)


def _chosen_by_hand(document: Document, sent: Mapping[str, Any]) -> set[str]:
    """Find what somebody chooses, which no rule sets from then on; to agree with a rule is no choice.

    A currency is written on the document, and only a choice where it contradicts what a rule has set.
    """
    chosen = {
        kind.value
        for name, (kind, _) in CHOICES.items()
        if name in sent and sent[name] != getattr(document, name)
    }
    if document.id is not None and sent.get("currency", document.currency) != document.currency:
        set_by_rules = {each.kind for each in document_rules.current_settings(document)}
        chosen |= {EffectKind.SET_CURRENCY.value} & set_by_rules
    return chosen


def _write_amounts(document: Document, sent: Mapping[str, Any]) -> None:
    """Write the amounts in the document's currency; where it names none, they are in the base currency."""
    amounts: dict[str, Decimal | None] = {}
    for name in AMOUNTS:
        stored: Money | None = getattr(document, name)
        amounts[name] = sent.get(name, None if stored is None else stored.decimal)
    # A person who sends back the currency that a rule has set does not read it off the document.
    if "currency" in sent and sent["currency"] != document.currency:
        document.original_currency = document.currency = sent["currency"]
    if document.currency is None and any(amount is not None for amount in amounts.values()):
        document.currency = organizations.get(document.organization_id).base_currency
    for name, amount in amounts.items():
        setattr(document, f"{name}_minor", None if amount is None else _minor(name, amount, document))


def _minor(name: str, amount: Decimal, document: Document) -> int:
    try:
        return Money.of(amount, document.currency or "").minor
    except UnprocessableError as error:
        error.fields.setdefault(name, [str(error)])
        raise


def _check_account(document: Document) -> None:
    organization = organizations.get(document.organization_id)
    books = compiled_rules.books(organization)
    account_id = document.account_id or 0
    problem = books.accounts[account_id].closed
    if problem is None and document.currency is not None:
        problem = other_currency(account_id, document.currency, books)
    if problem is not None:
        raise DocumentAccountError(problem, fields={"accountId": [problem]})
