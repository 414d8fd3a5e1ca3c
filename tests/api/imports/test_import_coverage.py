"""A file beside the earlier ones of its account: what is missing between them is named, with its days and its money."""

import io

from tests.fixtures.bank_files.camt_files import balance, entry, message, statement


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
        "Lantern Studio: other files cover 30 Oct 2026 too; 1 line was there already and did not come in twice."
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
