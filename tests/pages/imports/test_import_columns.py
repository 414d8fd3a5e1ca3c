"""The page of a file's columns: what it leaves open is asked there, and the answer makes the preview."""

import html
import io
import re

import pytest

from tests.api.imports.test_column_mappings import asking
from tests.api.imports.test_imports import lines_of
from tests.importers.test_balance_lines import ofx
from webapp.models import ColumnMapping

QIF = b"!Type:Bank\nD03/04/2026\nT-2.50\nPCoffee\n^\nD04/04/2026\nT-7.00\nPBread\n^\n"
WORDLESS = b"When;What;How much;Page\n2026-03-02;Coffee;-2,50;1\n2026-03-04;Rent;-700,00;1\n2026-03-05;Pay;100,00;2\n"


@pytest.fixture
def browser(ben):
    return ben.browser()


def chosen(browser, data, name):
    """Choose a file on the page; answer where that leads."""
    form = {"file": (io.BytesIO(data), name)}
    answer = browser.post("/imports", data=form, content_type="multipart/form-data")
    assert answer.status_code == 303
    return answer.location


def guess(page):
    return re.search(r'name="guess" value="(.*?)"', page)[1]


def test_an_amount_that_may_be_a_balance_is_asked_for_beside_what_is_plain(ben, browser):
    rows = b"20.03.2026;Coffee;-2,50;97,50\n24.03.2026;Rent in March;-70,00;27,00\n"
    place = chosen(browser, rows, "bank.csv")
    page = browser.get(place).text
    assert re.findall(r'value="(\w+)" selected', page)[:2] == ["date", "description"]
    assert "We could not find the column of the amounts." in page
    assert "name the columns" not in page
    told = {"columns": ["date", "description", "amount", ""], "guess": guess(page)}
    shown = browser.post(place, data=told).text
    assert "2 new" in shown
    assert "\u221272.50" in shown


@pytest.mark.parametrize("page", ["/imports/new", "/activity"])
def test_what_a_file_leaves_open_is_said_without_the_words_of_a_mapping(ben, browser, page):
    refused = ben.post("/api/feeds/imports", data={"file": (io.BytesIO(QIF), "bank.qif")})
    assert "choose one in the mapping, as dateFormat" in refused.json["error"]
    text = browser.get(page).text
    assert "can be read in 2 orders of day, month and year; choose how to read it." in text
    assert "in the mapping" not in text


def test_the_order_of_qif_days_is_asked_with_the_file_s_own_day(ben, browser):
    place = chosen(browser, QIF, "bank.qif")
    assert place.endswith("/columns")
    page = browser.get(place).text
    assert "Is “03/04/2026” a day in which month?" in page
    assert "3 Apr 2026" in page
    assert "4 Mar 2026" in page
    assert lines_of(ben) == []
    looked = browser.post(place, data={"dateFormat": "%d/%m/%Y"}).text
    assert "3 Apr 2026" in looked
    assert "2 new" in looked
    assert "See all rows and choose the account" in looked
    assert lines_of(ben) == []
    assert browser.post(place, data={"dateFormat": "%d/%m/%Y", "act": "import"}).status_code == 303
    assert lines_of(ben) == [("2026-04-03", "-2.50", "BOOKED"), ("2026-04-04", "-7.00", "BOOKED")]


def test_a_day_whose_year_may_come_first_is_asked_about_as_a_whole(ben, browser):
    place = chosen(browser, b"!Type:Bank\nD13.03.03\nT-2.50\n^\nD13.08.15\nT-7.00\n^\n", "bank.qif")
    page = browser.get(place).text
    assert "Which day is “13.03.03”?" in page
    assert "13 Mar 2003" in page
    assert "3 Mar 2013" in page
    assert browser.post(place, data={"dateFormat": "%y.%m.%d", "act": "import"}).status_code == 303
    assert lines_of(ben) == [("2013-03-03", "-2.50", "BOOKED"), ("2013-08-15", "-7.00", "BOOKED")]


def test_an_answer_about_days_leaves_the_columns_to_the_file(browser, session):
    place = chosen(browser, asking(), "bank.csv")
    page = browser.get(place).text
    assert guess(page) == "date,description,amount"
    form = {"columns": guess(page).split(","), "guess": guess(page), "dateFormat": "%d/%m/%Y", "act": "keep"}
    preview = browser.post(place, data=form)
    # The sign of the amounts is certain no more than the days were, and is asked next.
    assert preview.status_code == 422
    assert "money in or money out?" in preview.text
    kept = browser.post(place, data=form | {"invert": "false"})
    assert kept.status_code == 303
    assert "Change the columns" in browser.get(kept.location).text
    assert session.query(ColumnMapping).count() == 0


def test_columns_without_a_known_word_are_told_and_remembered_and_forgotten(ben, browser, session):
    place = chosen(browser, WORDLESS, "bank.csv")
    page = browser.get(place).text
    assert "We could not find column titles." in page
    assert "Check which column is what." in page
    assert "−602.50" in page
    assert re.findall(r'value="(\w+)" selected', page)[:3] == ["date", "description", "amount"]
    assert lines_of(ben) == []
    told = {"columns": ["date", "description", "amount", ""], "guess": guess(page), "header": "0"}
    looked = browser.post(place, data=told).text
    assert "3 new" in looked
    assert "−602.50" in looked
    assert browser.post(place, data=told | {"act": "import"}).status_code == 303
    assert [amount for _, amount, _ in lines_of(ben)] == ["-2.50", "-700.00", "100.00"]
    again = chosen(browser, WORDLESS, "bank.csv")
    assert "read as remembered for" in browser.get(again).text
    remembered = session.query(ColumnMapping).one()
    assert browser.post(f"/imports/columns/{remembered.id}/forget").status_code == 303
    assert chosen(browser, WORDLESS, "bank.csv").endswith("/columns")


def test_a_table_within_a_file_is_found_by_its_header_and_rows_are_left_out_and_listed(ben, browser):
    broker = (
        b"Holdings;Units\nVT;12\n\nDay;What;Kind;Sum\n2026-03-02;Dividend;C;4.50\n2026-03-03;Split;X;0.00\n"
        b"2026-03-04;Note;;\n2026-03-05;Fee;D;1.25\n"
    )
    place = chosen(browser, broker, "broker.csv")
    unknown = browser.post(place, data={"headerText": "Tag;Was"}).text
    assert "No row of the file begins with \u201cTag;Was\u201d" in unknown
    assert 'name="headerText"' in unknown
    form = {
        "columns": ["date", "description", "flag", "amount"],
        "guess": ",,,",
        "headerText": "Day;What",
        "flagOut": "D",
        "flagIn": "C",
        "flagNeither": "X, Hold",
        "skipWithoutAmount": "true",
    }
    looked = browser.post(place, data=form).text
    assert "2 new" in looked
    assert 'value="Day;What"' in looked
    assert browser.post(place, data=form | {"act": "import"}).status_code == 303
    assert [amount for _, amount, _ in lines_of(ben)] == ["4.50", "-1.25"]
    number = ben.get("/api/feeds/imports").json["imports"][0]["id"]
    listed = ben.get(f"/api/feeds/imports/{number}/lines?verdict=SKIPPED").json["lines"]
    assert [(each["row"], each["reason"]) for each in listed if each["row"] > 4] == [
        (6, "\u201cX\u201d in column 3 \u201cKind\u201d is neither money in nor money out, by the mapping."),
        (7, "It has no amount."),
    ]


def test_one_thing_in_two_columns_is_refused_and_the_form_is_kept(browser):
    place = chosen(browser, WORDLESS, "bank.csv")
    told = {"columns": ["date", "amount", "amount", ""], "guess": ",,,", "header": "0"}
    refused = browser.post(place, data=told)
    assert refused.status_code == 422
    assert "Columns 2 and 3 have the same role" in refused.text


def test_a_refused_file_shows_row_column_and_value_and_the_way_on(ben, browser):
    wrong = b"Date;Text;Amount\n2026-03-02;Coffee;-2.50\n2026-03-03;Rent;-7.00\n2026-03-04;Rent;12.3x4\n"
    page = browser.get(chosen(browser, wrong, "bank.csv")).text
    assert re.search(r"<dt>Row</dt><dd>4</dd>", page)
    assert "column 3 “Amount”" in page
    assert "12.3x4" in page
    assert "Choose its columns" in page
    assert lines_of(ben) == []


def test_another_organization_s_file_and_memory_are_not_there(browser, dan, session):
    place = chosen(browser, WORDLESS, "bank.csv")
    theirs = dan.browser()
    assert theirs.get(place).status_code == 404
    assert theirs.post(place, data={"act": "look"}).status_code == 404


CARD = (
    b"Date;Trans date;Text;Amount\n2026-03-03;2026-03-02;Coffee;-2.50\n2026-03-05;2026-03-05;Rent;-700.00\n"
)


def test_a_preview_shows_what_was_chosen_with_a_way_to_change_it(ben, browser):
    rows = CARD.replace(b"Date;Trans", b"Posting date;Trans")
    place = chosen(browser, rows, "card.csv")
    page = browser.get(place).text
    assert "Booked on: Posting date." in page
    assert "column 2 “Trans date”, which is shown as the value day" in page
    assert "Amounts without a sign: money in." in page
    assert f'href="{place}/columns#columns"' in page
    form = browser.get(f"{place}/columns").text
    assert re.findall(r'value="(\w+)" selected', form)[:4] == ["date", "valueDate", "description", "amount"]
    assert "3 Mar 2026" in form
    told = {"columns": ["", "date", "description", "amount"], "guess": guess(form), "act": "import"}
    assert browser.post(f"{place}/columns", data=told).status_code == 303
    assert lines_of(ben) == [("2026-03-02", "-2.50", "BOOKED"), ("2026-03-05", "-700.00", "BOOKED")]


def test_what_was_chosen_is_remembered_for_the_next_file(ben, browser, session):
    sent = ben.post(
        "/api/feeds/imports", data={"file": (io.BytesIO(CARD.replace(b"Date;", b"Posted;", 1)), "a.csv")}
    )
    assert [each["key"] for each in sent.json["import"]["chosen"]] == ["date", "invert"]
    assert session.query(ColumnMapping).one().mapping == {"date": 0, "valueDate": 1, "invert": False}
    # This file alone would be asked about: as many pluses as minuses, and a day before that of the transaction.
    rows = b"Posted;Trans date;Text;Amount\n2026-04-03;2026-04-06;Tea;-3.50\n2026-04-05;2026-04-05;Pay;9.00\n"
    again = ben.post("/api/feeds/imports", data={"file": (io.BytesIO(rows), "b.csv")})
    assert again.status_code == 201, again.text
    assert [each[:2] for each in lines_of(ben)][-2:] == [("2026-04-03", "-3.50"), ("2026-04-05", "9.00")]


@pytest.mark.parametrize(("place_of", "expected"), [(0, ["-70.00"]), (1, ["500.00", "-70.00"])])
@pytest.mark.parametrize("kind", ["ofx", "csv"])
def test_a_line_that_may_be_a_balance_is_asked_about_on_the_page(ben, browser, kind, place_of, expected):
    rows = b"Date;Text;Amount\n2026-03-02;Saldo anterior;500.00\n2026-03-03;Hire;-70.00\n"
    data = (
        ofx((2, "500.00", "Saldo anterior"), (3, "-70.00", "Hire"), closing="9.00") if kind == "ofx" else rows
    )
    place = chosen(browser, data, f"bank.{kind}")
    page = browser.get(place).text
    assert "Is “Saldo anterior” a balance or a payment?" in page
    answers = re.findall(r'name="leaveOut" value="(.*?)"', page)
    told = {"leaveOut": html.unescape(answers[place_of])} | ({"invert": "false"} if kind == "csv" else {})
    looked = browser.post(place, data=told).text
    assert f"{len(expected)} new" in looked
    assert browser.post(place, data=told | {"act": "import"}).status_code == 303
    assert [each[1] for each in lines_of(ben)] == expected


def test_an_unknown_status_is_asked_about_with_its_words_filled_in(ben, browser):
    rows = (
        b"Date;Text;Amount;State\n2026-03-02;A;-1.00;Completed\n2026-03-03;B;-2.00;On ice\n"
        b"2026-03-04;C;-4.00;Pending\n"
    )
    place = chosen(browser, rows, "bank.csv")
    page = browser.get(place).text
    assert "It is unknown whether money moved in rows with “On ice”" in page
    assert "Add the word to one of the lists of words below." in page
    assert re.search(r'name="pendingValue"[^>]*value="Pending"', page)
    told = {
        "columns": ["date", "description", "amount", "pending"],
        "guess": guess(page),
        "pendingValue": "Pending",
        "pendingUnmoved": "On ice",
        "pendingBooked": "Completed",
        "act": "import",
    }
    assert browser.post(place, data=told).status_code == 303
    assert [each[1:] for each in lines_of(ben)] == [("-1.00", "BOOKED"), ("-4.00", "PENDING")]


def test_a_question_is_in_german_with_the_amounts_of_the_file(ben, browser):
    owed = b"Date,Text,Amount,Balance\n2026-03-01,A,30.00,30.00\n2026-03-02,B,12.00,42.00\n2026-03-09,C,-42.00,0.00\n"
    browser.post("/settings/sign-in/language", data={"language": "de"})
    place = chosen(browser, owed, "card.csv")
    asked = browser.get(place).text
    assert "„30.00“ ist ein Geldausgang" in asked
    shown = browser.post(place, data={"invert": "true"}).text
    figures = re.findall(r'<data class="figure[^>]*value="([-.\d]+)"', shown)
    assert figures == ["-30.00", "-30.00", "-12.00", "-42.00", "42.00", "0.00"]
