"""Pushing a feed: each line once, whatever is sent again, in whatever order."""

import pytest

from tests.fixtures.feeds import line
from tests.fixtures.helpers.planning import send


def verdicts_of(answer):
    assert answer.status_code == 200, answer.json
    return [result["verdict"] for result in answer.json["results"]]


def test_a_new_line_comes_with_its_draft(ada, feed):
    answer = feed.push(added=[line()])
    assert verdicts_of(answer) == ["NEW"]
    (result,) = answer.json["results"]
    assert result["providerTransactionId"] == "A1"
    there = feed.one()
    assert there["id"] == result["transactionId"]
    assert (there["status"], there["entryStatus"], there["amount"]) == ("BOOKED", "DRAFT", "-12.50")
    assert ada.get(f"/api/feeds/accounts/{feed.fa_id}").json["feedAccount"]["provider"] == "push"


def test_the_same_batch_again_answers_the_same(ada, feed):
    first = feed.push("one", added=[line()])
    again = feed.push("one", added=[line()])
    assert (again.status_code, again.json) == (200, first.json)
    assert len(feed.lines()) == 1


def test_a_batch_of_another_content_is_refused(feed):
    feed.push("one", added=[line()])
    answer = feed.push("one", added=[line("A2")])
    assert (answer.status_code, answer.json["code"]) == (409, "batch_reused")


def test_a_line_in_another_batch_is_there_already(feed):
    feed.push(added=[line()])
    assert verdicts_of(feed.push(added=[line()])) == ["ALREADY_THERE"]


def test_a_changed_draft_follows(ada, feed):
    feed.push(added=[line()])
    answer = feed.push(modified=[line(amount="-13.00", day="2026-03-03", description="Coffee Bar Nero")])
    assert verdicts_of(answer) == ["CHANGED"]
    there = feed.one()
    assert (there["amount"], there["bookedOn"], there["description"]) == (
        "-13.00", "2026-03-03", "Coffee Bar Nero",
    )  # fmt: skip
    entry = ada.get(f"/api/journal-entries/{there['journalEntryId']}").json["entry"]
    assert entry["effectiveAt"] == "2026-03-03T00:00:00Z"
    assert entry["description"] == "Coffee Bar Nero"
    assert [posting["amount"] for posting in entry["postings"]] == ["-13.00", "13.00"]


def test_what_a_person_edited_stays(ada, bank, feed):
    rent = bank.account("Rent")
    feed.push(added=[line()])
    there = feed.one()
    ada.patch(f"/api/transactions/{there['id']}", json={"accountId": rent, "description": "Mine"})
    feed.push(modified=[line(amount="-13.00", description="Theirs")])
    there = feed.one()
    entry = ada.get(f"/api/journal-entries/{there['journalEntryId']}").json["entry"]
    assert (entry["description"], there["description"]) == ("Mine", "Theirs")
    assert [(posting["amount"], posting["accountName"]) for posting in entry["postings"]] == [
        ("-13.00", "Checking"), ("13.00", "Rent"),
    ]  # fmt: skip


def test_a_changed_posted_line_gets_a_marker_with_the_bank_leg(ada, feed, books):
    feed.push(added=[line()])
    there = feed.one()
    ada.post(f"/api/transactions/{there['id']}/confirm")
    answer = feed.push(modified=[line(amount="-13.00")])
    assert verdicts_of(answer) == ["CHANGED"]
    assert "-12.50" in answer.json["results"][0]["reason"]
    there = feed.one()
    assert there["correctionMarkerId"] is not None
    assert books.balances()[0].split()[-2:] == ["-12.50", "EUR"]
    done = ada.post(f"/api/transactions/{there['id']}/confirm").json
    assert done["changed"] is True
    assert books.balances()[0].split()[-2:] == ["-13.00", "EUR"]
    assert feed.push(added=[line(amount="-13.00")]).json["results"][0]["verdict"] == "ALREADY_THERE"


def test_a_removed_draft_goes_and_a_posted_entry_stays(ada, feed):
    feed.push(added=[line("A1"), line("A2")])
    first, second = sorted(feed.lines(), key=lambda each: each["providerTransactionId"])
    ada.post(f"/api/transactions/{second['id']}/confirm")
    answer = feed.push(removed=["A1", "A2"])
    assert verdicts_of(answer) == ["REMOVED", "REMOVED"]
    assert "voids" in answer.json["results"][1]["reason"]
    gone = {each["id"]: each for each in feed.lines(status="REMOVED")}
    assert gone[first["id"]]["journalEntryId"] is None
    assert gone[second["id"]]["entryStatus"] == "POSTED"
    entry_id = gone[second["id"]]["journalEntryId"]
    assert ada.post(f"/api/journal-entries/{entry_id}/void", json={"reason": "Gone"}).status_code == 200


def test_a_removal_that_comes_first_keeps_the_line_out_until_it_is_sent_again(ada, feed):
    assert verdicts_of(feed.push(removed=["A1"])) == ["UNKNOWN"]
    assert verdicts_of(feed.push(added=[line()])) == ["REMOVED"]
    assert (feed.booked(), feed.one()["status"]) == ([], "REMOVED")
    assert verdicts_of(feed.push(added=[line()])) == ["RETURNED"]
    assert feed.booked() == [("2026-03-02", "-12.50")]


def test_a_change_that_comes_first_is_not_undone(ada, feed):
    feed.push(modified=[line(amount="-13.00")])
    assert verdicts_of(feed.push(added=[line()])) == ["ALREADY_THERE"]
    assert feed.booked() == [("2026-03-02", "-13.00")]


def test_a_deleted_line_stays_deleted(ada, feed):
    feed.push(added=[line()])
    there = feed.one()
    ada.delete(f"/api/transactions/{there['id']}")
    assert verdicts_of(feed.push(added=[line()])) == ["DELETED"]
    assert verdicts_of(feed.push(modified=[line(amount="-13.00")])) == ["DELETED"]
    assert feed.booked() == []
    ada.post(f"/api/transactions/{there['id']}/restore")
    assert feed.booked() == [("2026-03-02", "-13.00")]


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"day": "1970-01-01"}, "added.1.bookedOn"),
        ({"day": "2926-01-01"}, "added.1.bookedOn"),
        ({"amount": "1.234"}, "added.1.amount"),
        ({"currency": "USD"}, "added.1.currency"),
        ({"name": "A1", "amount": "1.00"}, "added.1.providerTransactionId"),
    ],
)
def test_nonsense_is_refused_whole_with_its_line_named(ada, feed, wrong, path):
    answer = feed.push(added=[line(), line(**{"name": "A2", **wrong})])
    assert (answer.status_code, answer.json["code"]) == (422, "nonsense")
    assert list(answer.json["fields"]) == [path]
    assert feed.lines() == []


@pytest.mark.parametrize("amount", ["92233720368547758.08", "1" + 40 * "0"])
def test_amounts_beyond_64_bits_are_refused_as_too_large(ada, feed, amount):
    large = [line(), line(name="A2", amount=amount)]
    answer = feed.push(added=large)
    assert (answer.status_code, answer.json["code"]) == (422, "amount_too_large")
    assert answer.json["error"].endswith("The amount is larger than the books can hold.")
    balance = {"amount": amount, "currency": "EUR", "asOf": "2026-03-02"}
    assert feed.push(added=[line()], balance=balance).json["code"] == "amount_too_large"
    path = f"/feeds/accounts/{feed.fa_id}/transactions"
    body = {"batchId": "in a plan", "added": large, "modified": [], "removed": []}
    step = send(ada.with_scopes("read", "propose"), ("POST", path, body)).json["details"]["step"]
    assert (step["status"], step["code"]) == (422, "amount_too_large")
    assert feed.lines() == []


def test_three_nonsense_batches_pause_the_feed_until_a_person_resumes_it(ada, ben, feed):
    nonsense = [line(day="2926-01-01")]
    for _ in range(2):
        feed.push(added=nonsense)
    assert verdicts_of(feed.push(added=[line()])) == ["NEW"]
    for _ in range(3):
        assert feed.push(added=nonsense).status_code == 422
    answer = feed.push(added=[line("A2")])
    assert (answer.status_code, answer.json["code"]) == (409, "feed_paused")
    assert "2926" in answer.json["error"]
    assert ben.post(f"/api/feeds/accounts/{feed.fa_id}/resume").status_code == 403
    assert ada.post(f"/api/feeds/accounts/{feed.fa_id}/resume").status_code == 200
    assert verdicts_of(feed.push(added=[line("A2", day="2026-03-03")])) == ["NEW"]


def test_a_stated_balance_is_kept_and_a_missing_one_is_unknown(ada, feed):
    feed.push(added=[line()], balance={"amount": None, "currency": "EUR", "asOf": "2026-03-02"})
    assert ada.get(f"/api/feeds/accounts/{feed.fa_id}").json["feedAccount"]["feedBalance"] is None
    feed.push(added=[], balance={"amount": "100.00", "currency": "EUR", "asOf": "2026-03-02"})
    feed.push(added=[], balance={"amount": "100.00", "currency": "EUR", "asOf": "2026-03-02T20:00:00+01:00"})
    balance = ada.get(f"/api/feeds/accounts/{feed.fa_id}").json["feedAccount"]["feedBalance"]
    assert balance == {"amount": "100.00", "currency": "EUR", "asOf": "2026-03-02"}


def test_pending_becomes_booked_under_the_same_id(ada, feed):
    assert verdicts_of(feed.push(added=[line(pending=True)])) == ["PENDING"]
    assert feed.booked() == []
    assert verdicts_of(feed.push(modified=[line(day="2026-03-04")])) == ["CHANGED"]
    assert feed.booked() == [("2026-03-04", "-12.50")]
    assert verdicts_of(feed.push(added=[line(pending=True)])) == ["ALREADY_THERE"]


def test_a_booked_line_names_the_pending_line_that_it_was(ada, feed):
    feed.push(added=[line("P1", pending=True)])
    answer = feed.push(added=[line("B1", "-20.00", description="Other", pendingTransactionId="P1")])
    assert verdicts_of(answer) == ["JOINED"]
    assert [each["status"] for each in feed.lines()] == ["BOOKED", "REMOVED"]


def test_a_booked_line_that_came_before_its_pending_one(ada, feed):
    feed.push(added=[line("B1", "-20.00", description="Other", pendingTransactionId="P1")])
    assert verdicts_of(feed.push(added=[line("P1", pending=True)])) == ["JOINED"]
    assert feed.lines(status="PENDING") == []


def test_the_same_amount_and_text_within_eight_days_is_the_same_line(ada, feed):
    feed.push(added=[line("P1", pending=True), line("P2", pending=True, description="Late Bar")])
    answer = feed.push(
        added=[line("B1", day="2026-03-10"), line("B2", day="2026-03-11", description="Late Bar")]
    )
    assert verdicts_of(answer) == ["JOINED", "NEW"]
    assert len(feed.lines(status="PENDING")) == 1


def test_a_tip_is_a_suggestion_that_a_person_settles(ada, feed):
    feed.push(added=[line("P1", pending=True)])
    answer = feed.push(added=[line("B1", "-15.00")])
    assert verdicts_of(answer) == ["NEW"]
    assert "tip" in answer.json["results"][0]["reason"]
    waiting = feed.one(status="PENDING")
    line_id = answer.json["results"][0]["transactionId"]
    (found,) = ada.get(f"/api/transactions/{line_id}/suggestions").json["suggestions"]
    assert (found["transactionId"], found["tier"]) == (waiting["id"], "TIP")
    joined = ada.post(f"/api/transactions/{line_id}/join", json={"transactionId": waiting["id"]})
    assert joined.json["transaction"]["id"] == line_id
    assert feed.lines(status="PENDING") == []
    undone = ada.post(f"/api/transactions/{line_id}/unjoin", json={"transactionId": waiting["id"]})
    assert undone.json["transaction"]["status"] == "PENDING"
    feed.push(added=[line("P1", pending=True)], modified=[line("B1", "-15.10")])
    assert len(feed.lines(status="PENDING")) == 1
    assert ada.get(f"/api/transactions/{line_id}/suggestions").json["suggestions"] == []


def test_splits_that_no_longer_add_up_leave_the_rest_uncategorised(ada, bank, feed):
    feed.push(added=[line(amount="-100.00")])
    there = feed.one()
    rent, food = bank.account("Rent"), bank.account("Food")
    parts = [{"accountId": rent, "amount": "-60.00"}, {"accountId": food, "amount": "-40.00"}]
    ada.patch(f"/api/transactions/{there['id']}", json={"splits": parts})
    (result,) = feed.results(modified=[line(amount="-105.00")])
    assert "no longer add up: \N{MINUS SIGN}5.00 EUR" in result["reason"]
    assert [part["amount"] for part in feed.one()["splits"]] == ["-60.00", "-40.00", "-5.00"]
    feed.push(modified=[line(amount="-100.00", description="Back")])
    assert [part["amount"] for part in feed.one()["splits"]] == ["-60.00", "-40.00"]


def test_a_void_after_a_change_of_day_and_amount_drafts_what_the_bank_says_now(ada, feed):
    feed.push(added=[line()])
    there = feed.one()
    ada.post(f"/api/transactions/{there['id']}/confirm")
    (result,) = feed.results(modified=[line(amount="-13.00", day="2026-03-20")])
    assert "correction waits" in result["reason"]
    entry_id = feed.one()["journalEntryId"]
    done = ada.post(f"/api/journal-entries/{entry_id}/void", json={"reason": "Another day"})
    assert done.status_code == 200, done.json
    fresh = ada.get(f"/api/journal-entries/{feed.one()['journalEntryId']}").json["entry"]
    assert (fresh["status"], fresh["effectiveAt"][:10]) == ("DRAFT", "2026-03-20")
    assert [leg["amount"] for leg in fresh["postings"]] == ["-13.00", "13.00"]
    assert ada.post(f"/api/transactions/{there['id']}/confirm").json["changed"] is True


def test_a_change_that_is_taken_back_leaves_no_marker(ada, feed):
    feed.push(added=[line()])
    ada.post(f"/api/transactions/{feed.one()['id']}/confirm")
    feed.push(modified=[line(amount="-13.00")])
    feed.push(modified=[line(amount="-12.50", description="As it was")])
    assert feed.one()["correctionMarkerId"] is None


def test_a_foreign_line_is_mirrored_at_its_own_days_rate(ada, bank, feed):
    fa_id = bank.open("Dollars", "USD")
    bank.quote("2026-03-02", "USD", "1.25")
    feed.fa_id = fa_id
    feed.push(added=[line(currency="USD", amount="-12.50")])
    ada.post(f"/api/transactions/{feed.one()['id']}/confirm")
    feed.push(modified=[line(currency="USD", amount="-15.00")])
    ada.post(f"/api/transactions/{feed.one()['id']}/confirm")
    entry = ada.get(f"/api/journal-entries/{feed.one()['journalEntryId']}").json["entry"]
    assert [leg["amountBase"] for leg in entry["postings"]] == ["-10.00", "10.00"]
    assert feed.one()["correctionMarkerId"] is None


def test_a_changed_line_that_a_draft_clears_beyond_its_statement_is_uncleared(ada, feed):
    feed.push(added=[line()])
    ada.post(f"/api/transactions/{feed.one()['id']}/confirm")
    path = f"/api/reconciliations/accounts/{feed.fa_id}"
    ada.put(f"{path}/draft", json={"statementDate": "2026-03-10", "statementBalance": "-12.50"})
    draft = ada.put(f"{path}/draft/lines", json={"auto": True}).json["account"]["draft"]
    assert draft["clearedCount"] == 1
    feed.push(modified=[line(day="2026-03-20")])
    after = ada.get(path).json["account"]["draft"]
    assert (after["clearedCount"], after["version"]) == (0, draft["version"] + 1)


def test_a_push_is_one_action_request(ada, feed):
    feed.push("one", added=[line(), line("A2")], removed=["A3"])
    feed.push("one", added=[line(), line("A2")], removed=["A3"])
    (act,) = ada.get("/api/action-requests?kind=push_feed").json["actionRequests"]
    assert act["after"] == {"verdicts": {"NEW": 2, "UNKNOWN": 1}}
    assert act["payload"]["batchId"] == "one"


def test_a_batch_has_at_most_ten_thousand_lines(feed):
    answer = feed.push(removed=[str(number) for number in range(10_001)])
    assert answer.status_code == 422
    assert "10,001" in answer.json["error"]


def test_a_viewer_pushes_nothing(cleo, feed):
    path = f"/api/feeds/accounts/{feed.fa_id}/transactions"
    assert cleo.post(path, json={"batchId": "one", "added": [line()]}).status_code == 403


def test_lines_before_the_opening_are_set_aside_and_in_a_locked_period_dated_after_it(ada, bank, feed):
    bank.lock("2026-03-05")
    feed.push(added=[line()])
    there = feed.one()
    entry = ada.get(f"/api/journal-entries/{there['journalEntryId']}").json["entry"]
    assert (there["bookedOn"], entry["effectiveAt"][:10]) == ("2026-03-02", "2026-03-06")
    feed.push(modified=[line(day="2026-03-04")])
    entry = ada.get(f"/api/journal-entries/{there['journalEntryId']}").json["entry"]
    assert entry["effectiveAt"][:10] == "2026-03-06"
    feed.push(modified=[line(day="2026-03-14")])
    entry = ada.get(f"/api/journal-entries/{there['journalEntryId']}").json["entry"]
    assert entry["effectiveAt"][:10] == "2026-03-14"


def test_two_booked_lines_of_other_amounts_are_no_one_line(ada, feed):
    first, second = feed.results(added=[line(), line("A2", "-13.00")])
    answer = ada.post(
        f"/api/transactions/{first['transactionId']}/join", json={"transactionId": second["transactionId"]}
    )
    assert (answer.status_code, answer.json["code"]) == (409, "amounts_differ")


@pytest.mark.parametrize("is_removed_first", [True, False])
def test_a_posted_line_that_comes_back_under_another_id_keeps_its_entry(ada, feed, is_removed_first):
    feed.push(added=[line("A1")])
    there = feed.one()
    ada.post(f"/api/transactions/{there['id']}/confirm")
    acts = [{"removed": ["A1"]}, {"added": [line("A2")]}]
    for act in acts if is_removed_first else reversed(acts):
        feed.results(**act)
    again = feed.one(status="BOOKED")
    assert (again["id"], again["entryStatus"]) == (there["id"], "POSTED")
    assert feed.verdicts(added=[line("A1"), line("A2")]) == ["REMOVED", "ALREADY_THERE"]
    (join,) = ada.get(f"/api/transactions/{there['id']}/suggestions").json["joins"]
    assert (join["tier"], join["providerTransactionId"]) == ("REISSUED", "A2")
    back = ada.post(
        f"/api/transactions/{there['id']}/unjoin", json={"transactionId": join["transactionId"]}
    ).json["transaction"]
    assert (back["status"], back["entryStatus"]) == ("BOOKED", "DRAFT")
    assert feed.one(status="REMOVED")["id"] == there["id"]
    feed.results(removed=["A2"])
    assert feed.booked() == []


def test_a_posted_line_that_the_bank_changed_and_then_removed_waits_for_a_void(ada, bank, feed):
    feed.push(added=[line()])
    there = feed.one()
    ada.post(f"/api/transactions/{there['id']}/confirm")
    feed.push(modified=[line(amount="-13.00")])
    feed.push(removed=["A1"])
    gone = feed.one()
    assert (gone["status"], gone["entryStatus"], gone["correctionMarkerId"]) == ("REMOVED", "POSTED", None)
    assert bank.broken() == []
