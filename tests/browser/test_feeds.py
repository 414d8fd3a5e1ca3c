"""A feed's lines in Chromium: a tip is settled with one click and undone with another, a paused feed is resumed."""

import pytest
from playwright.sync_api import expect

from tests.fixtures.feeds import line


@pytest.mark.rare
def test_a_tip_is_joined_with_one_click_and_undone_with_another(browse, ada, feed):
    feed.push(added=[line("P1", pending=True), line("C1", "1200.00", description="Invoice 7")])
    (result,) = feed.results(added=[line("B1", "-15.00", "2026-03-04")])
    page = browse(ada)
    page.goto(f"/feeds/{feed.fa_id}?show=all")
    row = page.locator(f"#line-{result['transactionId']}")
    expect(row).to_contain_text("Same as the pending line?")
    row.get_by_role("button", name="Same line").click()
    expect(page.locator(".line")).to_have_count(2)
    expect(row).to_contain_text("Joined with the pending line of the feed")
    row.get_by_role("button", name="Undo the join").click()
    expect(page.locator(".line")).to_have_count(3)
    expect(page.locator(".segments")).to_contain_text("Pending 1")
    expect(row).not_to_contain_text("Same as the pending line?")


@pytest.mark.rare
def test_a_paused_feed_is_resumed_on_the_hub(browse, ada, feed):
    for _ in range(3):
        feed.push(added=[line(day="1970-01-01")])
    page = browse(ada)
    page.goto("/")
    expect(page.get_by_role("status").filter(has_text="paused")).to_contain_text("1 Jan 1970")
    page.get_by_role("button", name="Resume the connection").click()
    expect(page.get_by_text("has been paused")).to_have_count(0)
    assert feed.verdicts(added=[line()]) == ["NEW"]
