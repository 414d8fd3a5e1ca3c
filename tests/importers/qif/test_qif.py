"""QIF is read in the order of days that the file tells, and refused or asked about where a figure could be wrong."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.importers.hostile import held_up
from webapp.importers import FileRefusedError, read
from webapp.importers.qif.days import DaysUnclearError


def record(*fields):
    return "".join(f"{field}\n" for field in (*fields, "^"))


def bank(*records, heading="!Type:Bank"):
    return f"{heading}\n" + "".join(records)


def lines_of(text, **mapping):
    return [line for each in read(text.encode(), mapping=mapping).statements for line in each.lines]


def only_line(*fields):
    (line,) = lines_of(bank(record(*fields)))
    return line


def refusal(text):
    with pytest.raises(FileRefusedError) as refused:
        read(text.encode())
    return refused.value


def test_a_file_is_read_whole():
    bank_file = read(
        bank(record("D31/03/2026", "T-12.50", "PPaper shop", "MFor the office", "N1044", "CX")).encode()
    )
    (account,) = bank_file.statements
    (line,) = account.lines
    assert (bank_file.format, bank_file.warnings, bank_file.skipped) == ("qif", (), ())
    assert (account.external_id, account.currency, account.kind) == (None, None, "BANK")
    assert (account.opening, account.closing) == (None, None)
    assert (line.row, line.booked_on, line.amount) == (1, date(2026, 3, 31), Decimal("-12.50"))
    assert (line.provider_transaction_id, line.reference) == (None, "1044")
    assert (line.description, line.counterparty) == ("Paper shop For the office", "Paper shop")


@pytest.mark.parametrize(
    ("days", "first"),
    [
        (["03/04/2026", "31/04/2026", "31/03/2026"], None),
        (["03/04/2026", "13/04/2026"], date(2026, 4, 3)),
        (["03/04/26", "04/13/26"], date(2026, 3, 4)),
        (["3.4'26", "13.4'26"], date(2026, 4, 3)),
        (["2026-04-03"], date(2026, 4, 3)),
        (["5/5/26", "1/ 1'26"], date(2026, 5, 5)),
        (["12/30/99"], date(1999, 12, 30)),
    ],
)
def test_a_day_past_the_twelfth_tells_the_order_of_all(days, first):
    text = bank(*(record(f"D{day}", "T1.00") for day in days))
    if first:
        assert lines_of(text)[0].booked_on == first
    else:
        assert "D is not a date" in refusal(text).message


def test_days_that_run_in_one_reading_only_tell_the_order_too():
    text = bank(
        *(
            record(f"D{month:02}/{day:02}/2026", "T1")
            for month, day in [(1, 9), (2, 3), (2, 8), (3, 1), (4, 12)]
        )
    )
    assert [line.booked_on.month for line in lines_of(text)] == [1, 2, 2, 3, 4]


def test_where_nothing_tells_the_order_it_is_asked_for():
    text = bank(record("D03/04/2026", "T1.00"), record("D05/06/2026", "T1.00"))
    asked = refusal(text)
    assert isinstance(asked, DaysUnclearError)
    assert (asked.status, asked.code) == (422, "days_unclear")
    assert asked.details == {
        "key": "dateFormat",
        "example": "03/04/2026",
        "dateFormats": ["%d/%m/%Y", "%m/%d/%Y"],
    }
    assert lines_of(text, dateFormat="%d/%m/%Y")[0].booked_on == date(2026, 4, 3)
    assert lines_of(text, dateFormat="%m/%d/%Y")[0].booked_on == date(2026, 3, 4)


@pytest.mark.parametrize(
    ("days", "formats"),
    [
        (["13/03/03", "13/08/15"], ["%d/%m/%y", "%y/%m/%d"]),
        (["13.03.03"], ["%d.%m.%y", "%y.%m.%d"]),
        (["03-04-05", "06-07-08"], ["%d-%m-%y", "%m-%d-%y", "%y-%m-%d"]),
        (["03/31/13", "03/11/12"], None),
        (["13/03/40", "13/08/15"], None),
        (["13/08/15", "5/08/15"], None),
        (["13/08'15"], None),
        (["13/03/2003"], None),
    ],
)
def test_every_order_of_short_years_counts_and_two_that_fit_are_asked_about(days, formats):
    text = bank(*(record(f"D{day}", "T1") for day in days))
    if not formats:
        assert len(lines_of(text)) == len(days)
        return
    asked = refusal(text)
    assert asked.details == {"key": "dateFormat", "example": days[0], "dateFormats": formats}
    for written in formats:
        assert [f"{line.booked_on:{written}}" for line in lines_of(text, dateFormat=written)] == days


def test_days_with_short_years_that_run_in_one_reading_only_tell_the_order():
    days = ["13/03/28", "13/04/02", "13/04/11", "13/05/01", "13/06/30"]
    text = bank(*(record(f"D{day}", "T1") for day in days))
    assert [f"{line.booked_on:%y/%m/%d}" for line in lines_of(text)] == days


@given(
    st.lists(st.dates(date(2000, 1, 1), date(2069, 12, 31)), min_size=1, max_size=4),
    st.sampled_from(["%d/%m/%y", "%m/%d/%y", "%y/%m/%d"]),
)
def test_a_few_days_with_short_years_are_read_rightly_or_asked_for(days, written):
    text = bank(*(record(f"D{day:{written}}", "T1") for day in days))
    try:
        assert [line.booked_on for line in lines_of(text)] == days
    except DaysUnclearError as asked:
        readings = [lines_of(text, dateFormat=each) for each in asked.details["dateFormats"]]
        assert days in [[line.booked_on for line in lines] for lines in readings]


@given(
    st.lists(st.dates(date(1971, 1, 1), date(2069, 12, 31)), min_size=1, max_size=8),
    st.sampled_from(["%d/%m/%Y", "%m/%d/%Y", "%d.%m.%y", "%m-%d-%y", "%Y-%m-%d", "%Y%m%d"]),
)
def test_a_day_is_never_guessed_wrongly_where_it_is_told(days, written):
    text = bank(*(record(f"D{day:{written}}", "T1") for day in days))
    assert [line.booked_on for line in lines_of(text, dateFormat=written)] == days


@given(st.lists(st.dates(date(1971, 1, 1), date(2069, 12, 31)), min_size=1, max_size=4))
def test_a_few_days_are_read_rightly_or_asked_for(days):
    for written in ("%d/%m/%Y", "%m/%d/%Y"):
        text = bank(*(record(f"D{day:{written}}", "T1") for day in days))
        try:
            assert [line.booked_on for line in lines_of(text)] == days
        except DaysUnclearError:
            assert all(day.day <= 12 for day in days)


@pytest.mark.parametrize(
    ("amounts", "first"),
    [
        (["-1,000.00"], "-1000"),
        (["-1.000,00"], "-1000"),
        (["1,000", "12.50"], "1000"),
        (["1.000", "12,50"], "1000"),
        (["1,234,567"], "1234567"),
        (["12"], "12"),
        (["+7.5"], "7.5"),
    ],
)
def test_the_mark_before_the_cents_is_told_by_all_amounts_of_the_file(amounts, first):
    text = bank(*(record("D31/03/2026", f"T{amount}") for amount in amounts))
    assert lines_of(text)[0].amount == Decimal(first)


def test_an_amount_that_may_be_a_thousand_or_one_is_asked_for():
    text = bank(record("D31/03/2026", "T1,000"))
    assert "“1,000” can be read in two ways" in refusal(text).message
    assert lines_of(text, decimal=".")[0].amount == Decimal(1000)
    assert lines_of(text, decimal=",")[0].amount == Decimal(1)


def test_splits_are_no_lines_and_their_days_not_the_record_s():
    fields = ["D31/03/2026", "U-10.00", "T-10.00", "SFood", "D01/01/2020", "$-4.00", "STea", "E60%", "$-6.00"]
    assert only_line(*fields).amount == Decimal("-10.00")
    assert only_line(*fields).booked_on == date(2026, 3, 31)


def test_securities_and_lists_are_no_lines():
    text = (
        "### made by a program ###\n\n!Type:Cat\nNFood\nDWhat we eat\n^\n"
        + bank(record("D31/03/2026", "T1.00"))
        + bank(record("D31/03/2026", "NBuy", "YACME", "T5.00"), heading="!Type:Invst")
    )
    bank_file = read(text.encode())
    assert [line.amount for line in bank_file.statements[0].lines] == [Decimal(1)]
    assert [(row.row, row.text) for row in bank_file.skipped] == [(3, "31/03/2026 Buy ACME 5.00")]
    assert "Securities" in bank_file.warnings[0]


def test_accounts_are_told_apart_by_their_names_else_by_their_kinds():
    accounts = "!Option:AutoSwitch\n!Account\nNHouse\nTBank\n^\nNCard\nTCCard\n^\n!Clear:AutoSwitch\n"
    one = bank(record("D31/03/2026", "T1.00"))
    other = bank(record("D31/03/2026", "T2.00"), heading="!Type:CCard")
    named = (
        accounts
        + "!Account\nNHouse\n^\n"
        + one
        + "!Account\nNCard\n^\n"
        + other
        + "!Account\nNHouse\n^\n"
        + one
    )
    statements = read(named.encode()).statements
    assert [(each.external_id, len(each.lines)) for each in statements] == [("House", 2), ("Card", 1)]
    assert [each.external_id for each in read((one + other).encode()).statements] == ["bank", "ccard"]


def test_a_record_that_says_nothing_is_listed_and_no_line():
    bank_file = read(bank(record("PRemark"), record("D31/03/2026", "T1")).encode())
    assert [(row.row, row.text) for row in bank_file.skipped] == [(1, "Remark")]
    assert [line.row for line in bank_file.statements[0].lines] == [2]


def test_a_record_whose_letters_are_lost_is_never_left_out():
    lost = bank(record("D31/03/2026", "T1"), record("30/03/2026", "-2.50", "PCoffee"))
    with pytest.raises(
        FileRefusedError, match=r"Record 2 \(line 5 of the file\): the letters before its date"
    ):
        read(lost.encode())


def test_a_file_of_lists_has_nothing_to_import():
    bank_file = read(b"!Type:Cat\nNFood\n^\n")
    assert bank_file.statements == ()
    assert "nothing to import" in bank_file.warnings[0]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends_change_nothing(encoding, line_end):
    text = bank(record("D31/03/2026", "T1.00", "PCafé")).replace("\n", line_end)
    (account,) = read(text.encode(encoding)).statements
    assert account.lines[0].counterparty == "Café"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (bank(record("D31/03/2026", "PTea")), "Record 1 (line 2 of the file): it has no amount"),
        (bank(record("T1.00", "PTea")), "it has no date"),
        (bank(record("D31/02/2026", "T1.00")), "D is not a date: “31/02/2026”"),
        (bank(record("Dyesterday", "T1.00")), "D is not a date: “yesterday”"),
        (bank(record("D31/03/2026", "T1.00.0")), "T is not an amount: “1.00.0”"),
        (bank(record("D31/03/2026", "T1e5")), "T is not an amount"),
        (bank(record("D31/03/2026", "T(1.00)")), "T is not an amount: “(1.00)”"),
        (
            bank(record("D31/03/2026", "U-2.00", "T-1.00")),
            "T and U are different amounts: “-1.00” and “-2.00”",
        ),
        (bank(record("D31/03/2026", "T1.00", "D30/03/2026", "T2.00")), "D appears twice"),
        (bank("D31/03/2026\nT1.00\n") + "!Type:Cat\n", "no end (^)"),
        (bank(record("D31/03/2026", "T1.00", "PTea", "D31/03/2026", "T1.00", "PTea")), "D appears twice"),
        ("D31/03/2026\nT1.00\n^\n" + bank(record("D31/03/2026", "T1.00")), "no heading (!Type:Bank)"),
        ("!Option:MDY\n" + record("D03/31/2026", "T1.00"), "no heading (!Type:Bank)"),
        (
            bank(record("NFood"), record("D31/03/2026", "T1.00"), heading="!Type:Cat"),
            "no heading of an account",
        ),
        ("!Account\n" + record("NHouse") + record("D31/03/2026", "T1,00"), "no heading of an account"),
    ],
)
def test_a_figure_that_could_be_wrong_refuses_the_file(text, says):
    assert says in refusal(text).message


@given(st.integers(1, 3), st.data())
def test_a_file_cut_within_a_record_is_refused(count, data):
    whole = bank(*[record("D31/03/2026", "T-12.50", "PTea")] * count)
    cut = data.draw(st.integers(0, len(whole)))
    begun = whole[:cut].partition("\n")[2]
    if begun.strip() and not begun.rstrip().endswith("^"):
        assert "cut off" in refusal(whole[:cut]).message


def test_what_is_repeated_without_end_is_settled(portion):
    pieces = ["!Type:Bank\n", "^\n", "D1\n", "T1,", "D1/1'00\nT1\n^\n", "x", "S\n", "'", "/ "]
    for place, start in enumerate(("", "D31/03/2026\nT", "D", "P")):
        texts = (
            f"!Type:Bank\n{start}{piece * (500_000 // len(piece))}\n^\n"
            for piece in portion(7, pieces, place)
        )
        assert held_up(texts, read_or_refused_shortly) == []


def read_or_refused_shortly(text):
    try:
        read(text.encode())
    except FileRefusedError as refused:
        assert len(refused.message) < 300, text[:200]  # noqa: PT017


def test_more_records_than_any_export_has_are_refused(monkeypatch):
    monkeypatch.setattr("webapp.importers.qif.records.MAX_LINES", 2)
    assert "more than 2 records" in refusal(bank(*[record("D31/03/2026", "T1.00")] * 3)).message


@pytest.mark.parametrize(("name", "on"), [("MDY", date(2026, 1, 2)), ("DMY", date(2026, 2, 1))])
def test_an_option_of_the_file_says_the_order_of_its_days(name, on):
    text = f"!Option:{name}\n" + bank(record("D01/02/2026", "T-5.00"))
    assert lines_of(text)[0].booked_on == on
    assert lines_of(text, dateFormat="%d/%m/%Y")[0].booked_on == date(2026, 2, 1)


def test_an_option_that_the_days_contradict_is_none():
    assert lines_of("!Option:MDY\n" + bank(record("D31/01/2026", "T-5.00")))[0].booked_on == date(2026, 1, 31)
