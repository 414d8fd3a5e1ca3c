"""Texts written to harm whoever opens an export: in every field and format, however cells are separated."""

import csv
import io
import itertools
import re
from datetime import date

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from webapp import importers
from webapp.exporters import FORMATS, csv_files, workbooks
from webapp.exporters.books import BookAccount, BookEntry, BookLeg, ExportedBook
from webapp.exporters.csv_files import Table
from webapp.importers.archives import Archive
from webapp.importers.xlsx.workbooks import Workbook
from webapp.ledger.money import Money
from webapp.ledger.texts.controls import without_controls

BEFORE = ("", "a;", "a|", "a\t", "a\n", "a\r\n", 'a;"', 'a;""', "a; ", "a;'", 'a"|"', "\x1b[31m;")
COMMANDS = ("=1+1", "+SUM(A1:A9)", "-2+3|' /C calc'!A0", '@HYPERLINK("http://x.example")', "\uff1dcmd|x")
PAYLOADS = [before + command for before, command in itertools.product(BEFORE, COMMANDS)]
ENDS = ["a;", "a;\t", 'a;"', "a|' ", "\x1b[2J\x9b1m", "Refund \u202e00.5", "a\x00b"]
TEXTS = [*PAYLOADS, *ENDS]
# What begins a formula, behind what programs skip; and what commands a terminal or turns the direction of a text.
FORMULA = re.compile('[ "\u00a0\u3000]*[=+@\uff1d\t-]')
NUMBER = re.compile(r"-?\d+(\.\d+)?")
CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def book():
    """A book with a text in every field of the description, the account, the merchant and the project."""
    day = date(2026, 3, 1)
    accounts = tuple(BookAccount(place, text, text, "EXPENSE", None) for place, text in enumerate(TEXTS, 1))
    entries = [
        BookEntry(
            *(place, place, day, text, "POSTED", "MANUAL", None, None),
            tuple(
                BookLeg(place, Money(sign * 1250, "EUR"), Money(sign * 1250, "EUR"), text, text)
                for sign in (1, -1)
            ),
        )
        for place, text in enumerate(TEXTS, 1)
    ]
    return ExportedBook(TEXTS[5], "EUR", ("EUR",), accounts, entries, (), day)


def written(format_):
    return "".join(FORMATS[format_][0](book()))


def formulas(text, delimiter):
    cells = itertools.chain.from_iterable(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    return [cell for cell in cells if FORMULA.match(cell) and not NUMBER.fullmatch(cell)]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_no_cell_of_a_csv_begins_a_formula_however_cells_are_separated(delimiter):
    rows = [(text, Money(-1250, "EUR"), text, text) for text in TEXTS]
    report = b"".join(csv_files.as_csv(Table("Rents", TEXTS[:4], rows))).decode()
    assert formulas(written("csv"), delimiter) == []
    assert formulas(report, delimiter) == []


def test_figures_are_as_they_were_and_texts_come_back_equal(figure):
    rows = list(csv.DictReader(io.StringIO(written("csv"), newline="")))
    assert {row["amount"] for row in rows} == {"12.50", "-12.50"}
    lines = [(date(2026, 3, 1), text, Money(-1250, "EUR")) for text in TEXTS]
    data = b"".join(csv_files.as_csv(Table("", ("Date", "Description", "Amount"), lines)))
    (statement,) = importers.read(data, mapping={"invert": False}).statements
    assert [line.description for line in statement.lines] == [
        " ".join(without_controls(text).split()) for text in TEXTS
    ]
    figure(
        "P50",
        f"{len(TEXTS)} texts in every field, read under 4 separators: 0 formula cells, equal on the way back",
    )


@pytest.mark.parametrize("format_", FORMATS)
def test_no_export_repeats_a_control_character(format_):
    assert CONTROLS.search(written(format_)) is None


def test_a_workbook_shows_texts_as_texts_without_controls():
    file = io.BytesIO()
    workbooks.write(file, Table(TEXTS[5], ("Text",), [(text,) for text in TEXTS]))
    found = Workbook(Archive(file.getvalue()))
    cells = [row.cells[0] for row in found.sheet(found.sheets[0]).rows[1:]]
    assert cells == [without_controls(text).replace("\r\n", "\n").strip() for text in TEXTS]


@on_sqlite
@pytest.mark.parametrize("path", ["csv", "beancount", "hledger", "report?report=general_ledger&format=csv"])
def test_a_payee_reaches_no_cell_and_no_terminal(ada, bank, desk, path):
    desk.confirm(bank.send("2026-03-02", "-5.00", "Shop;=1+1 \x9b31m"))
    text = ada.get(f"/api/exports/{path}").text
    assert "31m" in text
    assert CONTROLS.search(text) is None
    assert ";=" not in text or path in {"beancount", "hledger"}
