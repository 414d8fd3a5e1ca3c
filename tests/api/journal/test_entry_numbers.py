"""Posted entries are numbered from 1 in each organization, in the order of posting and without gaps."""

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.replays import everything
from webapp.database.sessions import db
from webapp.models import JournalEntry

ENTRIES = "/api/journal-entries"


@pytest.fixture
def write(books):
    """Let somebody write an entry of so much, as a draft or posted."""

    def written(person, amount="5.00", *, post=True, **facts):
        accounts = [
            each for each in person.get("/api/accounts").json["accounts"] if each["type"] == "EXPENSE"
        ]
        sizes = (amount, f"-{amount}")
        legs = [
            {"accountId": each["id"], "amount": size} for each, size in zip(accounts, sizes, strict=False)
        ]
        return person.post(
            ENTRIES, json={"effectiveAt": "2026-03-02", "postings": legs, "post": post, **facts}
        )

    return written


def numbers(person):
    return {
        each["id"]: each["number"]
        for each in everything(person, "journal-entries", "entries")
        if each["status"] != "DRAFT"
    }


def test_posted_entries_are_counted_in_each_organization_and_drafts_are_not(ada, dan, write, sound):
    first, draft = write(ada).json, write(ada, post=False).json
    theirs, second = write(dan).json, write(ada).json
    assert (first["number"], second["number"], theirs["number"]) == (1, 2, 1)
    assert "number" not in draft
    # A draft gets the next number when it is posted, whenever it was written.
    posted = ada.post(f"{ENTRIES}/{draft['entry']['id']}/post", json={})
    assert posted.status_code == 200
    assert ada.get(f"{ENTRIES}/{draft['entry']['id']}").json["number"] == 3
    assert sorted(numbers(ada).values()) == [1, 2, 3]


def test_what_is_refused_deleted_or_only_tried_leaves_no_gap(ada, bank, write, sound):
    draft = write(ada, post=False).json["entry"]["id"]
    assert ada.delete(f"{ENTRIES}/{draft}").status_code == 200
    assert write(ada, effectiveAt="1800-01-01").status_code == 422
    assert write(ada, amount="0.00").status_code == 422
    entry = write(ada).json["entry"]["id"]
    tried = ada.post(f"{ENTRIES}/{entry}/void?dryRun=true", json={"reason": "Twice"})
    assert tried.status_code == 200
    line = bank.send("2026-03-02", "-2.50", "Coffee")
    assert ada.post(f"/api/transactions/{line}/confirm", json={}).status_code == 200
    assert ada.post(f"{ENTRIES}/{entry}/void", json={"reason": "Twice"}).status_code == 200
    assert sorted(numbers(ada).values()) == [1, 2, 3]


def test_many_lines_that_are_confirmed_at_once_are_numbered_without_gaps(ada, bank, sound):
    lines = bank.send_many([("2026-03-02", f"-{amount}.00", "A line") for amount in range(1, 31)])
    assert ada.post("/api/transactions/confirm", json={"ids": lines}).status_code == 200
    assert sorted(numbers(ada).values()) == list(range(1, 31))


def test_a_number_never_changes(bank, ada, write):
    entry = write(ada).json["entry"]["id"]

    def renumber():
        with pytest.raises(sa.exc.IntegrityError), db.session.begin_nested():
            db.session.execute(sa.text("UPDATE journal_entries SET number = 7 WHERE id = :id"), {"id": entry})
        return db.session.scalar(sa.select(JournalEntry.number).where(JournalEntry.id == entry))

    assert bank.ask(renumber) == 1
    assert bank.broken() == []


def test_the_number_is_on_the_journal_its_entry_and_the_exports(ada, write):
    write(ada)
    second = write(ada, "7.00").json["entry"]
    browser = ada.browser()
    assert '<td class="number desk">2</td>' in browser.get("/journal").text
    assert "number 2" in browser.get(f"/journal/{second['id']}").text
    account = second["postings"][0]["accountId"]
    register = ada.get(f"/api/accounts/{account}/postings").json["postings"]
    assert sorted(each["entryNumber"] for each in register) == [1, 2]
    assert '<td class="number desk">2</td>' in browser.get(f"/accounts/{account}/register").text
    query = "from=2026-01-01&to=2026-12-31"
    ledger = ada.get(f"/api/reports/general-ledger?{query}").json["lines"]
    assert {each["entryNumber"] for each in ledger if each["journalEntryId"] == second["id"]} == {2}
    assert '<td class="number desk">2</td>' in browser.get(f"/reports/general-ledger?{query}").text
    assert ada.get("/api/exports/csv").text.splitlines()[3].split(",")[1] == "2"
