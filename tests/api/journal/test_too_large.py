"""Amounts and sums beyond 64 bits: refused as too large at every door, on both databases, and nothing is half done."""

import pytest

pytestmark = pytest.mark.usefixtures("sound")
HALF = "60000000000000000.00"


@pytest.fixture
def write(ben, books):
    def written(amount, currency="EUR", **others):
        legs = [("Travel", amount), ("Trade payables", f"-{amount}")]
        postings = [
            {"accountId": books.account_id(name), "amount": each, "currency": currency} for name, each in legs
        ]
        body = {"effectiveAt": "2026-03-02", "description": "Large", "postings": postings}
        return ben.post("/api/journal-entries", json={**body, "post": True, **others})

    return written


def refused(answer):
    return (answer.status_code, answer.json["code"])


@pytest.mark.parametrize("amount", ["92233720368547758.08", "1" + 40 * "0"])
def test_an_amount_beyond_64_bits_is_refused(write, amount):
    assert refused(write(amount)) == (422, "amount_too_large")


def test_a_worth_beyond_64_bits_is_refused(write, bank):
    bank.quote("2026-03-01", "JPY", "0.0001")
    assert refused(write("9223372036854775807", "JPY")) == (422, "amount_too_large")


def test_a_balance_beyond_64_bits_is_refused(ben, write):
    assert write(HALF).status_code == 201
    assert refused(write(HALF)) == (422, "amount_too_large")
    draft = write(HALF, post=False).json["entry"]["id"]
    assert refused(ben.post(f"/api/journal-entries/{draft}/post", json={})) == (422, "amount_too_large")
    assert ben.get(f"/api/journal-entries/{draft}").json["entry"]["status"] == "DRAFT"
    assert len(ben.get("/api/journal-entries?status=POSTED").json["entries"]) == 1


def test_a_line_that_the_balance_cannot_hold_is_refused(ben, write, bank, books):
    assert write(HALF).status_code == 201
    line = bank.send("2026-03-02", f"-{HALF}")
    ben.patch(f"/api/transactions/{line}", json={"accountId": books.account_id("Travel")})
    assert refused(ben.post(f"/api/transactions/{line}/confirm")) == (422, "amount_too_large")
    (result,) = ben.post("/api/transactions/confirm", json={"ids": [line]}).json["results"]
    assert (result["status"], result["code"]) == ("FAILED", "amount_too_large")


def test_debits_beyond_64_bits_are_refused(ada, ben, bank, books):
    names = ("Petty cash", HALF), ("Equipment", HALF), ("Rent", f"-{HALF}"), ("Travel", f"-{HALF}")
    postings = [{"accountId": books.account_id(name), "amount": amount} for name, amount in names]
    body = {"effectiveAt": "2026-03-02", "postings": postings}
    assert refused(ben.post("/api/journal-entries", json={**body, "post": True})) == (422, "amount_too_large")
    draft = ben.post("/api/journal-entries", json=body).json["entry"]["id"]
    posted = ada.browser().post(f"/api/journal-entries/{draft}/post", json={})
    assert refused(posted) == (422, "amount_too_large")


def test_the_day_book_adds_up_beyond_64_bits(ben, write):
    assert write(HALF, post=True).status_code == 201
    entry = ben.get("/api/journal-entries").json["entries"][0]["id"]
    assert ben.post(f"/api/journal-entries/{entry}/void", json={"reason": "Wrong"}).status_code == 200
    book = ben.get("/api/reports/day-book?from=2026-01-01&to=2026-12-31").json
    assert {book["debit"], book["credit"]} == {"120000000000000000.00"}
