"""Changed facts for the audit trail: only what differs is written, as it was and as it is, in plain JSON."""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import Base, db
from webapp.ledger.canonical import camel
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.journal.entries import Leg, keeps_base, mirrored
from webapp.ledger.money import Money
from webapp.ledger.references import Kind, Ref
from webapp.services.audit.act import Act


class NothingToChangeError(UnprocessableError):
    """Say what to change; nothing was sent."""

    code = "nothing_to_change"


def change(row: Any, changes: Mapping[str, Any], doing: Act) -> None:
    """Write what differs from what a row says; where nothing does, the act is not recorded."""
    if not changes:
        raise NothingToChangeError
    differing = {name: value for name, value in changes.items() if getattr(row, name) != value}
    if not differing:
        doing.nothing_to_do()
        return
    doing.before = facts(row, differing)
    for name, value in differing.items():
        setattr(row, name, value)
    doing.after = facts(row, differing)
    db.session.flush()


def facts(row: Base, names: Mapping[str, Any] | tuple[str, ...]) -> dict[str, Any]:
    """Give some of what a row says in JSON, for the audit trail."""
    return payload({name: getattr(row, name) for name in names}, type(row))


def payload(changes: Mapping[str, Any], model: type[Base]) -> dict[str, Any]:
    """Give what somebody asks for of a row of a model in JSON, for the audit trail; its foreign keys as references."""
    kinds = _kinds(model)
    return {
        camel(name): Ref.optional(kinds[name], value) if name in kinds else _plain(value)
        for name, value in changes.items()
    }


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


@cache
def _kinds(model: type[Base]) -> Mapping[str, Kind]:
    """Return what the columns of a model name in other tables."""
    by_table = {each.table: each for each in Kind}
    named = {
        key: {each.column.table.name for each in column.foreign_keys if each.column.name == "id"}
        | {*filter(None, [column.info.get("table")])}
        for key, column in sa.inspect(model).columns.items()
    }
    return {key: by_table[table] for key, tables in named.items() for table in tables if table in by_table}


def of_legs(legs: Sequence[Leg], description: str, *, base: str | None = None) -> dict[str, object]:
    """Give an entry's legs and description as JSON, for the audit trail.

    With the base currency a leg has the `amountBase` that somebody wrote, so that it can be written again.
    """
    return {
        "description": description,
        "postings": [
            {
                "accountId": Ref(Kind.ACCOUNT, leg.account_id),
                "amount": str(Money(leg.amount_minor, leg.currency)),
                "currency": leg.currency,
                "projectId": Ref.optional(Kind.PROJECT, leg.project_id),
                "orgMerchantId": Ref.optional(Kind.MERCHANT, leg.merchant_id),
                **({"amountBase": str(Money(mirrored(leg), base))} if base and keeps_base(leg) else {}),
                **({"dueOn": leg.due_on.isoformat()} if leg.due_on else {}),
                **({"reference": leg.reference} if leg.reference else {}),
                **_tax_of(leg),
            }
            for leg in legs
        ],
    }


def _tax_of(leg: Leg) -> dict[str, object]:
    if leg.tax_code_id is None:
        return {}
    tax_point = leg.tax_point.isoformat() if leg.tax_point else None
    return {
        "taxCodeId": Ref(Kind.TAX_CODE, leg.tax_code_id),
        "taxPoint": tax_point,
        "boxes": [[*each] for each in leg.boxes],
    }


def jsonable(value: Any) -> Any:
    """Give loaded fields as plain JSON again, for the audit trail."""
    if isinstance(value, Mapping):
        return {key: jsonable(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(inner) for inner in value]
    return value if value is None or isinstance(value, (str, int, bool)) else str(value)
