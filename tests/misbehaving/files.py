"""The files of a bank that misbehaves: the same lines in the formats that banks write, each with its own words."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.fixtures.bank_files import camt_files, ofx_statements

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

CSV_MAPPING = {
    "header": 0,
    "delimiter": ",",
    "date": "Date",
    "dateFormat": "%Y-%m-%d",
    "amount": "Amount",
    "decimal": ".",
    "description": "Text",
}
QIF_MAPPING = {"dateFormat": "%d/%m/%Y"}


@dataclass(frozen=True)
class Printed:
    """A line as a file prints it; the reference None is a line without one."""

    day: date
    minor: int
    text: str
    reference: str | None
    pending: bool = False

    def __str__(self) -> str:
        facts = f"{self.day:%m-%d} {self.amount} {self.text!r} {self.reference}"
        return f"{facts} pending" if self.pending else facts

    @property
    def amount(self) -> str:
        return f"{'-' if self.minor < 0 else ''}{abs(self.minor) // 100}.{abs(self.minor) % 100:02}"

    @property
    def size(self) -> str:
        return self.amount.lstrip("-")


@dataclass(frozen=True)
class File:
    """A whole file as it is uploaded."""

    name: str
    data: bytes
    mapping: str | None = None


def ofx(lines: Sequence[Printed], number: str) -> File:
    rows = [
        ofx_statements.Line(str(line.day), line.amount, line.text.upper()[:32], line.reference, line.pending)
        for line in lines
    ]
    return File("statement.ofx", ofx_statements.bank_file(*rows, account=number))


def camt(lines: Sequence[Printed], number: str) -> File:
    entries = [
        camt_files.entry(
            line.size,
            "DBIT" if line.minor < 0 else "CRDT",
            camt_files.payment(text=line.text),
            booked=str(line.day),
            status="PDNG" if line.pending else "BOOK",
            reference=line.reference,
        )
        for line in lines
    ]
    return File("statement.xml", camt_files.message(camt_files.statement(*entries, number=number)))


def mt940(lines: Sequence[Printed], number: str) -> File:
    fields = [":20:STARTUMS", f":25:{number}", ":28C:1/1", ":60F:C260301EUR0,00"]
    for line in lines:
        mark = ("E" if line.pending else "") + ("D" if line.minor < 0 else "C")
        reference = f"//{line.reference}" if line.reference else ""
        size = line.size.replace(".", ",")
        fields.append(f":61:{line.day:%y%m%d%m%d}{mark}{size}NTRFNONREF{reference}")
        fields.append(f":86:{line.text}")
    total = sum(line.minor for line in lines if not line.pending)
    closing = Printed(lines[0].day, total, "", None).size.replace(".", ",") if lines else "0,00"
    fields += [f":62F:{'D' if total < 0 else 'C'}260430EUR{closing}", "-"]
    return File("statement.sta", "".join(f"{field}\n" for field in fields).encode())


def qif(lines: Sequence[Printed], _number: str) -> File:
    records = [f"D{line.day:%d/%m/%Y}\nT{line.amount}\nP{line.text}\n^\n" for line in lines]
    return File("statement.qif", ("!Type:Bank\n" + "".join(records)).encode(), json.dumps(QIF_MAPPING))


def separated(lines: Sequence[Printed], _number: str) -> File:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(["Date", "Amount", "Text"])
    writer.writerows([line.day, line.amount, line.text] for line in lines)
    return File("statement.csv", text.getvalue().encode(), json.dumps(CSV_MAPPING))


WRITERS = {"ofx": ofx, "camt": camt, "mt940": mt940, "qif": qif, "csv": separated}
SHOWS_PENDING = frozenset({"ofx", "camt", "mt940"})
