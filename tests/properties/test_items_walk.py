"""Whatever is owed, paid, settled, undone, corrected, voided, revalued and locked: books are sound after each act."""

import random
from datetime import date, timedelta
from decimal import Decimal
from functools import cache

import pytest

from tests.fixtures.helpers.owed import items, keep_items
from tests.fixtures.helpers.transfers import send
from tests.fixtures.oracles.settled_bases import SettledBases
from webapp.queries.checks import items as item_checks

FIRST, DAYS = date(2026, 3, 1), 90
CURRENCIES = ("EUR", "USD", "GBP")
ACTS = (*("owe",) * 3, *("pay",) * 3, "settle", "undo", "void", "correct", "lock", "exchange")


class Walk:
    """A year of a firm in short: acts chosen by chance, each checked by what it left."""

    def __init__(self, ada, ben, bank, books, seed):
        self.ada, self.ben, self.bank, self.books = ada, ben, bank, books
        self.chance = random.Random(seed)  # noqa: S311  (figures to try, no secret)
        self.account = keep_items(ada, books.account_id("Trade receivables"))
        self.sales = books.account_id("Sales of services")
        self.other = books.account_id("Other income")
        self.parties = [bank.merchant(name) for name in ("Acme", "Halden", "Fjord")]
        self.giro = bank.open("Giro")
        self.oracle, self.lines, self.done = SettledBases(self.account, cache(self._key_of)), [], {}
        for step in range(0, DAYS + 1, 5):
            day = (FIRST + timedelta(days=step)).isoformat()
            for code, middle in (("USD", 110), ("GBP", 85)):
                bank.quote(day, code, str(Decimal(middle + self.chance.randint(-6, 6)) / 100))

    def day(self):
        return (FIRST + timedelta(days=self.chance.randrange(DAYS))).isoformat()

    def act(self):
        name = self.chance.choice(ACTS)
        status = getattr(self, name)()
        self.done[name, status] = self.done.get((name, status), 0) + 1
        return name, status

    def owe(self):
        amount = f"{self.chance.randint(1, 90000) / 100:.2f}"
        amount, opposite = (f"-{amount}", amount) if self.chance.random() < 0.3 else (amount, f"-{amount}")
        code, party = self.chance.choice(CURRENCIES), self.chance.choice([*self.parties, None])
        owed = {"accountId": self.account, "amount": amount, "currency": code, "orgMerchantId": party}
        body = {
            "effectiveAt": self.day(),
            "description": "Owed",
            "postings": [owed, {"accountId": self.sales, "amount": opposite, "currency": code}],
            "post": True,
        }
        return self.ben.post("/api/journal-entries", json=body).status_code

    def _of_one_party(self):
        groups = {}
        for each in items(self.ben, limit=200):
            if Decimal(each["open"]):
                groups.setdefault((each["orgMerchantId"], each["currency"]), []).append(each)
        chosen = self.chance.choice(list(groups.values())) if groups else []
        return self.chance.sample(chosen, min(len(chosen), self.chance.randint(1, 3)))

    def pay(self):
        chosen = self._of_one_party()
        owed = sum((Decimal(each["open"]) for each in chosen), Decimal(0))
        if not owed:
            return None
        worth = abs(sum(Decimal(each["openBase"]) for each in chosen)) or Decimal(1)
        size = abs(owed) if chosen[0]["currency"] == "EUR" else worth * self.chance.randint(95, 105) / 100
        short = Decimal(self.chance.choice(("0", "0", "0.37")))
        if abs(owed) <= short or (len(chosen) == 1 and self.chance.random() < 0.3):
            short = Decimal(0)
        paid = max(size - short, Decimal("0.01")).quantize(Decimal("0.01"))
        line = send(self.bank, self.giro, self.day(), f"{paid if owed > 0 else -paid}", text="Payment")
        body = {"settles": [{"itemId": each["id"]} for each in chosen], "force": True}
        if short:
            body["short"] = {"amount": str(short), "as": "FEE"}
        answer = self.ben.patch(f"/api/transactions/{line}", json=body)
        if answer.status_code == 200:
            answer = self.ben.post(f"/api/transactions/{line}/confirm")
            self.lines.append(line)
        return answer.status_code

    def settle(self):
        chosen = self._of_one_party()
        owed = [each for each in chosen if Decimal(each["open"]) > 0]
        paid = [each for each in chosen if Decimal(each["open"]) < 0]
        if not owed or not paid:
            return None
        amount = min(Decimal(owed[0]["open"]), -Decimal(paid[0]["open"]))
        parts = [
            {"itemId": owed[0]["id"], "amount": str(amount)},
            {"itemId": paid[0]["id"], "amount": str(-amount)},
        ]
        return self.ben.post("/api/settlements", json={"parts": parts}).status_code

    def undo(self):
        standing = [each for each in self.settlements() if each["status"] == "STANDING"]
        if not standing:
            return None
        chosen = self.chance.choice(standing)["id"]
        return self.ben.post(f"/api/settlements/{chosen}/undo", json={"reason": "Wrong"}).status_code

    def void(self):
        found = [each for each in self.entries() if each["canVoid"]]
        if not found:
            return None
        chosen = self.chance.choice(found)["id"]
        return self.ben.post(f"/api/journal-entries/{chosen}/void", json={"reason": "Wrong"}).status_code

    def correct(self):
        if not self.lines:
            return None
        line = self.chance.choice(self.lines)
        account = self.chance.choice((self.account, self.other))
        changes = {"accountId": account, "orgMerchantId": self.chance.choice(self.parties)}
        answer = self.ben.patch(f"/api/transactions/{line}", json=changes)
        if answer.status_code == 200:
            answer = self.ben.post(f"/api/transactions/{line}/confirm")
        return answer.status_code

    def lock(self):
        body = {"lockDate": self.chance.choice((None, self.day())), "reason": "Closing", "moveDrafts": True}
        return self.ada.browser().put("/api/lock-date", json=body).status_code

    def exchange(self):
        """Carry what is in another currency at the rate of a day: no item changes by it, and the tie counts it."""
        before = sorted((each["id"], each["openBase"]) for each in items(self.ben, limit=200))
        answer = self.ada.post("/api/revaluations", json={"asOf": self.day()})
        assert sorted((each["id"], each["openBase"]) for each in items(self.ben, limit=200)) == before
        return answer.status_code

    def _key_of(self, item_id):
        item = self.ben.get(f"/api/items/{item_id}").json["item"]
        return item["journalEntryId"], item["currency"], item["orgMerchantId"]

    def settlements(self):
        return self._all("settlements", "/api/settlements")

    def entries(self):
        return self._all("entries", "/api/journal-entries")

    def _all(self, name, path):
        found, cursor = [], None
        while True:
            answer = self.ben.get(
                path, query_string={"limit": 200, **({"cursor": cursor} if cursor else {})}
            ).json
            found += answer[name]
            cursor = answer.get("nextCursor")
            if not cursor:
                return found

    def check(self):
        """Hold that nothing is broken, that items tie to the account on any day, and what was realised."""
        days = [FIRST + timedelta(days=self.chance.randrange(-2, DAYS + 5)) for _ in range(3)]
        organization = self.ben.organization_id
        assert self.bank.broken() == []
        untied = self.bank.ask(lambda: [item_checks.untied(organization, day) for day in days])
        assert untied == [[], [], []]
        assert self.oracle.follow(self.entries(), self.settlements()) == []


def walk_through(walk, steps):
    for _ in range(steps):
        name, status = walk.act()
        assert status in (None, 200, 201, 409, 422), (name, status)
        walk.check()


@pytest.fixture
def walk(ada, ben, bank, books):
    return Walk(ada, ben, bank, books, seed=21)


def test_every_act_leaves_books_that_are_sound_and_tie(walk, rounds):
    walk_through(walk, rounds(14, 400))
    # Chance may have left it out.
    assert walk.exchange() in (200, 409)
    walk.check()
