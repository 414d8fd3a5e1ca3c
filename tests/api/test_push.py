"""Pushing a feed: each line once, whatever is sent again, in whatever order."""

import pytest


@pytest.fixture
def fa_id(bank):
    return bank.open("Checking")


@pytest.fixture
def push(ada, fa_id):
    """Push to Checking; every call is a batch of its own unless it names one."""
    count = iter(range(1, 1000))

    def send(batch_id=None, person=ada, **body):
        path = f"/api/feeds/accounts/{fa_id}/transactions"
        return person.post(path, json={"batchId": batch_id or f"batch-{next(count)}", **body})

    return send


def line(name="A1", amount="-12.50", day="2026-03-02", description="Coffee Bar", **more):
    return {
        "providerTransactionId": name,
        "pending": False,
        "bookedOn": day,
        "amount": amount,
        "currency": "EUR",
        "description": description,
        **more,
    }


def verdicts(answer):
    assert answer.status_code == 200, answer.json
    return [result["verdict"] for result in answer.json["results"]]


def lines_of(person, fa_id, **filters):
    asked = "".join(f"&{name}={value}" for name, value in filters.items())
    return person.get(f"/api/transactions?faId={fa_id}&limit=200{asked}").json["transactions"]


def booked(person, fa_id):
    return sorted((each["bookedOn"], each["amount"]) for each in lines_of(person, fa_id, status="BOOKED"))


def test_a_new_line_comes_with_its_draft(ada, push, fa_id):
    answer = push(added=[line()])
    assert verdicts(answer) == ["NEW"]
    (result,) = answer.json["results"]
    assert result["providerTransactionId"] == "A1"
    (there,) = lines_of(ada, fa_id)
    assert there["id"] == result["transactionId"]
    assert (there["status"], there["entryStatus"], there["amount"]) == ("BOOKED", "DRAFT", "-12.50")
    assert ada.get(f"/api/feeds/accounts/{fa_id}").json["feedAccount"]["provider"] == "push"


def test_the_same_batch_again_answers_the_same(ada, push, fa_id):
    first = push("one", added=[line()])
    again = push("one", added=[line()])
    assert (again.status_code, again.json) == (200, first.json)
    assert len(lines_of(ada, fa_id)) == 1


def test_a_batch_of_another_content_is_refused(push):
    push("one", added=[line()])
    answer = push("one", added=[line("A2")])
    assert (answer.status_code, answer.json["code"]) == (409, "batch_reused")


def test_a_line_in_another_batch_is_there_already(push):
    push(added=[line()])
    assert verdicts(push(added=[line()])) == ["ALREADY_THERE"]


def test_a_changed_draft_follows(ada, push, fa_id):
    push(added=[line()])
    answer = push(modified=[line(amount="-13.00", day="2026-03-03", description="Coffee Bar Nero")])
    assert verdicts(answer) == ["CHANGED"]
    (there,) = lines_of(ada, fa_id)
    assert (there["amount"], there["bookedOn"], there["description"]) == (
        "-13.00", "2026-03-03", "Coffee Bar Nero",
    )  # fmt: skip
    entry = ada.get(f"/api/journal-entries/{there['journalEntryId']}").json["entry"]
    assert entry["effectiveAt"] == "2026-03-03T00:00:00Z"
    assert entry["description"] == "Coffee Bar Nero"
    assert [posting["amount"] for posting in entry["postings"]] == ["-13.00", "13.00"]


def test_what_a_person_edited_stays(ada, bank, push, fa_id):
    rent = bank.account("Rent")
    push(added=[line()])
    (there,) = lines_of(ada, fa_id)
    ada.patch(f"/api/transactions/{there['id']}", json={"accountId": rent, "description": "Mine"})
    push(modified=[line(amount="-13.00", description="Theirs")])
    (there,) = lines_of(ada, fa_id)
    entry = ada.get(f"/api/journal-entries/{there['journalEntryId']}").json["entry"]
    assert (entry["description"], there["description"]) == ("Mine", "Theirs")
    assert [(posting["amount"], posting["accountName"]) for posting in entry["postings"]] == [
        ("-13.00", "Checking"), ("13.00", "Rent"),
    ]  # fmt: skip


def test_a_changed_posted_line_gets_a_marker_with_the_bank_leg(ada, push, fa_id, books):
    push(added=[line()])
    (there,) = lines_of(ada, fa_id)
    ada.post(f"/api/transactions/{there['id']}/confirm")
    answer = push(modified=[line(amount="-13.00")])
    assert verdicts(answer) == ["CHANGED"]
    assert "-12.50" in answer.json["results"][0]["reason"]
    (there,) = lines_of(ada, fa_id)
    assert there["correctionMarkerId"] is not None
    assert books.balances()[0].split()[-2:] == ["-12.50", "EUR"]
    done = ada.post(f"/api/transactions/{there['id']}/confirm").json
    assert done["changed"] is True
    assert books.balances()[0].split()[-2:] == ["-13.00", "EUR"]
    assert push(added=[line(amount="-13.00")]).json["results"][0]["verdict"] == "ALREADY_THERE"


def test_a_removed_draft_goes_and_a_posted_entry_stays(ada, push, fa_id):
    push(added=[line("A1"), line("A2")])
    first, second = sorted(lines_of(ada, fa_id), key=lambda each: each["providerTransactionId"])
    ada.post(f"/api/transactions/{second['id']}/confirm")
    answer = push(removed=["A1", "A2"])
    assert verdicts(answer) == ["REMOVED", "REMOVED"]
    assert "voids" in answer.json["results"][1]["reason"]
    gone = {each["id"]: each for each in lines_of(ada, fa_id, status="REMOVED")}
    assert gone[first["id"]]["journalEntryId"] is None
    assert gone[second["id"]]["entryStatus"] == "POSTED"
    entry_id = gone[second["id"]]["journalEntryId"]
    assert ada.post(f"/api/journal-entries/{entry_id}/void", json={"reason": "Gone"}).status_code == 200


def test_a_removal_that_comes_first_keeps_the_line_out(ada, push, fa_id):
    assert verdicts(push(removed=["A1"])) == ["UNKNOWN"]
    assert verdicts(push(added=[line()])) == ["REMOVED"]
    assert lines_of(ada, fa_id) == []


def test_a_change_that_comes_first_is_not_undone(ada, push, fa_id):
    push(modified=[line(amount="-13.00")])
    assert verdicts(push(added=[line()])) == ["ALREADY_THERE"]
    assert booked(ada, fa_id) == [("2026-03-02", "-13.00")]


def test_a_deleted_line_stays_deleted(ada, push, fa_id):
    push(added=[line()])
    (there,) = lines_of(ada, fa_id)
    ada.delete(f"/api/transactions/{there['id']}")
    assert verdicts(push(added=[line()])) == ["DELETED"]
    assert verdicts(push(modified=[line(amount="-13.00")])) == ["DELETED"]
    assert booked(ada, fa_id) == []
    ada.post(f"/api/transactions/{there['id']}/restore")
    assert booked(ada, fa_id) == [("2026-03-02", "-13.00")]


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"day": "1970-01-01"}, "added.1.bookedOn"),
        ({"day": "2926-01-01"}, "added.1.bookedOn"),
        ({"amount": "1.234"}, "added.1.amount"),
        ({"amount": "99999999999999999999.00"}, "added.1.amount"),
        ({"currency": "USD"}, "added.1.currency"),
        ({"name": "A1", "amount": "1.00"}, "added.1.providerTransactionId"),
    ],
)
def test_nonsense_is_refused_whole_with_its_line_named(ada, push, fa_id, wrong, path):
    answer = push(added=[line(), line(**{"name": "A2", **wrong})])
    assert (answer.status_code, answer.json["code"]) == (422, "nonsense")
    assert list(answer.json["fields"]) == [path]
    assert lines_of(ada, fa_id) == []


def test_three_nonsense_batches_pause_the_feed_until_a_person_resumes_it(ada, ben, push, fa_id):
    nonsense = [line(day="2926-01-01")]
    for _ in range(2):
        push(added=nonsense)
    assert verdicts(push(added=[line()])) == ["NEW"]
    for _ in range(3):
        assert push(added=nonsense).status_code == 422
    answer = push(added=[line("A2")])
    assert (answer.status_code, answer.json["code"]) == (409, "feed_paused")
    assert "2926" in answer.json["error"]
    assert ben.post(f"/api/feeds/accounts/{fa_id}/resume").status_code == 403
    assert ada.post(f"/api/feeds/accounts/{fa_id}/resume").status_code == 200
    assert verdicts(push(added=[line("A2")])) == ["NEW"]


def test_a_stated_balance_is_kept_and_a_missing_one_is_unknown(ada, push, fa_id):
    push(added=[line()], balance={"amount": None, "currency": "EUR", "asOf": "2026-03-02"})
    assert ada.get(f"/api/feeds/accounts/{fa_id}").json["feedAccount"]["feedBalance"] is None
    push(added=[], balance={"amount": "100.00", "currency": "EUR", "asOf": "2026-03-02"})
    push(added=[], balance={"amount": "100.00", "currency": "EUR", "asOf": "2026-03-02T20:00:00+01:00"})
    balance = ada.get(f"/api/feeds/accounts/{fa_id}").json["feedAccount"]["feedBalance"]
    assert balance == {"amount": "100.00", "currency": "EUR", "asOf": "2026-03-02"}


def test_pending_becomes_booked_under_the_same_id(ada, push, fa_id):
    assert verdicts(push(added=[line(pending=True)])) == ["PENDING"]
    assert booked(ada, fa_id) == []
    assert verdicts(push(modified=[line(day="2026-03-04")])) == ["CHANGED"]
    assert booked(ada, fa_id) == [("2026-03-04", "-12.50")]
    assert verdicts(push(added=[line(pending=True)])) == ["ALREADY_THERE"]


def test_a_booked_line_names_the_pending_line_that_it_was(ada, push, fa_id):
    push(added=[line("P1", pending=True)])
    answer = push(added=[line("B1", "-20.00", description="Other", pendingTransactionId="P1")])
    assert verdicts(answer) == ["JOINED"]
    assert [each["status"] for each in lines_of(ada, fa_id)] == ["BOOKED", "REMOVED"]


def test_a_booked_line_that_came_before_its_pending_one(ada, push, fa_id):
    push(added=[line("B1", "-20.00", description="Other", pendingTransactionId="P1")])
    assert verdicts(push(added=[line("P1", pending=True)])) == ["JOINED"]
    assert lines_of(ada, fa_id, status="PENDING") == []


def test_the_same_amount_and_text_within_eight_days_is_the_same_line(ada, push, fa_id):
    push(added=[line("P1", pending=True), line("P2", pending=True, description="Late Bar")])
    answer = push(added=[line("B1", day="2026-03-10"), line("B2", day="2026-03-11", description="Late Bar")])
    assert verdicts(answer) == ["JOINED", "NEW"]
    assert len(lines_of(ada, fa_id, status="PENDING")) == 1


def test_a_tip_is_a_suggestion_that_a_person_settles(ada, push, fa_id):
    push(added=[line("P1", pending=True)])
    answer = push(added=[line("B1", "-15.00")])
    assert verdicts(answer) == ["NEW"]
    assert "tip" in answer.json["results"][0]["reason"]
    (waiting,) = lines_of(ada, fa_id, status="PENDING")
    line_id = answer.json["results"][0]["transactionId"]
    (found,) = ada.get(f"/api/transactions/{line_id}/suggestions").json["suggestions"]
    assert (found["transactionId"], found["tier"]) == (waiting["id"], "TIP")
    joined = ada.post(f"/api/transactions/{line_id}/join", json={"transactionId": waiting["id"]})
    assert joined.json["transaction"]["id"] == line_id
    assert lines_of(ada, fa_id, status="PENDING") == []
    undone = ada.post(f"/api/transactions/{line_id}/unjoin", json={"transactionId": waiting["id"]})
    assert undone.json["transaction"]["status"] == "PENDING"
    push(added=[line("P1", pending=True)], modified=[line("B1", "-15.10")])
    assert len(lines_of(ada, fa_id, status="PENDING")) == 1
    assert ada.get(f"/api/transactions/{line_id}/suggestions").json["suggestions"] == []
