"""Random schedules and cash flows in four base currencies are what an oracle of their own says."""

from calendar import monthrange
from collections import Counter
from datetime import date, timedelta
from decimal import Decimal
from random import Random

import pytest

from tests.fixtures.banks import Bank
from tests.fixtures.helpers.replays import Replay, everything
from tests.fixtures.oracles.close_oracles import NIL, ScheduleOracle, flows_of, planned, shown_flows

UNITS = {"EUR": Decimal("0.01"), "JPY": Decimal(1), "KWD": Decimal("0.001"), "CLF": Decimal("0.0001")}
FOREIGN, UNTIL, LOCKED = "USD", "2026-05-10", "2026-03-31"
NEW = (
    ("Bank", "ASSET", "BANK"), ("Van", "ASSET", "FIXED_ASSETS"), ("Prepaid", "ASSET", None),
    ("Worn", "ASSET", "FIXED_ASSETS"), ("Loan", "LIABILITY", "LOANS"), ("Card", "LIABILITY", None),
    ("Capital", "EQUITY", None), ("Fees", "INCOME", "SALES"), ("Costs", "EXPENSE", "OVERHEADS"),
    ("Wear", "EXPENSE", "DEPRECIATION"), ("Interest", "EXPENSE", "FINANCE"),
)  # fmt: skip
OWN = ("Petty cash", "Transfers between own accounts", "Realised exchange differences")
KINDS = {"RELEASE": 4, "RECURRING": 2, "DEPRECIATION": 3, "LOAN": 2}
SIDES = {"RELEASE": ("Prepaid", "Costs"), "DEPRECIATION": ("Worn", "Wear"), "LOAN": ("Loan", "Interest")}
FIRST = date(2026, 2, 1)


def done(answer):
    assert answer.status_code in (200, 201), answer.json
    return answer.json


class Keeper:
    """Somebody who writes schedules and entries by chance, in a base currency."""

    def __init__(self, person, bank, base):
        self.person, self.bank, self.base = person, bank, base
        self.chance = Random(base)  # noqa: S311  (the same ones every time)
        self.oracle = ScheduleOracle({**UNITS, FOREIGN: Decimal("0.01")}, base, self.chance.randint(1, 12))
        done(person.put("/api/financial-year", json={"firstMonth": self.oracle.first_month}))
        for name, type_, group in NEW:
            done(person.post("/api/accounts", json={"name": name, "type": type_, "group": group}))
        bank.open("Dollars", FOREIGN)
        rates = [
            {"currency": FOREIGN, "day": str(FIRST + timedelta(days=day)), "unitsPerBase": f"1.{day:03}"}
            for day in range(0, 120, 7)
        ]
        done(person.put("/api/exchange-rates", json={"rates": rates}))
        self.accounts = {each["id"]: each for each in everything(person, "accounts", "accounts")}
        self.ids = {each["name"]: each["id"] for each in self.accounts.values()}
        self.expected = Counter()

    def amount(self, most, currency=None):
        unit = self.oracle.units[currency or self.base]
        return self.chance.randint(1, most) * unit

    def schedule(self):
        """Write a schedule; answers what is planned otherwise than the oracle plans it."""
        body = self.drawn()
        made = done(self.person.post("/api/schedules", json=body))["schedule"]
        parts = self.oracle.parts(body)
        for each in parts:
            if each.due_on <= UNTIL:
                self.expect(body, each)
        return [] if planned(made) == parts else [(body, planned(made), parts)]

    def drawn(self):
        chance = self.chance
        kind = chance.choice([each for each, times in KINDS.items() for _ in range(times)])
        body = {"kind": kind, "name": kind, "startsOn": str(FIRST + timedelta(days=chance.randrange(500)))}
        body["every"] = "MONTH" if kind == "DEPRECIATION" else chance.choice(("MONTH", "QUARTER", "YEAR"))
        if chance.random() < 0.4:
            body["dayRule"] = chance.choice(("ANCHOR", "LAST_DAY", "FIRST_DAY"))
        if chance.random() < 0.6:
            body["periods"] = chance.randint(1, 40)
        else:
            body["endsOn"] = str(
                date.fromisoformat(body["startsOn"]) + timedelta(days=chance.randint(65, 1500))
            )
        if kind == "RECURRING":
            amount = self.amount(90_000)
            legs = zip(("Costs", chance.choice(("Petty cash", "Card"))), (amount, -amount), strict=True)
            return body | {
                "postings": [{"accountId": self.ids[name], "amount": str(each)} for name, each in legs]
            }
        account, counter = SIDES[kind]
        body |= {"accountId": self.ids[account], "counterAccountId": self.ids[counter]}
        return body | getattr(self, kind.lower())()

    def release(self):
        sign = self.chance.choice((1, 1, -1))
        if self.chance.random() < 0.7:
            return {"amount": str(sign * self.amount(500_000))}
        worth = {"amount": self.amount(500_000, FOREIGN), "amountBase": self.amount(500_000)}
        return {"currency": FOREIGN, **{name: str(sign * each) for name, each in worth.items()}}

    def depreciation(self):
        cost = self.amount(5_000_000)
        body = {"amount": str(cost), "firstMonth": self.chance.choice(("FULL", "NEXT"))}
        if self.chance.random() < 0.5:
            left = cost * self.chance.randint(0, 60) / 100
            body["residual"] = str(left.quantize(self.oracle.units[self.base], "ROUND_FLOOR"))
        if self.chance.random() < 0.6:
            body |= {"method": "REDUCING", "rate": f"{self.chance.randint(500, 9000) / 100}"}
        return body

    def loan(self):
        whole = self.amount(5_000_000) + 1000 * self.oracle.units[self.base]
        share = (whole / self.chance.randint(2, 40)).quantize(self.oracle.units[self.base], "ROUND_CEILING")
        rate = self.chance.randint(0, 1500)
        # More than the interest of a year, whatever its rhythm.
        payment = share + (whole * rate / 10_000).quantize(self.oracle.units[self.base], "ROUND_CEILING")
        return {"amount": str(whole), "rate": f"{rate / 100}", "payment": str(payment)}

    def expect(self, body, part):
        """Count what a part posts, where the lock lets it."""
        day = part.due_on if part.due_on > LOCKED else "2026-04-01"
        legs = body.get("postings") or [
            {"accountId": body["counterAccountId"], "amount": part.base},
            {"accountId": body["accountId"], "amount": -part.base},
        ]
        for leg in legs:
            self.expected[leg["accountId"], day] += Decimal(leg["amount"])

    def enter(self):
        """Post an entry of two to four legs, in money of one currency."""
        chance, day = self.chance, FIRST + timedelta(days=self.chance.randrange(100))
        currency = chance.choice((self.base, self.base, FOREIGN))
        names = ["Bank", *OWN, "Van", "Loan", "Card", "Capital", "Fees", "Costs"]
        if currency == FOREIGN:
            names = ["Dollars", "Fees", "Costs", "Capital", "Card", "Transfers between own accounts"]
        chosen = chance.sample(names, chance.randint(2, 4))
        amounts = [chance.choice((1, -1)) * self.amount(90_000, currency) for _ in chosen[1:]]
        legs = zip(chosen, [-sum(amounts), *amounts], strict=True)
        postings = [
            {"accountId": self.ids[name], "amount": str(amount), "currency": currency}
            for name, amount in legs
        ]
        body = {"effectiveAt": str(day), "postings": postings, "post": True}
        done(self.person.post("/api/journal-entries", json=body))

    def differences(self, replay, periods):
        """Compare what schedules posted by account and day, and cash flows of random periods."""
        posted = Counter()
        for entry in replay.counting:
            if entry["source"] == "schedule":
                for leg in entry["postings"]:
                    posted[leg["accountId"], entry["effectiveAt"][:10]] += Decimal(leg["amountBase"])
        for key in posted.keys() | self.expected.keys():
            if posted[key] != self.expected[key]:
                yield (key, posted[key], self.expected[key])
        for _ in range(periods):
            first, last = sorted(FIRST + timedelta(days=self.chance.randrange(120)) for _ in range(2))
            if self.chance.random() < 0.3:
                first, last = first.replace(day=1), month_end(last)
            yield from self.flow_differences(replay, first, last)

    def flow_differences(self, replay, first, last):
        """Compare every column of the cash flow of a period: itself, the period before, and its months."""
        query = f"from={first}&to={last}&months=true&compareWith=previous_period"
        flow = done(self.person.get(f"/api/reports/cash-flow?{query}"))["cashFlow"]
        columns = {("amount", None): (first, last), ("before", None): days_before(first, last)}
        columns |= {("months", place): each for place, each in enumerate(months(first, last))}
        for (read, place), days in columns.items():
            shown = shown_flows(flow, read, place)
            expected = flows_of(replay, self.accounts, *map(str, days))
            if shown.figures != expected.figures:
                yield (days, shown, expected)
            if shown.opening + sum(shown.moved.values(), NIL) + shown.effect != shown.closing:
                yield (days, shown, "does not add up")


def month_end(day):
    return day.replace(day=monthrange(day.year, day.month)[1])


def months(first, last):
    while first <= last:
        yield first, min(month_end(first), last)
        first = month_end(first) + timedelta(days=1)


def days_before(first, last):
    """Give the period before one: as many whole months, or as many days."""
    eve = first - timedelta(days=1)
    if (first.day, last) != (1, month_end(last)):
        return eve - (last - first), eve
    start = first
    for _ in months(first, last):
        start = (start - timedelta(days=1)).replace(day=1)
    return start, eve


@pytest.mark.parametrize("base", UNITS)
def test_schedules_and_cash_flows_by_chance_are_those_of_an_oracle(app, keeps_in, base, rounds, figure):
    person = keeps_in(base)
    keeper = Keeper(person, Bank(app, person), base)
    schedules, periods = rounds(4, 500), rounds(2, 500)
    apart = [each for _ in range(schedules) for each in keeper.schedule()]
    for _ in range(rounds(8, 150)):
        keeper.enter()
    done(person.post("/api/revaluations", json={"asOf": "2026-03-31"}))
    keeper.bank.lock(LOCKED)
    done(person.post("/api/schedules/run", json={"until": UNTIL}))
    apart += keeper.differences(Replay.of(person), periods)
    assert apart == []
    figure("schedules and cash flows by chance", f"{schedules} and {periods} in {base}, 0 apart")
