"""Accounts, merchants and projects in the books, found by a model's id, code or name."""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import Any, Final

import marshmallow as ma

from webapp.ledger.notation.days import written_day
from webapp.ledger.texts.legible import visible
from webapp.mcp.calls import api_calls
from webapp.mcp.shapes.tables import fenced
from webapp.mcp.shapes.tool import Json, ToolError
from webapp.web.converters import ActIdConverter

ACT_EXAMPLE: Final = "ar_01M86ZY22C8CQVX5YN58G045DZ"
MOST_CANDIDATES: Final = 8
# Before the name of a merchant that is to be made.
NEW: Final = "+"
# An id as a number is taken as well; the shorter schema is what every model reads.
NAME_OR_ID: Final[dict[str, Any]] = {"type": "string"}


class NameOrId(ma.fields.Field[str | int]):
    """The name of something in the books, or its id."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(metadata=NAME_OR_ID | kwargs.pop("metadata", {}), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str | int:
        del attr, data, kwargs
        if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
            raise ma.ValidationError("Send a name or an id.")
        return value


class ActId(ma.fields.String):
    """The id of an act or a proposal."""

    def __init__(self, **kwargs: Any) -> None:
        pattern = ma.validate.Regexp(
            rf"(?:{ActIdConverter.regex})\Z", error=f"Send an id like {ACT_EXAMPLE}."
        )
        super().__init__(validate=pattern, **kwargs)


class WrittenAmount(ma.fields.String):
    """An amount as text, as the API takes it."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, str):
            raise ma.ValidationError('Send an amount as text, with the digits of its currency: "-12.50".')
        return super()._deserialize(value, attr, data, **kwargs)


class Directory:
    """The accounts, merchants and projects of the books; each list is read once per call, if needed."""

    def __init__(self) -> None:
        self._merchant_ids: dict[str, int] = {}
        self._new: dict[str, int] = {}

    @property
    def makes(self) -> list[tuple[str, str, Json]]:
        """The first steps of a plan: the calls that make the new merchants that were named."""
        return [("POST", "/merchants", {"name": name}) for name in self._new]

    def merchant_for(self, wanted: str | int) -> int | Json:
        """Find a merchant, or refer to the one that the first steps of a plan make: `+` and its name."""
        name = str(wanted)[len(NEW) :].strip()
        if not str(wanted).startswith(NEW) or not name:
            return self.merchant_id(wanted) or 0
        return {"$ref": f"{self._new.setdefault(name, len(self._new) + 1)}#/merchant/id"}

    @cached_property
    def _bank_accounts(self) -> list[Json]:
        records = api_calls.get("/reconciliations/accounts")["accounts"]
        return [{**each, "id": each["faId"], "name": each["accountName"]} for each in records]

    @cached_property
    def _accounts(self) -> list[Json]:
        return list(api_calls.every("/accounts", "accounts"))

    @cached_property
    def _tax_codes(self) -> list[Json]:
        return list(api_calls.every("/tax/codes", "taxCodes"))

    @cached_property
    def _projects(self) -> list[Json]:
        return list(api_calls.every("/projects", "projects"))

    def bank_account(self, wanted: str | int) -> Json:
        """Find a bank account of the hub by its `faId` or name; raises ToolError."""
        return _one(wanted, self._bank_accounts, "bank account")

    def account(self, wanted: str | int) -> Json:
        """Find an account of the ledger by its id, code or name; raises ToolError."""
        return _one(wanted, self._accounts, "account")

    def account_id(self, wanted: str | int | None) -> int | None:
        """Return the id of a ledger account, or None."""
        return None if wanted is None else int(self.account(wanted)["id"])

    def fa_id(self, wanted: str | int | None) -> int | None:
        """Return the `faId` of a bank account, or None."""
        return None if wanted is None else int(self.bank_account(wanted)["id"])

    def merchant_id(self, wanted: str | int | None) -> int | None:
        """Return the id of a merchant, or None. There may be thousands, so only similar ones are read."""
        if wanted is None:
            return None
        if isinstance(wanted, int) or wanted.isdecimal():
            return int(wanted)
        if wanted not in self._merchant_ids:
            like = list(api_calls.every("/merchants", "merchants", q=wanted))
            self._merchant_ids[wanted] = int(_one(wanted, like, "merchant")["id"])
        return self._merchant_ids[wanted]

    def project_id(self, wanted: str | int | None) -> int | None:
        """Return the id of a project, or None."""
        return None if wanted is None else int(_one(wanted, self._projects, "project")["id"])

    def taxed(self, said: Mapping[str, Any]) -> Json:
        """Give the tax code that is said of a leg, a part or a rule, as the API takes it; nothing without one."""
        if "tax_code" not in said:
            return {}
        return {"taxCodeId": int(_one(said["tax_code"], self._tax_codes, "tax code")["id"])}


def day_of(written: str) -> str:
    """Write a day as in titles; anything else is left for the API to refuse.

    >>> day_of("2026-10-31"), day_of("31.10.")
    ('31 Oct 2026', '31.10.')
    """
    try:
        return written_day(date.fromisoformat(written))
    except ValueError:
        return written


def _one(wanted: str | int, records: Sequence[Json], kind: str) -> Json:
    """Return the only record with this id or, for text, this code or name; raises ToolError with candidates."""
    every = [each for each in records if not each.get("isArchived")]
    text = str(wanted).strip().casefold()
    by_name = [each for each in every if isinstance(wanted, str) and text in _names(each)]
    found = by_name or [each for each in every if str(each["id"]) == text]
    if len(found) == 1:
        return found[0]
    if found:
        raise ToolError(f"{len(found)} are named {wanted!r}: {_listed(found)}. Send the id.")
    near = [each for each in every if any(text in name for name in _names(each))]
    there = f"There are: {_listed(near or every)}." if every else f"The books have no {kind} like it."
    made = f" Send {NEW + str(wanted)!r} to make it, with a line or an entry." if kind == "merchant" else ""
    raise ToolError(f"There is no {kind} {wanted!r}. {there}{made}")


def _names(record: Json) -> list[str]:
    return [str(record[key]).casefold() for key in ("code", "name") if record.get(key)]


def _listed(records: Sequence[Json]) -> str:
    shown = "; ".join(f"{each['id']} {fenced(visible(each['name']))}" for each in records[:MOST_CANDIDATES])
    return f"{shown}; …" if len(records) > MOST_CANDIDATES else shown
