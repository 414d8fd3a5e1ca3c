"""Automation rules over the API: stored and checked."""

from itertools import product

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_sqlite
from webapp.ledger.rules.triggers import Target, Trigger

PATH = "/api/automations/rules"
TO_USD = {"kind": "SET_CURRENCY", "currency": "USD", "sortOrder": 0}
FOOD = {"conditions": [{"field": "DESCRIPTION", "operator": "CONTAINS", "value": "Tea"}]}


def create(person, **body):
    return person.post(PATH, json={"name": "Dollars", "effects": [TO_USD], **body})


def test_a_client_that_knows_only_the_interface_document_succeeds(ada):
    answer = create(
        ada,
        description="Card charges in dollars",
        conditions={"conditions": [{"value": "stripe"}]},
        priority=10,
        stopProcessing=True,
        appliesTo="TRANSACTION",
        runsOn="TRANSACTION_UPDATED",
    )
    assert answer.status_code == 201
    rule = answer.json["rule"]
    assert answer.json["ignored"] == answer.json["warnings"] == []
    assert rule | {"id": 1, "createdAt": "", "updatedAt": ""} == {
        "id": 1,
        "organizationId": ada.organization_id,
        "name": "Dollars",
        "description": "Card charges in dollars",
        "target": "TRANSACTION",
        "trigger": "TRANSACTION_UPDATED",
        "conditions": {
            "match": "ALL",
            "conditions": [{"field": "ANY_TEXT", "operator": "CONTAINS", "value": "stripe"}],
        },
        "effects": [TO_USD],
        "priority": 10,
        "stopProcessing": True,
        "isActive": True,
        "version": 1,
        "matchCount": 0,
        "lastRunAt": None,
        "createdAt": "",
        "updatedAt": "",
    }


def test_name_and_effects_are_enough(ada):
    rule = create(ada).json["rule"]
    assert (rule["target"], rule["trigger"]) == ("TRANSACTION", "TRANSACTION_INGESTED")
    assert (rule["priority"], rule["stopProcessing"], rule["description"]) == (100, False, None)
    assert rule["conditions"] == {"match": "ALL", "conditions": []}


def test_the_two_withheld_fields_bind_by_their_words(ada):
    for words, target, trigger in [
        ({"kind": "RECEIPT"}, "RECEIPT", "RECEIPT_PARSED"),
        ({"when": "RECEIPT_PARSED"}, "RECEIPT", "RECEIPT_PARSED"),
        ({"when": "MANUAL_APPLY"}, "TRANSACTION", "MANUAL_APPLY"),
        (
            {"target": "RECEIPT", "type": "TRANSACTION", "trigger": "MANUAL_PREVIEW"},
            "RECEIPT",
            "MANUAL_PREVIEW",
        ),
        ({"a": "RECEIPT", "b": "RECEIPT"}, "RECEIPT", "RECEIPT_PARSED"),
    ]:
        rule = create(ada, **words).json["rule"]
        assert (rule["target"], rule["trigger"]) == (target, trigger)


@on_sqlite
def test_unknown_keys_that_disagree_are_refused(ada):
    answer = create(ada, a="RECEIPT", b="TRANSACTION")
    assert (answer.status_code, answer.json["code"]) == (422, "ambiguous_field")


@on_sqlite
def test_another_word_in_a_canonical_field_is_refused(ada):
    for word in ["receipt", "", None, 5, ["RECEIPT"]]:
        assert create(ada, target=word).status_code == 422


def test_what_nothing_used_is_named(ada):
    some = {"conditions": [{"value": "a"}]}
    answer = create(ada, colour="red", conditions=some, effects=[{**TO_USD, "note": "x", "accountId": 4}])
    assert answer.json["ignored"] == ["colour", "effects.0.note", "effects.0.accountId"]
    assert (answer.json["rule"]["isActive"], answer.json["warnings"]) == (True, [])


def test_a_rule_without_conditions_beside_an_unknown_name_is_stored_inactive(ada):
    answer = create(ada, condition={"conditions": [{"value": "Nimbus"}]})
    assert (answer.status_code, answer.json["ignored"]) == (201, ["condition"])
    assert answer.json["rule"]["isActive"] is False
    assert "nothing is called condition here" in answer.json["warnings"][0]


def test_a_rule_without_conditions_says_that_it_matches_everything(ada):
    answer = create(ada)
    assert (answer.json["rule"]["isActive"], len(answer.json["warnings"])) == (True, 1)
    assert "matches every line" in answer.json["warnings"][0]


def test_a_rule_whose_condition_keys_were_ignored_is_stored_inactive_and_says_so(ada):
    answer = create(ada, conditions={"conditions": [{"value": "a", "column": "IBAN"}]})
    assert answer.status_code == 201
    assert answer.json["ignored"] == ["conditions.conditions.0.column"]
    assert answer.json["rule"]["isActive"] is False
    assert "inactive" in answer.json["warnings"][0]


@on_sqlite
def test_what_does_not_make_sense_is_refused_at_its_path(ada):
    for changes, path in [
        ({"name": ""}, "name"),
        ({"name": "a" * 256}, "name"),
        ({"name": None}, "name"),
        ({"description": "a" * 501}, "description"),
        ({"description": 5}, "description"),
        ({"priority": "5"}, "priority"),
        ({"priority": True}, "priority"),
        ({"priority": 1.0}, "priority"),
        ({"priority": 2**31}, "priority"),
        ({"stopProcessing": 1}, "stopProcessing"),
        ({"stopProcessing": "true"}, "stopProcessing"),
        ({"effects": []}, "effects"),
        ({"effects": {}}, "effects"),
        ({"effects": None}, "effects"),
        ({"effects": ["x"]}, "effects.0"),
        ({"effects": [{"kind": "SET_TAX"}]}, "effects.0.kind"),
        ({"effects": [{"kind": []}]}, "effects.0.kind"),
        ({"effects": [TO_USD, {"kind": "SET_CURRENCY", "currency": "XXQ"}]}, "effects.1.currency"),
        ({"effects": [{"kind": "SET_CURRENCY"}]}, "effects.0.currency"),
        ({"effects": [{**TO_USD, "sortOrder": "1"}]}, "effects.0.sortOrder"),
        ({"effects": [{**TO_USD, "sortOrder": True}]}, "effects.0.sortOrder"),
        ({"effects": [{**TO_USD, "sortOrder": 2**40}]}, "effects.0.sortOrder"),
        ({"effects": [{"kind": "SET_ACCOUNT", "accountId": "4"}]}, "effects.0.accountId"),
        ({"effects": [{"kind": "SET_ACCOUNT", "accountId": 0}]}, "effects.0.accountId"),
        ({"conditions": []}, "conditions"),
        ({"conditions": {"match": "SOME"}}, "conditions.match"),
        ({"conditions": {"conditions": {}}}, "conditions.conditions"),
        ({"conditions": {"conditions": [{}]}}, "conditions.conditions.0.value"),
        ({"conditions": {"conditions": [{"value": 5}]}}, "conditions.conditions.0.value"),
        ({"conditions": {"conditions": [{"value": "a\0"}]}}, "conditions.conditions.0.value"),
        (
            {"conditions": {"conditions": [{"value": "a"}, {"field": "TAX", "value": "1"}]}},
            "conditions.conditions.1.field",
        ),
        (
            {"conditions": {"conditions": [{"field": "AMOUNT", "operator": "MATCHES", "value": "1"}]}},
            "conditions.conditions.0.operator",
        ),
        (
            {"conditions": {"conditions": [{"operator": "MATCHES", "value": "(a)\\1"}]}},
            "conditions.conditions.0.value",
        ),
    ]:
        answer = create(ada, **changes)
        assert answer.status_code == 422
        assert list(answer.json["fields"]) == [path]
        assert answer.json["error"]


def test_the_limits_of_the_interface_are_taken(ada):
    for name in ["a", "a" * 255]:
        assert create(ada, name=name, description="d" * 500).status_code == 201


@on_sqlite
def test_a_name_and_effects_are_required(ada):
    assert set(ada.post(PATH, json={}).json["fields"]) == {"name", "effects"}


def test_effects_keep_the_order_they_came_in_and_a_left_out_place_is_their_own(ada):
    effects = [TO_USD | {"sortOrder": 9}, {"kind": "SET_CURRENCY", "currency": "rur"}]
    stored = create(ada, effects=effects).json["rule"]["effects"]
    assert [(effect["currency"], effect["sortOrder"]) for effect in stored] == [("USD", 9), ("RUB", 1)]


def test_another_organizations_ids_are_unknown(ada, dan):
    for kind, key in [
        ("SET_ACCOUNT", "accountId"),
        ("SET_MERCHANT", "orgMerchantId"),
        ("SET_PROJECT", "projectId"),
    ]:
        theirs = {
            "accountId": dan.get("/api/accounts").json["accounts"][0]["id"],
            "orgMerchantId": dan.post("/api/merchants", json={"name": "x"}).json["merchant"]["id"],
            "projectId": dan.post("/api/projects", json={"name": "x"}).json["project"]["id"],
        }[key]
        answer = create(ada, effects=[TO_USD, {"kind": kind, key: theirs, "sortOrder": 1}])
        assert (answer.status_code, answer.json["code"]) == (422, "unknown_reference")
        assert answer.json["fields"] == {f"effects.1.{key}": ["There is nothing under this id."]}


def test_ids_that_conditions_name_are_looked_up_too(ada):
    conditions = {"conditions": [{"field": "PROJECT", "operator": "IN", "value": "7, 9223372036854775807"}]}
    answer = create(ada, conditions=conditions)
    assert answer.json["fields"] == {"conditions.conditions.0.value": ["There is nothing under this id."]}
    empty = {"conditions": [{"field": "PROJECT", "operator": "IS_EMPTY", "value": "whatever"}]}
    assert create(ada, conditions=empty).status_code == 201


def test_a_rule_moves_nothing_to_an_archived_account(ada):
    account = ada.post("/api/accounts", json={"name": "Old", "type": "EXPENSE"}).json["account"]["id"]
    ada.patch(f"/api/accounts/{account}", json={"isArchived": True})
    answer = create(ada, effects=[{"kind": "SET_ACCOUNT", "accountId": account}])
    assert (answer.status_code, answer.json["code"]) == (422, "effect_account")


def test_rules_are_listed_in_the_order_in_which_they_run(ada, dan):
    for name, priority in (("last", 200), ("first", -5), ("middle", 100)):
        create(ada, name=name, priority=priority)
    first = ada.get(f"{PATH}?limit=2").json
    rest = ada.get(f"{PATH}?limit=2&cursor={first['nextCursor']}").json
    assert [rule["name"] for rule in first["rules"] + rest["rules"]] == ["first", "middle", "last"]
    assert dan.get(PATH).json["rules"] == []


def test_a_rule_is_replaced_and_its_version_counts(ada):
    rule = create(ada, conditions={"conditions": [{"value": "a", "column": "x"}]}).json["rule"]
    path = f"{PATH}/{rule['id']}"
    body = {"name": "Euros", "effects": [{"kind": "SET_CURRENCY", "currency": "EUR"}], "isActive": True}
    replaced = ada.put(path, json={**body, "version": 1}).json["rule"]
    assert (replaced["name"], replaced["isActive"], replaced["version"]) == ("Euros", True, 2)
    assert replaced["conditions"] == {"match": "ALL", "conditions": []}
    assert ada.get(path).json["rule"] == replaced
    stale = ada.put(path, json={**body, "version": 1})
    assert (stale.status_code, stale.json["code"], stale.json["details"]) == (
        409,
        "stale_version",
        {"version": 2},
    )


@on_sqlite
def test_a_replacement_refuses_what_it_does_not_know(ada):
    for more, path in [
        ({"colour": "red"}, "colour"),
        ({"effects": [{**TO_USD, "note": "x"}]}, "effects.0.note"),
        ({"conditions": {"all": True}}, "conditions.all"),
        ({"when": "RECEIPT_PARSED"}, "when"),
    ]:
        rule = create(ada).json["rule"]
        answer = ada.put(f"{PATH}/{rule['id']}", json={"name": "n", "effects": [TO_USD], **more})
        assert answer.status_code == 422
        assert list(answer.json["fields"]) == [path]


def test_a_rule_is_deleted(ada):
    path = f"{PATH}/{create(ada).json['rule']['id']}"
    assert ada.delete(path).json == {"ok": True, "changed": True}
    assert ada.get(path).status_code == 404


def test_another_organization_sees_nothing(ada, dan):
    path = f"{PATH}/{create(ada).json['rule']['id']}"
    body = {"name": "n", "effects": [TO_USD]}
    assert [dan.get(path).status_code, dan.put(path, json=body).status_code] == [404, 404]
    assert dan.delete(path).status_code == 404


@on_sqlite
def test_a_viewer_makes_no_rules(cleo):
    assert create(cleo).status_code == 403


def test_a_rule_of_thousands_of_effects_is_checked_in_a_few_statements(ada):
    project = ada.post("/api/projects", json={"name": "x"}).json["project"]["id"]
    effects = [{"kind": "SET_PROJECT", "projectId": project, "sortOrder": place} for place in range(5000)]
    assert create(ada, effects=effects).status_code == 201


@on_sqlite
def test_a_word_that_a_rule_does_not_know_is_a_fault_of_its_shape(ada):
    for name in ("target", "trigger"):
        answer = create(ada, **{name: "receipt"})
        assert (answer.status_code, answer.json["code"]) == (422, "validation")
        assert list(answer.json["fields"]) == [name]


def test_of_two_tabs_that_save_a_rule_the_second_is_told_and_overwrites_nothing(ada, ben, rounds, figure):
    rule = create(ada).json["rule"]["id"]
    count, refused = rounds(3, 200), 0
    for number in range(count):
        version = ada.get(f"{PATH}/{rule}").json["rule"]["version"]
        said = {"effects": [TO_USD], "version": version}
        assert ben.put(f"{PATH}/{rule}", json={**said, "name": f"Ben {number}"}).status_code == 200
        second = ada.put(f"{PATH}/{rule}", json={**said, "name": f"Ada {number}"})
        assert (second.status_code, second.json["code"]) == (409, "stale_version")
        assert second.json["details"]["version"] == version + 1
        assert ada.get(f"{PATH}/{rule}").json["rule"]["name"] == f"Ben {number}"
        refused += 1
    assert len(ada.get(f"{PATH}/{rule}/versions", query_string={"limit": 200}).json["versions"]) == min(
        count + 1, 200
    )
    figure("P11 rules", f"{refused} of {count} second saves refused with the current version")


@pytest.mark.operates
def test_versions_are_listed_by_pages_and_the_database_changes_none(ada, session):
    rule = create(ada).json["rule"]["id"]
    for number in range(4):
        ada.put(f"{PATH}/{rule}", json={"name": f"Name {number}", "effects": [TO_USD]})
    seen, cursor = [], None
    while True:
        asked = {"limit": 2, **({"cursor": cursor} if cursor else {})}
        page = ada.get(f"{PATH}/{rule}/versions", query_string=asked).json
        seen += [each["version"] for each in page["versions"]]
        cursor = page["nextCursor"]
        if cursor is None:
            break
    assert seen == [5, 4, 3, 2, 1]
    for statement in ("UPDATE rule_versions SET name = 'other'", "DELETE FROM rule_versions"):
        with pytest.raises(sa.exc.DBAPIError, match="never changes"):
            session.execute(sa.text(statement))
        session.rollback()


@pytest.mark.parametrize("names", [("target", "trigger"), ("appliesTo", "when")])
def test_each_pair_is_taken_and_one_that_never_meets_runs_only_by_hand(ada, bank, names):
    travel = bank.account("Travel")
    effects = [{"kind": "SET_ACCOUNT", "accountId": travel}]
    for target, trigger in product(Target, Trigger):
        body = {"name": f"{target} {trigger}", "conditions": FOOD, "effects": effects}
        answer = ada.post(
            "/api/automations/rules", json={**body, **dict(zip(names, (target, trigger), strict=True))}
        )
        assert answer.status_code == 201, (target, trigger, answer.json)
        rule = answer.json["rule"]
        assert (rule["target"], rule["trigger"]) == (target, trigger)
        meets = trigger.startswith(("MANUAL", target))
        assert answer.json["warnings"] == (
            [] if meets else [f"This rule runs only by hand: {trigger} never meets a {target}."]
        )
        read = ada.get(f"/api/automations/rules/{rule['id']}").json["rule"]
        assert (read["target"], read["trigger"]) == (target, trigger)
    assert bank.broken() == []


def test_a_rule_of_receipts_never_acts_on_a_line(ada, bank):
    travel = bank.account("Travel")
    body = {"name": "Tea", "conditions": FOOD, "effects": [{"kind": "SET_ACCOUNT", "accountId": travel}]}
    made = ada.post(
        "/api/automations/rules", json={**body, "target": "RECEIPT", "trigger": "TRANSACTION_INGESTED"}
    )
    assert made.status_code == 201
    line = bank.send("2026-10-02", "-4.00", "Tea")
    assert ada.get(f"/api/transactions/{line}").json["transaction"]["accountId"] != travel
