"""Schedules: what is released or recurs in parts, and entries that reverse themselves."""

import pytest


class Desk:
    """A person who writes schedules of the first months of 2026."""

    def __init__(self, person, bank):
        self.person, self.bank = person, bank
        listed = person.get("/api/accounts?limit=200").json["accounts"]
        self.ids = {each["name"]: each["id"] for each in listed}
        self.prepaid = bank.account("Prepayments", "ASSET")

    def release(self, amount="1200.00", *, expect=201, **facts):
        body = {
            "kind": "RELEASE", "name": "Insurance", "startsOn": "2026-01-01", "amount": amount,
            "accountId": self.prepaid, "counterAccountId": self.ids["Insurance"], **facts,
        }  # fmt: skip
        return self.make(body, expect)

    def recur(self, postings, *, expect=201, **facts):
        body = {"kind": "RECURRING", "name": "Rent", "startsOn": "2026-01-31", "postings": postings, **facts}
        return self.make(body, expect)

    def make(self, body, expect):
        answer = self.person.post("/api/schedules", json=body)
        assert answer.status_code == expect, answer.json
        return answer.json["schedule"]["id"] if expect == 201 else answer.json

    def run(self, until="2026-05-10"):
        answer = self.person.post("/api/schedules/run", json={"until": until})
        assert answer.status_code == 200, answer.json
        return answer.json["results"]

    def read(self, schedule_id):
        return self.person.get(f"/api/schedules/{schedule_id}").json["schedule"]

    def parts(self, schedule_id):
        return [
            (each["dueOn"], each["amount"], each["state"], each["effectiveAt"])
            for each in self.read(schedule_id)["parts"]
        ]

    def leg(self, account, amount, **facts):
        return {"accountId": self.ids[account], "amount": amount, **facts}

    def enter(self, *legs, day="2026-01-31", expect=201, **facts):
        body = {"effectiveAt": day, "postings": legs, "post": True, **facts}
        answer = self.person.post("/api/journal-entries", json=body)
        assert answer.status_code == expect, answer.json
        return answer.json

    def result(self, to, first="2026-01-01"):
        report = self.person.get(f"/api/reports/profit-and-loss?from={first}&to={to}").json["profitAndLoss"]
        return report["result"]["amount"]


@pytest.fixture
def writer(ada, bank):
    return Desk(ada, bank)


def test_a_release_posts_what_is_due_once_and_behind_a_lock_on_the_first_open_day(writer, bank):
    made = writer.release(periods=12)
    bank.lock("2026-03-31")
    results = writer.run()
    assert [each["status"] for each in results] == ["EXECUTED"] * 4
    assert [each.get("warningCodes", []) for each in results] == [["moved_by_lock"]] * 3 + [[]]
    assert writer.parts(made)[:5] == [
        ("2026-01-31", "100.00", "POSTED", "2026-04-01"),
        ("2026-02-28", "100.00", "POSTED", "2026-04-01"),
        ("2026-03-31", "100.00", "POSTED", "2026-04-01"),
        ("2026-04-30", "100.00", "POSTED", "2026-04-30"),
        ("2026-05-31", "100.00", "DUE", None),
    ]
    assert (writer.run(), writer.result("2026-04-30")) == ([], "-400.00")
    close = writer.person.get("/api/closes/2026-03").json["close"]
    assert (close["cutOff"]["count"], close["cutOff"]["result"]) == (3, "-300.00")
    entry = writer.person.get("/api/journal-entries?source=schedule").json["entries"][0]
    assert (entry["source"], entry["canVoid"]) == ("schedule", True)
    page = writer.person.browser().get("/schedules").text
    assert "Insurance" in page
    assert bank.broken() == []


def change(writer, made, *, expect=200, **changes):
    answer = writer.person.patch(f"/api/schedules/{made}", json=changes)
    assert answer.status_code == expect, answer.json
    return answer.json


def test_a_change_touches_only_parts_that_are_not_posted(writer, bank):
    origin = writer.enter(writer.leg("Rent", "10.00"), writer.leg("Petty cash", "-10.00"))["entry"]["id"]
    made = writer.release(periods=4, originEntryId=origin)
    writer.run("2026-01-31")
    told = change(writer, made, amount="1000.00", name="Cover", counterAccountId=writer.ids["Rent"])
    assert told["schedule"]["originEntryId"] == origin
    assert [each["amount"] for each in told["schedule"]["parts"]] == ["300.00", "233.33", "233.34", "233.33"]
    assert change(writer, made, amount="1000.00")["changed"] is False
    writer.run("2026-02-28")
    lines = writer.person.get("/api/journal-entries?source=schedule").json["entries"]
    names = {each["description"]: {leg["accountName"] for leg in each["postings"]} for each in lines}
    assert names == {"Insurance": {"Prepayments", "Insurance"}, "Cover": {"Prepayments", "Rent"}}
    refused = change(writer, made, amount="500.00", expect=422)
    assert (refused["code"], list(refused["fields"])) == ("schedule_rest", ["amount"])
    refused = change(writer, made, postings=[writer.leg("Rent", "1.00")] * 2, expect=422)
    assert refused["code"] == "schedule_fixed"
    assert bank.broken() == []


def test_what_recurs_is_changed_for_the_parts_that_come(writer):
    legs = [writer.leg("Rent", "10.00"), writer.leg("Petty cash", "-10.00")]
    made = writer.recur(legs, periods=3)
    writer.run("2026-01-31")
    change(writer, made, postings=[writer.leg("Rent", "12.00"), writer.leg("Petty cash", "-12.00")])
    uneven = [writer.leg("Rent", "12.00"), writer.leg("Petty cash", "-11.00")]
    assert change(writer, made, postings=uneven, expect=422)["code"] == "unbalanced"
    writer.run("2026-02-28")
    assert writer.result("2026-02-28") == "-22.00"
    writer.person.post(f"/api/schedules/{made}/stop", json={"note": "It ended"})
    assert change(writer, made, name="Other", expect=409)["code"] == "stopped"


def test_what_recurs_as_an_amount_is_given_for_each_part(writer, bank):
    made = writer.release("10.00", kind="RECURRING", periods=3)
    told = writer.read(made)
    assert (told["split"], told["accountId"], told["amount"], told["amountBase"]) == (
        "GIVEN", writer.prepaid, "10.00", "10.00",
    )  # fmt: skip
    assert writer.read(writer.release(periods=2))["split"] == "EQUAL"
    writer.run("2026-01-31")
    told = change(writer, made, amount="12.00", accountId=writer.ids["Petty cash"])["schedule"]
    assert [each["amount"] for each in told["parts"]] == ["10.00", "12.00", "12.00"]
    assert (told["accountId"], told["counterAccountId"]) == (
        writer.ids["Petty cash"],
        writer.ids["Insurance"],
    )
    assert change(writer, made, amount="12.00")["changed"] is False
    assert change(writer, made, accountId=99999, expect=422)["code"] == "unknown_reference"
    uneven = [writer.leg("Rent", "10.00", reference="A1"), writer.leg("Petty cash", "-10.00")]
    split = writer.recur(uneven, periods=2)
    assert change(writer, split, amount="11.00", expect=422)["code"] == "schedule_fixed"
    assert (writer.read(split)["split"], writer.read(split)["amount"]) == ("GIVEN", None)
    bank.quote("2026-01-01", "USD", "1.25")
    foreign = writer.release("10.00", kind="RECURRING", currency="USD", periods=1)
    writer.run("2026-01-31")
    told = writer.read(foreign)
    assert [(each["amount"], each["amountBase"], each["state"]) for each in told["parts"]] == [
        ("10.00", None, "POSTED"),
    ]  # fmt: skip
    assert bank.broken() == []


def test_a_foreign_release_has_the_shares_of_its_first_worth(writer, bank):
    wrong = writer.release("1200.00", currency="USD", periods=12, expect=422)
    assert wrong["code"] == "amount_base"
    made = writer.release("1200.00", currency="USD", amountBase="1091.73", periods=12)
    found = [(each["amount"], each["amountBase"]) for each in writer.read(made)["parts"]][:4]
    assert found == [("100.00", "90.98"), ("100.00", "90.98"), ("100.00", "90.97"), ("100.00", "90.98")]
    writer.run("2026-02-28")
    assert writer.result("2026-02-28") == "-181.96"


def test_a_refused_part_stays_due_and_stops_no_other(writer, bank):
    made = writer.recur(
        [writer.leg("Rent", "10.00", currency="USD"), writer.leg("Petty cash", "-10.00", currency="USD")],
        periods=3,
    )
    bank.quote("2026-01-31", "USD", "1.25")
    bank.quote("2026-03-31", "USD", "1.25")
    writer.run("2026-03-31")
    assert [each["state"] for each in writer.read(made)["parts"]] == ["POSTED", "REFUSED", "POSTED"]
    assert "No USD rate" in writer.read(made)["parts"][1]["refusal"]
    (step,) = [
        each
        for each in writer.person.get("/api/closes/2026-03").json["close"]["steps"]
        if each["code"] == "schedules"
    ]
    assert (step["state"], step["count"]) == ("TO_DO", 1)
    bank.quote("2026-02-28", "USD", "1.25")
    writer.run("2026-03-31")
    assert [each["state"] for each in writer.read(made)["parts"]] == ["POSTED"] * 3


def test_a_voided_part_is_due_again_and_posts_by_hand_only(writer):
    made = writer.release("300.00", periods=3)
    writer.run("2026-01-31")
    first = writer.read(made)["parts"][0]["journalEntryId"]
    writer.person.post(f"/api/journal-entries/{first}/void", json={"reason": "Wrong"})
    assert writer.parts(made)[0][2] == "DUE"
    assert writer.run("2026-01-31") == []
    address = f"/api/schedules/{made}/parts"
    assert writer.person.post(f"{address}/1/post").status_code == 200
    again = writer.person.post(f"{address}/1/post")
    assert (again.status_code, again.json["code"]) == (409, "part_done")
    assert writer.person.post(f"{address}/2/skip", json={"note": "Cancelled"}).status_code == 200
    stopped = writer.person.post(f"/api/schedules/{made}/stop", json={"note": "Ended", "release": True})
    assert stopped.status_code == 200, stopped.json
    assert [each[2] for each in writer.parts(made)] == ["POSTED", "SKIPPED", "POSTED"]
    assert writer.result("2026-12-31") == "-200.00"
    assert writer.person.post(f"{address}/9/post").status_code == 404


def test_taxes_recur_unless_their_period_is_filed(ada, bank):
    writer = Desk(ada, bank)
    assert ada.post("/api/tax/packs/generic-vat/install", json={"from": "2026-01-01"}).status_code == 201
    codes = ada.get("/api/tax/codes?limit=200").json["taxCodes"]
    code = next(each["id"] for each in codes if each["code"] == "P20")
    taxed = [writer.leg("Software", "120.00", taxCodeId=code), writer.leg("Petty cash", "-120.00")]
    made = writer.recur(taxed, startsOn="2026-02-28", periods=3, dayRule="LAST_DAY")
    digest = ada.get("/api/tax/returns/open?form=generic-vat").json["taxReturn"]
    body = {"form": "generic-vat", "to": digest["to"], "digest": digest["digest"]}
    assert ada.post("/api/tax/returns", json=body).status_code == 201
    writer.run("2026-04-30")
    assert [each["state"] for each in writer.read(made)["parts"]] == ["REFUSED", "REFUSED", "POSTED"]
    assert writer.read(made)["parts"][0]["refusalCode"] == "tax_period_filed"
    first = f"/api/schedules/{made}/parts/1/post"
    assert ada.post(first).json["code"] == "tax_period_filed"
    assert ada.post(first, json={"late": True}).status_code == 200
    assert writer.read(made)["parts"][0]["state"] == "POSTED"
    refused = writer.release(postings=taxed, periods=2, expect=422)
    assert refused["code"] == "no_tax_here"
    reversing = writer.enter(*taxed, day="2026-04-30", reversesOn="2026-05-01", expect=422)
    assert reversing["code"] == "no_tax_here"


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({}, "schedule_length"),
        ({"periods": 2, "endsOn": "2026-03-31"}, "schedule_length"),
        ({"endsOn": "2025-12-31"}, "schedule_length"),
        ({"periods": 2, "amount": "0.00"}, "amount_base"),
        ({"periods": 2, "accountId": None}, "unknown_reference"),
        ({"periods": 2, "kind": "RECURRING", "amount": None}, "no_tax_here"),
        ({"periods": 2, "kind": "RECURRING", "counterAccountId": None}, "unknown_reference"),
    ],
)
def test_a_schedule_that_cannot_be_is_refused(writer, facts, code):
    answer = writer.release(**facts, expect=422)
    assert answer["code"] == code
    assert writer.person.get("/api/schedules").json["schedules"] == []


def test_an_entry_and_its_reversal_are_one_act_and_one_void(writer, bank):
    legs = writer.leg("Rent", "240.00"), writer.leg("Trade payables", "-240.00")
    wrong = writer.enter(*legs, reversesOn="2026-01-31", expect=422)
    assert (wrong["code"], "reversesOn" in wrong["fields"]) == ("reverses_before", True)
    assert writer.enter(*legs, reversesOn="2026-02-01", post=False, expect=422)["code"] == "reverses_posted"
    made = writer.enter(*legs, reversesOn="2026-02-01", description="Rent of January")
    assert (writer.result("2026-01-31"), writer.result("2026-02-01")) == ("-240.00", "0.00")
    assert writer.run() == []
    bank.lock("2026-01-31")
    entry = made["entry"]["id"]
    voided = writer.person.post(f"/api/journal-entries/{entry}/void", json={"reason": "Wrong"})
    assert len(voided.json["result"]["voidedJournalEntryIds"]) == 2
    assert (writer.result("2026-01-31"), writer.result("2026-02-01")) == ("-240.00", "0.00")
    statuses = [each["status"] for each in writer.person.get("/api/journal-entries").json["entries"]]
    assert sorted(statuses) == ["POSTED", "POSTED", "VOIDED", "VOIDED"]
    assert bank.broken() == []


def test_an_asset_is_depreciated_in_a_straight_line_or_at_a_rate(writer, bank):
    asset = {"kind": "DEPRECIATION", "name": "Van", "startsOn": "2026-01-10"}
    straight = writer.release("12000.00", residual="2000.00", periods=48, firstMonth="NEXT", **asset)
    assert writer.parts(straight)[0][:2] == ("2026-02-28", "208.33")
    assert writer.parts(straight)[-1][:2] == ("2030-01-31", "208.33")
    reducing = writer.release("10000.00", method="REDUCING", rate="25", endsOn="2028-12-31", **asset)
    amounts = [each["amount"] for each in writer.read(reducing)["parts"]]
    assert [amounts[0], amounts[12], amounts[-1]] == ["208.33", "156.25", "117.19"]
    writer.run("2026-01-31")
    assert writer.result("2026-01-31") == "-208.33"
    for facts in ({"residual": "12000.00"}, {"every": "YEAR"}, {"method": "REDUCING"}, {"amount": "-1.00"}):
        refused = writer.release(**{"amount": "12000.00", **asset, **facts}, periods=3, expect=422)
        assert refused["code"] in ("asset", "rate", "no_tax_here"), refused


def test_a_loan_posts_its_interest_and_no_more(writer):
    loan = {"kind": "LOAN", "name": "Bank loan", "startsOn": "2026-01-31", "periods": 12, "rate": "6"}
    made = writer.release("12000.00", payment="1032.80", **loan)
    parts = writer.parts(made)
    assert (parts[0][:2], parts[1][:2]) == (("2026-01-31", "60.00"), ("2026-02-28", "55.14"))
    writer.run("2026-02-28")
    assert writer.result("2026-02-28") == "-115.14"
    assert writer.release("12000.00", payment="60.00", **loan, expect=422)["code"] == "payment"


def test_what_an_entry_prepays_is_spread_from_its_page(writer):
    legs = [{"accountId": writer.prepaid, "amount": "120.00"}, writer.leg("Petty cash", "-120.00")]
    entry = writer.enter(*legs, description="Cover of the year")["entry"]["id"]
    browser = writer.person.browser()
    address = f"/schedules?spread={entry}&accountId={writer.prepaid}"
    assert address.replace("&", "&amp;") in browser.get(f"/journal/{entry}").text
    form = browser.get(address).text
    assert 'value="Cover of the year"' in form
    assert 'value="120.00"' in form
    typed = {
        "kind": "RELEASE",
        "name": "Cover",
        "amount": "120.00",
        "startsOn": "2026-01-31",
        "periods": "12",
    }
    typed |= {"every": "MONTH", "accountId": writer.prepaid, "counterAccountId": writer.ids["Insurance"]}
    answer = browser.post("/schedules", data={**typed, "originEntryId": entry})
    assert answer.status_code == 303, answer.text
    (made,) = writer.person.get("/api/schedules").json["schedules"]
    assert (made["originEntryId"], made["parts"][0]["amount"]) == (entry, "10.00")


def test_drafts_of_parts_wait_for_somebody_and_are_taken_back_by_changes(writer, bank):
    made = writer.release("300.00", periods=3)
    drafter = writer.person.with_scopes("draft", "read")
    refused = drafter.post("/api/schedules/run", json={"until": "2026-02-28"})
    assert refused.status_code == 403
    answer = drafter.post("/api/schedules/run", json={"until": "2026-02-28", "post": False})
    assert [each["status"] for each in answer.json["results"]] == ["EXECUTED"] * 2
    assert [each[2] for each in writer.parts(made)] == ["DRAFT", "DRAFT", "DUE"]
    assert (writer.result("2026-12-31"), writer.run("2026-02-28")) == ("0.00", [])
    first, second = (each["journalEntryId"] for each in writer.read(made)["parts"][:2])
    bank.lock("2026-01-15")
    assert writer.person.post(f"/api/journal-entries/{first}/post").status_code == 200
    assert writer.person.delete(f"/api/journal-entries/{second}").status_code == 200
    assert [each[2] for each in writer.parts(made)] == ["POSTED", "DUE", "DUE"]
    drafter.post("/api/schedules/run", json={"until": "2026-02-28", "post": False})
    told = change(writer, made, amount="500.00")["schedule"]["parts"]
    assert [(each["amount"], each["state"]) for each in told] == [
        ("100.00", "POSTED"), ("200.00", "DUE"), ("200.00", "DUE"),
    ]  # fmt: skip
    drafter.post("/api/schedules/run", json={"until": "2026-02-28", "post": False})
    assert writer.person.post(f"/api/schedules/{made}/parts/2/post").status_code == 200
    assert writer.result("2026-12-31") == "-300.00"
    assert bank.broken() == []


def test_a_draft_of_a_locked_day_keeps_what_it_is_about(writer, bank):
    made = writer.release("300.00", periods=3)
    bank.lock("2026-01-31")
    writer.person.post("/api/schedules/run", json={"until": "2026-01-31", "post": False})
    entry = writer.read(made)["parts"][0]["journalEntryId"]
    answer = writer.person.post(f"/api/journal-entries/{entry}/post")
    assert "moved_by_lock" in str(answer.json)
    assert writer.person.get("/api/closes/2026-01").json["close"]["cutOff"]["count"] == 1
