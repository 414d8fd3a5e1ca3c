"""A transfer that is posted, in one currency or two, and its lines in reconciliations."""

import pytest

from tests.fixtures.helpers.transfers import confirm, entry, hub, join, legs, line, send, settle, suggested

pytestmark = pytest.mark.usefixtures("sound")


class TestPostedTransfers:
    @pytest.fixture
    def posted(self, ben, moved):
        join(ben, *moved)
        confirm(ben, moved[0])
        return moved

    def test_another_account_opens_a_marker_in_which_each_stands_for_itself(self, ben, books, posted):
        answer = ben.patch(f"/api/transactions/{posted[0]}", json={"accountId": books.account_id("Travel")})
        assert answer.status_code == 200, answer.json
        marker = ben.get(f"/api/journal-entries/{answer.json['transaction']['correctionMarkerId']}").json[
            "entry"
        ]
        assert legs(marker) == [
            ("Giro", "-500.00", True),
            ("Savings", "500.00", True),
            ("Travel", "500.00", False),
            ("Uncategorised income", "-500.00", False),
        ]
        assert confirm(ben, posted[1])["changed"]
        assert line(ben, posted[0])["accountId"] == books.account_id("Travel")
        assert line(ben, posted[1])["accountId"] == books.account_id("Uncategorised income")

    def test_the_other_line_changes_for_itself_then(self, ben, books, posted):
        ben.patch(f"/api/transactions/{posted[0]}", json={"accountId": books.account_id("Travel")})
        confirm(ben, posted[0])
        ben.patch(f"/api/transactions/{posted[1]}", json={"accountId": books.account_id("Other income")})
        confirm(ben, posted[1])
        assert line(ben, posted[0])["accountId"] == books.account_id("Travel")
        assert line(ben, posted[1])["accountId"] == books.account_id("Other income")

    def test_voiding_gives_each_line_what_stood_for_it(self, ben, books, posted):
        ben.patch(f"/api/transactions/{posted[0]}", json={"accountId": books.account_id("Travel")})
        confirm(ben, posted[0])
        entry_id = line(ben, posted[0])["journalEntryId"]
        ben.post(f"/api/journal-entries/{entry_id}/void", json={"reason": "Wrong"})
        assert line(ben, posted[0])["accountId"] == books.account_id("Travel")
        assert legs(entry(ben, posted[1]))[1] == ("Uncategorised income", "-500.00", False)

    def test_undoing_and_pairing_again_leaves_no_marker(self, ben, posted):
        settle(ben, "unjoin", *posted)
        assert line(ben, posted[0])["correctionMarkerId"] is not None
        join(ben, *posted)
        assert line(ben, posted[0])["correctionMarkerId"] is None
        assert legs(entry(ben, posted[0])) == [("Giro", "-500.00", True), ("Savings", "500.00", True)]


class TestSeveralCurrencies:
    @pytest.fixture
    def exchanged(self, bank, giro):
        bank.quote("2026-03-02", "USD", "1.0842")
        dollars = bank.open("Dollars", "USD")
        return send(bank, giro, "2026-03-02", "-500.00"), send(bank, dollars, "2026-03-02", "540.00")

    def test_each_leg_is_at_its_own_rate_and_the_rest_is_realised(self, ben, exchanged):
        join(ben, *exchanged)
        found = entry(ben, exchanged[0])
        assert [(each["accountName"], each["amount"], each["amountBase"]) for each in found["postings"]] == [
            ("Giro", "-500.00", "-500.00"),
            ("Dollars", "540.00", "498.06"),
            ("Realised exchange differences", "1.94", "1.94"),
        ]
        assert confirm(ben, exchanged[1])["changed"]
        assert line(ben, exchanged[0])["splits"] is None

    def test_a_rate_that_arrives_mirrors_the_draft_anew(self, ada, ben, exchanged):
        join(ben, *exchanged)
        ada.put(
            "/api/exchange-rates",
            json={
                "rates": [
                    {"day": "2026-03-02", "currency": "USD", "unitsPerBase": "1.08", "source": "a test"}
                ]
            },
        )
        assert [each["amountBase"] for each in entry(ben, exchanged[0])["postings"]] == ["-500.00", "500.00"]

    def test_without_a_rate_it_does_not_confirm(self, ben, bank, giro):
        francs = bank.open("Francs", "CHF")
        pair = send(bank, giro, "2026-03-02", "-500.00"), send(bank, francs, "2026-03-02", "470.00")
        join(ben, *pair)
        refused = ben.post(f"/api/transactions/{pair[0]}/confirm")
        assert refused.json["details"] == {"missingRates": [{"day": "2026-03-02", "currency": "CHF"}]}

    def test_undoing_gives_each_its_own_mirror(self, ben, exchanged):
        join(ben, *exchanged)
        settle(ben, "unjoin", *exchanged)
        assert [each["amountBase"] for each in entry(ben, exchanged[1])["postings"]] == ["498.06", "-498.06"]

    def test_a_posted_one_is_taken_apart_by_a_marker(self, ben, exchanged):
        join(ben, *exchanged)
        confirm(ben, exchanged[0])
        settle(ben, "unjoin", *exchanged)
        confirm(ben, exchanged[1])
        balances = {
            each["name"]: each["balanceBase"] for each in ben.get("/api/accounts?limit=200").json["accounts"]
        }
        assert balances["Realised exchange differences"] == "0.00"
        assert balances["Uncategorised income"] == "-498.06"

    def test_they_are_suggested_within_three_percent(self, ben, bank, exchanged):
        assert suggested(ben, exchanged[0])[0]["reason"].startswith(
            "Within 0.4 % at the day's rate, same day"
        )
        bank.quote("2026-03-02", "GBP", "0.8")
        pounds = bank.open("Pounds", "GBP")
        far = send(bank, pounds, "2026-03-02", "380.00")
        assert suggested(ben, far) == []


class TestReconciling:
    def test_clears_each_line_with_its_own_bank(self, ben, desk, bank, giro, savings, moved):
        join(ben, *moved)
        confirm(ben, moved[0])
        for fa_id, balance in ((giro, "-500.00"), (savings, "500.00")):
            bank.fa_id = fa_id
            proof = desk.prove("2026-03-31", balance)
            assert [each["amount"] for each in proof["lines"]] == [balance]
        assert [each["status"] for each in hub(ben)] == ["reconciled", "reconciled"]

    def test_voiding_breaks_both_proofs_and_confirming_each_heals_its_own(
        self, ben, desk, bank, giro, savings, moved
    ):
        join(ben, *moved)
        posted = confirm(ben, moved[0])["result"]["journalEntryIds"][0]
        for fa_id, balance in ((giro, "-500.00"), (savings, "500.00")):
            bank.fa_id = fa_id
            desk.prove("2026-03-31", balance)
        desk.void(posted)
        assert [each["anchor"]["holds"] for each in hub(ben)] == [False, False]
        confirm(ben, moved[0])
        assert [each["anchor"]["holds"] for each in hub(ben)] == [True, False]
        confirm(ben, moved[1])
        assert [each["anchor"]["holds"] for each in hub(ben)] == [True, True]

    def test_a_fresh_draft_of_a_proved_line_is_linked_and_not_merged(self, ben, desk, bank, giro, moved):
        confirm(ben, moved[0])
        bank.fa_id = giro
        desk.prove("2026-03-31", "-500.00")
        desk.void(line(ben, moved[0])["journalEntryId"])
        join(ben, *moved)
        assert line(ben, moved[0])["journalEntryId"] != line(ben, moved[1])["journalEntryId"]
        assert legs(entry(ben, moved[0]))[1] == ("Transfers between own accounts", "500.00", False)

    def test_unconfirmed_lines_are_counted_at_both_banks(self, ben, moved):
        join(ben, *moved)
        assert [each["unconfirmedCount"] for each in hub(ben)] == [1, 1]

    def test_a_draft_that_clears_one_side_is_not_ready_until_it_is_posted(self, ben, desk, bank, giro, moved):
        join(ben, *moved)
        bank.fa_id = giro
        desk.put("2026-03-31", "-500.00")
        desk.clear(cleared=[moved[0]])
        assert desk.complete().json["details"]["unconfirmed"] == [moved[0]]
        confirm(ben, moved[1])
        assert desk.complete().status_code == 200

    def test_setting_one_side_aside_gives_the_other_its_own_draft(self, ben, desk, bank, giro, moved):
        join(ben, *moved)
        bank.fa_id = giro
        send(bank, giro, "2026-03-20", "-1.00")
        desk.put("2026-03-31", "-501.00", keepAsNew=True, openingDate="2026-03-10", openingBalance="-500.00")
        assert line(ben, moved[0])["status"] == "SET_ASIDE"
        assert legs(entry(ben, moved[1]))[1] == ("Uncategorised income", "-500.00", False)
        assert confirm(ben, moved[1])["changed"]
        desk.abandon()
        assert [each["transactionId"] for each in suggested(ben, moved[0])] == [moved[1]]
