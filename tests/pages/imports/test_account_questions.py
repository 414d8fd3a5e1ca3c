"""Each question that a file raises about its account has a control where it is asked."""

import io
import re
from html import unescape

import pytest

from tests.api.imports.test_imports import MARCH, imported
from tests.fixtures.bank_files.ofx_statements import Line, bank_file

APRIL = (Line("2026-04-02", "-100.00"), Line("2026-04-09", "-20.00"))
FRENCH = b"Date;Libelle;Montant\n02/03/2026;Loyer;-900,00\n15/03/2026;Frais;-3,20\n"
DOLLARS = b"Posted,Memo,Amount\n2026-03-13,Rent,-750.00\n2026-03-16,Fee,-4.10\n"


def looked_at(browser, data, name="march.ofx", **form):
    answer = browser.post("/imports", data={"file": (io.BytesIO(data), name), **form})
    assert answer.status_code == 303, answer.text
    page = browser.get(answer.location)
    assert page.status_code == 200
    return answer.location.partition("#")[0].removesuffix("/columns"), page.text


def options_of(page):
    (select,) = re.findall(r'<select name="accounts.0.faId".*?</select>', page, re.DOTALL)
    chosen = re.findall(r'<option value="([^"]*)"\s+selected', select)
    return select, re.findall(r'<option value="([^"]*)"', select), chosen


def accounts_of(person):
    return {
        each["accountName"]: each["currency"]
        for each in person.get("/api/feeds/accounts").json["feedAccounts"]
    }


def question(name, ben, ada, browser):
    """A file that raises a question, as its address and its page, and what the question says."""
    fa_id = imported(ben, bank_file(*MARCH, account=None))["accounts"][0]["faId"]
    if name == "the only one":
        return *looked_at(browser, bank_file(*APRIL, account=None)), "one of your accounts"
    if name == "several":
        other = ada.post("/api/feeds/accounts", json={"name": "Savings", "currency": "EUR"})
        assert other.status_code == 201
        return *looked_at(browser, bank_file(*APRIL, account=None)), "one of your accounts"
    if name == "one number in two currencies":
        for code in ("EUR", "USD"):
            imported(ben, bank_file(*MARCH, account="77", currency=code))
        return *looked_at(browser, bank_file(*APRIL, account="77", currency=None)), "there in several"
    file = bank_file(*APRIL, account=None, currency="USD")
    return *looked_at(browser, file, faId=str(fa_id)), "The file is in USD"


QUESTIONS = ["the only one", "several", "one number in two currencies", "chosen in another currency"]


@pytest.mark.parametrize("name", QUESTIONS)
def test_each_question_has_a_control_that_nothing_is_chosen_in(ben, ada, name):
    browser = ben.browser()
    address, page, words = question(name, ben, ada, browser)
    assert words in unescape(page)
    select, options, chosen = options_of(page)
    assert ("required" in select, options[:2], chosen) == (True, ["", "new"], [])
    assert "faId " not in re.sub(r"<[^>]+>", " ", page)
    number = {"accounts.0.externalId": "77"} if "number" in name else {}
    stated = {} if "number" in name else {"accounts.0.currency": "USD" if "another" in name else "EUR"}
    named = {**number, **stated, "accounts.0.isAsked": "true"}
    before = len(accounts_of(ben))
    unanswered = browser.post(f"{address}/commit", data={**named, "accounts.0.faId": ""})
    assert unanswered.status_code == 422
    assert options_of(unanswered.text)[1] == options
    new = {**named, "accounts.0.faId": "new", "accounts.0.name": "Harbour", "accounts.0.opensIn": "SEK"}
    taken = browser.post(f"{address}/commit", data={**new, "accounts.0.type": "ASSET"})
    assert taken.status_code == 303
    currency = stated.get("accounts.0.currency", "SEK")
    assert (len(accounts_of(ben)), accounts_of(ben)["Harbour"]) == (before + 1, currency)


def test_an_existing_account_is_an_answer(ben, ada):
    browser = ben.browser()
    address, page, _ = question("one number in two currencies", ben, ada, browser)
    fa_id = options_of(page)[1][-1]
    form = {"accounts.0.externalId": "77", "accounts.0.isAsked": "true", "accounts.0.faId": fa_id}
    assert browser.post(f"{address}/commit", data=form).status_code == 303
    (account,) = ben.get(f"/api/feeds/imports/{address.rpartition('/')[2]}").json["import"]["accounts"]
    assert (str(account["faId"]), account["added"]) == (fa_id, 2)


def test_dollars_do_not_go_into_the_only_account(ben):
    browser = ben.browser()
    address, _ = looked_at(browser, FRENCH, "releve.csv")
    assert browser.post(f"{address}/commit").status_code == 303
    address, page = looked_at(browser, DOLLARS, "dollars.csv")
    assert options_of(page)[2] == []
    form = {"accounts.0.isAsked": "true", "accounts.0.faId": "new", "accounts.0.name": "Dollars"}
    form |= {"accounts.0.opensIn": "USD", "accounts.0.type": "ASSET"}
    assert browser.post(f"{address}/commit", data=form).status_code == 303
    assert accounts_of(ben) == {"Account in EUR": "EUR", "Dollars": "USD"}


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [
        pytest.param(FRENCH, FRENCH.replace(b"/03/", b"/04/"), "releve.csv", id="its layout"),
        pytest.param(
            bank_file(*MARCH, account=None),
            bank_file(*MARCH[1:], *APRIL, account=None),
            "a.ofx",
            id="its lines",
        ),
        pytest.param(
            b"Date;Libelle;Montant;Solde\n02/03/2026;Loyer;-900,00;110,00\n13/03/2026;Frais;-3,20;106,80\n",
            b"Jour;Texte;Montant;Solde;Note\n16/04/2026;Loyer;-90,00;16,80;a\n",
            "b.csv",
            id="its balance",
        ),
    ],
)
def test_what_shows_the_account_answers_for_the_person(ben, bank, first, second, name):
    bank.open("Savings")
    browser = ben.browser()
    address, _ = looked_at(browser, first, name)
    form = {"accounts.0.isAsked": "true", "accounts.0.faId": "new", "accounts.0.name": "Harbour"}
    currency = {"accounts.0.currency": "EUR"} if name == "a.ofx" else {}
    taken = browser.post(f"{address}/commit", data={**form, **currency, "accounts.0.type": "ASSET"})
    assert taken.status_code == 303
    _, page = looked_at(browser, second, name)
    select, _, chosen = options_of(page)
    assert "required" not in select
    (fa_id,) = chosen
    assert ben.get(f"/api/feeds/accounts/{fa_id}").json["feedAccount"]["accountName"] == "Harbour"


def test_the_list_says_what_needs_an_answer_and_counts_lines_that_are_not_added_yet(ben, ada):
    browser = ben.browser()
    question("the only one", ben, ada, browser)
    ambiguous = b"Date;Amount;Text\n03/04/2026;-1.00;Tea\n05/06/2026;-2.00;Rent\n"
    browser.post("/imports", data={"file": (io.BytesIO(ambiguous), "days.csv")})
    rows = re.findall(r"<tr>(.*?)</tr>", browser.get("/imports").text.partition("<tbody>")[2], re.DOTALL)
    words = [" ".join(unescape(re.sub(r"<[^>]+>", " ", row)).split()) for row in rows]
    assert ["Needs your help" in each for each in words] == [True, True, False]
    assert "Refused" not in " ".join(words)
    assert "which account?" in words[1]
    assert "new, 0 duplicates" in words[2]


def test_a_list_does_not_import_a_file_with_a_question(ben, ada):
    browser = ben.browser()
    address, _, _ = question("the only one", ben, ada, browser)
    import_id = address.rpartition("/")[2]
    assert browser.post("/imports/commit", data={"ids": [import_id]}).status_code == 303
    assert ben.get(f"/api/feeds/imports/{import_id}").json["import"]["status"] == "PREVIEWED"
    refused = ben.post(f"/api/feeds/imports/{import_id}/commit", json={})
    assert (refused.status_code, refused.json["code"]) == (422, "account_choice")


def test_a_proposed_name_follows_the_currency_that_is_typed(ben):
    browser = ben.browser()
    address, page = looked_at(browser, FRENCH, "releve.csv")
    assert 'value="Account in EUR"' in page
    assert "This page shows EUR until you import." in page
    form = {"accounts.0.isAsked": "true", "accounts.0.faId": "new", "accounts.0.name": "Account in EUR"}
    form |= {"accounts.0.opensIn": "SEK", "accounts.0.type": "ASSET"}
    assert browser.post(f"{address}/commit", data=form).status_code == 303
    assert accounts_of(ben) == {"Account in SEK": "SEK"}


def test_a_page_shows_the_file_in_the_currency_and_for_the_account_that_are_chosen(ben, bank):
    bank.open("Giro")
    browser = ben.browser()
    address, page = looked_at(browser, FRENCH, "releve.csv")
    assert "Read as EUR" in page
    form = {"act": "look", "accounts.0.isAsked": "true", "accounts.0.faId": ""}
    named = {"accounts.0.name": "Account in EUR", "accounts.0.opensIn": "sek", "accounts.0.type": "ASSET"}
    shown = browser.post(f"{address}/commit", data={**form, **named})
    assert (shown.status_code, "Read as SEK" in shown.text, "Read as EUR" in shown.text) == (200, True, False)
    assert 'value="Account in SEK"' in shown.text
    assert '<span class="code">SEK</span>' in shown.text
    giro = browser.post(f"{address}/commit", data={**form, **named, "accounts.0.faId": str(bank.fa_id)})
    assert options_of(giro.text)[2] == [str(bank.fa_id)]
    assert accounts_of(ben) == {"Giro": "EUR"}
