"""Random years of sales, bills and what becomes of them in books: each return is that of an oracle, and stays so."""

from datetime import timedelta
from random import Random

import pytest

from tests.api.tax.conftest import done
from tests.api.tax.test_settled_taxes import Owed
from tests.fixtures.banks import Bank
from tests.fixtures.oracles.tax_years import BOXES
from tests.fixtures.taxed_years import ENDS, MONTHS, STARTS, Year

NOTE = {"note": "Known", "late": True}


def money(minor):
    return f"{minor / 100:.2f}"


class Books:
    """The acts of a year through the API; `names` has what each entry is called."""

    def __init__(self, person, bank, *, is_cash):
        self.owed = Owed(person, bank, basis="CASH" if is_cash else "ACCRUAL")
        self.person, self.bank, self.suffix, self.names, self.filed = (
            person,
            bank,
            "C" if is_cash else "",
            {},
            [],
        )
        self.entries, self.fas, self.currency = {}, {"GBP": self.owed.fa_id}, {}
        self.fas["USD"] = bank.open("Dollars", "USD")
        rates = [
            {"currency": "USD", "unitsPerBase": f"{rate.numerator / rate.denominator:.2f}", "use": "TAX"}
            | {"month": f"2026-{month:02d}"}
            for month, rate in enumerate(MONTHS, 1)
        ]
        done(person.put("/api/exchange-rates", json={"rates": rates}))
        for week in range(53):
            bank.quote(str(STARTS[0] + timedelta(days=7 * week)), "USD", "1.1")

    def write(self, paper):
        name = f"{paper.name}"
        body = {"effectiveAt": str(paper.day), "description": name, "post": True, "force": True, "late": True}
        if paper.came_on:
            document = {"documentType": "BILL", "number": name, "receivedOn": str(paper.came_on)}
            body["documentId"] = done(self.person.post("/api/documents", json=document))["document"]["id"]
        self.currency[paper.name] = "GBP" if paper.rate == 1 else "USD"
        body["postings"] = self.postings(paper, paper.lines)
        made = done(self.person.post("/api/journal-entries", json=body))["entry"]["id"]
        self.names[made], self.entries[paper.name] = paper.name, made

    def postings(self, paper, lines):
        sign, control, own = {
            "S": (-1, "Trade receivables", "Sales of services"),
            "P": (1, "Trade payables", "Software"),
        }[paper.side]
        facts = {"orgMerchantId": self.owed.acme, "reference": f"{paper.name}", "dueOn": str(paper.day)}
        in_currency = {"currency": self.currency[paper.name]}
        return [
            self.owed.posting(control, money(-sign * sum(lines.values())), **facts, **in_currency),
            *(
                self.owed.posting(own, money(sign * size), f"{paper.side}{code}{self.suffix}", **in_currency)
                for code, size in lines.items()
            ),
        ]

    def advance(self, paper):
        (code, size) = next(iter(paper.lines.items()))
        self.bank.fa_id = self.fas["GBP"]
        line = self.bank.send(str(paper.day), money(size))
        facts = {"orgMerchantId": self.owed.acme}
        self.owed.split(line, ("Trade receivables", money(size), f"S{code}{self.suffix}", facts))
        self.confirm(line, paper.name)
        self.entries[paper.name] = next(entry for entry, name in self.names.items() if name == paper.name)

    def confirm(self, line, name):
        done(self.person.post(f"/api/transactions/{line}/confirm", json={"force": True, "late": True}))
        entry = done(self.person.get(f"/api/transactions/{line}"))["transaction"]["journalEntryId"]
        self.names[entry] = name

    def item(self, name):
        entry = self.entries[name]
        listed = self.person.get("/api/items?limit=200").json["items"]
        return next(each["id"] for each in listed if each["journalEntryId"] == entry)

    def pay(self, paper, name, day, size, short):
        sign = "" if paper.side == "S" else "-"
        self.bank.fa_id = self.fas[self.currency[paper.name]]
        line = self.bank.send(str(day), f"{sign}{money(size)}")
        part = {"itemId": self.item(paper.name), "amount": f"{sign}{money(size + short)}"}
        account = self.owed.accounts["Sales of services" if paper.side == "S" else "Software"]
        body = {"settles": [part], "force": True}
        if short:
            body["short"] = {"amount": money(short), "as": "DISCOUNT", "accountId": account}
        done(self.person.patch(f"/api/transactions/{line}", json=body))
        self.confirm(line, name)

    def settle(self, other, paper, size):
        sign = 1 if paper.side == "S" else -1
        parts = [
            {"itemId": self.item(each.name), "amount": money(way * sign * size)}
            for each, way in ((paper, 1), (other, -1))
        ]
        done(self.person.post("/api/settlements", json={"parts": parts, "late": True}))

    def relieve(self, paper, name, day, size):
        body = {"itemId": self.item(paper.name), "amount": money(size), "day": str(day), "late": True}
        body["counterAccountId"] = self.owed.accounts["Software"]
        self.act("/api/tax/bad-debts", body, name)

    def repay(self, name, until):
        self.act("/api/tax/unpaid-bills", {"until": str(until), "late": True}, name)

    def act(self, path, body, name):
        made = done(self.person.post(path, json=body))["journalEntryIds"]
        self.names |= dict.fromkeys(made, name)

    def correct(self, paper, lines):
        body = {"postings": self.postings(paper, lines), "reason": "Wrong", "why": "OUR_ENTRY", "late": True}
        done(self.person.post(f"/api/journal-entries/{self.entries[paper.name]}/correct", json=body))

    def void(self, paper):
        body = {"reason": "Wrong", "why": "OUR_ENTRY", "late": True}
        done(self.person.post(f"/api/journal-entries/{self.entries[paper.name]}/void", json=body))

    def file(self, end):
        query = {"form": "uk-vat100", "to": str(end)}
        made = self.open(end)
        filed = done(self.person.post("/api/tax/returns", json={**query, **NOTE, "digest": made["digest"]}))
        self.filed.append(done(self.person.get(f"/api/tax/returns/{filed['taxReturn']['id']}"))["taxReturn"])
        return self.read(filed["taxReturn"])

    def open(self, end):
        query = {"form": "uk-vat100", "to": str(end)}
        return done(self.person.get("/api/tax/returns/open", query_string=query))["taxReturn"]

    def read(self, filed):
        """Give the exact boxes of a return and its late rows, as the oracle has them."""
        late = [
            (
                self.names[each["journalEntryId"]],
                each["as"],
                each["errorOf"],
                {box["box"]: round(float(box["exact"]) * 100) for box in each["boxes"]},
            )
            for each in filed["late"]
        ]
        return exact(filed), sorted(late, key=str)

    def unchanged(self):
        """Say of each filed return whether it says what it said, but for what came since."""
        for was in self.filed:
            now = done(self.person.get(f"/api/tax/returns/{was['id']}"))["taxReturn"]
            yield {**now, "sinceFiling": []} == {**was, "sinceFiling": []}


def exact(found):
    """Give the exact boxes of a return that are not nothing, in pence."""
    own = {box for pair in BOXES.values() for box in pair}
    boxes = {each["box"]: round(float(each["exact"]) * 100) for each in found["boxes"] if each["box"] in own}
    return {box: size for box, size in boxes.items() if size}


@pytest.mark.rare
def test_returns_of_random_years_are_those_of_an_oracle(app, keeps_in, rounds, figure):
    years = rounds(2, 60)
    for seed in range(years):
        person, random = keeps_in("GBP"), Random(seed)  # noqa: S311  (chance that can be had again)
        is_cash = random.random() < 0.5
        books = Books(person, Bank(app, person), is_cash=is_cash)
        year, sums = Year(books, random, is_cash=is_cash), {}
        for number, (found, expected) in enumerate(year.run()):
            assert found == expected, f"return {number + 1} of the year {seed}"
            sums = {box: sums.get(box, 0) + found[0].get(box, 0) for box in {*sums, *found[0]}}
        for _ in range(5):
            year.act(3)
        later = exact(books.open(ENDS[0].replace(year=2027)))
        assert later == year.oracle.open(), f"after the year {seed}"
        both = {box: sums.get(box, 0) + later.get(box, 0) for box in {*sums, *later}}
        assert {box: size for box, size in both.items() if size} == year.oracle.boxed()
        assert all(books.unchanged()), f"filed returns of the year {seed}"
    assert Bank(app, person).broken() == []
    figure("tax returns of random years", f"{4 * years} returns of {years} years, 0 differ from the oracle")
