"""A key made in Chromium with a cap: shown once, it posts as much as it may, and its page says so."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests.fixtures.helpers.marks import with_and_without_scripts


def confirmed(ada, token, line):
    return replace(ada, token=token).post(f"/api/transactions/{line}/confirm").status_code


@with_and_without_scripts
def test_a_key_is_made_with_a_cap_works_up_to_it_and_is_revoked(browse, ada, bank, has_scripts):
    lines = bank.send_many([("2026-03-02", "-1.00", "Coffee"), ("2026-03-03", "-2.00", "Tea")])
    page = browse(ada, java_script_enabled=has_scripts)
    page.goto("/settings/keys")
    expect(page.get_by_role("radio", name="Drafts only")).to_be_checked()
    expect(page.get_by_role("checkbox", name="Post")).to_be_hidden()
    page.get_by_label("Custom").check()
    page.get_by_role("checkbox", name="Read").check()
    page.get_by_role("checkbox", name="Post").check()
    page.get_by_label("Name").fill("Month-end agent")
    page.get_by_label("Entries it may post a day").fill("1")
    page.get_by_label("Amount it may post a day").fill("50.00")
    page.get_by_role("button", name="Create the key").click()
    token = page.locator("#new-token").inner_text()

    assert [confirmed(ada, token, line) for line in lines] == [200, 403]
    page.goto("/settings/keys")
    assert token[12:] not in page.content()
    page.get_by_role("link", name="Month-end agent").click()
    expect(page.locator(".facts")).to_contain_text("1 entry of 1")
    expect(page.locator(".facts")).to_contain_text("1.00 EUR of 50.00 EUR")
    expect(page.get_by_label("Amount it may post a day")).to_have_value("50.00")

    page.get_by_label("Entries it may post a day").fill("2")
    page.get_by_role("button", name="Save the key").click()
    expect(page.locator(".facts")).to_contain_text("1 entry of 2")
    assert confirmed(ada, token, lines[1]) == 200
    page.get_by_role("button", name="Revoke the key").click()
    expect(page.locator("tr.is-void")).to_contain_text("Month-end agent")
    assert confirmed(ada, token, lines[1]) == 401


@pytest.mark.rare
def test_what_is_wrong_stays_as_it_was_typed(browse, ada):
    page = browse(ada)
    page.goto("/settings/keys")
    page.get_by_role("radio", name="With approval").check()
    page.get_by_label("Name").fill("Agent")
    page.get_by_label("Amount it may post a day").fill("fifty")
    page.get_by_role("button", name="Create the key").click()
    expect(page.locator("main .problem")).to_contain_text("Write an amount")
    expect(page.get_by_label("Amount it may post a day")).to_have_value("fifty")
    expect(page.get_by_role("radio", name="With approval")).to_be_checked()
    expect(page.get_by_label("Name")).to_have_value("Agent")
