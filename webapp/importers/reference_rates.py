"""The European Central Bank's euro foreign exchange reference rates: its XML and CSV files, daily and history.

Both state the units of a currency for one euro (https://www.ecb.europa.eu/stats/eurofxref). The CSV files come in
a ZIP archive, which is read without unpacking it first.
"""

import csv
import io
import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import zip_longest
from typing import Final
from xml.parsers import expat

from webapp.importers.bank_files import FileRefusedError
from webapp.ledger.currencies import ACTIVE

SOURCE: Final = "European Central Bank"
# The whole history since 1999 is about 8 MB of XML.
MOST_BYTES: Final = 32 * 1024 * 1024

_RATE: Final = re.compile(r"[0-9]{1,12}(\.[0-9]{1,12})?", re.ASCII)
_NO_RATE: Final = frozenset({"", "N/A", "-"})
_UNKNOWN: Final = "The file has no reference rates of the European Central Bank; choose its XML or CSV file."


@dataclass(frozen=True, slots=True)
class DayRates:
    """The value of one euro on a day, in units of each currency that is in use today."""

    day: date
    per_euro: dict[str, Decimal]


def read(data: bytes) -> list[DayRates]:
    """Read a file of reference rates, the earliest day first; raises FileRefusedError.

    Replaced currencies are left out: their rates could be mistaken for those of their successors.
    """
    text = _text(_unpacked(data))
    found = _read_xml(text) if text.startswith("<") else _read_csv(text)
    days = {rates.day: rates for rates in found if rates.per_euro}
    if not days:
        raise FileRefusedError(_UNKNOWN)
    return [days[day] for day in sorted(days)]


def _unpacked(data: bytes) -> bytes:
    if not data.startswith(b"PK\x03\x04"):
        return data
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            (member,) = archive.infolist()
            with archive.open(member) as file:
                # The sizes that the archive states may be false, so that the unpacked bytes are counted.
                unpacked = file.read(MOST_BYTES + 1)
    except (ValueError, zipfile.BadZipFile, RuntimeError, EOFError, OSError) as error:
        raise FileRefusedError(_UNKNOWN) from error
    if len(unpacked) > MOST_BYTES:
        raise FileRefusedError("The archive unpacks to more data than any file of reference rates has.")
    return unpacked


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise FileRefusedError(_UNKNOWN) from error


def _read_xml(text: str) -> list[DayRates]:
    """Read all of <Cube time="2026-11-20"><Cube currency="USD" rate="1.0842"/>…</Cube>."""
    found: list[DayRates] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        if name.rpartition(":")[2] != "Cube":
            return
        if "time" in attributes:
            found.append(DayRates(_day(attributes["time"]), {}))
        elif "currency" in attributes:
            if not found:
                raise FileRefusedError(_UNKNOWN)
            _add_rate(found[-1], attributes["currency"], attributes.get("rate", ""))

    def refuse_document_type(*_declared: object) -> None:
        raise FileRefusedError(
            "The file has a document type declaration, which the bank's file never has; it was not read."
        )

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = refuse_document_type
    try:
        parser.Parse(text, True)  # noqa: FBT003  (expat takes it by position only)
    except expat.ExpatError as error:
        raise FileRefusedError(
            f"Line {error.lineno:,} of the file is not valid XML; download it again."
        ) from None
    return found


def _read_csv(text: str) -> list[DayRates]:
    """Read a header of "Date" and currency codes, then a row for each day."""
    rows = csv.reader(io.StringIO(text), skipinitialspace=True)
    head = [cell.strip() for cell in next(rows, [])]
    if not head or head[0] != "Date":
        raise FileRefusedError(_UNKNOWN)
    return [_row(head, row) for row in _rows(rows) if row and row[0].strip()]


def _rows(rows: Iterable[list[str]]) -> Iterable[list[str]]:
    try:
        yield from rows
    except csv.Error as error:
        raise FileRefusedError(_UNKNOWN) from error


def _row(head: list[str], row: list[str]) -> DayRates:
    rates = DayRates(_day(row[0].strip()), {})
    for currency, figure in zip_longest(head[1:], row[1:], fillvalue=""):
        if figure.strip() and not currency:
            raise FileRefusedError(f"The row of {rates.day.isoformat()} has more figures than currencies.")
        _add_rate(rates, currency, figure.strip())
    return rates


def _add_rate(rates: DayRates, currency: str, figure: str) -> None:
    if figure in _NO_RATE or currency not in ACTIVE:
        return
    if not _RATE.fullmatch(figure) or not Decimal(figure):
        raise FileRefusedError(
            f"The {currency} rate of {rates.day.isoformat()} is not a number: {figure[:40]}."
        )
    rates.per_euro[currency] = Decimal(figure)


def _day(text: str) -> date:
    for form in ("%Y-%m-%d", "%d %B %Y"):
        try:
            return datetime.strptime(text, form).date()  # noqa: DTZ007  (a day has no time zone)
        except ValueError:
            continue
    raise FileRefusedError(f"{text[:40]} is not a date of a file of reference rates.")
