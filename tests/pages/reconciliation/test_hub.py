"""What waits on the hub: unconfirmed and uncategorised lines, proposals, and the best suggested rule."""

import re
from io import BytesIO

import pytest

from tests.fixtures.bank_files.ofx_files import balance, sgml, statement, transaction
from tests.fixtures.banks import AT
from tests.fixtures.helpers.habits import decide, send
from tests.fixtures.helpers.marks import on_sqlite
from tests.pages.test_transfers import text
from webapp.queries.transactions import waiting_lines
from webapp.services.backups import records

PART = {"HX-Request": "true", "HX-Target": "li#best-suggestion"}


@pytest.fixture
def travel(bank):
    bank.open("Main account")
    return bank.account("Travel")


def test_drafts_wait_and_their_uncategorised_lines_are_counted(ada, bank, travel):
    nothing = (
        "Nothing to do: no proposal, no file in the inbox, no line to confirm, no tax return, no open item."
    )
    assert nothing in text(ada.browser().get("/"))
    first, *_ = [send(bank, f"Shop {number}") for number in range(3)]
    ada.patch(f"/api/transactions/{first}", json={"accountId": travel})
    hub = text(ada.browser().get("/"))
    assert "3 lines to confirm, 2 uncategorised" in hub
    assert nothing not in hub
    assert "?show=unconfirmed" in hub


def test_lines_of_several_accounts_are_counted_together_and_lead_to_the_account_of_most(ada, bank, travel):
    send(bank, "Shop")
    largest = bank.open("Card")
    for number in range(2):
        send(bank, f"Kiosk {number}")
    hub = text(ada.browser().get("/"))
    assert "3 lines to confirm in 2 accounts, 3 uncategorised" in hub
    assert f"/feeds/{largest}?show=unconfirmed" in hub


def test_only_so_many_uncategorised_lines_are_counted(ada, bank, travel, monkeypatch):
    monkeypatch.setattr(waiting_lines, "MOST", 2)
    for number in range(4):
        send(bank, f"Shop {number}")
    assert "4 lines to confirm, 4 uncategorised" in text(ada.browser().get("/"))
    monkeypatch.setattr(waiting_lines, "ALL", 3)
    assert "4 lines to confirm, over 2 uncategorised" in text(ada.browser().get("/"))


@on_sqlite
def test_a_total_that_is_unknown_says_why(ada, bank, travel):
    assert "No total: Main account has no balance yet." in text(ada.browser().get("/"))
    yen = statement(transaction(TRNAMT="-900"), currency="JPY", balances=[balance("900", "20261101")])
    form = {"file": (BytesIO(sgml(yen)), "yen.ofx")}
    taken = ada.post("/api/feeds/imports", data=form, content_type="multipart/form-data")
    assert taken.status_code == 201, taken.json
    assert "JPY has no rate on this day" in text(ada.browser().get("/"))


def test_a_correction_to_an_uncategorised_account_waits_too(ada, bank, travel):
    (line,) = decide(ada, bank, travel, "Shop")
    uncategorised = bank.role("uncategorised_expenses")
    ada.patch(f"/api/transactions/{line}", json={"accountId": uncategorised})
    assert "1 line to confirm, 1 uncategorised" in text(ada.browser().get("/"))


@on_sqlite
def test_the_best_suggested_rule_comes_after_the_page(ada, bank, travel):
    assert ada.browser().get("/rules/suggestions/best", headers=PART).status_code == 204
    decide(ada, bank, travel, *["Kiosk"] * 3)
    decide(ada, bank, travel, *["DB Bahn"] * 4)
    assert 'hx-get="/rules/suggestions/best"' in ada.browser().get("/").text
    best = text(ada.browser().get("/rules/suggestions/best", headers=PART))
    assert "4 of 4 lines of DB Bahn went to Travel. Make it a rule?" in best
    assert "<html" not in best
    assert ada.browser().get("/rules/suggestions/best").headers["Location"] == "/rules/suggestions"


@on_sqlite
def test_a_proposal_is_not_listed_as_if_it_were_done(ben, bank, travel):
    line = bank.send("2026-11-03", "-45.20", "REWE")
    ben.with_scopes("read", "propose").post(f"/api/transactions/{line}/confirm", json={})
    assert "· proposed: Confirm REWE" in text(ben.browser().get("/"))


def steps_done(person):
    done = re.search(r"(\d) of [67] done", person.browser().get("/").text)
    return done and int(done[1])


def test_first_steps_tick_themselves_and_go_when_they_are_done_or_hidden(
    ada, ben, cleo, dan, bank, desk, travel, never_backed_up
):
    assert (steps_done(dan), steps_done(ada), steps_done(cleo)) == (0, 2, None)
    line = bank.send("2026-11-03", "-45.20", "REWE")
    assert steps_done(ada) == 3
    effect = {"kind": "SET_ACCOUNT", "accountId": travel}
    rule = {"name": "R", "conditions": {"conditions": [{"value": "x"}]}, "effects": [effect]}
    ada.post("/api/automations/rules", json=rule)
    assert steps_done(ada) == 4
    assert ben.browser().post("/steps/hide").status_code == 303
    assert steps_done(ben) is None
    assert ada.post(f"/api/transactions/{line}/confirm", json={}).status_code == 200
    assert steps_done(ada) == 5
    desk.prove("2026-11-04", "-45.20")
    assert (steps_done(ben), steps_done(ada)) == (None, 6)
    records.note(never_backed_up, made=AT)
    assert steps_done(ada) is None
