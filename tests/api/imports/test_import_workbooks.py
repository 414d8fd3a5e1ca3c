"""A workbook comes in over the API as any other file does: by what it tells, or by a mapping that names its sheet."""

import json

import pytest

from tests.api.imports.test_imports import counted, imported, lines_of, send
from tests.fixtures.bank_files.xlsx_files import day, workbook

# The type of a workbook is longer than most: PostgreSQL holds texts to the length of their columns.
pytestmark = pytest.mark.both

MAY = [(day(46143), "Tea", -3.5), (day(46144), "Pay", 1200), (day(46145), "Rent", -800)]
JUNE = [(day(46174), "Tea", -4.5)]


def test_a_workbook_comes_in_and_never_twice(ben):
    answer = imported(ben, workbook(MAY), "may.xlsx")
    assert (answer["format"], answer["accounts"][0]["sum"]) == ("xlsx", "396.50")
    assert lines_of(ben) == [
        ("2026-05-01", "-3.50", "BOOKED"),
        ("2026-05-02", "1200.00", "BOOKED"),
        ("2026-05-03", "-800.00", "BOOKED"),
    ]
    assert counted(imported(ben, workbook(MAY), "again.xls")) == [(0, 3, 0, 0)]


def test_a_mapping_names_the_sheet(ben):
    data = workbook(MAY, JUNE, names=("May", "June"))
    refused = send(ben, data, "both.xlsx")
    assert refused.status_code == 422
    assert "as sheet" in refused.json["error"]
    assert refused.json["import"]["status"] == "REFUSED"
    answer = imported(ben, data, "both.xlsx", mapping=json.dumps({"sheet": "June"}))
    assert (answer["format"], counted(answer)) == ("xlsx", [(1, 0, 0, 0)])
