"""Proofs of accounts of the balance sheet: by items, returns, schedules, what people attest, and explanations."""

import pytest

from tests.fixtures.helpers.owed import owe

ADDRESS = "/api/balance-proofs"
MARCH = "2026-03-31"


def read(person, day=MARCH):
    answer = person.get(f"{ADDRESS}?asOf={day}")
    assert answer.status_code == 200, answer.json
    return {each["accountName"]: each for each in answer.json["balanceProofs"]["accounts"]}


def shown(person, name, day=MARCH):
    found = read(person, day)[name]
    return found["proof"], found["balance"], found["figure"], found["state"]


def note(person, account, amount, expect=201, **facts):
    body = {
        "accountId": account, "asOf": MARCH, "kind": "TIMING", "amount": amount, "text": "Posted in April",
        "owner": "Ben", "reversesBy": "2026-04-20", **facts,
    }  # fmt: skip
    answer = person.post(f"{ADDRESS}/notes", json=body)
    assert answer.status_code == expect, answer.json
    return answer.json


@pytest.fixture
def kept(ada, books):
    """Cash that nobody proves, 340.00 of money on its way, and an invoice of 500.00."""
    books.post("""
    2026-03-02 Start
        Petty cash   900.00 EUR
        Owner's contributions

    2026-03-30 On its way
        Transfers between own accounts   340.00 EUR
        Petty cash
    """)
    owe(ada, books, "500.00", day="2026-03-09")
    return books


def test_accounts_are_proved_by_their_items_by_nothing_and_by_what_moved_them(ada, kept):
    assert shown(ada, "Trade receivables") == ("ITEMS", "500.00", "500.00", "PROVED")
    assert shown(ada, "Owner's contributions") == ("ROLL_FORWARD", "-900.00", "-900.00", "PROVED")
    assert shown(ada, "Transfers between own accounts") == ("ZERO", "340.00", "0.00", "OPEN")
    assert shown(ada, "Petty cash") == ("ATTESTED", "560.00", None, "OPEN")


@pytest.mark.parametrize(
    ("notes", "materiality", "state", "unexplained"),
    [
        ([("340.00", "2026-04-20")], "400.00", "EXPLAINED", "0.00"),
        ([("340.00", "2026-03-31")], "340.00", "EXPLAINED", "0.00"),
        ([("340.00", "2026-04-20")], "339.99", "NEEDS_APPROVER", "0.00"),
        ([("340.00", "2026-04-20")], "0.00", "NEEDS_APPROVER", "0.00"),
        ([("340.00", "2026-03-30")], "400.00", "OPEN", "340.00"),
        ([("300.00", "2026-04-20")], "400.00", "OPEN", "40.00"),
        ([("420.00", "2026-04-20"), ("-80.00", "2026-05-01")], "400.00", "NEEDS_APPROVER", "0.00"),
        ([("420.00", "2026-04-20"), ("-80.00", "2026-05-01")], "500.00", "EXPLAINED", "0.00"),
    ],
)
def test_explanations_add_up_to_the_difference_and_stay_below_the_materiality(
    ada, kept, notes, materiality, state, unexplained
):
    account = kept.account_id("Transfers between own accounts")
    assert ada.put(f"{ADDRESS}/materiality", json={"materiality": materiality}).status_code == 200
    for amount, until in notes:
        note(ada, account, amount, reversesBy=until)
    found = read(ada)["Transfers between own accounts"]
    assert (found["state"], found["unexplained"]) == (state, unexplained)


def test_a_figure_is_attested_with_its_document_by_a_person_and_withdrawn(ada, kept):
    cash, person = kept.account_id("Petty cash"), ada.browser()
    document = ada.post("/api/documents", json={"documentType": "OTHER", "number": "Count"}).json["document"][
        "id"
    ]
    facts = {"kind": "ATTESTED", "owner": None, "reversesBy": None, "documentId": document}
    note(ada, cash, "560.00", expect=403, **facts)
    note(person, cash, "560.00", expect=422, **{**facts, "documentId": None})
    note(person, cash, "555.00", **facts)
    assert shown(ada, "Petty cash") == ("ATTESTED", "560.00", "555.00", "OPEN")
    note(ada, cash, "5.00")
    found = read(ada)["Petty cash"]
    assert (found["state"], len(found["notes"])) == ("NEEDS_APPROVER", 2)
    for each in found["notes"]:
        assert ada.post(f"{ADDRESS}/notes/{each['id']}/withdraw").status_code == 200
    assert shown(ada, "Petty cash") == ("ATTESTED", "560.00", None, "OPEN")
    again = ada.post(f"{ADDRESS}/notes/{found['notes'][0]['id']}/withdraw")
    assert (again.status_code, again.json["code"]) == (409, "withdrawn")
    note(ada, cash, "5.00", expect=422, owner=None)


def test_taxes_are_proved_by_what_no_settlement_entry_clears(ada, bank, kept):
    assert ada.post("/api/tax/packs/generic-vat/install", json={"from": "2026-01-01"}).status_code == 201
    codes = ada.get("/api/tax/codes?limit=200").json["taxCodes"]
    code = next(each["id"] for each in codes if each["code"] == "S20")
    for day, gross, point in (("2026-02-10", "1800.00", None), ("2026-04-02", "720.00", "2026-03-31")):
        legs = [
            {"accountId": kept.account_id("Petty cash"), "amount": gross},
            {
                "accountId": kept.account_id("Sales of services"), "amount": f"-{gross}", "taxCodeId": code,
                **({"taxPoint": point} if point else {}),
            },
        ]  # fmt: skip
        answer = ada.post("/api/journal-entries", json={"effectiveAt": day, "postings": legs, "post": True})
        assert answer.status_code == 201, answer.json
    name = next(each for each, found in read(ada).items() if found["proof"] == "RETURN")
    assert shown(ada, name) == ("RETURN", "-300.00", "-300.00", "PROVED")
    digest = ada.get("/api/tax/returns/open?form=generic-vat").json["taxReturn"]
    body = {"form": "generic-vat", "to": digest["to"], "digest": digest["digest"]}
    assert ada.post("/api/tax/returns", json=body).status_code == 201
    for day in (MARCH, "2026-04-02", "2026-05-01"):
        found = read(ada, day).get(name)
        assert found is None or found["state"] == "PROVED", (day, found)


def test_a_schedule_with_a_document_proves_what_it_leaves(ada, bank, kept):
    prepaid = bank.account("Prepayments", "ASSET")
    document = ada.post("/api/documents", json={"documentType": "BILL", "number": "P-1"}).json["document"][
        "id"
    ]
    body = {
        "kind": "RELEASE", "name": "Insurance", "startsOn": "2026-02-01", "periods": 6, "amount": "600.00",
        "accountId": prepaid, "counterAccountId": kept.account_id("Insurance"), "documentId": document,
    }  # fmt: skip
    assert ada.post("/api/schedules", json=body).status_code == 201
    legs = [
        {"accountId": prepaid, "amount": "600.00"},
        {"accountId": kept.account_id("Petty cash"), "amount": "-600.00"},
    ]
    body = {"effectiveAt": "2026-02-01", "postings": legs, "post": True}
    assert ada.post("/api/journal-entries", json=body).status_code == 201
    assert shown(ada, "Prepayments") == ("SCHEDULE", "600.00", "400.00", "OPEN")
    ada.post("/api/schedules/run", json={"until": MARCH})
    assert shown(ada, "Prepayments") == ("SCHEDULE", "400.00", "400.00", "PROVED")
