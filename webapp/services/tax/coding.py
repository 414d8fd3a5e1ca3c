"""Legs of tax codes: what somebody writes with a code becomes its base, with the legs of its tax behind all others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, NotRequired, TypedDict

from webapp.ledger.chart import AccountType, Role
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.journal.entries import Leg
from webapp.ledger.tax.amounts import CodedLine, coded_legs
from webapp.ledger.texts.legible import cited
from webapp.models import Account, Organization, TaxCode, TaxPack
from webapp.queries.accounts import accounts as ledger_accounts
from webapp.queries.common import lookups
from webapp.queries.tax import codes, packs


class TaxInput(TypedDict):
    """The tax of a posting or a split that somebody writes."""

    tax_code_id: NotRequired[int | None]
    tax_included: NotRequired[bool]
    tax_point: NotRequired[date | None]


class TaxCodeUnfitError(UnprocessableError):
    """This tax code is not for this; choose another one."""

    code = "tax_code"


class TaxAccountError(UnprocessableError):
    """A tax code belongs to income, expenses or what is bought, not to this account."""

    code = "tax_account"


class NoTaxHereError(UnprocessableError):
    """Entries of this kind have no taxes; leave the tax codes out."""

    code = "no_tax_here"


class BeforeStartError(LedgerError):
    """The books have taxes from a later day on; leave the tax code out."""

    code = "before_start"


class TaxRateMissingError(LedgerError):
    """There is no tax rate of this currency for the tax point."""

    code = "tax_rate_missing"


@dataclass(frozen=True, slots=True)
class _Coded:
    """A leg with a code: its place, the path of its input, and the day of its tax point."""

    place: int
    path: str
    code: TaxCode
    is_included: bool
    tax_point: date


def with_taxes(
    organization: Organization, legs: Sequence[Leg], inputs: Mapping[str, TaxInput], day: date
) -> list[Leg]:
    """Give legs with the taxes of their codes; `inputs` are by the path of each leg, in the order of legs.

    The tax of a code is rounded once for all its legs of one tax point, which share it. The tax point is `day`, unless
    one was written.
    """
    coded = _coded(organization, legs, inputs, day)
    if not coded:
        return list(legs)
    roles = packs.accounts(organization.id)
    starts: dict[str, TaxPack | None] = {}
    made, behind, gone = list(legs), [], set()
    for group in _groups(coded):
        code, tax_point = group[0].code, group[0].tax_point
        for each in group:
            _check(organization, each, legs[each.place], starts)
        rule = code.rule
        lines = [CodedLine(rule.sign * legs[each.place].amount_minor, each.is_included) for each in group]
        found = coded_legs(rule, lines)
        for each, base in zip(group, found.bases, strict=True):
            made[each.place] = replace(
                legs[each.place],
                amount_minor=base.amount_minor,
                tax_code_id=code.id,
                tax_point=tax_point,
                boxes=base.boxes,
            )
            if rule.is_all_tax:
                gone.add(each.place)
        behind += [
            Leg(
                roles[tax.role].id,
                tax.amount_minor,
                organization.base_currency,
                tax_code_id=code.id,
                tax_point=tax_point,
                boxes=tax.boxes,
            )
            for tax in found.taxes
            if tax.amount_minor
        ]
    return [*(leg for place, leg in enumerate(made) if place not in gone), *behind]


def kept(legs: Sequence[Leg], inputs: Sequence[Mapping[str, Any]], present: Sequence[Leg]) -> list[Leg]:
    """Give legs with the taxes of present ones, where nothing is said of taxes and all amounts are as they were.

    A page that saves an entry names no codes. With other amounts the boxes would be wrong, and the codes go.
    """

    def amounts(of: Sequence[Leg]) -> list[tuple[int, int, str]]:
        return [(leg.account_id, leg.amount_minor, leg.currency) for leg in of]

    if any("tax_code_id" in each for each in inputs) or amounts(legs) != amounts(present):
        return list(legs)
    return [
        replace(leg, tax_code_id=was.tax_code_id, tax_point=was.tax_point, boxes=was.boxes)
        for leg, was in zip(legs, present, strict=True)
    ]


def _coded(
    organization: Organization, legs: Sequence[Leg], inputs: Mapping[str, TaxInput], day: date
) -> list[_Coded]:
    found = []
    for place, ((path, each), _) in enumerate(zip(inputs.items(), legs, strict=True)):
        code_id = each.get("tax_code_id")
        if code_id is not None:
            code = lookups.refer(TaxCode, organization.id, code_id, f"{path}.taxCodeId")
            tax_point = each.get("tax_point") or day
            found.append(_Coded(place, path, code, each.get("tax_included", True), tax_point))
    return found


def _groups(coded: Sequence[_Coded]) -> list[list[_Coded]]:
    groups: dict[tuple[int, date], list[_Coded]] = {}
    for each in coded:
        groups.setdefault((each.code.id, each.tax_point), []).append(each)
    return list(groups.values())


def _check(organization: Organization, coded: _Coded, leg: Leg, starts: dict[str, TaxPack | None]) -> None:
    """Refuse a code that is not for the day or the account, at its path."""
    code, path = coded.code, f"{coded.path}.taxCodeId"
    account = lookups.refer(Account, organization.id, leg.account_id, f"{coded.path}.accountId")
    sentence = None
    if code.is_archived:
        sentence = f"The tax code {code.code} is archived; choose another one."
    elif not codes.is_valid(code, coded.tax_point):
        sentence = f"The tax code {code.code} is not valid on {coded.tax_point:%-d %b %Y}."
    elif code.side == "PURCHASE" and account.type == AccountType.INCOME:
        sentence = f"{code.code} is a tax code of purchases, and {cited(account.name)} is income."
    if sentence:
        raise TaxCodeUnfitError(sentence, fields={path: [sentence]})
    if _is_closed(organization.id, account):
        sentence = f"A tax code belongs to income, expenses or what is bought, not to {cited(account.name)}."
        raise TaxAccountError(sentence, fields={path: [sentence]})
    if leg.currency != organization.base_currency:
        sentence = f"There is no tax rate of {leg.currency} for {coded.tax_point:%-d %b %Y}."
        raise TaxRateMissingError(sentence, fields={path: [sentence]})
    for form in {box.form for share in code.rule.shares for box in share.boxes}:
        if form not in starts:
            starts[form] = packs.installed(organization.id, form)
        pack = starts[form]
        if pack is not None and coded.tax_point < pack.starts_on:
            sentence = f"The books have taxes from {pack.starts_on:%-d %b %Y} on; leave the tax code out."
            raise BeforeStartError(sentence, fields={path: [sentence]})


def _is_closed(organization_id: str, account: Account) -> bool:
    """Return whether no code belongs to an account: a bank's, one of the books' own, of taxes, equity or items."""
    return (
        account.role in (Role.TRANSFERS, *packs.ROLES)
        or account.keeps_items
        or account.type == AccountType.EQUITY
        or ledger_accounts.feed_of(organization_id, account.id) is not None
    )
