"""Random years of sales, bills and what becomes of them: each return and its late rows are those of an oracle."""

from datetime import date, timedelta
from random import Random

from tests.api.tax.conftest import done
from tests.api.tax.test_settled_taxes import Owed
from tests.fixtures.banks import Bank
from tests.fixtures.oracles.tax_years import BOXES, Paper, TaxYear

ENDS = [date(2026, 3, 31), date(2026, 6, 30), date(2026, 9, 30), date(2026, 12, 31)]
STARTS = [date(2026, 1, 1), *(end + timedelta(days=1) for end in ENDS[:-1])]
NOTE = {"note": "Known", "late": True}


def money(minor):
    return f"{minor / 100:.2f}"


class Year:
    """A year in the books and by the oracle, act by act."""

    def __init__(self, person, bank, random):
        self.random, self.is_cash = random, random.random() < 0.5
        self.books = Owed(person, bank, basis="CASH" if self.is_cash else "ACCRUAL")
        self.person, self.oracle, self.names = person, TaxYear(is_cash=self.is_cash), {}

    def run(self):
        acts = (self.write, self.write, self.write, self.pay, self.pay, self.correct, self.void)
        for quarter, end in enumerate(ENDS):
            for _ in range(self.random.randint(3, 6)):
                self.random.choice(acts)(quarter)
            yield self.file(end), self.expected(quarter)

    def day(self, quarter):
        """Choose a day of a quarter, or now and then of an earlier one."""
        first = STARTS[quarter if self.random.random() < 0.6 else self.random.randint(0, quarter)]
        return first + timedelta(days=self.random.randint(0, (ENDS[quarter] - first).days))

    def lines(self, size):
        """Split a gross amount onto codes."""
        chosen = self.random.sample(["20", "5", "0"], self.random.randint(1, 3))
        parts = [self.random.randint(1, size // 4) for _ in chosen[1:]]
        return dict(zip(chosen, [size - sum(parts), *parts], strict=True))

    def write(self, quarter):
        side, day = self.random.choice("SP"), self.day(quarter)
        size = self.random.randint(40, 99999)
        is_credit = self.random.random() < 0.2
        came_on = day + timedelta(days=self.random.randint(0, 60)) if side == "P" else None
        lines = {code: -part if is_credit else part for code, part in self.lines(size).items()}
        paper = Paper(len(self.oracle.papers) + 1, side, day, lines, came_on)
        body = {"effectiveAt": str(day), "description": f"{paper.name}", "post": True, "force": True}
        if came_on:
            document = {"documentType": "BILL", "number": f"{paper.name}", "receivedOn": str(came_on)}
            body["documentId"] = done(self.person.post("/api/documents", json=document))["document"]["id"]
        body |= {"postings": self.postings(paper, lines), "late": True}
        entry = done(self.person.post("/api/journal-entries", json=body))["entry"]["id"]
        self.names[entry] = paper.name
        paper.entry = entry
        self.oracle.write(paper)

    def postings(self, paper, lines):
        sign, control, own = {
            "S": (-1, "Trade receivables", "Sales of services"),
            "P": (1, "Trade payables", "Software"),
        }[paper.side]
        facts = {"orgMerchantId": self.books.acme, "reference": f"{paper.name}", "dueOn": "2026-12-31"}
        suffix = "C" if self.is_cash else ""
        return [
            self.books.posting(control, money(-sign * sum(lines.values())), **facts),
            *(
                self.books.posting(own, money(sign * size), f"{paper.side}{code}{suffix}")
                for code, size in lines.items()
            ),
        ]

    def chosen(self, *, paid=None):
        papers = [each for each in self.oracle.papers.values() if each.gross > 0 and not each.is_void]
        papers = [each for each in papers if paid is None or each.left > 2]
        return self.random.choice(papers) if papers else None

    def pay(self, quarter):
        paper = self.chosen(paid=False)
        if paper is None:
            return
        size = self.random.choice((paper.left, self.random.randint(2, paper.left)))
        short = self.random.randint(1, size // 2) if self.random.random() < 0.3 else 0
        day, sign = self.day(quarter), "" if paper.side == "S" else "-"
        account = self.books.accounts["Sales of services" if paper.side == "S" else "Software"]
        discount = {"amount": money(short), "as": "DISCOUNT", "accountId": account}
        amounts = f"{sign}{money(size - short)}", (paper.entry, f"{sign}{money(size)}")
        line = self.books.pay(str(day), *amounts, short=discount if short else None)
        entry = done(self.person.get(f"/api/transactions/{line}"))["transaction"]["journalEntryId"]
        name = self.names[entry] = f"payment {entry}"
        self.oracle.pay(paper, name, day, size - short, short)

    def correct(self, quarter):
        del quarter
        paper = self.chosen()
        if paper is None:
            return
        lines = self.lines(paper.gross)
        body = {"postings": self.postings(paper, lines), "reason": "Wrong", "why": "OUR_ENTRY", "late": True}
        done(self.person.post(f"/api/journal-entries/{paper.entry}/correct", json=body))
        self.oracle.correct(paper, lines)

    def void(self, quarter):
        del quarter
        paper = self.chosen()
        if paper is not None and self.random.random() < 0.5:
            body = {"reason": "Wrong", "why": "OUR_ENTRY", "late": True}
            done(self.person.post(f"/api/journal-entries/{paper.entry}/void", json=body))
            self.oracle.void(paper)

    def file(self, end):
        query = {"form": "uk-vat100", "to": str(end)}
        made = done(self.person.get("/api/tax/returns/open", query_string=query))["taxReturn"]
        filed = done(self.person.post("/api/tax/returns", json={**query, **NOTE, "digest": made["digest"]}))
        return self.read(filed["taxReturn"])

    def read(self, filed):
        """Give the exact boxes of a return and its late rows, as the oracle has them."""
        own = {box for pair in BOXES.values() for box in pair}
        boxes = {each["box"]: each["exact"] for each in filed["boxes"] if each["box"] in own}
        late = [
            (
                self.names[each["journalEntryId"]],
                each["as"],
                each["errorOf"],
                {box["box"]: round(float(box["exact"]) * 100) for box in each["boxes"]},
            )
            for each in filed["late"]
        ]
        return {box: round(float(size) * 100) for box, size in boxes.items() if float(size)}, sorted(
            late, key=str
        )

    def expected(self, quarter):
        return self.oracle.file(STARTS[quarter], ENDS[quarter], ENDS)


def test_returns_of_random_years_are_those_of_an_oracle(app, keeps_in, rounds, figure):
    years = rounds(2, 10_000)
    for seed in range(years):
        person = keeps_in("GBP")
        year = Year(person, Bank(app, person), Random(seed))  # noqa: S311  (chance that can be had again)
        for number, (found, expected) in enumerate(year.run()):
            assert found == expected, f"return {number + 1} of the year {seed}"
    assert Bank(app, person).broken() == []
    figure("tax returns of random years", f"{4 * years} returns of {years} years, 0 differ from the oracle")
