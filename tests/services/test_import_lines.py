"""Lines of a file against what is there, and which account a statement belongs to."""

from datetime import date, timedelta

import pytest
import sqlalchemy as sa

from tests.api.imports.test_imports import MARCH, counted, imported, lines_of, send
from tests.fixtures.bank_files.ofx_statements import Line, bank_file, ofx, statement
from webapp.models import Import, Organization, Reconciliation, Transaction

FEEDS = "/api/feeds/accounts"


def become_of_another_source(session):
    """Let the lines that are there come from another format than the files of the test."""
    session.execute(sa.update(Import).values(format="camt"))
    camt_keys = {"line_key": Transaction.line_key + "-camt", "updated_at": Transaction.updated_at}
    session.execute(sa.update(Transaction).values(camt_keys))
    session.commit()


def suspected(answer):
    return [said for said in answer["warnings"] if said.startswith("1 of the lines may be duplicates")]


def test_a_line_that_another_source_gave_is_added_and_warned_of(ben, session):
    imported(ben, bank_file(*MARCH[:1]))
    become_of_another_source(session)
    answer = imported(ben, bank_file(*MARCH))
    assert counted(answer) == [(3, 0, 0, 0)]
    assert len(suspected(answer)) == 1
    rows = ben.get(f"/api/feeds/imports/{answer['id']}/lines").json["lines"]
    assert [row["verdict"] for row in rows] == ["POSSIBLY_THERE", "NEW", "NEW"]


def test_what_was_possibly_there_once_is_not_so_again(ben, session):
    imported(ben, bank_file(*MARCH[:1]))
    become_of_another_source(session)
    imported(ben, bank_file(*MARCH[:1]))
    answer = imported(ben, bank_file(*MARCH[:2]))
    assert counted(answer) == [(1, 1, 0, 0)]
    assert suspected(answer) == []


def test_a_pushed_line_is_another_source_too(ben, session):
    imported(ben, bank_file(*MARCH[:1]))
    pushed = {"line_key": None, "import_id": None, "updated_at": Transaction.updated_at}
    session.execute(sa.update(Transaction).values(pushed))
    session.commit()
    assert len(suspected(imported(ben, bank_file(*MARCH[:1])))) == 1


def test_the_draft_of_a_locked_day_is_dated_the_first_open_one(ada, session):
    session.get_one(Organization, ada.organization_id).lock_date = date(2026, 3, 3)
    session.commit()
    imported(ada, bank_file(*MARCH))
    days = [entry["effectiveAt"][:10] for entry in ada.get("/api/journal-entries").json["entries"]]
    assert days == ["2026-03-05", "2026-03-04", "2026-03-04"]
    assert [day for day, *_ in lines_of(ada)] == ["2026-03-02", "2026-03-02", "2026-03-05"]


def test_a_line_before_the_books_begin_is_set_aside(ada, session):
    fa_id = imported(ada, bank_file(*MARCH[:1]))["accounts"][0]["faId"]
    opening = date(2026, 3, 4)
    session.add(
        Reconciliation(
            organization_id=ada.organization_id,
            feed_account_id=fa_id,
            status="DRAFT",
            statement_date=opening + timedelta(days=27),
            statement_balance_minor=0,
            currency="EUR",
            keep_as_new=True,
            opening_date=opening,
            opened_at=session.get_one(Organization, ada.organization_id).created_at,
            opened_by={},
        )
    )
    session.commit()
    imported(ada, bank_file(*MARCH[1:]))
    assert [status for *_, status in lines_of(ada)] == ["BOOKED", "SET_ASIDE", "BOOKED"]


def test_a_removed_pending_line_may_be_pending_again(ben):
    hotel = Line("2026-03-30", "-90.00", "Hotel", "P1", pending=True)
    for lines in ([hotel], [], [hotel]):
        imported(ben, bank_file(*lines))
    assert lines_of(ben) == [("2026-03-30", "-90.00", "PENDING")]


def fa_ids(answer):
    return [each["faId"] for each in answer["accounts"]]


@pytest.fixture
def opened(ada):
    def make(**facts):
        body = {"name": "Main", "currency": "EUR", **facts}
        return ada.post(FEEDS, json=body).json["feedAccount"]["faId"]

    return make


def test_a_second_currency_under_one_number_is_a_second_account(ben):
    first, second = (fa_ids(imported(ben, bank_file(*MARCH, currency=code))) for code in ("EUR", "USD"))
    assert first != second


def test_a_number_finds_the_account_that_somebody_opened(ben, opened):
    fa_id = opened(externalId="4711")
    assert fa_ids(imported(ben, bank_file(*MARCH))) == [fa_id]


def test_a_file_without_a_number_goes_where_the_last_one_went(ben):
    first = imported(ben, bank_file(*MARCH, account=None))
    assert first["accounts"][0]["externalId"] is None
    assert first["accounts"][0]["name"] == "Account in EUR"
    second = imported(ben, bank_file(*MARCH, account=None))
    assert fa_ids(second) == fa_ids(first)
    assert second["accounts"][0]["alreadyThere"] == 3


def test_a_file_without_a_number_in_another_currency_gets_an_account_of_its_own(ben):
    first, second = (imported(ben, bank_file(*MARCH, account=None, currency=code)) for code in ("EUR", "USD"))
    assert fa_ids(first) != fa_ids(second)


def test_two_candidates_are_named_and_refused(ben, ada):
    for number in ("1", "2"):
        fa_id = imported(ben, bank_file(*MARCH, account=number))["accounts"][0]["faId"]
        ada.patch(f"{FEEDS}/{fa_id}", json={"externalId": None})
    answer = send(ben, bank_file(*MARCH, account=None))
    assert answer.status_code == 422
    assert "several could be meant" in answer.json["error"]
    assert "Account ··1" in answer.json["error"]
    chosen = imported(ben, bank_file(*MARCH, account=None), faId=str(fa_id))
    assert fa_ids(chosen) == [fa_id]


def test_the_chosen_account_must_be_in_the_files_currency(ben, opened):
    answer = send(ben, bank_file(*MARCH, account=None, currency="USD"), faId=str(opened()))
    assert answer.status_code == 422
    assert answer.json["import"]["status"] == "REFUSED"
    assert "USD" in answer.json["error"]


def test_a_file_without_a_currency_takes_its_accounts(ben, opened):
    fa_id = opened(currency="JPY")
    answer = imported(ben, bank_file(Line("2026-03-02", "500"), account=None, currency=None), faId=str(fa_id))
    assert answer["accounts"][0]["currency"] == "JPY"
    assert answer["accounts"][0]["sum"] == "500"
    assert "no currency" in answer["warnings"][0]


def test_a_file_without_account_and_currency_is_read_in_the_base_currency(ben):
    answer = imported(ben, bank_file(*MARCH, account=None, currency=None))
    assert answer["accounts"][0]["currency"] == "EUR"
    assert "no currency" in answer["warnings"][0]


def test_a_file_without_a_currency_is_refused_where_its_account_has_two(ben):
    for code in ("EUR", "USD"):
        imported(ben, bank_file(*MARCH, currency=code))
    answer = send(ben, bank_file(*MARCH, currency=None))
    assert answer.status_code == 422
    assert "several" in answer.json["error"]


def test_the_number_in_the_file_decides_against_the_choice_and_says_so(ben, opened):
    first = fa_ids(imported(ben, bank_file(*MARCH)))
    answer = imported(ben, bank_file(*MARCH), faId=str(opened(externalId="99")))
    assert fa_ids(answer) == first
    assert "4711" in answer["warnings"][0]


def test_a_chosen_account_without_a_number_learns_it(ben, ada, opened):
    fa_id = opened()
    assert fa_ids(imported(ben, bank_file(*MARCH), faId=str(fa_id))) == [fa_id]
    assert fa_ids(imported(ben, bank_file(*MARCH))) == [fa_id]
    assert ada.get(f"{FEEDS}/{fa_id}").json["feedAccount"]["mask"] == "4711"


def test_a_chosen_account_learns_no_number_out_of_two(ben, opened):
    fa_id = opened()
    data = ofx(statement(*MARCH, account="1"), statement(*MARCH, account="2"))
    assert fa_id not in fa_ids(imported(ben, data, faId=str(fa_id)))


def test_two_statements_of_one_account_are_one(ben):
    data = ofx(
        statement(MARCH[0], MARCH[1], closing="1.00", closing_day="2026-03-02"),
        statement(MARCH[2], closing="2.00", closing_day="2026-03-05"),
    )
    (account,) = imported(ben, data)["accounts"]
    assert (account["added"], account["closingBalance"], account["closingDate"]) == (3, "2.00", "2026-03-05")


def test_the_last_of_several_balances_is_the_banks(ada):
    for amount in ("1.00", "2.00"):
        imported(ada, bank_file(closing=amount))
    imported(ada, bank_file(closing="1.00"))
    balance = ada.get(FEEDS).json["feedAccounts"][0]["feedBalance"]
    assert balance["amount"] == "2.00"
