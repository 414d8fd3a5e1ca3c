"""The likely account of lines that are on an uncategorised one, and of documents, with its reason."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import UNCATEGORISED
from webapp.ledger.matching.lines import BankLine
from webapp.ledger.suggestions.likely_accounts import Likely, likely
from webapp.ledger.suggestions.wording import sentence
from webapp.models import Account, Document
from webapp.queries.accounts.choice_names import ChoiceNames
from webapp.queries.common.made_once import made_once
from webapp.queries.documents.parties import is_paid_to_us, other_party
from webapp.queries.suggestions import confirmed_lines

MOST_IDS = 200


@dataclass(frozen=True, slots=True)
class LikelyAccount:
    """The likely account of a line: `count` of `total` of the newest confirmed lines like it are on it.

    A merchant and a project are set where all of these lines have the same. Where a rule says it, the rule is named
    and no lines are counted.
    """

    account_id: int
    account_name: str
    org_merchant_id: int | None
    merchant_name: str | None
    project_id: int | None
    project_name: str | None
    count: int
    total: int
    reason: str
    transaction_ids: list[int]
    rule_id: int | None = None
    rule_name: str | None = None


def of_lines(organization_id: str, lines: Sequence[Any]) -> dict[int, LikelyAccount]:
    """Give the likely accounts of booked, uncategorised lines, by their records, in a constant number of statements."""
    if not lines:
        return {}
    amounts = _of_directions({line.amount.minor < 0 for line in lines})
    book = confirmed_lines.newest(organization_id, amounts)
    found = likely(
        book,
        [
            BankLine(line.booked_on, line.amount.minor, line.description, line.counterparty, line.iban)
            for line in lines
        ],
    )
    names = ChoiceNames(organization_id, [each for each in found if each is not None])
    return {
        line.id: _record(each, names, book.lines)
        for line, each in zip(lines, found, strict=True)
        if each is not None
    }


def _of_directions(are_out: Collection[bool]) -> tuple[int, int]:
    """Bound the amounts of lines that may be alike: those of the same directions."""
    least, most = confirmed_lines.ALL_AMOUNTS
    return least if True in are_out else 0, most if False in are_out else -1


def of_document(document: Document) -> LikelyAccount | None:
    """Give the likely account of a document: of the confirmed lines of its other party, or with its text.

    None for none. Who sends our own invoices says nothing: that is the customer's to say.
    """
    party = other_party(document)
    name = None if party is None else party.name
    if not name and not document.text:
        return None
    sign = 1 if is_paid_to_us(document) else -1
    like = BankLine(document.issued_on or date.min, sign, document.text or "", name)
    book = confirmed_lines.newest(document.organization_id, _of_directions({sign < 0}))
    (found,) = likely(book, [like])
    return (
        None if found is None else _record(found, ChoiceNames(document.organization_id, [found]), book.lines)
    )


def _record(found: Likely, names: ChoiceNames, lines: Sequence[Any]) -> LikelyAccount:
    choice = names.of(found)
    return LikelyAccount(
        *choice,
        count=found.count,
        total=found.total,
        reason=sentence(found.count, found.total, found.conditions, choice.account_name),
        transaction_ids=[lines[place].id for place in found.places[:MOST_IDS]],
    )


def uncategorised_accounts(organization_id: str) -> frozenset[int]:
    """Give the ids of the uncategorised accounts."""
    return frozenset(db.session.scalars(*_uncategorised(organization_id)))


@made_once
def _uncategorised(organization_id: str) -> sa.Select[Any]:
    return sa.select(Account.id).where(
        Account.organization_id == organization_id, Account.role.in_(UNCATEGORISED)
    )
