"""Tax returns: what is open, what filing puts into one for good, and what comes late."""

import pytest

from tests.api.tax.conftest import done


def open_return(taxes, to=None, **query):
    body = {"form": taxes.pack, **({"to": to} if to else {}), **query}
    return done(taxes.person.get("/api/tax/returns/open", query_string=body))["taxReturn"]


def file(taxes, to, expect=201, **body):
    digest = open_return(taxes, to)["digest"]
    answer = taxes.person.post(
        "/api/tax/returns", json={"form": taxes.pack, "to": to, "digest": digest, **body}
    )
    assert answer.status_code == expect, answer.json
    return answer.json["taxReturn"] if expect == 201 else answer.json


def boxes(found):
    return {each["box"]: each["amount"] for each in found["boxes"]}


def read(taxes, filed):
    return done(taxes.person.get(f"/api/tax/returns/{filed['id']}"))["taxReturn"]


def filled(**some):
    return {box: some.get(box, "0.00") for box in "ABCDEFG"}


def test_a_return_has_what_is_in_no_return_and_owes_it_to_the_authority(taxes, bank):
    taxes.sale("2026-02-03", "120.00", "S20")
    taxes.purchase("2026-03-31", "11.00", "P10")
    taxes.purchase("2026-03-01", "50.00", "P-RC")
    taxes.sale("2026-04-01", "24.00", "S20")
    found = open_return(taxes)
    expected = filled(A="20.00", B="10.00", C="30.00", D="11.00", E="19.00", F="100.00", G="60.00")
    assert (found["from"], found["to"], found["status"], boxes(found)) == (
        "2026-01-01",
        "2026-03-31",
        "OPEN",
        expected,
    )
    filed = file(taxes, "2026-03-31", reference="R1")
    assert (boxes(filed), filed["payable"], filed["status"], filed["filedBy"]) == (
        expected,
        "19.00",
        "FILED",
        "Ada's program",
    )
    assert taxes.legs(filed["journalEntryId"]) == [
        ("VAT payable", "30.00"),
        ("VAT receivable", "-11.00"),
        ("Tax authority", "-19.00"),
    ]
    assert boxes(open_return(taxes)) == filled(A="4.00", C="4.00", E="4.00", F="20.00")
    listed = done(taxes.person.get("/api/tax/returns"))["taxReturns"]
    assert [each["id"] for each in listed] == [filed["id"]]
    assert read(taxes, filed) == {**filed, "sinceFiling": []}
    assert bank.broken() == []


def test_what_comes_late_enters_the_next_return_and_no_filed_one_changes(taxes, bank):
    wrong = taxes.sale("2026-02-03", "120.00", "S20")
    filed = file(taxes, "2026-03-31")
    late = taxes.sale("2026-03-30", "60.00", "S20", late=True)
    taxes.void(wrong, late=True)
    nothing = taxes.sale("2026-03-30", "6.00", "S20", late=True)
    taxes.void(nothing, late=True)
    found = open_return(taxes)
    assert boxes(found) == filled(A="-10.00", C="-10.00", E="-10.00", F="-50.00")
    rows = [
        (each["journalEntryId"], each["taxPoint"], each["as"], each["errorOf"], boxes(each))
        for each in found["late"]
    ]
    assert rows == [
        (wrong, "2026-02-03", "ERROR", "2026-03-31", {"A": "-20.00", "F": "-100.00"}),
        (late, "2026-03-30", "ERROR", "2026-03-31", {"A": "10.00", "F": "50.00"}),
    ]
    again = file(taxes, "2026-06-30")
    assert again["late"] == found["late"]
    since = read(taxes, filed).pop("sinceFiling")
    assert read(taxes, filed) == {**filed, "sinceFiling": since}
    added = [(each["journalEntryId"], each["actor"], each["box"], each["amount"]) for each in since]
    [void] = {each[0] for each in added} - {late, nothing, nothing + 1}
    assert [each for each in added if each[0] in (late, void)] == [
        (late, "Ada's program", "A", "10.00"),
        (late, "Ada's program", "F", "50.00"),
        (void, "Ada's program", "A", "-20.00"),
        (void, "Ada's program", "F", "-100.00"),
    ]
    assert read(taxes, again)["sinceFiling"] == []
    assert boxes(open_return(taxes)) == filled()
    assert bank.broken() == []


def test_the_form_of_the_united_kingdom_shows_whole_pounds_and_its_day(uk):
    uk.sale("2026-01-15", "104.99", "S20")
    uk.purchase("2026-02-02", "333.33", "P-RCS")
    uk.enter("2026-03-01", ("Petty cash", "50.66", None, {}), ("Software", "-50.66", "P0", {}))
    found = open_return(uk, "2026-03-31")
    whole = {"6": "420", "7": "282"}
    assert boxes(found) == {
        "1": "84.17",
        "2": "0.00",
        "3": "84.17",
        "4": "66.67",
        "5": "17.50",
        **{box: f"{whole.get(box, '0')}.00" for box in "6789"},
    }
    assert (found["payable"], found["direction"], found["dueOn"]) == ("17.50", "PAY", "2026-05-07")
    item = uk.legs(file(uk, "2026-03-31")["journalEntryId"])
    assert item[-1] == ("Tax authority", "-17.50")


@pytest.mark.parametrize(
    ("sale", "base", "status"),
    [("72000.00", "960.00", 409), ("72000.00", "1560000.00", 201), ("312000.00", "60000000.00", 409)],
)
def test_net_errors_over_the_limit_are_not_adjusted_in_a_return(uk, sale, base, status):
    file(uk, "2026-03-31")
    uk.sale("2026-03-28", sale, "S20", late=True)
    uk.sale("2026-04-05", base, "S20")
    answer = file(uk, "2026-06-30", expect=status)
    if status == 409:
        assert (answer["code"], answer["details"]["netErrors"]) == (
            "late_over_limit",
            f"{float(sale) / 6:.2f}",
        )


def test_a_return_is_filed_as_it_was_looked_at_and_in_order(taxes):
    taxes.sale("2026-02-03", "120.00", "S20")
    seen = open_return(taxes)
    body = {"form": taxes.pack, "to": "2026-03-31", "digest": seen["digest"]}
    taxes.sale("2026-02-04", "12.00", "S20")
    moved = taxes.person.post("/api/tax/returns", json=body)
    assert (moved.status_code, moved.json["code"]) == (409, "moved")
    wrong = taxes.person.post("/api/tax/returns", json={**body, "to": "2026-03-30"})
    other = taxes.person.post("/api/tax/returns", json={**body, "form": "uk-vat100"})
    assert [(each.status_code, each.json["code"]) for each in (wrong, other)] == [
        (422, "not_a_period"),
        (422, "not_installed"),
    ]
    body["digest"] = open_return(taxes)["digest"]
    assert taxes.person.post("/api/tax/returns", json=body).status_code == 201
    assert (open_return(taxes)["to"], open_return(taxes, "2026-09-30")["from"]) == (
        "2026-06-30",
        "2026-07-01",
    )
    twice = taxes.person.post("/api/tax/returns", json=body)
    assert (twice.status_code, twice.json["code"]) == (422, "not_a_period")


def test_the_taxes_of_a_return_are_settled_on_the_first_open_day_behind_all_that_it_clears(taxes, bank):
    """Its own end, the latest entry that it clears, or the first open day after both; its reversal is not before."""

    def settled_on(filed):
        entry = done(taxes.person.get(f"/api/journal-entries/{filed['journalEntryId']}"))["entry"]
        return entry["effectiveAt"][:10]

    taxes.sale("2026-02-03", "120.00", "S20")
    assert settled_on(file(taxes, "2026-03-31")) == "2026-03-31"
    taxes.sale("2026-07-09", "120.00", "S20", taxPoint="2026-06-30")
    second = file(taxes, "2026-06-30")
    assert settled_on(second) == "2026-07-09"
    bank.lock("2026-10-15")
    done(taxes.person.post(f"/api/tax/returns/{second['id']}/withdraw", json={"reason": "Again"}))
    assert settled_on(file(taxes, "2026-06-30")) == "2026-10-16"
    days = [each["effectiveAt"][:10] for each in done(taxes.person.get("/api/journal-entries"))["entries"]]
    # The reversal and the entry of the return that was filed again.
    assert days.count("2026-10-16") == 2
    assert bank.broken() == []


def test_the_newest_return_is_withdrawn_and_filed_again(taxes, bank):
    taxes.sale("2026-02-03", "120.00", "S20")
    first = file(taxes, "2026-03-31")
    second = file(taxes, "2026-06-30")
    assert second["journalEntryId"] is None
    body = {"reason": "A sale was missing"}
    refused = taxes.person.post(f"/api/tax/returns/{first['id']}/withdraw", json=body)
    assert (refused.status_code, refused.json["code"]) == (409, "not_newest")
    for each in (second, first):
        withdrawn = done(taxes.person.post(f"/api/tax/returns/{each['id']}/withdraw", json=body))["taxReturn"]
        assert withdrawn["status"] == "WITHDRAWN"
    assert taxes.person.post(f"/api/tax/returns/{first['id']}/withdraw", json=body).status_code == 409
    taxes.sale("2026-02-04", "12.00", "S20")
    again = file(taxes, "2026-03-31")
    assert (again["payable"], boxes(again)["F"], again["late"]) == ("22.00", "110.00", [])
    void = taxes.person.post(f"/api/journal-entries/{again['journalEntryId']}/void", json=body)
    assert (void.status_code, void.json["code"]) == (409, "settlement")
    assert bank.broken() == []


def test_a_return_of_which_something_is_paid_is_not_withdrawn(taxes, bank):
    taxes.sale("2026-02-03", "120.00", "S20")
    filed = file(taxes, "2026-03-31")
    listed = taxes.person.get("/api/items").json["items"]
    item = next(each for each in listed if each["journalEntryId"] == filed["journalEntryId"])
    line = bank.send("2026-05-07", "-20.00", "VAT")
    done(
        taxes.person.patch(
            f"/api/transactions/{line}", json={"settles": [{"itemId": item["id"], "amount": "-20.00"}]}
        )
    )
    done(taxes.person.post(f"/api/transactions/{line}/confirm", json={}))
    refused = taxes.person.post(f"/api/tax/returns/{filed['id']}/withdraw", json={"reason": "Wrong"})
    assert (refused.status_code, refused.json["code"]) == (409, "paid")
