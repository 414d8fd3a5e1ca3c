"""One entry of a CAMT statement, as a line; strict, because amounts are read here."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final

from webapp.importers.bank_files import FileLine, FileRefusedError
from webapp.importers.camt.details import Details
from webapp.importers.camt.values import only_value, signed_amount, unsigned
from webapp.importers.texts import quoted
from webapp.importers.value_days import ValueDay, stated_value_day
from webapp.importers.values import day
from webapp.importers.xml_records import XmlRecord
from webapp.ledger.matching.lines import is_placeholder

_MAX_REFERENCE: Final = 1000
_BOOKED: Final = "BOOK"
_PENDING: Final = frozenset({"PDNG", "FUTR"})
# Entries of these moved no money.
_UNMOVED: Final = frozenset({"INFO", "CANC"})
_BOOKED_ON: Final = ("BookgDt/Dt", "BookgDt/DtTm", "BookgDt")
_VALUE_ON: Final = ("ValDt/Dt", "ValDt/DtTm", "ValDt")
_MAX_COUNT: Final = 9
# The booked amount, then, in older versions, the amount of the transaction.
_AMOUNTS: Final = ("Amt", "AmtDtls/TxAmt/Amt")
_SIGNS: Final = {"CRDT": 1, "DBIT": -1}


def is_empty(entry: XmlRecord) -> bool:
    """Return whether an entry has no text; an entry with texts and no amount cannot be read."""
    return not (entry.fields or entry.parts)


def unmoved_state(entry: XmlRecord) -> str | None:
    """Return the status of an entry that moved no money, for information (INFO) or cancelled (CANC), or None."""
    state = _state(entry)
    return state if state in _UNMOVED else None


def _state(entry: XmlRecord) -> str:
    return (only_value(entry, "Sts/Cd", "Sts/Prtry", "Sts") or _BOOKED).upper()


def entry_line(entry: XmlRecord, *, row: int, number: str | None) -> FileLine:
    """Read an entry as a line; the account's `number` tells which party is the account holder.

    The day is the booking date, else the value date. Raises FileRefusedError for an amount, a
    direction or a date that is missing, unreadable or stated twice, and for an unknown status.
    """
    state = _state(entry)
    if state != _BOOKED and state not in _PENDING:
        raise FileRefusedError(
            f"its status (Sts) is {quoted(state)}, which does not say whether money moved."
        )
    amount = signed_amount(entry)
    booked_on = _day(entry, _BOOKED_ON) or _day(entry, _VALUE_ON)
    if not booked_on:
        raise FileRefusedError("it has no booking date (BookgDt).")
    value = _value_day(entry)
    details = Details(entry, is_money_in=amount >= 0, number=number)
    line = FileLine(
        row=row,
        booked_on=booked_on,
        value_on=value.day if value else None,
        has_moved_value_day=bool(value and value.is_moved),
        amount=amount,
        pending=state in _PENDING,
        provider_transaction_id=(identity := _identity(entry, details)),
        description=details.description(),
        counterparty=details.counterparty(),
        reference=details.reference(but=identity),
        iban=details.iban(),
        **details.stated(),
    )
    return with_parts(line, entry, number)


def _day(entry: XmlRecord, paths: tuple[str, ...]) -> date | None:
    """Return the date as written, regardless of a time and a zone behind it."""
    text = only_value(entry, *paths)
    found = day(text or "")
    if text and not found:
        raise _no_date(paths, text)
    return found


def _value_day(entry: XmlRecord) -> ValueDay | None:
    text = only_value(entry, *_VALUE_ON)
    found = stated_value_day(text or "")
    if text and not found:
        raise _no_date(_VALUE_ON, text)
    return found


def _no_date(paths: tuple[str, ...], text: str) -> FileRefusedError:
    return FileRefusedError(f"its {paths[-1]} is not a date: {quoted(text)}.")


def _identity(entry: XmlRecord, details: Details) -> str | None:
    """Return the bank's own reference as sent: the entry's, else that of its only payment."""
    identities = [*entry.values("AcctSvcrRef"), *details.identities()]
    references = (identity for identity in identities if not is_placeholder(identity))
    identity = next(references, None) or next(iter(identities), None)
    if identity and len(identity) > _MAX_REFERENCE:
        raise FileRefusedError(f"its AcctSvcrRef is longer than {_MAX_REFERENCE:,} characters.")
    return identity


def with_parts(line: FileLine, entry: XmlRecord, number: str | None) -> FileLine:
    """Add the payments of a batch to its line as parts; `number` is the account's number.

    Where a payment has no amount in the entry's currency, the line only has the number of payments.
    """
    count = max(len(entry.parts), _stated_count(entry))
    if count <= 1:
        return line
    amounts = [_amount(payment, entry) for payment in entry.parts]
    stated_amounts = [amount for amount in amounts if amount is not None]
    if len(amounts) <= 1 or len(stated_amounts) < len(amounts):
        return line._replace(payments=count)
    parts = tuple(
        _part_line(line, entry, payment, amount, number)
        for payment, amount in zip(entry.parts, stated_amounts, strict=True)
    )
    return line._replace(payments=count, parts=parts)


def _stated_count(entry: XmlRecord) -> int:
    """Return the number of payments that the batch states, even without details of them."""
    stated = entry.values("NtryDtls/Btch/NbOfTxs")
    return sum(int(text) for text in stated if text.isascii() and text.isdigit() and len(text) <= _MAX_COUNT)


def _part_line(
    line: FileLine, entry: XmlRecord, payment: XmlRecord, amount: Decimal, number: str | None
) -> FileLine:
    single_payment = replace(entry, parts=[payment])
    details = Details(single_payment, is_money_in=amount >= 0, number=number)
    identity = next((each[:_MAX_REFERENCE] for each in details.identities()), None)
    return line._replace(
        amount=amount,
        provider_transaction_id=identity,
        description=details.description(),
        counterparty=details.counterparty(),
        reference=details.reference(but=identity),
        iban=details.iban(),
        **details.stated(),
    )


def _amount(payment: XmlRecord, entry: XmlRecord) -> Decimal | None:
    """Return the amount of a payment from the account holder's view, with its own direction or the entry's."""
    sign = _SIGNS.get(payment.value("CdtDbtInd") or entry.value("CdtDbtInd") or "", 1)
    for path in _AMOUNTS:
        text = payment.value(path)
        if text is not None and payment.value(f"{path}@Ccy") in {entry.value("Amt@Ccy"), None}:
            size = unsigned(text)
            return size.copy_negate() if size and sign < 0 else size
    return None
