"""Taking an import back over the API: as if it had never been, and it may come again."""

import itertools

import pytest
import sqlalchemy as sa

from tests.api.imports.test_imports import MARCH, PATH, counted, imported, lines_of, send
from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from webapp.models import (
    Account,
    FeedAccount,
    Import,
    ImportLine,
    JournalEntry,
    Posting,
    ProviderBalance,
    Transaction,
)

TABLES = (Account, FeedAccount, Import, ImportLine, JournalEntry, Posting, ProviderBalance, Transaction)
HOTEL = Line("2026-03-30", "-90.00", "Hotel", "P1", pending=True)


def rows(session):
    return {
        model.__tablename__: session.scalar(sa.select(sa.func.count()).select_from(model)) for model in TABLES
    }


def take_back(person, answer):
    return person.delete(f"{PATH}/{answer['id']}")


def test_nothing_of_it_stays(ben, session):
    before = rows(session)
    answer = imported(ben, bank_file(*MARCH, HOTEL, closing="5.00"))
    assert take_back(ben, answer).json == {"ok": True, "changed": True}
    assert rows(session) == before
    assert ben.get(f"{PATH}/{answer['id']}").status_code == 404
    assert counted(imported(ben, bank_file(*MARCH))) == [(3, 0, 0, 0)]


def test_a_confirmed_line_keeps_it(ben):
    answer = imported(ben, bank_file(*MARCH))
    line = ben.get("/api/transactions").json["transactions"][0]["id"]
    entry = ben.post(f"/api/transactions/{line}/confirm").json["result"]["journalEntryIds"][0]
    refused = take_back(ben, answer)
    assert (refused.status_code, refused.json["code"]) == (409, "confirmed")
    assert refused.json["details"] == {"transactionIds": [line]}
    ben.post(f"/api/journal-entries/{entry}/void", json={"reason": "Wrong account"})
    assert take_back(ben, answer).status_code == 409
    assert len(lines_of(ben)) == 3


def test_what_another_file_has_too_stays_with_that_file(ben):
    first = imported(ben, bank_file(*MARCH[:2]))
    second = imported(ben, bank_file(*MARCH[1:]))
    assert counted(second) == [(1, 1, 0, 0)]
    take_back(ben, first)
    assert lines_of(ben) == [("2026-03-02", "-2.50", "BOOKED"), ("2026-03-05", "1000.00", "BOOKED")]
    assert counted(ben.get(f"{PATH}/{second['id']}").json["import"]) == [(2, 0, 0, 0)]
    take_back(ben, second)
    assert lines_of(ben) == []
    assert ben.get("/api/feeds/accounts").json["feedAccounts"] == []


def test_pending_lines_are_again_those_of_the_file_before(ben):
    imported(ben, bank_file(HOTEL))
    second = imported(ben, bank_file(*MARCH))
    assert [status for *_, status in lines_of(ben) if status != "BOOKED"] == ["REMOVED"]
    take_back(ben, second)
    assert lines_of(ben) == [("2026-03-30", "-90.00", "PENDING")]


def test_pending_lines_are_still_those_of_the_file_after(ben):
    first = imported(ben, bank_file(HOTEL, Line("2026-03-29", "-1.00", "Tea", pending=True)))
    imported(ben, bank_file(HOTEL))
    take_back(ben, first)
    assert lines_of(ben) == [("2026-03-30", "-90.00", "PENDING")]


def test_balances_and_the_last_feed_are_those_of_the_files_that_stay(ada):
    first = imported(ada, bank_file(closing="1.00", closing_day="2026-03-30"))
    before = ada.get("/api/feeds/accounts").json
    second = imported(ada, bank_file(closing="2.00"))
    assert ada.get("/api/feeds/accounts").json != before
    take_back(ada, second)
    assert ada.get("/api/feeds/accounts").json == before
    assert take_back(ada, first).status_code == 200


def test_an_account_with_postings_of_its_own_stays(ada, books):
    answer = imported(ada, bank_file(*MARCH))
    books.post("2026-03-09 Cash\n    Account ··4711   5.00 EUR\n    Petty cash  -5.00 EUR")
    assert take_back(ada, answer).status_code == 200
    assert [each["accountName"] for each in ada.get("/api/feeds/accounts").json["feedAccounts"]] == [
        "Account ··4711"
    ]


def test_a_number_that_the_file_brought_goes_with_it(ada):
    made = ada.post("/api/feeds/accounts", json={"name": "Main", "currency": "EUR"}).json["feedAccount"]
    answer = imported(ada, bank_file(*MARCH), faId=str(made["faId"]))
    assert answer["accounts"][0]["faId"] == made["faId"]
    assert ada.get(f"/api/feeds/accounts/{made['faId']}").json["feedAccount"]["externalId"] == "4711"
    take_back(ada, answer)
    assert ada.get(f"/api/feeds/accounts/{made['faId']}").json["feedAccount"]["externalId"] is None


def test_edited_drafts_and_deleted_lines_go_too(ben, books, session):
    before = rows(session)
    answer = imported(ben, bank_file(*MARCH))
    first, second, _ = ben.get("/api/transactions").json["transactions"]
    ben.patch(f"/api/transactions/{first['id']}", json={"accountId": books.account_id("Sales of services")})
    ben.delete(f"/api/transactions/{second['id']}")
    assert take_back(ben, answer).status_code == 200
    assert rows(session) == before


def test_a_preview_and_a_refused_one_are_forgotten(ben, session):
    before = rows(session)
    for answer in (send(ben, bank_file(*MARCH), dryRun="true"), send(ben, b"nothing")):
        assert take_back(ben, answer.json["import"]).status_code == 200
    assert rows(session) == before


def test_it_is_in_the_history(ben):
    take_back(ben, imported(ben, bank_file(*MARCH)))
    acts = ben.get("/api/action-requests").json["actionRequests"]
    assert [(each["kind"], each["status"]) for each in acts[:2]] == [
        ("take_back_import", "EXECUTED"),
        ("import_file", "EXECUTED"),
    ]


FILES = (
    bank_file(*MARCH[:2], HOTEL, closing="1.00"),
    bank_file(*MARCH[1:], closing="2.00"),
    bank_file(*MARCH, Line("2026-03-31", "7.00", "Tea", pending=True), HOTEL),
)


@pytest.mark.parametrize("gone", range(3))
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_whichever_goes_the_rest_is_as_if_it_had_never_been(ada, dan, order, gone):
    answers = {index: imported(ada, FILES[index]) for index in order}
    take_back(ada, answers[gone])
    for index in order:
        if index != gone:
            imported(dan, FILES[index])
    for asked in ({"status": "BOOKED"}, {"status": "PENDING"}):
        assert lines_of(ada, **asked) == lines_of(dan, **asked)
    ours, theirs = ([counted(each) for each in person.get(PATH).json["imports"]] for person in (ada, dan))
    assert ours == theirs
