"""The workspace as it is answered: what was typed stays, a tick leaves its line as it was, years are told apart."""

import re
from html import unescape

from tests.fixtures.feeds import Feed, line
from tests.fixtures.helpers.marks import on_sqlite


@on_sqlite
def test_a_split_that_does_not_add_up_keeps_what_was_typed(ada, bank, books):
    line = bank.send("2026-03-02", "-100.00", "DB ICE 571")
    travel, rent = books.account_id("Travel"), books.account_id("Rent")
    answer = ada.browser().post(
        f"/transactions/{line}",
        data={
            "splits.0.amount": "-60.00",
            "splits.0.accountId": str(travel),
            "splits.1.amount": "-3O.00",
            "splits.1.accountId": str(rent),
        },
    )
    assert answer.status_code == 422
    form = answer.text.partition('class="line-form"')[2].partition("</form>")[0]
    assert 'value="−60.00"' in form
    assert 'value="-3O.00"' in form
    assert form.count(f'<option value="{travel}" selected') == 1
    assert form.count(f'<option value="{rent}" selected') == 1


@on_sqlite
def test_a_tick_keeps_the_fields_of_the_current_line_only(ada, bank):
    line = bank.send("2026-03-02", "-100.00", "DB ICE 571")
    ada.put(
        "/api/reconciliations/accounts/1/draft",
        json={"statementDate": "2026-03-31", "statementBalance": "-100.00", "keepAsNew": False},
    )
    headers = {"HX-Request": "true", "HX-Target": f"tbody#line-{line}"}

    def ticked(**form):
        return ada.browser().post("/reconciliations/1/lines", headers=headers, data=form).text

    assert 'name="accountId"' not in ticked(cleared=line)
    assert 'name="accountId"' in ticked(uncleared=line, isCurrent="true")


@on_sqlite
def test_the_workspace_names_the_year_where_its_days_leave_this_one(ada, bank):
    bank.send_many([("2024-12-30", "-1.00", "Coffee"), ("2025-01-02", "-2.00", "Tea")])
    assert re.findall(
        r'class="band">\s*<tr><td colspan="6"><b>(\d+)', ada.browser().get("/feeds/1").text
    ) == [
        "2025",
        "2024",
    ]


@on_sqlite
def test_confirming_a_selection_counts_only_what_waits_and_says_what_was_done(ada, bank, books):
    coffee, tea, ride = bank.send_many(
        [
            ("2026-03-02", "-1.00", "Coffee"),
            ("2026-03-03", "-2.00", "Tea"),
            ("2026-03-04", "-1000.50", "Ride"),
        ]
    )
    ada.post(f"/api/transactions/{coffee}/confirm")
    ada.post(f"/api/transactions/{tea}/confirm")
    ada.patch(f"/api/transactions/{tea}", json={"accountId": books.account_id("Travel")})
    headers = {"HX-Request": "true", "HX-Target": "table#lines"}

    def confirmed(**form):
        ids = {"ids": [str(each) for each in (coffee, tea, ride)]}
        answer = ada.browser().post("/transactions/confirm", headers=headers, data=ids | form)
        return answer.status_code, " ".join(re.sub("<[^>]*>", "", answer.text).split()), answer.text

    status, text, page = confirmed()
    assert status == 409
    assert "1 of 2 lines has no account" in text
    key = re.search(r'name="asked" value="(\w+)"', page)[1]
    status, text, page = confirmed(asked=key)
    assert status == 200
    assert "2 lines confirmed, −1,002.50 EUR See the entries Void it" in text
    journal = ada.browser().get(unescape(re.findall(r'href="(/journal\?[^"]*)"', page)[0])).text
    assert "The 2 entries that you have just posted" in journal
    assert re.findall(r'<td class="name wide"><a[^>]*>(.*?)</a>', journal) == ["Ride", "Tea"]
    assert "Nothing left to confirm." in confirmed()[1]


@on_sqlite
def test_who_mends_a_refused_form_comes_back_to_the_workspace(ada, bank):
    line = bank.send("2026-03-02", "-100.00", "DB ICE 571")

    def sent(referrer):
        headers = {"Referer": f"http://localhost{referrer}"}
        return (
            ada.browser()
            .post(f"/transactions/{line}", data={"description": "Train"}, headers=headers)
            .location
        )

    assert sent("/feeds/1?show=all") == "/feeds/1?show=all"
    assert sent("/reconciliations/1/draft") == "/feeds/1"
    assert sent(f"/transactions/{line}") == "/feeds/1"


@on_sqlite
def test_a_card_may_open_in_credit_and_end_owed(ada):
    fa_id = ada.post(
        "/api/feeds/accounts", json={"name": "Card", "currency": "EUR", "type": "LIABILITY"}
    ).json["feedAccount"]["faId"]
    browser = ada.browser()
    browser.post(
        f"/reconciliations/{fa_id}/draft",
        data={
            "statementDate": "2026-03-31",
            "statementBalance": "684.55",
            "owed": "owed",
            "keepAsNew": "true",
            "openingDate": "2026-02-28",
            "openingBalance": "12.00",
            "openingOwed": "credit",
        },
    )
    draft = ada.get("/api/reconciliations/accounts").json["accounts"][0]["draft"]
    assert (draft["statementBalance"], draft["openingBalance"]) == ("-684.55", "12.00")
    page = browser.get(f"/feeds/{fa_id}").text
    assert re.search(r'id="openingOwed-credit"[^>]*checked', page)
    assert "No ticked line waits to be confirmed" in page


@on_sqlite
def test_a_list_without_lines_says_why(ada, bank):
    bank.send("2026-03-02", "-100.00", "DB ICE 571")

    def said(query):
        page = ada.browser().get(f"/feeds/1?{query}").text
        return " ".join(
            re.sub("<[^>]*>", "", page.partition('class="empty"')[2].partition("</div>")[0]).split()
        )

    assert "No line matches “tea” Searched the texts and amounts of Main account." in said("q=tea")
    assert "No line here matches “ice” Main account has 1 line with it. Show it" in said("show=pending&q=ice")
    assert "None on these days. Show all lines" in said("show=all&from=2026-04-01")


@on_sqlite
def test_a_corrected_line_shows_what_confirming_would_change(ada, bank, books):
    line = bank.send("2026-03-02", "-100.00", "DB ICE 571")
    ada.post(f"/api/transactions/{line}/confirm")
    ada.patch(
        f"/api/transactions/{line}",
        json={"accountId": books.account_id("Travel"), "projectId": bank.project("Wayfinding")},
    )

    def wanted():
        part = ada.browser().get("/feeds/1").text.partition("line-wanted")[2].partition("</span>\n")[0]
        return " ".join(re.sub("<[^>]*>", "", part).split())

    assert "account Uncategorised expenses → Travel; project none → Wayfinding." in wanted()
    split = [{"accountId": books.account_id(name), "amount": "-50.00"} for name in ("Travel", "Rent")]
    ada.patch(f"/api/transactions/{line}", json={"splits": split})
    assert "account Uncategorised expenses → split in 2." in wanted()
    ada.post(f"/api/transactions/{line}/confirm")
    assert wanted() == ""


@on_sqlite
def test_the_panel_and_the_hub_link_the_broken_proof_also_where_the_last_one_holds(ada, bank, desk):
    feed = Feed(ada, bank.open("Main account"))
    feed.push(added=[line("a", "10.00", "2026-01-02"), line("b", "20.00", "2026-02-03")])
    desk.confirm(*(each["id"] for each in feed.lines()))
    january = desk.prove("2026-01-31", "10.00")
    desk.prove("2026-02-28", "30.00")
    feed.push(modified=[line("a", "10.00", "2026-01-05")])
    link = f'<a href="/reconciliations/proofs/{january["id"]}">proof of '
    sentence = re.compile(rf"The {link}<time[^>]*>31 Jan( 2026)?</time></a> is no longer valid")
    browser = ada.browser()
    for address in ("/", f"/feeds/{feed.fa_id}"):
        assert sentence.search(browser.get(address).text)
    assert "Proof broken" in browser.get(f"/feeds/{feed.fa_id}").text
    desk.put("2026-03-31", "30.00")
    assert sentence.search(browser.get(f"/feeds/{feed.fa_id}").text)


@on_sqlite
def test_the_hub_and_the_panel_show_entries_that_no_bank_line_and_no_proof_has(ada, bank, desk):
    bank.open("Main account")
    accounts = (bank.ledger_account(), bank.role("opening_balances"))

    def write(day, amount):
        postings = [
            {"accountId": each, "amount": part, "currency": "EUR"}
            for each, part in zip(accounts, (amount, f"-{amount}"), strict=True)
        ]
        body = {"effectiveAt": day, "postings": postings, "post": True}
        assert ada.post("/api/journal-entries", json=body).status_code == 201

    def shown(address):
        found = re.search(r'class="uncleared">(.*?)</p>', ada.browser().get(address).text, re.DOTALL)
        return found and " ".join(re.sub(r"<[^>]+>", " ", found[1]).split())

    assert (shown("/"), shown(f"/feeds/{bank.fa_id}")) == (None, None)
    write("2026-01-01", "1000.00")
    sentence = (
        "1 posted entry without a bank line is not ticked: 1,000.00 EUR , of 1 Jan 2026 . Show the entries"
    )
    assert (shown("/"), shown(f"/feeds/{bank.fa_id}")) == (sentence, sentence)
    write("2026-02-01", "5.00")
    assert shown("/").startswith(
        "2 posted entries without a bank line are not ticked: 1,005.00 EUR , the oldest"
    )
    desk.put("2026-02-28", "1005.00")
    assert shown(f"/feeds/{bank.fa_id}")
    desk.clear(auto=True)
    desk.complete()
    assert (shown("/"), shown(f"/feeds/{bank.fa_id}")) == (None, None)
