"""Activity by person, area, bank account and day; ticks of one statement that follow each other are one row."""

import re
from datetime import UTC, datetime, timedelta
from io import BytesIO
from zoneinfo import ZoneInfo

import pytest

from tests.fixtures.desks import Desk

TITLE = re.compile(r'<div class="act-line">\s*<span>(?:<a [^>]*>)?(.*?)(?:</a>)?</span>', re.DOTALL)


@pytest.fixture
def titles(ada):
    browser = ada.browser()

    def read(**query):
        answer = browser.get("/activity", query_string=query)
        assert answer.status_code == 200
        return TITLE.findall(answer.text)

    return read


@pytest.fixture
def desk(ada, ben, bank):
    """Two bank accounts; Ada names a project, Ben confirms three lines of the first and ticks them one by one."""
    bank.open("Savings")
    bank.open("Main account")
    lines = bank.send_many([("2026-03-02", f"-{n}.00", f"Line {n}") for n in (1, 2, 3)])
    ada.post("/api/projects", json={"name": "Website"})
    desk = Desk(ben, bank)
    desk.confirm(*lines)
    desk.put("2026-03-31", "-6.00")
    for line in lines:
        desk.clear(cleared=[line])
    return desk


def test_ticks_in_a_row_are_one_act_with_each_of_them_in_it(ada, desk, titles):
    newest, *others = titles()
    assert newest.startswith("Ticked 3 items on the statement of Main account to 31 Mar")
    assert not [each for each in others if "on the statement of" in each]
    page = ada.browser().get("/activity").text
    assert "All 3" in page
    assert "Ticked Line 1" in page
    assert "Ticked 3 items" in ada.browser().get("/").text


@pytest.mark.parametrize(("zone", "name"), [("Pacific/Kiritimati", "UTC+14"), ("Pacific/Pago_Pago", "SST")])
def test_days_and_times_are_those_of_the_books(ada, desk, titles, zone, name):
    ada.browser().post("/settings/organization", data={"name": "Ada's books", "timeZone": zone})
    today = datetime.now(ZoneInfo(zone)).date()
    recent = titles(**{"from": today, "to": today})
    assert recent[:2] == [each for each in recent if each.startswith(("Changed", "Ticked"))]
    assert titles(**{"from": today + timedelta(days=1)}) == []
    assert not set(titles(to=today - timedelta(days=1))) & set(recent)
    page = ada.browser().get("/activity").text
    assert f"{today.day} {today:%b}" in page
    assert f" {name}" in page
    assert " UTC<" not in page


def test_acts_are_narrowed_by_who_area_account_and_day(ada, bank, desk, titles):
    everything = titles()
    of_program = titles(who=f"TOKEN-{ada.token_id}")
    assert (
        of_program == titles(tokenId=ada.token_id) == titles(area="names") == ["Created the project Website"]
    )
    assert titles(who=f"PERSON-{ada.user_id}", area="names") == []
    of_account = titles(faId=bank.fa_id)
    assert [each.split(" ")[0] for each in of_account] == ["Ticked", "Started", *["Confirmed"] * 3]
    assert titles(faId=bank.fa_id, area="statements") == of_account[:2]
    assert titles(faId=bank.fa_id - 1) == []
    today = datetime.now(UTC).date()
    recent = titles(**{"from": today, "to": today})
    assert recent[: len(of_account)] == of_account
    assert titles(**{"from": today + timedelta(days=1)}) == []
    assert not set(titles(to=today - timedelta(days=1))) & set(of_account)
    assert titles(who="nobody", area="nothing", faId="x") == everything


def test_rights_and_entries_are_named_in_the_language_of_the_page(ada, desk):
    ada.post("/api/tokens", json={"name": "Script", "scopes": ["read", "draft"], "days": 30})
    page = ada.browser().get("/activity", headers={"Accept-Language": "de"}).text
    values = re.findall(r"<div>([^<]+)</div>", page)
    assert {"Lesen", "Entwürfe erfassen"} <= set(values)
    assert any(re.fullmatch(r"Buchung \d+ „.*Line 1“", each) for each in values), values


def test_a_german_page_quotes_in_german_gives_a_file_its_unit_and_shows_no_id(ada):
    sent = {"file": (BytesIO(b"%PDF-1.4 " + b"x" * 2291), "bill.pdf")}
    assert ada.post("/api/documents", data=sent).status_code == 201
    assert ada.post("/api/projects", json={"name": "Website", "note": "for Ben"}).status_code == 201
    browser = ada.browser()
    browser.post("/settings/sign-in/language", data={"language": "de"})
    page = browser.get("/activity").text
    assert "<div>2 kB</div>" in page
    assert ("“" in page.replace("“</", ""), "<code>" in page, "act_" in page) == (False, False, False)
