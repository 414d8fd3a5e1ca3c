"""Measure what a bank file costs that is refused for its very last line, as long as a file may be.

    python -m benchmarks.refused_files [LINES]

Each format is read in a process of its own, with short texts and with about 300 bytes more a line. Seconds are of the
wall and of the processor; memory is the most that is held above the file itself and what a short file holds.
"""

import io
import multiprocessing
import re
import resource
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final, NamedTuple

from xlsxwriter import Workbook

from benchmarks import books
from webapp import importers
from webapp.importers import FileRefusedError
from webapp.importers.bank_files import MAX_LINES

DAY, NO_AMOUNT = "2026-03-02", "1.x0"
LONG: Final = "and what the bank writes beside it " * 8
MEBIBYTE = 1024 * 1024
Make = Callable[[], bytes]
Read = Callable[[bytes], str]


class Cost(NamedTuple):
    """A file of `size` bytes: seconds, the most MiB above the file itself, and what became of it."""

    size: int
    wall: float
    cpu: float
    memory: float
    outcome: str


def main(count: int) -> None:
    """Measure and print each."""
    print(
        f"{count:,} lines\n{'file':<24}{'size':>14}{'wall':>9}{'CPU':>9}{'memory':>12}  what becomes of it",
        flush=True,
    )
    for name, make in _files():
        base = measured(partial(make, 100), _outcome).memory
        size, wall, cpu, memory, outcome = measured(partial(make, count - 1), _outcome)
        print(
            f"{name:<24}{size:>14,}{wall:>8.2f}s{cpu:>8.2f}s{memory - base:>8.0f} MiB  {outcome[:90]}",
            flush=True,
        )


def _outcome(data: bytes) -> str:
    try:
        importers.read(data)
    except FileRefusedError as refusal:
        return str(refusal)
    return "read"


def _files() -> Iterator[tuple[str, Callable[[int], bytes]]]:
    for name, make in (
        ("OFX", _ofx),
        ("CAMT", _camt),
        ("MT940", _mt940),
        ("QIF", _qif),
        ("CSV", _csv),
        ("XLSX", _xlsx),
    ):
        yield name, partial(make, "")
        yield f"{name}, long texts", partial(make, LONG)


def _ofx(text: str, count: int) -> bytes:
    end = b"</BANKTRANLIST>"
    last = f"<STMTTRN><DTPOSTED>20260302<TRNAMT>{NO_AMOUNT}<FITID>Z</STMTTRN>".encode()
    written = books.ofx("4711", count).replace(b"<NAME>", f"<MEMO>{text}<NAME>".encode())
    return written.replace(end, last + end)


def _camt(text: str, count: int) -> bytes:
    last = f"<Ntry><Amt>{NO_AMOUNT}</Amt><CdtDbtInd>DBIT</CdtDbtInd></Ntry>".encode()
    written = _statement(count).replace(b"</Ustrd>", f"</Ustrd><Ustrd>{text}</Ustrd>".encode())
    return written.replace(b"</Stmt>", last + b"</Stmt>")


def _mt940(text: str, count: int) -> bytes:
    lines = "".join(
        f":61:260302{'D' if amount[0] == '-' else 'C'}{amount.lstrip('-').replace('.', ',')}NMSCF{number}\r\n"
        f":86:{shop}\r\n{_wrapped(text)}"
        for number, _day, amount, shop in _facts(count)
    )
    return f":20:X\r\n:25:1/2\r\n:28C:1/1\r\n:60F:C260301EUR0,\r\n{lines}:61:26030X{NO_AMOUNT}\r\n".encode()


def _wrapped(text: str) -> str:
    return "".join(f"{text[start : start + 65]}\r\n" for start in range(0, min(len(text), 325), 65))


def _qif(text: str, count: int) -> bytes:
    records = "".join(f"D{day}\nT{amount}\nP{shop}\nM{text}\n^\n" for _, day, amount, shop in _facts(count))
    return f"!Type:Bank\n{records}D{DAY}\nT{NO_AMOUNT}\n^\n".encode()


def _csv(text: str, count: int) -> bytes:
    rows = "".join(f"{day},{amount},EUR,{shop} {text}\n" for _, day, amount, shop in _facts(count))
    return f"Date,Amount,Currency,Description\n{rows}{DAY},{NO_AMOUNT},EUR,Shop\n".encode()


def _xlsx(text: str, count: int) -> bytes:
    file = io.BytesIO()
    book = Workbook(file, {"constant_memory": True})
    sheet = book.add_worksheet()
    sheet.write_row(0, 0, ("Date", "Amount", "Currency", "Description"))
    for number, day, amount, shop in _facts(count):
        sheet.write_row(number + 1, 0, (day, float(amount), "EUR", f"{shop} {text}"))
    sheet.write_row(count + 1, 0, (DAY, NO_AMOUNT, "EUR", "Shop"))
    book.close()
    return file.getvalue()


def _facts(count: int) -> Iterator[tuple[int, str, str, str]]:
    """Give so many lines over two years: number, day, amount, text."""
    for number in range(count):
        day = books.FIRST + timedelta(days=number * books.DAYS // count)
        sign = "-" if number % 5 else ""
        yield (
            number,
            day.isoformat(),
            f"{sign}{number % 900 + 1}.05",
            f"Card payment Shop {number % 200} no {number}",
        )


def _statement(count: int) -> bytes:
    """Write the lines as CAMT.053."""
    entries = "".join(
        f'<Ntry><Amt Ccy="EUR">{amount.lstrip("-")}</Amt><CdtDbtInd>'
        f"{'DBIT' if amount[0] == '-' else 'CRDT'}</CdtDbtInd>"
        f"<Sts>BOOK</Sts><BookgDt><Dt>{day}</Dt></BookgDt><AcctSvcrRef>A{number}</AcctSvcrRef><NtryDtls><TxDtls>"
        f"<RmtInf><Ustrd>{text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>\n"
        for number, day, amount, text in _facts(count)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">'
        "<BkToCstmrStmt><Stmt><Id>S</Id><Acct><Id><Othr><Id>4711</Id></Othr></Id><Ccy>EUR</Ccy></Acct>"
        f"{entries}</Stmt></BkToCstmrStmt></Document>\n"
    ).encode()


def measured(make: Make, read: Read) -> Cost:
    """Make a file and read it; processes that the reader starts count too."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=_read, args=(theirs, make, read))
    process.start()
    theirs.close()
    cost: Cost = ours.recv()
    process.join()
    return cost


def _read(to: Connection, make: Make, read: Read) -> None:
    data = make()
    _reset_peak()
    before, begun = _cpu(), time.perf_counter()
    outcome = read(data)
    wall, cpu = time.perf_counter() - begun, _cpu() - before
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    to.send(Cost(len(data), wall, cpu, max(_peak() - len(data) / MEBIBYTE, child), outcome))


def _reset_peak() -> None:
    """Forget the most memory that the process held while the file was made."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _peak() -> float:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
    return int(found[1]) / 1024 if found else 0.0


def _cpu() -> float:
    used = (resource.getrusage(each) for each in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else MAX_LINES)
