"""The counter side of a line with a field as it was before a run of rules, where that is still possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.money import Money
from webapp.ledger.rates import unmirror
from webapp.ledger.rules.effects import EffectKind
from webapp.ledger.rules.line_outcomes import AccountFacts, Books, CounterLeg, in_base, in_line
from webapp.models import Organization, Project
from webapp.queries.access import organizations
from webapp.queries.currencies import exchange_rates
from webapp.queries.rules import compiled_rules
from webapp.queries.rules.candidates import CandidateLine


@dataclass(frozen=True, slots=True)
class RestorableBooks:
    """The books of a run, and the accounts and projects that fields may be restored to."""

    organization: Organization
    rules: Books
    projects: frozenset[int]

    @property
    def accounts(self) -> Mapping[int, AccountFacts]:
        """The accounts by their ids."""
        return self.rules.accounts

    @classmethod
    def of(cls, organization_id: str) -> RestorableBooks:
        """Read what is there now."""
        organization = organizations.get(organization_id)
        projects = db.session.scalars(sa.select(Project.id).where(Project.organization_id == organization.id))
        return cls(organization, compiled_rules.books(organization), frozenset(projects))


def restored(
    books: RestorableBooks, line: CandidateLine, side: CounterLeg, kind: EffectKind, before: str | None
) -> CounterLeg | None:
    """Return a side with one field as it was before; None where that is not possible any more."""
    match kind:
        case EffectKind.SET_ACCOUNT:
            facts = books.accounts.get(int(before or 0))
            if facts is None or facts.closed is not None:
                return None
            present = in_line(side, Money(line.amount_minor, line.currency), books.rules)
            put_back = present._replace(account_id=int(before or 0))
            is_set_in_currency = present.currency != line.currency
            return put_back if is_set_in_currency else in_base(put_back, books.rules)
        case EffectKind.SET_MERCHANT:
            return side._replace(merchant_id=None if before is None else int(before))
        case EffectKind.SET_PROJECT:
            project_id = None if before is None else int(before)
            is_there = project_id is None or project_id in books.projects
            return side._replace(project_id=project_id) if is_there else None
        case EffectKind.SET_TAX_CODE | EffectKind.SETTLE_BY_REFERENCE:
            number = None if before is None else int(before)
            is_code = kind is EffectKind.SET_TAX_CODE
            return side._replace(tax_code_id=number) if is_code else side._replace(item_id=number)
        case EffectKind.SET_CURRENCY:
            return _in_currency(books.organization, line, side, before or line.currency)


def _in_currency(
    organization: Organization, line: CandidateLine, side: CounterLeg, code: str
) -> CounterLeg | None:
    if code == line.currency:
        return side._replace(currency=code, amount_minor=-line.amount_minor)
    base = organization.base_currency
    rate = exchange_rates.rate_on(organization.id, code, base, line.booked_on)
    if side.amount_base_minor is None or (rate is None and code != base):
        return None
    try:
        amount = (
            side.amount_base_minor
            if rate is None or code == base
            else unmirror(side.amount_base_minor, base, code, rate)
        )
    except UnprocessableError:
        return None
    return side._replace(currency=code, amount_minor=amount)
