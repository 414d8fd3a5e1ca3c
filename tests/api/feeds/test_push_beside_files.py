"""A feed beside files: the same line of the bank comes by both, in whichever order, and is in the books once."""

import pytest

from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.feeds import line

COFFEE = Line("2026-03-02", "-12.50", "COFFEE BAR SAGT DANKE", "F1")
RENT = Line("2026-03-02", "-12.50", "Storage rent", "F2")


def file_of(*lines):
    return bank_file(*lines, account=None)


@pytest.fixture
def known(feed):
    return lambda **filters: (
        feed.person.get(
            f"/api/transactions/{feed.one(**(filters or {'status': 'BOOKED'}))['id']}/suggestions"
        ).json
    )


def test_a_line_of_a_file_comes_by_feed_and_is_joined(feed, known):
    feed.import_(file_of(COFFEE))
    (result,) = feed.results(added=[line()])
    assert result["verdict"] == "JOINED"
    assert feed.one(status="BOOKED")["id"] == result["transactionId"]
    assert feed.verdicts(added=[line()]) == ["ALREADY_THERE"]
    found = known()
    assert found["sources"] == ["file", "feed"]
    assert [(each["tier"], each["status"]) for each in found["joins"]] == [("TWIN", "JOINED")]


def test_a_line_of_a_feed_comes_by_file_and_is_joined(feed, known):
    feed.push(added=[line()])
    taken = feed.import_(file_of(COFFEE))["accounts"][0]
    assert (taken["added"], taken["alreadyThere"]) == (0, 1)
    assert feed.booked() == [("2026-03-02", "-12.50")]
    assert known()["sources"] == ["feed", "file"]
    again = feed.import_(file_of(COFFEE), "renamed.ofx")["accounts"][0]
    assert (again["added"], again["alreadyThere"]) == (0, 1)
    assert feed.booked() == [("2026-03-02", "-12.50")]


def test_twins_are_as_many_as_the_source_that_has_most(feed):
    twin = Line("2026-03-02", "-12.50", "Coffee Bar")
    feed.import_(file_of(twin))
    assert sorted(feed.verdicts(added=[line("A1"), line("A2")])) == ["JOINED", "NEW"]
    assert feed.verdicts(added=[line("A3")]) == ["POSSIBLY_THERE"]
    assert len(feed.booked()) == 3
    feed.import_(file_of(twin, twin, twin, twin))
    assert len(feed.booked()) == 4


def test_texts_that_contradict_are_left_to_a_person(ada, feed):
    feed.import_(file_of(RENT))
    (result,) = feed.results(added=[line()])
    assert result["verdict"] == "POSSIBLY_THERE"
    assert len(feed.booked()) == 2
    path = f"/api/transactions/{result['transactionId']}"
    (suggestion,) = ada.get(f"{path}/suggestions").json["suggestions"]
    kept = ada.post(f"{path}/join", json={"transactionId": suggestion["transactionId"]})
    assert kept.json["transaction"]["id"] == suggestion["transactionId"]
    assert feed.booked() == [("2026-03-02", "-12.50")]
    assert feed.verdicts(added=[line()]) == ["ALREADY_THERE"]


def test_an_undone_join_is_never_made_again(ada, feed):
    feed.import_(file_of(COFFEE))
    (result,) = feed.results(added=[line()])
    path = f"/api/transactions/{result['transactionId']}"
    (join,) = ada.get(f"{path}/suggestions").json["joins"]
    back = ada.post(f"{path}/unjoin", json={"transactionId": join["transactionId"]}).json["transaction"]
    assert (back["status"], back["entryStatus"]) == ("BOOKED", "DRAFT")
    assert len(feed.booked()) == 2
    feed.push(added=[line()])
    feed.push(modified=[line(description="Coffee Bar Mitte")])
    feed.import_(file_of(COFFEE), "again.ofx")
    assert len(feed.booked()) == 2
    answer = ada.post(f"{path}/unjoin", json={"transactionId": join["transactionId"]})
    assert (answer.status_code, answer.json["changed"]) == (200, False)


def test_a_line_that_was_told_apart_after_posting_gets_an_entry_of_its_own(ada, feed, books):
    feed.import_(file_of(COFFEE))
    (result,) = feed.results(added=[line()])
    path = f"/api/transactions/{result['transactionId']}"
    ada.post(f"{path}/confirm")
    (join,) = ada.get(f"{path}/suggestions").json["joins"]
    back = ada.post(f"{path}/unjoin", json={"transactionId": join["transactionId"]}).json["transaction"]
    assert back["entryStatus"] == "DRAFT"
    assert ada.get(path).json["transaction"]["entryStatus"] == "POSTED"


def test_a_deleted_line_of_a_file_stays_deleted_when_the_feed_gives_it(ada, feed):
    feed.import_(file_of(COFFEE))
    ada.delete(f"/api/transactions/{feed.one()['id']}")
    assert feed.verdicts(added=[line()]) == ["DELETED"]
    assert feed.booked() == []


def test_a_deleted_line_of_a_feed_stays_deleted_when_a_file_has_it(ada, feed):
    feed.push(added=[line()])
    ada.delete(f"/api/transactions/{feed.one()['id']}")
    feed.import_(file_of(COFFEE))
    assert feed.booked() == []


def test_a_line_that_the_bank_took_back_does_not_come_again_by_an_older_file(feed):
    feed.push(added=[line(description="COFFEE BAR SAGT DANKE")])
    feed.push(removed=["A1"])
    feed.import_(file_of(COFFEE))
    assert feed.booked() == []


def test_a_joined_line_follows_the_feed(ada, feed):
    feed.import_(file_of(COFFEE))
    feed.push(added=[line()])
    (result,) = feed.results(modified=[line(amount="-13.00", day="2026-03-09")])
    assert result["verdict"] == "CHANGED"
    assert feed.booked() == [("2026-03-09", "-13.00")]
    assert feed.import_(file_of(COFFEE), "again.ofx")["accounts"][0]["alreadyThere"] == 1
    assert feed.booked() == [("2026-03-09", "-13.00")]
    feed.push(removed=["A1"])
    assert feed.booked() == []


def test_a_line_under_two_ids_stays_until_both_are_removed(feed):
    feed.import_(file_of(COFFEE))
    feed.push(added=[line("A1")])
    feed.push(added=[line("A2")])
    assert len(feed.booked()) == 2
    feed.push(removed=["A1"])
    assert len(feed.booked()) == 1


def test_an_import_that_is_taken_back_leaves_the_feeds_lines(ada, feed):
    waiting = line("P1", "-3.00", description="Bakery", pending=True)
    feed.push(added=[waiting])
    taken = feed.import_(file_of(COFFEE, Line("2026-03-03", "-3.00", "Bakery", "F3")))
    feed.push(added=[line()])
    assert len(feed.booked()) == 2
    assert feed.lines(status="PENDING") == []
    assert ada.delete(f"/api/feeds/imports/{taken['id']}").status_code == 200
    assert feed.booked() == [("2026-03-02", "-12.50")]
    assert feed.one(status="PENDING")["providerTransactionId"] == "P1"
    feed.import_(file_of(COFFEE, Line("2026-03-03", "-3.00", "Bakery", "F3")))
    assert len(feed.booked()) == 2
    assert feed.lines(status="PENDING") == []


def test_a_file_leaves_the_feeds_pending_lines_alone(feed):
    feed.push(added=[line("P1", "-7.00", pending=True)])
    feed.import_(file_of(COFFEE))
    assert len(feed.lines(status="PENDING")) == 1
    feed.push(removed=["P1"])
    assert feed.lines(status="PENDING") == []


def test_a_pending_line_of_a_file_becomes_the_feeds_booked_one(feed):
    feed.import_(file_of(Line("2026-03-01", "-12.50", "Coffee Bar", "F9", pending=True)))
    assert feed.verdicts(added=[line()]) == ["JOINED"]
    assert [each["status"] for each in feed.lines()] == ["BOOKED", "REMOVED"]
    feed.import_(file_of(Line("2026-03-01", "-12.50", "Coffee Bar", "F9", pending=True)), "again.ofx")
    assert feed.lines(status="PENDING") == []
