"""Packs: those that there are, and those that books have installed, with their accounts."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import NotFoundError, UnprocessableError
from webapp.ledger.tax.packs import Pack, read_pack
from webapp.ledger.tax.rules import ADVANCES, AUTHORITY, TAX_ROLES, WAITING
from webapp.models import Account, TaxPack
from webapp.queries.common.made_once import made_once

NAMES: Final = ("generic-vat", "uk-vat100")
ROLES: Final = {f"tax_{role}": role for role in (*TAX_ROLES, AUTHORITY, *WAITING.values(), ADVANCES)}
# Those that a return empties.
TAX_ACCOUNTS: Final = frozenset(f"tax_{role}" for role in TAX_ROLES)
# What its first page says, in the words of the people who would file from here.
NOT_SUPPORTED: Final = (
    "flat rate, margin, retail and annual accounting schemes",
    "computing partial exemption",
    "changing the basis",
    "VAT groups, OSS, and the EC sales list of Northern Ireland",
    "returns of other countries",
)


class NoTaxAccountError(UnprocessableError):
    """The books have no account for this tax; install a pack of taxes first."""

    code = "no_tax_account"


@dataclass(frozen=True, slots=True)
class PackRecord:
    """A pack; `from_`, `basis` and `frequency` are of the books that have installed it, else None."""

    name: str
    version: int
    title: str
    currency: str | None
    is_installed: bool
    from_: date | None
    basis: str | None
    frequency: str | None
    counted_from: date | None


@cache
def content(name: str) -> Pack:
    """Read a pack, or raise NotFoundError."""
    if name not in NAMES:
        raise NotFoundError
    return read_pack(json.loads((files("webapp") / "tax" / "packs" / f"{name}.json").read_text("utf-8")))


def installed(organization_id: str, name: str) -> TaxPack | None:
    """Find the pack that books have installed under a name."""
    return db.session.scalar(
        sa.select(TaxPack).where(TaxPack.organization_id == organization_id, TaxPack.name == name)
    )


def all_installed(organization_id: str) -> Sequence[TaxPack]:
    """List the packs that books have installed by name."""
    return db.session.scalars(*_all_installed(organization_id)).all()


@made_once
def _all_installed(organization_id: str) -> sa.Select[TaxPack]:
    return sa.select(TaxPack).where(TaxPack.organization_id == organization_id).order_by(TaxPack.name)


def has_any(organization_id: str) -> bool:
    """Return whether books keep taxes."""
    return bool(all_installed(organization_id))


def is_before(organization_id: str, forms: Collection[str], day: date) -> bool:
    """Return whether a day is before that from which the books have some forms."""
    statement = sa.select(TaxPack.id).where(
        TaxPack.organization_id == organization_id, TaxPack.name.in_(forms), TaxPack.starts_on > day
    )
    return db.session.scalar(statement.limit(1)) is not None


def first_days(organization_id: str) -> dict[str, date]:
    """Give the day from which books have each of their packs."""
    return {each.name: each.starts_on for each in db.session.execute(*_first_days(organization_id))}


@made_once
def _first_days(organization_id: str) -> sa.Select[str, date]:
    return sa.select(TaxPack.name, TaxPack.starts_on).where(TaxPack.organization_id == organization_id)


def listed(organization_id: str) -> list[PackRecord]:
    """List all packs by name, with what the books have installed of them."""
    return [record(name, installed(organization_id, name)) for name in NAMES]


def record(name: str, pack: TaxPack | None) -> PackRecord:
    """Give the record of a pack."""
    of_file = content(name)
    return PackRecord(
        name=name,
        version=of_file.version if pack is None else pack.version,
        title=of_file.title,
        currency=of_file.currency,
        is_installed=pack is not None,
        from_=pack.starts_on if pack else None,
        basis=pack.basis if pack else None,
        frequency=pack.frequency if pack else None,
        counted_from=pack.counted_from if pack else None,
    )


def accounts(organization_id: str) -> dict[str, Account]:
    """Find the accounts of taxes by what stands on them; none in books without a pack."""
    found = db.session.scalars(
        sa.select(Account).where(Account.organization_id == organization_id, Account.role.in_(ROLES))
    )
    return {ROLES[each.role or ""]: each for each in found}


def account_ids(organization_id: str) -> dict[str, int]:
    """Give the ids of the accounts of taxes by what stands on them."""
    return of_taxes(dict(db.session.execute(*_account_ids(organization_id)).all()))


def of_taxes(roles: Mapping[int, str | None]) -> dict[str, int]:
    """Pick the accounts of taxes by what stands on them from the roles of accounts."""
    return {ROLES[role]: account_id for account_id, role in roles.items() if role in ROLES}


@made_once
def _account_ids(organization_id: str) -> sa.Select[int, str | None]:
    its = Account.organization_id == organization_id, Account.role.in_(ROLES)
    return sa.select(Account.id, Account.role).where(*its)


def account(accounts_: Mapping[str, Account], role: str) -> Account:
    """Pick the account of a role, or raise NoTaxAccountError in books without a pack that has it."""
    if role not in accounts_:
        raise NoTaxAccountError
    return accounts_[role]
