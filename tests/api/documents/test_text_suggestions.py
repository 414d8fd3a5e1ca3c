"""The text of a PDF suggests a total and a day, with the words that say so; nothing is taken by itself."""

import pytest

from tests.fixtures import invoices
from tests.fixtures.helpers.documents import changed, filed, read, sent

TEXT = """Papierhof Altona GmbH
Kopierpapier 10 x 4,20
Zwischensumme 35,29 EUR
MwSt. 19 % 6,71 EUR
Gesamtbetrag
42,00 EUR
Rechnungsdatum: 3. März 2026
Zahlbar bis 17.03.2026"""


def suggested(person, document):
    found = read(person, document)["suggestions"]
    return {each["field"]: (each["value"], each["currency"], each["words"]) for each in found}


def test_a_text_suggests_its_total_and_day_beside_their_words(ada):
    bill = filed(ada, documentType="BILL", sender="Papierhof", text=TEXT)
    assert suggested(ada, bill) == {
        "total": ("42.00", "EUR", "Gesamtbetrag 42,00 EUR"),
        "issuedOn": ("2026-03-03", None, "Rechnungsdatum: 3. März 2026"),
    }
    assert (bill["total"], bill["issuedOn"]) == (None, None)


def test_what_a_person_takes_is_suggested_no_longer(ada):
    bill = filed(ada, documentType="BILL", sender="Papierhof", text=TEXT)
    page = ada.browser()
    address = f"/documents/{bill['id']}"
    shown = page.get(address).text
    assert "Found in the text" in shown
    assert shown.count("Use it") == 2
    assert page.post(address, data={"total": "42.00", "currency": "EUR"}).status_code == 303
    taken = read(ada, bill)
    assert (taken["total"], taken["currency"], taken["sender"], taken["text"]) == (
        *("42.00", "EUR", "Papierhof"),
        TEXT,
    )
    assert [each["field"] for each in taken["suggestions"]] == ["issuedOn"]
    assert page.post(address, data={"issuedOn": "2026-03-03"}).status_code == 303
    assert "Found in the text" not in page.get(address).text


def test_whoever_may_only_read_is_offered_nothing(ada, cleo):
    bill = filed(ada, documentType="BILL", sender="Papierhof", text=TEXT)
    assert "Found in the text" not in cleo.browser().get(f"/documents/{bill['id']}").text


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Total 12.00 EUR\nTotal 14.00 EUR", []),  # which of them?
        ("Total $12.00", []),  # whose dollar?
        ("Total 12.00 EUR\nDate 03/04/2026", ["12.00"]),  # March or April?
        ("Total 12.00 EUR\nDate 31/03/2026", ["12.00", "2026-03-31"]),
        ("Net total 10.00 EUR\nVAT total 2.00 EUR\nDue payable: 12.00 EUR", ["12.00"]),
        (
            "Sous-total 10,00 €\nTotal TTC 12,00 €\nDate d'échéance 01.05.2026\nDate 2 avril 2026",
            ["12.00", "2026-04-02"],
        ),
        ("Remboursement\nTotal -12,00 €", []),  # a bill owes nothing negative
        ("Tel. 040 12.00", []),
        ("Total\n:\n1'234.50 CHF", ["1234.50"]),
        ("From 01.03.2026 to 31.03.2026\nTotal 3,00 €", ["3.00"]),
    ],
)
def test_only_what_the_words_leave_no_doubt_about_is_suggested(ada, text, values):
    bill = filed(ada, documentType="BILL", sender="Shop", text=text)
    assert [each["value"] for each in read(ada, bill)["suggestions"]] == values


def test_a_credit_note_states_a_positive_amount(ada):
    note = filed(ada, documentType="CREDIT_NOTE", sender="Shop", text="Avoir\nTotal TTC -12,00 €")
    assert suggested(ada, note)["total"][:2] == ("12.00", "EUR")


def test_another_currency_than_the_documents_own_is_not_suggested(ada):
    bill = filed(ada, documentType="BILL", sender="Shop", currency="USD", text="Total 12,00 €")
    assert suggested(ada, bill) == {}
    changed(ada, bill, currency="EUR")
    assert suggested(ada, bill)["total"][:2] == ("12.00", "EUR")


def test_an_e_invoice_states_its_fields_itself(ada):
    bill = sent(ada, invoices.ubl(), "bill.xml", text="Total 99,00 EUR").json["document"]
    assert read(ada, bill)["suggestions"] == []
