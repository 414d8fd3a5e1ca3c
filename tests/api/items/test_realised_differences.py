"""What settlements in three foreign currencies realise, held to an oracle that knows nothing but what was put in."""

import random
from decimal import Decimal
from fractions import Fraction

import pytest

from tests.fixtures.helpers.owed import items, keep_items, owe, settle, undo
from tests.fixtures.helpers.transfers import confirm, entry, send
from tests.fixtures.oracles.realised_differences import DIGITS, Owed, Realised, in_euros

pytestmark = pytest.mark.usefixtures("sound")
CURRENCIES = {"USD": (105, 125), "JPY": (15000, 17000), "KWD": (31, 36)}
ACTS = 12
LAST_DAY = "2026-06-30"
WORDS = ["Exchange", "difference", "of", "settlement"]


def text(minor, currency):
    """Write an amount of minor units as the interface does."""
    return str(Decimal(minor).scaleb(-DIGITS[currency]))


def minor(amount, currency):
    whole = Decimal(amount).scaleb(DIGITS[currency])
    assert whole == int(whole), (amount, currency)
    return int(whole)


class Party:
    """One party that is owed and pays in one currency, at random, beside the oracle."""

    def __init__(self, ben, books, bank, banks, number, chance):
        self.ben, self.books, self.bank, self.chance = ben, books, bank, chance
        self.merchant = bank.merchant(f"Party {number}")
        self.currency = chance.choice(sorted(CURRENCIES))
        self.oracle, self.standing, self.number = Realised(), [], number
        self.discounts, self.banks = {}, banks

    def days_rate(self, rates):
        day = f"2026-{self.chance.randint(1, 6):02}-{self.chance.randint(1, 28):02}"
        if (self.currency, day) not in rates:
            low, high = CURRENCIES[self.currency]
            rates[self.currency, day] = Fraction(self.chance.randint(low * 10, high * 10), 1000)
            rate = rates[self.currency, day]
            self.bank.quote(day, self.currency, str(Decimal(rate.numerator) / rate.denominator))
        return day, rates[self.currency, day]

    def any_amount(self, sign):
        """Give an amount after which not everything is paid: then all that is open would be settled by itself."""
        while True:
            amount = sign * self.chance.randint(3, 400_000)
            if self.oracle.open_amount + amount:
                return amount

    def owes(self, rates):
        day, rate = self.days_rate(rates)
        amount = self.any_amount(self.chance.choice((1, 1, -1)))
        owed = text(amount, self.currency)
        entry_id = owe(self.ben, self.books, owed, self.merchant, currency=self.currency, day=day)
        [item] = [each for each in self.open_items() if each["journalEntryId"] == entry_id]
        self.oracle.items[item["id"]] = Owed(amount, in_euros(amount, self.currency, rate))

    def settles(self, _rates):
        left = {item_id: each.left[0] for item_id, each in self.oracle.items.items() if each.left[0]}
        ours = [item_id for item_id, amount in left.items() if amount > 0]
        theirs = [item_id for item_id, amount in left.items() if amount < 0]
        if not ours or not theirs:
            return
        one, some = self.chance.choice(theirs), self.chance.sample(ours, min(len(ours), 2))
        most = min(-left[one], sum(left[each] for each in some))
        rest = most if self.chance.random() < 0.5 or most < 3 else self.chance.randint(2, most)
        parts = {one: -rest}
        for each in some:
            taken = min(left[each], rest)
            if taken:
                parts[each], rest = taken, rest - taken
        made = settle(
            self.ben,
            *(({"id": each}, text(amount, self.currency)) for each, amount in parts.items()),
        )
        self.compare(made, parts)

    def pays_short(self, rates):
        """Let a line in euros pay an item that is open with less, and take a discount for the rest."""
        self.pays_in_euros(rates, is_short=True)

    def pays_in_its_currency(self, rates):
        """Let a line of a bank account in the currency of the items pay a part of one, at the rate of its day."""
        self.pays(rates, self.currency)

    def pays_in_euros(self, rates, *, is_short=False):
        """Let a line of a bank account in euros pay a part of an item, at a rate of its own."""
        self.pays(rates, "EUR", is_short=is_short)

    def pays(self, rates, currency, *, is_short=False):
        left = {item_id: each.left[0] for item_id, each in self.oracle.items.items() if each.left[0] > 1}
        if not left:
            return
        item_id = self.chance.choice(sorted(left))
        day, rate = self.days_rate(rates)
        amount = self.chance.randint(1, left[item_id])
        if self.oracle.open_amount == amount:
            return
        # Of two equal parts it could not be told which one is the payment.
        short = self.chance.randint(1, amount - 1) if is_short and amount > 1 else 0
        short += 2 * short == amount
        if short == amount:
            return
        paid = amount - short
        own = Fraction(self.chance.randint(97, 103), 100) if currency == "EUR" else 1
        cents = in_euros(paid, self.currency, rate * own)
        if currency == "EUR":
            cents = cents or 1
        sent = text(cents if currency == "EUR" else paid, currency)
        line = send(self.bank, self.banks[currency], day, sent, f"Pays {self.number}")
        changes = {"settles": [{"itemId": item_id, "amount": text(amount, self.currency)}], "force": True}
        if short:
            discounts = self.books.account_id("Advertising")
            taken = {
                "amount": text(short, self.currency),
                "currency": self.currency,
                "as": "DISCOUNT",
                "accountId": discounts,
            }
            changes["short"] = taken
        answer = self.ben.patch(f"/api/transactions/{line}", json=changes)
        assert answer.status_code == 200, answer.json
        confirm(self.ben, line)
        made = self.ben.get("/api/settlements?limit=1").json["settlements"][0]
        assert entry(self.ben, line)["status"] == "POSTED"
        worth = self.oracle.discount({item_id: amount}, short)
        others = {minor(each["amount"], self.currency): each["itemId"] for each in made["parts"]}
        parts = {item_id: amount, others[-paid]: -paid}
        self.oracle.items[others[-paid]] = Owed(-paid, -cents)
        if short:
            self.oracle.items[others[-short]] = Owed(-short, -worth)
            parts[others[-short]] = -short
            self.discounts[made["id"]] = others[-short]
        self.compare(made, parts)

    def undoes(self, _rates):
        if self.standing:
            made = self.standing.pop(self.chance.randrange(len(self.standing)))
            undo(self.ben, made)
            self.oracle.undo(made["id"])
            # What was short of it is voided with it.
            self.oracle.items.pop(self.discounts.pop(made["id"], None), None)

    def compare(self, made, parts):
        expected = self.oracle.settle(made["id"], parts)
        answered = {each["itemId"]: minor(each["amountBase"], "EUR") for each in made["parts"]}
        assert answered == expected, (self.currency, parts)
        self.standing.append(made)

    def open_items(self):
        return items(self.ben, merchantId=self.merchant, limit=200)

    def compare_rest(self):
        answered = {
            each["id"]: (minor(each["open"], self.currency), minor(each["openBase"], "EUR"))
            for each in self.open_items()
        }
        left = {item_id: each.left for item_id, each in self.oracle.items.items() if each.left[0]}
        assert answered == left, self.currency


def realised(ben):
    found, together, cursor = {}, 0, None
    while True:
        asked = {"limit": 200, **({"cursor": cursor} if cursor else {})}
        answer = ben.get("/api/journal-entries", query_string=asked).json
        for each in answer["entries"]:
            cents = -sum(
                minor(leg["amountBase"], "EUR")
                for leg in each["postings"]
                if leg["accountName"] == "Realised exchange differences"
            )
            together += cents
            words = each["description"].split()
            if each["source"] == "settlement" and words[:4] == WORDS:
                found[int(words[4])] = cents
        cursor = answer.get("nextCursor")
        if not cursor:
            return found, together


def test_settlements_realise_what_an_oracle_of_the_inputs_says(ada, ben, books, bank, rounds, figure):
    keep_items(ada, books.account_id("Trade receivables"))
    banks = {each: bank.open(f"Account in {each}", each) for each in ("EUR", *CURRENCIES)}
    rates, parties, count = {}, [], rounds(4, 150)
    for number in range(count):
        chance = random.Random(f"{number} of those who owe")  # noqa: S311  (no secret)
        party = Party(ben, books, bank, banks, number, chance)
        for _ in range(4):
            party.owes(rates)
        pays = party.pays_in_euros, party.pays_short, party.pays_in_its_currency
        acts = (party.owes, party.settles, party.settles, *pays, party.undoes)
        for _ in range(ACTS):
            chance.choice(acts)(rates)
        party.compare_rest()
        parties.append(party)
    for currency, (low, _) in CURRENCIES.items():
        bank.quote(LAST_DAY, currency, str(Decimal(low) / 100))
    answer = ada.post("/api/revaluations", json={"asOf": LAST_DAY})
    assert answer.status_code in {200, 201}, answer.json
    for party in parties:
        party.settles(rates)
        party.compare_rest()
    expected = {each: cents for party in parties for each, cents in party.oracle.of.items() if cents}
    posted, together = realised(ben)
    assert {each: cents for each, cents in posted.items() if cents} == expected
    assert together == sum(party.oracle.standing for party in parties)
    settled = sum(len(party.oracle.of) for party in parties)
    figure("open items", f"{count} parties, {settled} settlements in 3 currencies, as the oracle has them")
