"""Open items of one account and currency that sum to zero are settled by hand, and open again when that is undone."""

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.transfers import confirm, entry, join, line, open_items, send, settle
from webapp.database.sessions import db
from webapp.queries import checks

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def payout(ben, bank, giro, savings):
    """Two payments out that arrive as one sum, all posted to the transfers account."""
    lines = [
        send(bank, giro, "2026-03-02", "-60.00"),
        send(bank, giro, "2026-03-03", "-40.00"),
        send(bank, savings, "2026-03-05", "100.00"),
    ]
    for each in lines:
        ben.patch(f"/api/transactions/{each}", json={"accountId": bank.role("transfers")})
        confirm(ben, each)
    return lines


def items(person):
    return [each["id"] for each in reversed(open_items(person))]


def match(person, *parts):
    body = {"parts": [part if isinstance(part, dict) else {"itemId": part} for part in parts]}
    return person.post("/api/settlements", json=body)


def settled(person, *parts):
    answer = match(person, *parts)
    assert answer.status_code == 201, answer.json
    return answer.json["settlement"]


def undo(person, settlement):
    return person.post(f"/api/settlements/{settlement['id']}/undo", json={"reason": "Wrong"})


def watched(person):
    hub = person.get("/api/reconciliations/accounts").json["watched"]
    return next(each["openItems"] for each in hub if each["accountName"].startswith("Transfers"))


class TestSettling:
    def test_matches_several_with_one_and_posts_nothing(self, ben, bank, payout):
        assert watched(ben) == 3
        before = len(ben.get("/api/journal-entries").json["entries"])
        found = settled(ben, *items(ben))
        assert (found["status"], found["settledOn"], found["currency"]) == ("STANDING", "2026-03-05", "EUR")
        assert found["accountId"] == bank.role("transfers")
        assert sorted(each["amount"] for each in found["parts"]) == ["-100.00", "40.00", "60.00"]
        assert open_items(ben) == []
        assert watched(ben) == 0
        assert len(ben.get("/api/journal-entries").json["entries"]) == before
        assert line(ben, payout[0])["entryStatus"] == "POSTED"

    def test_a_part_leaves_the_rest_of_its_item_open(self, ben, payout):
        first, second, whole = items(ben)
        settled(ben, first, {"itemId": whole, "amount": "-60.00"})
        assert sorted(each["amount"] for each in open_items(ben)) == ["-40.00", "40.00"]
        settled(ben, second, whole)
        assert open_items(ben) == []
        assert payout

    def test_is_dated_on_the_first_open_day(self, ben, bank, payout):
        bank.lock("2026-03-31")
        assert settled(ben, *items(ben))["settledOn"] == "2026-04-01"
        assert payout

    def test_is_listed_by_its_account(self, ben, bank, books, payout):
        found = settled(ben, *items(ben))
        listed = ben.get(f"/api/settlements?accountId={bank.role('transfers')}").json["settlements"]
        assert listed == [found]
        assert ben.get(f"/api/settlements?accountId={books.account_id('Rent')}").json["settlements"] == []
        assert payout


class TestRefusing:
    def test_what_does_not_sum_to_zero(self, ben, payout):
        first, _, whole = items(ben)
        refused = match(ben, first, whole)
        assert (refused.status_code, refused.json["code"]) == (422, "settlement_does_not_add_up")
        assert refused.json["error"].startswith("These items add up to −40.00 EUR")
        assert payout

    def test_more_than_is_left(self, ben, payout):
        first, _, whole = items(ben)
        refused = match(ben, {"itemId": first, "amount": "60.01"}, {"itemId": whole, "amount": "-60.01"})
        assert refused.json["code"] == "settlement_does_not_add_up"
        assert payout

    def test_one_item_or_one_twice(self, ben, payout):
        first, *_ = items(ben)
        assert match(ben, first).status_code == 422
        assert match(ben, first, first).status_code == 422
        assert payout

    def test_an_item_that_is_settled_already(self, ben, payout):
        ids = items(ben)
        settled(ben, *ids)
        assert match(ben, *ids).json["code"] == "no_open_item"
        assert payout

    def test_items_of_two_accounts(self, ben, bank, giro, payout):
        other = send(bank, giro, "2026-03-06", "-60.00")
        confirm(ben, other)
        uncategorised = next(each["id"] for each in open_items(ben) if each["transactionId"] == other)
        refused = match(ben, uncategorised, items(ben)[-2])
        assert refused.json["code"] in ("several_accounts", "no_open_item")
        assert payout

    def test_items_of_somebody_else(self, ben, dan, payout):
        assert match(dan, *items(ben)).json["code"] == "no_open_item"
        assert payout

    def test_a_side_of_a_linked_transfer(self, ben, bank, savings, payout):
        other = send(bank, savings, "2026-03-04", "60.00")
        join(ben, payout[0], other)
        refused = match(ben, *items(ben))
        assert (refused.status_code, refused.json["code"]) == (409, "paired")

    def test_rates_that_leave_a_difference_on_transfers(self, ben, bank):
        bank.quote("2026-06-02", "USD", "1.10")
        bank.quote("2026-06-03", "USD", "1.20")
        pair = [
            send(bank, bank.open("Dollars", "USD"), "2026-06-02", "-1100.00"),
            send(bank, bank.open("More dollars", "USD"), "2026-06-03", "1100.00"),
        ]
        for each in pair:
            ben.patch(f"/api/transactions/{each}", json={"accountId": bank.role("transfers")})
            confirm(ben, each)
        refused = match(ben, *items(ben))
        assert refused.json["details"] == {"rest": "83.33", "currency": "EUR"}


class TestUndoing:
    def test_opens_the_items_again_once(self, ben, payout):
        found = settled(ben, *items(ben))
        undone = undo(ben, found).json["settlement"]
        assert (undone["status"], undone["undoneOn"], undone["reason"]) == ("UNDONE", "2026-03-05", "Wrong")
        assert len(open_items(ben)) == 3
        assert undo(ben, found).json["settlement"] == undone
        assert payout

    def test_a_void_of_an_item_undoes_it(self, ben, payout):
        settled(ben, *items(ben))
        entry_id = line(ben, payout[0])["journalEntryId"]
        ben.post(f"/api/journal-entries/{entry_id}/void", json={"reason": "Wrong"})
        assert sorted(each["amount"] for each in open_items(ben)) == ["-100.00", "40.00"]

    def test_a_correction_that_moves_an_item_away_undoes_it(self, ben, books, payout):
        settled(ben, *items(ben))
        ben.patch(f"/api/transactions/{payout[1]}", json={"accountId": books.account_id("Travel")})
        confirm(ben, payout[1])
        assert sorted(each["amount"] for each in open_items(ben)) == ["-100.00", "60.00"]

    def test_a_correction_that_leaves_its_items_keeps_it(self, ben, bank, payout):
        settled(ben, *items(ben))
        assert entry(ben, payout[0])["status"] == "POSTED"
        ben.patch(f"/api/transactions/{payout[0]}", json={"projectId": bank.project("Harbour")})
        settle(ben, "unjoin", payout[0], payout[2])
        assert ben.get("/api/settlements").json["settlements"][0]["status"] == "STANDING"

    def test_pairing_one_of_its_lines_undoes_it(self, ben, bank, savings, payout):
        settled(ben, *items(ben))
        other = send(bank, savings, "2026-03-04", "60.00")
        join(ben, payout[0], other)
        assert ben.get("/api/settlements").json["settlements"][0]["status"] == "UNDONE"
        confirm(ben, other)
        assert sorted(each["amount"] for each in open_items(ben)) == ["-100.00", "40.00"]


def test_a_settlement_changes_when_it_is_made_and_when_it_is_undone(ben, payout):
    first, second, _ = items(ben)
    made = settled(ben, {"itemId": first, "amount": "20.00"}, {"itemId": items(ben)[2], "amount": "-20.00"})
    assert since(ben, made["updatedAt"]) == [made["id"]]
    other = settled(ben, {"itemId": second, "amount": "10.00"}, {"itemId": items(ben)[2], "amount": "-10.00"})
    undone = undo(ben, made).json["settlement"]
    assert made["updatedAt"] == made["createdAt"] == undone["createdAt"] < undone["updatedAt"]
    assert since(ben, undone["updatedAt"]) == [made["id"]]
    assert since(ben, other["createdAt"]) == [other["id"], made["id"]]
    assert since(ben, "2199-01-01T00:00:00Z") == []


def since(person, instant):
    answer = person.get("/api/settlements", query_string={"updatedSince": instant})
    return [each["id"] for each in answer.json["settlements"]]


def test_the_page_settles_what_is_ticked_and_undoes_it(ben, bank, payout):
    page, address = ben.browser(), f"accountId={bank.role('transfers')}"
    ids = items(ben)
    assert "Tick items that add up to zero" in page.get(f"/transfers?{address}").text
    refused = page.post(f"/settlements?{address}", data={"items": ids[:2]})
    assert refused.status_code == 422
    assert "not to zero" in refused.text
    assert page.post(f"/settlements?{address}", data={"items": ids}).status_code == 303
    assert open_items(ben) == []
    [found] = ben.get("/api/settlements").json["settlements"]
    assert f"/settlements/{found['id']}/undo" in page.get(f"/transfers?{address}").text
    page.post(f"/settlements/{found['id']}/undo", data={"reason": "Wrong"})
    assert len(open_items(ben)) == len(payout)


def test_checks_find_an_item_that_is_settled_beyond_what_it_is(ben, bank, payout):
    settled(ben, *items(ben))

    def found():
        table = "" if db.session.connection().dialect.name == "sqlite" else " ON settlement_parts"
        db.session.execute(sa.text(f"DROP TRIGGER part_fixed{table}"))
        db.session.execute(sa.text("UPDATE settlement_parts SET amount_minor = 2 * amount_minor"))
        codes = {each.code for each in checks.violations()}
        db.session.rollback()
        return codes

    assert bank.ask(lambda: [each.code for each in checks.violations()]) == []
    assert "settled_beyond" in bank.ask(found)
    assert payout
