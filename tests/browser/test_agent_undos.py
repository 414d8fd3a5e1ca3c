"""What a key did is looked at and undone in Chromium, with scripts and without."""

import pytest
from playwright.sync_api import expect


@pytest.fixture
def agent(ada, bank):
    agent = ada.with_scopes("read", "draft", "confirm")
    rent = bank.account("Rent")
    lines = bank.send_many(
        [
            ("2026-03-02", "-12.50", "Café Central"),
            ("2026-03-03", "-850.00", "Rent for March"),
            ("2026-03-04", "-9.99", "Music"),
        ]
    )
    for line in lines:
        assert agent.patch(f"/api/transactions/{line}", json={"accountId": rent}).status_code == 200
    for person, line in ((agent, lines[0]), (agent, lines[1]), (ada, lines[2])):
        assert person.post(f"/api/transactions/{line}/confirm", json={}).status_code == 200
    effects = [{"kind": "SET_ACCOUNT", "accountId": rent, "sortOrder": 1}]
    made = agent.post("/api/automations/rules", json={"name": "Everything is rent", "effects": effects})
    assert made.status_code == 201
    return agent


@pytest.mark.rare
@pytest.mark.parametrize("has_scripts", [True, False], ids=["htmx", "no JavaScript"])
def test_what_a_key_did_is_looked_at_and_undone(browse, ada, agent, has_scripts):
    page = browse(ada, java_script_enabled=has_scripts)
    page.goto(f"/settings/keys/{agent.token_id}")
    page.get_by_role("link", name="Undo what it did…").click()
    page.get_by_label("Everything since").fill("2026-01-02T00:00")
    page.get_by_role("button", name="Show what would be undone").click()
    would = page.get_by_role("region", name="What would be undone")
    expect(would.get_by_role("row")).to_have_count(6)
    expect(would.get_by_role("row").nth(1)).to_contain_text("Delete the rule")
    stays = page.get_by_role("region", name="What stays")
    expect(stays).to_contain_text("It was posted since; edit the line to correct it.")
    expect(page.get_by_label("Everything since")).to_have_value("2026-01-02T00:00")

    page.get_by_role("button", name="Undo them").click()
    expect(page.get_by_role("status").filter(has_text="5 acts undone")).to_be_visible()
    expect(page.get_by_role("region", name="What was undone")).to_contain_text("the line can be")
    page.goto("/activity")
    expect(page.get_by_role("main")).to_contain_text("Undid 5 acts of limited")
