"""Plans whose gravest step hides among many others: summaries, pages and tools say it first."""

import random

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.planning import proposed, send
from tests.fixtures.helpers.trial_calls import calls
from tests.mcp.clients import Model
from webapp.queries.effects.summaries import MOST_LISTED

GRAVE = {
    "PUT /api/lock-date": "closes the books up to",
    "POST /api/journal-entries/<id:entry_id>/void": "voids entry",
    "POST /api/reconciliations/accounts/<id:fa_id>/reopen": "reopens the proof of Card",
    "POST /api/merchants/<id:merchant_id>/merge": "merges the customer or supplier Paper shop 3 into Paper shop",
    "POST /api/automations/rules": "creates the rule Groceries",
    "DELETE /api/automations/rules/<id:rule_id>": "deletes the rule Groceries",
    "POST /api/settlements/<id:settlement_id>/undo": "undoes the settlement of 2 open items",
    "DELETE /api/feeds/imports/<id:import_id>": "removes the import taken.ofx",
    "PUT /api/financial-year": "changes the first month of the financial year",
    "POST /api/tables/<string:table_id>/remove": "removes the chart of other.csv",
    "POST /api/tax/packs/<string:name>/install": "installs the taxes of",
}
PLAIN = 45


def merchants(count):
    return [("POST", "/merchants", {"name": f"Kiosk {number}"}) for number in range(count)]


@pytest.mark.rare
@on_sqlite
def test_a_grave_step_is_told_before_all_others_wherever_it_stands(ada, bank):
    chance = random.Random(46)  # noqa: S311  (a place in a list)
    agent, found = ada.with_scopes("read", "propose"), []
    for trial in calls(ada, bank):
        if trial.name not in GRAVE:
            continue
        place = chance.randrange(PLAIN)
        steps = merchants(PLAIN)
        path = trial.path.removeprefix("/api")
        steps.insert(place, (trial.name.split()[0], path, trial.options.get("json")))
        answer = send(agent, *steps, title="Tidy up")
        assert answer.status_code == 202, (trial.name, answer.json)
        waiting = answer.json["actionRequest"]
        summary = agent.get(f"/api/action-requests/{waiting['id']}?view=summary").json["actionRequest"]
        assert summary["steps"][0]["number"] == place + 1, trial.name
        assert [each["number"] for each in summary["steps"][1:]] == [
            number for number in range(1, PLAIN + 2) if number != place + 1
        ][: MOST_LISTED - 1]
        assert summary["moreSteps"] == [{"kind": "create_merchant", "count": PLAIN + 1 - MOST_LISTED}]
        sentence = f"Step {place + 1} of this plan also {GRAVE[trial.name]}"
        assert summary["warnings"][0].startswith(sentence), summary["warnings"]
        page = ada.browser().get(f"/proposals?id={waiting['id']}").text
        assert sentence in page
        head = page.split('id="approval-title">')[1].split("</h2>")[0]
        assert head.endswith(f", and {PLAIN} more, called “Tidy up”"), head
        assert head.startswith(summary["steps"][0]["title"][:20])
        rows = page.split('<ol class="plan-steps">')[1]
        assert (
            rows.index(f">{place + 1}</span>") < rows.index(">Create the customer or supplier") or place == 0
        )
        ada.browser().post(f"/api/action-requests/{waiting['id']}/reject", json={"reason": "No"})
        found.append(trial.name)
    assert sorted(found) == sorted(GRAVE)


def test_steps_of_one_grave_kind_are_one_sentence(ada, bank, ben):
    names = [bank.merchant(f"Shop {number}") for number in range(5)]
    steps = [("POST", f"/merchants/{each}/merge", {"mergedIntoId": names[0]}) for each in names[1:]]
    waiting = proposed(ada.with_scopes("read", "propose"), *steps, *merchants(2))
    (warning,) = waiting["effect"]["warnings"]
    assert (
        warning
        == "Step 1 of this plan also merges the customer or supplier Shop 1 into Shop 0; so do steps 2, 3 and 4."
    )
    alone = proposed(ada.with_scopes("read", "propose"), ("PUT", "/lock-date", {"lockDate": "2026-01-31"}))
    assert alone["effect"]["warnings"] == []


def test_a_tool_says_how_many_balances_it_leaves_out(ada, ben, bank):
    lines = bank.send_many([(f"2026-10-{day:02}", "-1.00", f"Shop {day}") for day in range(1, 29)])
    categories = [
        {"id": line, "category": str(bank.account(f"Cost {number}"))} for number, line in enumerate(lines)
    ]
    done = Model(ben).call("categorise_lines", lines=categories, confirm=True)
    assert done["changes"][-1] == {"what": "9 more balances", "change": "not listed"}
    assert len(done["changes"]) == MOST_LISTED + 1
