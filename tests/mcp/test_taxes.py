"""Taxes and the end of a month by the tools: codes by name, what comes late, and what is left."""

import pytest

from tests.api.tax.conftest import Taxes, done
from tests.mcp.clients import Model


@pytest.fixture
def taxes(ada, bank):
    return Taxes(ada, bank)


@pytest.fixture
def model(taxes):
    return Model(taxes.person)


def coded(taxes, line):
    return [each[:3] for each in taxes.of_line(line)[1:]]


def test_lines_and_entries_take_tax_codes_by_name(taxes, model, bank):
    bank.open()
    whole, parts = bank.send_many([("2026-02-03", "120.00", "Invoice 7"), ("2026-02-04", "-63.00", "Shop")])
    splits = [
        {"category": "Software", "amount": "-60.00", "taxCode": "P20"},
        {"category": "Rent", "amount": "-3.00"},
    ]
    model.call(
        "categorise_lines",
        lines=[
            {"id": whole, "category": "Sales of services", "taxCode": "S20", "merchant": "+Acme"},
            {"id": parts, "splits": splits},
        ],
        why="Invoices",
    )
    assert coded(taxes, whole) == [("Sales of services", "-100.00", "S20"), ("VAT payable", "-20.00", "S20")]
    assert coded(taxes, parts) == [
        ("Software", "50.00", "P20"),
        ("Rent", "3.00"),
        ("VAT receivable", "10.00", "P20"),
    ]
    refused = model.refusal("categorise_lines", lines=[{"id": parts, "taxCode": "P20"}])
    assert "send its parts, each with its tax code" in refused
    unknown = {"id": whole, "category": "Sales of services", "taxCode": "S21"}
    assert "There is no tax code 'S21'" in model.refusal("categorise_lines", lines=[unknown])
    wrong = unknown | {"taxCode": "P20"}
    assert "is a tax code of purchases" in model.refusal("categorise_lines", lines=[wrong])
    legs = [
        {"account": "Petty cash", "amount": "-24.00"},
        {"account": "Software", "amount": "24.00", "taxCode": "Purchases at 20 %"},
    ]
    model.call("write_entry", date="2026-02-05", legs=legs, why="Cash")
    newest = done(taxes.person.get("/api/journal-entries?source=manual"))["entries"][0]["id"]
    assert [each[1] for each in taxes.legs(newest)] == ["-24.00", "20.00", "4.00"]


def test_what_is_late_for_a_filed_return_is_written_when_it_is_said_to_be(taxes, model, bank):
    taxes.sale("2026-02-03", "120.00", "S20")
    (entry,) = (each["id"] for each in done(taxes.person.get("/api/journal-entries"))["entries"])
    shown = done(taxes.person.get("/api/tax/returns/open?form=generic-vat"))["taxReturn"]
    filing = {"form": "generic-vat", "to": shown["to"], "digest": shown["digest"]}
    done(taxes.person.post("/api/tax/returns", json=filing))
    legs = [
        {"account": "Petty cash", "amount": "12.00"},
        {"account": "Sales of services", "amount": "-12.00", "taxCode": "S20"},
    ]
    late = {"date": "2026-02-04", "legs": legs, "why": "Found"}
    assert "Send it as late" in model.refusal("write_entry", **late)
    assert model.call("write_entry", **late, late=True)["status"] == "EXECUTED"
    assert "Send it as late" in model.refusal("write_entry", void=entry, why="Twice")
    assert model.call("write_entry", void=entry, why="Twice", late=True)["status"] == "EXECUTED"


def test_a_month_end_says_what_is_left(model, bank):
    bank.open()
    bank.send("2026-03-05", "-30.00", "Shop")
    found = model.call("month_end", period="2026-03")
    assert found["days"] == "2026-03-01 to 2026-03-31"
    assert [(each["code"], each["count"]) for each in found["left"]] == [("lines", 1), ("statements", 1)]
    assert "period" in model.refusal("month_end", period="2026")


def test_a_rule_sets_a_tax_code(model, taxes):
    rule = {"name": "Hosting", "when": [{"value": "Hosting"}], "taxCode": "P20", "category": "Software"}
    assert model.call("write_rule", **rule, propose=True)["status"] == "EXECUTED"
    (made,) = done(taxes.person.get("/api/automations/rules"))["rules"]
    assert made["effects"][1] == {"kind": "SET_TAX_CODE", "taxCodeId": taxes.codes["P20"], "sortOrder": 1}
