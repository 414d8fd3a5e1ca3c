"""Rules on documents: run when their fields are set, tried and applied over the past, told, and undone."""

import pytest

from tests.api.rules.test_rule_runs import undone
from tests.fixtures.helpers.documents import changed, filed, read, sent
from tests.fixtures.helpers.rule_acts import to_account

pytestmark = pytest.mark.usefixtures("sound")
RULES, RUNS = "/api/automations/rules", "/api/automations/runs"


def make(person, effects, conditions=(), **more):
    body = {
        "name": "A rule", "target": "RECEIPT", "conditions": {"conditions": list(conditions)},
        "effects": effects, **more,
    }  # fmt: skip
    answer = person.post(RULES, json=body)
    assert answer.status_code == 201, answer.json
    return answer.json["rule"]["id"]


def to_currency(code):
    return {"kind": "SET_CURRENCY", "currency": code}


def asks(field, operator, value):
    return {"field": field, "operator": operator, "value": value}


def preview(person, rule, query=""):
    answer = person.post(f"{RULES}/{rule}/preview{query}")
    assert answer.status_code == 200, answer.json
    return answer.json["preview"]


def applied(person, rule, query=""):
    digest = preview(person, rule, query)["digest"]
    answer = person.post(f"{RULES}/{rule}/apply{query}", json={"digest": digest})
    assert answer.status_code == 200, answer.json
    return answer.json["run"]


def test_every_effect_is_set_when_the_fields_are(ada, bank):
    food, merchant, project = bank.account("Food"), bank.merchant("Nero"), bank.project("Berlin")
    effects = [
        to_account(food), to_currency("GBP"),
        {"kind": "SET_MERCHANT", "orgMerchantId": merchant}, {"kind": "SET_PROJECT", "projectId": project},
    ]  # fmt: skip
    rule = make(ada, effects, [{"value": "nero"}])
    document = sent(ada).json["document"]
    assert (document["accountId"], ada.get(RUNS).json["runs"]) == (None, []), "a file alone sets no field"
    document = changed(ada, document, sender="Caffè NERO", total="4.50")
    assert (document["accountId"], document["orgMerchantId"], document["projectId"]) == (
        food,
        merchant,
        project,
    )
    assert (document["currency"], document["total"]) == ("GBP", "4.50")
    (run,) = ada.get(RUNS).json["runs"]
    assert (run["trigger"], run["matched"], run["changed"]) == ("RECEIPT_PARSED", 1, 1)
    told = {each["field"]: each for each in document["provenance"]}
    assert told.keys() == {"accountId", "currency", "orgMerchantId", "projectId"}
    assert {(each["ruleId"], each["ruleVersion"], each["runId"]) for each in told.values()} == {
        (rule, 1, run["id"])
    }
    assert (told["currency"]["value"], told["currency"]["before"]) == ("GBP", "EUR")
    assert ada.get(f"{RULES}/{rule}").json["rule"]["matchCount"] == 1


# Each with a document that it matches, and one that it does not.
FIELDS = [
    ("DOCUMENT_TYPE", "EQUALS", "BILL", {"documentType": "BILL"}, {"documentType": "RECEIPT"}),
    ("TOTAL", "GREATER_THAN", "100", {"total": "100.01"}, {"total": "100.00"}),
    ("AMOUNT", "BETWEEN", "10..20", {"total": "15.00"}, {"total": "25.00"}),
    ("TAX", "IS_EMPTY", "", {"total": "1.00"}, {"tax": "0.19"}),
    ("ISSUED_ON", "LESS_THAN", "2026-03-01", {"issuedOn": "2026-02-28"}, {"issuedOn": "2026-03-01"}),
    ("DATE", "EQUALS", "2026-03-01", {"issuedOn": "2026-03-01"}, {"issuedOn": "2026-03-02"}),
    ("SENDER", "STARTS_WITH", "hetz", {"sender": "Hetzner"}, {"sender": "Old Hetzner"}),
    ("COUNTERPARTY", "CONTAINS", "hetz", {"sender": "Hetzner"}, {"text": "Hetzner"}),
    ("REFERENCE", "EQUALS", "r-1", {"number": "R-1"}, {"number": "R-12"}),
    ("FILE_NAME", "ENDS_WITH", ".pdf", {"fileName": "Bill.PDF"}, {"fileName": "Bill.png"}),
    ("TEXT", "MATCHES", "ser.er", {"text": "A server"}, {"text": "A serer"}),
    ("ANY_TEXT", "CONTAINS", "march", {"text": "for March"}, {"text": "for April"}),
    ("CURRENCY", "IS_EMPTY", "", {"total": "1.00"}, {"total": "1.00", "currency": "EUR"}),
]


def test_each_field_asks_what_was_given(ada, bank):
    food = bank.account("Food")
    for field, operator, value, matching, other in FIELDS:
        rule = make(ada, [to_account(food)], [asks(field, operator, value)])
        documents = [filed(ada, **matching), filed(ada, **other)]
        assert [each["accountId"] for each in documents] == [food, None], field
        assert ada.delete(f"{RULES}/{rule}").status_code == 200


def test_rules_do_not_see_what_rules_have_set(ada, bank):
    food, merchant = bank.account("Food"), bank.merchant("Nero")
    make(ada, [to_currency("USD"), {"kind": "SET_MERCHANT", "orgMerchantId": merchant}], [{"value": "nero"}])
    make(ada, [to_account(food)], [asks("CURRENCY", "EQUALS", "USD")], priority=200)
    make(ada, [to_account(food)], [asks("MERCHANT", "EQUALS", str(merchant))], priority=300)
    document = filed(ada, sender="Nero", total="4.50")
    assert changed(ada, document, total="5.50")["accountId"] is None
    assert changed(ada, document, orgMerchantId=bank.merchant("Other"), text="x")["accountId"] is None
    assert changed(ada, document, orgMerchantId=merchant, text="y")["accountId"] == food


def test_what_somebody_chose_no_rule_sets(ada, bank):
    food, travel = bank.account("Food"), bank.account("Travel")
    make(ada, [to_account(food), to_currency("USD")], [{"value": "nero"}])
    document = changed(ada, filed(ada, sender="Nero", total="4.50"), accountId=travel)
    assert [each["field"] for each in document["provenance"]] == ["currency"]
    document = changed(ada, document, text="again")
    assert (document["accountId"], document["currency"]) == (travel, "USD")
    document = changed(ada, changed(ada, document, currency="GBP"), text="and again")
    assert (document["currency"], document["provenance"]) == ("GBP", [])
    reasons = {skip["reason"] for run in ada.get(RUNS).json["runs"] for skip in run["skipped"]}
    assert reasons == {"A person has chosen this."}


def test_what_cannot_be_is_skipped_with_its_reason(ada, bank):
    bank.open()
    dollars = bank.account("Dollars", currency="USD")
    make(ada, [to_account(dollars)], [{"value": "nero"}])
    make(ada, [to_currency("JPY")], [{"value": "nero"}])
    document = filed(ada, sender="Nero", total="4.50")
    assert (document["accountId"], document["currency"]) == (None, "EUR")
    (run,) = ada.get(RUNS).json["runs"]
    assert sorted(each["reason"] for each in run["skipped"]) == [
        "Dollars takes USD only, and this is in EUR.",
        "JPY has no digits after the decimal point; 4.50 has more.",
    ]


def test_order_and_stopping_are_kept(ada, bank):
    food, travel, rent = (bank.account(name) for name in ("Food", "Travel", "Rent"))
    make(ada, [to_account(food)], [{"value": "nero"}])
    make(ada, [to_account(travel)], [{"value": "nero"}], priority=200, stopProcessing=True)
    make(ada, [to_account(rent)], [{"value": "nero"}], priority=300)
    assert filed(ada, sender="Nero")["accountId"] == travel


def test_rules_on_lines_and_by_hand_stay_out(ada, bank):
    food = bank.account("Food")
    make(ada, [to_account(food)], [{"value": "nero"}], target="TRANSACTION")
    make(ada, [to_account(food)], [{"value": "nero"}], trigger="MANUAL_APPLY")
    make(ada, [to_account(food)], [{"value": "nero"}], trigger="MANUAL_PREVIEW")
    assert filed(ada, sender="Nero")["accountId"] is None
    assert ada.get(RUNS).json["runs"] == []


def test_the_past_is_previewed_applied_and_undone(ada, bank):
    food, travel = bank.account("Food"), bank.account("Travel")
    documents = [
        filed(ada, sender="Nero", total=f"{number}.00", issuedOn=f"2026-03-0{number}") for number in (1, 2, 3)
    ]
    changed(ada, documents[2], accountId=travel)
    rule = make(ada, [to_account(food), to_currency("USD")], [{"value": "nero"}], trigger="MANUAL_APPLY")
    before = [read(ada, each) for each in documents]
    found = preview(ada, rule)
    assert (found["matched"], found["changed"], found["markers"]) == (3, 3, 0)
    first = found["items"][0]
    assert (first["documentId"], first["transactionId"], first["faId"]) == (documents[0]["id"], None, None)
    assert (first["before"]["accountId"], first["after"]["accountId"]) == (None, food)
    assert (first["after"]["currency"], first["after"]["amount"]) == ("USD", "1.00")
    assert found["items"][2]["skipped"] == [{"kind": "SET_ACCOUNT", "reason": "A person has chosen this."}]
    assert [read(ada, each) for each in documents] == before, "a preview writes nothing"
    run = applied(ada, rule)
    assert (run["trigger"], run["matched"], run["changed"]) == ("MANUAL_APPLY", 3, 3)
    assert [read(ada, each)["currency"] for each in documents] == ["USD"] * 3
    changed(ada, documents[1], accountId=travel)
    back = undone(ada, run)
    assert (back["lines"], back["documents"], back["restored"]) == (0, 3, 4)
    assert [(each["documentId"], each["kind"]) for each in back["kept"]] == [
        (documents[1]["id"], "SET_ACCOUNT")
    ]
    plain = [{**read(ada, each), "updatedAt": None} for each in documents]
    assert plain[0] == {**before[0], "updatedAt": None}
    assert plain[2] == {**before[2], "updatedAt": None}
    assert (plain[1]["accountId"], plain[1]["currency"]) == (travel, "EUR")
    assert ada.post(f"{RUNS}/{run['id']}/undo").json["code"] == "undone"


def test_one_document_is_chosen_and_each_rule_explains_itself(ada, bank):
    food = bank.account("Food")
    other = make(ada, [to_account(food)], [{"value": "landlord"}])
    rule = make(ada, [to_account(food)], [asks("TOTAL", "GREATER_THAN", "5")], trigger="MANUAL_APPLY")
    small, large = filed(ada, total="1.00"), filed(ada, total="9.00")
    found = preview(ada, rule, f"?documentId={small['id']}")
    assert found["matched"] == 0
    assert [(each["ruleId"], each["isMatched"]) for each in found["explained"]] == [
        (other, False),
        (rule, False),
    ]
    assert preview(ada, rule, f"?documentId={large['id']}")["matched"] == 1
    assert preview(ada, rule, "?from=2026-01-01")["matched"] == 0, "a document without a day is of none"
    of_lines = make(ada, [to_account(food)], target="TRANSACTION")
    for wrong in (
        f"{rule}/preview?faId=1",
        f"{rule}/preview?transactionId=1",
        f"{of_lines}/preview?documentId=1",
    ):
        answer = ada.post(f"{RULES}/{wrong}")
        assert (answer.status_code, answer.json["code"]) == (422, "other_target")


def test_a_preview_that_moved_is_not_applied(ada, bank):
    rule = make(ada, [to_account(bank.account("Food"))], [{"value": "nero"}], trigger="MANUAL_APPLY")
    document = filed(ada, sender="Nero")
    digest = preview(ada, rule)["digest"]
    changed(ada, document, projectId=bank.project("Berlin"))
    answer = ada.post(f"{RULES}/{rule}/apply", json={"digest": digest})
    assert (answer.status_code, answer.json["code"]) == (409, "preview_moved")
    assert read(ada, document)["accountId"] is None


def test_undoing_lets_the_earlier_run_stand_again(ada, bank):
    food, travel = bank.account("Food"), bank.account("Travel")
    make(ada, [to_account(food)], [{"value": "nero"}])
    later = make(ada, [to_account(travel)], [{"value": "nero"}], priority=200, trigger="MANUAL_APPLY")
    document = filed(ada, sender="Nero")
    run = applied(ada, later)
    assert read(ada, document)["accountId"] == travel
    undone(ada, run)
    document = read(ada, document)
    assert (document["accountId"], [each["value"] for each in document["provenance"]]) == (food, [str(food)])


def test_a_currency_and_its_account_go_back_together(ada, bank):
    euros, dollars = bank.account("Euros", currency="EUR"), bank.account("Dollars", currency="USD")
    document = filed(ada, sender="Nero", total="4.50", accountId=euros)
    rule = make(ada, [to_account(dollars), to_currency("USD")], [{"value": "other"}], trigger="MANUAL_APPLY")
    other = filed(ada, sender="Other", total="7.00")
    run = applied(ada, rule)
    there = read(ada, other)
    assert (there["accountId"], there["currency"]) == (dollars, "USD")
    undone(ada, run)
    there = read(ada, other)
    assert (there["accountId"], there["currency"], there["total"]) == (None, "EUR", "7.00")
    assert read(ada, document)["accountId"] == euros
