"""Reliefs that are taken back, and corrections of the tax point alone."""

import pytest

from tests.api.audit.test_agent_undos import preview, undone
from tests.api.tax.conftest import done
from tests.api.tax.test_returns import file, open_return
from tests.api.tax.test_settled_taxes import Owed


@pytest.fixture
def accrual(ada, bank):
    """Books in pounds whose tax is due by invoice."""
    return Owed(ada, bank, basis="ACCRUAL")


def claim(owed, person, entry, amount="600.00", day="2026-08-31"):
    body = {"itemId": owed.item(entry)["id"], "amount": amount, "day": day}
    body["counterAccountId"] = owed.accounts["Software"]
    return done(person.post("/api/tax/bad-debts", json=body))["journalEntryIds"][0]


@pytest.mark.parametrize("is_filed", [False, True])
def test_a_relief_that_is_taken_back_is_an_error_of_the_return_that_has_it(accrual, ada, bank, is_filed):
    entry = accrual.invoice("2026-01-30", "1200.00", ("1200.00", "S20"))
    agent = ada.with_scopes("read", "draft", "confirm", "admin")
    for end in ("2026-03-31", "2026-06-30"):
        file(accrual, end)
    relief = claim(accrual, agent, entry)
    accrual.pay("2026-09-02", "200.00", (entry, "200.00"))
    assert accrual.boxes("2026-09-30", "1", "4") == ["33.33", "100.00"]
    if is_filed:
        file(accrual, "2026-09-30")
        [stays] = preview(ada, agent)["items"]
        assert "is filed: −100.00 GBP in box 4 would come late" in stays["why"]
        page = f"/tax/bad-debts/{accrual.item(entry)['id']}/{relief}/take-back"
        asked = ada.browser().post(page, data={"reason": "It is paid"})
        assert (asked.status_code, asked.text.count('name="late"')) == (409, 1)
    assert undone(ada, agent, late=is_filed) == {}
    found = open_return(accrual)
    assert accrual.boxes(found["to"], "1", "4") == (["-33.33", "-100.00"] if is_filed else ["0.00", "0.00"])
    late = [(each["journalEntryId"] == relief, each["as"], each["errorOf"]) for each in found["late"]]
    error = "ERROR", "2026-09-30"
    assert late == ([(True, *error), (False, *error)] if is_filed else [])
    claim(accrual, ada, entry, "1000.00", "2026-10-31")
    assert bank.broken() == []


def test_money_before_a_relief_that_is_claimed_again_returns_nothing_of_it(accrual, ada, bank):
    entry = accrual.invoice("2026-01-30", "1200.00", ("1200.00", "S20"))
    agent = ada.with_scopes("read", "draft", "confirm", "admin")
    claim(accrual, agent, entry, "1200.00")
    undone(ada, agent)
    accrual.pay("2026-09-02", "200.00", (entry, "200.00"))
    claim(accrual, ada, entry, "1000.00", "2026-09-30")
    assert accrual.boxes("2026-12-31", "1", "4") == ["200.00", "166.67"]
    accrual.pay("2026-10-02", "100.00", (entry, "100.00"))
    assert accrual.boxes("2026-12-31", "1", "4") == ["216.67", "166.67"]
    assert bank.broken() == []


def test_a_tax_point_alone_is_corrected(accrual, ada, bank):
    entry = accrual.invoice("2026-03-30", "492.00", ("492.00", "S20"))
    file(accrual, "2026-03-31")
    file(accrual, "2026-06-30")
    path, body = f"/api/journal-entries/{entry}/correct", {"reason": "Delivered later"}
    refused = ada.post(path, json=body)
    assert (refused.status_code, [*refused.json["fields"]]) == (422, ["postings"])
    body |= {"taxPoint": "2026-04-02", "late": True}
    done(ada.post(path, json=body))
    assert done(ada.post(path, json=body))["changed"] is False
    rows = [
        (each["taxPoint"], each["errorOf"], {box["box"]: box["exact"] for box in each["boxes"]})
        for each in open_return(accrual)["late"]
    ]
    assert rows == [
        ("2026-03-30", "2026-03-31", {"1": "-82.00", "6": "-410.00"}),
        ("2026-04-02", "2026-06-30", {"1": "82.00", "6": "410.00"}),
    ]
    early = ada.post(path, json={"reason": "No", "taxPoint": "2025-12-31"})
    assert (early.status_code, early.json["code"]) == (409, "before_start")
    assert bank.broken() == []


def test_the_tax_point_of_foreign_taxes_is_corrected_with_their_amounts(accrual, ada, bank):
    rates = [
        {"currency": "USD", "unitsPerBase": rate, "use": "TAX", "month": month}
        for month, rate in (("2026-02", "1.15"), ("2026-03", "1.25"))
    ]
    done(ada.put("/api/exchange-rates", json={"rates": rates}))
    bank.quote("2026-02-10", "USD", "1.1")
    legs = [accrual.posting("Petty cash", "1190.00"), accrual.posting("Sales of services", "-1190.00", "S20")]
    postings = [{**each, "currency": "USD"} for each in legs]
    body = {"effectiveAt": "2026-02-10", "postings": postings, "post": True}
    entry = done(ada.post("/api/journal-entries", json=body))["entry"]["id"]
    path, body = f"/api/journal-entries/{entry}/correct", {"reason": "Later", "taxPoint": "2026-03-02"}
    refused = ada.post(path, json=body)
    assert (refused.status_code, refused.json["code"]) == (422, "postings_missing")
    done(ada.post(path, json={**body, "postings": postings}))
    assert accrual.boxes("2026-03-31", "1", "6") == ["158.66", "793.34"]
    assert bank.broken() == []


def test_a_void_takes_back_of_the_money_what_a_correction_changed_of_it(ada, bank):
    owed = Owed(ada, bank)
    entry = owed.invoice("2026-01-10", "1050.00", ("1050.00", "S20C"))
    line = owed.pay("2026-02-10", "1050.00", (entry, "1050.00"))
    paid = done(ada.get(f"/api/transactions/{line}"))["transaction"]["journalEntryId"]
    file(owed, "2026-03-31")
    legs = [
        owed.posting("Trade receivables", "1050.00", orgMerchantId=owed.acme),
        owed.posting("Sales of services", "-1050.00", "S5C"),
    ]
    body = {"reason": "Wrong", "why": "OUR_ENTRY", "late": True}
    done(ada.post(f"/api/journal-entries/{entry}/correct", json={**body, "postings": legs}))
    file(owed, "2026-06-30")
    done(ada.post(f"/api/journal-entries/{entry}/void", json=body))
    rows = [
        (each["journalEntryId"], each["errorOf"], {box["box"]: box["exact"] for box in each["boxes"]})
        for each in open_return(owed)["late"]
    ]
    assert rows == [(paid, "2026-03-31", {"1": "-50.00", "6": "-1000.00"})]
    assert bank.broken() == []


def test_an_item_has_its_whole_taxes_again_after_a_credit_note_left_it(ada, bank):
    owed = Owed(ada, bank)
    entry = owed.invoice("2026-01-10", "2200.00", ("1200.00", "S20C"), ("1000.00", "S0C"))
    credit = owed.invoice("2026-02-20", "-600.00", ("-600.00", "S20C"), name="CR")
    settlement = owed.settle((entry, "600.00"), (credit, "-600.00"))
    owed.pay("2026-03-10", "800.00", (entry, "800.00"))
    assert owed.boxes("2026-03-31", "1", "6") == ["50.00", "750.00"]
    file(owed, "2026-03-31")
    done(ada.post(f"/api/settlements/{settlement}/undo", json={"reason": "Wrong"}))
    assert owed.boxes("2026-06-30", "1", "6") == ["22.73", "-22.72"]
    owed.pay("2026-04-10", "1400.00", (entry, "1400.00"))
    assert owed.boxes("2026-06-30", "1", "6") == ["150.00", "1250.00"]
    assert bank.broken() == []


def test_relief_is_of_what_credit_notes_left(accrual, ada, bank):
    entry = accrual.invoice("2026-01-30", "1400.00", ("1200.00", "S20"), ("200.00", "S0"))
    credit = accrual.invoice("2026-02-20", "-120.00", ("-120.00", "S20"), name="CR")
    accrual.settle((entry, "120.00"), (credit, "-120.00"))
    claim(accrual, ada, entry, "1280.00")
    assert accrual.boxes("2026-09-30", "4") == ["180.00"]
    assert bank.broken() == []


def test_tax_of_own_unpaid_bills_is_of_what_credit_notes_left(accrual, ada, bank):
    party = {"orgMerchantId": accrual.acme, "dueOn": "2026-01-31"}
    bill = accrual.enter(
        "2026-01-31",
        ("Trade payables", "-1400.00", None, party),
        ("Software", "1200.00", "P20", {}),
        ("Software", "200.00", "P0", {}),
    )
    credit = accrual.enter(
        "2026-02-20", ("Trade payables", "120.00", None, party), ("Software", "-120.00", "P20", {})
    )
    accrual.settle((bill, "-120.00"), (credit, "120.00"))
    assert open_return(accrual, "2026-09-30")["billsUnpaidSixMonths"]["tax"] == "180.00"
    done(ada.post("/api/tax/unpaid-bills", json={"until": "2026-09-30"}))
    assert accrual.boxes("2026-09-30", "4") == ["0.00"]
    assert bank.broken() == []


def test_tax_of_own_unpaid_bills_of_a_filed_period_is_asked_about(accrual, ada, bank):
    accrual.bill("2026-01-31", "900.00", "P20")
    for end in ("2026-03-31", "2026-06-30", "2026-09-30"):
        file(accrual, end, note="Paid in October")
    repaid = {"until": "2026-09-30"}
    asked = ada.post("/api/tax/unpaid-bills", json=repaid)
    assert (asked.status_code, asked.json["code"]) == (409, "tax_period_filed")
    assert asked.json["details"]["amounts"] == [{"box": "4", "amount": "-150.00"}]
    shown = ada.browser().post("/tax/unpaid-bills", data={"form": "uk-vat100", "to": "2026-12-31"})
    assert (shown.status_code, 'name="late"' in shown.text) == (409, True)
    done(ada.post("/api/tax/unpaid-bills", json={**repaid, "late": True}))
    assert accrual.boxes("2026-12-31", "4") == ["-150.00"]
    assert bank.broken() == []
