"""A feed that removes a line and sends it again, and a person who brings a removed line back."""

import pytest
import sqlalchemy as sa

from tests.fixtures.feeds import line
from webapp.database.sessions import db
from webapp.models import Posting

pytestmark = pytest.mark.both


def restored(person, line_id):
    return person.post(f"/api/transactions/{line_id}/restore")


def story(person, line_id):
    return person.get(f"/api/transactions/{line_id}/suggestions").json["changes"]


def sound(bank):
    return bank.broken() == []


@pytest.mark.parametrize("kind", ["added", "modified"])
def test_a_removed_draft_that_is_sent_again_is_taken_with_its_story(ada, bank, feed, kind):
    feed.push(added=[line()])
    feed.push(removed=["A1"])
    (result,) = feed.results(**{kind: [line(amount="-13.00", description="Tea House")]})
    again = feed.one(status="BOOKED")
    assert (result["verdict"], result["transactionId"]) == ("RETURNED", again["id"])
    assert result["reason"].startswith("The bank removed this line and sent it again. Its amount was -12.50")
    assert (again["amount"], again["description"], again["entryStatus"]) == ("-13.00", "Tea House", "DRAFT")
    assert [
        (each["before"].get("status"), each["after"].get("status")) for each in story(ada, again["id"])
    ] == [
        (None, None),
        ("REMOVED", "BOOKED"),
    ]
    assert feed.verdicts(**{kind: [line(amount="-13.00", description="Tea House")]}) == ["ALREADY_THERE"]
    assert feed.verdicts(removed=["A1"]) == ["REMOVED"]
    assert sound(bank)


def test_a_posted_entry_that_stayed_is_the_lines_again_and_another_amount_waits_as_a_correction(
    ada, bank, feed
):
    feed.push(added=[line()])
    there = feed.one()
    ada.post(f"/api/transactions/{there['id']}/confirm")
    feed.push(removed=["A1"])
    assert feed.verdicts(added=[line()]) == ["RETURNED"]
    again = feed.one(status="BOOKED")
    assert (again["journalEntryId"], again["entryStatus"]) == (there["journalEntryId"], "POSTED")
    assert again["correctionMarkerId"] is None
    feed.push(removed=["A1"])
    feed.push(modified=[line(amount="-13.00")])
    assert feed.one(status="BOOKED")["correctionMarkerId"] is not None
    assert sound(bank)


def test_a_line_whose_entry_was_voided_meanwhile_comes_back_with_a_draft(ada, bank, feed):
    feed.push(added=[line()])
    there = feed.one()
    ada.post(f"/api/transactions/{there['id']}/confirm")
    feed.push(removed=["A1"])
    ada.post(f"/api/journal-entries/{there['journalEntryId']}/void", json={"reason": "Gone"})
    assert feed.verdicts(added=[line()]) == ["RETURNED"]
    assert feed.one(status="BOOKED")["entryStatus"] == "DRAFT"
    assert sound(bank)


def test_a_pending_line_that_was_removed_and_is_booked_under_its_id_is_taken(bank, feed):
    feed.push(added=[line(pending=True)])
    feed.push(removed=["A1"])
    assert feed.verdicts(added=[line(pending=True)]) == ["REMOVED"]
    assert feed.verdicts(added=[line()]) == ["RETURNED"]
    assert feed.booked() == [("2026-03-02", "-12.50")]
    assert sound(bank)


def test_a_removed_line_that_somebody_deleted_before_stays_deleted(ada, feed):
    feed.push(added=[line()])
    ada.delete(f"/api/transactions/{feed.one()['id']}")
    feed.push(removed=["A1"])
    assert feed.verdicts(added=[line()]) == ["DELETED"]
    assert feed.booked() == []


@pytest.mark.parametrize("is_posted", [False, True])
def test_a_person_restores_a_removed_line_and_the_bank_agrees_later(ada, bank, feed, is_posted):
    feed.push(added=[line()])
    there = feed.one()
    if is_posted:
        ada.post(f"/api/transactions/{there['id']}/confirm")
    feed.push(removed=["A1"])
    back = restored(ada, there["id"]).json["transaction"]
    assert (back["status"], back["entryStatus"]) == ("BOOKED", "POSTED" if is_posted else "DRAFT")
    assert feed.verdicts(removed=["A1"]) == ["REMOVED"]
    assert feed.one(status="BOOKED")["id"] == there["id"]
    assert feed.verdicts(added=[line()]) == ["RETURNED"]
    assert feed.verdicts(added=[line()]) == ["ALREADY_THERE"]
    assert feed.one(status="BOOKED")["id"] == there["id"]
    assert sound(bank)


def test_what_is_no_booked_line_of_its_own_is_not_restored(ada, feed):
    feed.push(added=[line("P1", pending=True)])
    pending = feed.one()
    feed.push(removed=["P1"])
    answer = restored(ada, pending["id"])
    assert (answer.status_code, answer.json["code"]) == (409, "removed")
    assert "never booked" in answer.json["error"]
    feed.push(added=[line("A1")])
    (joined, _) = feed.results(added=[line("B1")], removed=["A1"])
    assert joined["verdict"] == "JOINED"
    report = next(each for each in feed.lines(status="REMOVED") if each["providerTransactionId"] == "B1")
    answer = restored(ada, report["id"])
    assert (answer.status_code, answer.json["code"]) == (409, "joined")
    assert f"line {joined['transactionId']}" in answer.json["error"]


def test_the_page_of_the_account_restores_it_and_tells_that_it_came_back(ada, feed):
    feed.push(added=[line()])
    there = feed.one()
    ada.post(f"/api/transactions/{there['id']}/confirm")
    feed.push(removed=["A1"])
    browser, page = ada.browser(), f"/feeds/{feed.fa_id}"
    address = f"/transactions/{there['id']}/restore"
    assert f'action="{address}"' in browser.get(page).text
    assert browser.post(address).status_code == 303
    assert feed.one()["status"] == "BOOKED"
    feed.push(removed=["A1"])
    feed.push(added=[line()])
    assert "sent it again" in browser.get(f"{page}?line={there['id']}").text


@pytest.fixture
def reworded(ada, feed):
    feed.push(added=[line()])
    there = feed.one()
    ada.post(f"/api/transactions/{there['id']}/confirm")
    feed.push(modified=[line(amount="-13.00")])
    assert feed.one()["correctionMarkerId"] is not None
    feed.push(removed=["A1"])
    return there["id"]


def restored_by_a_person(ada, feed, line_id):
    assert restored(ada, line_id).status_code == 200


def sent_again_on_another_day(ada, feed, line_id):
    assert feed.verdicts(added=[line(amount="-13.00", day="2026-03-03")]) == ["RETURNED"]


def sent_again_as_it_was_posted(ada, feed, line_id):
    assert feed.verdicts(added=[line()]) == ["RETURNED"]


def sent_under_another_id(ada, feed, line_id):
    assert feed.verdicts(added=[line("A2", amount="-13.00")]) == ["JOINED"]


@pytest.mark.parametrize(
    ("comes_back", "waits"),
    [
        (restored_by_a_person, True),
        (sent_again_on_another_day, True),
        (sent_again_as_it_was_posted, False),
        (sent_under_another_id, True),
    ],
)
def test_a_correction_that_waited_when_a_line_was_removed_waits_again_when_it_comes_back(
    ada, bank, feed, reworded, comes_back, waits
):
    comes_back(ada, feed, reworded)
    again = feed.one(status="BOOKED")
    assert (again["id"], again["entryStatus"]) == (reworded, "POSTED")
    assert (again["correctionMarkerId"] is not None) == waits
    assert sound(bank)
    ada.post(f"/api/transactions/{reworded}/confirm")
    postings = bank.ask(
        lambda: db.session.scalars(
            sa.select(Posting.amount_minor).where(Posting.transaction_id == reworded)
        ).all()
    )
    assert sum(postings) == int(again["amount"].replace(".", ""))
    assert sound(bank)


def test_a_line_that_is_taken_apart_is_removed_again_with_its_correction(ada, bank, feed, reworded):
    assert feed.verdicts(added=[line("A2", amount="-13.00")]) == ["JOINED"]
    (join,) = ada.get(f"/api/transactions/{reworded}/suggestions").json["joins"]
    path = f"/api/transactions/{reworded}/unjoin"
    assert ada.post(path, json={"transactionId": join["transactionId"]}).status_code == 200
    there = ada.get(f"/api/transactions/{reworded}").json["transaction"]
    assert (there["status"], there["correctionMarkerId"]) == ("REMOVED", None)
    assert sound(bank)
