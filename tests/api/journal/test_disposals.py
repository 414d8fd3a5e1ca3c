"""Disposals of assets: sold or scrapped, with the parts up to then, and taken back."""

import pytest

REPORTS = "/api/reports"


class Assets:
    """Machines of 2,400.00 over 24 months from January 2025 on, on two accounts."""

    def __init__(self, person, bank):
        self.person, self.bank = person, bank
        listed = person.get("/api/accounts?limit=200").json["accounts"]
        self.ids = {each["name"]: each["id"] for each in listed}
        self.ids |= {"Worn": bank.account("Worn", "ASSET"), "Machine": bank.account("Machine", "ASSET")}

    def make(self, **facts):
        body = {
            "kind": "DEPRECIATION", "name": "A press", "startsOn": "2025-01-09", "periods": 24, "amount": "2400.00",
            "accountId": self.ids["Worn"], "assetAccountId": self.ids["Machine"],
            "counterAccountId": self.ids["Depreciation"], **facts,
        }  # fmt: skip
        answer = self.person.post("/api/schedules", json=body)
        assert answer.status_code == 201, answer.json
        self.id = answer.json["schedule"]["id"]
        listed = self.person.get("/api/accounts?limit=200").json["accounts"]
        self.ids["Role"] = next(each["id"] for each in listed if each["name"] == "Gain or loss on disposal")
        return self.id

    def sell(self, net, tax, day, code=None):
        legs = [
            {"accountId": self.ids["Petty cash"], "amount": f"{float(net) + float(tax):.2f}"},
            {"accountId": self.ids["Role"], "amount": f"-{net}", **({"taxCodeId": code} if code else {})},
        ]
        if code:
            legs[1]["amount"] = f"-{float(net) + float(tax):.2f}"
        return self.enter(legs, day)

    def enter(self, legs, day):
        answer = self.person.post(
            "/api/journal-entries", json={"effectiveAt": day, "postings": legs, "post": True}
        )
        assert answer.status_code == 201, answer.json
        return answer.json["entry"]["id"]

    def dispose(self, on, sale=None, expect=200):
        body = {"on": on, "saleEntryId": sale}
        answer = self.person.post(f"/api/schedules/{self.id}/dispose", json=body)
        assert answer.status_code == expect, answer.json
        return answer.json

    def read(self):
        return self.person.get(f"/api/schedules/{self.id}").json["schedule"]

    def figures(self):
        found = self.read()["disposal"]
        return [found[each] for each in ("depreciated", "bookValue", "proceeds", "gain", "takenBack")]

    def legs(self):
        entry = self.person.get(f"/api/journal-entries/{self.read()['disposal']['journalEntryId']}").json[
            "entry"
        ]
        names = {value: key for key, value in self.ids.items()}
        return entry["effectiveAt"][:10], {names[e["accountId"]]: e["amount"] for e in entry["postings"]}


@pytest.fixture
def assets(ada, bank):
    return Assets(ada, bank)


@pytest.mark.parametrize(
    ("facts", "on", "lock", "depreciated", "effective"),
    [
        ({}, "2026-03-17", None, "1400.00", "2026-03-17"),
        ({"firstMonth": "NEXT"}, "2026-03-17", None, "1400.00", "2026-03-17"),
        ({}, "2026-02-10", "2026-03-31", "1300.00", "2026-04-01"),
        ({"amount": "1000.00", "periods": 12}, "2026-03-17", None, "1000.00", "2026-03-17"),
        ({"method": "REDUCING", "rate": "30", "periods": 60}, "2026-03-17", None, "804.00", "2026-03-17"),
    ],
)
def test_a_scrapped_asset_leaves_its_book_value_as_a_loss(
    assets, bank, facts, on, lock, depreciated, effective
):
    assets.make(**facts)
    bank.lock(lock)
    assets.dispose(on)
    cost = float(facts.get("amount", "2400.00"))
    worth = cost - float(depreciated)
    assert assets.figures() == [depreciated, f"{worth:.2f}", "0.00", f"{-worth or 0:.2f}", "0.00"]
    legs = {"Worn": depreciated, "Machine": f"-{cost:.2f}", "Role": f"{worth:.2f}"}
    assert assets.legs() == (effective, {name: minor for name, minor in legs.items() if minor != "0.00"})
    assert assets.read()["status"] == "STOPPED"
    assert assets.dispose(on, expect=409)["code"] == "disposed"


def test_a_sale_has_its_tax_and_the_gain_is_without_it(assets, ada):
    assert ada.post("/api/tax/packs/generic-vat/install", json={"from": "2026-01-01"}).status_code == 201
    codes = ada.get("/api/tax/codes?limit=200").json["taxCodes"]
    code = next(each["id"] for each in codes if each["code"] == "S20")
    assets.make()
    sale = assets.sell("1300.00", "260.00", "2026-03-12", code)
    assets.dispose("2026-03-12", sale)
    assert assets.figures() == ["1400.00", "1000.00", "1300.00", "300.00", "0.00"]
    day = ada.get(f"{REPORTS}/profit-and-loss?from=2026-03-01&to=2026-03-31").json["profitAndLoss"]
    (line,) = [each for each in day["lines"] if each["name"] == "Gain or loss on disposal"]
    assert line["amount"] == "-300.00"
    voided = ada.post(f"/api/journal-entries/{sale}/void", json={"reason": "Wrong", "why": "OUR_ENTRY"})
    assert voided.status_code == 200, voided.json
    assert "sale_voided" in voided.json["warningCodes"]


def test_parts_beyond_the_disposal_are_taken_back_and_its_void_gives_the_asset_back(assets, ada):
    assets.make()
    assert ada.post("/api/schedules/run", json={"until": "2026-05-01"}).status_code == 200
    assets.dispose("2026-02-20")
    assert assets.figures() == ["1300.00", "1100.00", "0.00", "-1100.00", "300.00"]
    entry = assets.read()["disposal"]["journalEntryId"]
    assert ada.post(f"/api/journal-entries/{entry}/void", json={"reason": "Kept"}).status_code == 200
    back = assets.read()
    assert (back["status"], back["disposal"]) == ("ACTIVE", None)
    states = [each["state"] for each in back["parts"]]
    assert states[:16] == ["POSTED"] * 13 + ["DUE"] * 3
    assets.dispose("2026-02-20")
    assert assets.figures()[0] == "1300.00"


def test_what_is_no_asset_and_no_sale_is_refused(assets, ada):
    assets.make()
    other = assets.enter(
        [
            {"accountId": assets.ids["Petty cash"], "amount": "10.00"},
            {"accountId": assets.ids["Machine"], "amount": "-10.00"},
        ],
        "2026-02-02",
    )
    assert assets.dispose("2026-02-20", other, expect=422)["code"] == "not_a_sale"
    assets.make(kind="RELEASE", assetAccountId=None)
    assert assets.dispose("2026-02-20", expect=422)["code"] == "not_an_asset"
