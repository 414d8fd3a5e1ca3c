"""The layouts of banks that their headers alone identify, as data: what a header does not say of columns and signs."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple

_FOLDER: Final = "layouts"
# Fewer names are no evidence of a bank.
_SHORTEST: Final = 4


class BankLayout(NamedTuple):
    """A bank's table: its name, its header, how it writes days, and whether amounts without a sign are money out.

    `columns` are those whose names do not say what they are, by the keys of a mapping. A bank may have a column of
    amounts for each currency, by its code; each row has an amount in one of them. `charges` says whether the column
    of fees is within the amounts or beside them, `balance` whether that of a row is before or after its amount. With
    `skips` a row without an amount moved no money.
    """

    name: str
    header: str
    columns: Mapping[str, Any]
    date_format: str | None = None
    invert: bool | None = None
    charges: str = ""
    balance: str = ""
    skips: bool = False

    @property
    def why(self) -> str:
        """Write why it is used."""
        return f"The header is that of {self.name}."

    @property
    def is_of_cards(self) -> bool:
        """Tell whether the bank writes such tables of its cards, whose names say so."""
        return self.name.casefold().endswith("card")


def bank_layout(names: Sequence[str]) -> BankLayout | None:
    """Find the layout with this header; a column without a name at its end does not count.

    Banks add columns behind those of a header that ends with an asterisk.

    >>> bank_layout(["Date", "Counter Party", "Reference", "Type", "Amount (GBP)", "Balance (GBP)", ""]).name
    'Starling'
    >>> bank_layout(["Date", "Text", "Amount"]) is None
    True
    """
    key = _key(names)
    begins = (_by_header().get((*key[:length], "*")) for length in range(len(key), _SHORTEST, -1))
    return _by_header().get(key) or next(filter(None, begins), None)


def amounts_by_currency(names: Sequence[str], amount: int | None) -> dict[int, str]:
    """Return the columns of amounts of a bank that has one for each currency, with their codes.

    There are none where the column `amount` is not among them.

    >>> head = "Account Type,Account Number,Transaction Date,Cheque Number,Description 1,Description 2,CAD$,USD$"
    >>> amounts_by_currency(head.split(","), 6), amounts_by_currency(["Date", "Text", "Amount"], 2)
    ({6: 'CAD', 7: 'USD'}, {})
    """
    known = bank_layout(names)
    columns = known.columns.get("amount") if known else None
    if not isinstance(columns, dict):
        return {}
    places = _key(names)
    found = {places.index(_key([name])[0]): code for code, name in columns.items()}
    return found if amount in found else {}


@cache
def all_layouts() -> tuple[BankLayout, ...]:
    """Read the layouts of all countries."""
    files = sorted(
        resources.files("webapp.importers").joinpath(_FOLDER).iterdir(), key=lambda each: each.name
    )
    return tuple(
        BankLayout(
            each["name"],
            each["header"],
            each.get("columns", {}),
            each.get("dateFormat"),
            each.get("invert"),
            each.get("chargesAre", ""),
            each.get("balanceIs", ""),
            each.get("skipWithoutAmount", False),
        )
        for file in files
        if file.name.endswith(".toml")
        for each in tomllib.loads(file.read_text(encoding="utf-8"))["layout"]
    )


@cache
def _by_header() -> Mapping[tuple[str, ...], BankLayout]:
    return {_key(each.header.split(",")): each for each in all_layouts()}


def _key(names: Sequence[str]) -> tuple[str, ...]:
    folded = [" ".join(name.casefold().split()) for name in names]
    while folded and not folded[-1]:
        folded.pop()
    return tuple(folded)
