"""A newcomer's way from a bank's file to the first filed VAT return, in Chromium."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import MODES
from tests.browser.newcomers.test_first_proof import Clicks
from tests.fixtures.helpers.comboboxes import choose

LINES = "".join(
    f"<STMTTRN><TRNTYPE>OTHER<DTPOSTED>2026{day}<TRNAMT>{amount}<FITID>{day}<NAME>{name}</STMTTRN>\n"
    for day, amount, name in (
        ("0105", "1200.00", "Mill Ltd"),
        ("0209", "-60.00", "Hosting"),
        ("0302", "-24.00", "Paper"),
    )
)
FILE = (
    "OFXHEADER:100\n\n<OFX><STMTRS><CURDEF>GBP<BANKACCTFROM><ACCTID>one</BANKACCTFROM>"
    f"<BANKTRANLIST>{LINES}</BANKTRANLIST></STMTRS></OFX>\n"
).encode()
MOST_CLICKS = 27


def give(hand, names, account, code):
    """Tick lines and change their account and tax code together."""
    page = hand.page
    for name in names:
        page.locator(".line", has_text=name).get_by_role("checkbox").first.click()
        hand.note()
    page.get_by_text("Change…", exact=True).click()
    hand.note()
    choose(page.locator(".dock-change").get_by_role("combobox", name="Account"), account)
    hand.note()
    field = page.locator("#change-tax")
    field.select_option(field.locator("option", has_text=code).first.get_attribute("value"))
    hand.note()
    hand.on("button", "Show what changes")
    hand.on("button", f"Change {len(names)}")
    expect(page.locator("#asking")).to_have_count(0)


@pytest.mark.rare
def test_a_first_vat_return_is_filed(browse, keeps_in, picture):
    page = browse(keeps_in("GBP"), **MODES["light"])
    page.goto("/")
    hand = Clicks(page, lambda page, name: picture(page, name.replace("first-proof", "first-vat-return")))
    page.locator(".bar-more summary").click()
    hand.note()
    hand.on("link", "Tax", exact=True)
    card = page.locator("#uk-vat100")
    card.get_by_label("First day").fill("1 Jan 2026")
    card.get_by_role("button", name="Install").click()
    hand.note()
    hand.on("link", "Hub")
    hand.on("link", "Choose a file", exact=True)
    hand.choose({"name": "bank.ofx", "mimeType": "application/x-ofx", "buffer": FILE})
    hand.on("button", "Import 3 lines")
    hand.on("link", "Work through 3 lines")
    give(hand, ("Hosting", "Paper"), "Software", "P20")
    page.goto(page.url)
    give(hand, ("Mill Ltd",), "Sales of services", "S20")
    page.goto(page.url)
    page.get_by_label("Select every line shown").click()
    hand.note()
    hand.on("button", "Confirm 3 lines")
    expect(page.locator(".line-confirm")).to_have_count(0)
    page.locator(".bar-more summary").click()
    hand.note()
    hand.on("link", "Tax", exact=True)
    hand.on("link", "1 Jan 2026 to 31 Mar 2026")
    figures = page.locator("tbody tr td.number")
    expect(figures).to_have_text(
        ["200.00", "0.00", "200.00", "14.00", "186.00", "1,000.00", "70.00", "0.00", "0.00"]
    )
    hand.on("button", "File as shown")
    expect(page.get_by_text("Filed by")).to_be_visible()
    assert hand.count <= MOST_CLICKS
