"""The pages of moving in: a table waits in the inbox, its rows are looked at, and it is taken and removed."""

from io import BytesIO

import pytest

from webapp.importers.book_tables import KINDS
from webapp.pages.bookkeeping.book_tables import LABELS
from webapp.schemas.documents.book_tables import COLUMNS

pytestmark = pytest.mark.usefixtures("sound")

CHART = b"Code,Name,Type\n9500,Till,Asset\n9600,Takings,Income\n"
OPENING = b"Account,Amount\n9500,10.00\n9600,-10.00\n"


def kept(person, data, kind, name="table.csv", **form):
    pages = person.browser()
    answer = pages.post(
        "/moving-in",
        data={"file": (BytesIO(data), name), "kind": kind, **form},
        content_type="multipart/form-data",
    )
    assert answer.status_code == 303, answer.text
    address = answer.headers["Location"]
    return pages, address.partition("?")[0], pages.get(address)


def test_the_columns_have_one_list():
    assert {key for kind in KINDS.values() for key in kind.columns} == {*COLUMNS} == {*LABELS}


def test_a_table_is_looked_at_taken_and_removed(ada):
    pages, address, page = kept(ada, CHART, "ACCOUNTS", "chart.csv")
    for words in ("chart.csv", "2 rows, 2 new", "Take 2 rows", "Takings", "Asset"):
        assert words in page.text
    taken = pages.post(address, data={"kind": "ACCOUNTS", "of": "ACCOUNTS", "act": "take"})
    assert (taken.status_code, "2 rows taken" in taken.text) == (200, True)
    assert ada.get("/api/inbox").json["files"] == []
    assert "chart.csv" in pages.get("/moving-in").text
    (table,) = ada.get("/api/tables").json["tables"]
    assert pages.post(f"/moving-in/tables/{table['id']}/remove", data={"note": "Wrong"}).status_code == 303
    assert "Nothing was moved in" in pages.get("/moving-in").text


def test_balances_ask_for_their_day_and_say_what_ties(ada):
    pages, address, _ = kept(ada, CHART, "ACCOUNTS")
    pages.post(address, data={"kind": "ACCOUNTS", "of": "ACCOUNTS", "act": "take"})
    pages, address, page = kept(ada, OPENING, "OPENING", "balances.csv")
    assert "Say of which day these balances are" in page.text
    page = pages.post(address, data={"kind": "OPENING", "of": "OPENING", "on": "2026-02-28"})
    assert page.text.count("Ties") == 2
    wrong = pages.post(address, data={"kind": "JOURNAL", "of": "OPENING", "on": "2026-02-28"})
    assert "No column is named as the date" in wrong.text


def test_a_day_far_ahead_is_asked_about_and_taken_where_it_is_meant(ada):
    pages, address, _ = kept(ada, CHART, "ACCOUNTS")
    pages.post(address, data={"kind": "ACCOUNTS", "of": "ACCOUNTS", "act": "take"})
    pages, address, page = kept(ada, OPENING, "OPENING", on="2058-02-28")
    assert "28 Feb 2058 is more than a year ahead" in page.text
    form = {"kind": "OPENING", "of": "OPENING", "on": "2058-02-28"}
    asked = pages.post(address, data=form)
    assert 'name="force"' in asked.text
    page = pages.post(address, data={**form, "force": "true"})
    assert page.text.count("Ties") == 2
    taken = pages.post(address, data={**form, "force": "true", "act": "take"})
    assert (taken.status_code, "2 rows taken" in taken.text) == (200, True)


def test_a_row_that_stands_against_a_table_is_named_in_its_place(ada):
    _, _, page = kept(ada, OPENING, "OPENING", on="2026-02-28")
    assert "The books have no account “9500”" in page.text
    assert "a table is taken whole" in page.text


def test_only_owners_move_books_in(ben):
    pages = ben.browser()
    assert pages.get("/moving-in").status_code == 200
    sent = {"file": (BytesIO(CHART), "chart.csv"), "kind": "ACCOUNTS"}
    assert pages.post("/moving-in", data=sent, content_type="multipart/form-data").status_code == 403
