"""Tables of invoices as programs export them: found by the names in their header, or by a mapping, and read exactly."""

from datetime import date, timedelta
from decimal import Decimal
from random import Random

import pytest

from tests.fixtures.bank_files.xlsx_files import workbook
from webapp.importers import invoice_tables
from webapp.importers.bank_files import FileRefusedError, MappingNeededError

GERMAN = """Offene Rechnungen der Ada Studio
Rechnungsnr.;Rechnungsdatum;Fällig am;Kunde;USt-IdNr.;Netto;USt;Brutto (EUR);Betreff
R-1;15.01.2026;14.02.2026;Kunde AG;DE123456789;1.000,00;190,00;1.190,00;Entwurf
R-2;16.01.2026;;Müller GmbH;;200,00;38,00;238,00;Logo
G-1;17.01.2026;;Kunde AG;;-100,00;-19,00;-119,00;Nachlass
Summe;;;;;1.100,00;209,00;1.309,00;
"""


def table(*rows, delimiter=","):
    return "\n".join(delimiter.join(row) for row in rows).encode()


def read(text, **mapping):
    return invoice_tables.read(text if isinstance(text, bytes) else text.encode(), mapping or None)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_a_table_of_another_country_is_read_without_a_mapping(encoding):
    found = read(GERMAN.encode(encoding))
    first, second, credit = found.invoices
    assert (first.row, first.number, first.issued_on, first.due_on) == (
        3, "R-1", date(2026, 1, 15), date(2026, 2, 14),
    )  # fmt: skip
    assert (first.net, first.tax, first.total, first.currency) == (
        Decimal(1000), Decimal(190), Decimal(1190), "EUR",
    )  # fmt: skip
    assert (first.party, first.vat_id, first.description) == ("Kunde AG", "DE123456789", "Entwurf")
    assert (second.party, second.vat_id, second.due_on) == ("Müller GmbH", None, None)
    assert credit.total == Decimal(-119)
    assert [(each.row, each.reason) for each in found.skipped] == [
        (1, "Above the table, ignored."),
        (6, "It has no number and no date, or states a sum."),
    ]
    assert invoice_tables.read(GERMAN.encode(encoding), found.mapping) == found


def test_a_workbook_is_read_like_a_table():
    head = ("Invoice no", "Date", "Due date", "Customer", "Net", "VAT", "Total", "Currency")
    data = workbook([["17", "2026-03-05", "2026-04-04", "Harbour Bakery", 100, 20, 120, "GBP"]], header=head)
    (only,) = invoice_tables.read(data).invoices
    assert (only.number, only.issued_on, only.due_on) == ("17", date(2026, 3, 5), date(2026, 4, 4))
    assert (only.net, only.tax, only.total, only.currency) == (Decimal(100), Decimal(20), Decimal(120), "GBP")


@pytest.mark.parametrize(
    ("cells", "figures"),
    [
        ({"Net": "100.00", "VAT": "19.00"}, ("100.00", "19.00", "119.00")),
        ({"Net": "100.00", "Total": "119.00"}, ("100.00", "19.00", "119.00")),
        ({"VAT": "19.00", "Total": "119.00"}, ("100.00", "19.00", "119.00")),
        ({"Total": "119.00"}, (None, None, "119.00")),
        ({"Net": "119.00"}, ("119.00", "0", "119.00")),
        ({"Net": "100.00", "VAT": "20.00", "Total": "119.00"}, ("100.00", "20.00", "119.00")),
    ],
)
def test_what_two_figures_make_is_filled_in_and_what_is_stated_stays(cells, figures):
    data = table(["No", "Date", "Name", *cells], ["1", "2026-03-05", "Lumen", *cells.values()])
    (only,) = read(data).invoices
    assert (only.net, only.tax, only.total) == tuple(each and Decimal(each) for each in figures)


def test_a_mapping_names_columns_that_no_header_does():
    data = table(["A", "05/03/2026", "Lumen", "12.50"], ["B", "06/03/2026", "Lumen", "7.00"])
    with pytest.raises(MappingNeededError) as asked:
        read(data)
    assert asked.value.key == "number"
    found = read(data, header=None, number=0, date=1, party=2, total=3, dateFormat="%d/%m/%Y", currency="CHF")
    assert [(each.number, each.issued_on.day, each.currency) for each in found.invoices] == [
        ("A", 5, "CHF"),
        ("B", 6, "CHF"),
    ]


def test_a_header_of_unknown_names_is_no_row_of_numbered_columns():
    data = table(["A", "When", "Who", "Much"], ["X1", "05/13/2026", "Lumen", "12.50"])
    found = read(data, number=0, date=1, party=2, total=3)
    assert [(each.row, each.number, each.issued_on) for each in found.invoices] == [
        (2, "X1", date(2026, 5, 13))
    ]
    assert found.mapping["header"] == 0


def test_days_that_fit_two_formats_are_those_in_which_nothing_is_due_before_its_date():
    head = ["No", "Date", "Due", "Name", "Total"]
    rows = [["1", "05/01/2026", "04/02/2026", "A", "1.00"], ["2", "06/01/2026", "05/02/2026", "B", "1.00"]]
    assert [each.issued_on for each in read(table(head, *rows)).invoices] == [
        date(2026, 1, 5),
        date(2026, 1, 6),
    ]
    with pytest.raises(MappingNeededError, match="two ways") as asked:
        read(table([each for each in head if each != "Due"], ["1", "05/01/2026", "A", "1.00"]))
    assert asked.value.key == "dateFormat"


@pytest.mark.parametrize("written", ["%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y"])
def test_days_of_a_list_in_order_are_read_as_they_were_written_or_asked_for(written):
    chance, asked = Random(2026), 0  # noqa: S311
    for _ in range(150):
        first, days = date(2026, chance.randrange(1, 12), 1), sorted(chance.sample(range(11), 6))
        issued = [first + timedelta(days=each) for each in days]
        due = [each + timedelta(days=chance.choice((0, 14, 30))) for each in issued]
        rows = [
            [str(number), one.strftime(written), other.strftime(written), "A", "1.00"]
            for number, (one, other) in enumerate(zip(issued, due, strict=True))
        ]
        data, formats = table(["No", "Date", "Due", "Name", "Total"], *rows), [None]
        try:
            read(data)
        except MappingNeededError as error:
            formats = error.details["dateFormats"]
        found = [read(data, **({"dateFormat": each} if each else {})).invoices for each in formats]
        days = [[(each.issued_on, each.due_on) for each in one] for one in found]
        assert list(zip(issued, due, strict=True)) in days
        asked += len(formats) > 1
    # Days with points are written day first in every country.
    assert asked == 0 if "." in written else 0 < asked < 150


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (["", "2026-03-05", "Lumen", "1.00"], "Row 2, column 1 “No”: the invoice has no number"),
        (["1", "", "Lumen", "1.00"], "Row 2, column 2 “Date”: the invoice has no date"),
        (
            ["1", "2026-02-30", "Lumen", "1.00"],
            "The dates, such as “2026-02-30”, are not all in one known format",
        ),
        (["1", "2026-03-05", "", "1.00"], "Row 2, column 3 “Name”: the invoice has no customer or supplier"),
        (["1", "2026-03-05", "Lumen", ""], "Row 2, column 4 “Total”: the invoice has no amount"),
        (["1", "2026-03-05", "Lumen", "abc1"], "Row 2, column 4 “Total”: it is not an amount"),
        (
            ["1", "2026-03-05", "Lumen", "1.00", "x"],
            "Row 2, column 5: the row has more cells than the header",
        ),
        (["1" * 300, "2026-03-05", "Lumen", "1.00"], "it is longer than 255 characters"),
    ],
)
def test_a_row_that_does_not_read_refuses_the_file_with_its_cell(row, sentence):
    with pytest.raises(FileRefusedError) as refused:
        read(table(["No", "Date", "Name", "Total"], row))
    assert sentence in str(refused.value)


def test_a_number_twice_figures_of_two_signs_and_two_currencies_are_refused():
    head = ["No", "Date", "Name", "Net", "VAT", "Total"]
    with pytest.raises(FileRefusedError, match="row 2 has this number of lumen already"):
        read(
            table(
                head, ["1", "2026-03-05", "Lumen", "1", "0", "1"], ["1", "2026-03-06", "lumen", "2", "0", "2"]
            )
        )
    with pytest.raises(FileRefusedError, match="different signs"):
        read(table(head, ["1", "2026-03-05", "Lumen", "-100", "19", "-81"]))
    with pytest.raises(FileRefusedError, match="its currency is not EUR"):
        read(table(head, ["1", "2026-03-05", "Lumen", "1", "0", "USD 1"]), currency="EUR")


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7 ...", b"No,Date,Name,Total\n", b"just words"])
def test_what_has_no_invoice_is_refused(data):
    with pytest.raises(FileRefusedError):
        read(data)


def test_keys_of_bank_lines_are_none_of_this_mapping():
    with pytest.raises(FileRefusedError, match="no key “debit”"):
        read(table(["No", "Date", "Name", "Total"], ["1", "2026-03-05", "Lumen", "1.00"]), debit=3)
