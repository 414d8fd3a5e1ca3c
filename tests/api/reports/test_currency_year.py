"""A generated year in three currencies, month by month, against a ledger that shares nothing with the application."""

from calendar import monthrange
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Any

import pytest

from tests.fixtures.helpers.owed import keep_no_items
from tests.fixtures.oracles.currency_oracles import NIL, REALISED, UNREALISED, CurrencyOracle

REPORTS = "/api/reports"
BANKS = {"EUR": "Giro", "USD": "Dollars", "GBP": "Pounds"}
OWED, OWING, SALES, COSTS = "Trade receivables", "Trade payables", "Sales of services", "Software"
MONEY = frozenset({*BANKS.values(), OWED, OWING})
ACTS = (
    "invoice",
    "bill",
    "paid",
    "pay",
    "settle",
    "settle",
    "equipment",
    "split",
    "exchange",
    "difference",
    "void",
)
STARTS = {"USD": Decimal("1.1000"), "GBP": Decimal("0.8500")}


@dataclass
class Year:
    """The application and the oracle, kept side by side."""

    person: Any
    bank: Any
    chance: Random
    oracle: CurrencyOracle
    ids: dict[str, int]
    feeds: dict[str, int]
    by_hand: list[tuple[int, list]] = field(default_factory=list)
    counts: Counter = field(default_factory=Counter)
    today: str = ""

    def act(self, day: str) -> None:
        """Do something on a day, in both."""
        name = self.chance.choice(ACTS)
        self.today = day
        getattr(self, name)(day)
        self.counts[name] += 1

    def invoice(self, day):
        self._write(day, self._currency(), self._amount(), OWED, SALES)

    def bill(self, day):
        self._write(day, self._currency(), self._amount(), COSTS, OWING)

    def paid(self, day):
        self._line(day, self._currency(), self._amount(), OWED)

    def pay(self, day):
        self._line(day, self._currency(), -self._amount(), OWING)

    def settle(self, day):
        account, currency = self.chance.choice((OWED, OWING)), self._currency()
        mine = [each for each in self.oracle.legs if (each.account, each.currency) == (account, currency)]
        amount = sum((each.amount for each in mine), NIL)
        if amount:
            self._line(day, currency, amount, account)

    def equipment(self, day):
        self._line(day, self._currency(), -self._amount(), "Equipment")

    def split(self, day):
        currency, parts = self._currency(), [self._amount(), self._amount()]
        self._line(day, currency, -sum(parts), COSTS, "Bank charges", parts=parts)

    def exchange(self, day):
        """Move money from one currency into another, where it arrives on the next day at the bank's own rate."""
        out, into = self.chance.sample(sorted(BANKS), 2)
        self.today = later = f"{day[:8]}{int(day[8:]) + 1:02}"
        sent = self._amount()
        got = self._at_rate(sent, out, into, later)
        one = self.bank.at(self.feeds[out]).send(day, str(-sent), "Exchange")
        other = self.bank.at(self.feeds[into]).send(later, str(got), "Exchange")
        done(self.person.post(f"/api/transactions/{one}/join", json={"transactionId": other}))
        for each in (one, other):
            done(self.person.post(f"/api/transactions/{each}/confirm"))
        self.oracle.exchange((BANKS[out], out, -sent), (BANKS[into], into, got), (day, later))

    def difference(self, day):
        """Write a difference on a claim by hand, in euros alone."""
        currency, base = self.chance.choice(("USD", "GBP")), self._amount() / 100
        postings = [
            {"accountId": self.ids[OWED], "amount": "0", "currency": currency, "amountBase": f"{base:.2f}"},
            {"accountId": self.ids[REALISED], "amount": f"{-base:.2f}"},
        ]
        self._post(day, postings)
        self.oracle.move_base(day, OWED, currency, base.quantize(Decimal("0.01")))

    def void(self, day):
        if self.by_hand:
            entry, legs = self.by_hand.pop(self.chance.randrange(len(self.by_hand)))
            day = max(day, legs[0].day)
            body = {"reason": "A test", "effectiveAt": day}
            done(self.person.post(f"/api/journal-entries/{entry}/void", json=body))
            self.oracle.reverse(legs, day)

    def _at_rate(self, sent, out, into, day):
        rates = self.oracle.rates.get(into)
        rate = rates[max(each for each in rates if each <= day)] if rates else Decimal(1)
        euros = self.oracle.worth(sent, out, day)
        return (euros * rate * Decimal("0.998")).quantize(Decimal("0.01"))

    def _currency(self):
        return self.chance.choice(sorted(BANKS))

    def _amount(self):
        return Decimal(self.chance.choice((10000, 110000, self.chance.randint(100, 999999)))) / 100

    def _write(self, day, currency, amount, debit, credit):
        postings = [
            {"accountId": self.ids[name], "amount": f"{sign * amount:.2f}", "currency": currency}
            for name, sign in ((debit, 1), (credit, -1))
        ]
        entry = self._post(day, postings)
        before = len(self.oracle.legs)
        self.oracle.post(day, currency, (debit, amount), [(credit, -amount)])
        self.by_hand.append((entry, self.oracle.legs[before : before + 2]))

    def _post(self, day, postings):
        body = {"effectiveAt": day, "description": "By hand", "postings": postings, "post": True}
        return done(self.person.post("/api/journal-entries", json=body))["entry"]["id"]

    def _line(self, day, currency, amount, *names, parts=None):
        line = self.bank.at(self.feeds[currency]).send(day, f"{amount:.2f}", "A line")
        if parts is None:
            changes = {"accountId": self.ids[names[0]]}
        else:
            pairs = zip(names, parts, strict=True)
            changes = {
                "splits": [{"accountId": self.ids[name], "amount": f"{-part:.2f}"} for name, part in pairs]
            }
        done(self.person.patch(f"/api/transactions/{line}", json=changes))
        done(self.person.post(f"/api/transactions/{line}/confirm"))
        counter = list(zip(names, parts or [-amount], strict=True))
        self.oracle.post(day, currency, (BANKS[currency], amount), counter)

    def revalue(self, day):
        """Revalue in both, and answer the entry, where there is one."""
        made = done(self.person.post("/api/revaluations", json={"asOf": day}))["result"]["journalEntryIds"]
        self.oracle.revalue(day)
        return made[0] if made else None

    def differences(self, first: str, last: str) -> list[str]:
        closing = self.oracle.closing(last)
        found = {
            "trial balance": figures(self.report("trial-balance", "trialBalance", first, last), "closing"),
            "profit and loss": figures(
                self.report("profit-and-loss", "profitAndLoss", "2026-01-01", last), "amount"
            ),
            "general ledger": self._ledger(first, last),
            "open items": self.person.get("/api/open-items").json["openItems"],
        }
        expected = {
            "trial balance": dict(closing),
            "profit and loss": {name: balance for name, balance in closing.items() if name in RESULTS},
            "general ledger": +Counter(
                (each.account, each.day, each.base)
                for each in self.oracle.moves()
                if first <= each.day <= last
            ),
            "open items": [],
        }
        sheet = self.report("balance-sheet", "balanceSheet", "2026-01-01", last)
        for name, accounts in SHEET.items():
            found[name] = Decimal(sheet[name]["amount"])
            expected[name] = sum((closing[account] for account in accounts), NIL)
        # What follows the last day of a month, the reversal of a revaluation, moves no currency of a bank.
        listed = done(self.person.get("/api/accounts?limit=200"))["accounts"]
        for currency, name in BANKS.items():
            found[name] = next(Decimal(each["balance"]) for each in listed if each["name"] == name)
            legs = [each for each in self.oracle.legs if (each.account, each.currency) == (name, currency)]
            expected[name] = sum((each.amount for each in legs), NIL)
        return [
            f"{last} {name}: {beyond(found[name], expected[name])} for {beyond(expected[name], found[name])}"
            for name in found
            if found[name] != expected[name]
        ]

    def report(self, name, key, first, last):
        return done(self.person.get(f"{REPORTS}/{name}?from={first}&to={last}&compareWith=none"))[key]

    def _ledger(self, first, last):
        lines, cursor = Counter(), ""
        while cursor is not None:
            page = done(self.person.get(f"{REPORTS}/general-ledger?from={first}&to={last}&limit=200{cursor}"))
            for each in page["lines"]:
                lines[each["accountName"], each["effectiveAt"][:10], Decimal(each["amountBase"])] += 1
            cursor = page["nextCursor"] and f"&cursor={page['nextCursor']}"
        return lines


RESULTS = (SALES, COSTS, "Bank charges", REALISED, UNREALISED)
SHEET = {
    "assets": ("Giro", "Dollars", "Pounds", OWED, "Equipment"),
    "liabilities": (OWING,),
    "resultOfYear": RESULTS,
}


def done(answer):
    assert answer.status_code < 300, answer.json
    return answer.json


def beyond(one, other):
    return one - other if isinstance(one, Counter) else one


def figures(report, column):
    return {each["name"]: Decimal(each[column]) for each in report["lines"] if Decimal(each[column])}


def quoted(chance):
    """Let the rates of both currencies wander from week to week; the ninth day of a new year is still covered."""
    days = [
        f"2026-{month:02}-{day:02}"
        for month in range(1, 13)
        for day in (1, 8, 15, 22, 29)
        if day < 29 or month != 2
    ]
    rates: dict[str, dict[str, Decimal]] = {}
    for currency, start in STARTS.items():
        rates[currency], rate = {}, start
        for day in days:
            rate = (rate * Decimal(chance.randint(960, 1042)) / 1000).quantize(Decimal("0.0001"))
            rates[currency][day] = rate
    return rates


@pytest.fixture
def keep(ada, bank):
    keep_no_items(ada)

    def kept(seed):
        chance = Random(seed)  # noqa: S311  (the same ones every time)
        rates = quoted(chance)
        feeds = {currency: bank.open(name, currency) for currency, name in BANKS.items()}
        body = [
            {"day": day, "currency": currency, "unitsPerBase": str(rate)}
            for currency, each in rates.items()
            for day, rate in each.items()
        ]
        done(ada.put("/api/exchange-rates", json={"rates": body}))
        ids = {each["name"]: each["id"] for each in ada.get("/api/accounts?limit=200").json["accounts"]}
        return Year(ada, bank, chance, CurrencyOracle(rates, MONEY), ids, feeds)

    return kept


def months():
    for month in range(1, 13):
        last = monthrange(2026, month)[1]
        yield f"2026-{month:02}-01", f"2026-{month:02}-{last}"


def test_every_month_of_a_year_in_order_of_days_is_what_an_independent_ledger_says(keep, rounds, figure):
    year, wrong = keep(2026), []
    for first, last in months():
        for day in sorted(year.chance.randint(1, 26) for _ in range(rounds(2, 60))):
            # Money that is sent on a day arrives on the next one, so that nothing is older than what is there.
            year.act(max(f"{first[:8]}{day:02}", min(year.today, f"{first[:8]}27")))
        entry = year.revalue(last)
        wrong += year.differences(first, last)
        assert wrong == []
        if entry is not None and year.chance.random() < 0.3:
            done(year.person.post(f"/api/journal-entries/{entry}/take-back", json={"reason": "A test"}))
            year.oracle.take_back(last)
            wrong += year.differences(first, last)
    assert wrong == []
    assert year.oracle.closing("2026-12-31")[REALISED], "nothing was realised"
    figure(
        "a year in three currencies",
        f"{sum(year.counts.values())} acts, {len(year.oracle.moves())} legs: no difference",
    )


def test_realised_and_unrealised_together_are_right_in_any_order_of_days(keep, rounds):
    year = keep(14)
    days = [
        f"2026-{month:02}-{year.chance.randint(1, 26):02}"
        for month in range(1, 13)
        for _ in range(rounds(1, 40))
    ]
    year.chance.shuffle(days)
    for day in days:
        year.act(day)
    for _, last in list(months())[2::3]:
        year.revalue(last)
        closing = figures(year.report("trial-balance", "trialBalance", "2026-01-01", last), "closing")
        assert closing.get(REALISED, NIL) + closing.get(UNREALISED, NIL) == year.oracle.exchanged(last)
        assert "Transfers between own accounts" not in closing
