"""A newcomer's way from a bank's file to the first proof, with nothing typed, in at most twelve clicks."""

from playwright.sync_api import expect

from tests.browser.conftest import MODES
from tests.fixtures.bank_files.camt_files import balance, entry, message, statement

DAYS = ("2013-12-27", "2013-12-27", "2013-12-28", "2013-12-30")
FILE = message(
    statement(
        balance("OPBD", "33.06", "2013-12-26"),
        *(entry(amount="2.50", booked=day, reference=f"R{place}") for place, day in enumerate(DAYS)),
        balance("CLBD", "23.06", "2013-12-30"),
    )
)
MOST_CLICKS = 12


class Clicks:
    """A hand on the mouse that counts, and takes a picture after each click."""

    def __init__(self, page, picture):
        self.page, self.picture, self.count = page, picture, 0

    def on(self, role, name, **options):
        self.page.get_by_role(role, name=name, **options).filter(visible=True).first.click()
        self.note()

    def choose(self, file):
        with self.page.expect_file_chooser() as chooser:
            self.page.get_by_label("Files").click()
        chooser.value.set_files(file)
        self.note()

    def note(self):
        self.count += 1
        self.page.wait_for_load_state()
        self.picture(self.page, f"first-proof-{self.count:02}")


def test_a_first_proof_takes_at_most_twelve_clicks_and_no_typing(browse, ben, picture):
    page = browse(ben, **MODES["light"])
    page.goto("/")
    hand = Clicks(page, picture)
    hand.on("link", "Choose a file", exact=True)
    hand.choose({"name": "december.xml", "mimeType": "text/xml", "buffer": FILE})
    hand.on("button", "Import 4 lines")
    expect(page.get_by_role("button", name="Reconcile 30 Dec 2013, 23.06")).to_be_visible()
    hand.on("link", "Work through 4 lines")
    page.get_by_label("Select every line shown").click()
    hand.note()
    hand.on("button", "Confirm 4 lines")
    hand.on("button", "Confirm all 4")
    expect(page.locator(".line-confirm")).to_have_count(0)
    expect(page.locator("[name=statementBalance]")).to_have_value("23.06")
    hand.on("button", "Start reconciling")
    expect(page.get_by_text("The bank says 33.06 was there on 26 Dec 2013")).to_be_visible()
    hand.on("button", "Start with it")
    expect(page.get_by_role("button", name="Start with it")).to_have_count(0)
    hand.on("button", "Tick all posted")
    expect(page.locator("#difference-figure")).to_have_text("0.00")
    hand.on("button", "Complete reconciliation")
    expect(page.locator("#panel .ties-out")).to_have_text("0.00")
    expect(page.get_by_role("link", name="Print")).to_be_visible()
    hand.on("link", "Open the proof")
    expect(page.get_by_text("This proof is valid")).to_be_visible()
    assert hand.count <= MOST_CLICKS
