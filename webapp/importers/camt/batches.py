"""The payments of a CAMT batch, each as a line of its own where the bank says what it amounts to."""

from dataclasses import replace
from decimal import Decimal
from typing import Final

from webapp.importers.bank_files import Line
from webapp.importers.camt.details import Details
from webapp.importers.camt.values import unsigned
from webapp.importers.xml_records import Record

_MAX_REFERENCE: Final = 1000
_MAX_COUNT: Final = 9
# The amount that was booked, then, in older versions, the one of the transaction.
_AMOUNTS: Final = ("Amt", "AmtDtls/TxAmt/Amt")
_SIGNS: Final = {"CRDT": 1, "DBIT": -1}


def with_parts(line: Line, entry: Record, number: str | None) -> Line:
    """Give a line the payments that were booked in it, where there are several; `number` is that of the account.

    Where one of them has no amount in the entry's currency, the line only tells how many there are.
    """
    count = max(len(entry.parts), _stated_count(entry))
    if count <= 1:
        return line
    amounts = [_amount(payment, entry) for payment in entry.parts]
    known_amounts = [amount for amount in amounts if amount is not None]
    if len(amounts) <= 1 or len(known_amounts) < len(amounts):
        return replace(line, payments=count)
    parts = tuple(
        _part(line, entry, payment, amount, number)
        for payment, amount in zip(entry.parts, known_amounts, strict=True)
    )
    return replace(line, payments=count, parts=parts)


def _stated_count(entry: Record) -> int:
    """Count the payments as the batch states it, also where it tells nothing else of them."""
    stated = entry.values("NtryDtls/Btch/NbOfTxs")
    return sum(int(text) for text in stated if text.isascii() and text.isdigit() and len(text) <= _MAX_COUNT)


def _part(line: Line, entry: Record, payment: Record, amount: Decimal, number: str | None) -> Line:
    alone = replace(entry, parts=[payment])
    details = Details(alone, is_money_in=amount >= 0, number=number)
    identity = next((each[:_MAX_REFERENCE] for each in details.identities()), None)
    return replace(
        line,
        amount=amount,
        provider_transaction_id=identity,
        description=details.description(),
        counterparty=details.counterparty(),
        reference=details.reference(but=identity),
        iban=details.iban(),
    )


def _amount(payment: Record, entry: Record) -> Decimal | None:
    """The amount of a payment from the account holder's view, in the direction of its own or of the entry."""
    sign = _SIGNS.get(payment.value("CdtDbtInd") or entry.value("CdtDbtInd") or "", 1)
    for path in _AMOUNTS:
        text = payment.value(path)
        if text is not None and payment.value(f"{path}@Ccy") in {entry.value("Amt@Ccy"), None}:
            size = unsigned(text)
            return size.copy_negate() if size and sign < 0 else size
    return None
