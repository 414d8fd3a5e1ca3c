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
