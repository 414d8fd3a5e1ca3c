"""How a table is read is told once: remembered for its account and layout, said, and let go of."""

import json

from tests.api.imports.test_imports import PATH, imported, send
from webapp.models import ColumnMapping
from webapp.services.audit.act import Actor
from webapp.services.imports import column_mappings

# Neither the order of the days nor the sign is certain here.
ASKING = "Datum;Text;Betrag\n{}/03/2026;Coffee;-2.50\n04/03/2026;Invoice 7;1000.00\n"
MAPPING = {"header": 0, "date": "Datum", "amount": "Betrag", "description": "Text", "dateFormat": "%d/%m/%Y"}


def asking(day="02"):
    return ASKING.format(day).encode()


def test_a_refusal_says_as_data_what_a_mapping_would_answer(ben):
    answer = send(ben, asking(), "bank.csv", dryRun="true")
    assert (answer.status_code, answer.json["code"]) == (422, "file_refused")
    assert answer.json["details"] == {
        "key": "dateFormat",
        "example": "02/03/2026",
        "dateFormats": ["%d/%m/%Y", "%m/%d/%Y"],
    }


def test_a_refused_row_is_named_with_its_column_and_value(ben):
    wrong = asking() + b"05/03/2026;Rent;12.34.5\n"
    answer = send(ben, wrong, "bank.csv", mapping=json.dumps(MAPPING | {"decimal": "."}))
    assert answer.status_code == 422
    assert answer.json["details"] == {
        "row": 4,
        "column": 2,
        "named": "column 3 “Betrag”",
        "value": "12.34.5",
    }


def test_what_was_told_of_a_layout_reads_the_next_file_of_it(ben):
    first = imported(ben, asking(), "bank.csv", mapping=json.dumps(MAPPING))
    assert not any("remembered" in each for each in first["warnings"])
    second = imported(ben, asking("05"), "bank.csv")
    assert second["warnings"][0].startswith("The columns were read as remembered for ")
    assert [each["added"] for each in second["accounts"]] == [1]
    assert send(ben, asking().replace(b"Text", b"Info"), "bank.csv").status_code == 422


def test_what_was_told_of_one_account_reads_no_file_that_is_for_another(ben, ada):
    imported(ben, asking(), "bank.csv", mapping=json.dumps(MAPPING))
    other = ada.post("/api/feeds/accounts", json={"name": "Savings", "currency": "EUR"}).json["feedAccount"]
    assert send(ben, asking(), "bank.csv", faId=str(other["faId"])).status_code == 422


def test_forgotten_columns_are_asked_for_again(ben, session):
    imported(ben, asking(), "bank.csv", mapping=json.dumps(MAPPING))
    remembered = session.query(ColumnMapping).one()
    assert remembered.names == ["Datum", "Text", "Betrag"]
    actor = Actor(remembered.organization_id, "SYSTEM", None, "test")
    column_mappings.forget(remembered, actor=actor, now=remembered.created_at)
    session.commit()
    assert send(ben, asking("05"), "bank.csv").status_code == 422


def test_an_import_that_is_taken_back_takes_what_its_new_account_remembered_along(ben, session):
    answer = imported(ben, asking(), "bank.csv", mapping=json.dumps(MAPPING))
    assert ben.delete(f"{PATH}/{answer['id']}").status_code == 200
    assert session.query(ColumnMapping).count() == 0


def test_people_of_another_organization_remember_for_themselves(ben, dan):
    imported(ben, asking(), "bank.csv", mapping=json.dumps(MAPPING))
    assert send(dan, asking("05"), "bank.csv").status_code == 422


def test_a_remembered_sign_that_the_balances_contradict_is_asked_about_again(ben):
    head = "Date,Text,Amount,Balance\n"
    first = f"{head}2026-03-02,Coffee,2.50,97.50\n2026-03-03,Rent,70.00,27.50\n2026-03-04,Shop,-8.00,35.50\n"
    imported(ben, first.encode(), "card.csv")
    other = f"{head}2026-03-05,Coffee,-2.50,33.00\n2026-03-06,Rent,-7.00,26.00\n2026-03-07,Pay,80.00,106.00\n"
    for options in ({}, {"dryRun": "true"}):
        answer = send(ben, other.encode(), "card.csv", **options)
        assert answer.status_code == 422, answer.json["import"]["warnings"]
        assert answer.json["details"]["key"] == "invert"
    imported(ben, other.encode(), "card.csv", mapping='{"invert": false}')
    amounts = {each["amount"] for each in ben.get("/api/transactions").json["transactions"]}
    assert {"-2.50", "-70.00", "8.00", "-7.00", "80.00"} <= amounts


def test_a_row_without_an_amount_is_asked_about_and_left_out_by_the_answer(ben):
    rows = b"Date,Action,Units,Amount\n2026-03-02,Buy,2,-40.00\n2026-03-03,Split,4,\n2026-03-04,Fee,,-1.00\n"
    answer = send(ben, rows, "broker.csv")
    assert (answer.status_code, answer.json["details"]["key"], answer.json["details"]["row"]) == (
        422, "skipWithoutAmount", 3,
    )  # fmt: skip
    assert (
        imported(ben, rows, "broker.csv", mapping='{"skipWithoutAmount": true}')["accounts"][0]["added"] == 2
    )
    assert send(ben, rows, "broker.csv", mapping='{"skipWithoutAmount": false}').status_code == 422
