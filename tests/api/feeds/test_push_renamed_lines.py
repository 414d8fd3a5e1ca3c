"""Ids that a provider changes, and lines that it changes beside files: the same line is joined or asked about."""

import pytest

from tests.fixtures.bank_files.camt_files import entry, message, payment, statement
from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.feeds import line


def file_of(*lines):
    return bank_file(*lines, account=None)


def camt_of(*texts):
    entries = (entry("12.50", "DBIT", payment(text=text), reference=None) for text in texts)
    return message(statement(*entries, number="Checking EUR"))


def suggestions(feed, line_id):
    return feed.person.get(f"/api/transactions/{line_id}/suggestions").json["suggestions"]


def test_a_new_id_beside_the_old_one_that_goes_is_the_same_line_and_keeps_what_was_edited(feed):
    (first,) = feed.results(added=[line("A1")])
    feed.person.patch(f"/api/transactions/{first['transactionId']}", json={"description": "Coffee with Ben"})
    joined, removed = feed.results(added=[line("B1", description="COFFEE BAR 7")], removed=["A1"])
    assert (joined["verdict"], joined["transactionId"]) == ("JOINED", first["transactionId"])
    assert (removed["verdict"], removed["transactionId"]) == ("REMOVED", first["transactionId"])
    assert feed.one(status="BOOKED")["id"] == first["transactionId"]
    assert feed.verdicts(added=[line("B1", description="COFFEE BAR 7")]) == ["ALREADY_THERE"]


def test_a_new_id_while_the_old_one_stays_is_asked_about(feed):
    (first,) = feed.results(added=[line("A1")])
    (second,) = feed.results(added=[line("B1")])
    assert second["verdict"] == "POSSIBLY_THERE"
    (suggested,) = suggestions(feed, second["transactionId"])
    assert (suggested["transactionId"], suggested["tier"]) == (first["transactionId"], "REISSUED")
    other = {"transactionId": first["transactionId"]}
    feed.person.post(f"/api/transactions/{second['transactionId']}/join", json=other)
    assert feed.one(status="BOOKED")["id"] == first["transactionId"]
    assert feed.verdicts(removed=["A1"]) == ["REMOVED"]
    assert feed.booked() == [("2026-03-02", "-12.50")]


def test_twins_that_one_batch_gives_together_are_two_lines(feed):
    assert feed.verdicts(added=[line("A1"), line("A2")]) == ["NEW", "NEW"]
    assert feed.verdicts(added=[line("A1"), line("A2"), line("A3")]) == [
        "ALREADY_THERE",
        "ALREADY_THERE",
        "NEW",
    ]


def test_a_text_that_contradicts_is_no_new_id_of_a_line_that_only_the_feed_gave(feed):
    feed.push(added=[line("A1")])
    assert feed.verdicts(added=[line("B1", description="Storage rent")]) == ["NEW"]


def test_a_line_that_somebody_deleted_stays_deleted_under_its_new_id(feed):
    (first,) = feed.results(added=[line("A1")])
    feed.person.delete(f"/api/transactions/{first['transactionId']}")
    assert feed.verdicts(added=[line("B1")], removed=["A1"])[0] == "DELETED"
    assert feed.booked() == []


@pytest.mark.parametrize("feed_first", [True, False])
def test_a_file_of_the_same_kind_knows_a_line_that_the_feed_changed_since(feed, feed_first):
    before = file_of(Line("2026-03-02", "-12.50", "Coffee Bar", "F1"))
    if feed_first:
        feed.push(added=[line("A1")])
        feed.import_(before)
    else:
        feed.import_(before)
        feed.push(added=[line("A1")])
    feed.push(modified=[line("A1", amount="-13.50")])
    for _ in range(2):
        answer = feed.import_(file_of(Line("2026-03-02", "-13.50", "Coffee Bar", "F1")))
        assert answer["accounts"][0]["added"] == 0
        feed.import_(before)
        assert feed.booked() == [("2026-03-02", "-13.50")]


def test_a_third_source_of_a_line_is_never_a_second_line_in_silence(feed):
    feed.push(added=[line("A1")])
    feed.import_(file_of(Line("2026-03-02", "-12.50", "Coffee Bar", "F1")))
    answer = feed.import_(camt_of("Coffee Bar"), "march.xml")
    assert answer["accounts"][0]["alreadyThere"] == 1
    answer = feed.import_(camt_of("Coffee Bar", "Storage rent"), "march.xml")
    assert answer["accounts"][0]["added"] == 1
    assert len(feed.booked()) == 2


def test_a_line_that_two_kinds_of_files_give_can_be_settled_where_it_is_shown(feed):
    feed.import_(file_of(Line("2026-03-02", "-12.50", "Coffee Bar", "F1")))
    answer = feed.import_(camt_of("Kaffee"), "march.xml")
    (asked,) = feed.person.get(f"/api/feeds/imports/{answer['id']}/lines").json["lines"]
    assert asked["verdict"] == "POSSIBLY_THERE"
    (suggested,) = suggestions(feed, asked["transactionId"])
    other = {"transactionId": suggested["transactionId"]}
    feed.person.post(f"/api/transactions/{asked['transactionId']}/join", json=other)
    assert feed.one(status="BOOKED")["id"] == suggested["transactionId"]
    again = feed.import_(camt_of("Kaffee"), "again.xml")["accounts"][0]
    assert (again["added"], again["alreadyThere"]) == (0, 1)


def join(feed, line_id, other_id, act="join"):
    answer = feed.person.post(f"/api/transactions/{line_id}/{act}", json={"transactionId": other_id})
    assert answer.status_code == 200, answer.json


def test_a_line_brings_its_own_reports_along_even_where_those_were_suspected_before(feed):
    first, second, third = (
        feed.results(added=[line(name)])[0]["transactionId"] for name in ("A1", "B1", "C1")
    )
    assert [each["transactionId"] for each in suggestions(feed, third)] == [first]
    join(feed, third, second)
    join(feed, second, first)
    assert feed.one(status="BOOKED")["id"] == first
    assert feed.verdicts(added=[line("A1"), line("B1"), line("C1")]) == ["ALREADY_THERE"] * 3


def test_two_ids_that_are_told_apart_again_are_two_lines(feed):
    first, second = (feed.results(added=[line(name)])[0]["transactionId"] for name in ("A1", "B1"))
    join(feed, second, first)
    join(feed, second, first, act="unjoin")
    assert {each["id"] for each in feed.lines(status="BOOKED")} == {first, second}


def test_a_line_that_is_removed_under_its_newest_id_goes_though_its_older_id_was_never_taken_back(feed):
    (first,) = feed.results(added=[line("A1")])
    (second,) = feed.results(added=[line("B1")])
    other = {"transactionId": first["transactionId"]}
    feed.person.post(f"/api/transactions/{second['transactionId']}/join", json=other)
    assert feed.verdicts(removed=["B1"]) == ["REMOVED"]
    assert feed.booked() == []
    feed.person.post(f"/api/transactions/{second['transactionId']}/unjoin", json=other)
    assert feed.one(status="BOOKED")["id"] == first["transactionId"]


def test_a_file_that_has_a_line_as_it_was_before_a_change_that_came_first_gives_no_second_one(feed):
    feed.import_(file_of(Line("2026-03-02", "-12.50", "Coffee Bar", "F1")))
    assert feed.verdicts(modified=[line("A1", amount="-13.50")]) == ["NEW"]
    (late,) = feed.results(added=[line("A1")])
    assert late["verdict"] == "JOINED"
    assert feed.one(status="BOOKED")["id"] == late["transactionId"]
    assert feed.booked() == [("2026-03-02", "-13.50")]


def test_a_file_that_has_a_posted_line_as_it_was_before_a_change_gets_a_correction(feed):
    feed.import_(file_of(Line("2026-03-02", "-12.50", "Coffee Bar", "F1")))
    feed.person.post("/api/transactions/confirm", json={"ids": [feed.one(status="BOOKED")["id"]]})
    feed.push(modified=[line("A1", amount="-13.50")])
    feed.push(added=[line("A1")])
    kept = feed.one(status="BOOKED")
    assert (kept["amount"], kept["entryStatus"]) == ("-13.50", "POSTED")
    assert kept["correctionMarkerId"] is not None


def test_a_new_line_of_other_words_is_not_the_one_that_its_batch_takes_back(feed):
    feed.push(added=[line("A1")])
    feed.import_(file_of(Line("2026-03-02", "-12.50", "Coffee Bar", "F1")))
    (new, _) = feed.results(added=[line("B1", description="Storage rent")], removed=["A1"])
    assert new["verdict"] == "POSSIBLY_THERE"
    assert feed.one(status="BOOKED")["id"] == new["transactionId"]


def test_a_new_id_is_asked_about_where_a_file_has_one_more_line_that_it_may_be(feed):
    feed.push(added=[line("A1")])
    twin = Line("2026-03-02", "-12.50", "Coffee Bar")
    feed.import_(file_of(twin, twin))
    (new, _) = feed.results(added=[line("B1")], removed=["A1"])
    assert new["verdict"] == "POSSIBLY_THERE"
    assert len(suggestions(feed, new["transactionId"])) == 1


def test_a_line_of_other_words_that_a_file_has_as_it_was_before_a_change_is_asked_about(feed):
    feed.import_(file_of(Line("2026-03-02", "-12.50", "Storage rent", "F1")))
    feed.push(modified=[line("A1", amount="-13.50")])
    (late,) = feed.results(added=[line("A1")])
    assert late["verdict"] == "POSSIBLY_THERE"
    (suggested,) = suggestions(feed, late["transactionId"])
    other = {"transactionId": suggested["transactionId"]}
    assert feed.person.post(f"/api/transactions/{late['transactionId']}/join", json=other).status_code == 200
    assert feed.booked() == [("2026-03-02", "-13.50")]


def test_a_line_that_two_ids_were_settled_to_be_is_asked_about_under_a_new_id_of_either(feed):
    (first,) = feed.results(added=[line("A1", description="Coffee Corner")])
    (second,) = feed.results(added=[line("B1", description="Card 9921 Oslo")])
    other = {"transactionId": first["transactionId"]}
    feed.person.post(f"/api/transactions/{second['transactionId']}/join", json=other)
    again = [line("A2", description="Coffee Corner"), line("B2", description="Card 9921 Oslo")]
    assert feed.verdicts(added=again) == ["POSSIBLY_THERE", "POSSIBLY_THERE"]


@pytest.mark.parametrize("key", ["added", "modified"])
def test_a_new_line_is_not_what_a_removed_one_was_before_a_change_of_the_same_push(feed, key):
    feed.results(added=[line("A", amount="7.00")])
    batch = {"added": [], "modified": [line("A", amount="-2.50")], "removed": ["A"]}
    batch[key].append(line("B", amount="7.00"))
    feed.results(**batch)
    assert feed.booked() == [("2026-03-02", "7.00")]
    feed.results(modified=[line("C", amount="-2.50")])
    assert feed.booked() == [("2026-03-02", "-2.50"), ("2026-03-02", "7.00")]


def test_a_line_that_is_changed_and_reissued_in_one_push_stays_one_line(feed):
    (first,) = feed.results(added=[line("A", amount="7.00")])
    feed.results(modified=[line("A", amount="-2.50"), line("B", amount="-2.50")], removed=["A"])
    assert feed.one(status="BOOKED")["id"] == first["transactionId"]
    assert feed.booked() == [("2026-03-02", "-2.50")]


def test_what_was_joined_to_a_draft_is_joined_to_the_posted_line_that_stays(ada, bank, feed):
    """There are no chains of joins, whoever makes them."""
    feed.push(added=[line("A1")])
    posted = feed.one()["id"]
    ada.post(f"/api/transactions/{posted}/confirm")
    feed.push(added=[line("P1", "-11.00", pending=True)])
    pending = feed.one(status="PENDING")["id"]
    (result,) = feed.results(added=[line("A2", pendingTransactionId="P1")])
    assert len(feed.booked()) == 2
    feed.push(removed=["A1"])
    assert feed.one(status="BOOKED")["id"] == posted
    joins = ada.get(f"/api/transactions/{posted}/suggestions").json["joins"]
    assert {each["transactionId"] for each in joins if each["status"] == "JOINED"} == {
        result["transactionId"],
        pending,
    }
    assert bank.broken() == []


def test_two_pending_lines_are_not_joined(ada, bank, feed):
    first, second = feed.results(added=[line("P1", pending=True), line("P2", pending=True)])
    answer = ada.post(
        f"/api/transactions/{first['transactionId']}/join", json={"transactionId": second["transactionId"]}
    )
    assert (answer.status_code, answer.json["code"]) == (409, "both_pending")
    assert bank.broken() == []


def test_a_pending_line_of_a_row_that_is_joined_itself_is_joined_to_the_line_in_the_books(ada, bank, feed):
    feed.import_(file_of(Line("2026-03-02", "-12.50", "Coffee Bar", "F1")))
    (booked,) = feed.results(added=[line("A1", pendingTransactionId="P1")])
    assert booked["verdict"] == "JOINED"
    (pending,) = feed.results(added=[line("P1", "-11.00", pending=True)])
    assert (pending["verdict"], pending["transactionId"]) == ("JOINED", booked["transactionId"])
    assert bank.broken() == []
