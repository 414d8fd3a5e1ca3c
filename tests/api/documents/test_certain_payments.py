"""A document is attached by itself to the one line that certainly pays it, and to no other."""

import pytest

from tests.fixtures import invoices
from tests.fixtures.feeds import line as pushed
from tests.fixtures.helpers.documents import DOCUMENTS, changed, filed, read, sent

pytestmark = pytest.mark.usefixtures("sound")
IBAN = "DE02120300000000202051"
OTHER_IBAN = "DE89370400440532013000"
# A bill without the number by which a line would be its payment.
BILL = {
    "documentType": "BILL",
    "sender": "Paper Shop Ltd",
    "issuedOn": "2026-03-02",
    "currency": "EUR",
    "total": "172.50",
}


def invoice(person, **stated):
    return sent(person, invoices.ubl(**stated), "invoice.xml").json["document"]


def comes(feed, day, amount, text, **facts):
    """Let a line come from the bank; answers its id."""
    (result,) = feed.results(added=[pushed(f"{day} {text}", amount, day, text, **facts)])
    return result["transactionId"]


def attached(person, document):
    relations = read(person, document)["relations"]
    return [(each["transactionId"], each["isAutomatic"]) for each in relations]


def test_a_line_that_comes_after_its_invoice_has_it_at_once(ben, feed):
    document = invoice(ben)
    line = comes(feed, "2026-03-16", "-172.50", "Paper Shop Ltd RE 4711")
    assert attached(ben, document) == [(line, True)]


def test_an_invoice_that_comes_after_its_line_is_attached_to_it_as_an_act_of_the_system(ben, bank):
    line = bank.send("2026-03-16", "-172.50", "Thank you RE-4711", iban=IBAN)

    document = invoice(ben)

    assert attached(ben, document) == [(line, True)]
    done = ben.get("/api/action-requests").json["actionRequests"]
    act = next(each for each in done if each["kind"] == "relate_document")
    assert (act["actor"]["kind"], act["actor"]["name"]) == ("SYSTEM", "Tieout")
    assert act["note"] == "Same amount, 14 days apart, names number RE-4711, on the account that it names"
    page = ben.browser().get(f"/documents/{document['id']}").text
    assert "Attached automatically: Same amount, 14 days apart, names number RE-4711" in page


def test_the_line_of_a_file_has_its_invoice_too(ben, feed):
    document = invoice(ben)
    csv = b"Date,Description,Amount\n2026-03-16,Paper Shop Ltd RE-4711,-172.50\n2026-03-17,Coffee,-5.00\n"
    feed.import_(csv, "march.csv")
    assert attached(ben, document) == [(feed.lines()[1]["id"], True)]


@pytest.mark.parametrize(
    ("amount", "text", "iban"),
    [
        pytest.param("-172.51", "Paper Shop Ltd RE-4711", IBAN, id="another amount"),
        pytest.param("172.50", "Paper Shop Ltd RE-4711", IBAN, id="the other way"),
        pytest.param("-172.50", "Paper Shop Ltd RE-4171", IBAN, id="a number with two digits reversed"),
        pytest.param("-172.50", "Paper Shop Ltd RE-47110", IBAN, id="a longer number"),
        pytest.param("-172.50", "Paper Shop Ltd", IBAN, id="no number"),
        pytest.param("-172.50", "RE-4711", None, id="nobody named"),
        pytest.param("-172.50", "Paper Shop Ltd RE-4711", OTHER_IBAN, id="another account"),
        pytest.param("-172.50", "Pencil Shop Ltd RE-4711", None, id="another party"),
    ],
)
def test_what_is_only_nearly_certain_is_offered_and_not_done(ben, feed, amount, text, iban):
    document = invoice(ben)
    comes(feed, "2026-03-16", amount, text, iban=iban)
    assert attached(ben, document) == []


def test_another_currency_is_another_amount(ben, bank):
    document = invoice(ben)
    bank.at(bank.open("Dollars", "USD")).send("2026-03-16", "-172.50", "Paper Shop Ltd RE-4711", iban=IBAN)
    changed(ben, document, text="Read again")
    assert attached(ben, document) == []


def test_two_lines_of_one_invoice_are_left_to_a_person(ben, feed):
    for day in ("2026-03-16", "2026-03-17"):
        comes(feed, day, "-172.50", "Paper Shop Ltd RE-4711")
    assert attached(ben, invoice(ben)) == []


def test_two_invoices_that_one_line_names_are_left_to_a_person(ben, feed):
    both = [invoice(ben, number=number, remittance=number) for number in ("RE-5000", "RE-5001")]
    comes(feed, "2026-03-18", "-172.50", "Paper Shop Ltd RE-5000, RE-5001")
    assert [attached(ben, each) for each in both] == [[], []]


def test_a_second_payment_of_an_attached_invoice_stays_alone(ben, feed):
    document = invoice(ben)
    line = comes(feed, "2026-03-16", "-172.50", "Paper Shop Ltd RE-4711")
    comes(feed, "2026-03-17", "-172.50", "Paper Shop Ltd RE-4711")
    assert attached(ben, document) == [(line, True)]


def test_what_was_declined_is_never_attached_by_itself(ben, bank):
    line = bank.send("2026-03-16", "-172.50", "Paper Shop Ltd RE-4711")
    document = filed(ben, **BILL)
    ben.post(f"{DOCUMENTS}/{document['id']}/declines", json={"transactionId": line})

    changed(ben, document, number="RE-4711")

    assert attached(ben, document) == []


def test_a_number_that_is_written_later_attaches_it_then(ben, bank):
    line = bank.send("2026-03-16", "-172.50", "Paper Shop Ltd RE-4711")
    document = filed(ben, **BILL)
    assert attached(ben, document) == []
    changed(ben, document, number="RE-4711")
    assert attached(ben, document) == [(line, True)]


def test_who_detaches_what_was_attached_by_itself_declines_it(ben, feed):
    document = invoice(ben)
    line = comes(feed, "2026-03-16", "-172.50", "Paper Shop Ltd RE-4711")

    ben.delete(f"{DOCUMENTS}/{document['id']}/relations", json={"transactionId": line})
    changed(ben, document, sender="Paper Shop Ltd of Berlin")
    changed(ben, document, sender="Paper Shop Ltd")

    assert attached(ben, document) == []
    assert read(ben, document)["declined"] == [{"transactionId": line, "journalEntryId": None}]
    ben.post(f"{DOCUMENTS}/{document['id']}/relations", json={"transactionId": line})
    assert attached(ben, document) == [(line, False)]
    assert read(ben, document)["declined"] == []


def test_a_customers_payment_names_our_invoice_and_the_customer(ben, feed):
    ours = invoice(ben, seller="Ada Studio", number="2026-0042", remittance="2026-0042")
    comes(feed, "2026-03-16", "172.50", "Somebody 2026-0042", iban=OTHER_IBAN)
    assert attached(ben, ours) == []
