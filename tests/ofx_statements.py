"""Small OFX files as a bank would send them, written by a test line by line."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A line of a statement; the reference None is a line without one."""

    day: str
    amount: str
    name: str = "Coffee"
    reference: str | None = None
    pending: bool = False

    @property
    def text(self) -> str:
        kind = "STMTTRNP" if self.pending else "STMTTRN"
        dated = "DTTRAN" if self.pending else "DTPOSTED"
        reference = f"<FITID>{self.reference}" if self.reference is not None else ""
        return (
            f"<{kind}><TRNTYPE>OTHER<{dated}>{self.day.replace('-', '')}<TRNAMT>{self.amount}"
            f"{reference}<NAME>{self.name}</{kind}>"
        )


def statement(*lines, account="4711", currency="EUR", closing=None, closing_day="2026-03-31", card=False):
    """One statement of one account; None leaves account, currency or closing balance out."""
    booked = "".join(line.text for line in lines if not line.pending)
    pending = "".join(line.text for line in lines if line.pending)
    number = f"<ACCTID>{account}" if account is not None else ""
    source = f"<CCACCTFROM>{number}</CCACCTFROM>" if card else f"<BANKACCTFROM>{number}</BANKACCTFROM>"
    balance = f"<BALAMT>{closing}<DTASOF>{closing_day.replace('-', '')}"
    kind = "CCSTMTRS" if card else "STMTRS"
    return "".join([
        f"<{kind}>",
        f"<CURDEF>{currency}" if currency else "",
        source if account is not None else "",
        f"<BANKTRANLIST>{booked}</BANKTRANLIST>",
        f"<BANKTRANLISTP>{pending}</BANKTRANLISTP>" if pending else "",
        f"<LEDGERBAL>{balance}</LEDGERBAL>" if closing is not None else "",
        f"</{kind}>",
    ])  # fmt: skip


def ofx(*statements) -> bytes:
    """A whole file of statements."""
    return f"OFXHEADER:100\n\n<OFX>{''.join(statements)}</OFX>\n".encode()


def bank_file(*lines, **facts) -> bytes:
    """A file with one statement."""
    return ofx(statement(*lines, **facts))
