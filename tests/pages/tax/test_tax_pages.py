"""Taxes on pages: a first return from a clean start, what comes late, and what is refused, without JavaScript."""

import re
from datetime import date, timedelta

from tests.api.tax.conftest import done
from tests.pages.test_manual_entries import form, said
from webapp.ledger.tax.forms import months_after


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
    wrong = pages.post("/tax/packs/generic-vat/install", data={"from": "soon"})
    assert (wrong.status_code, "Not supported" in wrong.text) == (422, True)
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
    today = date.today()  # noqa: DTZ011  (far from midnight)
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
