"""The whole way in Chromium: sign in, import a bank's file, confirm, reconcile to 0.00, hold the proof."""

import re

from playwright.sync_api import expect

from tests.fixtures.bank_files.ofx_files import balance, sgml, statement, transaction
from tests.fixtures.helpers.marks import with_and_without_scripts

LINES = (
    ("20261001", "2500.00", "A1", "INV-1042 Halden wayfinding"),
    ("20261005", "-1450.00", "A2", "Rent October"),
    ("20261009", "-38.56", "A3", "Hetzner Online"),
    ("20261020", "-76.90", "A4", "DB ICE 693 Berlin-Hamburg"),
    ("20261102", "-12.00", "A5", "Bank charges"),
)
STATEMENT = sgml(
    statement(
        *(
            transaction(DTPOSTED=day, TRNAMT=amount, FITID=reference, NAME=text)
            for day, amount, reference, text in LINES
        ),
        balances=[balance("922.54", "20261102")],
    )
)


def sign_in(page, ada):
    page.goto("/")
    page.get_by_label("Email").fill(ada.email)
    page.get_by_label("Password", exact=True).fill(ada.password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/")


def send_held(page):
    """Send the confirmation that a page holds, as it does when it is left."""
    page.locator(".line.is-held").first.wait_for()
    page.evaluate("dispatchEvent(new Event('pagehide'))")


def import_file(page, *, has_scripts):
    page.goto("/imports/new")
    file = {"name": "october.ofx", "mimeType": "application/x-ofx", "buffer": STATEMENT}
    page.get_by_label("Files").set_input_files(file)
    if not has_scripts:
        page.get_by_role("button", name="Preview the file").click()
    expect(page.get_by_text("5 lines will be added")).to_be_visible()
    page.get_by_role("button", name="Import 5 lines").click()
    expect(page.get_by_text("5 lines were added")).to_be_visible()


def open_workspace(page):
    page.goto("/")
    page.locator("table.hub a").first.click()
    expect(page.locator(".line")).to_have_count(5)


@with_and_without_scripts
def test_from_a_banks_file_to_a_proof(browse, ada, has_scripts):
    page = browse(java_script_enabled=has_scripts)
    sign_in(page, ada)
    import_file(page, has_scripts=has_scripts)
    open_workspace(page)

    page.locator("[name=statementDate]").fill("2026-10-31")
    page.locator("[name=statementBalance]").fill("934.54")
    page.get_by_role("button", name="Start reconciling").click()
    expect(page.locator("#difference-figure")).to_have_text("934.54")

    for _ in range(4):
        left = page.locator(".line-confirm:visible").count()
        page.locator(".line").filter(has_not_text="Bank charges").locator(
            ".line-confirm:visible"
        ).first.click()
        page.get_by_role("button", name="Confirm anyway").click()
        expect(page.locator(".line-confirm:visible")).to_have_count(left - 1)
    page.get_by_role("button", name="Tick all posted").click()
    expect(page.locator("#difference-figure")).to_have_text("0.00")

    page.get_by_role("button", name="Complete reconciliation").click()
    proof = page.get_by_role("link", name=re.compile("Proof of 31 Oct 2026")).first
    expect(page.get_by_role("link", name="Open the proof")).to_be_visible()
    expect(proof).to_be_visible()
    page.goto("/reconciliations/proofs/1")
    expect(page.get_by_text("This proof is valid")).to_be_visible()
    page.goto("/")
    expect(page.get_by_text("Needs reconciling", exact=True)).to_be_visible()
