"""What is missing between files and feeds of an account is named, with its days and its money, month by month."""

import io

import pytest

from tests.fixtures.bank_files.camt_files import balance, entry, message, statement


def take(ben, *parts):
    form = {"file": (io.BytesIO(message(statement(*parts))), "statement.xml")}
    answer = ben.post("/api/feeds/imports", data=form, content_type="multipart/form-data")
    assert answer.status_code == 201, answer.json
    return answer.json["import"]["accounts"][0]["faId"]


def line(day, amount="12.50"):
    return entry(amount, booked=day, reference=f"{day} {amount}")


def months(person, fa_id):
    answer = person.get(f"/api/feeds/accounts/{fa_id}/coverage")
    assert answer.status_code == 200, answer.json
    return {month["month"]: month for month in answer.json["coverage"]["months"]}


@pytest.fixture
def fa_id(ben):
    """An account with a whole October, half a November, and a December that begins with too much and comes twice."""
    take(
        ben,
        balance("OPBD", "100.00", "2026-10-01"),
        line("2026-10-01"),
        line("2026-10-31"),
        balance("CLBD", "75.00", on="2026-10-31"),
    )
    take(ben, line("2026-11-01"), line("2026-11-10"))
    take(ben, line("2026-12-01"), line("2026-12-20"), balance("CLBD", "30.00", on="2026-12-20"))
    return take(ben, line("2026-12-20"), line("2026-12-31"))


def test_a_month_agrees_where_its_lines_make_what_the_bank_states(ben, fa_id):
    october = months(ben, fa_id)["2026-10"]
    assert october == {
        "month": "2026-10",
        "byFile": True,
        "byFeed": False,
        "statedBalance": "75.00",
        "statedOn": "2026-10-31",
        "computedBalance": "75.00",
        "mismatch": "0.00",
        "proved": "NO",
        "holds": None,
        "proofs": [],
        "gaps": [],
        "overlaps": [],
    }


def test_days_that_nothing_covers_are_a_gap_of_their_month(ben, fa_id):
    assert months(ben, fa_id)["2026-11"]["gaps"] == [{"first": "2026-11-11", "last": "2026-11-30"}]


def test_a_statement_that_does_not_tie_out_names_the_days_that_nothing_covers(ben, fa_id):
    """Lines that the bank never sent are as likely a cause as lines that nobody cleared."""
    desk = f"/api/reconciliations/accounts/{fa_id}"
    for day, missing in (("2026-11-10", []), ("2026-11-20", [{"first": "2026-11-11", "last": "2026-11-30"}])):
        assert (
            ben.put(f"{desk}/draft", json={"statementDate": day, "statementBalance": "1.00"}).status_code
            == 200
        )
        assert ben.post(f"{desk}/complete", json={}).json["details"]["missing"] == missing
        assert ben.post(f"{desk}/abandon", json={}).status_code == 200


def test_a_balance_that_the_lines_do_not_make_is_a_mismatch_of_its_month(ben, fa_id):
    december = months(ben, fa_id)["2026-12"]
    assert (december["statedBalance"], december["computedBalance"], december["mismatch"]) == (
        "30.00",
        "25.00",
        "5.00",
    )
    assert december["overlaps"] == [{"first": "2026-12-20", "last": "2026-12-20"}]


def test_months_are_listed_newest_first_and_an_account_without_lines_has_none(ada, ben, fa_id, bank):
    listed = ben.get(f"/api/feeds/accounts/{fa_id}/coverage").json["coverage"]
    assert [month["month"] for month in listed["months"]] == ["2026-12", "2026-11", "2026-10"]
    assert months(ada, bank.open()) == {}


def test_what_came_without_a_file_came_by_feed(ben, bank):
    bank.send("2026-02-03", "5.00")
    bank.send("2026-04-03", "5.00")
    found = months(ben, bank.fa_id)
    assert {month: (each["byFile"], each["byFeed"]) for month, each in found.items()} == {
        "2026-02": (False, True),
        "2026-03": (False, False),
        "2026-04": (False, True),
    }


@pytest.mark.parametrize(("until", "proved"), [("2026-10-31", "WHOLE"), ("2026-10-30", "PARTLY")])
def test_a_month_is_proved_where_a_proof_cleared_all_of_it(ben, fa_id, until, proved):
    lines = ben.get("/api/transactions", query_string={"faId": fa_id}).json["transactions"]
    cleared = [each["id"] for each in lines if each["bookedOn"] <= until]
    for each in cleared:
        ben.post(f"/api/transactions/{each}/confirm", json={})
    inputs = {"statementDate": until, "statementBalance": f"{-12.5 * len(cleared):.2f}"}
    ben.put(f"/api/reconciliations/accounts/{fa_id}/draft", json=inputs)
    ben.put(f"/api/reconciliations/accounts/{fa_id}/draft/lines", json={"auto": True})
    done = ben.post(f"/api/reconciliations/accounts/{fa_id}/complete", json={})
    assert done.status_code == 200, done.json
    found = months(ben, fa_id)
    assert [found[month]["proved"] for month in ("2026-10", "2026-11")] == [proved, "NO"]


def test_the_statements_do_not_grow_with_the_history(ben, at_most, bank):
    bank.send("2026-01-03", "5.00")
    with at_most(14) as before:
        months(ben, bank.fa_id)
    bank.send_many([(f"2026-{month:02}-{day:02}", "5.00", "More") for month in range(2, 9) for day in (1, 9)])
    with at_most(len(before)):
        months(ben, bank.fa_id)


def test_the_account_s_page_shows_the_strip(ben, fa_id):
    page = ben.get(f"/feeds/{fa_id}").text
    assert "December 2026: Off" in page
    assert "November 2026: Partly covered" in page
    assert "No file covers 11 Nov to 30 Nov." in page


def october(opening="100.00", days=("2026-10-02", "2026-10-30"), closing="75.00"):
    return month(opening, days, closing)


def month(opening, days, closing):
    lines = [entry(booked=day, reference=f"R{day}") for day in days]
    return message(
        statement(balance("OPBD", opening, days[0]), *lines, balance("CLBD", closing, on=days[-1]))
    )


def warnings_of(ben, data):
    form = {"file": (io.BytesIO(data), "month.xml")}
    answer = ben.post("/api/feeds/imports", data=form, content_type="multipart/form-data")
    assert answer.status_code == 201, answer.json
    return answer.json["import"]["warnings"]


def test_a_statement_that_goes_on_has_no_warning(ben):
    assert warnings_of(ben, october()) == []
    assert warnings_of(ben, month("75.00", ("2026-11-02",), "62.50")) == []


def test_money_that_moved_between_two_statements_is_named(ben):
    warnings_of(ben, october())
    assert warnings_of(ben, month("80.00", ("2026-11-03",), "67.50")) == [
        (
            "Lantern Studio: this file opens with 80.00 EUR, and the one before it closed on 30 Oct 2026 with"
            " 75.00 EUR: 5.00 EUR apart; no file covers 31 Oct to 2 Nov 2026 (3 days)."
            " A statement between them may be missing."
        )
    ]


def test_days_that_no_file_covers_are_named_where_no_balance_tells(ben):
    warnings_of(ben, message(statement(entry(booked="2026-10-30"))))
    assert warnings_of(ben, message(statement(entry(booked="2026-11-01", reference="B")))) == [
        (
            "Lantern Studio: no file covers 31 Oct 2026, before this one."
            " If money moved then, import that statement too."
        )
    ]


def test_an_overlap_is_named_with_the_lines_that_were_there(ben):
    warnings_of(ben, october())
    assert warnings_of(ben, month("87.50", ("2026-10-30", "2026-11-02"), "62.50")) == [
        "Lantern Studio: other files cover 30 Oct 2026 too; lines already there, not added again: 1."
    ]


def test_an_overlap_without_a_line_in_common_asks_to_look(ben):
    warnings_of(ben, october())
    other = message(statement(entry("9.99", booked="2026-10-20", reference="X")))
    assert warnings_of(ben, other) == [
        (
            "Lantern Studio: other files cover 20 Oct 2026 too, but none of this file's lines was there;"
            " check for duplicates before confirming."
        )
    ]


def test_a_preview_compares_with_the_files_that_were_imported(ben):
    warnings_of(ben, october())
    form = {"file": (io.BytesIO(month("80.00", ("2026-11-03",), "67.50")), "month.xml"), "dryRun": "true"}
    first = ben.post("/api/feeds/imports", data=form, content_type="multipart/form-data").json["import"]
    assert len(first["warnings"]) == 1
    done = ben.post(f"/api/feeds/imports/{first['id']}/commit")
    assert done.json["import"]["warnings"] == first["warnings"]
