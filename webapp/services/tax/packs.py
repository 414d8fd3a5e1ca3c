"""Packs installed into books: their codes, and the accounts of taxes."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final, TypedDict

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import CHARTS, AccountType, Use, chart_of, next_code
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.journal.entries import Leg
from webapp.ledger.references import Kind, Ref
from webapp.ledger.tax.packs import Pack, PackCode
from webapp.ledger.tax.rules import ADVANCES, AUTHORITY, WAITING
from webapp.ledger.texts.legible import cited
from webapp.models import (
    COUNTING,
    Account,
    JournalEntry,
    Organization,
    Posting,
    TaxCode,
    TaxPack,
    refers_to,
)
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts as ledger_accounts
from webapp.queries.common import lookups
from webapp.queries.items.settlements import SOURCE
from webapp.queries.tax import codes, packs, periods
from webapp.queries.tax.periods import NotAPeriodError
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.field_changes import facts, jsonable
from webapp.services.journal import entries as journal_entries
from webapp.services.tax.codes import TaxCodeTakenError

# By what stands on them: the code and name in the default chart, else that of a new account, and its type.
PRESETS: Final = {
    "output": (Use.VAT_PAYABLE, "VAT payable", AccountType.LIABILITY),
    "input": (Use.VAT_RECEIVABLE, "VAT receivable", AccountType.ASSET),
    AUTHORITY: (None, "Tax authority", AccountType.LIABILITY),
    ADVANCES: (None, "VAT on advances", AccountType.ASSET),
    WAITING["SALE"]: (None, "VAT waiting for customers' money", AccountType.LIABILITY),
    WAITING["PURCHASE"]: (None, "VAT waiting for payments to suppliers", AccountType.ASSET),
}


PERIODS: Final = ("frequency", "starts_on", "counted_from")


class PackInstalledError(LedgerError):
    """The books have this pack already."""

    code = "pack_installed"


class PackCurrencyError(UnprocessableError):
    """This pack is for books in another base currency."""

    code = "pack_currency"


class TaxAccountUnfitError(UnprocessableError):
    """An account of taxes is an asset or a liability in the base currency, with no other use."""

    code = "tax_account_unfit"


class ForeignTaxError(LedgerError):
    """Drafts or items have amounts in other currencies on this account; post or settle these, or choose another one."""

    code = "foreign_balance"


class BoxesBeforeError(LedgerError):
    """The books have boxes of earlier days; begin on the first of them, or before."""

    code = "boxed_before"


class PackChanges(TypedDict, total=False):
    """What was sent of an installed pack; what is not sent stays."""

    frequency: str
    from_: date


def install(
    name: str,
    *,
    from_: date,
    basis: str,
    frequency: str,
    accounts: Mapping[str, int] | None = None,
    actor: Actor,
    now: datetime,
) -> packs.PackRecord:
    """Install a pack: make its codes, and give the accounts of taxes their roles; boxes begin on a day."""
    of_file = packs.content(name)
    chosen = {role: Ref(Kind.ACCOUNT, row_id) for role, row_id in (accounts or {}).items()}
    payload = {"from": from_.isoformat(), "basis": basis, "frequency": frequency, "accounts": chosen}
    title = f"Installed the taxes of {of_file.title}, from {from_:%-d %b %Y} on"
    with act(actor, now, "install_tax_pack", ("tax_pack", name), title=title, payload=payload) as doing:
        organization = organizations.get(actor.organization_id)
        offered = of_file.codes_by(basis)
        _check(organization, of_file, [each.code for each in offered])
        present = packs.accounts(organization.id)
        taken = [
            _take_account(organization, role, chosen.get(role), now)
            for role in PRESETS
            if role not in present and (basis == "CASH" or role not in WAITING.values())
        ]
        facts = {"organization_id": organization.id, "created_at": now}
        pack = TaxPack(
            **facts, name=name, version=of_file.version, basis=basis, frequency=frequency, starts_on=from_
        )
        db.session.add_all([pack, *(TaxCode(**facts, pack=name, **_stored(each)) for each in offered)])
        db.session.flush()
        _take_in_base(organization, taken, from_, doing)
        doing.after = {**payload, "codes": [each.code for each in offered]}
    return packs.record(name, pack)


def update(name: str, changes: PackChanges, *, actor: Actor, now: datetime) -> packs.PackRecord:
    """Change the frequency of a pack's periods, or its first day; what is filed stays as it is.

    Before any return stands, the day is that from which the books have its boxes; afterwards it is the day from which
    periods are counted anew, behind the filed ones. Raises NotInstalledError, NotAPeriodError or BoxesBeforeError.
    """
    of_file, payload = packs.content(name), jsonable(changes)
    title = f"Changed the periods of {of_file.title}"
    with act(actor, now, "update_tax_pack", ("tax_pack", name), title=title, payload=payload) as doing:
        found = periods.periods_of(actor.organization_id, name)
        pack, day = found.pack, changes.get("from_")
        doing.before = jsonable(facts(pack, PERIODS))
        if day is not None and found.filed:
            _check_behind(found, day)
            pack.counted_from = day
        elif day is not None:
            _check_no_boxes(pack, day)
            pack.starts_on = day
        pack.frequency = changes.get("frequency", pack.frequency)
        db.session.flush()
        doing.after = jsonable(facts(pack, PERIODS))
        if doing.after == doing.before:
            doing.nothing_to_do()
    return packs.record(name, pack)


def _check_behind(found: periods.Periods, day: date) -> None:
    if day < found.first_open:
        sentence = f"Returns are filed to {found.filed[0].ends_on:%-d %b %Y}; send a later day."
        raise NotAPeriodError(sentence, fields={"from": [sentence]})


def _check_no_boxes(pack: TaxPack, day: date) -> None:
    """Refuse a first day behind the tax point of a posting with boxes of the form."""
    statement = sa.select(Posting.tax_point, Posting.boxes).where(
        Posting.organization_id == pack.organization_id, Posting.tax_point < day
    )
    days = [
        tax_point
        for tax_point, boxes in db.session.execute(statement)
        if any(form == pack.name for form, _, _ in boxes or ())
    ]
    if days:
        raise BoxesBeforeError(
            f"The books have boxes of {min(days):%-d %b %Y}; begin on that day, or before.",
            details={"first": min(days).isoformat()},
        )


def _check(organization: Organization, of_file: Pack, offered: Sequence[str]) -> None:
    if packs.installed(organization.id, of_file.name) is not None:
        raise PackInstalledError
    if of_file.currency not in (None, organization.base_currency):
        raise PackCurrencyError(
            f"This pack is for books in {of_file.currency}, and these are in {organization.base_currency}."
        )
    taken = codes.taken(organization.id, offered)
    if taken:
        raise TaxCodeTakenError(
            f"The books have the tax codes {', '.join(taken)} already.", details={"codes": taken}
        )


def _stored(each: PackCode) -> dict[str, Any]:
    rule = each.rule
    return {
        "code": each.code,
        "name": each.name,
        "side": rule.side,
        "rate": rule.rate,
        "basis": rule.basis,
        "amount_is": "TAX" if rule.is_all_tax else "BASE",
        "is_self_assessed": rule.is_self_assessed,
        "has_relief": each.has_relief,
        "shares": [
            {
                "of": share.of,
                "factor": format(share.factor, "f"),
                "role": share.role,
                "boxes": [
                    {"form": box.form, "box": box.box, "factor": format(box.factor, "f")}
                    for box in share.boxes
                ],
            }
            for share in rule.shares
        ],
    }


def _take_account(organization: Organization, role: str, chosen: int | None, now: datetime) -> Account:
    """Give an account the role that it plays in taxes: the chosen one, that of the chart, or a new one."""
    use, name, type_ = PRESETS[role]
    path = f"accounts.{role}"
    if chosen is not None:
        account: Account | None = lookups.refer(Account, organization.id, chosen, path)
    else:
        account = db.session.scalar(
            sa.select(Account).where(
                Account.organization_id == organization.id,
                sa.tuple_(Account.code, Account.name).in_(
                    [
                        (each.code, each.name)
                        for chart in CHARTS
                        for each in chart_of(chart)
                        if use is not None and each.use is use
                    ]
                ),
                Account.role.is_(None),
            )
        )
    if account is None:
        account = Account(
            organization_id=organization.id,
            code=next_code(type_, ledger_accounts.codes(organization.id)),
            name=name,
            type=type_.value,
            keeps_items=role == AUTHORITY,
            created_at=now,
        )
        db.session.add(account)
    elif sentence := _unfit(organization, account, role):
        raise TaxAccountUnfitError(sentence, fields={path: [sentence]})
    elif _has_waiting(organization, account):
        raise ForeignTaxError(fields={path: [str(ForeignTaxError.__doc__)]})
    account.role, account.currency, account.is_revalued = f"tax_{role}", organization.base_currency, False
    db.session.flush()
    return account


def _unfit(organization: Organization, account: Account, role: str) -> str | None:
    """Say why an account cannot play a role in taxes, or None."""
    name = cited(account.name)
    if account.role is not None or ledger_accounts.feed_of(organization.id, account.id) is not None:
        return f"{name} has another use in the books; choose another account."
    if account.type not in (AccountType.ASSET, AccountType.LIABILITY) or account.is_archived:
        return f"{name} is no asset or liability in use; choose another account."
    if account.currency not in (None, organization.base_currency):
        return f"{name} is in {account.currency}, and taxes are in {organization.base_currency}."
    if account.keeps_items != (role == AUTHORITY):
        return f"{name} {'keeps no items, and what is owed does' if role == AUTHORITY else 'keeps items'}."
    return None


def _has_waiting(organization: Organization, account: Account) -> bool:
    """Return whether what is in other currencies on an account cannot be taken into the base currency yet."""
    statement = (
        sa.select(Posting.id)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            Posting.organization_id == organization.id,
            Posting.account_id == account.id,
            Posting.currency != organization.base_currency,
        )
    )
    if not account.keeps_items:
        statement = statement.where(JournalEntry.status == "DRAFT")
    return db.session.scalar(statement.limit(1)) is not None


def _take_in_base(organization: Organization, taken: Sequence[Account], from_: date, doing: Act) -> None:
    """Post what accounts have in other currencies in the base currency instead: one entry, on the first open day.

    It comes after all that they have in these, so that what was revalued of it is reversed by then.
    """
    columns: list[Any] = [
        Posting.account_id,
        Posting.currency,
        sa.func.sum(Posting.amount_minor),
        sa.func.sum(Posting.amount_base_minor),
        sa.func.max(JournalEntry.effective_on),
    ]
    rows = db.session.execute(
        sa.select(*columns)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            Posting.organization_id == organization.id,
            Posting.account_id.in_([each.id for each in taken]),
            Posting.currency != organization.base_currency,
            JournalEntry.status.in_(COUNTING),
        )
        .group_by(Posting.account_id, Posting.currency)
        .order_by(Posting.account_id, Posting.currency)
    ).all()
    if not rows:
        return
    day = organizations.first_open_day(organization.id, max([from_, *(latest for *_, latest in rows)]))
    for account in taken:
        account.currency_from = day if account.id in {row[0] for row in rows} else None
    base, legs = organization.base_currency, list[Leg]()
    for account_id, currency, amount, in_base, _ in rows:
        if amount or in_base:
            legs += [
                Leg(account_id, -int(amount), currency, -int(in_base)),
                Leg(account_id, int(in_base), base, int(in_base)),
            ]
    if legs:
        description = f"Taxes in {base} from {day:%-d %b %Y} on"
        entry = journal_entries.add_draft(
            organization, day, legs, source=SOURCE, description=description, now=doing.now
        )
        journal_entries.post(entry, doing)
