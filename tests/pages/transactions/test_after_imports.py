"""After an import: the way on to its lines and to its statement, with the day and balances of the file."""

import pytest

from tests.fixtures.bank_files.camt_files import balance, entry, message, statement
from tests.pages.imports.test_imports import take, text_of


def december(opening="33.06", closing="23.06", *, days=("2013-12-27", "2013-12-30"), on="2013-12-30"):
    lines = [entry(amount="5.00", booked=day, reference=f"R{day}") for day in days]
    return message(statement(balance("OPBD", opening, days[0]), *lines, balance("CLBD", closing, on)))


def start(browser, page):
    """Press the button that starts the reconciliation with the figures of the file."""
    form = page.partition('name="isOpened"')[0].rpartition('action="')[2].partition('"')[0]
    named = {
        name: page.partition(f'name="{name}" value="')[2].partition('"')[0]
        for name in ("isOpened", "statementDate", "statementBalance", "owed")
    }
    return browser.post(form, data=named)


def test_the_result_of_an_import_leads_to_its_lines_and_its_statement(ben):
    browser, address = take(ben, december())
    text = text_of(browser, address)
    assert "Work through 2 lines" in text
    assert "Reconcile 30 Dec 2013, 23.06" in text
    assert "Was added" in text
    answer = start(browser, browser.get(address).text)
    assert answer.status_code == 303
    assert answer.headers["Location"].startswith("/feeds/")
    assert "Go on reconciling 30 Dec 2013" in text_of(browser, address)
    page = text_of(browser, answer.headers["Location"])
    assert "The bank says 33.06 was there on 26 Dec 2013" in page


def test_the_form_of_a_new_reconciliation_has_the_figures_of_the_file(ben):
    browser, _ = take(ben, december())
    page = browser.get("/feeds/1").text
    assert 'value="30 Dec 2013"' in page
    assert 'value="23.06"' in page
    assert "Day and balance as month.xml states them." in page


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("0.00", "-10.00"), ("33.06", "23.06")],
    ids=["nothing there", "lines before the file"],
)
def test_no_opening_is_offered_where_none_is_owed(ben, opening, closing):
    if opening != "0.00":
        take(ben, message(statement(entry(amount="1.00", booked="2013-11-01", reference="before"))))
    sign = "DBIT" if closing.startswith("-") else "CRDT"
    days = "2013-12-27", "2013-12-30"
    lines = [entry(amount="5.00", booked=day, reference=f"R{day}") for day in days]
    ends = balance("OPBD", opening, days[0]), balance("CLBD", closing.lstrip("-"), days[1], sign)
    browser, address = take(ben, message(statement(ends[0], *lines, ends[1])))
    answer = start(browser, browser.get(address).text)
    assert "Start with it" not in text_of(browser, answer.headers["Location"])


def test_the_oldest_statement_comes_first(ben):
    take(ben, december("23.06", "13.06", days=("2014-01-03", "2014-01-31"), on="2014-01-31"))
    browser, address = take(ben, december())
    assert "Reconcile 30 Dec 2013, 23.06" in text_of(browser, address)


def test_those_who_may_only_look_get_no_button_to_reconcile(ben, cleo):
    _, address = take(ben, december())
    assert "Reconcile 30 Dec" not in text_of(cleo.browser(), address)
