"""What a CAMT entry says about its payments: who stands on the other side, what for, under which references."""

from collections.abc import Iterator
from typing import Final

from webapp.importers.texts import iban, joined
from webapp.importers.xml_records import Record
from webapp.ledger.matching.lines import is_placeholder

_OTHER: Final = {"Dbtr": "Cdtr", "Cdtr": "Dbtr"}
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
    """The payments of an entry: mostly one, in a batch many, sometimes none."""

    def __init__(self, entry: Record, *, is_money_in: bool, number: str | None) -> None:
        """Look at an entry of the account `number`."""
        self._entry = entry
        self._number = number
        self._is_money_in = is_money_in
        self._payments = entry.parts

    def identities(self) -> list[str]:
        """Give the bank's reference of the payment, where there is one payment."""
        return self._payments[0].values("Refs/AcctSvcrRef") if len(self._payments) == 1 else []

    def counterparty(self) -> str | None:
        """Name who paid or was paid; nobody where the payments of a batch are of several."""
        return _only(self._party_name(payment) for payment in self._payments)

    def iban(self) -> str | None:
        """Give the counterparty's IBAN, where all payments have the same."""
        return _only(self._party_iban(payment) for payment in self._payments)

    def reference(self, *, but: str | None) -> str | None:
        """Give the payer's or payee's reference where it says more than the bank's own (`but`)."""
        for path in _REFERENCES:
            found = _only(payment.value(path) for payment in self._payments)
            if found and found != but and not is_placeholder(found):
                return found
        return None

    def description(self) -> str:
        """All of the bank's text once, as much of it as a line shows; of every payment where there are several."""
        texts = [*self._texts(), *self._entry.values("AddtlNtryInf")]
        return joined(texts or self._entry.values("NtryRef", "BkTxCd/Prtry/Cd"))

    def _texts(self) -> Iterator[str]:
        for payment in self._payments:
            if name := self._party_name(payment):
                yield name
            yield from payment.values(*_TEXTS)

    def _party_name(self, payment: Record) -> str | None:
        side = self._side(payment)
        return _name(payment, side) or payment.value(f"RltdAgts/{side}Agt/FinInstnId/Nm")

    def _party_iban(self, payment: Record) -> str | None:
        return iban(payment.value(f"RltdPties/{self._side(payment)}Acct/Id/IBAN") or "")

    def _side(self, payment: Record) -> str:
        """Which of debtor and creditor is not the account's own side.

        Money that comes in comes from the debtor. Where a payment is returned or reversed, most banks leave
        both in the roles of the payment that it undoes, so that the other one is meant; an account number
        that is the account's own decides before either.
        """
        side = "Dbtr" if self._is_money_in else "Cdtr"
        accounts = {which: payment.value(f"RltdPties/{which}Acct/Id/IBAN") for which in _OTHER}
        own = {which for which, account in accounts.items() if account and account == self._number}
        if len(own) == 1:
            return _OTHER[own.pop()]
        is_undone = (self._entry.value("RvslInd") or "").lower() in {"true", "1"} or any(
            path.startswith("RtrInf/") for path in payment.fields
        )
        return _OTHER[side] if is_undone and _name(payment, _OTHER[side]) else side


def _name(payment: Record, side: str) -> str | None:
    """The name of a party, in the older or the newer versions' place for it, else of whom it acts for."""
    return payment.value(
        f"RltdPties/{side}/Nm",
        f"RltdPties/{side}/Pty/Nm",
        f"RltdPties/Ultmt{side}/Nm",
        f"RltdPties/Ultmt{side}/Pty/Nm",
    )


def _only(values: Iterator[str | None]) -> str | None:
    """The value that all payments have, or None."""
    found = next(values, None)
    return found if all(value == found for value in values) else None
