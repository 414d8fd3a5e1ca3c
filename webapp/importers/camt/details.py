"""The payment details of a CAMT entry: counterparty, purpose and references."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Final

from webapp.importers.camt.values import unsigned
from webapp.importers.texts import iban, joined
from webapp.importers.xml_records import XmlRecord
from webapp.ledger.currencies import DIGITS
from webapp.ledger.matching.lines import is_placeholder

_MAX_DETAIL: Final = 500
_CHARGES: Final = ("Chrgs/Rcrd/Amt", "Chrgs/Amt", "Chrgs/TtlChrgsAndTaxAmt")
_ORIGINALS: Final = [(path, f"{path}@Ccy") for path in ("AmtDtls/InstdAmt/Amt", "AmtDtls/TxAmt/Amt", "Amt")]
_RATES: Final = (
    "AmtDtls/TxAmt/CcyXchg/XchgRate",
    "AmtDtls/InstdAmt/CcyXchg/XchgRate",
    "AmtDtls/CntrValAmt/CcyXchg/XchgRate",
)
_OTHER: Final = {"Dbtr": "Cdtr", "Cdtr": "Dbtr"}
_ACCOUNTS: Final = {side: f"RltdPties/{side}Acct/Id/IBAN" for side in _OTHER}
# The name of a party in either version of the format, else the name of the ultimate party.
_NAMES: Final = {
    side: (
        f"RltdPties/{side}/Nm",
        f"RltdPties/{side}/Pty/Nm",
        f"RltdPties/Ultmt{side}/Nm",
        f"RltdPties/Ultmt{side}/Pty/Nm",
    )
    for side in _OTHER
}
_TEXTS: Final = ("RmtInf/Ustrd", "RmtInf/Strd/AddtlRmtInf", "AddtlTxInf")
_REFERENCES: Final = (
    "RmtInf/Strd/CdtrRefInf/Ref",
    "RmtInf/Strd/CdtrRefInf/CdtrRef",
    "Refs/EndToEndId",
    "Refs/InstrId",
    "Refs/ChqNb",
    "Refs/TxId",
)


class Details:
    """The details of an entry's payments: usually one, many in a batch, sometimes none."""

    def __init__(self, entry: XmlRecord, *, is_money_in: bool, number: str | None) -> None:
        """Read an entry of the account `number`."""
        self._entry = entry
        self._number = number
        self._is_money_in = is_money_in
        self._payments = entry.parts
        self._parties = [self._party(payment) for payment in entry.parts]

    def identities(self) -> list[str]:
        """Return the bank's references of the payment, where there is exactly one payment."""
        return self._payments[0].values("Refs/AcctSvcrRef") if len(self._payments) == 1 else []

    def counterparty(self) -> str | None:
        """Return the other party's name; None where the payments of a batch have different ones."""
        return _only([name for name, _ in self._parties])

    def iban(self) -> str | None:
        """Return the counterparty's IBAN, where all payments have the same."""
        return _only([account for _, account in self._parties])

    def reference(self, *, but: str | None) -> str | None:
        """Return the payer's or payee's reference where it differs from the bank's own (`but`)."""
        stated = self._payments[0].fields if self._payments else {}
        for path in filter(stated.__contains__, _REFERENCES):
            found = _only([payment.value(path) for payment in self._payments])
            if found and found != but and not is_placeholder(found):
                return found
        return None

    def description(self) -> str:
        """Return the bank's text of all payments without repetitions, cut to the length of a description."""
        texts = [*self._texts(), *self._entry.values("AddtlNtryInf")]
        return joined(texts or self._entry.values("NtryRef", "BkTxCd/Prtry/Cd"))

    def stated(self) -> dict[str, Any]:
        """Return the charges, the original amount and the reason of a return, where there is one payment."""
        if len(self._payments) != 1:
            return {}
        payment, own = self._payments[0], self._entry.value("Amt@Ccy")
        code, amount = self._original(payment, own)
        return {
            "charges": self._charges(payment, own),
            "original_amount": amount,
            "original_currency": code,
            "exchange_rate": unsigned(payment.value(*_RATES) or "") if code else None,
            "return_reason": _cut(payment.value("RtrInf/Rsn/Cd", "RtrInf/Rsn/Prtry")),
            "return_text": _cut(joined(payment.values("RtrInf/AddtlInf"))),
        }

    def _charges(self, payment: XmlRecord, own: str | None) -> Decimal | None:
        """Add up the charges within the amount; those of the payment are stated again for its entry."""
        for record in (payment, self._entry):
            for path in _CHARGES:
                if path not in record.fields:
                    continue
                found = [unsigned(amount) for amount in record.values(path)]
                if None not in found and set(record.values(f"{path}@Ccy")) <= {own}:
                    return sum((each for each in found if each), Decimal(0)) or None
        return None

    def _original(self, payment: XmlRecord, own: str | None) -> tuple[str | None, Decimal | None]:
        """Return the currency and the amount that was paid, where it is not the currency of the entry."""
        for path, of_currency in _ORIGINALS:
            code = payment.value(of_currency)
            if code in DIGITS and own and code != own:
                amount = unsigned(payment.value(path) or "")
                if amount is not None:
                    return code, amount
        return None, None

    def _texts(self) -> Iterator[str]:
        for payment, (name, _) in zip(self._payments, self._parties, strict=True):
            if name:
                yield name
            yield from payment.values(*_TEXTS)

    def _party(self, payment: XmlRecord) -> tuple[str | None, str | None]:
        """Return the name and the IBAN of the counterparty."""
        side = self._side(payment)
        name = payment.value(*_NAMES[side]) or payment.value(f"RltdAgts/{side}Agt/FinInstnId/Nm")
        return name, iban(payment.value(_ACCOUNTS[side]) or "")

    def _side(self, payment: XmlRecord) -> str:
        """Which of debtor (Dbtr) and creditor (Cdtr) is the counterparty.

        Incoming money comes from the debtor. If a payment is returned or reversed, most banks keep both in their
        original roles, so the counterparty is the other one. First of all, a party with the account's own number
        is ruled out.
        """
        side = "Dbtr" if self._is_money_in else "Cdtr"
        own = [
            each for each, path in _ACCOUNTS.items() if self._number and payment.value(path) == self._number
        ]
        if len(own) == 1:
            return _OTHER[own[0]]
        is_reversal = (self._entry.value("RvslInd") or "").lower() in {"true", "1"} or any(
            path.startswith("RtrInf/") for path in payment.fields
        )
        return _OTHER[side] if is_reversal and payment.value(*_NAMES[_OTHER[side]]) else side


def _cut(text: str | None) -> str | None:
    return text[:_MAX_DETAIL] if text else None


def _only(values: Sequence[str | None]) -> str | None:
    """Return the value that all payments have, or None."""
    return values[0] if values and values.count(values[0]) == len(values) else None
