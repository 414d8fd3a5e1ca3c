"""Books with taxes: Ada's, with a pack installed."""

import pytest


class Taxes:
    """What a test writes with tax codes, and reads of it; a sale is above zero, and so is a purchase."""

    def __init__(self, person, bank, base="EUR", pack="generic-vat", start="2026-01-01"):
        self.person, self.bank, self.pack = person, bank, pack
        if base != "EUR":
            bank.rebase(base)
        done(person.post(f"/api/tax/packs/{pack}/install", json={"from": start}))
        codes = person.get("/api/tax/codes?limit=200").json["taxCodes"]
        self.codes = {each["code"]: each["id"] for each in codes}
        listed = person.get("/api/accounts?limit=200").json["accounts"]
        self.accounts = {each["name"]: each["id"] for each in listed}
        self.names = {number: code for code, number in self.codes.items()}

    def posting(self, account, amount, code=None, **tax):
        return {
            "accountId": self.accounts[account],
            "amount": amount,
            **({"taxCodeId": self.codes[code]} if code else {}),
            **tax,
        }

    def enter(self, day, *postings, expect=201, **body):
        body = {
            "effectiveAt": day,
            "postings": [self.posting(*each[:3], **each[3]) for each in postings],
            **body,
        }
        answer = self.person.post("/api/journal-entries", json={"post": True, **body})
        assert answer.status_code == expect, answer.json
        return answer.json["entry"]["id"] if expect == 201 else answer.json

    def sale(self, day, gross, code, *, late=False, **tax):
        """Book money that came in for a sale."""
        return self.enter(
            day,
            ("Petty cash", gross, None, {}),
            ("Sales of services", f"-{gross}".replace("--", ""), code, tax),
            late=late,
        )

    def purchase(self, day, gross, code, *, late=False, **tax):
        return self.enter(
            day,
            ("Petty cash", f"-{gross}".replace("--", ""), None, {}),
            ("Software", gross, code, tax),
            late=late,
        )

    def void(self, entry, *, late=False):
        body = {"reason": "Twice", "late": late}
        return done(self.person.post(f"/api/journal-entries/{entry}/void", json=body))

    def split(self, line, *splits, expect=200):
        body = {"splits": [self.posting(*each[:3], **each[3]) for each in splits]}
        answer = self.person.patch(f"/api/transactions/{line}", json=body)
        assert answer.status_code == expect, answer.json
        return answer.json

    def legs(self, entry_id):
        """Give the legs of an entry: the account, the amount, and the code with its boxes."""
        entry = done(self.person.get(f"/api/journal-entries/{entry_id}"))["entry"]
        return [
            (
                each["accountName"],
                each["amount"],
                *(
                    (
                        self.names[each["taxCodeId"]],
                        each["taxPoint"],
                        {box["box"]: box["amount"] for box in each["boxes"]},
                    )
                    if "taxCodeId" in each
                    else ()
                ),
            )
            for each in entry["postings"]
        ]

    def of_line(self, line):
        return self.legs(done(self.person.get(f"/api/transactions/{line}"))["transaction"]["journalEntryId"])


def done(answer):
    assert answer.status_code in (200, 201), answer.json
    return answer.json


@pytest.fixture
def taxes(ada, bank):
    """Books in euros with the generic pack from 2026 on."""
    return Taxes(ada, bank)


@pytest.fixture
def uk(ada, bank):
    """Books in pounds with the United Kingdom's pack from 2026 on."""
    return Taxes(ada, bank, "GBP", "uk-vat100")
