"""The journal: filters, and what one entry says."""

import pytest

from tests.fixtures.helpers.marks import on_sqlite


@pytest.fixture
def line(bank):
    return bank.send(
        "2026-03-02", "-100.00", "DB ICE 571", provider_transaction_id="NONREF", counterparty="Deutsche Bahn"
    )


def listed(person, **query):
    answer = person.get("/api/journal-entries", query_string=query)
    assert answer.status_code == 200, answer.json
    return [entry["id"] for entry in answer.json["entries"]]


def test_every_key_is_always_there(ada, line):
    entry_id = ada.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
    answer = ada.get(f"/api/journal-entries/{entry_id}?unknown=parameters").json
    assert list(answer) == ["entry"]
    entry = answer["entry"]
    assert list(entry) == [
        "id",
        "effectiveAt",
        "description",
        "status",
        "source",
        "baseCurrency",
        "correctsJournalEntryId",
        "postings",
        "origin",
        "counterparty",
        "canVoid",
    ]
    assert entry["postings"][0] == {
        "accountId": entry["postings"][0]["accountId"],
        "accountName": "Main account",
        "accountType": "ASSET",
        "accountEmoji": None,
        "institutionLogo": None,
        "institutionName": "A Bank",
        "institutionUrl": "https://bank.example",
        "amount": "-100.00",
        "currency": "EUR",
        "amountBase": "-100.00",
        "isBankLeg": True,
        "orgMerchantId": None,
        "projectId": None,
        "inScope": True,
        "requiresCounterparty": False,
    }
    assert entry["origin"] == {
        "kind": "transaction",
        "label": "DB ICE 571",
        "providerTransactionId": "NONREF",
        "documentId": None,
        "documentType": None,
    }
    assert entry["counterparty"] == {
        "orgMerchantId": None,
        "name": "Deutsche Bahn",
        "website": None,
        "imageUrl": None,
        "logo": None,
    }


def test_filters(ada, bank, books, line):
    other = bank.send("2026-03-05", "7.00", "Sale")
    (posted,) = ada.post(f"/api/transactions/{line}/confirm").json["result"]["journalEntryIds"]
    draft = ada.get(f"/api/transactions/{other}").json["transaction"]["journalEntryId"]
    assert listed(ada) == [draft, posted]
    assert listed(ada, status="POSTED") == [posted]
    assert listed(ada, status="VOIDED") == []
    assert listed(ada, source="bank_feed") == [draft, posted]
    assert listed(ada, source="manual") == []
    assert listed(ada, accountId=bank.role("uncategorised_income")) == [draft]
    assert listed(ada, **{"from": "2026-03-03"}) == [draft]
    assert listed(ada, to="2026-03-02") == [posted]
    project = bank.project("Villa")
    assert listed(ada, projectId=project) == []
    ada.patch(f"/api/transactions/{other}", json={"projectId": project})
    assert listed(ada, projectId=project) == [draft]
    merchant = ada.post("/api/merchants", json={"name": "Smith"}).json["merchant"]["id"]
    assert listed(ada, projectId=project, orgMerchantId=merchant) == []
    group = ada.post("/api/projects/groups", json={"name": "Houses"}).json["group"]["id"]
    assert listed(ada, projectGroupId=group) == []
    ada.patch(f"/api/projects/{project}", json={"groupId": group})
    assert (
        listed(ada, projectGroupId=group) == listed(ada, projectGroupId=group, projectId=project) == [draft]
    )
    assert listed(ada, projectGroupId=group, orgMerchantId=merchant) == []
    for query in (f"projectId={project}", f"projectGroupId={group}"):
        page = ada.browser().get(f"/journal?{query}").text
        assert f'href="/journal/{draft}"' in page
        assert f'href="/journal/{posted}"' not in page
        assert f'<option value="{query.partition("=")[2]}" selected' in page


@on_sqlite
@pytest.mark.parametrize(
    ("name", "value"), [("status", "x"), ("source", "bank"), ("accountId", "0"), ("sort", "x"), ("to", "x")]
)
def test_a_filter_that_means_nothing_is_refused_by_name(ada, name, value):
    answer = ada.get("/api/journal-entries", query_string={name: value})
    assert answer.status_code == 422
    assert list(answer.json["fields"]) == [name]


@pytest.mark.parametrize(("typed", "is_found"), [("1000", True), ("1,000.00", True), ("10.00", False)])
def test_an_amount_is_found_in_a_currency_of_which_no_bank_is(bank, ada, books, typed, is_found):
    bank.quote("2026-03-01", "JPY", "161.20")
    found = books.post(
        """
        2026-03-02 A bill in yen
            Travel        1000 JPY
            Petty cash   -1000 JPY
        """
    )
    assert listed(ada, q=typed) == (found if is_found else [])
