"""Legs of tax codes: what somebody writes with a code becomes its base, with the legs of its tax behind all others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Any, NotRequired, TypedDict

from webapp.ledger.chart import Role
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.journal.boxes import BASE, OF_ITEM, TAX, BoxAmount, Boxes, summed
from webapp.ledger.journal.entries import Leg
from webapp.ledger.money import Money, divided, money_at
from webapp.ledger.rates import Mirroring, mirroring
from webapp.ledger.tax.amounts import CodedLine, coded_legs
from webapp.ledger.tax.parts import TaxFigures
from webapp.ledger.tax.rules import ADVANCES, WAITING, TaxLeg
from webapp.ledger.texts.legible import cited
from webapp.models import Account, Organization, TaxCode, TaxPack
from webapp.queries.accounts import accounts as ledger_accounts
from webapp.queries.common import lookups
from webapp.queries.tax import codes, packs, rates
from webapp.services.audit import updates


class TaxInput(TypedDict):
    """The tax of a posting or a split that somebody writes."""

    tax_code_id: NotRequired[int | None]
    tax_included: NotRequired[bool]
    tax_point: NotRequired[date | None]
    tax: NotRequired[Decimal | None]
    tax_base: NotRequired[Decimal | None]


class TaxAccountError(UnprocessableError):
    """A tax code belongs to income, expenses or what is bought, not to this account."""

    code = "tax_account"


class TaxOnSettlementError(UnprocessableError):
    """What settles an item has the taxes of that item; leave the tax code out."""

    code = "tax_on_settlement"


class NoTaxHereError(UnprocessableError):
    """Entries of this kind have no taxes; leave the tax codes out."""

    code = "no_tax_here"


class BeforeStartError(LedgerError):
    """The books have taxes from a later day on; leave the tax out, or send `late` if it is to enter a return."""

    code = "before_start"


class TaxRateMissingError(LedgerError):
    """There is no tax rate of this currency for the tax point."""

    code = "tax_rate_missing"


@dataclass(slots=True)
class _Coded:
    """A leg with a code: its place, the path of its input, and the day of its tax point."""

    place: int
    path: str
    code: TaxCode
    is_included: bool
    tax_point: date
    tax_minor: int | None = None
    base_tax_minor: int | None = None
    is_advance: bool = False
    is_opening: bool = False

    @property
    def sign(self) -> int:
        """The sign of its leg on an invoice: what was owed before the books had taxes stands on the control account."""
        is_control = self.is_opening and not self.is_advance
        return -self.code.rule.sign if is_control else self.code.rule.sign


def with_taxes(
    organization: Organization,
    legs: Sequence[Leg],
    inputs: Mapping[str, TaxInput],
    day: date,
    known_codes: frozenset[int] = frozenset(),
    *,
    takes_opening: bool = False,
) -> list[Leg]:
    """Give legs with the taxes of their codes; `inputs` are by the path of each leg, in the order of legs.

    The tax of a code is rounded once for all its legs of one tax point, which share it. The tax point is `day`, unless
    one was written. What follows an invoice takes its `known_codes`, valid or not. With `takes_opening` what was owed
    before the books had taxes brings its codes: they are on its control legs, and in no box.
    """
    coded = _coded(organization, legs, inputs, day)
    if not coded:
        return list(legs)
    starts: dict[str, TaxPack | None] = {}
    roles = packs.accounts(organization.id)
    contra = roles[ADVANCES].id if ADVANCES in roles else None
    has_contra = any(leg.account_id == contra for leg in legs)
    for each in coded:
        if takes_opening and _is_opening(organization, each, legs[each.place], starts):
            each.is_opening, each.is_included, each.is_advance = True, True, has_contra
        _check(organization, each, legs[each.place], starts, is_known=each.code.id in known_codes)
    found = _Entry(organization, list(legs), roles, _has_item(organization, legs, coded))
    for group in _groups(coded):
        found.write(group)
    if any(each.is_opening and each.is_advance for each in coded):
        found.check_contra(coded[0])
    return [*(leg for place, leg in enumerate(found.legs) if place not in found.gone), *found.behind]


def of_wholes(organization: Organization, wholes: Sequence[tuple[Leg, TaxCode, date]]) -> list[list[Leg]]:
    """Give the legs of lines with a code as a whole, which has been found to fit: (leg with tax, code, tax point)."""
    roles = packs.accounts(organization.id)
    written = []
    for leg, code, tax_point in wholes:
        found = _Entry(organization, [leg], roles, has_item=False)
        found.write([_Coded(0, "", code, is_included=True, tax_point=tax_point)])
        written.append([*found.legs, *found.behind])
    return written


@dataclass(slots=True)
class _Entry:
    """The legs of an entry as its codes are written into it; the legs of taxes come behind all others.

    What `has_item` may be paid later: the tax of codes that wait for money waits, and its legs keep base and tax.
    """

    organization: Organization
    legs: list[Leg]
    roles: Mapping[str, Account]
    has_item: bool
    behind: list[Leg] = field(default_factory=list)
    contra: int = 0
    gone: set[int] = field(default_factory=set)

    def write(self, group: Sequence[_Coded]) -> None:
        """Write the lines of one code and tax point."""
        first, rule = group[0], group[0].code.rule
        own = [self.legs[each.place] for each in group]
        sign = first.sign
        lines = [
            CodedLine(
                sign * leg.amount_minor,
                each.is_included,
                None if each.tax_minor is None else sign * each.tax_minor,
            )
            for leg, each in zip(own, group, strict=True)
        ]
        stated = [sign * each.base_tax_minor for each in group if each.base_tax_minor is not None]
        in_base = _mirroring(self.organization, own[0], first)
        found = coded_legs(rule, lines, in_base, sum(stated) if stated else None)
        is_control = first.is_advance or first.is_opening
        waits = rule.waits and (self.has_item or first.is_opening) and not first.is_advance
        items = _of_item(found.whole) if self.has_item or is_control else ()
        for each, leg, base in zip(group, own, found.bases, strict=True):
            self.legs[each.place] = replace(
                leg,
                amount_minor=leg.amount_minor if is_control else base.amount_minor,
                tax_code_id=first.code.id,
                tax_point=first.tax_point,
                boxes=summed((*(() if waits or first.is_opening else base.boxes), *items)),
            )
            items = ()
            if rule.is_all_tax and not is_control:
                self.gone.add(each.place)
        if not first.is_opening:
            self.behind += self._behind(first, found.taxes, waits=waits)
        elif first.is_advance:
            self.contra += sum(each.amount_minor for each in found.taxes)
        elif waits:
            self._wait(first, sum(each.amount_minor for each in found.taxes))

    def _wait(self, first: _Coded, whole: int) -> None:
        """Let the tax of what was owed before wait: from where it stands in the entry, or else from the opening."""
        side = "output" if first.code.side == "SALE" else "input"
        of_side = self.roles[side].id if side in self.roles else None
        stands = sum(
            leg.amount_base_minor or leg.amount_minor for leg in self.legs if leg.account_id == of_side
        )
        opening = ledger_accounts.by_role(self.organization.id, Role.OPENING_BALANCES).id
        against = of_side if of_side and stands * whole > 0 and abs(stands) >= abs(whole) else opening
        found = ((packs.account(self.roles, WAITING[first.code.side]).id, whole), (against, -whole))
        self.behind += [self._leg(first, account_id, amount) for account_id, amount in found if amount]

    def check_contra(self, coded: _Coded) -> None:
        """Refuse a prepayment of before whose tax does not stand on the account of taxes of advances."""
        account = packs.account(self.roles, ADVANCES)
        there = sum(leg.amount_minor for leg in self.legs if leg.account_id == account.id)
        if there != -self.contra:
            base = self.organization.base_currency
            sentence = (
                f"The tax of this prepayment is {Money(-self.contra, base).formatted}, and"
                f" {Money(there, base).formatted} of it stands on {cited(account.name)}."
            )
            raise TaxAccountError(sentence, fields={at(coded.path, "taxCodeId"): [sentence]})

    def _behind(self, first: _Coded, taxes: Sequence[TaxLeg], *, waits: bool) -> list[Leg]:
        """Give the legs of a tax: on the account where it waits, or on its own; of an advance with the contra."""
        whole = sum(each.amount_minor for each in taxes)
        found = [(each.role, each.amount_minor, each.boxes) for each in taxes]
        if waits:
            found = [(WAITING[first.code.side], whole, ())]
        elif first.is_advance:
            found.append((ADVANCES, -whole, ()))
        return [
            self._leg(first, packs.account(self.roles, role).id, amount, boxes)
            for role, amount, boxes in found
            if amount
        ]

    def _leg(self, first: _Coded, account_id: int, amount: int, boxes: Boxes = ()) -> Leg:
        base = self.organization.base_currency
        facts: dict[str, Any] = {"tax_code_id": first.code.id, "tax_point": first.tax_point}
        return Leg(account_id, amount, base, boxes=boxes, **facts)


def _of_item(whole: TaxFigures) -> Boxes:
    """Give base and tax of a code as a leg keeps them for what is settled of its item."""
    return BoxAmount(OF_ITEM, BASE, whole.base_minor), BoxAmount(OF_ITEM, TAX, whole.tax_minor)


def _has_item(organization: Organization, legs: Sequence[Leg], coded: Sequence[_Coded]) -> bool:
    """Return whether an entry begins something that is owed, beside its lines with codes."""
    places = {each.place for each in coded}
    others = {leg.account_id for place, leg in enumerate(legs) if place not in places}
    rows = lookups.by_id(Account, organization.id, others).values()
    return any(row.keeps_items and row.role is None for row in rows)


def _mirroring(organization: Organization, leg: Leg, coded: _Coded) -> Mirroring:
    """Give what converts to the base currency at the tax rate of a tax point; raises TaxRateMissingError.

    What was owed before the books had taxes may say what it is in the base currency.
    """
    base, currency = organization.base_currency, leg.currency
    if currency == base:
        return int
    own = leg.amount_base_minor
    if coded.is_opening and own is not None:
        return lambda minor: divided(minor * own, leg.amount_minor)
    rate = rates.on(organization.id, currency, coded.tax_point)
    if rate is None:
        sentence = f"There is no tax rate of {currency} for {coded.tax_point:%-d %b %Y}."
        raise TaxRateMissingError(sentence, fields={at(coded.path, "taxCodeId"): [sentence]})
    return mirroring(currency, base, rate)


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
            code = lookups.refer(TaxCode, organization.id, code_id, at(path, "taxCodeId"))
            tax_point = each.get("tax_point") or day
            stated = _stated(each.get("tax"), legs[place].currency, at(path, "tax"))
            in_base = _stated(each.get("tax_base"), organization.base_currency, at(path, "taxBase"))
            found.append(
                _Coded(place, path, code, each.get("tax_included", True), tax_point, stated, in_base)
            )
    return found


def at(path: str, name: str) -> str:
    """Give the path of a field of a posting or split; without a path it is of the line itself."""
    return f"{path}.{name}" if path else name


def _stated(tax: Decimal | None, currency: str, path: str) -> int | None:
    """Give a stated tax, which has the sign of its posting."""
    return None if tax is None else money_at(tax, currency, path).minor


def _groups(coded: Sequence[_Coded]) -> list[list[_Coded]]:
    groups: dict[tuple[int, date, bool], list[_Coded]] = {}
    for each in coded:
        groups.setdefault((each.code.id, each.tax_point, each.is_advance), []).append(each)
    return list(groups.values())


def _check(
    organization: Organization,
    coded: _Coded,
    leg: Leg,
    starts: dict[str, TaxPack | None],
    *,
    is_known: bool,
) -> None:
    """Refuse a code that is not for the day or the account, at its path."""
    code, path = coded.code, at(coded.path, "taxCodeId")
    account = lookups.refer(Account, organization.id, leg.account_id, at(coded.path, "accountId"))
    sentence = codes.unfit(code, account, coded.tax_point, is_known=is_known)
    if sentence:
        raise codes.TaxCodeUnfitError(sentence, fields={path: [sentence]})
    if coded.is_opening and not coded.is_advance:
        return
    is_advance = account.keeps_items and account.role is None
    if _is_closed(organization.id, account) or (is_advance and (code.side != "SALE" or leg.amount_minor > 0)):
        sentence = codes.of_none(account)
        if is_advance:
            sentence = f"On {cited(account.name)} a tax code is for money that came before its sale."
        raise TaxAccountError(sentence, fields={path: [sentence]})
    coded.is_advance = is_advance
    for pack in () if coded.is_opening else _packs_of(organization.id, code, starts):
        check_start(pack, coded.tax_point, path)


def _is_opening(
    organization: Organization, coded: _Coded, leg: Leg, starts: dict[str, TaxPack | None]
) -> bool:
    """Return whether a leg is of what was owed before the books had the taxes of its code."""
    account = lookups.refer(Account, organization.id, leg.account_id, at(coded.path, "accountId"))
    days = [pack.starts_on for pack in _packs_of(organization.id, coded.code, starts)]
    return account.keeps_items and account.role is None and any(coded.tax_point < day for day in days)


def _packs_of(organization_id: str, code: TaxCode, starts: dict[str, TaxPack | None]) -> list[TaxPack]:
    """List the installed packs whose forms have boxes of a code."""
    forms = {box.form for share in code.rule.shares for box in share.boxes}
    starts |= {form: packs.installed(organization_id, form) for form in forms - starts.keys()}
    return [pack for form, pack in starts.items() if pack is not None and form in forms]


def check_tax_point(organization_id: str, legs: Sequence[Leg], tax_point: date) -> None:
    """Refuse another tax point of legs before the books have their taxes, unless it is meant to come late."""
    for form in {box.form for leg in legs for box in leg.boxes}:
        pack = packs.installed(organization_id, form)
        if pack is not None:
            check_start(pack, tax_point, "taxPoint")


def check_start(pack: TaxPack, tax_point: date, path: str) -> None:
    """Refuse a tax point before the books have taxes, unless it is meant to come late into a return."""
    doing = updates.act_if_any()
    if tax_point < pack.starts_on and not (doing and doing.actor.is_late):
        sentence = (
            f"The books have taxes from {pack.starts_on:%-d %b %Y} on; leave the tax out, or send `late` if it"
            " is to enter the next return."
        )
        raise BeforeStartError(sentence, fields={path: [sentence]})


def _is_closed(organization_id: str, account: Account) -> bool:
    """Return whether no code belongs to an account: a bank's, or one that takes none."""
    return codes.takes_none(account) or ledger_accounts.feed_of(organization_id, account.id) is not None
