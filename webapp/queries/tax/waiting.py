"""Taxes that wait for money and taxes of advances: what each item has left of them, and the accounts of these."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.tax.parts import APPLIED, MONEY, SHORT
from webapp.ledger.tax.rules import ADVANCES, WAITING, tax_legs
from webapp.models import (
    JournalEntry,
    Merchant,
    OwedItem,
    Posting,
    TaxCode,
    TaxPart,
    refers_to,
)
from webapp.queries.access import organizations
from webapp.queries.accounts.balances import NOTHING, of_accounts
from webapp.queries.common import lookups
from webapp.queries.common.portions import portions
from webapp.queries.tax import packs
from webapp.queries.tax.parts import IS_ITEM, ItemTax, of_entries

# By what stands on the accounts.
ROLES: Final = (*WAITING.values(), ADVANCES)


@dataclass(frozen=True, slots=True)
class WaitingTax:
    """What an item has left of a tax: debit positive, as it stands on the account."""

    journal_entry_id: int
    tax_point: date
    description: str
    party: str | None
    tax_code_id: int
    code: str
    amount: Money


@dataclass(frozen=True, slots=True)
class WaitingAccount:
    """An account of taxes that wait or of advances: its balance, and what the items have left, which is the same."""

    role: str
    account_id: int
    account_name: str
    balance: Money
    total: Money
    items: Sequence[WaitingTax]

    @property
    def ties(self) -> bool:
        """Whether the account has what the items have left."""
        return self.balance == self.total


def listed(organization_id: str) -> list[WaitingAccount]:
    """List the accounts of taxes that wait and of advances, with what each item has left, oldest first."""
    accounts, base = packs.accounts(organization_id), organizations.get(organization_id).base_currency
    rows = _rows(organization_id, base) if any(role in accounts for role in ROLES) else {}
    balances = of_accounts(organization_id, [accounts[role].id for role in ROLES if role in accounts])
    found = []
    for role in ROLES:
        if role in accounts:
            items = sorted(rows.get(role, ()), key=lambda each: (each.tax_point, each.journal_entry_id))
            total = sum(each.amount.minor for each in items)
            account = accounts[role]
            found.append(
                WaitingAccount(
                    role,
                    account.id,
                    account.name,
                    Money(balances.get(account.id, NOTHING).amount_base_minor, base),
                    Money(total, base),
                    items,
                )
            )
    return found


def sums(organization_id: str) -> Counter[str]:
    """Add up what items have left of taxes that wait and of advances, debit positive."""
    found: Counter[str] = Counter()
    for (role, _, _), minor in _left(_taxed(organization_id), _codes(organization_id), organization_id):
        found[role] += minor
    return found


def _rows(organization_id: str, base: str) -> dict[str, list[WaitingTax]]:
    taxed, codes = _taxed(organization_id), _codes(organization_id)
    left: Counter[tuple[str, int, int]] = Counter()
    for key, minor in _left(taxed, codes, organization_id):
        left[key] += minor
    entries = {entry_id for (_, entry_id, _), minor in left.items() if minor}
    described = lookups.by_id(JournalEntry, organization_id, entries)
    parties = _parties(organization_id, entries)
    found: dict[str, list[WaitingTax]] = {}
    for (role, entry_id, code_id), minor in left.items():
        if minor:
            found.setdefault(role, []).append(
                WaitingTax(
                    entry_id,
                    taxed[entry_id].tax_point,
                    described[entry_id].description,
                    parties.get(entry_id),
                    code_id,
                    codes[code_id].code,
                    Money(minor, base),
                )
            )
    return found


def _left(
    taxed: Mapping[int, ItemTax], codes: Mapping[int, TaxCode], organization_id: str
) -> Iterator[tuple[tuple[str, int, int], int]]:
    """Yield what items have of taxes, and below zero what their parts had, by role, entry and code."""
    for entry_id, item in taxed.items():
        for code_id, figures in item.wholes.items():
            waits = _waiting_of(codes[code_id], figures.tax_minor, is_advance=item.is_advance)
            yield from (((role, entry_id, code_id), minor) for role, minor in waits.items())
    had = sa.select(TaxPart).where(
        TaxPart.organization_id == organization_id, TaxPart.kind.in_((MONEY, *SHORT, APPLIED))
    )
    for part in db.session.scalars(had):
        code = codes[part.tax_code_id]
        waits = _waiting_of(code, part.tax_minor, is_advance=part.kind == APPLIED)
        yield from (((role, part.journal_entry_id, code.id), -minor) for role, minor in waits.items())


def _taxed(organization_id: str) -> dict[int, ItemTax]:
    coded = sa.select(sa.func.coalesce(JournalEntry.corrects_id, JournalEntry.id)).where(
        JournalEntry.organization_id == organization_id,
        *IS_ITEM,
        sa.exists().where(
            refers_to(Posting.journal_entry_id, JournalEntry), Posting.tax_code_id.is_not(None)
        ),
    )
    roots = sorted({*db.session.scalars(coded)})
    return {
        root: item
        for portion in portions(roots)
        for root, item in of_entries(organization_id, portion).items()
    }


def _codes(organization_id: str) -> dict[int, TaxCode]:
    found = db.session.scalars(sa.select(TaxCode).where(TaxCode.organization_id == organization_id))
    return {each.id: each for each in found}


def _waiting_of(code: TaxCode, tax_minor: int, *, is_advance: bool) -> dict[str, int]:
    whole = sum(leg.amount_minor for leg in tax_legs(code.rule, tax_minor))
    if is_advance:
        return {ADVANCES: -whole}
    return {WAITING[code.side]: whole} if code.rule.waits else {}


def _parties(organization_id: str, entries: set[int]) -> dict[int, str | None]:
    """Find by entry who owes its items, or to whom they are owed."""
    columns: list[Any] = [OwedItem.journal_entry_id, Merchant.name]
    statement = (
        sa.select(*columns)
        .outerjoin(Merchant, refers_to(OwedItem.org_merchant_id, Merchant))
        .where(OwedItem.organization_id == organization_id)
    )
    return {
        entry_id: name
        for ids in portions(sorted(entries))
        for entry_id, name in db.session.execute(statement.where(OwedItem.journal_entry_id.in_(ids)))
    }
