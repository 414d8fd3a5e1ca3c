"""The close of a month: its days, its steps by the lists that they lead to, and its cut-off."""

import pytest

from tests.fixtures import invoices
from tests.fixtures.helpers.documents import sent
from tests.fixtures.helpers.owed import owe

MARCH = "/api/closes/2026-03"


def read(person, address=MARCH):
    answer = person.get(address)
    assert answer.status_code == 200, answer.json
    return answer.json["close"]


def steps(person):
    return {each["code"]: (each["state"], each["count"], each["amount"]) for each in read(person)["steps"]}


def entry(person, bank, day, amount, *, post=True, **facts):
    legs = [
        {"accountId": bank.account(f"Costs of {day}"), "amount": amount},
        {"accountId": bank.account(f"Cash of {day}", "ASSET"), "amount": f"-{amount}"},
    ]
    body = {"effectiveAt": day, "postings": legs, "post": post, **facts}
    answer = person.post("/api/journal-entries", json=body)
    assert answer.status_code == 201, answer.json
    return answer.json["entry"]["id"]


def test_each_step_counts_what_its_list_has(ada, bank, books):
    fa_id = bank.open()
    bank.send("2026-03-05", "-30.00", "Shop")
    bank.send("2026-04-02", "-5.00", "Of April")
    waiting = bank.send("2026-03-09", "-12.00", "Nobody knows")
    ada.post(f"/api/transactions/{waiting}/confirm")
    entry(ada, bank, "2026-02-20", "8.00", post=False)
    owe(ada, books, "70.00")
    owe(ada, books, "-20.00", bank.merchant("Halden"))
    owe(ada, books, "90.00", bank.merchant("Mill"))
    owe(ada, books, "33.00", day="2026-04-01")

    found = steps(ada)

    def count(address, key):
        return len(ada.get(address).json[key])

    assert found["lines"] == ("TO_DO", 2, None)
    assert count("/api/journal-entries?status=DRAFT&to=2026-03-31", "entries") == 2
    assert found["uncategorised"] == ("TO_DO", 1, "12.00")
    assert count("/api/open-items?to=2026-03-31", "openItems") == 1
    assert found["statements"] == ("TO_DO", 1, None)
    assert found["proofs"][:2] == ("NOTHING", 0)
    assert found["revaluation"][:2] == ("NOTHING", 0)
    assert found["parties"] == ("TO_DO", 2, "50.00")
    assert count("/api/items?openOn=2026-03-31&astray=true", "items") == 2
    assert count("/api/items?openOn=2026-03-31&astray=false", "items") == 1
    assert "tax" not in found
    pages = ada.browser()
    for step in read(ada)["steps"]:
        assert pages.get(step["href"]).status_code == 200, step
    assert "3 drafts" not in pages.get("/month-end/2026-03").text
    assert "2 drafts up to 31 Mar 2026 are not posted" in pages.get("/month-end/2026-03").text
    assert fa_id


def test_what_is_done_is_done_and_undone_by_what_comes_later(ada, bank, desk, books):
    bank.open()
    line = bank.send("2026-03-05", "-30.00", "Shop")
    ada.patch(f"/api/transactions/{line}", json={"accountId": bank.account("Rent of us")})
    desk.confirm(line)
    desk.prove("2026-03-31", "-30.00")
    assert {code for code, (state, *_) in steps(ada).items() if state == "TO_DO"} == set()
    desk.void(ada.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"])
    found = steps(ada)
    assert (found["proofs"], found["lines"][:2]) == (("TO_DO", 1, None), ("TO_DO", 1))


def test_a_broken_proof_counts_where_it_proves_the_day(ada, bank, desk, books):
    bank.open()
    lines = {}
    for day, balance in (("2026-03-05", "-30.00"), ("2026-04-05", "-60.00")):
        lines[day] = bank.send(day, "-30.00", "Shop")
        ada.patch(f"/api/transactions/{lines[day]}", json={"accountId": books.account_id("Rent")})
        desk.confirm(lines[day])
        desk.prove(f"{day[:8]}30", balance)

    def broken():
        return [read(ada, f"/api/closes/2026-0{month}")["steps"][3]["count"] for month in (2, 3, 4)]

    desk.void(desk.line(lines["2026-04-05"])["journalEntryId"])
    assert broken() == [0, 1, 1]
    step = read(ada, "/api/closes/2026-04")["steps"][3]
    assert f'id="{step["href"].partition("#")[2]}"' in ada.browser().get("/").text
    desk.void(desk.line(lines["2026-03-05"])["journalEntryId"])
    assert broken() == [1, 2, 2]


def test_the_cut_off_lists_what_is_about_the_month_and_booked_after_it(ada, bank, books):
    bank.open()
    bank.lock("2026-03-31")
    january = bank.send("2026-01-30", "-40.00", "Late")
    march = bank.send("2026-03-30", "-5.00", "Late too")
    transfer = bank.send("2026-03-29", "-500.00", "To savings")
    april = bank.send("2026-04-02", "-7.00", "Of April")
    for line, account in ((january, "Rent"), (march, "Rent"), (transfer, "Petty cash"), (april, "Rent")):
        ada.patch(f"/api/transactions/{line}", json={"accountId": books.account_id(account)})
        assert ada.post(f"/api/transactions/{line}/confirm").status_code == 200

    bank.lock("2025-12-31")
    cut_off = read(ada)["cutOff"]

    rows = [(each["factOn"], each["effectiveOn"], each["amount"], each["result"]) for each in cut_off["rows"]]
    assert rows == [
        ("2026-01-30", "2026-04-01", "-40.00", "-40.00"),
        ("2026-03-30", "2026-04-01", "-5.00", "-5.00"),
        ("2026-03-29", "2026-04-01", "-500.00", "0.00"),
    ]
    assert (cut_off["count"], cut_off["sum"], cut_off["result"]) == (3, "-545.00", "-45.00")
    assert cut_off["ofThisPeriod"] == {"count": 3, "sum": "-545.00"}
    assert read(ada, "/api/closes/2026-01")["cutOff"]["count"] == 1
    assert steps(ada)["cut_off"] == ("TO_DO", 3, "-545.00")
    bank.lock("2026-02-28")
    assert read(ada)["cutOff"]["ofThisPeriod"] == {"count": 2, "sum": "-505.00"}
    assert read(ada)["from"] == "2026-03-01"


def test_a_late_entry_is_accrued_without_its_taxes_until_that_is_voided(ada, bank, books):
    bank.open()
    bank.lock("2026-03-31")
    line = bank.send("2026-03-30", "-120.00", "Hosting of March")
    split = [{"accountId": books.account_id("Software"), "amount": "-100.00"}]
    split += [{"accountId": books.account_id("VAT receivable"), "amount": "-20.00"}]
    ada.patch(f"/api/transactions/{line}", json={"splits": split})
    late = ada.post(f"/api/transactions/{line}/confirm").json["result"]["journalEntryIds"][0]
    body = {"journalEntryId": late, "accountId": books.account_id("Trade payables")}
    locked = ada.post("/api/closes/2026-03/accruals", json=body)
    assert locked.json["code"] == "period_locked"
    bank.lock("2026-02-28")
    page = ada.browser()
    answer = page.post("/month-end/2026-03/accruals", data=body)
    assert answer.status_code == 303, answer.text
    found = read(ada)["cutOff"]
    assert (found["count"], found["result"], steps(ada)["cut_off"][:2]) == (1, "0.00", ("DONE", 0))
    accrual = found["rows"][0]["accruedBy"]
    entry = ada.get(f"/api/journal-entries/{accrual}").json["entry"]
    legs = [(each["accountName"], each["amount"]) for each in entry["postings"]]
    assert (entry["effectiveAt"], legs) == (
        "2026-03-31T00:00:00Z", [("Software", "100.00"), ("Trade payables", "-100.00")],
    )  # fmt: skip
    assert "accrued" in page.get("/month-end/2026-03").text
    again = ada.post("/api/closes/2026-03/accruals", json=body)
    assert (again.status_code, again.json["code"]) == (409, "accrued")
    early = ada.post("/api/closes/2026-04/accruals", json=body)
    assert (early.status_code, early.json["code"]) == (422, "not_late")
    voided = ada.post(f"/api/journal-entries/{accrual}/void", json={"reason": "Not of March"})
    assert len(voided.json["result"]["voidedJournalEntryIds"]) == 2
    assert (steps(ada)["cut_off"][:2], read(ada)["cutOff"]["result"]) == (("TO_DO", 1), "-100.00")
    assert bank.broken() == []


@pytest.mark.parametrize(
    ("period", "status", "code"),
    [("2026-03", 409, "year_between"), ("2030-01", 422, "period_open"), ("2026", 422, "period_name")],
)
def test_a_close_that_cannot_be_is_refused(ada, bank, period, status, code):
    entry(ada, bank, "2025-11-17", "1.00")
    answer = ada.get(f"/api/closes/{period}")
    assert (answer.status_code, answer.json["code"]) == (status, code)
    if code == "year_between":
        assert answer.json["details"] == {"closeFirst": "2025-12"}
        page = ada.browser().get("/month-end/2026-03")
        assert "/month-end/2025-12" in page.text


def test_a_return_that_was_due_is_a_step(ada):
    body = {"from": "2025-10-01", "basis": "ACCRUAL", "frequency": "MONTHLY"}
    answer = ada.post("/api/tax/packs/generic-vat/install", json=body)
    assert answer.status_code == 201, answer.json
    assert "tax" in steps(ada)


def test_what_was_supplied_in_a_month_and_invoiced_later_is_to_be_accrued(ada, bank, books):
    supplied = b"<cac:Delivery><cbc:ActualDeliveryDate>2026-02-27</cbc:ActualDeliveryDate></cac:Delivery>"
    head = b"<cac:AccountingSupplierParty>"
    data = invoices.ubl().replace(head, supplied + head, 1)
    document = sent(ada, data, "invoice.xml").json["document"]["id"]
    (found,) = read(ada, "/api/closes/2026-02")["cutOff"]["toAccrue"]
    assert (found["documentId"], found["suppliedOn"], found["issuedOn"]) == (
        document,
        "2026-02-27",
        "2026-03-02",
    )
    assert (found["amount"], found["journalEntryId"], found["accruedBy"]) == ("172.50", None, None)
    entry(ada, bank, "2026-03-02", "150.00", documentId=document)
    (found,) = read(ada, "/api/closes/2026-02")["cutOff"]["toAccrue"]
    body = {"journalEntryId": found["journalEntryId"], "accountId": books.account_id("Trade payables")}
    assert "Supplied in this month" in ada.browser().get("/month-end/2026-02").text
    answer = ada.post("/api/closes/2026-02/accruals", json=body)
    assert answer.status_code == 200, answer.json
    (found,) = read(ada, "/api/closes/2026-02")["cutOff"]["toAccrue"]
    assert found["accruedBy"] == answer.json["result"]["journalEntryIds"][0]
    assert read(ada, "/api/closes/2026-03")["cutOff"]["toAccrue"] == []
