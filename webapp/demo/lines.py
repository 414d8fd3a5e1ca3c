"""The bank lines of the demo's accounts, each with its booking, and as the OFX files that a bank would send."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Literal
from xml.sax.saxutils import escape

from webapp.ledger.money import Money

HEADER = """<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<?OFX OFXHEADER="200" VERSION="211" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>
"""


@dataclass(frozen=True, slots=True)
class Booking:
    """The booking of a line: an account by its code, and a project by its name; the merchant is the line's party."""

    code: str
    project: str | None = None


@dataclass(frozen=True, slots=True)
class DemoLine:
    """One bank line, in minor units from the account holder's view."""

    reference: str
    day: date
    amount_minor: int
    party: str
    memo: str
    booking: Booking
    is_pending: bool = False


@dataclass(frozen=True, slots=True)
class BankAccount:
    """An account at a bank: what it held before its first line, and all its lines, oldest first."""

    name: str
    number: str
    currency: str
    kind: Literal["BANK", "CARD"]
    bank: str
    opening_minor: int
    lines: tuple[DemoLine, ...]

    def booked(self, first: date, last: date) -> tuple[DemoLine, ...]:
        """List the booked lines of a period, both days included."""
        return tuple(line for line in self.lines if not line.is_pending and first <= line.day <= last)

    @property
    def pending(self) -> tuple[DemoLine, ...]:
        """List what the bank has yet to book."""
        return tuple(line for line in self.lines if line.is_pending)

    def balance_minor(self, day: date) -> int:
        """Give the bank's balance of the account at the close of a day."""
        return self.opening_minor + sum(line.amount_minor for line in self.booked(date.min, day))


def statement(account: BankAccount, first: date, last: date, *, with_pending: bool = False) -> bytes:
    """Write an account's statement over a period, with its balance at the close of the last day."""
    around, of_account = (
        ("CREDITCARDMSGSRSV1", "CCACCTFROM") if account.kind == "CARD" else ("BANKMSGSRSV1", "BANKACCTFROM")
    )
    response, body = ("CCSTMTTRNRS", "CCSTMTRS") if account.kind == "CARD" else ("STMTTRNRS", "STMTRS")
    bank = "" if account.kind == "CARD" else "<BANKID>000</BANKID>"
    kind = "" if account.kind == "CARD" else "<ACCTTYPE>CHECKING</ACCTTYPE>"
    balance = Money(account.balance_minor(last), account.currency)
    pending = _pending(account, last) if with_pending and account.pending else ""
    return (
        f"{HEADER}<OFX><SIGNONMSGSRSV1><SONRS><STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>"
        f"<DTSERVER>{last:%Y%m%d}</DTSERVER><LANGUAGE>ENG</LANGUAGE><FI><ORG>{escape(account.bank)}</ORG></FI></SONRS>"
        f"</SIGNONMSGSRSV1>\n<{around}><{response}><TRNUID>0</TRNUID>"
        f"<STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>\n<{body}><CURDEF>{account.currency}</CURDEF>"
        f"<{of_account}>{bank}<ACCTID>{account.number}</ACCTID>{kind}</{of_account}>\n"
        f"<BANKTRANLIST><DTSTART>{first:%Y%m%d}</DTSTART><DTEND>{last:%Y%m%d}</DTEND>\n"
        f"{_transactions(account.booked(first, last), account.currency)}</BANKTRANLIST>\n{pending}"
        f"<LEDGERBAL><BALAMT>{balance}</BALAMT><DTASOF>{last:%Y%m%d}</DTASOF></LEDGERBAL>"
        f"</{body}></{response}></{around}></OFX>\n"
    ).encode()


def _transactions(lines: Iterable[DemoLine], currency: str) -> str:
    return "".join(
        f"<STMTTRN><TRNTYPE>{'CREDIT' if line.amount_minor > 0 else 'DEBIT'}</TRNTYPE>"
        f"<DTPOSTED>{line.day:%Y%m%d}</DTPOSTED>{_facts(line, currency)}</STMTTRN>\n"
        for line in lines
    )


def _pending(account: BankAccount, last: date) -> str:
    lines = "".join(
        f"<STMTTRNP><TRNTYPE>DEBIT</TRNTYPE><DTTRAN>{line.day:%Y%m%d}</DTTRAN>"
        f"{_facts(line, account.currency)}</STMTTRNP>\n"
        for line in account.pending
    )
    return f"<BANKTRANLISTP><DTASOF>{last:%Y%m%d}</DTASOF>\n{lines}</BANKTRANLISTP>\n"


def _facts(line: DemoLine, currency: str) -> str:
    return (
        f"<TRNAMT>{Money(line.amount_minor, currency)}</TRNAMT><FITID>{line.reference}</FITID>"
        f"<NAME>{escape(line.party[:32])}</NAME><MEMO>{escape(line.memo)}</MEMO>"
    )
