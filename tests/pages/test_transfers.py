"""The page of transfers, and a pair in the workspace."""

import re
from html import unescape

import pytest

from tests.fixtures.helpers.transfers import join, line, send
from webapp import queries

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def page(ben):
    return ben.browser()


def text(answer):
    assert answer.status_code == 200, answer.text
    return " ".join(unescape(answer.text).split())


def test_the_page_lists_pairs_with_their_evidence_and_settles_all_in_one_go(ben, page, moved):
    assert "Same amount, same day" in text(page.get("/transfers"))
    assert "Pair 1 transfer" in text(page.get("/transfers"))
    assert page.post("/transfers/accept").status_code == 303
    assert line(ben, moved[0])["journalEntryId"] == line(ben, moved[1])["journalEntryId"]
    assert "No two open lines" in text(page.get("/transfers"))


@pytest.mark.usefixtures("moved")
def test_the_button_says_how_many_it_pairs_also_where_not_all_are_listed(
    page, bank, giro, savings, monkeypatch
):
    for day, amount in ((12, 70), (22, 80)):
        send(bank, giro, f"2026-03-{day}", f"-{amount}.00")
        send(bank, savings, f"2026-03-{day}", f"{amount}.00")
    assert "These are the first" not in text(page.get("/transfers"))
    monkeypatch.setattr(queries.transfers.proposed, "MOST_LISTED", 2)
    shown = text(page.get("/transfers"))
    assert shown.count('class="proposal"') == 2
    assert "These are the first 2 of 3;" in shown
    assert "Pair 3 transfers" in shown
    page.post("/transfers/accept")
    assert "No two open lines" in text(page.get("/transfers"))


def test_the_page_lists_open_items_with_their_age(ben, page, bank, moved):
    ben.patch(f"/api/transactions/{moved[0]}", json={"accountId": bank.role("transfers")})
    ben.post(f"/api/transactions/{moved[0]}/confirm")
    shown = text(page.get(f"/transfers?accountId={bank.role('transfers')}"))
    assert 'Transfers between own accounts <span class="count">1</span>' in shown
    assert " days" in shown


def test_the_workspace_proposes_a_pair_and_takes_it_apart_again(page, giro, moved):
    assert "Transfer? Same amount, same day" in text(page.get(f"/feeds/{giro}?show=all"))
    page.post(f"/transfers/{moved[0]}/join", data={"transactionId": moved[1]})
    paired = text(page.get(f"/feeds/{giro}?show=all&line={moved[0]}"))
    assert "Transfer, other side" in paired
    assert "Savings" in paired
    page.post(f"/transfers/{moved[0]}/unjoin", data={"transactionId": moved[1]})
    apart = text(page.get(f"/feeds/{giro}?show=all"))
    assert "Transfer?" not in apart
    assert "Transfer, other side" not in apart


def test_a_refusal_is_said_on_the_page(ben, page, bank, savings, moved):
    join(ben, *moved)
    other = send(bank, savings, "2026-03-02", "500.00")
    refused = page.post(f"/transfers/{other}/join", data={"transactionId": moved[0]})
    assert refused.status_code == 409
    assert "Undo that pair first" in refused.text


def test_two_ticked_items_are_paired_and_their_difference_is_named(ben, page, bank, giro, savings):
    payout = send(bank, giro, "2026-03-02", "-100.00"), send(bank, savings, "2026-03-04", "98.50")
    for each in payout:
        ben.patch(f"/api/transactions/{each}", json={"accountId": bank.role("transfers")})
        ben.post(f"/api/transactions/{each}/confirm")
    address = f"accountId={bank.role('transfers')}"
    items = re.findall(r'name="items" value="(\d+)"', text(page.get(f"/transfers?{address}")))
    assert len(items) == 2
    refused = page.post(f"/transfers/pair?{address}", data={"items": items})
    assert refused.status_code == 422
    assert "Name the difference a fee" in refused.text
    assert "tick two open items" in page.post(f"/transfers/pair?{address}", data={"items": items[:1]}).text
    assert (
        page.post(f"/transfers/pair?{address}", data={"items": items, "difference": "FEE"}).status_code == 303
    )
    assert line(ben, payout[0])["correctionMarkerId"] is not None
    ben.post(f"/api/transactions/{payout[0]}/confirm")
    assert "No open items" in text(page.get(f"/transfers?{address}"))
