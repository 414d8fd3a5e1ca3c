"""Rules over the past: previewed, applied, explained and undone."""

import pytest

from tests.fixtures.feeds import line
from tests.fixtures.helpers.rule_acts import to_account
from webapp.queries.rules import candidates
from webapp.services.rules import runs

pytestmark = pytest.mark.usefixtures("sound")
RULES, RUNS = "/api/automations/rules", "/api/automations/runs"


def body(text, *effects, **more):
    return {
        "name": f"On {text}",
        "conditions": {"conditions": [{"value": text}]},
        "effects": list(effects),
        "trigger": "MANUAL_APPLY",
        **more,
    }


def make(person, text, *effects, **more):
    answer = person.post(RULES, json=body(text, *effects, **more))
    assert answer.status_code == 201, answer.json
    return answer.json["rule"]["id"]


def preview(person, rule, **asked):
    answer = person.post(f"{RULES}/{rule}/preview", query_string=asked)
    assert answer.status_code == 200, answer.json
    return answer.json["preview"]


def apply(person, rule, digest=None, **asked):
    digest = digest or preview(person, rule, **asked)["digest"]
    return person.post(f"{RULES}/{rule}/apply", json={"digest": digest}, query_string=asked)


def applied(person, rule, **asked):
    answer = apply(person, rule, **asked)
    assert answer.status_code == 200, answer.json
    return answer.json["run"]


def undone(person, run):
    answer = person.post(f"{RUNS}/{run['id']}/undo")
    assert answer.status_code == 200, answer.json
    return answer.json


def read(person, transaction_id):
    return person.get(f"/api/transactions/{transaction_id}").json["transaction"]


def counts(said):
    return {name: said[name] for name in ("matched", "changed", "markers", "unchanged", "skipped", "cutOff")}


def test_a_preview_shows_each_line_before_and_after_and_writes_nothing(ada, bank, three):
    food, waiting = bank.account("Food"), bank.role("uncategorised_expenses")
    rule = make(ada, "coffee", to_account(food))
    said = preview(ada, rule)
    assert counts(said) == {
        "matched": 2, "changed": 2, "markers": 0, "unchanged": 0, "skipped": 0, "cutOff": 0,
    }  # fmt: skip
    assert [item["transactionId"] for item in said["items"]] == three[:2]
    item = said["items"][0]
    assert (item["before"]["accountId"], item["after"]["accountId"]) == (waiting, food)
    assert item["before"]["amount"] == item["after"]["amount"] == "-12.50"
    assert read(ada, three[0])["accountId"] == waiting
    assert ada.get(RUNS).json["runs"] == []


def test_an_unsaved_rule_is_previewed_as_it_would_be_stored(ada, bank, three):
    food = bank.account("Food")
    answer = ada.post(f"{RULES}/preview", json=body("coffee", to_account(food)))
    assert answer.status_code == 200, answer.json
    assert answer.json["preview"]["changed"] == 2
    assert ada.get(RULES).json["rules"] == []


def test_a_preview_comes_in_pages_and_counts_all(ada, bank, three):
    rule = make(ada, "coffee", to_account(bank.account("Food")))
    first = ada.post(f"{RULES}/{rule}/preview", query_string={"limit": 1}).json
    cursor = first["nextCursor"]
    second = ada.post(f"{RULES}/{rule}/preview", query_string={"limit": 1, "cursor": cursor}).json
    shown = [page["preview"]["items"][0]["transactionId"] for page in (first, second)]
    assert shown == three[:2]
    assert second["nextCursor"] is None
    assert {page["preview"]["digest"] for page in (first, second)} == {first["preview"]["digest"]}
    assert second["preview"]["matched"] == 2


def test_a_preview_is_of_the_chosen_lines_only(ada, bank, feed):
    feed.push(added=[line("A1"), line("A2", day="2026-03-09")])
    rule = make(ada, "coffee", to_account(bank.account("Food")))
    assert preview(ada, rule, **{"from": "2026-03-05"})["matched"] == 1
    assert preview(ada, rule, to="2026-03-02")["matched"] == 1
    assert preview(ada, rule, faId=str(feed.fa_id))["matched"] == 2


def test_a_rule_is_applied_as_its_preview_said_and_each_field_says_so(ada, bank, three):
    food, merchant = bank.account("Food"), bank.merchant("Nero")
    effects = [to_account(food), {"kind": "SET_MERCHANT", "orgMerchantId": merchant}]
    rule = make(ada, "coffee", *effects)
    run = applied(ada, rule)
    assert (run["matched"], run["changed"], run["ruleId"], run["trigger"]) == (2, 2, rule, "MANUAL_APPLY")
    there = read(ada, three[0])
    assert (there["accountId"], there["orgMerchantId"]) == (food, merchant)
    said = {each["field"]: each for each in there["provenance"]}
    assert said["accountId"]["value"] == str(food)
    assert (said["accountId"]["ruleId"], said["accountId"]["ruleVersion"]) == (rule, 1)
    assert said["orgMerchantId"]["before"] is None
    assert {each["runId"] for each in said.values()} == {run["id"]}
    assert read(ada, three[2])["provenance"] == []
    assert ada.get(RUNS).json["runs"] == [run]
    assert counts(preview(ada, rule)) | {"matched": 0} == {
        "matched": 0, "changed": 0, "markers": 0, "unchanged": 2, "skipped": 0, "cutOff": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    "move", ["a line came", "a line was edited", "the rule changed", "another rule came"]
)
def test_a_digest_is_refused_once_the_world_has_moved(ada, bank, three, feed, move):
    food, travel = bank.account("Food"), bank.account("Travel")
    rule = make(ada, "coffee", to_account(food))
    digest = preview(ada, rule)["digest"]
    moves = {
        "a line came": lambda: feed.push(added=[line("A4")]),
        "a line was edited": lambda: ada.patch(f"/api/transactions/{three[1]}", json={"accountId": travel}),
        "the rule changed": lambda: ada.put(
            f"{RULES}/{rule}", json=body("coffee", to_account(food), name="New")
        ),
        "another rule came": lambda: make(
            ada, "house", to_account(travel), trigger="TRANSACTION_INGESTED", priority=500
        ),
    }
    moves[move]()
    answer = apply(ada, rule, digest)
    assert (answer.status_code, answer.json["code"]) == (409, "preview_moved")
    assert read(ada, three[0])["accountId"] == bank.role("uncategorised_expenses")
    assert read(ada, three[0])["provenance"] == []
    assert ada.get(RUNS).json["runs"] == []
    assert apply(ada, rule).status_code == 200


def test_a_rule_for_previews_never_writes(ada, bank, three):
    rule = make(ada, "coffee", to_account(bank.account("Food")), trigger="MANUAL_PREVIEW")
    assert preview(ada, rule)["changed"] == 2
    answer = apply(ada, rule)
    assert (answer.status_code, answer.json["code"]) == (409, "preview_only")


def test_what_a_person_edited_is_skipped_and_the_preview_says_so(ada, bank, three):
    food, travel = bank.account("Food"), bank.account("Travel")
    ada.patch(f"/api/transactions/{three[0]}", json={"accountId": travel})
    rule = make(ada, "coffee", to_account(food))
    said = preview(ada, rule)
    assert (said["changed"], said["skipped"]) == (1, 1)
    assert said["items"][0]["skipped"] == [
        {"kind": "SET_ACCOUNT", "reason": "A person has edited this line."}
    ]
    run = applied(ada, rule)
    assert [(skip["ruleId"], skip["lines"]) for skip in run["skipped"]] == [(rule, 1)]
    assert read(ada, three[0])["accountId"] == travel


def test_a_posted_entry_gets_a_marker_and_undoing_takes_it_away(ada, bank, three):
    food, waiting = bank.account("Food"), bank.role("uncategorised_expenses")
    ada.post(f"/api/transactions/{three[0]}/confirm")
    rule = make(ada, "coffee", to_account(food))
    said = preview(ada, rule)
    assert (said["changed"], said["markers"]) == (2, 1)
    run = applied(ada, rule)
    there = read(ada, three[0])
    assert there["accountId"] == waiting
    marker = ada.get(f"/api/journal-entries/{there['correctionMarkerId']}").json["entry"]
    assert food in [posting["accountId"] for posting in marker["postings"]]
    assert undone(ada, run)["lines"] == 2
    assert read(ada, three[0])["correctionMarkerId"] is None
    assert read(ada, three[1])["accountId"] == waiting


def test_undoing_a_confirmed_correction_opens_a_marker_back(ada, bank, three):
    food, waiting = bank.account("Food"), bank.role("uncategorised_expenses")
    rule = make(ada, "coffee", to_account(food))
    run = applied(ada, rule)
    ada.post(f"/api/transactions/{three[0]}/confirm")
    undone(ada, run)
    there = read(ada, three[0])
    assert there["accountId"] == food
    marker = ada.get(f"/api/journal-entries/{there['correctionMarkerId']}").json["entry"]
    assert waiting in [posting["accountId"] for posting in marker["postings"]]


def test_undoing_leaves_what_somebody_changed_since_and_lists_it(ada, bank, three):
    food, travel = bank.account("Food"), bank.account("Travel")
    merchant = bank.merchant("Nero")
    rule = make(ada, "coffee", to_account(food), {"kind": "SET_MERCHANT", "orgMerchantId": merchant})
    run = applied(ada, rule)
    ada.patch(f"/api/transactions/{three[0]}", json={"accountId": travel})
    answer = undone(ada, run)
    assert (answer["lines"], answer["restored"]) == (2, 3)
    assert [(kept["transactionId"], kept["kind"]) for kept in answer["kept"]] == [(three[0], "SET_ACCOUNT")]
    there = read(ada, three[0])
    assert (there["accountId"], there["orgMerchantId"], there["provenance"]) == (travel, None, [])
    again = ada.post(f"{RUNS}/{run['id']}/undo")
    assert (again.status_code, again.json["code"]) == (409, "undone")


def test_undoing_a_later_run_lets_the_earlier_one_stand_again(ada, bank, three):
    food, travel = bank.account("Food"), bank.account("Travel")
    first = applied(ada, make(ada, "coffee", to_account(food)))
    later = applied(ada, make(ada, "coffee", to_account(travel)))
    assert read(ada, three[0])["accountId"] == travel
    undone(ada, later)
    there = read(ada, three[0])
    assert (there["accountId"], there["provenance"][0]["runId"]) == (food, first["id"])
    undone(ada, first)
    assert read(ada, three[0])["accountId"] == bank.role("uncategorised_expenses")


def test_a_currency_goes_there_and_back(ada, bank, three):
    bank.quote("2026-03-01", "USD", "1.2500")
    rule = make(ada, "coffee", {"kind": "SET_CURRENCY", "currency": "USD"})
    run = applied(ada, rule)
    entry = ada.get(f"/api/journal-entries/{read(ada, three[0])['journalEntryId']}").json["entry"]
    assert [(each["amount"], each["currency"]) for each in entry["postings"]] == [
        ("-12.50", "EUR"), ("15.63", "USD"),
    ]  # fmt: skip
    assert undone(ada, run)["restored"] == 2
    entry = ada.get(f"/api/journal-entries/{read(ada, three[0])['journalEntryId']}").json["entry"]
    assert [(each["amount"], each["currency"]) for each in entry["postings"]] == [
        ("-12.50", "EUR"), ("12.50", "EUR"),
    ]  # fmt: skip


def test_a_later_rate_keeps_the_amount_in_a_currency_and_the_rest_is_rounding(ada, bank, three):
    bank.quote("2026-03-01", "USD", "1.2500")
    run = applied(ada, make(ada, "coffee", {"kind": "SET_CURRENCY", "currency": "USD"}))
    rate = {"day": "2026-03-02", "currency": "USD", "unitsPerBase": "1.3000"}
    assert ada.put("/api/exchange-rates", json={"rates": [rate]}).status_code == 200
    entry = ada.get(f"/api/journal-entries/{read(ada, three[0])['journalEntryId']}").json["entry"]
    assert [(each["amount"], each["amountBase"]) for each in entry["postings"]] == [
        ("-12.50", "-12.50"), ("15.63", "12.02"), ("0.48", "0.48"),
    ]  # fmt: skip
    assert entry["postings"][2]["accountId"] == bank.role("rounding")
    undone(ada, run)
    entry = ada.get(f"/api/journal-entries/{read(ada, three[0])['journalEntryId']}").json["entry"]
    assert [each["amount"] for each in entry["postings"]] == ["-12.50", "12.50"]


def test_a_preview_names_who_else_fires_who_rules_over_it_and_who_cuts_it_off(ada, bank, three):
    food, travel = bank.account("Food"), bank.account("Travel")
    bar = make(
        ada, "bar", to_account(travel), trigger="TRANSACTION_INGESTED", priority=5, stopProcessing=True
    )
    house = make(ada, "house", to_account(travel), trigger="TRANSACTION_INGESTED", priority=500)
    said = preview(ada, make(ada, "coffee", to_account(food)))
    first, second = said["items"]
    assert (first["cutOffBy"], first["isChanged"]) == (bar, False)
    assert (second["alsoFires"], second["overruled"]) == ([house], [{"kind": "SET_ACCOUNT", "ruleId": house}])
    assert (said["cutOff"], said["changed"], said["unchanged"]) == (1, 0, 1)
    assert {each["id"] for each in said["rules"]} == {bar, house}


def test_one_line_tells_why_each_rule_matches_it_or_does_not(ada, bank, three):
    food = bank.account("Food")
    other = make(ada, "rent", to_account(food), trigger="TRANSACTION_INGESTED", priority=5)
    rule = make(ada, "coffee", to_account(food))
    said = preview(ada, rule, transactionId=three[0])["explained"]
    assert [(each["ruleId"], each["isMatched"], each["isReached"]) for each in said] == [
        (other, False, True), (rule, True, True),
    ]  # fmt: skip
    assert said[0]["conditions"] == [
        {"field": "ANY_TEXT", "operator": "CONTAINS", "value": "rent", "holds": False}
    ]


def test_a_run_of_new_lines_is_undone_too(ada, bank, feed):
    food = bank.account("Food")
    make(ada, "coffee", to_account(food), trigger="TRANSACTION_INGESTED")
    feed.push(added=[line()])
    (run,) = ada.get(RUNS).json["runs"]
    assert (run["trigger"], run["changed"]) == ("TRANSACTION_INGESTED", 1)
    assert [each["field"] for each in read(ada, feed.one()["id"])["provenance"]] == ["accountId"]
    assert undone(ada, run)["restored"] == 1
    assert feed.one()["accountId"] == bank.role("uncategorised_expenses")


def test_a_rule_on_receipts_is_not_tried_on_lines(ada, bank):
    rule = make(ada, "coffee", to_account(bank.account("Food")), target="RECEIPT")
    bank.send("2026-03-02", "-2.50", "Coffee")
    assert ada.post(f"{RULES}/{rule}/preview").json["preview"]["matched"] == 0
    answer = ada.post(f"{RULES}/{rule}/preview?faId={bank.fa_id}")
    assert (answer.status_code, answer.json["code"]) == (422, "other_target")


def test_undoing_leaves_what_cannot_be_any_more_and_lists_it(ada, bank, three):
    old, new = bank.account("Old"), bank.account("New")
    gone, project = bank.project("Gone"), bank.project("Shop")
    first = make(ada, "coffee", to_account(old), {"kind": "SET_PROJECT", "projectId": gone})
    applied(ada, first)
    run = applied(
        ada, make(ada, "coffee", to_account(new), {"kind": "SET_PROJECT", "projectId": project}, priority=200)
    )
    assert ada.delete(f"{RULES}/{first}").status_code == 200
    assert ada.patch(f"/api/accounts/{old}", json={"isArchived": True}).status_code == 200
    assert ada.delete(f"/api/projects/{gone}").status_code == 200
    answer = undone(ada, run)
    assert (answer["lines"], answer["restored"]) == (0, 0)
    assert {(kept["kind"], kept["reason"]) for kept in answer["kept"]} == {
        (kind, "The earlier value is not possible any more.") for kind in ("SET_ACCOUNT", "SET_PROJECT")
    }
    assert read(ada, three[0])["projectId"] == project


def test_a_run_all_of_whose_lines_were_deleted_is_undone_with_nothing_to_put_back(ada, bank, three):
    run = applied(ada, make(ada, "coffee", to_account(bank.account("Food"))))
    for line_id in three:
        assert ada.delete(f"/api/transactions/{line_id}").status_code == 200
    assert undone(ada, run)["restored"] == 0


def test_undoing_gives_no_account_a_currency_that_it_does_not_take(ada, bank, three):
    bank.quote("2026-03-01", "USD", "1.2500")
    euros, any_ = bank.account("Euros", currency="EUR"), bank.account("Any")
    applied(ada, make(ada, "coffee", to_account(euros)))
    run = applied(ada, make(ada, "coffee", to_account(any_)))
    applied(ada, make(ada, "coffee", {"kind": "SET_CURRENCY", "currency": "USD"}))
    answer = undone(ada, run)
    assert (answer["restored"], len(answer["kept"])) == (0, 2)
    assert read(ada, three[0])["accountId"] == any_


def test_a_currency_without_a_rate_is_skipped_and_the_run_says_why(ada, bank, three):
    rule = make(ada, "coffee", {"kind": "SET_CURRENCY", "currency": "USD"})
    run = applied(ada, rule)
    assert (run["matched"], run["changed"]) == (2, 0)
    assert run["skipped"] == [
        {"ruleId": rule, "kind": "SET_CURRENCY", "reason": "There is no USD rate for its day.", "lines": 2}
    ]


def test_the_banks_own_currency_changes_nothing(ada, bank, three):
    run = applied(ada, make(ada, "coffee", {"kind": "SET_CURRENCY", "currency": "EUR"}))
    assert (run["matched"], run["changed"], run["skipped"]) == (2, 0, [])


def test_conditions_on_a_merchant_see_what_people_chose_and_never_what_a_rule_set(ada, bank, three):
    merchant, project = bank.merchant("Nero"), bank.project("Shop")
    ada.patch(f"/api/transactions/{three[0]}", json={"orgMerchantId": merchant})
    applied(ada, make(ada, "house", {"kind": "SET_MERCHANT", "orgMerchantId": merchant}))
    assert [read(ada, each)["orgMerchantId"] for each in three] == [merchant, merchant, None]
    condition = {"field": "MERCHANT", "operator": "EQUALS", "value": str(merchant)}
    asked = {"conditions": [condition]}
    effect = {"kind": "SET_PROJECT", "projectId": project}
    rule = make(ada, "coffee", effect, conditions=asked)
    said = preview(ada, rule)
    assert [item["transactionId"] for item in said["items"]] == [three[0]]
    assert said["items"][0]["skipped"] == [
        {"kind": "SET_PROJECT", "reason": "A person has edited this line."}
    ]
    holds = [
        preview(ada, rule, transactionId=each)["explained"][0]["conditions"][0]["holds"] for each in three
    ]
    assert holds == [True, False, False]


def test_a_run_over_posted_entries_costs_the_same_statements_however_many(ada, bank, at_most):
    """Opened, changed, taken away: each by a run, with one line more or less in the same number of statements."""
    few, many = "Tea", "Coffee"
    lines = bank.send_many([("2026-03-02", "-1.00", few)] * 2 + [("2026-03-03", "-2.00", many)] * 9)
    assert ada.post("/api/transactions/confirm", json={"ids": lines}).status_code == 200
    food, travel = bank.account("Food"), bank.account("Travel")
    costs = {}
    for text in (few, many):
        opening, changing = make(ada, text, to_account(food)), make(ada, text, to_account(travel))
        digest = preview(ada, opening)["digest"]
        with at_most(200) as opened:
            first = apply(ada, opening, digest).json["run"]
        digest = preview(ada, changing)["digest"]
        with at_most(200) as changed:
            second = apply(ada, changing, digest).json["run"]
        with at_most(200) as put_back:
            undone(ada, second)
        with at_most(200) as gone:
            undone(ada, first)
        costs[text] = [len(each) for each in (opened, changed, put_back, gone)]
    assert costs[few] == costs[many]
    assert all(read(ada, each)["correctionMarkerId"] is None for each in lines)


def test_a_line_stands_the_same_whether_it_is_read_with_many_or_for_itself(ada, bank, monkeypatch):
    food, travel = bank.account("Food"), bank.account("Travel")
    said = [(f"2026-03-{day:02}", amount, "Coffee") for day, amount in enumerate(("-1.00", "0.00") * 3, 1)]
    draft, _, posted, nothing, marked, corrected = bank.send_many(
        [*said[:4], *[("2026-03-09", "-2.00", "Coffee")] * 2]
    )
    assert (
        ada.post("/api/transactions/confirm", json={"ids": [posted, nothing, marked, corrected]}).status_code
        == 200
    )
    for line_id in (marked, corrected):
        assert (
            ada.patch(
                f"/api/transactions/{line_id}", json={"projectId": bank.project(str(line_id))}
            ).status_code
            == 200
        )
    assert ada.post(f"/api/transactions/{corrected}/confirm").status_code == 200
    rule = make(ada, "Coffee", to_account(food), name="Quick")
    assert ada.patch(f"/api/transactions/{draft}", json={"accountId": travel}).status_code == 200
    quick = preview(ada, rule)
    monkeypatch.setattr(candidates, "_simple_states", lambda *_: {})
    assert preview(ada, rule) == quick
    assert quick["matched"] == 6


def test_a_run_changes_as_much_as_others_may_wait_for(ben, bank, monkeypatch):
    monkeypatch.setattr(runs, "MOST_AT_ONCE", 2)
    travel = bank.account("Travel")
    lines = [bank.send(f"2026-03-0{day}", "-1.00", "Taxi") for day in (1, 2, 3)]
    rule = make(ben, "Taxi", to_account(travel))
    digest = preview(ben, rule)["digest"]
    for dry_run in ("", "?dryRun=true"):
        refused = ben.post(f"{RULES}/{rule}/apply{dry_run}", json={"digest": digest})
        assert (refused.status_code, refused.json["code"]) == (422, "too_large")
        assert refused.json["details"] == {"most": 2}
        assert refused.json["error"].startswith("This rule would change more than 2 lines or documents")
    page = ben.browser().post(f"/rules/{rule}/apply", data={"digest": digest})
    assert page.status_code == 422
    assert "more than 2 lines or documents" in page.text
    assert travel not in {read(ben, each)["accountId"] for each in lines}
    assert applied(ben, rule, to="2026-03-02")["changed"] == 2
    assert applied(ben, rule)["changed"] == 1
