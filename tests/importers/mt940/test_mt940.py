"""MT940 is read as banks write it, and refused where a figure could be wrong."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.importers import FileRefusedError, read
from webapp.importers.bank_files import StatedBalance

OTHER = "DE89370400440532013000"
LINE = ":61:2603020302D12,50NTRFE7//B1"


def statement(
    *fields, opening=":60F:C260301EUR100,00", closing=":62F:C260331EUR87,50", number="5501", end="-"
):
    """A statement as text, of the fields between its balances."""
    head = [":20:STARTUMS", f":25:{number}", ":28C:1/1", opening]
    return "".join(f"{field}\n" for field in [*head, *fields, closing, end] if field)


def lines_of(text):
    return [line for each in read(text.encode()).statements for line in each.lines]


def only_line(*fields):
    (line,) = lines_of(statement(*fields))
    return line


def refusal(text):
    with pytest.raises(FileRefusedError) as refused:
        read(text.encode())
    return refused.value.message


def test_a_statement_is_read_whole():
    bank_file = read(statement(LINE, ":86:Paper for the office").encode())
    (account,) = bank_file.statements
    (line,) = account.lines
    assert (bank_file.format, bank_file.warnings, bank_file.skipped) == ("mt940", (), ())
    assert (account.external_id, account.currency, account.kind) == ("5501", "EUR", "BANK")
    assert account.opening == StatedBalance(Decimal("100.00"), date(2026, 3, 1))
    assert account.closing == StatedBalance(Decimal("87.50"), date(2026, 3, 31))
    assert (line.row, line.booked_on, line.value_on) == (1, date(2026, 3, 2), date(2026, 3, 2))
    assert (line.amount, line.pending, line.provider_transaction_id) == (Decimal("-12.50"), False, "B1")
    assert (line.description, line.reference) == ("Paper for the office", "E7")


@pytest.mark.parametrize(
    ("mark", "amount"),
    [("C", 5), ("D", -5), ("RC", -5), ("RD", 5), ("CR", 5), ("DR", -5), ("RCR", -5), ("RDR", 5), ("CN", 5)],
)
def test_a_reversed_credit_is_money_out_and_a_reversed_debit_money_in(mark, amount):
    assert only_line(f":61:2603020302{mark}5,00NMSCNONREF").amount == amount


def test_an_expected_line_is_pending():
    expected, booked = lines_of(statement(":61:2603020302ED5,NMSCNONREF", LINE))
    assert (expected.amount, expected.pending, booked.pending) == (Decimal(-5), True, False)


@pytest.mark.parametrize(
    ("days", "booked_on"),
    [
        ("2603020304", date(2026, 3, 4)),
        ("260302", date(2026, 3, 2)),
        ("2512310102", date(2026, 1, 2)),
        ("2601021231", date(2025, 12, 31)),
        ("2003010229", date(2020, 2, 29)),
        ("9901041230", date(1998, 12, 30)),
        ("2603020000", date(2026, 3, 2)),
    ],
)
def test_the_entry_date_is_in_the_year_nearest_to_the_value_date(days, booked_on):
    assert only_line(f":61:{days}D5,00NMSCNONREF").booked_on == booked_on


@pytest.mark.parametrize(
    ("days", "booked_on", "value_on"),
    [
        ("1602300301", date(2016, 3, 1), date(2016, 2, 29)),
        ("1502310227", date(2015, 2, 27), date(2015, 2, 28)),
        ("2509310930", date(2025, 9, 30), date(2025, 9, 30)),
        ("2502300103", date(2025, 1, 3), date(2025, 2, 28)),
    ],
)
def test_a_value_date_that_does_not_exist_is_the_last_of_its_month_with_a_warning(days, booked_on, value_on):
    text = statement(LINE, f":61:{days}D5,00NMSCNONREF", closing=":62F:C260331EUR82,50")
    bank_file = read(text.encode())
    _, line = bank_file.statements[0].lines
    assert (line.booked_on, line.value_on) == (booked_on, value_on)
    (warning,) = bank_file.warnings
    assert "1 value date (line 2 of the file) does not exist" in warning


@given(st.dates(date(1980, 3, 1), date(2070, 1, 1)), st.integers(-150, 150))
def test_every_entry_date_within_half_a_year_is_found_again(value_on, distance):
    booked_on = date.fromordinal(value_on.toordinal() + distance)
    line = only_line(f":61:{value_on:%y%m%d}{booked_on:%m%d}D5,00NMSCNONREF")
    assert (line.booked_on, line.value_on) == (booked_on, value_on)


@pytest.mark.parametrize(
    ("written", "amount"),
    [
        ("12,5", "12.5"),
        ("107,", "107"),
        ("000000000044,95", "44.95"),
        ("25", "25"),
        ("1.234,56", "1234.56"),
        (",50", "0.50"),
        ("3.20", "3.20"),
    ],
)
def test_amounts_are_read_as_banks_write_them(written, amount):
    assert only_line(f":61:2603020302C{written}NMSCNONREF").amount == Decimal(amount)


def test_an_envelope_is_looked_over():
    blocks = "{1:F01BANKNL2AXXXX0000000000}{2:I940BANKNL2AXXXXN}{3:}{4:"
    whole = "".join(f"{blocks}\r\n{statement(LINE, end='-}{5:}')}" for _ in range(2))
    assert len(lines_of(whole)) == 2
    assert len(lines_of(whole.replace("-}{5:}\n", "-}"))) == 2
    assert len(lines_of(whole.replace("{4:\r\n", "{4:"))) == 2


@pytest.mark.parametrize(
    "between",
    ["-\n", "-XXX\n", "", "-\n\nBANKNL2A\n940\nBANKNL2A\n", ":940:\n", "0000 01INGBNL2AXXXX00001\n940 00\n"],
)
def test_statements_follow_each_other_with_any_heading(between):
    whole = between + statement(LINE, end=None) + between + statement(LINE, LINE, number="5502", end=None)
    statements = read(whole.encode()).statements
    assert [(each.external_id, len(each.lines)) for each in statements] == [("5501", 1), ("5502", 2)]
    assert [line.row for each in statements for line in each.lines] == [1, 2, 3]


def test_a_second_opening_balance_begins_a_statement_of_the_same_account():
    text = statement(LINE, end=None) + ":60F:C260331EUR87,50\n:62F:C260401EUR87,50\n"
    assert [each.external_id for each in read(text.encode()).statements] == ["5501", "5501"]


def test_headings_may_be_missing():
    (account,) = read(f":60F:C260301EUR100,00\n{LINE}\n:62F:C260331EUR87,50\n".encode()).statements
    assert (account.external_id, len(account.lines)) == (None, 1)


def test_pages_of_one_statement_are_one_statement():
    first = statement(LINE, closing=":62M:C260302EUR87,50")
    second = statement(LINE, opening=":60M:C260302EUR87,50", closing=":62F:C260331EUR75,00")
    (account,) = read((first + second).encode()).statements
    assert (account.opening.amount, account.closing.amount) == (Decimal(100), Decimal(75))
    assert [line.row for line in account.lines] == [1, 2]


def test_a_page_that_continues_nothing_is_a_statement_of_its_own():
    first = statement(LINE, closing=":62M:C260302EUR87,50")
    other = statement(LINE, opening=":60M:C260302EUR99,99", closing=":62F:C260331EUR75,00")
    assert len(read((first + other).encode()).statements) == 2


def test_available_balances_and_remarks_about_the_statement_are_no_part_of_it():
    text = statement(LINE, ":86:Paper").replace(
        "-\n", ":64:C260331EUR1,00\n:65:C260401EUR2,00\n:86:/SUM/1/\n-\n"
    )
    (account,) = read(text.encode()).statements
    assert account.closing.amount == Decimal("87.50")
    assert account.lines[0].description == "Paper"


def test_line_ends_and_encodings_change_nothing():
    text = statement(LINE, ":86:Käse für Café")
    assert lines_of(text)[0].description == "Käse für Café"
    for data in (
        text.encode("cp1252"),
        text.encode("utf-8-sig"),
        text.encode("utf-16"),
        text.replace("\n", "\r").encode(),
        text.replace("\n", "@@").encode(),
    ):
        assert read(data).statements == read(text.encode()).statements


# The dialects of :86:, and of the references.


@pytest.mark.parametrize("mark", ["?", ">", "<", "~", "^"])
def test_numbered_parts_are_read_with_any_mark(mark):
    purpose = "?00GUTSCHRIFT?109392?20EREF+F 2026-7?21SVWZ+Miete fuer Maerz und A?22pril"
    parts = f"166{purpose}?30BANKDEFF?31{OTHER}?32Ada?33 Lane".replace("?", mark)
    line = only_line(":61:2603020302C5,00N051NONREF", f":86:{parts}")
    assert (line.counterparty, line.iban, line.reference) == ("Ada Lane", OTHER, "F 2026-7")
    assert line.description == "Ada Lane Miete fuer Maerz und April GUTSCHRIFT"


def test_a_part_may_break_over_two_lines_of_the_file_even_in_its_number():
    line = only_line(LINE, ":86:166?20SVWZ+Strom im Mae", "rz?3", "2Stadtwerke")
    assert (line.description, line.counterparty) == ("Stadtwerke Strom im Maerz", "Stadtwerke")


@pytest.mark.parametrize(
    "text",
    [
        "/EREF/E9//CNTP/DE89370400440532013000/COBADEFF/TEA SHOP///REMI/USTD//Green tea/",
        "/TRTP/SEPA/IBAN/DE89370400440532013000/BIC/COBADEFF/NAME/TEA SHOP/REMI/Green tea/EREF/E9",
        "/EREF/E9/BENM//NAME/TEA SHOP/REMI/Green tea/ISDT/2026-03-02/IBAN/DE89370400440532013000",
    ],
)
def test_codes_between_slashes_are_read(text):
    line = only_line(LINE, f":86:{text}")
    assert (line.counterparty, line.iban, line.reference) == ("TEA SHOP", OTHER, "E9")
    assert line.description.startswith("TEA SHOP Green tea")


def test_an_account_and_a_name_may_stand_first():
    line = only_line(LINE, f":86:{OTHER} ada lane", "", "rent of march")
    assert (line.counterparty, line.iban, line.description) == ("ada lane", OTHER, "ada lane rent of march")


def test_several_fields_86_are_one_text():
    assert only_line(LINE, ":86:Invoice 7   ", ":86:of March").description == "Invoice 7 of March"


def test_a_full_line_goes_on_in_the_middle_of_a_word():
    line = only_line(LINE, ":86:" + "x" * 60 + " cont", "inued")
    assert line.description.endswith("continued")


def test_the_second_line_of_an_entry_may_be_an_account_codes_or_words():
    assert only_line(LINE, OTHER, ":86:Tea").iban == OTHER
    assert only_line(LINE, "/OCMT/EUR5,00/", ":86:Tea").description == "Tea"
    assert only_line(LINE, "Card payment", ":86:Tea").description == "Tea Card payment"


@pytest.mark.parametrize(
    ("references", "identity", "reference"),
    [
        ("NONREF", "NONREF", None),
        ("NONREF//B7", "B7", None),
        ("E7//B7", "B7", "E7"),
        ("E7", "E7", None),
        ("KREF+//B7", "B7", None),
        ("EREF", None, None),
        ("", None, None),
        ("E7//NONREF", "E7", None),
        ("0121470966      Ada Lane        ", None, "0121470966"),
        ("NL47INGB9999999999", None, "NL47INGB9999999999"),
        ("NONREF          Ada Lane        ", None, None),
    ],
)
def test_the_reference_is_the_banks_own_where_it_gives_one(references, identity, reference):
    line = only_line(f":61:2603020302C5,00NTRF{references}")
    assert (line.provider_transaction_id, line.reference) == (identity, reference)


# What could be wrong is refused.


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (statement(":61:2613020302D5,00NMSCX"), "Line 5 of the file (:61:): the line is unreadable"),
        (statement(":61:2603021302D5,00NMSCX"), "entry date is not a date: “1302”"),
        (statement(":61:2602300230D5,00NMSCX"), "entry date is not a date: “0230”"),
        (statement(":61:260230D5,00NMSCX"), "no entry date, and its value date does not exist: “260230”"),
        (statement(":61:2602300000D5,00NMSCX"), "no entry date, and its value date does not exist"),
        (statement(":61:2602320301D5,00NMSCX"), "the line is unreadable"),
        (statement(":61:2603020302X5,00NMSCX"), "unreadable"),
        (statement(":61:2603020302D1,2,3NMSCX"), "unreadable"),
        (statement(":61:2603020302DNMSCX"), "unreadable"),
        (statement(":61:"), "unreadable"),
        (statement(LINE, opening=":60F:C260301EUR"), "(:60F:): the balance is unreadable"),
        (statement(LINE, closing=":62F:C260331XAU5,00"), "not an ISO 4217 currency"),
        (statement(LINE, closing=":62F:C263131EUR5,00"), "(:62F:): the balance is unreadable"),
        (statement(LINE, number="9" * 256), "longer than 255"),
        (statement(":61:2603020302D5,00NMSC" + "x" * 1001), "longer than 1,000"),
        (statement(opening=None, closing=None) + statement(LINE), "neither balances nor lines"),
    ],
)
def test_a_figure_that_could_be_wrong_refuses_the_file(text, says):
    assert says in refusal(text)


@pytest.mark.parametrize(
    "tag", ["61:", ":61", ":6l:", ";61:", ": 61:", ":61A:", ":67:", ":610:", ":86:\n61:"]
)
def test_a_line_whose_tag_is_damaged_refuses_the_file(tag):
    assert len(lines_of(statement(LINE, ":86:Tea", LINE, opening=None))) == 2
    assert "tag (:61:) is damaged" in refusal(
        statement(LINE, ":86:Tea", LINE.replace(":61:", tag), opening=None)
    )


def test_the_report_of_a_day_is_refused_by_its_name():
    assert "MT942" in refusal(
        statement(":34F:EUR0", ":13D:2603021815+0100", LINE, opening=None, closing=None)
    )


def test_a_statement_without_a_closing_balance_is_taken_with_a_warning_where_it_ends_as_a_whole_one_can():
    bank_file = read(statement(LINE, closing=None).encode())
    assert (bank_file.statements[0].closing, len(bank_file.warnings)) == (None, 1)
    assert "no closing balance" in bank_file.warnings[0]
    assert "cut off" in refusal(statement(LINE, ":86:Pap", closing=None, end=None).rstrip())
    assert "cut off" in refusal(statement(LINE) + statement(LINE, closing=None, end=None))
    assert "cut off" in refusal(statement(LINE) + ":20:STARTUMS\n")
    assert "cut off" in refusal("{1:F01X}{4:\n" + statement(LINE, closing=None, end=None))


def test_a_closing_balance_that_the_bank_does_not_know_is_unknown():
    bank_file = read(statement(LINE, closing=":62F:Dnullnull7414,3", end=None).encode())
    assert (bank_file.statements[0].closing, len(bank_file.warnings)) == (None, 1)


def test_a_balance_in_another_currency_is_read_with_a_warning():
    bank_file = read(statement(LINE, closing=":62F:C260331USD87,50").encode())
    assert bank_file.statements[0].currency == "EUR"
    assert "USD" in bank_file.warnings[0]


def test_a_balance_without_a_currency_is_in_that_of_the_statement():
    (account,) = read(statement(LINE, closing=":62F:C26033187,50").encode()).statements
    assert (account.currency, account.closing.amount) == ("EUR", Decimal("87.50"))
    (account,) = read(
        statement(LINE, opening=":60F:C260301100,00", closing=":62F:C26033187,50").encode()
    ).statements
    assert (account.currency, account.opening.amount) == (None, Decimal(100))


@pytest.mark.parametrize(
    ("references", "identity", "reference"),
    [
        ("NOV NONREF", "NONREF", None),
        ("NGT 4711 B", "4711 B", None),
        ("NGT", None, None),
        ("S   X", None, "X"),
        ("NONREF", "NONREF", None),
        ("NONREF//B4711", "B4711", None),
        ("//19239782213", "19239782213", None),
        ("NMSCNONREF", "NONREF", None),
    ],
)
def test_a_kind_of_fewer_letters_or_none_leaves_the_reference_whole(references, identity, reference):
    line = only_line(f":61:260302D5,00{references}", ":86:Bread")
    assert (line.provider_transaction_id, line.reference, line.amount) == (identity, reference, Decimal(-5))


def test_a_time_that_a_full_line_breaks_is_text_and_no_field():
    text = "Parking fee of the twelfth, paid at the exit of the garage, T16"
    line = only_line(LINE, f":86:{text}", ":20:37 ticket 7")
    assert line.description == f"{text} :20:37 ticket 7"
    wrapped = "x" * 62 + "T16"
    assert only_line(LINE, f":86:{wrapped}", ":25:37 ticket 7").description == f"{wrapped}:25:37 ticket 7"


def test_the_texts_of_ns_are_read_where_a_bank_writes_them():
    notes = ":NS:01Invoice 7\n02of March\n15Erika\n16Muster\n17Credit\n3350010517"
    line = only_line(LINE, notes)
    assert (line.description, line.counterparty) == ("Erika Muster Invoice 7 of March Credit", "Erika Muster")
    both = only_line(LINE, notes, ":86:In words")
    assert both.description == "In words Erika Muster Invoice 7 of March Credit"
    head = statement(LINE, opening=":60F:C260301EUR100,00\n:NS:22Own name\n23Own account")
    assert lines_of(head)[0].counterparty is None


def test_numbered_parts_are_read_without_a_code_before_them():
    line = only_line(LINE, ":86:>20Accounting in March>3149105019>32BOOKING GROUP", " UL. SPOKOJNA 3")
    assert (line.counterparty, line.description.split(" UL")[0]) == (
        "BOOKING GROUP UL. SPOKOJNA 3", "BOOKING GROUP",
    )  # fmt: skip
    assert only_line(LINE, ":86:#2024 invoices of #31").description == "#2024 invoices of #31"


def test_an_account_within_an_open_statement_is_damage():
    assert "Line 6" in refusal(statement(LINE, ":25:166?00GUTSCHRIFT?100399?20EREF+22 004"))
    unended = statement(LINE, closing=None, end=None)
    assert "cut off" in refusal(unended + statement(LINE))


entries = st.lists(
    st.tuples(
        st.dates(date(1980, 1, 1), date(2076, 12, 31)),
        st.decimals(Decimal("0.01"), 10**9, places=2),
        st.sampled_from(["C", "D"]),
        st.text("ABC abc/?+.,'", max_size=80),
    ),
    min_size=1,
    max_size=5,
)


def written(content):
    rows = []
    for on, size, mark, text in content:
        rows += [f":61:{on:%y%m%d%m%d}{mark}{size}NMSCNONREF".replace(".", ","), f":86:{text}"]
    return statement(*rows)


@given(entries)
def test_days_and_amounts_come_out_as_they_went_in(content):
    expected = [(on, size if mark == "C" else -size) for on, size, mark, _ in content]
    assert [(line.booked_on, line.amount) for line in lines_of(written(content))] == expected


@given(entries, st.data())
def test_a_file_cut_within_a_line_before_its_closing_balance_is_refused(content, data):
    whole = written(content)
    cut = data.draw(st.integers(0, whole.index(":62F:") + len(":62F:C260331EUR")))
    if not whole[:cut].endswith("\n"):
        with pytest.raises(FileRefusedError):
            read(whole[:cut].encode())
