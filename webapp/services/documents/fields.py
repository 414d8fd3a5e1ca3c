"""The fields of a document: what it says of itself, and what somebody chose for it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from hashlib import sha256
from typing import Any, Final

from webapp.ledger.canonical import camel
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.money import Money
from webapp.ledger.rules.effects import EffectKind
from webapp.ledger.rules.line_outcomes import other_currency
from webapp.models import Account, Document, Merchant, Project
from webapp.models.base import Numbered
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.rule_decisions import compiled_rules
from webapp.services.rules import document_rules

PLAIN: Final = ("document_type", "number", "issued_on", "sender", "text", "file_name")
AMOUNTS: Final = ("net", "tax", "total")
# What a document says of itself; the rest is chosen for it.
GIVEN: Final = frozenset({*PLAIN, *AMOUNTS, "currency"})
CHOICES: Final[Mapping[str, tuple[EffectKind, type[Numbered]]]] = {
    "account_id": (EffectKind.SET_ACCOUNT, Account),
    "org_merchant_id": (EffectKind.SET_MERCHANT, Merchant),
    "project_id": (EffectKind.SET_PROJECT, Project),
}
SHOWN: Final = (*PLAIN, *AMOUNTS, "currency", *CHOICES, "file_type", "file_size", "sha256")
LONGEST_TEXT_TOLD: Final = 200


class DocumentAccountError(UnprocessableError):
    """An entry of this document could not go to that account; choose another one."""

    code = "document_account"


def write(document: Document, said: Mapping[str, Any]) -> set[str]:
    """Write what was said into a document; answers the kinds of effects that somebody chose the value of by hand.

    Raises UnknownReferenceError, DocumentAccountError, or what an amount that its currency cannot hold raises.
    """
    by_hand = _chosen_by_hand(document, said)
    for name in PLAIN:
        if name in said:
            setattr(document, name, said[name])
    _write_amounts(document, said)
    for name, (_, model) in CHOICES.items():
        if name in said:
            if said[name] is not None:
                lookups.refer(model, document.organization_id, said[name], camel(name))
            setattr(document, name, said[name])
    if said.get("account_id") is not None:
        _check_account(document)
    document.chosen = sorted({*document.chosen, *by_hand})
    return by_hand


def facts(document: Document) -> dict[str, Any]:
    """Give what a document says, for the audit trail."""
    return told({name: getattr(document, name) for name in SHOWN})


def given(facts_: Mapping[str, Any]) -> dict[str, Any]:
    """Give what the document itself says out of its facts."""
    return {camel(name): facts_[camel(name)] for name in GIVEN}


def told(said: Mapping[str, Any]) -> dict[str, Any]:
    """Write fields in JSON for the audit trail; a long text by its beginning and its digest."""
    return {camel(name): _told(value) for name, value in said.items()}


def _told(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONGEST_TEXT_TOLD:
        digest = sha256(value.encode()).hexdigest()
        return f"{value[:LONGEST_TEXT_TOLD]}… ({len(value):,} characters, SHA-256 {digest})"
    return value if value is None or isinstance(value, (str, int)) else str(value)


def _chosen_by_hand(document: Document, said: Mapping[str, Any]) -> set[str]:
    """Tell what somebody chooses here, which no rule sets from then on; to agree with a rule is no choice.

    A currency is what the document says, and only a choice where it contradicts what a rule has set.
    """
    chosen = {
        kind.value
        for name, (kind, _) in CHOICES.items()
        if name in said and said[name] != getattr(document, name)
    }
    if document.id is not None and said.get("currency", document.currency) != document.currency:
        set_by_rules = {each.kind for each in document_rules.standing(document)}
        chosen |= {EffectKind.SET_CURRENCY.value} & set_by_rules
    return chosen


def _write_amounts(document: Document, said: Mapping[str, Any]) -> None:
    """Write the amounts in the document's currency; where it names none, they are in the base currency."""
    amounts: dict[str, Decimal | None] = {}
    for name in AMOUNTS:
        stands: Money | None = getattr(document, name)
        amounts[name] = said.get(name, None if stands is None else stands.decimal)
    # Who sends the currency back that a rule has set says nothing about what the document itself says.
    if "currency" in said and said["currency"] != document.currency:
        document.given_currency = document.currency = said["currency"]
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
