"""A broken proof in the hub and on paper: what broke it, the repairs that apply, and what is told when it is mended."""

import re

import pytest
from playwright.sync_api import expect


@pytest.fixture
def proved(bank, desk):
    """Two proofs of one account; answers the line of the first that somebody is going to touch."""
    lines = bank.send_many(
        [
            ("2026-09-02", "1200.00", "Invoice 17"),
            ("2026-09-14", "-49.00", "Adobe Creative Cloud"),
            ("2026-10-05", "-310.50", "Rent"),
        ]
    )
    desk.confirm(*lines)
    desk.prove("2026-09-30", "1151.00")
    desk.prove("2026-10-31", "840.50")
    return lines[1]


def test_a_broken_proof_names_its_culprit_and_can_be_reopened_from_the_hub(
    browse, ada, desk, proved, modes, picture
):
    desk.void(desk.line(proved)["journalEntryId"])
    for mode, options in modes.items():
        page = browse(ada, **options)
        page.goto("/")
        text = page.inner_text(".breach")
        assert "Ben's program voided entry 2, Adobe Creative Cloud, 14 Sep on" in text
        assert "It no longer counts −49.00 in the bank account." in text
        assert "−49.00" in page.inner_text(".breach .is-bad"), page.inner_text(".breach")
        assert not page.is_visible("text=Accept it as it is now")
        picture(page, f"hub-broken-{mode}", full_page=True)
        assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
        page.goto("/reconciliations/proofs/1")
        assert "no longer valid" in page.inner_text(".holds")
        picture(page, f"proof-broken-{mode}", full_page=True)
        assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    page = browse(ada)
    page.goto("/")
    page.click(".repair:has-text('Confirm the line again')")
    page.wait_for_url("**/feeds/*")
    expect(page.locator(":focus")).to_have_text(re.compile("^Confirm"))
    assert "accent" not in page.get_attribute("button:has-text('Start reconciling')", "class")
    page.click("text=Repair the proof")
    page.click("summary:has-text('Reopen from')")
    page.fill(".breach [name=reason]", "The voided line was right")
    page.click("text=Reopen the proof")
    page.wait_for_url("**/feeds/*")
    assert [desk.proof(number)["status"] for number in (1, 2)] == ["REOPENED", "REOPENED"]


@pytest.mark.rare
def test_a_mended_proof_tells_its_history_on_screen_and_on_paper(browse, ada, desk, proved, modes, picture):
    desk.void(desk.line(proved)["journalEntryId"])
    desk.confirm(proved)
    for mode, options in modes.items():
        page = browse(ada, **options)
        page.goto("/reconciliations/proofs/1")
        assert "This proof is valid" in page.inner_text(".holds")
        assert "Undone by Ben's program" in page.inner_text(".proof-history")
        picture(page, f"proof-mended-{mode}", full_page=True)
        assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    page = browse(ada, viewport={"width": 794, "height": 1123})
    page.goto("/reconciliations/proofs/1")
    page.emulate_media(media="print")
    assert not page.is_visible(".paper-acts")
    assert page.is_visible("text=tieout verify-proof proof-1.json")
    picture(page, "proof-mended-print", full_page=True)


@pytest.mark.rare
def test_what_arrived_and_is_even_can_be_accepted_from_the_hub(browse, ada, ben, bank, desk, proved, picture):
    legs = [(bank.ledger_account(), "7.00"), (bank.account("Cash box", "ASSET"), "-7.00")]
    postings = [{"accountId": account, "amount": amount, "currency": "EUR"} for account, amount in legs]
    body = {"effectiveAt": "2026-09-20", "description": "By hand", "postings": postings, "post": True}
    assert ben.post("/api/journal-entries", json=body).status_code == 201
    page = browse(ada)
    page.goto("/")
    picture(page, "hub-even", full_page=True)
    page.click("summary:has-text('Accept it as it is now')")
    page.click("text=Complete it again")
    page.wait_for_url("**/reconciliations/proofs/*")
    assert "This proof is valid" in page.inner_text(".holds")
    assert desk.account()["status"] == "reconciled"
