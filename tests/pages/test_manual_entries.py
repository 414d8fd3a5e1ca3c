"""Writing an entry on its page: columns for debit and credit, accounts by code or name, and how it stands, exactly."""

from html import unescape

import pytest

from tests.fixtures.helpers.book_texts import lines
from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.owed import items, keep_items, keep_no_items


def form(*legs, day="2026-03-02", **more):
    filled = {"effectiveAt": day, "description": "By hand", **more}
    for index, leg in enumerate(legs):
        for name, value in zip(("accountId", "debit", "credit", "currency", "amountBase"), leg, strict=False):
            filled[f"postings.{index}.{name}"] = value
    return filled


def said(answer):
    return " ".join(unescape(answer.text).split())


@pytest.fixture
def pages(ada):
    return ada.browser()


def test_an_entry_is_kept_as_a_draft_and_opens_where_it_can_be_posted(pages, books):
    made = pages.post("/journal/new", data=form(("Travel", "5.00", ""), ("petty", "", "5.00"), act="draft"))
    assert (made.status_code, made.location) == (303, "/journal/1")
    assert books.entries() == lines("""
        2026-03-02 DRAFT By hand
            Travel      5.00 EUR
            Petty cash  -5.00 EUR
    """)
    assert "Post entry 1" in pages.get("/journal/1").text
    version = pages.get("/journal/1").text.partition('name="version" value="')[2][:16]
    assert pages.post("/journal/1/post", data={"version": version}).status_code == 303
    assert len(books.balances()) == 2


def test_an_entry_is_posted_at_once_by_those_who_may(pages, books):
    legs = (("Travel", "1,005.00", ""), ("petty", "", "1 005.00"))
    assert pages.post("/journal/new", data=form(*legs, act="post")).status_code == 303
    assert books.balances() == lines("""
        Petty cash  -1005.00 EUR
        Travel       1005.00 EUR
    """)


def test_a_difference_is_written_in_the_base_currency_alone_and_edited(pages, books, ada):
    legs = (("Accrued expenses", "", "", "USD", "-83.33"), ("7800", "83.33", ""))
    balance = said(pages.post("/journal/balance", data=form(*legs)))
    assert "Debits equal credits." in balance
    made = pages.post("/journal/new", data=form(*legs, act="draft"))
    assert made.status_code == 303
    page = pages.get(f"{made.location}/edit").text
    assert 'value="−83.33"' in page
    refused = pages.post("/journal/new", data=form(("Accrued expenses", "1", "", "USD", "-83.33"), legs[1]))
    assert "A posting has the same sign in EUR" in said(refused)
    version = page.partition('name="version" value="')[2][:16]
    pages.post(f"{made.location}/edit", data=form(*legs, version=version, act="post"))
    assert [each["amountBase"] for each in ada.get("/api/journal-entries/1").json["entry"]["postings"]] == [
        "-83.33",
        "83.33",
    ]
    assert books.balances() == ["Realised exchange differences 83.33 EUR"]


def test_legs_that_nothing_was_typed_into_are_left_out(pages, books):
    legs = (("", "", ""), ("Travel", "5.00", ""), ("", "", "", "USD"), ("petty", "", "5.00"), ("", "", ""))
    assert pages.post("/journal/new", data=form(*legs)).status_code == 303
    assert len(books.entries()) == 3


@on_sqlite
@pytest.mark.parametrize(
    ("legs", "sentence", "kept"),
    [
        ([("Travel", "5.00", ""), ("petty", "", "4.00")], "Debits exceed credits by 1.00 EUR.", "4.00"),
        (
            [("Travel", "5.00", ""), ("nowhere", "", "5.00")],
            "No active account has this code or name.",
            "nowhere",
        ),
        ([("Travel", "5.00", ""), ("uncat", "", "5.00")], "2 accounts match: ", "uncat"),
        ([("Travel", "5.00", "5.00"), ("petty", "", "5.00")], "A line has a debit or a credit.", "5.00"),
        ([("Travel", "", ""), ("petty", "", "5.00")], "Enter a debit or a credit.", "Travel"),
        ([("", "5.00", ""), ("petty", "", "5.00")], "Choose an account.", "5.00"),
        ([("Travel", "-5.00", ""), ("petty", "", "5.00")], "Enter it without a sign", "−5.00"),
        (
            [("Travel", "5.001", ""), ("petty", "", "5.001")],
            "EUR has 2 digits after the decimal point",
            "5.001",
        ),
        ([("Travel", "1,2,34", ""), ("petty", "", "1,2,34")], "Write an amount like 1,234.50.", "1,2,34"),
        ([("Travel", "5", "", "XXQ"), ("petty", "", "5", "XXQ")], "XXQ is not an ISO 4217 currency", "XXQ"),
        ([("Travel", "5.00", "")], "Write 2 to 200 legs.", "5.00"),
    ],
    ids=str,
)
def test_what_is_no_entry_is_said_where_it_was_typed_and_kept(pages, books, legs, sentence, kept):
    answer = pages.post("/journal/new", data=form(*legs, act="post"))
    assert answer.status_code == 422
    assert sentence in said(answer)
    assert f'value="{kept}"' in answer.text
    assert books.entries() == []


@on_sqlite
def test_a_wrong_amount_is_said_in_the_column_that_it_stands_in(pages):
    answer = pages.post("/journal/new", data=form(("Travel", "5.001", ""), ("petty", "", "5.00")))
    assert 'aria-describedby="leg-0-debit-note"' in answer.text
    answer = pages.post("/journal/new", data=form(("Travel", "5.00", ""), ("petty", "", "5.001")))
    assert 'aria-describedby="leg-1-credit-note"' in answer.text


def test_the_balance_is_what_writing_would_find_and_nothing_is_written(pages, bank, books, ada):
    bank.quote("2026-03-01", "USD", "1.0842")
    bank.quote("2026-03-01", "JPY", "161.20")
    legs = [("Travel", "10.00", "", "usd"), ("Travel", "1000", "", "JPY"), ("petty", "", "15.43", "EUR")]
    answer = pages.htmx("POST", "/journal/balance", target="section#balance", data=form(*legs))
    assert answer.text.lstrip().startswith('<section id="balance"')
    assert "Debits equal credits." in said(answer)
    assert "goes to Rounding" in said(answer)
    assert books.entries() == []
    assert ada.get("/api/action-requests?kind=create_journal_entry").json["actionRequests"] == []


@pytest.mark.parametrize(
    ("legs", "sentence"),
    [
        ([], "Nothing is written yet."),
        ([("Travel", "5.00", "")], "Debits exceed credits by 5.00 EUR."),
        ([("Travel", "5.00", ""), ("petty", "", "6.00")], "Credits exceed debits by 1.00 EUR."),
        (
            [("Travel", "5", "", "JPY"), ("petty", "", "5", "JPY")],
            "No JPY rate for 2 Mar 2026. Add one to post.",
        ),
        ([("Travel", "10.00", "", "USD"), ("petty", "", "12.00")], "Credits exceed debits by 2.78 EUR."),
        ([("", "5.00", ""), ("petty", "", "5.00")], "Line 1 has no account."),
    ],
    ids=str,
)
def test_the_balance_says_what_is_missing(pages, bank, legs, sentence):
    bank.quote("2026-03-01", "USD", "1.0842")
    answer = pages.post("/journal/balance", data=form(*legs))
    assert answer.status_code == 200
    assert sentence in said(answer)


def test_the_balance_says_that_the_day_is_locked(pages, bank):
    bank.lock("2026-03-31")
    answer = pages.post("/journal/balance", data=form(("Travel", "5.00", "")))
    assert "2 Mar 2026 is locked. Date it 1 Apr 2026, or open the period." in said(answer)


@pytest.mark.parametrize(
    ("legs", "column", "amount"),
    [
        ([("Travel", "5.00", ""), ("petty", "", "")], "postings.1.credit", "5.00"),
        ([("Travel", "", "5.00"), ("petty", "", "2.00")], "postings.2.debit", "7.00"),
        ([("Travel", "500", "", "JPY"), ("petty", "", "", "")], "postings.1.credit", "500"),
        (
            [("Travel", "10.00", "", "USD"), ("Rent", "1.00", ""), ("petty", "", "")],
            "postings.2.credit",
            "10.22",
        ),
        (
            [("Travel", "10.00", "", "USD"), ("Rent", "1.00", ""), ("petty", "", "", "USD")],
            "postings.2.credit",
            "11.08",
        ),
    ],
    ids=str,
)
def test_the_rest_is_filled_in_and_balances(pages, bank, legs, column, amount):
    bank.quote("2026-03-01", "USD", "1.0842")
    bank.quote("2026-03-01", "JPY", "161.20")
    answer = pages.post("/journal/balance?fill=1", data=form(*legs))
    assert f'name="{column}" value="{amount}"' in said(answer)
    assert "Debits equal credits." in said(answer)
    parts = pages.htmx("POST", "/journal/balance?fill=1", target="div#legs", data=form(*legs)).text
    assert 'hx-target="#legs"' in parts
    assert 'hx-target="#balance"' in parts


def test_a_draft_is_edited_on_its_page_and_two_who_do_are_told(ada, ben, pages, books):
    pages.post("/journal/new", data=form(("Travel", "5.00", ""), ("petty", "", "5.00")))
    page = pages.get("/journal/1/edit")
    assert 'name="postings.1.credit" value="5.00"' in said(page)
    version = page.text.partition('name="version" value="')[2][:16]
    legs = (("Rent", "7.00", ""), ("petty", "", "7.00"))
    assert ben.browser().post("/journal/1/edit", data=form(*legs, version=version)).status_code == 303
    stale = pages.post(
        "/journal/1/edit", data=form(("Loans", "9.00", ""), ("petty", "", "9.00"), version=version)
    )
    assert stale.status_code == 409
    assert "Ben changed this draft after you opened it." in said(stale)
    assert 'value="9.00"' in stale.text
    assert "Save mine instead" in stale.text
    assert "Rent" in "".join(books.entries())
    refused = pages.post("/journal/1/delete", data={"version": version})
    assert refused.status_code == 409
    assert pages.post("/journal/1/delete", data={}).location == "/journal"
    assert books.entries() == []


@on_sqlite
def test_what_is_no_draft_of_a_persons_opens_no_form(pages, bank, ada):
    line = bank.send("2026-03-02", "-5.00")
    entry = ada.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
    assert pages.get(f"/journal/{entry}/edit").location == f"/journal/{entry}"
    assert "Edit</a>" not in pages.get(f"/journal/{entry}").text
    answer = pages.post(f"/journal/{entry}/post", data={})
    assert (answer.status_code, "change it there" in said(answer)) == (409, True)


def test_a_posted_entry_is_voided_and_opens_as_a_new_draft(pages, books):
    pages.post("/journal/new", data=form(("Travel", "5.00", ""), ("petty", "", "5.00"), act="post"))
    assert "Void and copy into a new draft" in pages.get("/journal/1").text
    answer = pages.post("/journal/1/void", data={"reason": "Wrong", "copy": "true"})
    assert (answer.status_code, answer.location) == (303, "/journal/3/edit")
    assert 'name="postings.0.debit" value="5.00"' in said(pages.get("/journal/3/edit"))
    assert books.balances() == []


@on_sqlite
def test_a_viewer_writes_nothing(cleo):
    pages = cleo.browser()
    assert "Write an entry" not in pages.get("/journal").text
    assert pages.get("/journal/new").status_code == 403
    assert pages.post("/journal/balance", data=form()).status_code == 403


def test_what_is_no_amount_is_answered_alike_beside_the_balance_and_under_the_field(pages):
    legs = (("Travel", "abc", ""), ("petty", "", "5.00"))
    balance, refused = (said(pages.post(f"/journal/{path}", data=form(*legs))) for path in ("balance", "new"))
    assert "Line 1: Write an amount like 1,234.50." in balance
    assert "Write an amount like 1,234.50." in refused
    assert "such as -12.50" not in balance + refused


def test_a_leg_on_an_account_that_keeps_items_asks_whose_which_and_until_when(pages, ada, books):
    keep_items(ada, books.account_id("Trade receivables"))
    halden = ada.post("/api/merchants", json={"name": "Halden"}).json["merchant"]["id"]
    legs = (("Trade receivables", "100.00", ""), ("Sales of services", "", "100.00"))
    shown = pages.post("/journal/balance", data=form(*legs)).text
    assert [shown.count(each) for each in ('class="leg-item"', 'class="leg-item without-script"')] == [1, 3]
    item = {
        "postings.0.orgMerchantId": halden,
        "postings.0.reference": "RE-1",
        "postings.0.dueOn": "15 Apr 2026",
    }
    assert pages.post("/journal/new", data=form(*legs, **item, act="post")).status_code == 303
    (owed,) = items(ada)
    assert [owed[name] for name in ("orgMerchantName", "reference", "dueOn", "open")] == [
        "Halden",
        "RE-1",
        "2026-04-15",
        "100.00",
    ]


@on_sqlite
def test_a_due_day_that_is_none_is_refused_at_its_field(pages, ada, books):
    keep_items(ada, books.account_id("Trade receivables"))
    legs = (("Trade receivables", "100.00", ""), ("Sales of services", "", "100.00"))
    refused = pages.post("/journal/new", data=form(*legs, **{"postings.0.dueOn": "32 Apr"}))
    assert refused.status_code == 422
    assert 'id="leg-0-due-note"' in refused.text
    assert 'value="32 Apr"' in refused.text


@on_sqlite
def test_no_leg_asks_for_items_where_no_account_keeps_them(ada, pages, books):
    keep_no_items(ada)
    assert "leg-item" not in pages.get("/journal/new").text
