"""Tables of brokers and wallets: where one begins, which of its rows move no money, and how their programs write."""

import pytest

from tests.importers.tables.test_csv import amounts, lines_of, refusal
from webapp.importers import read, sample

TWO_TABLES = (
    "Statement of March\n\nSymbol;Holding\nVT;12\n\nBooked on;What;Kind;Sum\n"
    "2026-03-02;Dividend VT;C;4.50\n2026-03-03;Split 2:1;X;0.00\n2026-03-04;Note;;\n2026-03-05;Fee;D;1.25\n"
)
SECOND = {
    "header": "Booked on;What",
    "date": "Booked on",
    "dateFormat": "%Y-%m-%d",
    "amount": "Sum",
    "description": "What",
    "flag": ["Kind", ["D"], ["C"], ["X", "Hold"]],
    "skipWithoutAmount": True,
}


def test_a_table_begins_where_the_text_of_its_header_is():
    bank_file = read(TWO_TABLES.encode(), mapping=SECOND)
    (statement,) = bank_file.statements
    assert [(line.row, str(line.amount), line.description) for line in statement.lines] == [
        (7, "4.50", "Dividend VT"),
        (10, "-1.25", "Fee"),
    ]
    # What was left out is listed, each row with its reason.
    assert {row.row: row.reason for row in bank_file.skipped if row.row > 6} == {
        8: "“X” in column 3 “Kind” is neither money in nor money out, by the mapping.",
        9: "It has no amount.",
    }


def test_the_header_may_stand_anywhere_and_its_columns_may_be_found():
    far = "Note;of the broker\n" * 90 + "Date;Text;Debit;Credit\n2026-03-02;Coffee;2.50;\n"
    assert amounts(far, {"header": "date; text"}) == ["-2.50"]
    shown = sample(far.encode(), {"header": "Date;Text"})
    assert (shown.header, shown.names[:2], [row.number for row in shown.body]) == (0, ["Date", "Text"], [92])


def test_the_mapping_that_is_remembered_finds_the_header_by_its_text_again():
    full = read(TWO_TABLES.encode(), mapping=SECOND).columns.mapping
    assert full["header"] == SECOND["header"]
    assert full["skipWithoutAmount"] is True
    longer = TWO_TABLES.replace("VT;12", "VT;12\nVXUS;7")
    assert amounts(longer, full) == ["4.50", "-1.25"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"header": "Day;What"}, "No row of the file begins with “Day;What”, the header of the mapping."),
        ({"header": " "}, "header of the mapping must be the row of the header, counted from 0, or the text"),
        ({"skipWithoutAmount": "yes"}, "skipWithoutAmount of the mapping must be true or false."),
        ({"skipWithoutAmount": False}, "Row 9, column 4 “Sum”: the row has a date and no amount"),
        ({"flag": ["Kind", ["D"], ["C"]]}, "Row 8, column 3 “Kind”: it means neither money in nor money out"),
        ({"flag": ["Kind", ["D"], ["C"], ["C"]]}, "[words of rows to leave out]], the last of them optional"),
    ],
)
def test_what_is_unclear_is_asked_and_no_row_is_left_out(change, says):
    assert says in refusal(TWO_TABLES, SECOND | change)


def test_a_number_that_cannot_be_read_is_never_a_row_without_an_amount():
    wrong = TWO_TABLES.replace("Note;;", "Note;C;4.5O")
    assert "it is not an amount in the format of the others" in refusal(wrong, SECOND)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("mapping", [None, {"encoding": "utf-16"}])
def test_a_table_in_utf_16_is_read_in_every_script(encoding, mapping):
    # Half of such a letter looks like a control character, by which a binary file is known.
    text = (
        "\u017buraw\tDate\tDescription\tAmount\n1\t2026-03-02\t\u0642\u0647\u0648\u0629\t-2.50\n"
        "2\t2026-03-03\tA \u2014 \u0106\t7.00\n3\t2026-03-04\tB\t-1.00\n"
    )
    data = text.encode(encoding)
    lines = lines_of(data, mapping)
    assert [(str(line.amount), line.description) for line in lines] == [
        ("-2.50", "\u0642\u0647\u0648\u0629"),
        ("7.00", "A \u2014 \u0106"),
        ("-1.00", "B"),
    ]


@pytest.mark.parametrize(
    ("written", "amount", "currency"),
    [
        ("\u062f.\u0627.\u200f4.750", "4.750", "JOD"),
        ("\u200f-4.750\u00a0\u062f.\u0627.\u200f", "-4.750", "JOD"),
        ("\u202b\u0631.\u0633 12.50\u202c", "12.50", "SAR"),
    ],
)
def test_an_amount_with_the_arabic_sign_of_its_currency_is_read(written, amount, currency):
    text = f"Date;Description;Amount\n\u200f2026-03-02;Tea;{written}\n"
    mapping = {"date": "Date", "amount": "Amount", "description": "Description", "decimal": "."}
    (statement,) = read(text.encode(), mapping=mapping).statements
    assert [(str(line.amount), line.booked_on.day) for line in statement.lines] == [(amount, 2)]
    assert statement.currency == currency
