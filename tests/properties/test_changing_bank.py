"""A bank that changes its mind, files beside it, and people who join and separate lines: sound after every act."""

import io
from itertools import count
from random import Random

from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from webapp.queries import checks
from webapp.queries.checks import feed_lines, lines

# In full 200 walks of 120 acts, by tens; quickly two shorter ones. Few ids, days, amounts and texts, so that they meet.
TURNS, WALKS, ACTS = 20, 10, 120
QUICK_WALKS, QUICK_ACTS = 2, 40
NAMES = [f"N{number}" for number in range(12)]
DAYS, AMOUNTS = ["2026-03-02", "2026-03-03"], ["-2.50", "7.00"]
TEXTS = ["Coffee Bar", "COFFEE BAR", "Tea house"]
LEGAL = {200, 201, 404, 409, 422}


class Walk:
    """One walk over one bank account; keeps the acts, to print them where they end wrong."""

    def __init__(self, person, fa_id, chance):
        self.person, self.fa_id, self.chance = person, fa_id, chance
        self.acts, self.stated, self._batches = [], [], count(1)

    def act(self):
        """Do one of the acts; the bank's are the most frequent."""
        bank, people = (self.push, self.push, self.import_file), (self.join, self.unjoin, self.on_line)
        self.chance.choice((*bank, *people, self.on_line))()

    def send(self, method, path, **options):
        answer = self.person.ask(method, f"/api/{path}", **options)
        self.acts.append(
            f"{method} {path} {options.get('json', '')} -> {answer.status_code} {answer.json}"[:600]
        )
        assert answer.status_code in LEGAL
        return answer.json

    def facts(self):
        choice = self.chance.choice
        return choice(DAYS), choice(AMOUNTS), choice(TEXTS)

    def push(self):
        """Push up to three events: lines that are new, come again, change, become booked or go."""
        choice = self.chance.choice
        batch = {"added": [], "modified": [], "removed": []}
        for name in self.chance.sample(NAMES, self.chance.randint(1, 3)):
            kind = choice(("added", "added", "modified", "removed"))
            if kind == "removed":
                batch[kind].append(name)
                continue
            day, amount, text = self.facts()
            batch[kind].append(
                {
                    "providerTransactionId": name,
                    "pending": choice((False, False, True)),
                    "pendingTransactionId": choice((None, None, choice(NAMES))),
                    "bookedOn": day,
                    "amount": amount,
                    "currency": "EUR",
                    "description": text,
                }
            )
        body = {"batchId": f"batch-{next(self._batches)}", **batch}
        self.send("POST", f"feeds/accounts/{self.fa_id}/transactions", json=body)

    def import_file(self):
        self.stated.append(Line(*self.facts()))
        data = bank_file(
            *self.chance.sample(self.stated, self.chance.randint(1, len(self.stated))), account=None
        )
        form = {"file": (io.BytesIO(data), "window.ofx"), "faId": str(self.fa_id)}
        self.send("POST", "feeds/imports", data=form, content_type="multipart/form-data")

    def line(self):
        there = self.person.get(f"/api/transactions?faId={self.fa_id}&limit=200").json["transactions"]
        return self.chance.choice([each["id"] for each in there] or [1])

    def join(self):
        """Join two lines: what is suggested, or what comes to mind."""
        line, other = self.line(), self.line()
        suggested = self.person.get(f"/api/transactions/{line}/suggestions").json.get("suggestions")
        if suggested:
            other = self.chance.choice(suggested)["transactionId"]
        self.send("POST", f"transactions/{line}/join", json={"transactionId": other})

    def unjoin(self):
        """Separate what was joined, or refuse what is suggested."""
        line = self.line()
        found = self.person.get(f"/api/transactions/{line}/suggestions").json
        of_line = [*found.get("joins", ()), *found.get("suggestions", ())]
        if of_line:
            other = self.chance.choice(of_line)["transactionId"]
            self.send("POST", f"transactions/{line}/unjoin", json={"transactionId": other})

    def on_line(self):
        line = self.line()
        entry = self.person.get(f"/api/transactions/{line}").json.get("transaction", {}).get("journalEntryId")
        kind = self.chance.choice(
            ("confirm", "confirm", "confirm", "edit", "delete", "restore", "void", "void")
        )
        if kind == "edit":
            self.send("PATCH", f"transactions/{line}", json={"description": "Other"})
        elif kind == "delete":
            self.send("DELETE", f"transactions/{line}")
        elif kind == "void":
            self.send("POST", f"journal-entries/{entry or 1}/void", json={"reason": "Wrong"})
        else:
            self.send("POST", f"transactions/{line}/{kind}", json={})


def violations():
    return [each.as_json() for check in (*lines.CHECKS, *feed_lines.CHECKS) for each in check()]


def test_books_are_sound_after_every_act(turn, ada, bank, rounds, figure):
    acts = 0
    for number in range(rounds(QUICK_WALKS, WALKS)):
        chance = Random(f"{turn} {number}")  # noqa: S311  (the same ones every time)
        walk = Walk(ada, bank.open(f"Account {number}"), chance)
        for _ in range(rounds(QUICK_ACTS, ACTS)):
            walk.act()
            acts += 1
            found = bank.ask(violations)
            assert found == [], "\n".join([str(found), *walk.acts])
    assert bank.ask(lambda: list(checks.violations())) == []
    figure(
        "P1", f"{acts} acts of a bank that changes its mind and of people who join lines: sound after each"
    )
