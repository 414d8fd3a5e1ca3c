"""What is short of items is sent with them: alone it says nothing."""

import pytest

from tests.fixtures.helpers.owed import items, keep_items, owe
from tests.fixtures.helpers.transfers import send

pytestmark = pytest.mark.usefixtures("sound")
FEE = {"amount": "8.00", "as": "FEE"}


@pytest.fixture
def line(ada, ben, books, bank, giro):
    keep_items(ada, books.account_id("Trade receivables"))
    owe(ben, books, "400.00", bank.merchant("Acme"))
    return send(bank, giro, "2026-03-20", "392.00")


@pytest.mark.parametrize(
    "changes",
    [
        {"short": FEE},
        {"short": None},
        {"short": FEE, "description": "Other"},
        {"short": FEE, "settles": []},
        {"short": FEE, "settles": None},
    ],
    ids=str,
)
def test_short_without_items_is_refused_and_nothing_is_changed(ben, line, changes):
    before = ben.get(f"/api/transactions/{line}").json
    refused = ben.patch(f"/api/transactions/{line}", json=changes)
    assert (refused.status_code, refused.json["code"]) == (422, "short_alone")
    assert refused.json["fields"]["short"] == [refused.json["error"]]
    assert ben.get(f"/api/transactions/{line}").json == before


def test_a_line_may_be_sent_back_as_it_was_read(ben, line):
    read = ben.get(f"/api/transactions/{line}").json["transaction"]
    same = {"settles": read["settles"], "short": read["short"], "description": "Other"}
    assert ben.patch(f"/api/transactions/{line}", json=same).status_code == 200
    [invoice] = items(ben)
    body = {"settles": [{"itemId": invoice["id"]}], "short": FEE}
    assert ben.patch(f"/api/transactions/{line}", json=body).json["transaction"]["short"]["as"] == "FEE"
