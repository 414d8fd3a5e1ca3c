"""The pages of what is owed, without scripts: by party and age, a party's statement, and settling by hand."""

import re

import pytest

from tests.fixtures.helpers.owed import items, keep_items, owe, undo

pytestmark = pytest.mark.usefixtures("sound", "keeping")


@pytest.fixture
def keeping(ada, books):
    for name in ("Trade receivables", "Trade payables"):
        keep_items(ada, books.account_id(name))


@pytest.fixture
def owed(ben, books, halden):
    """An invoice that is overdue, one that is not, and a payment of a part of both."""
    owe(ben, books, "1000.00", halden, day="2026-03-01", dueOn="2026-03-10", reference="RE-1")
    owe(ben, books, "250.00", halden, day="2026-03-02", dueOn="2026-12-10", reference="RE-2")
    owe(ben, books, "-1100.00", halden, day="2026-03-20")
    return halden


def main_of(answer):
    assert answer.status_code == 200, answer.text
    return re.sub(r"\s+", " ", answer.text.partition("<main")[2].partition("</main>")[0])


def figures(text):
    return re.findall(r'<data[^>]*value="([^"]+)"', text)


def test_customers_stand_by_age_with_the_double_rule_of_the_accounts(ben, owed):
    page = main_of(ben.browser().get("/owed?asOf=2026-04-01"))
    row = page.partition("Halden Optik")[2].partition("</tr>")[0]
    assert figures(row) == ["250.00", "-100.00", "0.00", "0.00", "0.00", "150.00"]
    assert len(re.findall(r'class="figure total ties"\s+value="150.00"', page)) == 2


def test_suppliers_stand_above_zero_on_their_own_side(ben, books, halden):
    owe(ben, books, "-80.00", halden, account="Trade payables")
    page = main_of(ben.browser().get("/owed?side=PAYABLES"))
    assert figures(page.partition("Halden Optik")[2].partition("</tr>")[0])[-1] == "80.00"
    assert "Nobody owes anything" in main_of(ben.browser().get("/owed"))


def test_the_statement_of_what_names_no_party_says_so(ben):
    page = main_of(ben.browser().get("/owed/statement"))
    assert "Statement without a name" in page
    assert "Positive = owed to us." in page


def test_a_statement_shows_what_moved_and_what_is_open(ben, owed):
    page = main_of(ben.browser().get(f"/owed/statement?orgMerchantId={owed}&from=2026-03-02&to=2026-04-30"))
    assert "Statement of Halden Optik" in page
    movements = page.partition("Opening")[2].partition("Closing")[0]
    assert figures(movements) == ["1000.00", "1000.00", "250.00", "1250.00", "-1100.00", "150.00"]
    assert page.count('type="checkbox"') == 3


def test_ticked_items_are_settled_the_oldest_first_and_open_again_when_that_is_undone(ben, owed):
    pages, ids = ben.browser(), [each["id"] for each in items(ben)]
    address = f"/owed/settlements?orgMerchantId={owed}&to=2026-04-30"
    answer = pages.post(address, data={"items": ids})
    assert answer.status_code == 303, answer.text
    (left,) = items(ben)
    assert (left["reference"], left["open"]) == ("RE-2", "150.00")
    page = main_of(pages.get(answer.headers["Location"]))
    settlement = re.search(r"/settlements/(\d+)/undo", page)[1]
    undo(ben, {"id": settlement})
    assert sorted(each["open"] for each in items(ben)) == ["-1100.00", "1000.00", "250.00"]


def test_items_that_do_not_settle_each_other_are_refused_in_words(ben, owed):
    first, second = (each["id"] for each in items(ben) if not each["open"].startswith("-"))
    answer = ben.browser().post(f"/owed/settlements?orgMerchantId={owed}", data={"items": [first, second]})
    assert answer.status_code == 422
    assert "A settlement is of two items or more" in answer.text


def test_who_may_only_look_sees_no_way_to_settle(cleo, owed):
    page = main_of(cleo.browser().get(f"/owed/statement?orgMerchantId={owed}"))
    assert "Settle</button>" not in page


def test_a_merchant_shows_what_is_open_of_it(ben, owed):
    page = main_of(ben.browser().get(f"/merchants/{owed}"))
    card = page.partition("Open items")[2].partition("</section>")[0]
    assert figures(card) == ["-1100.00", "-1100.00", "250.00", "250.00", "1000.00", "1000.00"]
    assert f"/owed/statement?orgMerchantId={owed}" in card


def test_a_merchant_of_whom_nothing_is_open_shows_no_items(ben, halden):
    assert "Open items" not in main_of(ben.browser().get(f"/merchants/{halden}"))
