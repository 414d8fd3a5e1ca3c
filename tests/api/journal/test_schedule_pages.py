"""Schedules on their page: each kind is written there, and assets are disposed of."""

import pytest

from tests.fixtures.helpers.marks import on_sqlite


@on_sqlite
@pytest.mark.parametrize(
    ("facts", "parts"),
    [
        ({"kind": "RELEASE"}, ["50.00"] * 12),
        ({"kind": "RECURRING", "periods": "3"}, [None] * 3),
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
        assert "Disposed of on" in pages.get("/schedules").text
    refused = pages.post("/schedules", data={**body, "name": ""})
    assert (refused.status_code, "Twelve months" in refused.text) == (422, True)


@on_sqlite
def test_the_page_of_an_account_keeps_its_group(ada, bank):
    account = bank.account("Wages")
    page = ada.browser()
    body = {"name": "Wages", "type": "EXPENSE", "group": "COST_OF_SALES", "inScope": "true"}
    assert page.post(f"/accounts/{account}", data=body).status_code == 303
    assert ada.get(f"/api/accounts/{account}").json["account"]["group"] == "COST_OF_SALES"
    assert page.post(f"/accounts/{account}", data={**body, "type": "INCOME"}).status_code == 303
    assert ada.get(f"/api/accounts/{account}").json["account"]["group"] == "OTHER_INCOME"
