"""What was owed before the books had taxes: its codes stand on the item, and in no box until money comes."""

import pytest

from tests.api.tax.conftest import done
from tests.api.tax.test_settled_taxes import WAITING, Owed


class Opened(Owed):
    """Books that bring what was owed before they had taxes."""

    def opening(self, day, *parts, account="Trade receivables", others=(), expect=201, **facts):
        """Bring an item of parts (amount with tax, code) against the opening balances, and `others`."""
        of_item = [self.owed(account, amount, code) for amount, code in parts]
        rest = -sum(float(amount) for _, amount in [*others, *((0, amount) for amount, _ in parts)])
        postings = [*of_item, *(self.posting(*each) for each in others)]
        postings.append(self.posting("Opening balances", f"{rest:.2f}"))
        body = {"effectiveAt": day, "description": "Old", "postings": postings, "post": True, "force": True}
        answer = self.person.post("/api/journal-entries", json={**body, **facts})
        assert answer.status_code == expect, answer.json
        return answer.json["entry"]["id"] if expect == 201 else answer.json

    def owed(self, account, amount, code, **tax):
        facts = {"orgMerchantId": self.acme, "reference": "OLD", "dueOn": "2025-12-31"}
        return self.posting(account, amount, code, **facts, **tax)

    def return_of(self, to, **body):
        query = {"form": self.pack, "to": to}
        found = done(self.person.get("/api/tax/returns/open", query_string=query))["taxReturn"]
        return self.person.post("/api/tax/returns", json={**query, "digest": found["digest"], **body})


@pytest.fixture
def cash(ada, bank):
    """Books whose tax is due by money."""
    return Opened(ada, bank)


@pytest.fixture
def accrual(ada, bank):
    """Books whose tax is due by invoice."""
    return Opened(ada, bank, basis="ACCRUAL")


def test_old_items_wait_from_the_start_and_enter_the_boxes_by_money(cash):
    sale = cash.opening("2025-12-10", ("60000.00", "S20C"), ("1000.00", "S0C"))
    bill = cash.opening("2025-12-11", ("-1200.00", "P20C"), account="Trade payables")
    credit = cash.opening("2025-12-12", ("-120.00", "S20C"))
    assert (cash.balance(WAITING), cash.balance("Opening balances")) == ("-9980.00", "-49900.00")
    assert cash.boxes("2026-03-31", "1", "4", "6") == ["0.00", "0.00", "0.00"]
    cash.pay("2026-02-10", "30000.00", (sale, "30000.00"))
    cash.pay("2026-02-11", "-1200.00", (bill, "-1200.00"))
    assert cash.boxes("2026-03-31", "1", "4", "6") == ["4918.03", "200.00", "25081.96"]
    cash.settle((sale, "120.00"), (credit, "-120.00"))
    cash.pay("2026-02-12", "30880.00", (sale, "30880.00"))
    assert cash.boxes("2026-03-31", "1", "6") == ["9980.00", "50900.00"]
    assert cash.balance(WAITING) == "0.00"
    assert cash.bank.broken() == []


def test_old_items_of_books_by_invoice_count_as_reported(accrual):
    sale = accrual.opening("2025-12-10", ("1200.00", "S20"))
    bill = accrual.opening("2025-12-10", ("-600.00", "P20"), account="Trade payables")
    short = {"amount": "12.00", "as": "DISCOUNT", "accountId": accrual.accounts["Sales of services"]}
    accrual.pay("2026-01-05", "88.00", (sale, "100.00"), short=short)
    assert accrual.boxes("2026-03-31", "1", "6") == ["-2.00", "-10.00"]
    done(accrual.person.post("/api/tax/unpaid-bills", json={"until": "2026-06-30"}))
    assert accrual.boxes("2026-06-30", "4") == ["-100.00"]
    accrual.pay("2026-07-05", "-600.00", (bill, "-600.00"))
    assert accrual.boxes("2026-09-30", "4") == ["0.00"]
    assert accrual.bank.broken() == []


def test_a_prepayment_that_was_taxed_before_nets_with_its_invoice(accrual):
    contra = ("VAT on advances", "100.00")
    advance = accrual.opening("2025-12-28", ("-600.00", "S20"), others=[contra])
    entry = accrual.invoice("2026-01-15", "1200.00", ("1200.00", "S20"))
    accrual.settle((entry, "600.00"), (advance, "-600.00"))
    assert accrual.boxes("2026-03-31", "1", "6") == ["100.00", "500.00"]
    assert accrual.balance("VAT on advances") == "0.00"
    wrong = ("VAT on advances", "90.00")
    refused = accrual.opening("2025-12-28", ("-600.00", "S20"), others=[wrong], expect=422)
    assert refused["code"] == "tax_account"
    assert accrual.bank.broken() == []


def test_old_items_without_codes_are_asked_about_until_they_have_some(cash):
    entry = cash.opening("2025-12-10", ("720.00", None))
    other = cash.opening("2025-12-10", ("100.00", None))
    cash.pay("2025-12-20", "120.00", (entry, "120.00"))
    refused = cash.return_of("2026-03-31")
    assert (refused.status_code, refused.json["code"]) == (409, "open_items_uncoded")
    assert refused.json["details"] == {"itemIds": [cash.item(entry)["id"], cash.item(other)["id"]]}
    postings = [
        cash.owed("Trade receivables", "720.00", "S20C"),
        cash.posting("Opening balances", "-720.00"),
    ]
    body = {"postings": postings, "reason": "Its codes"}
    done(cash.person.post(f"/api/journal-entries/{entry}/correct", json=body))
    # What was paid before the books had taxes was reported elsewhere.
    assert cash.balance(WAITING) == "-100.00"
    cash.pay("2026-02-10", "360.00", (entry, "360.00"))
    assert cash.boxes("2026-03-31", "1", "6") == ["60.00", "300.00"]
    refused = cash.return_of("2026-03-31")
    assert refused.json["details"] == {"itemIds": [cash.item(other)["id"]]}
    assert cash.return_of("2026-03-31", note="An old loan").status_code == 201
    assert cash.bank.broken() == []


def test_waiting_tax_of_an_old_item_comes_from_where_it_stands(cash):
    entry = cash.opening("2025-12-10", ("1200.00", "S20C"), others=[("VAT payable", "-200.00")])
    assert cash.balance(WAITING) == "-200.00"
    assert cash.balance("VAT payable") == "0.00"
    assert cash.balance("Opening balances") == "-1000.00"
    assert ("Trade receivables", "1200.00", "S20C", "2025-12-10", {}) in cash.legs(entry)


def test_an_old_item_in_another_currency_says_what_it_is_in_the_base(cash):
    cash.bank.quote("2025-12-10", "USD", "1.25")
    sale = cash.owed("Trade receivables", "1500.00", "S20C")
    postings = [
        {**sale, "currency": "USD", "amountBase": "1200.00"},
        cash.posting("Opening balances", "-1200.00"),
    ]
    body = {"effectiveAt": "2025-12-10", "postings": postings, "post": True, "force": True}
    done(cash.person.post("/api/journal-entries", json=body))
    assert cash.balance(WAITING) == "-200.00"


def test_other_legs_and_lines_of_before_the_start_have_no_codes(cash):
    sold = cash.posting("Sales of services", "-120.00", "S20C")
    body = {"effectiveAt": "2025-12-10", "postings": [cash.posting("Petty cash", "120.00"), sold]}
    refused = cash.person.post("/api/journal-entries", json={**body, "post": True})
    assert (refused.status_code, refused.json["code"]) == (409, "before_start")
    line = cash.bank.send("2025-12-20", "600.00")
    split = ("Trade receivables", "600.00", "S20C", {"orgMerchantId": cash.acme})
    assert cash.split(line, split, expect=409)["code"] == "before_start"
    done(cash.person.post("/api/journal-entries", json={**body, "post": True, "late": True}))
    assert cash.boxes("2026-03-31", "1") == ["20.00"]
