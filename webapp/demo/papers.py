"""The demo's papers: invoices on one page of PDF, as suppliers send them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from webapp.demo.lines import DemoLine
from webapp.ledger.money import Money

LEFT, TOP, LINE_HEIGHT = 72, 770, 24
HEADING, TEXT = 18, 11


@dataclass(frozen=True, slots=True)
class Paper:
    """A supplier's invoice of what a bank line paid, in the line's currency."""

    sender: str
    number: str
    issued_on: date
    total: Money
    subject: str

    @classmethod
    def of(cls, line: DemoLine, currency: str) -> Paper:
        """Write the invoice that a line paid, of the line's own day."""
        number = f"{line.day:%y%m}-{line.reference[-4:]}"
        return cls(line.party, number, line.day, Money(-line.amount_minor, currency), line.memo)

    @property
    def file_name(self) -> str:
        """The name that the supplier gives the file."""
        return f"invoice-{self.number}.pdf"

    def pdf(self) -> bytes:
        """Write the invoice as PDF 1.4, in a font that every reader has (ISO 32000-1, 9.6.2.2)."""
        rows = [
            (HEADING, self.sender),
            (TEXT, f"Invoice {self.number}"),
            (TEXT, f"{self.issued_on:%d %B %Y}"),
            (TEXT, self.subject),
            (HEADING, f"Total {self.total.currency} {self.total.formatted}"),
            (TEXT, "Paid by card. Thank you."),
        ]
        content = "\n".join(
            f"BT /F1 {size} Tf {LEFT} {TOP - place * LINE_HEIGHT} Td ({_escaped(text)}) Tj ET"
            for place, (size, text) in enumerate(rows)
        ).encode("cp1252", "replace")
        return _file(
            [
                b"<< /Type /Catalog /Pages 2 0 R >>",
                b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources 6 0 R >>",
                b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
                b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
                b"<< /Font << /F1 5 0 R >> >>",
            ]
        )


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _file(objects: Iterable[bytes]) -> bytes:
    """Number objects from 1, and list their places behind them."""
    written, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, start=1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    size = len(places) + 1
    table = b"xref\n0 %d\n0000000000 65535 f \n" % size + b"".join(
        b"%010d 00000 n \n" % each for each in places
    )
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(written))
    return written + table + trailer
