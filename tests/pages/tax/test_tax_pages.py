"""Taxes on pages: a first return from a clean start, what comes late, and what is refused, without JavaScript."""

import re
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser

import pytest

from tests.api.tax.conftest import Taxes, done
from tests.fixtures.helpers.documents import filed
from tests.pages.test_manual_entries import form, said
from webapp.ledger.tax.forms import months_after
from webapp.pages import tax


@pytest.fixture
def taxes(ada, bank):
    return Taxes(ada, bank)


def digest_of(answer):
    return re.search(r'name="digest" value="([0-9a-f]{64})"', answer.text)[1]


def sell(pages, code, amount, day, **more):
    legs = ("Petty cash", amount, ""), ("Sales of services", "", amount)
    return pages.post(
        "/journal/new", data=form(*legs, day=day, **{"postings.1.taxCodeId": code}, act="post", **more)
    )


def test_a_first_return_is_filed_and_withdrawn_from_a_clean_start(ada, books):
    pages = ada.browser()
    assert "computing partial exemption" in pages.get("/tax").text
    wrong = pages.post("/tax/packs/generic-vat/install", data={"from": "soon", "basis": "CASH"})
    assert (wrong.status_code, "Not supported" in wrong.text) == (422, True)
    assert '<option value="CASH" selected>' in wrong.text
    assert pages.post("/tax/packs/generic-vat/install", data={"from": "2026-01-01"}).status_code == 303
    codes = done(ada.get("/api/tax/codes?side=SALE"))["taxCodes"]
    code = next(each["id"] for each in codes if each["code"] == "S20")
    assert sell(pages, code, "120.00", "2026-02-03").status_code == 303
    found = pages.get("/tax/returns/open?form=generic-vat")
    assert re.search(r'total ties"\s+value="20.00"', found.text)
    filing = {"form": "generic-vat", "to": "2026-03-31", "kind": "RETURN", "digest": "0" * 64}
    assert pages.post("/tax/returns", data=filing).status_code == 409
    address = pages.post("/tax/returns", data={**filing, "digest": digest_of(found)}).location
    filed = pages.get(address)
    assert re.search(r'total ties"\s+value="20.00"', filed.text)
    assert "VAT payable" in pages.get(f"{address}?box=C").text
    late = sell(pages, code, "12.00", "2026-02-04")
    assert (late.status_code, "It is late" in late.text) == (409, True)
    assert sell(pages, code, "12.00", "2026-02-04", late="true").status_code == 303
    assert "Came since it was filed" in pages.get(address).text
    assert "Error of" in said(pages.get("/tax/returns/open?form=generic-vat"))
    assert "No form" not in pages.get("/tax/returns/open?form=generic-vat&kind=NOTICE").text
    withdrawn = pages.post(f"{address}/withdraw", data={"reason": "Twice"})
    assert withdrawn.status_code == 303
    assert "Withdrawn" in pages.get(address).text
    assert pages.post(f"{address}/withdraw", data={"reason": "Twice"}).status_code == 409


def test_due_returns_wait_in_the_hub_the_list_and_the_month_end_by_one_predicate(ada, bank):
    bank.rebase("GBP")
    today = datetime.now(UTC).date()
    start = months_after(today.replace(day=1), -5)
    installed = {"from": start.isoformat(), "frequency": "MONTHLY"}
    assert ada.post("/api/tax/packs/uk-vat100/install", json=installed).status_code == 201
    # Due on the 7th of the second month after: those of the three months before the last, and of one soon.
    due = [months_after(start, number).replace(day=7) for number in range(2, 8)]
    soon = [each for each in due if each <= today + timedelta(days=31)]
    pages = ada.browser()
    assert said(pages.get("/todo")).count('<small class="owner-facts">due ') == len(soon) > 2
    assert f"{len(soon)} tax returns due" in said(pages.get("/"))
    closed = today.replace(day=1) - timedelta(days=1)
    close = done(ada.get(f"/api/closes/{closed:%Y-%m}"))["close"]
    (step,) = (each for each in close["steps"] if each["code"] == "tax")
    assert step["count"] == len([each for each in due if each <= closed])
    listed = pages.get(step["href"]).text.partition('id="returns"')[0]
    assert listed.count("/tax/returns/open?") == step["count"]


def split_rows(*rows):
    names = ("amount", "accountId", "taxCodeId")
    return {
        f"splits.{index}.{name}": str(value)
        for index, row in enumerate(rows)
        for name, value in zip(names, row, strict=True)
    }


def test_parts_of_a_line_take_tax_codes_and_show_them_as_they_were_written(taxes):
    pages, bank = taxes.person.browser(), taxes.bank
    fa_id = bank.open()
    line = bank.send("2026-02-03", "180.00", "Shop")
    address, sales = f"/transactions/{line}", taxes.accounts["Sales of services"]
    whole = split_rows(("", sales, taxes.codes["S20"]))
    assert pages.post(address, data=whole).status_code == 303
    assert [each[:3] for each in taxes.of_line(line)[1:]] == [
        ("Sales of services", "-150.00", "S20"),
        ("VAT payable", "-30.00", "S20"),
    ]
    shown = said(pages.get(f"/feeds/{fa_id}?line={line}&edit=splits"))
    assert re.search(r'name="splits.0.amount" value="180.00"', shown)
    assert shown.count("selected>S20 · Sales at 20 %") == 1
    assert 'name="splits.2.amount"' not in shown
    two = split_rows(("120.00", sales, taxes.codes["S20"]), ("", sales, taxes.codes["S5"]))
    assert pages.post(address, data=two).status_code == 303
    assert [each[1] for each in taxes.of_line(line)[1:]] == ["-100.00", "-57.14", "-20.00", "-2.86"]
    before = done(taxes.person.get(f"/api/transactions/{line}"))["transaction"]["updatedAt"]
    assert pages.post(address, data=two).status_code == 303
    assert done(taxes.person.get(f"/api/transactions/{line}"))["transaction"]["updatedAt"] == before
    plain = pages.post(address, data=split_rows(("", sales, "")))
    assert (plain.status_code, "is split into 2 to 100" in plain.text) == (422, True)
    wrong = pages.post(address, data=split_rows(("", taxes.accounts["VAT payable"], taxes.codes["S20"])))
    assert (wrong.status_code, "belongs to income" in wrong.text) == (422, True)


class Typed(HTMLParser):
    """What a browser would send of the form of an entry."""

    def __init__(self, page):
        super().__init__()
        self.found, self._select = {}, None
        self.feed(page.text.partition('id="entry"')[2].partition("<datalist")[0])

    def handle_starttag(self, tag, attrs):
        facts = dict(attrs)
        if tag == "select":
            self._select = facts["name"]
        name = self._select if tag == "option" and "selected" in facts else facts.get("name")
        if name and tag in ("input", "option"):
            self.found[name] = facts.get("value") or ""


def test_a_document_is_booked_with_its_stated_tax_and_a_draft_keeps_it(taxes):
    pages, software = taxes.person.browser(), taxes.accounts["Software"]
    stated = {"net": "100.00", "tax": "19.99", "total": "119.99", "currency": "EUR", "issuedOn": "2026-02-03"}
    stated |= {"documentType": "BILL", "sender": "Mill", "accountId": software}
    bill = filed(taxes.person, **stated)
    body = Typed(pages.get(f"/journal/new?documentId={bill['id']}")).found | {"act": "draft"}
    assert (body["postings.0.debit"], body["taxPoint"]) == ("119.99", "3 Feb 2026")
    assert body["postings.0.taxOf"] == "119.99"
    none = pages.post("/journal/new", data=body)
    assert (none.status_code, "states 19.99 of tax" in said(none)) == (422, True)
    coded = {"postings.0.taxCodeId": taxes.codes["P20"], "taxPoint": "2026-01-31"}
    address = pages.post("/journal/new", data=body | coded).location

    def saved(**changes):
        typed = Typed(pages.get(f"{address}/edit")).found
        assert pages.post(f"{address}/edit", data=typed | changes | {"act": "draft"}).status_code == 303
        return figures(taxes, address)

    as_stated = ["100.00", "-119.99", "19.99"]
    assert figures(taxes, address) == as_stated
    # Nothing but its text is changed: the tax stays as stated. Another amount has another tax.
    assert saved(description="Mill again") == as_stated
    other = {"postings.0.debit": "120.00", "postings.1.credit": "120.00"}
    assert saved(**other) == ["100.00", "-120.00", "20.00"]


def figures(taxes, address):
    entry = done(taxes.person.get(f"/api/journal-entries/{address.rpartition('/')[2]}"))["entry"]
    assert {each.get("taxPoint") for each in entry["postings"]} == {None, "2026-01-31"}
    return [each["amount"] for each in entry["postings"]]


@pytest.mark.rare
def test_a_posted_entry_is_corrected_and_the_invoice_asks_for_a_credit_note(taxes):
    pages, invoice = taxes.person.browser(), ("Sales of services", "-120.00", "S20", {})
    entry = taxes.enter("2026-02-03", ("Trade receivables", "120.00", None, {}), invoice)
    shown = Typed(pages.get(f"/journal/{entry}/correct")).found
    assert [shown[f"postings.{index}.{side}"] for index, side in enumerate(("debit", "credit"))] == [
        "120.00"
    ] * 2
    less = {"postings.0.debit": "60.00", "postings.1.credit": "60.00", "reason": "Typed twice"}
    filed_one(taxes)
    asked = pages.post(f"/journal/{entry}/correct", data=shown | less | {"late": "true"})
    assert (asked.status_code, "What was wrong" in said(asked)) == (422, True)
    wrong = pages.post(
        f"/journal/{entry}/correct", data=shown | less | {"wasWrong": "THE_INVOICE", "late": "true"}
    )
    assert (wrong.status_code, "book the credit note" in said(wrong)) == (409, True)
    ours = shown | less | {"wasWrong": "OUR_ENTRY"}
    assert "It is late" in said(pages.post(f"/journal/{entry}/correct", data=ours))
    assert pages.post(f"/journal/{entry}/correct", data=ours | {"late": "true"}).status_code == 303
    again = Typed(pages.get(f"/journal/{entry}/correct")).found
    assert again["postings.1.credit"] == "60.00"
    void = {"reason": "Twice", "late": "true"}
    assert "What was wrong" in said(pages.post(f"/journal/{entry}/void", data=void))
    assert pages.post(f"/journal/{entry}/void", data=void | {"wasWrong": "OUR_ENTRY"}).status_code == 303


def filed_one(taxes):
    shown = done(taxes.person.get(f"/api/tax/returns/open?form={taxes.pack}"))["taxReturn"]
    filing = {"form": taxes.pack, "to": shown["to"], "digest": shown["digest"]}
    return done(taxes.person.post("/api/tax/returns", json=filing))


def test_the_undo_of_a_key_offers_what_comes_late(taxes, ada):
    agent = ada.with_scopes("read", "draft", "confirm")
    sold = taxes.posting("Petty cash", "120.00"), taxes.posting("Sales of services", "-120.00", "S20")
    body = {"effectiveAt": "2026-02-03", "post": True, "postings": sold}
    entry = done(agent.post("/api/journal-entries", json=body))["entry"]["id"]
    filed_one(taxes)
    address, since = f"/settings/keys/{agent.token_id}/undo", {"since": "2026-01-02T00:00"}
    browser = ada.browser()
    asked = browser.post(f"{address}/preview", data=since)
    assert ("Nothing to undo" in asked.text, "Undo it late" in asked.text) == (True, True)
    shown = browser.post(f"{address}/preview", data=since | {"late": "true"})
    sent = since | {"late": "true", "digest": digest_of(shown)}
    assert ("1 act to undo" in shown.text, 'name="late" value="true"' in shown.text) == (True, True)
    assert "1 act undone" in browser.post(address, data=sent).text
    assert done(ada.get(f"/api/journal-entries/{entry}"))["entry"]["status"] == "VOIDED"


@pytest.mark.rare
def test_bad_debts_unpaid_bills_and_returned_money_have_a_page(ada, bank):
    uk = Taxes(ada, bank, "GBP", "uk-vat100", "2025-01-01")
    pages, acme = ada.browser(), bank.merchant("Acme")
    party = {"orgMerchantId": acme, "dueOn": "2025-02-01"}
    uk.enter(
        "2025-02-01",
        ("Trade receivables", "120.00", None, party),
        ("Sales of services", "-120.00", "S20", {}),
    )
    uk.enter("2025-02-01", ("Trade payables", "-60.00", None, party), ("Software", "60.00", "P20", {}))
    items = {each["amount"]: each["id"] for each in done(ada.get("/api/items"))["items"]}
    statement = pages.get(f"/owed/statement?orgMerchantId={acme}&from=2025-01-01").text
    assert f"/tax/bad-debts/{items['120.00']}" in statement
    address = f"/tax/bad-debts/{items['120.00']}"
    assert 'value="120.00"' in pages.get(address).text
    loss = {"amount": "120.00", "day": "2025-09-01", "counterAccountId": uk.accounts["Software"]}
    too_much = pages.post(address, data=loss | {"amount": "130.00"})
    assert (too_much.status_code, "neither paid nor relieved" in too_much.text) == (422, True)
    assert pages.post(address, data=loss).status_code == 303
    claimed = pages.get(address).text
    assert "of tax was claimed on" in said(pages.get(address))
    back = re.search(r'action="([^"]*/take-back)"', claimed)[1]
    assert pages.post(back, data={"reason": ""}).status_code == 422
    assert pages.post(back, data={"reason": "It is paid"}).status_code == 303
    assert "of tax was claimed on" not in said(pages.get(address))
    assert (again := pages.post(back, data={"reason": "It is paid"})).status_code == 422, again.text
    assert pages.post(address, data=loss).status_code == 303
    period = {"form": "uk-vat100", "to": "2025-09-30"}
    open_return = pages.get("/tax/returns/open", query_string=period).text
    assert "Own bills unpaid for six months" in open_return
    assert pages.post("/tax/unpaid-bills", data=period).status_code == 303
    assert "Own bills unpaid" not in pages.get("/tax/returns/open", query_string=period).text
    bank.open("Pounds", "GBP")
    line = bank.send("2025-10-02", "-60.00", "Mill")
    done(ada.patch(f"/api/transactions/{line}", json={"settles": [{"itemId": items["-60.00"]}]}))
    done(ada.post(f"/api/transactions/{line}/confirm"))
    settled = done(ada.get("/api/settlements"))["settlements"][0]["id"]
    undo = {"reason": "Came back", "cause": "RETURNED"}
    kept = f"/settlements/{settled}/undo?orgMerchantId={acme}&from=2025-01-01&to=2025-12-31"
    refused = pages.post(kept, data=undo)
    assert (refused.status_code, "the day or the line" in said(refused)) == (422, True)
    assert pages.post(kept, data=undo | {"on": "2025-10-09"}).status_code == 303
    assert done(ada.get("/api/settlements"))["settlements"][0]["status"] == "UNDONE"


def test_late_items_of_a_return_are_shown_by_pages(taxes, monkeypatch):
    monkeypatch.setattr(tax, "MOST_LATE", 2)
    taxes.sale("2026-02-03", "120.00", "S20")
    filed_one(taxes)
    for day in ("2026-02-04", "2026-02-05", "2026-02-06"):
        taxes.sale(day, "12.00", "S20", late=True)
    pages = taxes.person.browser()
    first = pages.get("/tax/returns/open?form=generic-vat").text
    filed = f"/tax/returns/{filed_one(taxes)['taxReturn']['id']}"
    for shown in (first, pages.get(filed).text):
        assert shown.count("Error of") == 2
        assert "1 to 2 of 3" in shown
        assert "lateFrom=2" in shown
    last = pages.get(f"{filed}?lateFrom=2").text
    assert (last.count("Error of"), "lateFrom" in last.partition("<main")[2]) == (1, False)


def test_boxes_are_adjusted_by_hand_against_an_account(taxes):
    pages = taxes.person.browser()
    page = pages.get("/tax/adjustments/new").text
    assert ('value="A"' in page, 'value="C"' in page) == (True, False)
    body = {"form": "generic-vat", "taxPoint": "2026-02-03", "reason": "PRIVATE_USE", "note": "Own use"}
    body |= {"boxes.0.box": "A", "boxes.0.amount": "20.00", "boxes.1.box": "D", "boxes.1.amount": ""}
    assert "Choose an account." in pages.post("/tax/adjustments", data=body).text
    empty = pages.post("/tax/adjustments", data=body | {"boxes.0.amount": ""})
    assert (empty.status_code, "Write an amount into a box first." in empty.text) == (422, True)
    address = pages.post(
        "/tax/adjustments", data=body | {"counterAccountId": taxes.accounts["Rent"]}
    ).location
    assert [leg[:2] for leg in taxes.legs(address.rpartition("/")[2])] == [
        ("VAT payable", "-20.00"),
        ("Rent", "20.00"),
    ]
