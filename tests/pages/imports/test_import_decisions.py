"""The preview's page: doubtful lines decided beside the lines that they may be, and accounts chosen."""

import re

import pytest

from tests.api.imports.test_import_decisions import MAPPING, ROWS, counting, csv, doubtful, previewed
from tests.api.imports.test_imports import MARCH, imported, send
from tests.fixtures.bank_files.ofx_files import sgml, statement, transaction
from tests.fixtures.bank_files.ofx_statements import bank_file


@pytest.fixture
def fa_id(ben):
    return imported(ben, bank_file(*MARCH))["accounts"][0]["faId"]


def test_doubtful_lines_stand_beside_those_that_they_may_be_and_are_decided_one_by_one(ben, fa_id):
    import_id = previewed(ben, fa_id)
    browser = ben.browser()
    page = browser.get(f"/imports/{import_id}").text
    assert "3 lines may be duplicates" in page
    (first, coffees), _, (third, _) = doubtful(ben, import_id)
    assert page.count(f"line={coffees[0]}") == 2
    form = {
        "decisions.0.position": first,
        "decisions.0.line": coffees[0],
        "decisions.1.position": third,
        "decisions.1.line": "new",
        "rest": "",
    }
    assert browser.post(f"/imports/{import_id}/commit", data=form).status_code == 303
    assert len(counting(ben)) == 5


def test_all_that_is_left_open_may_be_the_lines_that_are_there(ben, fa_id):
    import_id = previewed(ben, fa_id)
    form = {"decisions.0.position": "0", "decisions.0.line": "", "rest": "SAME"}
    assert ben.browser().post(f"/imports/{import_id}/commit", data=form).status_code == 303
    assert len(counting(ben)) == 3


def test_a_decision_that_fits_nothing_is_said_and_the_file_waits(ben, fa_id):
    import_id = previewed(ben, fa_id)
    browser = ben.browser()
    for line, sentence in (("987654", "no possible duplicate"), ("soon", "a new one")):
        form = {"decisions.0.position": "0", "decisions.0.line": line}
        refused = browser.post(f"/imports/{import_id}/commit", data=form)
        assert refused.status_code == 422
        assert sentence in refused.text
    assert "Import 3 lines" in browser.get(f"/imports/{import_id}").text


def test_a_file_without_a_number_asks_whose_it_is(ben, bank):
    bank.open("Savings")
    bank.open("Dollars", "USD")
    import_id = send(ben, csv(*ROWS), "march.csv", mapping=MAPPING, dryRun="true").json["import"]["id"]
    browser = ben.browser()
    page = browser.get(f"/imports/{import_id}").text
    assert "Which account does this file belong to?" in page
    choices = re.search(r'name="accounts.0.faId".*?</select>', page, re.DOTALL)[0]
    assert ("Savings" in choices, "Dollars" in choices) == (True, False)
    form = {"accounts.0.faId": "", "accounts.0.name": "Company card", "accounts.0.type": "LIABILITY"}
    assert browser.post(f"/imports/{import_id}/commit", data=form).status_code == 303
    (account,) = ben.get(f"/api/feeds/imports/{import_id}").json["import"]["accounts"]
    assert account["name"] == "Company card"


def test_a_file_of_two_accounts_asks_in_their_cards_and_says_what_it_adds(ben):
    def one(amount, number):
        line = transaction(DTPOSTED="20260302", TRNAMT=amount, FITID=number, NAME="Fee")
        return statement(line, number=number, balances=[])

    data = sgml(one("-12.00", "CHK1"), one("5.00", "SAV2"))
    import_id = send(ben, data, "two.ofx", dryRun="true").json["import"]["id"]
    page = ben.browser().get(f"/imports/{import_id}").text
    cards = re.findall(r'<section class="card" aria-label="([^"]+)">(.*?)</section>', page, re.DOTALL)
    assert [(name[-4:], "Which account is" in card) for name, card in cards] == [
        ("CHK1", True),
        ("SAV2", True),
    ]
    foot = page[page.index('<footer class="foot">') :]
    assert 'value="-7.00"' in foot
    assert page.count('<td class="dim desk">') == 6
