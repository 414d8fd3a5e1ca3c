"""Taxes of what is settled: by money, by a discount or a credit note, before an invoice, or never."""

import pytest

from tests.api.tax.conftest import Taxes, done
from webapp.queries.checks import taxes


class Owed(Taxes):
    """Books with taxes that owe and are owed; amounts of items are without a sign."""

    def __init__(self, person, bank, pack="uk-vat100", basis="CASH", base="GBP", start="2026-01-01"):
        bank.rebase(base)
        done(person.post(f"/api/tax/packs/{pack}/install", json={"from": start, "basis": basis}))
        self.person, self.bank, self.pack, self.base = person, bank, pack, base
        self.read()
        self.acme = bank.merchant("Acme")
        self.fa_id = bank.open("Main", base)

    def read(self):
        codes = self.person.get("/api/tax/codes?limit=200").json["taxCodes"]
        self.codes = {each["code"]: each["id"] for each in codes}
        self.names = {number: code for code, number in self.codes.items()}
        listed = self.person.get("/api/accounts?limit=200").json["accounts"]
        self.accounts = {each["name"]: each["id"] for each in listed}

    def invoice(self, day, gross, *lines, name="INV", **facts):
        """Owe us a gross amount of lines (amount with tax, code), or a credit note where that is below zero."""
        owed = self.posting("Trade receivables", gross, orgMerchantId=self.acme, reference=name)
        sold = [self.posting("Sales of services", opposite(amount), code) for amount, code in lines]
        body = {"effectiveAt": day, "description": name, "postings": [owed, *sold], "post": True, **facts}
        return done(self.person.post("/api/journal-entries", json=body))["entry"]["id"]

    def bill(self, day, gross, code, **facts):
        owed = self.posting("Trade payables", f"-{gross}", orgMerchantId=self.acme, dueOn=day)
        body = {"effectiveAt": day, "description": "Bill", "post": True, **facts}
        body["postings"] = [owed, self.posting("Software", gross, code)]
        return done(self.person.post("/api/journal-entries", json=body))["entry"]["id"]

    def item(self, entry):
        found = self.person.get("/api/items?limit=100").json["items"]
        return next(each for each in found if each["journalEntryId"] == entry)

    def pay(self, day, amount, *entries, short=None):
        """Let a line pay items of entries, and confirm it."""
        line = self.bank.send(day, amount)
        settles = [{"itemId": self.item(entry)["id"], "amount": size} for entry, size in entries]
        body = {"settles": settles, "force": True, **({"short": short} if short else {})}
        done(self.person.patch(f"/api/transactions/{line}", json=body))
        done(self.person.post(f"/api/transactions/{line}/confirm", json={"force": True}))
        return line

    def settle(self, *parts):
        body = [{"itemId": self.item(entry)["id"], "amount": amount} for entry, amount in parts]
        return done(self.person.post("/api/settlements", json={"parts": body}))["settlement"]["id"]

    def boxes(self, to, *wanted):
        query = {"form": self.pack, "to": to}
        found = done(self.person.get("/api/tax/returns/open", query_string=query))["taxReturn"]
        boxes = {each["box"]: each["exact"] for each in found["boxes"]}
        return [boxes[each] for each in wanted]

    def balance(self, name):
        listed = self.person.get("/api/accounts?limit=200").json["accounts"]
        return next(each["balanceBase"] for each in listed if each["name"] == name)


def opposite(amount):
    return amount[1:] if amount.startswith("-") else f"-{amount}"


@pytest.fixture
def owed(ada, bank):
    """Books in pounds whose tax is due by money."""
    return Owed(ada, bank)


WAITING = "VAT waiting for customers' money"


@pytest.mark.parametrize(
    ("base", "pack", "code", "gross", "paid", "figures"),
    [
        (
            "GBP",
            "uk-vat100",
            "S20C",
            "1200.00",
            ("400.00", "400.00", "400.00"),
            ("66.67", "133.33", "200.00"),
        ),
        ("JPY", "generic-vat", "S10C", "1100", ("333", "334", "433"), ("30", "61", "100")),
        ("KWD", "generic-vat", "S20C", "1.200", ("0.400", "0.400", "0.400"), ("0.067", "0.133", "0.200")),
    ],
)
def test_tax_by_money_comes_in_cumulative_shares(ada, bank, base, pack, code, gross, paid, figures):
    owed = Owed(ada, bank, pack, base=base)
    entry = owed.invoice("2026-01-10", gross, (gross, code))
    box = "1" if pack == "uk-vat100" else "A"
    assert [float(each) for each in owed.boxes("2026-03-31", box)] == [0]
    for number, (amount, figure) in enumerate(zip(paid, figures, strict=True), 1):
        owed.pay(f"2026-02-0{number}", amount, (entry, amount))
        assert owed.boxes("2026-03-31", box) == [figure]
    assert float(owed.balance(WAITING)) == 0
    assert bank.broken() == []


def test_a_credit_note_leaves_base_tax_and_gross_before_money_is_shared_out(owed):
    entry = owed.invoice("2026-01-10", "2200.00", ("1200.00", "S20C"), ("1000.00", "S0C"))
    owed.pay("2026-02-01", "1100.00", (entry, "1100.00"))
    assert owed.boxes("2026-03-31", "1", "6") == ["100.00", "1000.00"]
    credit = owed.invoice("2026-03-10", "-600.00", ("-600.00", "S20C"), name="CR")
    settlement = owed.settle((entry, "600.00"), (credit, "-600.00"))
    assert owed.boxes("2026-03-31", "1", "6") == ["68.75", "1031.25"]
    owed.pay("2026-04-11", "500.00", (entry, "500.00"))
    assert owed.boxes("2026-06-30", "1") == ["100.00"]
    assert owed.balance(WAITING) == "0.00"
    undone = owed.person.post(f"/api/settlements/{settlement}/undo", json={"reason": "Wrong"})
    assert done(undone)["settlement"]["status"] == "UNDONE"
    assert owed.boxes("2026-03-31", "1", "6") == ["100.00", "1000.00"]
    assert owed.bank.broken() == []


@pytest.mark.parametrize(
    ("code", "figures"),
    [("S20C", ["198.00", "990.00"]), ("S20", ["198.00", "990.00"]), ("S0C", ["0.00", "1188.00"])],
)
def test_a_discount_takes_its_share_of_base_and_tax(owed, code, figures):
    entry = owed.invoice("2026-01-10", "1200.00", ("1200.00", code))
    short = {"amount": "12.00", "as": "DISCOUNT", "accountId": owed.accounts["Sales of services"]}
    owed.pay("2026-02-01", "1188.00", (entry, "1200.00"), short=short)
    assert owed.boxes("2026-03-31", "1", "6") == figures
    assert owed.balance(WAITING) == "0.00"
    assert owed.bank.broken(taxes.CHECKS) == []


def test_a_write_off_by_hand_takes_all_that_still_waits_into_no_box(owed):
    entry = owed.invoice("2026-01-10", "1200.00", ("1200.00", "S20C"))
    owed.pay("2026-02-01", "300.00", (entry, "300.00"))
    gone = owed.enter(
        "2026-03-01",
        ("Trade receivables", "-900.00", None, {"orgMerchantId": owed.acme}),
        ("Software", "900.00", None, {}),
    )
    owed.settle((entry, "900.00"), (gone, "-900.00"))
    assert owed.boxes("2026-03-31", "1", "6") == ["50.00", "250.00"]
    assert owed.balance(WAITING) == "0.00"
    assert owed.balance("Software") == "750.00"


@pytest.mark.parametrize(
    ("body", "first", "second"),
    [
        ({"why": "MISTAKE"}, "0.00", "0.00"),
        ({"why": "RETURNED", "on": "2026-04-03"}, "200.00", "0.00"),
    ],
)
def test_tax_of_returned_money_goes_back_on_that_day(owed, body, first, second):
    entry = owed.invoice("2026-01-10", "1200.00", ("1200.00", "S20C"))
    owed.pay("2026-03-30", "1200.00", (entry, "1200.00"))
    (settlement,) = [
        each["id"]
        for each in owed.person.get("/api/settlements").json["settlements"]
        if each["status"] == "STANDING"
    ]
    path = f"/api/settlements/{settlement}/undo"
    for wrong in ({"why": "RETURNED"}, {"why": "MISTAKE", "on": "2026-04-03"}):
        assert owed.person.post(path, json={"reason": "No", **wrong}).status_code == 422
    done(owed.person.post(path, json={"reason": "No", **body}))
    assert owed.boxes("2026-03-31", "1") == [first]
    assert owed.boxes("2026-06-30", "1") == [second]
    assert owed.balance(WAITING) == "-200.00"


@pytest.mark.parametrize(("code", "spring"), [("S20", ["200.00"]), ("S20C", ["200.00"])])
def test_an_advance_is_taxed_as_it_comes_and_only_once(owed, code, spring):
    line = owed.bank.send("2026-03-28", "1200.00")
    split = ("Trade receivables", "1200.00", code, {"orgMerchantId": owed.acme})
    owed.split(line, split)
    done(owed.person.post(f"/api/transactions/{line}/confirm", json={}))
    advance = done(owed.person.get(f"/api/transactions/{line}"))["transaction"]["journalEntryId"]
    assert owed.boxes("2026-03-31", "1") == spring
    assert owed.balance("VAT on advances") == "200.00"
    entry = owed.invoice("2026-04-15", "3600.00", ("3600.00", code))
    owed.settle((entry, "1200.00"), (advance, "-1200.00"))
    owed.pay("2026-05-01", "2400.00", (entry, "2400.00"))
    assert owed.boxes("2026-06-30", "1") == ["600.00"]
    assert owed.balance("VAT on advances") == "0.00"
    assert owed.bank.broken() == []


def test_a_code_on_what_is_owed_is_only_for_money_before_its_sale(owed):
    line = owed.bank.send("2026-03-28", "-1200.00")
    for code in ("S20", "P20"):
        refused = owed.split(line, ("Trade receivables", "-1200.00", code, {}), expect=422)
        assert refused["code"] == "tax_account"


def test_relief_of_a_bad_debt_is_returned_by_later_money(owed):
    entry = owed.invoice("2026-01-30", "1200.00", ("1200.00", "S20"))
    claim = {
        "itemId": owed.item(entry)["id"],
        "amount": "600.00",
        "day": "2026-08-31",
        "counterAccountId": owed.accounts["Software"],
    }
    refused = owed.person.post("/api/tax/bad-debts", json={**claim, "amount": "1200.01"})
    assert (refused.status_code, refused.json["code"]) == (422, "no_relief")
    done(owed.person.post("/api/tax/bad-debts", json=claim))
    assert owed.boxes("2026-09-30", "1", "4", "6") == ["200.00", "100.00", "1000.00"]
    owed.pay("2026-11-02", "200.00", (entry, "200.00"))
    assert owed.boxes("2026-12-31", "1", "4") == ["233.33", "100.00"]
    zero = owed.invoice("2026-01-30", "50.00", ("50.00", "S0"))
    refused = owed.person.post("/api/tax/bad-debts", json={**claim, "itemId": owed.item(zero)["id"]})
    assert (refused.status_code, refused.json["code"]) == (422, "no_relief")
    assert owed.bank.broken() == []


def test_tax_of_own_unpaid_bills_is_repaid_and_comes_back(owed):
    entry = owed.bill("2026-01-31", "900.00", "P20")
    query = {"form": "uk-vat100", "to": "2026-09-30"}
    found = done(owed.person.get("/api/tax/returns/open", query_string=query))["taxReturn"]
    assert found["billsUnpaidSixMonths"] == {"items": [owed.item(entry)["id"]], "tax": "150.00"}
    refused = owed.person.post("/api/tax/returns", json={**query, "digest": found["digest"]})
    assert (refused.status_code, refused.json["code"]) == (409, "bills_unpaid")
    done(owed.person.post("/api/tax/unpaid-bills", json={"until": "2026-09-30"}))
    assert owed.boxes("2026-09-30", "4") == ["0.00"]
    again = done(owed.person.post("/api/tax/unpaid-bills", json={"until": "2026-09-30"}))
    assert again["journalEntryIds"] == []
    owed.pay("2026-10-02", "-450.00", (entry, "-450.00"))
    assert owed.boxes("2026-12-31", "4") == ["75.00"]


def test_what_a_discount_took_of_a_bill_is_not_unpaid(owed):
    entry = owed.bill("2026-01-31", "1200.00", "P20")
    short = {"amount": "12.00", "as": "DISCOUNT", "accountId": owed.accounts["Software"]}
    owed.pay("2026-02-10", "-1188.00", (entry, "-1200.00"), short=short)
    query = {"form": "uk-vat100", "to": "2026-09-30"}
    found = done(owed.person.get("/api/tax/returns/open", query_string=query))["taxReturn"]
    assert found["billsUnpaidSixMonths"] == {"items": [], "tax": "0.00"}
    assert owed.boxes("2026-09-30", "4", "7") == ["198.00", "990.00"]


def test_a_credit_note_of_another_code_leaves_nothing_waiting(owed):
    entry = owed.invoice("2026-01-10", "1000.00", ("1000.00", "S0C"))
    credit = owed.invoice("2026-01-20", "-120.00", ("-120.00", "S20C"), name="CR")
    owed.settle((entry, "120.00"), (credit, "-120.00"))
    owed.pay("2026-02-11", "880.00", (entry, "880.00"))
    assert owed.boxes("2026-03-31", "1", "6") == ["-20.00", "900.00"]
    assert owed.balance(WAITING) == "0.00"
    assert owed.bank.broken() == []


def test_a_correction_computes_paid_parts_anew_on_their_own_day(owed):
    entry = owed.invoice("2026-01-10", "1050.00", ("1050.00", "S20C"))
    owed.pay("2026-02-10", "1050.00", (entry, "1050.00"))
    query = {"form": "uk-vat100", "to": "2026-03-31"}
    digest = done(owed.person.get("/api/tax/returns/open", query_string=query))["taxReturn"]["digest"]
    done(owed.person.post("/api/tax/returns", json={**query, "digest": digest}))
    postings = [
        owed.posting("Trade receivables", "1050.00", orgMerchantId=owed.acme),
        owed.posting("Sales of services", "-1050.00", "S5C"),
    ]
    path, body = f"/api/journal-entries/{entry}/correct", {"postings": postings, "reason": "Reduced rate"}
    for why, status, code in ((None, 422, "why_missing"), ("THE_INVOICE", 409, "credit_note_expected")):
        refused = owed.person.post(path, json={**body, "why": why})
        assert (refused.status_code, refused.json["code"]) == (status, code)
    done(owed.person.post(path, json={**body, "why": "OUR_ENTRY"}))
    query = {"form": "uk-vat100", "to": "2026-06-30"}
    late = done(owed.person.get("/api/tax/returns/open", query_string=query))["taxReturn"]["late"]
    assert [(each["journalEntryId"], each["taxPoint"], each["as"]) for each in late] == [
        (entry, "2026-02-10", "ERROR")
    ]
    assert {each["box"]: each["exact"] for each in late[0]["boxes"]} == {"1": "-125.00", "6": "125.00"}
    assert owed.balance(WAITING) == "0.00"
    assert owed.bank.broken() == []


def test_taxes_of_foreign_entries_are_at_the_rate_of_their_tax_point(owed):
    rate = {"currency": "USD", "unitsPerBase": "1.15", "use": "TAX"}
    wrong = {**rate, "month": "2026-02", "use": "BOOKS"}
    assert owed.person.put("/api/exchange-rates", json={"rates": [wrong]}).status_code == 422
    both = [{**rate, "day": "2026-02-10"}, {**rate, "day": "2026-02-10", "use": "BOOKS"}]
    assert owed.person.put("/api/exchange-rates", json={"rates": both}).json["code"] == "two_uses"
    owed.bank.quote("2026-02-10", "USD", "1.1")
    refused = owed.person.post("/api/journal-entries", json=dollars(owed))
    assert (refused.status_code, refused.json["code"]) == (409, "tax_rate_missing")
    done(owed.person.put("/api/exchange-rates", json={"rates": [{**rate, "month": "2026-02"}]}))
    entry = done(owed.person.post("/api/journal-entries", json=dollars(owed)))["entry"]
    assert [each["amountBase"] for each in entry["postings"]] == ["1081.82", "-909.36", "-172.46"]
    assert owed.boxes("2026-03-31", "1", "6") == ["172.46", "862.32"]
    listed = owed.person.get("/api/exchange-rates?use=TAX").json["rates"]
    assert [(each["day"], each["lastDay"]) for each in listed] == [("2026-02-01", "2026-02-28")]
    assert owed.bank.broken() == []


def dollars(owed):
    """Write a sale of 1,190 dollars with its tax."""
    legs = [owed.posting("Petty cash", "1190.00"), owed.posting("Sales of services", "-1190.00", "S20")]
    postings = [{**each, "currency": "USD"} for each in legs]
    return {"effectiveAt": "2026-02-10", "postings": postings, "post": True}


@pytest.mark.parametrize(("tax", "legs"), [("20.01", ["-100.05", "-20.01"]), (None, ["-120.06"])])
def test_a_document_is_entered_with_its_tax_as_it_states_it(owed, tax, legs):
    net = None if tax is None else "100.05"
    facts = {"documentType": "INVOICE", "number": "I-7", "issuedOn": "2026-02-10", "currency": "GBP"}
    facts |= {"total": "120.06", "orgMerchantId": owed.acme, "net": net, "tax": tax}
    document = done(owed.person.post("/api/documents", json=facts))["document"]["id"]
    body = {
        "accountId": owed.accounts["Sales of services"],
        "counterAccountId": owed.accounts["Trade receivables"],
        "taxCodes": [{"taxCodeId": owed.codes["S20" if tax else "S0"]}],
        "post": True,
        "force": True,
    }
    entry = done(owed.person.post(f"/api/documents/{document}/entry", json=body))["entry"]["id"]
    found = [leg[1] for leg in owed.legs(entry) if leg[0] != "Trade receivables"]
    assert found == legs
    assert owed.boxes("2026-03-31", "1") == [tax or "0.00"]


def test_bills_of_a_period_that_is_out_of_time_are_not_to_be_repaid(ada, bank):
    owed = Owed(ada, bank, start="2019-04-01")
    owed.bill("2021-12-31", "600.00", "P20")
    bill = owed.bill("2022-01-15", "900.00", "P20")
    for to, items, tax in (
        ("2026-03-31", [owed.item(bill)["id"]], "150.00"),
        ("2026-06-30", [], "0.00"),
    ):
        query = {"form": "uk-vat100", "to": to}
        found = done(ada.get("/api/tax/returns/open", query_string=query))["taxReturn"]
        assert found["billsUnpaidSixMonths"] == {"items": items, "tax": tax}
    assert done(ada.post("/api/tax/unpaid-bills", json={"until": "2026-06-30"}))["journalEntryIds"] == []
    assert len(done(ada.post("/api/tax/unpaid-bills", json={"until": "2026-03-31"}))["journalEntryIds"]) == 1


@pytest.mark.parametrize("is_by_hand", [True, False])
@pytest.mark.parametrize(
    ("code", "boxes", "cost"),
    [("S20C", ["3.00", "15.00"], "35.00"), ("S20", ["10.00", "50.00"], "42.00")],
)
def test_money_for_what_was_written_off_reopens_it(owed, code, boxes, cost, is_by_hand):
    entry = owed.invoice("2026-01-10", "60.00", ("60.00", code))
    item = owed.item(entry)["id"]
    if is_by_hand:
        owed.pay("2026-02-01", "6.00", (entry, "6.00"))
        gone = owed.enter(
            "2026-03-01",
            ("Trade receivables", "-54.00", None, {"orgMerchantId": owed.acme}),
            ("Software", "54.00", None, {}),
        )
        owed.settle((entry, "54.00"), (gone, "-54.00"))
    else:
        short = {"amount": "54.00", "as": "WRITE_OFF", "accountId": owed.accounts["Software"]}
        owed.pay("2026-02-01", "6.00", (entry, "60.00"), short=short)
    line = owed.bank.send("2026-03-20", "12.00")
    path = f"/api/transactions/{line}"
    settles = {"itemId": item, "amount": "12.00"}
    refused = owed.person.patch(path, json={"settles": [settles], "force": True})
    assert (refused.status_code, refused.json["code"]) == (409, "item_taken")
    much = {"itemId": item, "amount": "54.01", "reopens": True}
    assert owed.person.patch(path, json={"settles": [much], "force": True}).json["code"] == "item_taken"
    done(owed.person.patch(path, json={"settles": [{**settles, "reopens": True}], "force": True}))
    done(owed.person.post(f"{path}/confirm", json={"force": True}))
    assert owed.boxes("2026-03-31", "1", "6") == boxes
    assert owed.balance(WAITING) == "0.00"
    assert owed.balance("Trade receivables") == "0.00"
    # The cost of what stays written off: its gross, or what the tax that no longer waits leaves of it.
    assert owed.balance("Software") == cost
    assert owed.bank.broken() == []
