"""Receipts dropped on a line and on an entry, and pasted, in Chromium."""

import base64

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import MODES
from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.helpers.documents import pdf

PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
# What a browser does when somebody drops or pastes a file, which no mouse of a test can do.
GIVE = """([selector, kind, name, type, data]) => {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const files = new DataTransfer();
  files.items.add(new File([bytes], name, {type}));
  const facts = {bubbles: true, cancelable: true};
  const event = kind === "paste" ? new ClipboardEvent("paste", {...facts, clipboardData: files})
                                 : new DragEvent("drop", {...facts, dataTransfer: files});
  document.querySelector(selector).dispatchEvent(event);
}"""


@pytest.fixture
def give(browse, ada, picture):
    page = browse(ada, **MODES["light"])

    def given_to(selector, data, name, kind="drop"):
        type_ = "application/pdf" if data.startswith(b"%PDF") else "image/png"
        page.evaluate(GIVE, [selector, kind, name, type_, base64.b64encode(data).decode()])
        return page

    return page, given_to


def test_receipts_are_dropped_on_a_line_and_an_entry_and_pasted(give, ada, bank, picture):
    page, give_to = give
    paper, stamps = bank.send_many(
        [("2026-03-05", "-12.50", "Paper shop"), ("2026-03-06", "-1.00", "Stamps")]
    )
    page.goto("/feeds/1?show=all&q=o")
    give_to(f"#line-{paper} .col-amount", pdf("Paper"), "paper.pdf")
    attached = page.locator(f"#line-{paper} .attached")
    expect(attached).to_contain_text("paper.pdf")
    assert "q=o" in page.url
    picture(page, "attached-line")
    page.goto(f"/feeds/1?show=all&line={stamps}")
    give_to("body", PICTURE, "stamps.png", kind="paste")
    expect(page.locator(f"#line-{stamps} .attached")).to_contain_text("stamps.png")
    page.get_by_role("link", name="stamps.png").last.click()
    shown = page.get_by_role("img", name="The picture of stamps.png")
    expect(shown).to_be_visible()
    assert shown.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1
    ada.post(f"/api/transactions/{paper}/confirm", json={})
    entry = ada.get(f"/api/transactions/{paper}").json["transaction"]["journalEntryId"]
    page.goto(f"/journal/{entry}")
    give_to("h1", pdf("Contract"), "contract.pdf")
    expect(page.locator("#documents")).to_contain_text("contract.pdf")
    picture(page, "attached-entry")
    page.goto("/")
    give_to("main", bank_file(Line("2026-04-02", "-3.00", "Tea", "F9")), "april.ofx")
    expect(page.get_by_role("button", name="Import 1 line")).to_be_visible()


@pytest.mark.rare
def test_the_pages_of_a_pdf_are_drawn_beside_its_fields(give, ada, picture):
    page, give_to = give
    page.goto("/documents")
    give_to("h1", pdf("Bill"), "bill.pdf")
    frame = page.get_by_title("The pages of bill.pdf")
    expect(frame).to_be_visible()
    assert frame.get_attribute("src").endswith("/view")
    picture(page, "document-pdf")
