"""Schedules on their page: each kind is written there, and assets are disposed of."""

import pytest

from tests.fixtures.helpers.marks import on_sqlite


@on_sqlite
@pytest.mark.parametrize(
    ("facts", "parts"),
    [
        ({"kind": "RELEASE"}, ["50.00"] * 12),
        ({"kind": "RECURRING", "periods": "3"}, ["600.00"] * 3),
        ({"kind": "DEPRECIATION", "method": "STRAIGHT_LINE", "residual": "120.00"}, ["40.00"] * 12),
        ({"kind": "LOAN", "rate": "12", "payment": "310.00", "periods": "2"}, ["6.00", "2.96"]),
    ],
)
def test_each_kind_is_written_on_the_page(ada, bank, facts, parts):
    body = {
        "name": "Twelve months", "amount": "600.00", "startsOn": "2026-01-01", "every": "MONTH", "periods": "12",
        "accountId": bank.account("Prepaid", "ASSET"), "counterAccountId": bank.account("Costs"), "rate": "",
        "payment": "", "residual": "", "method": "", "assetAccountId": "", **facts,
    }  # fmt: skip
    pages = ada.browser()
    answer = pages.post("/schedules", data=body)
    assert answer.status_code == 303, answer.text
    (made,) = ada.get("/api/schedules").json["schedules"]
    assert [each["amount"] for each in made["parts"]] == parts
    if facts["kind"] == "DEPRECIATION":
        address = f"/schedules/{made['id']}/dispose"
        refused = pages.post(address, data={"on": "2026-02-04", "saleEntryId": "99999"})
        assert refused.status_code == 422
        assert pages.post(address, data={"on": "2026-02-04"}).status_code == 303
        assert all("Disposed of on" in pages.get(each).text for each in ("/schedules", address[:-8]))
    refused = pages.post("/schedules", data={**body, "name": ""})
    assert (refused.status_code, "Twelve months" in refused.text) == (422, True)


@on_sqlite
def test_a_schedule_is_changed_posted_skipped_and_stopped_on_its_page(ada, bank):
    accounts = {
        "accountId": bank.account("Bank charges due", "LIABILITY"),
        "counterAccountId": bank.account("Fees"),
    }
    body = {
        "kind": "RECURRING",
        "name": "Fees",
        "amount": "5.00",
        "startsOn": "2026-01-31",
        "periods": "4",
        "every": "MONTH",
    }
    pages = ada.browser()
    assert pages.post("/schedules", data={**body, **accounts, "postsItself": "true"}).status_code == 303
    made = ada.get("/api/schedules").json["schedules"][0]
    page = f"/schedules/{made['id']}"
    assert made["postsItself"] is True
    assert 'value="5.00"' in pages.get(page).text
    assert (
        pages.post(page, data={"name": "Charges", "amount": "6.00", **accounts, "documentId": ""}).status_code
        == 303
    )
    assert pages.post("/schedules/run", data={"post": "false"}).status_code == 303
    assert "Draft" in pages.get(page).text
    assert pages.post(f"{page}/parts/1/post").status_code == 303
    assert pages.post(f"{page}/parts/1/post").status_code == 409
    assert pages.post(f"{page}/parts/2/skip", data={"note": ""}).status_code == 422
    assert pages.post(f"{page}/parts/2/skip", data={"note": "Waived"}).status_code == 303
    assert pages.post(f"{page}/stop", data={"note": "It ended"}).status_code == 303
    found = ada.get(f"/api{page}").json["schedule"]
    assert (found["name"], found["status"], found["postsItself"]) == ("Charges", "STOPPED", False)
    assert [each["state"] for each in found["parts"]][:2] == ["POSTED", "SKIPPED"]
    (entry,) = ada.get("/api/journal-entries?source=schedule").json["entries"]
    assert sorted(each["amount"] for each in entry["postings"]) == ["-6.00", "6.00"]
    release = {"kind": "RELEASE", "name": "Cover", "amount": "12.00", **body, **accounts} | {
        "kind": "RELEASE"
    }
    pages.post("/schedules", data=release)
    cover = ada.get("/api/schedules").json["schedules"][0]["id"]
    changed = {"name": "Cover", "amount": "24.00", "counterAccountId": accounts["counterAccountId"]}
    assert pages.post(f"/schedules/{cover}", data=changed).status_code == 303
    assert ada.get(f"/api/schedules/{cover}").json["schedule"]["amount"] == "24.00"
    assert pages.post(f"/schedules/{cover}", data={**changed, "amount": "0.00"}).status_code == 422


@on_sqlite
def test_the_page_of_an_account_keeps_its_group(ada, bank):
    account = bank.account("Wages")
    page = ada.browser()
    body = {"name": "Wages", "type": "EXPENSE", "group": "COST_OF_SALES", "inScope": "true"}
    assert page.post(f"/accounts/{account}", data=body).status_code == 303
    assert ada.get(f"/api/accounts/{account}").json["account"]["group"] == "COST_OF_SALES"
    assert page.post(f"/accounts/{account}", data={**body, "type": "INCOME"}).status_code == 303
    assert ada.get(f"/api/accounts/{account}").json["account"]["group"] == "OTHER_INCOME"
