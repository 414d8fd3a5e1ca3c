"""Amounts and days on pages: read as people type them, and shown as the organization or the person has it."""

import re
from pathlib import Path
from typing import Final

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from webapp.web.rendering import typed

TEMPLATES: Final = Path("webapp/templates")
FIELD: Final = re.compile(r'\b(day|amount)_(?:field|input)\("([^"]+)"')
# A control, or a macro that makes one, by the name that it sends.
CONTROL: Final = re.compile(r'<(?:input|select|textarea|button)\b[^>]*?\bname="([^"]+)"[^>]*>')
HIDDEN: Final = re.compile(
    r'type="hidden".*value="(?:=|\{\{[^}]*(?:iso_day|day|date|balance|amount|left_open|effective_at))'
)
MACRO: Final = re.compile(
    r'\b(?!(?:day|amount)_)\w*(?:field|input|select|check|choice|pick|fitting|plain|area|several)\("([^"]+)"'
)


@pytest.fixture
def german(app, ada):
    """Ada's browser in books whose pages are as in Germany."""
    browser = ada.browser()
    answer = browser.post(
        "/settings/organization", data={"name": "One", "timeZone": "Europe/Berlin", "locale": "en-DE"}
    )
    assert answer.status_code == 303
    return browser


@on_sqlite
def test_pages_show_the_notation_of_the_books_or_of_the_person_and_the_api_shows_its_own(
    german, ada, ben, bank
):
    line = bank.send("2026-03-02", "-1234.50", "DB ICE 571")
    assert "−1.234,50" in german.get("/feeds/1?show=all").text
    assert "−1.234,50" in ben.browser().get("/feeds/1?show=all").text
    mine = ben.browser()
    assert mine.post("/settings/sign-in/locale", data={"locale": "en-US"}).status_code == 303
    page = mine.get("/feeds/1?show=all").text
    assert "−1,234.50" in page
    assert "Mar 2<" in page
    assert "Amounts and days are now like 1,234.50 and " in mine.get("/settings/sign-in?done=locale").text
    assert "−1.234,50" in german.get("/feeds/1?show=all").text
    assert ada.get(f"/api/transactions/{line}").json["transaction"]["amount"] == "-1234.50"
    mine.post("/settings/sign-in/locale", data={"locale": ""})
    assert "−1.234,50" in mine.get("/feeds/1?show=all").text


@on_sqlite
@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("23,06", "23.06"),
        ("1.234,50", "1234.50"),
        ("1'234.50", "1234.50"),
        ("1.234", "1234.00"),
        ("20,-", "20.00"),
    ],
)
def test_an_amount_is_read_as_it_is_typed(german, ada, bank, typed, stored):
    bank.send("2026-03-02", "-100.00", "DB ICE 571")
    form = {"statementDate": "31.3.2026", "statementBalance": typed}
    assert german.post("/reconciliations/1/draft", data=form).status_code == 303
    draft = ada.get("/api/reconciliations/accounts/1").json["account"]["draft"]
    assert (draft["statementBalance"], draft["statementDate"]) == (stored, "2026-03-31")


@on_sqlite
@pytest.mark.parametrize(
    ("name", "typed", "sentence"),
    [
        ("statementBalance", "1,2,3", "Write an amount like 1.234,50."),
        ("statementBalance", "1,234", "EUR has 2 digits after the decimal point; 1,234 has more."),
        ("statementDate", "soon", "or 31, +1, t, end of last month."),
        ("statementDate", "31.2.2026", "Write a day like "),
    ],
)
def test_what_cannot_be_read_is_kept_with_one_sentence_on_how_to_write_it(
    german, bank, name, typed, sentence
):
    bank.send("2026-03-02", "-100.00", "DB ICE 571")
    form = {"statementDate": "31.3.2026", "statementBalance": "1,00", name: typed}
    answer = german.post("/reconciliations/1/draft", data=form)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert f'value="{typed}"' in answer.text


@on_sqlite
def test_a_rate_is_refused_where_its_comma_could_stand_before_thousands(ada):
    browser = ada.browser()
    form = {"day": "2026-10-30", "currency": "USD", "unitsPerBase": "1,084"}
    refused = browser.post("/settings/exchange-rates", data=form)
    assert (refused.status_code, 'value="1,084"' in refused.text) == (422, True)
    assert "Write a rate above zero, like 1.0842." in refused.text
    assert browser.post("/settings/exchange-rates", data=form | {"unitsPerBase": "1,0842"}).status_code == 303
    assert "1.0842" in browser.get("/settings/exchange-rates").text


@on_sqlite
def test_the_days_of_an_address_are_absolute(ada):
    answer = ada.browser().get("/?asOf=end+of+last+month")
    assert answer.status_code == 302
    assert answer.location.startswith("/?asOf=20")
    assert ada.browser().get(answer.location).status_code == 200


@on_sqlite
@pytest.mark.parametrize(
    ("parts", "amounts"),
    [
        ([("60", "Travel"), ("", "Rent")], ["-60.00", "-40.00"]),
        ([("=", "Travel"), ("25,5", "Rent")], ["-74.50", "-25.50"]),
        ([("110", "Travel"), ("-10", "Rent")], ["-110.00", "10.00"]),
        ([("-60.00", "Travel"), ("-40.00", "Rent")], ["-60.00", "-40.00"]),
        ([("60", "Travel"), ("40", "Rent"), ("", "Travel")], ["-60.00", "-40.00"]),
    ],
)
def test_parts_have_the_sign_of_their_line_and_one_takes_the_rest(ada, bank, books, parts, amounts):
    line = bank.send("2026-03-02", "-100.00", "DB ICE 571")
    form = {}
    for at, (amount, name) in enumerate(parts):
        form |= {f"splits.{at}.amount": amount, f"splits.{at}.accountId": str(books.account_id(name))}
    browser = ada.browser()
    rest = browser.post(f"/transactions/{line}/parts", data=form)
    assert "too much" not in rest.text
    assert browser.post(f"/transactions/{line}", data=form).status_code == 303
    splits = ada.get(f"/api/transactions/{line}").json["transaction"]["splits"]
    assert [each["amount"] for each in splits] == amounts


@on_sqlite
def test_two_parts_cannot_both_take_the_rest(ada, bank, books):
    line, travel = bank.send("2026-03-02", "-100.00", "DB ICE 571"), str(books.account_id("Travel"))
    form = {"splits.0.accountId": travel, "splits.1.amount": "=", "splits.1.accountId": travel}
    answer = ada.browser().post(f"/transactions/{line}", data=form)
    assert (answer.status_code, "Only one part can take the rest." in answer.text) == (422, True)


@on_sqlite
def test_a_refused_form_still_states_what_is_left_or_too_much(ada, bank, books):
    line, travel = bank.send("2026-03-02", "-100.00", "DB ICE 571"), str(books.account_id("Travel"))
    form = {"splits.0.amount": "60", "splits.1.amount": "150", "splits.1.accountId": travel}
    refused = ada.browser().post(f"/transactions/{line}", data=form)
    assert refused.status_code == 422
    assert "110.00 EUR too much.</output>" in refused.text
    assert refused.text.count("Choose an account.") == 1
    refused = ada.browser().post(f"/transactions/{line}", data=form | {"splits.0.accountId": travel})
    assert refused.text.count("The splits add up to −210.00 EUR of −100.00 EUR, 110.00 EUR too much.") == 1
    opened = ada.browser().get(f"/feeds/1?show=all&line={line}&edit=splits")
    assert "100.00 EUR is left.</output>" in opened.text


def test_every_field_for_a_day_or_an_amount_is_read_by_its_name() -> None:
    """A field that a page writes in the notation of its reader, and nobody reads so, would refuse what it shows."""
    fields: dict[str, set[str]] = {"day": set(), "amount": set()}
    for template in TEMPLATES.rglob("*.html"):
        for kind, name in FIELD.findall(template.read_text(encoding="utf-8")):
            fields[kind].add(name.rpartition(".")[2])
    assert len(fields["day"]) > 10
    assert fields["day"] <= typed.DAYS
    assert len(fields["amount"]) > 5
    assert fields["amount"] <= typed.AMOUNTS | typed.RATES


def test_no_other_field_has_a_name_that_is_read_as_a_day_or_an_amount() -> None:
    """An id that a field of such a name sends would be read as a day: 17 as that of this month."""
    read, wrong = typed.DAYS | typed.AMOUNTS, []
    for template in TEMPLATES.rglob("*.html"):
        text = template.read_text(encoding="utf-8")
        controls = [each for each in CONTROL.finditer(text) if not HIDDEN.search(each[0])]
        found = [(each[0], each[1].rpartition(".")[2]) for each in (*controls, *MACRO.finditer(text))]
        wrong += [(template.name, written) for written, name in found if name in read]
    assert wrong == []
