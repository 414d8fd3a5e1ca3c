"""Documents and bank lines find each other by evidence, both ways; what somebody declined is not offered again."""

import pytest

from tests.fixtures import invoices
from tests.fixtures.helpers.documents import DOCUMENTS, filed, read, sent

pytestmark = pytest.mark.usefixtures("sound")
IBAN = "DE02120300000000202051"


@pytest.fixture
def invoice(ben, bank):
    return sent(ben, invoices.ubl(prepaid="72.50", due="100.00"), "invoice.xml").json["document"]


def lines_of(person, document):
    answer = person.get(f"{DOCUMENTS}/{document['id']}/candidates")
    assert answer.status_code == 200, answer.json
    return answer.json["candidates"]["choices"]


def documents_of(person, line):
    return person.get(f"/api/transactions/{line}/documents").json["documents"]["choices"]


def test_what_is_due_is_paid_and_what_names_the_number_identifies_it(ben, bank, invoice):
    paid = bank.send("2026-03-16", "-100.00", "Paper Shop RE4711", iban=IBAN)
    chance = bank.send("2026-03-15", "-100.00", "Rent")
    whole = bank.send("2026-03-14", "-172.50", "Paper Shop Ltd RE 4711")
    back = bank.send("2026-03-13", "100.00", "Paper Shop Ltd RE-4711")

    found = lines_of(ben, invoice)

    assert [(each["transactionId"], each["identifies"], each["reason"]) for each in found] == [
        (paid, True, "Same amount, 14 days apart, names number RE-4711, on the account that it names"),
        (
            whole,
            False,
            "Its total, which is not what is due, 12 days apart, names number RE-4711 and Paper Shop Ltd",
        ),
        (chance, False, "Same amount, 13 days apart"),
        (
            back,
            False,
            "Same amount, 11 days apart, names number RE-4711 and Paper Shop Ltd, but the money goes the other way",
        ),
    ]


def test_a_line_names_the_documents_that_it_may_pay_with_their_figures(ben, bank, invoice):
    line = bank.send("2026-03-16", "-100.00", "RE-4711", iban=IBAN)

    (found,) = documents_of(ben, line)

    figures = ("id", "net", "tax", "total", "due", "issuedOn", "dueOn", "identifies")
    assert [found[name] for name in figures] == [
        invoice["id"], "150.00", "22.50", "172.50", "100.00", "2026-03-02", "2026-03-16", True,
    ]  # fmt: skip


def test_a_payment_reference_identifies_too(ben, bank):
    document = sent(ben, invoices.ubl(remittance="RF18 5390 0754 7034"), "invoice.xml").json["document"]
    bank.send("2026-03-16", "-172.50", "Thank you RF18539007547034")

    (found,) = lines_of(ben, document)

    assert found["identifies"]
    assert found["reason"] == "Same amount, 14 days apart, names reference RF18 5390 0754 7034"


def test_a_declined_pair_stays_declined_both_ways_until_it_is_offered_again(ben, bank, invoice):
    line = bank.send("2026-03-16", "-100.00", "Rent")
    other = bank.send("2026-03-17", "-100.00", "Rent")
    address, pair = f"{DOCUMENTS}/{invoice['id']}/declines", {"transactionId": line}

    declined = ben.post(address, json=pair)

    assert (declined.status_code, declined.json["changed"]) == (200, True)
    assert ben.post(address, json=pair).json["changed"] is False
    assert [each["transactionId"] for each in lines_of(ben, invoice)] == [other]
    assert documents_of(ben, line) == []
    assert len(documents_of(ben, other)) == 1
    assert read(ben, invoice)["declined"] == [{"transactionId": line, "journalEntryId": None}]
    assert ben.delete(address, json=pair).json["changed"] is True
    assert ben.delete(address, json=pair).json["changed"] is False
    assert len(documents_of(ben, line)) == 1


def test_an_entry_is_declined_likewise(ben, bank, invoice):
    entry = ben.post(
        "/api/journal-entries",
        json={
            "effectiveAt": "2026-03-04",
            "description": "Paper RE-4711",
            "postings": [
                {"accountId": bank.account("Paper"), "amount": "172.50"},
                {"accountId": bank.account("Purse", type_="ASSET"), "amount": "-172.50"},
            ],
        },
    ).json["entry"]["id"]
    assert [each["journalEntryId"] for each in lines_of(ben, invoice)] == [entry]

    ben.post(f"{DOCUMENTS}/{invoice['id']}/declines", json={"journalEntryId": entry})

    assert lines_of(ben, invoice) == []


def test_a_person_declines_beside_the_line_and_on_the_documents_page(ben, bank, invoice):
    browser = ben.browser()
    line = bank.send("2026-03-16", "-100.00", "Rent")
    fa_id = ben.get(f"/api/transactions/{line}").json["transaction"]["faId"]
    address = f"/feeds/{fa_id}?show=all&line={line}&edit=documents"
    shown = browser.get(address).text
    assert f'formaction="/documents/{invoice["id"]}/declines"' in shown
    assert "to pay" in shown
    headers = {"Referer": f"http://localhost{address}"}

    done = browser.post(f"/documents/{invoice['id']}/declines", data={"transactionId": line}, headers=headers)

    assert done.status_code == 303
    assert "RE-4711" not in browser.get(done.location.partition("#")[0]).text
    page = browser.get(f"/documents/{invoice['id']}").text
    assert "Declined: 1" in page
    again = browser.post(f"/documents/{invoice['id']}/declines/delete", data={"transactionId": line})
    assert again.status_code == 303
    assert f'formaction="/documents/{invoice["id"]}/declines"' in browser.get(address).text


def test_a_document_that_was_declined_can_be_deleted(ben, bank):
    document = filed(ben, sender="Paper Shop", total="12.00")
    line = bank.send("2026-03-16", "-12.00", "Rent")
    ben.post(f"{DOCUMENTS}/{document['id']}/declines", json={"transactionId": line})

    assert ben.delete(f"{DOCUMENTS}/{document['id']}").status_code == 200
