"""One table of number strings and days through the readers of every format: exact, or refused, never guessed."""

from datetime import date
from decimal import Decimal

from tests.importers.hostile import outcome
from tests.importers.tables.test_csv_amounts import FORMATS, NEVER, NUMBERS, SIGNS, WORDED
from webapp.importers import values
from webapp.importers.bank_files import BankFile
from webapp.importers.camt.values import unsigned
from webapp.importers.qif import reader as qif_amounts
from webapp.importers.qif.days import day as qif_day
from webapp.importers.tables import amounts as csv_amounts
from webapp.importers.tables.days import DayParser
from webapp.importers.tables.typed_cells import ErrorCell
from webapp.importers.xlsx import cells

PATTERNS = {**SIGNS, **{pattern: sign or -1 for pattern, sign in WORDED.items()}}
TABLE = [
    (pattern.format(text), decimal, thousands, sign * value)
    for text, decimal, thousands, value in NUMBERS
    for pattern, sign in PATTERNS.items()
]
YEAR_FIRST, DAY_FIRST, MONTH_FIRST = "%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y"
DAYS = [
    date(year, month, day)
    for year in (1999, 2000, 2024, 2026)
    for month in range(1, 13)
    for day in (1, 12, 28)
]
NO_DAYS = [
    *("2026-02-29", "2026-13-01", "2026-00-10", "2026-01-00", "1900-02-29", "2026-1-", "", "0000-00-00"),
    *("20260230", "31/31/2026", "2026-03-05x", "\u0662\u0660\u0662\u0666-03-05", "12345", "-5", "9999-12-31"),
]


def test_every_number_is_exact_in_its_format_or_refused_in_every_reader(figure):
    strings = {text for text, *_ in TABLE} | set(NEVER)
    assert len(strings) >= 300
    asked = read = 0
    for text, decimal, thousands, value in TABLE:
        assert csv_amounts.exact(text, decimal, thousands) == value
        found = {
            "qif": qif_amounts.exact(text, decimal),
            "ofx": values.amount(text),
            "camt": unsigned(text),
            "xlsx": cells.number(text, is_computed=False),
        }
        asked += 1 + len(found)
        read += 1 + sum(each is not None and not isinstance(each, ErrorCell) for each in found.values())
        assert found["qif"] in {None, value}
        # OFX, CAMT and XLSX have one way of writing numbers: with a point, or for OFX a lone mark as the point.
        lone = text.count(".") + text.count(",") == 1
        if decimal == "." or not lone:
            assert found["ofx"] in {None, value} or (thousands == "," and lone)
        if decimal == ".":
            assert found["camt"] in {None, value}
            assert isinstance(found["xlsx"], ErrorCell) or Decimal(found["xlsx"]) == value
    for text in NEVER:
        for decimal, thousands in FORMATS:
            assert csv_amounts.exact(text, decimal, thousands) is None
    figure(
        "P30",
        f"{len(strings):,} number strings, {asked:,} readings: {read:,} exact, the others refused, 0 wrong",
    )


def test_every_day_is_exact_in_its_format_or_refused(figure):
    asked = 0
    for each in DAYS:
        for written in (YEAR_FIRST, DAY_FIRST, MONTH_FIRST):
            text = each.strftime(written)
            assert DayParser(written).day(text) == each
            order = {YEAR_FIRST: "ymd", DAY_FIRST: "dmy", MONTH_FIRST: "mdy"}[written]
            assert qif_day(text, order) == each
            asked += 2
        assert values.day(f"{each:%Y%m%d}120000[-5:EST]") == each
        serial = (each - date(1899, 12, 30)).days
        assert cells.day(str(serial), is_1904=False).day == each
        asked += 2
    for text in NO_DAYS:
        for written in (YEAR_FIRST, DAY_FIRST, MONTH_FIRST):
            assert DayParser(written).day(text) is None
        asked += 3
    assert len(DAYS) + len(NO_DAYS) >= 100
    figure("P30", f"{len(DAYS) + len(NO_DAYS)} days, {asked:,} readings, 0 wrong")


def test_an_amount_that_the_file_leaves_open_is_asked_for():
    for text in ("1.234", "1,234"):
        found = outcome(f'Date,Description,Amount\n2026-03-05,Tea,"-{text}"\n'.encode())
        assert not isinstance(found, BankFile)
