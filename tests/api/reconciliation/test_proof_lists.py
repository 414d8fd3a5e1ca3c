"""Proofs are listed by account, month and whether they hold, and the coverage of a month names its own."""

import pytest

from tests.fixtures.helpers.marks import on_sqlite


@pytest.fixture
def proofs(bank, desk):
    """The proofs of July, and of what follows to the 20th of September: August has no statement of its own."""
    lines = bank.send_many(
        [("2026-07-02", "100.00", "In"), ("2026-07-03", "-40.00", "Out"), ("2026-09-02", "5.00", "Interest")]
    )
    desk.confirm(*lines)
    first, second = desk.prove("2026-07-31", "60.00"), desk.prove("2026-09-20", "65.00")
    return {"lines": lines, "july": first["id"], "september": second["id"]}


def listed(person, **asked):
    answer = person.get("/api/reconciliations", query_string=asked)
    assert answer.status_code == 200, answer.json
    return answer.json["reconciliations"]


def ids(person, **asked):
    return [each["id"] for each in listed(person, **asked)]


def months(person, bank):
    answer = person.get(f"/api/feeds/accounts/{bank.fa_id}/coverage").json["coverage"]
    return {each["month"]: each for each in answer["months"]}


def test_a_proof_is_found_by_any_month_that_its_statement_has_a_day_of(ben, bank, proofs):
    july, september = proofs["july"], proofs["september"]
    assert ids(ben) == [september, july]
    assert [ids(ben, month=f"2026-{each:02}") for each in (6, 7, 8, 9)] == [
        [],
        [july],
        [september],
        [september],
    ]
    assert ids(ben, month="2027-01") == []
    assert ids(ben, **{"from": "2026-07-31", "to": "2026-07-31"}) == [july]
    assert ids(ben, faId=bank.open("Another")) == []
    page = ben.get("/api/reconciliations?limit=1&count=true").json
    assert page["total"] == 2
    assert ids(ben, limit=1, cursor=page["nextCursor"]) == [july]


def test_one_that_does_not_hold_is_listed_with_who_changed_what(ben, bank, desk, proofs):
    assert ids(ben, holds="false") == []
    act = desk.void(desk.line(proofs["lines"][1])["journalEntryId"])
    broken = listed(ben, holds="false")
    assert [each["id"] for each in broken] == [proofs["september"], proofs["july"]]
    cause = broken[-1]
    assert (cause["firstDate"], cause["statementDate"], cause["holds"]) == (None, "2026-07-31", False)
    assert (cause["statementBalance"], cause["brokenBy"]["actionRequestId"]) == (
        "60.00",
        act["actionRequestId"],
    )
    assert cause["brokenBy"] == desk.proof(proofs["july"])["brokenBy"]
    assert (broken[0]["firstDate"], broken[0]["previousId"]) == ("2026-08-01", proofs["july"])
    assert ids(ben, holds="true") == []
    desk.confirm(proofs["lines"][1])
    assert ids(ben, holds="true") == [proofs["september"], proofs["july"]]
    assert listed(ben)[0]["brokenBy"] is None


def test_a_reopened_one_is_listed_apart(ben, desk, proofs):
    desk.reopen()
    assert ids(ben) == [proofs["july"]]
    (taken,) = listed(ben, status="REOPENED")
    assert (taken["id"], taken["holds"]) == (proofs["september"], None)
    assert taken["reopenReason"]


def test_the_coverage_of_a_month_names_its_proofs_and_whether_they_hold(ben, bank, desk, proofs):
    named = {"id": proofs["september"], "statementDate": "2026-09-20", "holds": True}
    found = months(ben, bank)
    assert [found[f"2026-{each}"]["proofs"] for each in ("08", "09")] == [[named], [named]]
    assert (found["2026-07"]["proved"], found["2026-07"]["holds"]) == ("WHOLE", True)
    desk.void(desk.line(proofs["lines"][1])["journalEntryId"])
    july = months(ben, bank)["2026-07"]
    assert (july["holds"], july["proofs"][0]["holds"]) == (False, False)


@on_sqlite
def test_those_of_others_are_not_listed(ada, dan, bank, proofs):
    assert listed(dan) == []
    refused = dan.get(f"/api/reconciliations?faId={bank.fa_id}")
    assert (refused.status_code, refused.json["code"]) == (422, "unknown_reference")
    assert ada.get("/api/reconciliations?month=2026-7").json["fields"] == {
        "month": ["Write a month as YYYY-MM, like 2026-10."]
    }
