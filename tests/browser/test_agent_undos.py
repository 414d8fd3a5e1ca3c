"""What a key did is looked at and undone in Chromium, with scripts and without."""

import pytest
from playwright.sync_api import expect

from tests.api.tax.conftest import Taxes, done
from tests.browser.accessibility.test_axe import broken_rules
from tests.browser.conftest import MODES


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


def test_what_comes_late_for_a_return_is_undone_late(browse, ada, bank, picture):
    taxes = Taxes(ada, bank)
    agent = ada.with_scopes("read", "draft", "confirm")
    sold = taxes.posting("Petty cash", "120.00"), taxes.posting("Sales of services", "-120.00", "S20")
    body = {"effectiveAt": "2026-02-03", "post": True, "postings": sold}
    entry = done(agent.post("/api/journal-entries", json=body))["entry"]["id"]
    shown = done(ada.get(f"/api/tax/returns/open?form={taxes.pack}"))["taxReturn"]
    filing = {"form": taxes.pack, "to": shown["to"], "digest": shown["digest"]}
    done(ada.post("/api/tax/returns", json=filing))
    page = browse(ada, **MODES["phone"], locale="de")
    page.goto(f"/settings/keys/{agent.token_id}/undo")
    page.locator("[name=since]").fill("2026-01-02T00:00")
    page.get_by_role("button", name="Zeigen, was rückgängig gemacht würde").click()
    late = page.get_by_role("button", name="Verspätet rückgängig machen")
    expect(late).to_be_visible()
    picture(page, "undo-late-asked")
    assert not broken_rules(page)
    late.click()
    expect(page.get_by_role("heading", name="1 Vorgang")).to_be_visible()
    picture(page, "undo-late-shown")
    page.get_by_role("button", name="Rückgängig machen").click()
    expect(page.get_by_role("status").filter(has_text="1 Vorgang")).to_be_visible()
    picture(page, "undo-late-done")
    assert not broken_rules(page)
    assert done(ada.get(f"/api/journal-entries/{entry}"))["entry"]["status"] == "VOIDED"
