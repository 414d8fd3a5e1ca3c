"""Workbooks are read cell by cell as their kinds say; what was not computed, or may be either of two, is refused."""

from datetime import date
from decimal import Decimal

import pytest

from tests.fixtures.bank_files import xlsx_files
from tests.fixtures.bank_files.xlsx_files import (
    day,
    error,
    formula,
    number,
    rows,
    shared,
    text,
    workbook,
    worksheet,
)
from webapp.importers import FileRefusedError, read

TEA = (day(46086), "Tea", -3.5)
PAY = (day(46087), "Pay", 1200)
RENT = (day(46088), "Rent", -800)


def lines(data, mapping=None):
    (statement,) = read(data, mapping=mapping).statements
    return [(line.booked_on.isoformat(), str(line.amount), line.description) for line in statement.lines]


def refusal(data, mapping=None):
    with pytest.raises(FileRefusedError) as refused:
        read(data, mapping=mapping)
    return refused.value.message


def amount(cell):
    ((_, value, _),) = lines(workbook([(day(46086), "Tea", cell)]), {"invert": False})
    return value


def test_a_table_is_found_and_read():
    file = read(workbook([TEA, PAY, RENT]))
    assert file.format == "xlsx"
    assert file.warnings == ()
    assert lines(workbook([TEA, PAY, RENT])) == [
        ("2026-03-05", "-3.5", "Tea"),
        ("2026-03-06", "1200", "Pay"),
        ("2026-03-07", "-800", "Rent"),
    ]


def test_rows_are_numbered_as_in_the_sheet():
    data = xlsx_files.archive(xlsx_files.parts(worksheet(rows(xlsx_files.HEADER, TEA, (), RENT, first=7))))
    assert [line.row for line in read(data).statements[0].lines] == [8, 10]
    (account,) = read(data, mapping={"header": 6}).statements
    assert len(account.lines) == 2


def test_a_preamble_and_a_footer_are_skipped_and_listed():
    preamble = [("Statement of account 123",), (), ("From", day(46082), "to", day(46090))]
    data = xlsx_files.archive(
        xlsx_files.parts(worksheet(rows(*preamble, xlsx_files.HEADER, TEA, RENT, ("End of the list",))))
    )
    file = read(data)
    assert len(file.statements[0].lines) == 2
    assert [row.text for row in file.skipped][::2] == ["Statement of account 123", "End of the list"]


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("-1234.5600000000001", "-1234.56"),
        ("-0.10000000000000001", "-0.1"),
        ("-1E-2", "-0.01"),
        ("-1.5E+3", "-1500"),
        ("-1.000", "-1.000"),
        ("-0", "0"),
        ("-17.899999999999999", "-17.9"),
        ("-99999999999999.9", "-99999999999999.9"),
        ("-4503599627370.4951", "-4503599627370.5"),
    ],
)
def test_a_number_is_what_a_spreadsheet_shows(raw, value):
    assert amount(number(raw)) == value


@pytest.mark.parametrize("mapping", [{}, {"decimal": ",", "thousands": "."}, {"decimal": "."}])
def test_a_number_is_a_number_whatever_the_marks_are(mapping):
    said = {"date": 0, "amount": 2, "dateFormat": "%d.%m.%Y", **mapping}
    assert lines(workbook([(day(46086), "Tea", -1.234), TEA]), said)[0][1] == "-1.234"


@pytest.mark.parametrize("raw", ["1234567890123456", "1e400", "12.5.0", "0x10", "1e-300", "x", "\u0661"])
def test_what_is_no_number_or_more_than_a_spreadsheet_keeps_is_refused(raw):
    assert "Row 2, column 3 “Amount”" in refusal(workbook([(day(46086), "Tea", number(raw))]))


def test_what_a_formula_gave_is_read_without_the_noise_of_binary_arithmetic():
    assert amount(formula("-0.010000000000218279")) == "-0.01"
    assert amount(formula("-5.5511151231257827E-17")) == "0"
    assert lines(workbook([TEA, (formula("46087", style=xlsx_files.DAY), formula("Sum", "str"), -1)]))[1] == (
        "2026-03-06",
        "-1",
        "Sum",
    )


def test_a_formula_that_was_never_computed_refuses_the_file_and_names_the_cell():
    assert "Cell C3 of sheet “Sheet1”" in refusal(workbook([TEA, (day(46087), "Sum", formula(None))]))
    assert "Cell C3" in refusal(workbook([TEA, (day(46087), "Sum", formula(""))]))
    assert "Cell B3" in refusal(workbook([TEA, (day(46087), formula(None), -3)]))
    assert lines(workbook([TEA, (day(46087), formula("", "str"), -3)]))[1] == ("2026-03-06", "-3", "")


@pytest.mark.parametrize("style", [xlsx_files.DAY, xlsx_files.GERMAN_DAY])
def test_days_are_counted_from_1900_or_from_1904(style):
    assert lines(workbook([(day(46086, style), "Tea", -1)]))[0][0] == "2026-03-05"
    assert lines(workbook([(day(44624, style), "Tea", -1)], is_1904=True))[0][0] == "2026-03-05"
    assert lines(workbook([(day("46086.99998842592", style), "Tea", -1)]))[0][0] == "2026-03-05"
    assert lines(workbook([(text("2026-03-05T00:00:00", "d"), "Tea", -1)]))[0][0] == "2026-03-05"


@pytest.mark.parametrize("serial", ["60", "-1", "2958466", "1e9", "0", "73051000000"])
def test_a_serial_number_of_no_day_is_refused(serial):
    assert "column 1 “Date”" in refusal(workbook([TEA, (day(serial), "Tea", -1)]))


@pytest.mark.parametrize("style", [0, xlsx_files.EURO, xlsx_files.WORDED, xlsx_files.ELAPSED])
def test_a_number_without_the_format_of_a_day_is_none(style):
    refusal(workbook([(day(46086, style), "Tea", -1)]))


def test_days_as_text_are_read_like_those_of_csv():
    assert lines(workbook([("05.03.2026", "Tea", -1), ("31.03.2026", "Tea", -1)]))[1][0] == "2026-03-31"
    assert lines(workbook([(20260305, "Tea", -1)]))[0][0] == "2026-03-05"
    assert "two ways" in refusal(workbook([("05/03/2026", "Tea", -1)]))


def test_days_of_which_some_were_understood_and_others_not_are_refused():
    swapped = [(day(46118), "04/03 as the third of April", -1), ("31/03/2026", "Rent", -1)]
    for mapping in (None, {"date": 0, "amount": 2, "dateFormat": "%d/%m/%Y"}):
        assert "swapped" in refusal(workbook(swapped), mapping)
    assert len(lines(workbook([TEA, ("2026-03-31", "Rent", -1)]))) == 2


def test_amounts_as_text_are_read_by_their_marks():
    assert [
        value for _, value, _ in lines(workbook([(day(46086), "a", "-1.234,50"), (day(46087), "b", "-2,00")]))
    ] == [
        "-1234.50",
        "-2.00",
    ]
    assert "two ways" in refusal(workbook([(day(46086), "a", "-1.234")]))


def test_amounts_of_which_some_were_understood_and_others_not_are_asked_for():
    mixed = [(day(46086), "1.234 as a little more than one", -1.234), (day(46087), "b", "-2,00")]
    assert "decimal" in refusal(workbook(mixed))
    assert len(lines(workbook(mixed), {"decimal": ","})) == 2


@pytest.mark.parametrize("code", ["#REF!", "#N/A", "#VALUE!"])
def test_an_error_is_refused_where_a_figure_or_a_day_is_needed(code):
    for row in [
        (day(46086), "Tea", error(code)),
        (error(code), "Tea", -1),
        (error(code), "Tea", error(code)),
    ]:
        assert code in refusal(workbook([TEA, row]))
    assert lines(workbook([(day(46086), error(code), -1)]))[0][2] == code


def test_texts_are_taken_out_of_their_runs_without_how_they_are_spoken():
    rich = "<si><r><t>Tea</t></r><r><rPr><b/></rPr><t xml:space='preserve'> house</t></r><rPh><t>x</t></rPh></si>"
    data = workbook([(day(46086), shared(1), -1)], strings=("unused", rich))
    assert lines(data)[0][2] == "Tea house"
    inline = (
        '<c{r} t="inlineStr"><is><r><t>Green</t></r><r><t> tea_x000D_</t></r><rPh><t>y</t></rPh></is></c>'
    )
    assert lines(workbook([(day(46086), inline, -1)]))[0][2] == "Green tea"


def test_a_text_that_is_not_there_refuses_the_file():
    assert "damaged" in refusal(workbook([(day(46086), shared(7), -1)], strings=("only",)))


def test_truth_values_and_times_are_texts():
    data = workbook(
        [(day(46086), text("1", "b"), -1, number("0.5", xlsx_files.TIME))],
        header=(*xlsx_files.HEADER, "Time"),
    )
    assert lines(data)[0][2] == "TRUE"


def test_a_day_among_the_amounts_is_refused():
    assert "column 3 “Amount”" in refusal(workbook([TEA, (day(46086), "3.5 made a day", day(46145))]))


def test_a_merged_cell_has_its_value_once_so_that_the_rows_below_have_no_day():
    merged = '<mergeCells count="1"><mergeCell ref="A2:A3"/></mergeCells>'
    assert "Row 3" in refusal(workbook([TEA, (None, "Rent", -800)], behind=merged))


def test_hidden_rows_are_read_and_told_of():
    data = xlsx_files.archive(xlsx_files.parts(worksheet(rows(xlsx_files.HEADER, TEA, RENT, hidden=(3,)))))
    file = read(data)
    assert len(file.statements[0].lines) == 2
    assert file.warnings == ("1 rows of the sheet are hidden; they were read like the others.",)


def test_the_sheet_with_the_table_is_found():
    cover = [("Dear customer",), ("here is what you asked for",)]
    data = xlsx_files.archive(
        xlsx_files.parts(worksheet(rows(*cover)), worksheet(rows(xlsx_files.HEADER, TEA)))
    )
    assert len(lines(data)) == 1


def test_two_tables_are_asked_for_by_name_or_index():
    data = workbook([TEA], [RENT, TEA], names=("May", "June"))
    assert "“May”, “June”; choose one in the mapping, as sheet" in refusal(data)
    assert len(lines(data, {"sheet": "june "})) == len(lines(data, {"sheet": 1})) == 2
    assert "it has “May”" in refusal(data, {"sheet": "July"})
    assert "has 2" in refusal(data, {"sheet": 2})
    assert "sheet of the mapping" in refusal(data, {"sheet": True})


def test_a_hidden_sheet_counts_where_there_is_no_other():
    data = workbook([TEA], [RENT, TEA], states=("veryHidden", "visible"))
    assert len(lines(data)) == 2
    assert len(lines(data, {"sheet": 0})) == 1
    assert len(lines(workbook([TEA], states=("hidden",)))) == 1


def test_a_table_under_unknown_words_is_asked_for():
    data = workbook([TEA], header=("Wann", "Was", "Wieviel"))
    assert "date and amount" in refusal(data)
    assert len(lines(data, {"date": "Wann", "amount": "Wieviel", "description": "Was"})) == 1
    assert len(lines(workbook([TEA], header=None), {"date": 0, "amount": 2, "header": None})) == 1


def test_a_workbook_without_a_value_is_refused():
    assert "nothing to import" in refusal(workbook([], header=None))


def test_rows_and_cells_without_a_place_follow_one_another():
    data = xlsx_files.archive(xlsx_files.parts(worksheet(rows(xlsx_files.HEADER, TEA, referenced=False))))
    assert lines(data) == lines(workbook([TEA]))


@pytest.mark.parametrize(
    "data",
    [
        '<row r="2"></row><row r="2"></row>',
        '<row r="3"><c r="A2"><v>1</v></c></row>',
        '<row r="3"><c r="B3"><v>1</v></c><c r="A3"><v>1</v></c></row>',
        '<row r="3"><c r="A3"><v>1</v></c><c r="A3"><v>1</v></c></row>',
        '<row r="3"><c r="A3"><c r="B3"></c></c></row>',
        '<row r="3"><row r="4"></row></row>',
        '<c r="A3"></c>',
        '<row r="-1"></row>',
        '<row r="3"><c r="a3"><v>1</v></c></row>',
        '<row r="3"><c r="AAAA3"><v>1</v></c></row>',
        '<row r="500001"><c r="A500001"><v>1</v></c></row>',
        '<row r="3"><c r="XFD3"><v>1</v></c></row>',
    ],
)
def test_a_sheet_out_of_order_is_refused(data):
    table = rows(xlsx_files.HEADER, TEA).replace("</sheetData>", f"{data}</sheetData>")
    with pytest.raises(FileRefusedError):
        read(xlsx_files.archive(xlsx_files.parts(worksheet(table))))


def test_a_format_far_below_the_table_is_nothing():
    styled = '<row r="1048576"><c r="A1048576" s="1"/></row></sheetData>'
    table = rows(xlsx_files.HEADER, TEA).replace("</sheetData>", styled)
    assert len(lines(xlsx_files.archive(xlsx_files.parts(worksheet(table))))) == 1


def test_prefixes_and_the_strict_namespaces_change_nothing():
    parts = {
        name: content.replace("<", "<x:")
        .replace("<x:/", "</x:")
        .replace("<x:?", "<?")
        .replace("xmlns=", "xmlns:x=")
        .replace(
            "http://schemas.openxmlformats.org/officeDocument/2006",
            "http://purl.oclc.org/ooxml/officeDocument",
        )
        for name, content in xlsx_files.parts(worksheet(rows(xlsx_files.HEADER, TEA))).items()
    }
    assert lines(xlsx_files.archive(parts)) == lines(workbook([TEA]))


def test_a_part_in_utf_16_is_read():
    parts = xlsx_files.parts(worksheet(rows(xlsx_files.HEADER, TEA)))
    parts["xl/worksheets/sheet1.xml"] = (
        parts["xl/worksheets/sheet1.xml"].replace("UTF-8", "UTF-16").encode("utf-16")
    )
    assert lines(xlsx_files.archive(parts)) == lines(workbook([TEA]))


def test_the_balance_column_is_checked_as_in_csv():
    header = (*xlsx_files.HEADER, "Balance")
    good = [(*TEA, formula("96.499999999999986")), (*RENT, formula("-703.5"))]
    (account,) = read(workbook(good, header=header)).statements
    assert (account.opening.amount, account.closing.amount) == (Decimal(100), Decimal("-703.5"))
    assert account.closing.day == date(2026, 3, 7)
    broken = read(workbook([(*TEA, 96.5), (*RENT, 1)], header=header))
    assert "does not follow" in broken.warnings[0]
