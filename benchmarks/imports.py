"""Measure 100,000 lines that come in at one go: time, memory, and what others feel of it, as ratios to a quiet server.

    python -m benchmarks.imports [LINES] [sqlite|postgresql]

For each of OFX, CAMT and CSV a fresh database is served by `tieout serve`; two clients confirm lines and read the hub,
first alone and then while the file is uploaded. Prints seconds, the peak memory of the importing process in MiB, and
the others' p99 in milliseconds with its ratio to the quiet run.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Self

from tests.concurrency.crowds import Client, percentile
from tests.fixtures.banks import Bank
from tests.fixtures.houses import House
from tests.fixtures.people import Person
from tests.fixtures.servers import Server
from tests.fixtures.stores import PostgresqlServer, SqliteFiles

LINES = 100_000
CONFIRMED = 400
QUIET_SECONDS = 5
Facts = Callable[[int], Iterator[tuple[int, str, str, str]]]
FIRST, DAYS = date(2024, 1, 1), 730
LONGEST_SECONDS = 300


def facts(count: int) -> Iterator[tuple[int, str, str, str]]:
    """Give so many lines over two years: number, day, amount, text."""
    for number in range(count):
        day = FIRST + timedelta(days=number * DAYS // count)
        sign = "-" if number % 5 else ""
        yield (
            number,
            day.isoformat(),
            f"{sign}{number % 900 + 1}.05",
            f"Card payment Shop {number % 200} no {number}",
        )


def alike(count: int) -> Iterator[tuple[int, str, str, str]]:
    """Give so many lines of one day, one amount and one text, which no index tells apart."""
    for number in range(count):
        yield number, FIRST.isoformat(), "-12.05", "Card payment Shop"


def ofx(count: int, of: Facts = facts) -> bytes:
    """Write the lines as OFX."""
    lines = "".join(
        f"<STMTTRN><TRNTYPE>OTHER<DTPOSTED>{day.replace('-', '')}<TRNAMT>{amount}<FITID>F{number}"
        f"<NAME>{text}</STMTTRN>\n"
        for number, day, amount, text in of(count)
    )
    return (
        "OFXHEADER:100\n\n<OFX><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>4711</BANKACCTFROM>"
        f"<BANKTRANLIST>{lines}</BANKTRANLIST></STMTRS></OFX>\n"
    ).encode()


def camt(count: int) -> bytes:
    """Write the lines as CAMT.053."""
    entries = "".join(
        f'<Ntry><Amt Ccy="EUR">{amount.lstrip("-")}</Amt><CdtDbtInd>'
        f"{'DBIT' if amount[0] == '-' else 'CRDT'}</CdtDbtInd>"
        f"<Sts>BOOK</Sts><BookgDt><Dt>{day}</Dt></BookgDt><AcctSvcrRef>A{number}</AcctSvcrRef><NtryDtls><TxDtls>"
        f"<RmtInf><Ustrd>{text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>\n"
        for number, day, amount, text in facts(count)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">'
        "<BkToCstmrStmt><Stmt><Id>S</Id><Acct><Id><Othr><Id>4711</Id></Othr></Id><Ccy>EUR</Ccy></Acct>"
        f"{entries}</Stmt></BkToCstmrStmt></Document>\n"
    ).encode()


def csv(count: int) -> bytes:
    """Write the lines as CSV."""
    rows = "".join(f"{day},{amount},EUR,{text}\n" for _, day, amount, text in facts(count))
    return f"Date,Amount,Currency,Description\n{rows}".encode()


FORMATS = {"ofx": ofx, "camt": camt, "csv": csv}


@contextlib.contextmanager
def served(house: House) -> Iterator[Server]:
    """Serve the books with one worker."""
    house.leave()
    server = Server(house, 1)
    try:
        yield server
    finally:
        server.process.terminate()
        server.process.wait(60)


def upload(address: str, person: Person, name: str, data: bytes) -> int:
    """Send a file as a form; answers how many lines it added."""
    border = "a-border-of-no-file"
    head = f'--{border}\r\nContent-Disposition: form-data; name="file"; filename="long.{name}"\r\n\r\n'
    body = head.encode() + data + f"\r\n--{border}--\r\n".encode()
    request = urllib.request.Request(  # noqa: S310  (our own address)
        f"{address}/api/feeds/imports",
        body,
        {
            "Authorization": f"Bearer {person.token}",
            "Content-Type": f"multipart/form-data; boundary={border}",
        },
    )
    with urllib.request.urlopen(request, timeout=LONGEST_SECONDS) as answer:  # noqa: S310  (our own address)
        return sum(each["added"] for each in json.load(answer)["import"]["accounts"])


class Others:
    """Two clients that go on working: one confirms lines, one reads the hub."""

    def __init__(self, address: str, person: Person, lines: list[int]) -> None:
        self._lines = lines
        self._address, self._person = address, person
        self._ended = threading.Event()
        self.seconds: dict[str, list[float]] = {"confirm": [], "hub": []}
        self.failed = 0
        self._threads = [threading.Thread(target=self._confirm), threading.Thread(target=self._read)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _confirm(self) -> None:
        with contextlib.closing(Client(self._address, self._person.token)) as client:
            while self._lines and not self._ended.wait(0.02):
                answer = client.post(f"/api/transactions/{self._lines.pop()}/confirm")
                self.seconds["confirm"].append(answer.seconds)
                self.failed += answer.status >= 500  # noqa: PLR2004  (what a server calls its own fault)

    def _read(self) -> None:
        request = urllib.request.Request(  # noqa: S310  (our own address)
            f"{self._address}/api/reconciliations/accounts",
            headers={"Authorization": f"Bearer {self._person.token}"},
        )
        while not self._ended.wait(0.02):
            began = time.monotonic()
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310  (our own address)
                answer.read()
            self.seconds["hub"].append(time.monotonic() - began)


def measured(store: SqliteFiles | PostgresqlServer, name: str, count: int) -> str:
    """Measure one format on fresh books, and tell it as a row."""
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        house = House(store, folder)
        house.refresh()
        ada = house.people["ada"]
        lines = Bank(house.app, ada).send_many(
            [("2026-03-02", "-1.00", f"Line {n}") for n in range(CONFIRMED)]
        )
        data = FORMATS[name](count)
        with served(house) as server:
            address, worker = server.address, server.worker_pids()[0]
            with Others(address, ada, lines) as calm:
                time.sleep(QUIET_SECONDS)
            began = time.monotonic()
            with Others(address, ada, lines) as busy:
                added = upload(address, ada, name, data)
                seconds = time.monotonic() - began
            status = Path(f"/proc/{worker}/status").read_text()
        house.leave()
    if added != count:
        raise SystemExit(f"{name}: {added} of {count} lines came in.")
    peak = next(int(line.split()[1]) // 1024 for line in status.splitlines() if line.startswith("VmHWM"))
    felt = []
    for act, taken in busy.seconds.items():
        quiet, p99 = percentile(calm.seconds[act], 0.99), percentile(taken, 0.99)
        felt.append(f"{act} p99 {p99:6.0f} ms ({p99 / quiet:5.1f} x {quiet:4.0f} ms, {len(taken)} answers)")
    rate = count / seconds
    return f"{name:<5} {seconds:6.1f} s {rate:7.0f} lines/s {peak:5} MiB  {'  '.join(felt)}  {busy.failed} failed"


def main(count: int, engine: str) -> None:
    """Measure every format on an engine, and print a row for each."""
    # A server starts only where nobody else can read its books.
    os.umask(0o077)
    print(f"{count:,} lines on {engine}, one worker", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteFiles(Path(folder)) if engine == "sqlite" else PostgresqlServer("imports", "benchmark")
        for name in FORMATS:
            print(measured(store, name, count), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else LINES, sys.argv[2] if sys.argv[2:] else "sqlite")
