"""The same party, number and amount by hand twice is asked, and posted with force; a voided one is none."""

import pytest

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def bill(ben, books, acme):
    def write(amount="-118.40", reference="B-77", party=acme, **others):
        opposite = amount.removeprefix("-")
        postings = [
            {
                "accountId": books.account_id("Trade payables"),
                "amount": amount,
                "orgMerchantId": party,
                "reference": reference,
            },
            {"accountId": books.account_id("Travel"), "amount": opposite},
        ]
        body = {"effectiveAt": "2026-03-04", "description": "A bill", "postings": postings}
        return ben.post("/api/journal-entries", json={**body, "post": True, **others})

    return write


def test_the_second_one_is_asked_and_done_with_force(ben, bill):
    first = bill().json["entry"]["id"]
    refused = bill()
    assert (refused.status_code, refused.json["code"]) == (409, "already_there")
    assert refused.json["details"] == {"journalEntryId": first}
    assert len(ben.get("/api/items").json["items"]) == 1
    assert bill(force=True).status_code == 201
    draft = bill(post=False).json["entry"]["id"]
    asked = ben.post(f"/api/journal-entries/{draft}/post", json={})
    assert (asked.status_code, asked.json["code"]) == (409, "already_there")
    assert ben.post(f"/api/journal-entries/{draft}/post", json={"force": True}).status_code == 200


@pytest.mark.parametrize("other", [{"amount": "-118.41"}, {"reference": "B-78"}, {"party": None}], ids=str)
def test_another_amount_number_or_party_is_another_bill(bill, other):
    assert bill().status_code == 201
    assert bill(**other).status_code == 201


def test_a_voided_one_is_none(ben, bill):
    first = bill().json["entry"]["id"]
    ben.post(f"/api/journal-entries/{first}/void", json={"reason": "Wrong"})
    assert bill().status_code == 201


def test_what_a_merged_party_has_is_of_the_one_that_it_counts_for(ben, bill, bank, acme):
    other = bank.merchant("Acme Ltd")
    assert bill(party=other).status_code == 201
    assert bill(party=acme, reference="B-78").status_code == 201
    assert ben.post(f"/api/merchants/{other}/merge", json={"mergedIntoId": acme}).status_code == 200
    for party, reference in ((acme, "B-77"), (other, "B-78")):
        refused = bill(party=party, reference=reference)
        assert (refused.status_code, refused.json["code"]) == (409, "already_there")
