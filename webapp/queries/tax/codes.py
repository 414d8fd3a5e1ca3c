"""Queries on tax codes."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Protocol

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import AccountType, Role
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.tax.packs import UNTAXED
from webapp.ledger.tax.rules import TaxRule
from webapp.ledger.texts.legible import cited
from webapp.models import Account, Organization, TaxCode
from webapp.models.base import table_of
from webapp.queries.common import lookups
from webapp.queries.common.made_once import made_once
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.tax import packs, rates

BY_CODE = Order((TaxCode.code, TaxCode.id), ascends=True)  # type: ignore[arg-type]


class CodedAccount(Protocol):
    """What decides whether a tax code fits an account."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def type(self) -> str: ...  # noqa: D102
    @property
    def role(self) -> str | None: ...  # noqa: D102
    @property
    def keeps_items(self) -> bool: ...  # noqa: D102


class TaxCodeUnfitError(UnprocessableError):
    """This tax code is not for this; choose another one."""

    code = "tax_code"


def get(organization_id: str, code_id: int) -> TaxCode:
    """Find a code, or raise NotFoundError."""
    return lookups.get(TaxCode, organization_id, code_id)


def listed(
    organization_id: str,
    *,
    side: str | None = None,
    archived: bool | None = None,
    ids: Sequence[int] = (),
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[TaxCode]:
    """List codes A to Z, all, of one side, or some."""
    statement = sa.select(TaxCode).where(TaxCode.organization_id == organization_id)
    if side is not None:
        statement = statement.where(TaxCode.side == side)
    if archived is not None:
        statement = statement.where(TaxCode.is_archived.is_(archived))
    if ids:
        statement = statement.where(TaxCode.id.in_(ids))
    return page(statement, BY_CODE, after=after, limit=limit)


def in_use(organization_id: str, chosen: Iterable[int | None] = ()) -> Sequence[TaxCode]:
    """List the codes that pages offer, A to Z, with those that are `chosen` already."""
    ids = [each for each in chosen if each is not None]
    return db.session.scalars(*_in_use(organization_id, ids)).all()


@made_once
def _in_use(organization_id: str, ids: Sequence[int]) -> sa.Select[TaxCode]:
    offered = sa.or_(TaxCode.is_archived.is_(False), TaxCode.id.in_(ids))
    return (
        sa.select(TaxCode).where(TaxCode.organization_id == organization_id, offered).order_by(TaxCode.code)
    )


def of_breakdown(
    organization_id: str, side: str, rows: Iterable[tuple[str | None, Decimal | None]], *, is_abroad: bool
) -> list[int | None]:
    """Find the code that each row of an invoice's breakdown most likely has, None where none fits.

    A row is its category (UNCL 5305) and rate. A code has both, or else the rate alone; of those that fit, one of the
    basis of the books comes first, then the first one of the pack.
    """
    offered = [each for each in in_use(organization_id) if each.side == side and each.amount_is == "BASE"]
    bases = {pack.name: pack.basis for pack in packs.all_installed(organization_id)}
    ordered = sorted(
        offered, key=lambda each: (each.basis != bases.get(each.pack or "", each.basis), each.id)
    )

    def code_of(category: str | None, rate: Decimal | None) -> int | None:
        stated = [each for each in ordered if _is_of(each, category, rate, is_abroad=is_abroad)]
        if not stated and category not in UNTAXED:
            stated = [each for each in ordered if each.rate == rate and not each.is_self_assessed]
        return stated[0].id if stated else None

    return [code_of(*row) for row in rows]


def _is_of(code: TaxCode, category: str | None, rate: Decimal | None, *, is_abroad: bool) -> bool:
    """Return whether the pack of a code says that it is of a category and rate."""
    offered = packs.content(code.pack).codes_by(code.basis) if code.pack in packs.NAMES else ()
    return any(each.code == code.code and each.is_of(category, rate, is_abroad=is_abroad) for each in offered)


def taken(organization_id: str, codes: Iterable[str]) -> list[str]:
    """List those of some codes that the books have, A to Z."""
    statement = sa.select(TaxCode.code).where(
        TaxCode.organization_id == organization_id, TaxCode.code.in_([*codes])
    )
    return list(db.session.scalars(statement.order_by(TaxCode.code)))


def unfit(
    code: TaxCode, account: CodedAccount, tax_point: date | None, *, is_known: bool = False
) -> str | None:
    """Return the reason why a posting on an account cannot have a code, None where it can.

    A code that `is_known` follows what has it already, valid or not. Without a tax point its days are not asked.
    """
    if code.is_archived and not is_known:
        return f"The tax code {code.code} is archived; choose another one."
    if not is_known and tax_point is not None and not _is_valid(code, tax_point):
        return f"The tax code {code.code} is not valid on {tax_point:%-d %b %Y}."
    if code.side == "PURCHASE" and account.type == AccountType.INCOME:
        return f"{code.code} is a tax code of purchases, and {cited(account.name)} is income."
    return None


def unfit_for_whole(code: TaxCode, account: CodedAccount, tax_point: date | None = None) -> str | None:
    """Return the reason why a bank line as a whole cannot have a code on an account, None where it can."""
    if code.amount_is == "TAX":
        return f"All of an amount with the tax code {code.code} is tax; enter it by hand."
    if takes_none(account) or account.keeps_items:
        return of_none(account)
    return unfit(code, account, tax_point)


class LineCodes:
    """Tax codes of books for their bank lines, read once for any number of lines.

    The rows belong to no session, so that they outlast the snapshot that they were read in. `rules` and `accounts` are
    by code and by role; where all accounts of the books are known, those of taxes are among them.
    """

    def __init__(self, organization: Organization, known: Mapping[int, CodedAccount] | None = None) -> None:
        self._organization_id, self._base_currency = organization.id, organization.base_currency
        self._codes: dict[int, TaxCode] = {}
        self._days: dict[int, tuple[date, date]] = {}
        self._starts: dict[str, date] = {}
        self._known = known
        self.rules: dict[int, TaxRule] = {}
        self.accounts: dict[str, int] = {}

    def read(self, code_ids: Collection[int]) -> None:
        """Read codes that are not read yet; what is asked of others is read then."""
        missing = sorted(set(code_ids) - self._codes.keys())
        if not missing:
            return
        if not self._codes:
            self._starts = packs.first_days(self._organization_id)
            self.accounts = (
                packs.account_ids(self._organization_id)
                if self._known is None
                else packs.of_taxes({account_id: each.role for account_id, each in self._known.items()})
            )
        found = db.session.execute(*_columns(self._organization_id, missing))
        self._codes |= {each["id"]: TaxCode(**each) for each in found.mappings()}
        self.rules = {code_id: each.rule for code_id, each in self._codes.items()}
        self._days = {code_id: self._days_of(each) for code_id, each in self._codes.items()}

    def _days_of(self, code: TaxCode) -> tuple[date, date]:
        """Return the first and the last day on which a code is valid and its boxes are in the books."""
        forms = {box.form for share in self.rules[code.id].shares for box in share.boxes}
        starts = [self._starts[form] for form in forms & self._starts.keys()]
        return max([code.valid_from or date.min, *starts]), code.valid_to or date.max

    def is_any_day(self, code_id: int, currency: str, tax_point: date) -> bool:
        """Return whether neither this day nor a rate forbids a code that was read, so that it fits as on its others."""
        first, last = self._days.get(code_id, (date.max, date.min))
        return first <= tax_point <= last and currency == self._base_currency

    def unfit(self, code_id: int, account: CodedAccount, currency: str, tax_point: date) -> str | None:
        """Return the reason why a bank line cannot have a code on an account, None where it can."""
        self.read([code_id])
        code, rule = self._codes.get(code_id), self.rules.get(code_id)
        if code is None or rule is None:
            return "This tax code no longer exists."
        if any(
            self._starts.get(box.form, tax_point) > tax_point for share in rule.shares for box in share.boxes
        ):
            return f"The books have taxes from a later day than {tax_point:%-d %b %Y} on."
        if any(share.role is not None and share.role not in self.accounts for share in rule.shares):
            return packs.NoTaxAccountError.__doc__
        is_foreign = currency != self._base_currency
        if is_foreign and rates.on(self._organization_id, currency, tax_point) is None:
            return f"There is no tax rate of {currency} for {tax_point:%-d %b %Y}."
        return unfit_for_whole(code, account, tax_point)


@made_once
def _columns(organization_id: str, code_ids: Sequence[int]) -> sa.Select[Any]:
    table = table_of(TaxCode)
    return sa.select(table).where(table.c.organization_id == organization_id, table.c.id.in_(code_ids))


def of_account(organization: Organization, account_id: int, currency: str, day: date) -> int | None:
    """Give the code that a bank line of a day gets with an account, None where there is none or it does not fit."""
    account = lookups.by_id(Account, organization.id, [account_id]).get(account_id)
    code_id = account.tax_code_id if account else None
    if account is None or code_id is None:
        return None
    return None if LineCodes(organization).unfit(code_id, account, currency, day) else code_id


def takes_none(account: CodedAccount) -> bool:
    """Return whether no code belongs to an account because it is of the books' own, of taxes, or equity."""
    return account.role in (Role.TRANSFERS, *packs.ROLES) or account.type == AccountType.EQUITY


def of_none(account: CodedAccount) -> str:
    """Return the sentence for an account that no code belongs to."""
    return f"A tax code belongs to income, expenses or what is bought, not to {cited(account.name)}."


def _is_valid(code: TaxCode, tax_point: date) -> bool:
    """Return whether a code is for supplies of a day."""
    return (code.valid_from is None or code.valid_from <= tax_point) and (
        code.valid_to is None or tax_point <= code.valid_to
    )
