"""What comes for a filed period: asked about where somebody writes it, taken where it is a fact, and told apart."""

import pytest

from tests.api.tax.conftest import Taxes, done
from tests.api.tax.test_returns import boxes, file, open_return
from tests.api.tax.test_settled_taxes import Owed


def refused(answer):
    assert (answer.status_code, answer.json["code"]) == (409, "tax_period_filed"), answer.json
    return answer.json["details"]


def test_what_is_written_by_hand_into_a_filed_period_is_asked_about(taxes, bank):
    person = taxes.person
    posted = taxes.sale("2026-02-03", "120.00", "S20")
    line = bank.send("2026-02-04", "-60.00")
    taxes.split(line, ("Software", "-60.00", "P20", {}))
    done(person.post(f"/api/transactions/{line}/confirm", json={}))
    file(taxes, "2026-03-31")
    sale = {"effectiveAt": "2026-04-02", "description": "Sale"}
    late = {"taxPoint": "2026-03-30"}
    sale["postings"] = [
        taxes.posting("Petty cash", "12.00"),
        taxes.posting("Sales of goods", "-12.00", "S20", **late),
    ]
    entry = done(person.post("/api/journal-entries", json=sale))["entry"]["id"]
    taxes.split(line, ("Software", "-60.00", "P10", {}))
    plan = {"note": "Late", "steps": [{"method": "POST", "path": f"/api/journal-entries/{posted}/void"}]}
    plan["steps"][0]["body"] = {"reason": "Twice"}
    doors = [
        ("/api/journal-entries", {**sale, "post": True}),
        (f"/api/journal-entries/{entry}/post", {}),
        (f"/api/journal-entries/{posted}/void", {"reason": "Twice"}),
        (f"/api/transactions/{line}/confirm", {}),
    ]
    details = [refused(person.post(path, json=body)) for path, body in doors]
    assert details[0] == {
        "form": "generic-vat",
        "to": "2026-03-31",
        "amounts": [{"box": "A", "amount": "2.00"}, {"box": "F", "amount": "10.00"}],
    }
    assert details[2]["amounts"][0] == {"box": "A", "amount": "-20.00"}
    assert details[3]["amounts"] == [{"box": "D", "amount": "-4.55"}, {"box": "G", "amount": "4.55"}]
    bulk = done(person.post("/api/transactions/confirm", json={"ids": [line]}))
    assert bulk["results"][0]["code"] == "tax_period_filed"
    wrong = person.post(doors[1][0], json={"late": "yes"})
    assert (wrong.status_code, [*wrong.json["fields"]]) == (422, ["late"])
    for path, body in doors[1:]:
        done(person.post(path, json={**body, "late": True}))
    done_ = done(person.post("/api/journal-entries", json={**sale, "post": True, "late": True}))
    assert "is filed: 2.00 EUR in box A, 10.00 EUR in box F is late" in done_["warnings"][0]
    assert boxes(open_return(taxes)) | {"B": "", "C": ""} == {
        "A": "-16.00",
        "B": "",
        "C": "",
        "D": "-4.55",
        "E": "-11.45",
        "F": "-80.00",
        "G": "4.55",
    }


def test_lines_and_documents_of_a_filed_period_are_taken_with_a_warning(taxes, bank):
    file(taxes, "2026-03-31")
    line = bank.send("2026-03-04", "-60.00")
    taxes.split(line, ("Software", "-60.00", "P20", {}))
    answer = done(taxes.person.post(f"/api/transactions/{line}/confirm", json={}))
    [warning] = answer["warnings"]
    assert "is filed: 10.00 EUR in box D, 50.00 EUR in box G is late" in warning
    second = bank.send("2026-04-04", "-60.00")
    taxes.split(second, ("Software", "-60.00", "P20", {}))
    assert not done(taxes.person.post(f"/api/transactions/{second}/confirm", json={})).get("warnings")
    assert boxes(open_return(taxes))["D"] == "20.00"


@pytest.mark.parametrize(
    ("received", "late_as"), [("2026-04-01", "LATE_CLAIM"), ("2026-03-31", "ERROR"), (None, "LATE_CLAIM")]
)
def test_a_bill_that_came_after_its_period_is_claimed_late(uk, received, late_as):
    file(uk, "2026-03-31")
    body = {"documentType": "BILL", "number": "B-1", "receivedOn": received}
    bill = done(uk.person.post("/api/documents", json=body))
    assert bill["document"]["receivedOn"] == received
    uk.enter(
        "2026-03-20",
        ("Petty cash", "-60.00", None, {}),
        ("Software", "60.00", "P20", {}),
        documentId=bill["document"]["id"],
        force=True,
    )
    [row] = open_return(uk)["late"]
    assert (row["as"], boxes(row)) == (late_as, {"4": "10.00", "7": "50.00"})
    assert open_return(uk)["netErrors"] == ("-10.00" if late_as == "ERROR" else "0.00")
    assert file(uk, "2026-06-30")["late"] == [row]


def test_errors_over_the_limit_are_notified_apart_and_owed_apart(uk, bank):
    uk.sale("2026-02-05", "600.00", "S20")
    file(uk, "2026-03-31")
    assert notify(uk, expect=422)["code"] == "nothing_to_notify"
    uk.sale("2026-03-28", "72000.00", "S20", late=True)
    uk.sale("2026-04-05", "960.00", "S20")
    assert file(uk, "2026-06-30", expect=409)["code"] == "late_over_limit"
    notice = notify(uk)
    assert (notice["kind"], notice["boxes"], notice["payable"], notice["direction"], notice["dueOn"]) == (
        *("NOTICE", [], "12000.00", None, None),
    )
    assert [boxes(row) for row in notice["late"]] == [{"1": "12000.00", "6": "60000.00"}]
    assert uk.legs(notice["journalEntryId"]) == [("VAT payable", "12000.00"), ("Tax authority", "-12000.00")]
    filed = file(uk, "2026-06-30")
    assert (filed["payable"], filed["late"], boxes(filed)["6"]) == ("160.00", [], "800.00")
    body = {"reason": "It was none"}
    path = "/api/tax/returns/{}/withdraw"
    early = uk.person.post(path.format(notice["id"]), json=body)
    assert (early.status_code, early.json["code"]) == (409, "not_newest")
    for each in (filed, notice):
        done(uk.person.post(path.format(each["id"]), json=body))
    assert len(open_return(uk)["late"]) == 1
    assert bank.broken() == []


def notify(uk, expect=201):
    query = {"form": uk.pack, "to": "2026-06-30", "kind": "NOTICE"}
    found = uk.person.get("/api/tax/returns/open", query_string=query)
    if expect != 201:
        assert found.status_code == expect
        return found.json
    body = {**query, "digest": done(found)["taxReturn"]["digest"]}
    return done(uk.person.post("/api/tax/returns", json=body))["taxReturn"]


def test_what_is_out_of_time_is_listed_in_each_return_and_in_no_box(ada, bank):
    uk = Taxes(ada, bank, "GBP", "uk-vat100", "2019-04-01")
    old = uk.purchase("2021-06-10", "6000.00", "P20")
    uk.purchase("2022-01-15", "60.00", "P20")
    for end in ("2026-03-31", "2026-06-30"):
        found = file(uk, end)
        assert [(each["journalEntryId"], boxes(each)) for each in found["outOfTime"]] == [
            (old, {"4": "1000.00", "7": "5000.00"})
        ]
    assert boxes(found)["4"] == "0.00"
    uk.void(old, late=True)
    assert open_return(uk)["outOfTime"] == []


def test_money_that_settles_nothing_is_asked_about_before_a_return_is_filed(taxes, bank):
    person, chart = taxes.person, taxes.accounts
    merchant = done(person.post("/api/merchants", json={"name": "Kestrel"}))["merchant"]["id"]
    line = bank.send("2026-03-04", "60.00")
    split = {"accountId": chart["Trade receivables"], "orgMerchantId": merchant}
    done(person.patch(f"/api/transactions/{line}", json=split))
    done(person.post(f"/api/transactions/{line}/confirm", json={}))
    assert [each["code"] for each in open_return(taxes)["warnings"]] == ["receipts_open"]
    refused_ = file(taxes, "2026-03-31", expect=409)
    items = done(person.get("/api/items"))["items"]
    assert (refused_["code"], refused_["details"]["itemIds"]) == (
        "receipts_open",
        [each["id"] for each in items],
    )
    taxes.enter(
        "2026-03-10",
        ("Trade receivables", "90.00", None, {"orgMerchantId": merchant}),
        ("Sales of services", "-90.00", "S20", {}),
    )
    assert [each["code"] for each in open_return(taxes)["warnings"]] == ["money_open"]
    file(taxes, "2026-03-31")
    line = bank.send("2026-05-04", "7.00")
    done(person.patch(f"/api/transactions/{line}", json={"accountId": chart["Trade receivables"]}))
    done(person.post(f"/api/transactions/{line}/confirm", json={}))
    assert file(taxes, "2026-06-30", expect=409)["code"] == "receipts_open"
    file(taxes, "2026-06-30", note="A deposit for keys")


def test_money_is_asked_about_on_the_cash_basis_though_an_open_invoice_could_take_it(ada, bank):
    books = Owed(ada, bank)
    books.invoice("2026-02-01", "120.00", ("120.00", "S20C"))
    line = bank.send("2026-03-04", "60.00")
    split = {"accountId": books.accounts["Trade receivables"], "orgMerchantId": books.acme}
    done(ada.patch(f"/api/transactions/{line}", json=split))
    done(ada.post(f"/api/transactions/{line}/confirm", json={"force": True}))
    assert file(books, "2026-03-31", expect=409)["code"] == "receipts_open"


def test_the_postings_of_a_return_are_listed_by_box(taxes):
    sale = taxes.sale("2026-02-03", "120.00", "S20")
    charge = taxes.purchase("2026-01-05", "50.00", "P-RC")
    filed = file(taxes, "2026-03-31")
    path = f"/api/tax/returns/{filed['id']}/postings"

    def of(**query):
        found = done(taxes.person.get(path, query_string=query))["postings"]
        return [(each["journalEntryId"], each["accountName"], each["amountBase"]) for each in found]

    assert of(box="A") == [(sale, "VAT payable", "-20.00")]
    assert of(box="C") == [(charge, "VAT payable", "-10.00"), (sale, "VAT payable", "-20.00")]
    assert len(of()) == 5
    first = done(taxes.person.get(path, query_string={"limit": 2}))
    rest = done(taxes.person.get(path, query_string={"limit": 9, "cursor": first["nextCursor"]}))
    assert (len(first["postings"]), len(rest["postings"])) == (2, 3)
    assert first["postings"][0]["boxes"] == [{"form": "generic-vat", "box": "G", "amount": "50.00"}]
    wrong = taxes.person.get(path, query_string={"box": "7"})
    assert (wrong.status_code, [*wrong.json["fields"]]) == (422, ["box"])


def test_the_periods_of_a_pack_change_behind_what_is_filed(taxes):
    path = "/api/tax/packs/generic-vat"

    def change(expect=200, **body):
        answer = taxes.person.patch(path, json=body)
        assert answer.status_code == expect, answer.json
        return answer.json if expect == 200 else answer.json["code"]

    taxes.sale("2026-02-03", "120.00", "S20")
    assert change(expect=409, **{"from": "2026-02-04"}) == "boxed_before"
    assert change(**{"from": "2026-02-01"})["pack"]["from"] == "2026-02-01"
    assert open_return(taxes)["to"] == "2026-04-30"
    assert change(frequency="MONTHLY")["pack"]["frequency"] == "MONTHLY"
    file(taxes, "2026-02-28")
    assert change(expect=422, frequency="QUARTERLY", **{"from": "2026-02-28"}) == "not_a_period"
    pack = change(frequency="QUARTERLY", **{"from": "2026-04-01"})["pack"]
    assert (pack["from"], pack["countedFrom"]) == ("2026-02-01", "2026-04-01")
    found = open_return(taxes)
    assert (found["from"], found["to"]) == ("2026-03-01", "2026-03-31")
    assert open_return(taxes, "2026-06-30")["from"] == "2026-04-01"
    taxes.sale("2026-02-04", "6.00", "S20", late=True)
    assert [each["errorOf"] for each in open_return(taxes)["late"]] == ["2026-02-28"]
    other = taxes.person.patch("/api/tax/packs/uk-vat100", json={"frequency": "MONTHLY"})
    assert (other.status_code, other.json["code"]) == (422, "not_installed")
