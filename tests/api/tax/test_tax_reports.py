"""Reports of taxes: what each code adds to a return, and what waits for money as the ledger has it."""

from tests.api.tax.conftest import done
from tests.api.tax.test_returns import file
from tests.api.tax.test_settled_taxes import Owed


def waiting(owed):
    found = done(owed.person.get("/api/tax/waiting"))["accounts"]
    names = owed.names
    for each in found:
        assert each["balance"] == each["total"]
        assert owed.balance(each["accountName"]) == each["balance"]
    return {
        each["role"]: [
            (item["journalEntryId"], item["party"], names[item["taxCodeId"]], item["amount"])
            for item in each["items"]
        ]
        for each in found
    }


def test_what_waits_is_listed_by_item_and_agrees_with_the_accounts(ada, bank):
    owed = Owed(ada, bank)
    sold = owed.invoice("2026-01-10", "1500.00", ("1200.00", "S20C"), ("300.00", "S5C"))
    bought = owed.bill("2026-01-11", "60.00", "P20C")
    nothing = {"waiting_sales": [], "waiting_purchases": [], "advances": []}
    full = [(sold, "Acme", "S20C", "-200.00"), (sold, "Acme", "S5C", "-14.29")]
    bill = [(bought, "Acme", "P20C", "10.00")]
    assert waiting(owed) == {**nothing, "waiting_sales": full, "waiting_purchases": bill}
    owed.pay("2026-02-01", "750.00", (sold, "750.00"))
    half = [(sold, "Acme", "S20C", "-100.00"), (sold, "Acme", "S5C", "-7.14")]
    assert waiting(owed) == {**nothing, "waiting_sales": half, "waiting_purchases": bill}
    owed.pay("2026-02-02", "750.00", (sold, "750.00"))
    owed.pay("2026-02-03", "-60.00", (bought, "-60.00"))
    assert waiting(owed) == nothing
    line = bank.send("2026-03-28", "120.00")
    owed.split(line, ("Trade receivables", "120.00", "S20", {"orgMerchantId": owed.acme}))
    done(ada.post(f"/api/transactions/{line}/confirm", json={}))
    advance = done(ada.get(f"/api/transactions/{line}"))["transaction"]["journalEntryId"]
    assert waiting(owed)["advances"] == [(advance, "Acme", "S20", "20.00")]
    entry = owed.invoice("2026-04-15", "360.00", ("360.00", "S20"))
    owed.settle((entry, "120.00"), (advance, "-120.00"))
    assert waiting(owed) == nothing


def test_books_without_taxes_wait_for_none(ada, bank):
    assert done(ada.get("/api/tax/waiting")) == {"accounts": []}
    assert "No taxes are kept yet" in ada.browser().get("/tax/waiting").text
    owed = Owed(ada, bank)
    owed.invoice("2026-01-10", "120.00", ("120.00", "S20C"))
    page = ada.browser().get("/tax/waiting").text
    assert "S20C" in page
    assert "Acme" in page
    assert "-20.00" in page.replace("−", "-")


def test_the_codes_of_a_return_add_up_to_its_boxes_before_and_after_it_is_filed(uk):
    uk.sale("2026-02-03", "120.00", "S20")
    uk.sale("2026-02-04", "10.00", "S0")
    uk.purchase("2026-02-05", "99.99", "P-RCS")
    uk.purchase("2026-02-05", "60.00", "P20")
    body = {"form": uk.pack, "taxPoint": "2026-02-28", "reason": "OTHER"}
    done(uk.person.post("/api/tax/adjustments", json={**body, "boxes": [{"box": "7", "amount": "9.00"}]}))
    query = {"form": uk.pack}
    shown = done(uk.person.get("/api/tax/returns/open/codes", query_string=query))["codes"]
    assert [each["code"] for each in shown] == ["P-RCS", "P20", "S0", "S20", None]
    assert {each["box"]: each["exact"] for each in shown[0]["boxes"]} == {
        "1": "20.00",
        "4": "20.00",
        "6": "99.99",
        "7": "99.99",
    }
    assert "By hand" in uk.person.browser().get("/tax/returns/open?form=uk-vat100&codes=true").text
    filed = file(uk, "2026-03-31")
    assert done(uk.person.get(f"/api/tax/returns/{filed['id']}/codes"))["codes"] == shown
    for box in filed["boxes"]:
        own = [float(each["exact"]) for code in shown for each in code["boxes"] if each["box"] == box["box"]]
        assert box["box"] in "35" or round(sum(own), 2) == float(box["exact"])
