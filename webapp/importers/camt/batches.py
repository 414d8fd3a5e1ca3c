"""The payments of a CAMT batch, each as a line of its own where the bank states its amount."""

from dataclasses import replace
from decimal import Decimal
from typing import Final

from webapp.importers.bank_files import FileLine
from webapp.importers.camt.details import Details
from webapp.importers.camt.values import unsigned
from webapp.importers.xml_records import XmlRecord

_MAX_REFERENCE: Final = 1000
_MAX_COUNT: Final = 9
# The booked amount, then, in older versions, the amount of the transaction.
_AMOUNTS: Final = ("Amt", "AmtDtls/TxAmt/Amt")
_SIGNS: Final = {"CRDT": 1, "DBIT": -1}


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
        return replace(line, payments=count)
    parts = tuple(
        _part_line(line, entry, payment, amount, number)
        for payment, amount in zip(entry.parts, stated_amounts, strict=True)
    )
    return replace(line, payments=count, parts=parts)


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
    return replace(
        line,
        amount=amount,
        provider_transaction_id=identity,
        description=details.description(),
        counterparty=details.counterparty(),
        reference=details.reference(but=identity),
        iban=details.iban(),
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
