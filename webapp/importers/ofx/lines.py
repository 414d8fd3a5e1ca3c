"""One transaction of an OFX statement, as a line; strict, because amounts are read here."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from webapp.importers.bank_files import FileLine, FileRefusedError
from webapp.importers.texts import iban, joined, quoted
from webapp.importers.value_days import stated_value_day
from webapp.importers.values import amount, day
from webapp.ledger.currencies import DIGITS
from webapp.ledger.money import Money

# A field's values in the order of the file; those of an inner aggregate (PAYEE, BANKACCTTO …) as PAYEE.NAME.
Fields = Mapping[str, Sequence[str]]

AMOUNT: Final = "TRNAMT"
# Fields of which a transaction has one value; a second one means that two transactions were merged.
_ONCE: Final = ("DTPOSTED", "DTTRAN", "FITID", AMOUNT)

_MAX_REFERENCE: Final = 1000
# Money that is under a hold has not moved, also where a bank lists it among the booked transactions.
_HOLD: Final = "HOLD"


def line(fields: Fields, *, row: int, pending: bool) -> FileLine:
    """Read a transaction's fields as a line.

    A pending line has no booking date, so its day is the transaction's. Raises FileRefusedError for a
    date, an amount or a reference that is missing, unreadable or there twice.
    """
    for name in _ONCE:
        # Two equal amounts are two equal lines without their ends; of other fields only different values are kept.
        values = fields.get(name, ())
        if len(values) > 1:
            raise FileRefusedError(f"{name} appears twice, {quoted(values[0])} and {quoted(values[1])}.")
    dated = "DTTRAN" if pending and first(fields, ["DTTRAN"]) else "DTPOSTED"
    booked_on = day(_required(fields, dated))
    if not booked_on:
        raise FileRefusedError(f"{dated} is not a date: {quoted(fields[dated][0])}.")
    amount_moved = amount(_required(fields, AMOUNT))
    if amount_moved is None:
        raise FileRefusedError(f"{AMOUNT} is not an amount: {quoted(fields[AMOUNT][0])}.")
    identity = first(fields, ["FITID"])
    if identity and len(identity) > _MAX_REFERENCE:
        raise FileRefusedError(f"FITID is longer than {_MAX_REFERENCE:,} characters.")
    counterparty = _longest_name(fields)
    value = stated_value_day(first(fields, ["DTAVAIL"]) or "")
    return FileLine(
        row=row,
        booked_on=booked_on,
        value_on=value.day if value else None,
        has_moved_value_day=bool(value and value.is_moved),
        amount=amount_moved,
        pending=pending or first(fields, ["TRNTYPE"]) == _HOLD,
        provider_transaction_id=identity,
        description=joined([counterparty, *fields.get("MEMO", ())]),
        counterparty=counterparty,
        reference=_reference(fields, identity),
        iban=iban(first(fields, ["BANKACCTTO.ACCTID", "CCACCTTO.ACCTID"]) or ""),
        **_original(fields, amount_moved),
    )


def _original(fields: Fields, amount_moved: Decimal) -> dict[str, Any]:
    """Return the amount before it was converted; the rate is the worth of one unit of its currency."""
    code = first(fields, ["ORIGCURRENCY.CURSYM"])
    if code not in DIGITS:
        return {}
    rate = amount(first(fields, ["ORIGCURRENCY.CURRATE"]) or "")
    if not rate or rate < 0:
        return {}
    size = Money.rounded(abs(amount_moved) / rate, code).decimal
    return {"original_amount": size, "original_currency": code, "exchange_rate": rate}


def first(fields: Fields, names: Iterable[str]) -> str | None:
    """Return the first value of any of the names."""
    for name in names:
        if values := fields.get(name):
            return values[0]
    return None


def _required(fields: Fields, name: str) -> str:
    value = first(fields, [name])
    if value is None:
        raise FileRefusedError(f"{name} is missing.")
    return value


def _longest_name(fields: Fields) -> str | None:
    """Return the payee; NAME is cut at 32 characters, and some banks send the full name elsewhere."""
    name = first(fields, ["NAME", "PAYEE.NAME", "PAYEE"])
    extended = first(fields, ["EXTDNAME", "EXTDPAYEE.NAME"])
    return extended if extended and extended.startswith(name or "") else name or extended


def _reference(fields: Fields, identity: str | None) -> str | None:
    """Return the number of a cheque, else the bank's second reference where it differs from the first."""
    numbers = (first(fields, [name]) for name in ("CHECKNUM", "REFNUM"))
    return next((number for number in numbers if number and number != identity and number.strip("0")), None)
