"""Whole histories in bases of 0 and 3 digits: every figure of the books is what an oracle makes of their entries."""

from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from random import Random

import pytest

from tests.exporters.test_witnesses import all_entries, names_of, written
from tests.fixtures.banks import Bank
from tests.fixtures.helpers import witnesses
from tests.fixtures.helpers.owed import items
from tests.fixtures.oracles.book_oracles import UNITS, BookOracle

FIRST, DAYS = date(2026, 3, 1), 91
MONTH_ENDS = ("2026-03-31", "2026-04-30", "2026-05-31")
# Units of each currency for one of the base.
MIDDLES = {
    "JPY": {"EUR": "0.0062", "USD": "0.0067", "KWD": "0.00206"},
    "KWD": {"EUR": "3.0100", "USD": "3.2500", "JPY": "486.20"},
}
LEAST = {"JPY": Decimal(1), "KWD": Decimal("0.001")}
ACTS = (
    *("owe",) * 4, *("line",) * 4, *("pay",) * 6, *("settle",) * 2,
    "own_rate", "undo", "void", "correct", "move", "merge", "separate",
)  # fmt: skip


class History:
    """A quarter of a firm that buys, sells, pays and is paid in four currencies, act by act, chosen by chance."""

    def __init__(self, app, person, base, seed):
        self.person, self.base, self.bank = person, base, Bank(app, person)
        self.chance = Random(f"{base} {seed}")  # noqa: S311  (the same ones every time)
        listed = person.get("/api/accounts?limit=200").json["accounts"]
        self.ids = {each["name"]: each["id"] for each in listed}
        self.rates = {code: {} for code in MIDDLES[base]}
        for step in range(-10, DAYS + 5, 5):
            day = (FIRST + timedelta(days=step)).isoformat()
            for code, middle in MIDDLES[base].items():
                rate = Decimal(middle) * self.chance.randint(930, 1070) / 1000
                self.rates[code][day] = rate
                self.bank.quote(day, code, str(rate))
        self.currencies = (base, *self.rates)
        self.feeds = {code: self.bank.open(f"Bank {code}", code) for code in (base, "EUR", "USD")}
        self.parties = [self.bank.merchant(name) for name in ("Acme", "Halden", "Fjord", "Mill")]
        self.family = self.bank.account("Household", in_scope=False)
        self.lines, self.day, self.done = [], FIRST.isoformat(), {}

    def keep(self, acts):
        """Do some acts, day after day, with a revaluation at the end of each month."""
        for number in range(acts):
            before, self.day = self.day, (FIRST + timedelta(days=number * DAYS // acts)).isoformat()
            for end in MONTH_ENDS:
                if before <= end < self.day:
                    self.done["revalue", self.revalue(end)] = True
            name = self.chance.choice(ACTS)
            status = getattr(self, name)()
            self.done[name, status] = True
        self.revalue(MONTH_ENDS[-1])
        # What comes late makes them stale, and they are run again.
        self.day = "2026-03-12"
        for name in ("owe", "pay", "line"):
            getattr(self, name)()
        for end in MONTH_ENDS:
            assert self.revalue(end) == 200

    def revalue(self, day):
        return self.person.post("/api/revaluations", json={"asOf": day}).status_code

    def amount(self, currency, worth=None):
        """Choose an amount of some thousand yen, or what something is worth."""
        euros = Decimal(self.chance.randint(100, 90000)) / 100 if worth is None else worth
        of_base = euros / Decimal(MIDDLES[self.base]["EUR"]) if worth is None else worth
        rate = Decimal(1) if currency == self.base else self.rate(currency)
        unit = LEAST.get(currency, Decimal("0.01"))
        return max((of_base * rate).quantize(unit, ROUND_HALF_UP), unit)

    def rate(self, currency):
        return self.rates[currency][max(each for each in self.rates[currency] if each <= self.day)]

    def _write(self, *legs, **more):
        keys = ("accountId", "amount", "currency", "orgMerchantId", "amountBase")
        postings = [
            {
                key: str(each) if isinstance(each, Decimal) else each
                for key, each in zip(keys, leg, strict=False)
            }
            for leg in legs
        ]
        body = {"effectiveAt": self.day, "description": "By hand", "postings": postings, "post": True, **more}
        return self.person.post("/api/journal-entries", json=body).status_code

    def owe(self):
        currency, party = self.chance.choice(self.currencies), self.chance.choice([*self.parties, None])
        amount = self.amount(currency) * (1 if self.chance.random() < 0.7 else -1)
        owed, against = self.chance.choice(
            (("Trade receivables", "Sales of services"), ("Trade payables", "Software"))
        )
        if owed == "Trade payables":
            amount = -amount
        return self._write(
            (self.ids[owed], amount, currency, party), (self.ids[against], -amount, currency), force=True
        )

    def own_rate(self):
        currency = self.chance.choice(list(self.rates))
        amount = self.amount(currency)
        unit = UNITS[self.base]
        own = (amount / self.rate(currency) * self.chance.randint(98, 102) / 100).quantize(unit)
        sales = self.ids["Sales of goods"]
        owed = self.ids["Trade receivables"], amount, currency, self.chance.choice(self.parties), own
        return self._write(owed, (sales, -amount, currency), force=True)

    def _send(self, currency, amount, text="A line"):
        self.bank.fa_id = self.feeds[currency]
        return self.bank.send(self.day, str(amount), text)

    def _confirm(self, line, changes):
        answer = self.person.patch(f"/api/transactions/{line}", json=changes)
        if answer.status_code == 200:
            answer = self.person.post(f"/api/transactions/{line}/confirm")
            self.lines.append(line)
        return answer.status_code

    def line(self):
        currency = self.chance.choice(list(self.feeds))
        amount = self.amount(currency) * self.chance.choice((1, -1))
        line = self._send(currency, amount)
        if self.chance.random() < 0.4:
            tax = (amount / 6).quantize(LEAST.get(currency, Decimal("0.01")))
            parts = ("Materials and goods", amount - tax), ("VAT receivable", tax)
            splits = [{"accountId": self.ids[name], "amount": str(part)} for name, part in parts if part]
            return self._confirm(line, {"splits": splits})
        names = ("Rent", "Travel", "Other income", "Equipment")
        return self._confirm(
            line, {"accountId": self.chance.choice([*map(self.ids.get, names), self.family])}
        )

    def pay(self):
        """Pay items of one party from any bank: in their currency, in the base or in a third one."""
        groups = {}
        for each in items(self.person, limit=200):
            groups.setdefault((each["accountId"], each["orgMerchantId"], each["currency"]), []).append(each)
        if not groups:
            return None
        chosen = self.chance.choice(list(groups.values()))
        chosen = self.chance.sample(chosen, min(len(chosen), self.chance.randint(1, 2)))
        owed = sum((Decimal(each["open"]) for each in chosen), Decimal(0))
        worth = sum((Decimal(each["openBase"]) for each in chosen), Decimal(0))
        if not owed or owed * worth <= 0:
            return None
        currency = self.chance.choice(list(self.feeds))
        is_abroad = currency != chosen[0]["currency"]
        size = (
            self.amount(currency, abs(worth) * self.chance.randint(97, 103) / 100) if is_abroad else abs(owed)
        )
        paid = size if owed > 0 else -size
        body = {"settles": [{"itemId": each["id"]} for each in chosen], "force": True}
        if self.chance.random() < 0.3:
            tax = (paid / 10).quantize(LEAST.get(currency, Decimal("0.01")))
            parts = [(chosen[0]["accountId"], paid, chosen[0]["orgMerchantId"])]
            parts += [(self.ids["VAT payable"], tax, None)] if tax else []
            splits = [
                {"accountId": at, "amount": str(part), "orgMerchantId": party} for at, part, party in parts
            ]
            return self._confirm(self._send(currency, paid + tax), {**body, "splits": splits})
        return self._confirm(self._send(currency, paid), body)

    def settle(self):
        groups = {}
        for each in items(self.person, limit=200):
            groups.setdefault((each["accountId"], each["orgMerchantId"], each["currency"]), []).append(each)
        for some in groups.values():
            up = [each for each in some if Decimal(each["open"]) > 0]
            down = [each for each in some if Decimal(each["open"]) < 0]
            if up and down:
                amount = min(Decimal(up[0]["open"]), -Decimal(down[0]["open"]))
                parts = [(up[0]["id"], amount), (down[0]["id"], -amount)]
                body = {"parts": [{"itemId": item, "amount": str(part)} for item, part in parts]}
                return self.person.post("/api/settlements", json=body).status_code
        return None

    def undo(self):
        standing = self.person.get("/api/settlements?limit=200").json["settlements"]
        standing = [each["id"] for each in standing if each["status"] == "STANDING"]
        if not standing:
            return None
        address = f"/api/settlements/{self.chance.choice(standing)}/undo"
        return self.person.post(address, json={"reason": "Wrong"}).status_code

    def void(self):
        found = self.person.get("/api/journal-entries?limit=200").json["entries"]
        found = [each["id"] for each in found if each["canVoid"]]
        if not found:
            return None
        address = f"/api/journal-entries/{self.chance.choice(found)}/void"
        return self.person.post(address, json={"reason": "Wrong", "effectiveAt": self.day}).status_code

    def correct(self):
        if not self.lines:
            return None
        account = self.ids[self.chance.choice(("Rent", "Other income", "Trade receivables"))]
        changes = {"accountId": account, "orgMerchantId": self.chance.choice(self.parties)}
        return self._confirm(self.chance.choice(self.lines), changes)

    def move(self):
        """Move money between two banks' accounts, and pair the lines."""
        one, other = self.chance.sample(list(self.feeds), 2)
        out = self.amount(one)
        of_base = out if one == self.base else out / self.rate(one)
        lines = [self._send(one, -out, "Out"), self._send(other, self.amount(other, of_base), "In")]
        joined = self.person.post(f"/api/transactions/{lines[0]}/join", json={"transactionId": lines[1]})
        for line in lines:
            self._confirm(
                line,
                {}
                if joined.status_code == 200
                else {"accountId": self.ids["Transfers between own accounts"]},
            )
        return joined.status_code

    def merge(self):
        one, other = self.chance.sample(self.parties, 2)
        return self.person.post(f"/api/merchants/{one}/merge", json={"mergedIntoId": other}).status_code

    def separate(self):
        return self.person.post(f"/api/merchants/{self.chance.choice(self.parties)}/separate").status_code

    def prove(self):
        """Prove each bank's account at the end of the second month; answers what each statement says."""
        found = []
        for currency, fa_id in self.feeds.items():
            lines = self.person.get(f"/api/transactions?faId={fa_id}&limit=200").json["transactions"]
            balance = sum(
                (Decimal(each["amount"]) for each in lines if each["bookedOn"] <= MONTH_ENDS[1]), Decimal(0)
            )
            address = f"/api/reconciliations/accounts/{fa_id}"
            draft = {"statementDate": MONTH_ENDS[1], "statementBalance": str(balance)}
            answers = [
                self.person.put(f"{address}/draft", json=draft),
                self.person.put(f"{address}/draft/lines", json={"auto": True}),
            ]
            assert [each.status_code for each in answers] == [200, 200], answers[-1].json
            found.append((answers[-1].json["account"], currency, balance))
        return found


def agrees(history, figure):
    """Compare everything with an oracle; answers it."""
    oracle = BookOracle(history.person, history.base, history.rates)
    periods = [("2026-01-01", end) for end in ("2026-03-17", *MONTH_ENDS)] + [("2026-04-01", "2026-04-30")]
    for period in periods:
        oracle.statements(*period)
    for day in ("2026-03-09", "2026-04-14", *MONTH_ENDS):
        oracle.aged(day)
    oracle.parties("2026-04-01", MONTH_ENDS[-1])
    oracle.registers()
    oracle.mirrors()
    oracle.revaluations(MONTH_ENDS)
    for account, currency, balance in history.prove():
        draft = account["draft"]
        confirmed = oracle.confirmed(account["faId"], MONTH_ENDS[1])
        shown = {"clearedBalance": draft["clearedBalance"], "difference": draft["difference"]}
        oracle.same(
            ("statement", currency), shown, {"clearedBalance": confirmed, "difference": balance - confirmed}
        )
    figure("books", f"{history.base}: {oracle.count:,} figures, {len(oracle.wrong)} differ from the oracle")
    return oracle


@pytest.mark.rare
@pytest.mark.parametrize("base", MIDDLES)
def test_every_figure_of_a_history_is_the_oracles(app, keeps_in, base, rounds, figure, tmp_path):
    for seed in range(rounds(1, 8)):
        history = History(app, keeps_in(base), base, seed)
        history.keep(rounds(45, 220))
        oracle = agrees(history, figure)
        assert oracle.wrong == [], sorted(history.done, key=str)
        assert oracle.count > 500
        assert history.bank.broken() == []
        person, bank = history.person, history.bank
        entries, names = all_entries(person), names_of(bank, person)
        texts = {each: written(bank, person, each) for each in ("beancount", "hledger")}
        for day in map(date.fromisoformat, MONTH_ENDS):
            ours = witnesses.of_entries(entries, names, day)
            assert witnesses.of_beancount(texts["beancount"], day) == ours
            assert witnesses.of_hledger(texts["hledger"], tmp_path, day) == ours
