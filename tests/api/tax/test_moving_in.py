"""Books that had foreign taxes before they had a pack: their accounts go on in the base currency."""

import pytest

from tests.api.tax.conftest import done
from tests.api.tax.test_settled_taxes import Owed

INSTALL = "/api/tax/packs/uk-vat100/install"


class Moved(Owed):
    """Books in pounds that have bills in euros from before they have taxes."""

    def __init__(self, person, bank):
        bank.rebase("GBP")
        self.person, self.bank, self.pack = person, bank, "uk-vat100"
        self.read()
        self.acme = bank.merchant("Acme")
        self.foreign = [self.accounts[name] for name in ("VAT payable", "VAT receivable")]
        for account in self.foreign:
            done(person.patch(f"/api/accounts/{account}", json={"currency": None}))

    def old_bill(self, day="2025-11-10", rate="1.2", *, sizes=("-1200.00", "1000.00", "200.00"), post=True):
        self.bank.quote(day, "EUR", rate)
        body = {"effectiveAt": day, "description": "Old", "force": True, "post": post}
        body["postings"] = self.of_bill(*sizes)
        return done(self.person.post("/api/journal-entries", json=body))["entry"]["id"]

    def of_bill(self, owed, net, tax):
        names = ("Trade payables", owed), ("Software", net), ("VAT receivable", tax)
        return [{**self.posting(*each), "currency": "EUR"} for each in names]

    def install(self, expect=201, **body):
        answer = self.person.post(INSTALL, json={"from": "2026-01-01", **body})
        assert answer.status_code == expect, answer.json
        self.read()
        return answer.json

    def written(self):
        """Give the entry by which the accounts of taxes went on in pounds."""
        listed = done(self.person.get("/api/journal-entries?source=settlement"))["entries"]
        return [
            (each["effectiveAt"][:10], [(leg["amount"], leg["amountBase"]) for leg in each["postings"]])
            for each in listed
        ]


@pytest.fixture
def moved(ada, bank):
    return Moved(ada, bank)


@pytest.mark.parametrize(
    ("lock", "day"), [(None, "2026-01-01"), ("2025-12-31", "2026-01-01"), ("2026-02-28", "2026-03-01")]
)
def test_foreign_taxes_go_on_in_the_base_currency_on_the_first_open_day(moved, bank, lock, day):
    moved.old_bill()
    bank.lock(lock)
    moved.install()
    legs = [("-200.00", "-166.67"), ("166.67", "166.67")]
    assert moved.written() == [(day, legs)]
    account = done(moved.person.get(f"/api/accounts/{moved.accounts['VAT receivable']}"))["account"]
    assert (account["currency"], account["balance"], account["isRevalued"]) == ("GBP", "166.67", False)
    assert account["currencyFrom"] == day
    assert moved.boxes("2026-03-31", "4") == ["0.00"]
    entry = done(moved.person.get("/api/journal-entries?source=settlement"))["entries"][0]["id"]
    refused = moved.person.post(f"/api/journal-entries/{entry}/void", json={"reason": "No"})
    assert (refused.status_code, refused.json["code"]) == (409, "settlement")
    assert bank.broken() == []


def test_what_was_revalued_is_reversed_by_then(moved, bank):
    done(moved.person.patch(f"/api/accounts/{moved.foreign[1]}", json={"isRevalued": True}))
    moved.old_bill()
    bank.quote("2026-01-31", "EUR", "1.25")
    done(moved.person.post("/api/revaluations", json={"asOf": "2026-01-31"}))
    moved.install()
    assert moved.written() == [("2026-02-01", [("-200.00", "-166.67"), ("166.67", "166.67")])]
    assert moved.balance("VAT receivable") == "166.67"
    assert bank.broken() == []


@pytest.mark.parametrize("is_first_corrected", [False, True])
def test_an_old_entry_is_voided_and_corrected_in_the_base_currency(moved, bank, is_first_corrected):
    entry = moved.old_bill()
    moved.install()
    left = "166.67"
    if is_first_corrected:
        for sizes, left in (
            (("-960.00", "800.00", "160.00"), "133.33"),
            (("-600.00", "500.00", "100.00"), "83.33"),
        ):
            body = {"postings": moved.of_bill(*sizes), "reason": "Less"}
            told = done(moved.person.post(f"/api/journal-entries/{entry}/correct", json=body))
            assert told["warningCodes"] == ["before_start"]
            assert moved.balance("VAT receivable") == left
        again = done(moved.person.post(f"/api/journal-entries/{entry}/correct", json=body))
        assert again["changed"] is False
    voided = done(moved.person.post(f"/api/journal-entries/{entry}/void", json={"reason": "None"}))
    [code] = voided["warningCodes"]
    [warning] = voided["warnings"]
    assert (code, warning.split(" of ")[0]) == ("before_start", f"{left} GBP")
    assert moved.balance("VAT receivable") == moved.balance("Trade payables") == "0.00"
    assert moved.boxes("2026-03-31", "4", "7") == ["0.00", "0.00"]
    assert bank.broken() == []


def test_drafts_in_other_currencies_are_posted_first(moved, bank):
    draft = moved.old_bill(post=False)
    assert moved.install(expect=409)["code"] == "foreign_balance"
    done(moved.person.post(f"/api/journal-entries/{draft}/post", json={}))
    moved.install()
    assert moved.balance("VAT receivable") == "166.67"


def test_an_account_of_taxes_takes_only_the_base_currency_from_then_on(moved, bank):
    moved.old_bill()
    moved.install()
    bank.quote("2026-02-01", "EUR", "1.2")
    body = {
        "effectiveAt": "2026-02-01",
        "description": "New",
        "postings": moved.of_bill("-12.00", "10.00", "2.00"),
    }
    refused = moved.person.post("/api/journal-entries", json={**body, "post": True, "force": True})
    assert (refused.status_code, refused.json["code"]) == (422, "account_currency")
