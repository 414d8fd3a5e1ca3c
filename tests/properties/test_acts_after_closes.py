"""Acts by chance after closes: what bends a closed month is named with its figures, and nothing else alarms."""

from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random

import pytest

from tests.fixtures.feeds import Feed, line
from tests.fixtures.helpers.owed import items, owe

pytestmark = pytest.mark.rare

PERIODS = ("2025-12", "2026-03")
TO, LATER = "2026-03-31", "2026-04-{:02}"
GROUPS = ("COST_OF_SALES", "OVERHEADS", "DEPRECIATION", "FINANCE")
# What changes a closed month, what is only late for it, and what does neither.
BENDING = (
    *("by_exception", "void_by_exception", "adjust", "unlock_and_post", "personal", "regroup", "take_feed"),
    *("merge", "rate", "revalue", "reopen_proof", "break_proof"),
)
LATE = ("line_of_march", "bill_of_march", "void_of_march")
OTHER = (
    *("post", "line_of_april", "void_of_april", "draft", "rename", "watch", "new_records", "later_rate"),
    *(
        "document",
        "due_day",
        "merge_new",
        "schedule",
        "lock_further",
        "policy",
        "reconcile",
        "exception",
        "pay",
    ),
)


def done(answer):
    assert answer.status_code in (200, 201), answer.json
    return answer.json


class Walk:
    """Two closed periods with proofs, foreign money and open items, and what people do afterwards."""

    def __init__(self, ada, ben, bank, books, banks):
        self.ada, self.bank, self.books = ada, bank, books
        self.owner, self.helper = ada.browser(), ben.browser()
        self.chance, self.names = Random(52), count(1)  # noqa: S311  (the same ones every time)
        for name, type_ in (
            ("Motor", "EXPENSE"),
            ("Orders", "INCOME"),
            ("Van", "ASSET"),
            ("Accruals", "LIABILITY"),
            ("Capital", "EQUITY"),
        ):
            bank.account(name, type_)
        self.halden, self.mill = bank.merchant("Halden"), bank.merchant("Mill")
        self.feeds = [self.proved(number) for number in range(banks)]
        self.april = Feed(ada, bank.open("April"))
        for day in (25, 31):
            bank.quote(f"2026-03-{day}", "USD", "1.25")
        for day, amount in (("2025-11-05", "70.00"), ("2026-03-10", "300.00")):
            self.enter(ada, day, "Motor", "Capital", amount)
        self.enter(ada, "2026-03-11", "Van", "Orders", "900.00")
        for party in (self.halden, self.mill):
            owe(ada, books, "120.00", party, day="2026-03-04", dueOn="2026-03-20")
        owe(ada, books, "50.00", self.mill, day="2026-03-28", currency="USD")
        self.close(PERIODS[0])
        # The year stays open for adjusting entries, and Ben is let into March.
        done(self.owner.put("/api/locks", json={"ADJUSTMENTS": None, "note": "The audit is to come"}))
        done(ada.post("/api/revaluations", json={"asOf": TO}))
        self.close(PERIODS[1])
        self.grant(ben.user_id)
        self.ben = ben
        self.mine, self.of_april = [], []
        self.rates = count(1260)

    def proved(self, number):
        """Open a bank account with a line that is proved to the end of March."""
        feed = Feed(self.ada, self.bank.open(f"Bank {number}"))
        done(feed.push(added=[line(f"of {number}", "-30.00", "2026-03-05")]))
        (found,) = feed.lines()
        self.ada.patch(f"/api/transactions/{found['id']}", json={"accountId": self.books.account_id("Motor")})
        done(self.ada.post(f"/api/transactions/{found['id']}/confirm"))
        path = f"/api/reconciliations/accounts/{feed.fa_id}"
        done(self.ada.put(f"{path}/draft", json={"statementDate": TO, "statementBalance": "-30.00"}))
        done(self.ada.put(f"{path}/draft/lines", json={"auto": True}))
        done(self.ada.post(f"{path}/complete"))
        return feed

    def close(self, period):
        steps = done(self.ada.get(f"/api/closes/{period}"))["close"]["steps"]
        accept = [{"step": each["code"], "note": "Seen"} for each in steps if each["state"] == "TO_DO"]
        done(self.owner.post(f"/api/closes/{period}/complete", json={"accept": accept}))

    def enter(self, person, day, debit, credit, amount, **facts):
        legs = ((debit, amount), (credit, f"-{amount}"))
        postings = [{"accountId": self.books.account_id(name), "amount": each} for name, each in legs]
        body = {"effectiveAt": day, "postings": postings, "post": True, **facts}
        return done(person.post("/api/journal-entries", json=body))

    def amount(self):
        return f"{self.chance.randint(1, 90_000) / 100:.2f}"

    def newest(self):
        """The id of the newest act."""
        return done(self.ada.get("/api/action-requests?limit=1"))["actionRequests"][0]["id"]

    def act(self, name):
        """Act, and answer the id of the act that is looked at."""
        self.acted = None
        getattr(self, name)()
        return self.acted or self.newest()

    def judged(self):
        """Read what each close is judged to be, with the acts that are named."""
        found = {}
        for period in PERIODS:
            close = done(self.ada.get(f"/api/closes/{period}"))["close"]
            names = ("verdict", "moved", "accounts", "acts", "late")
            found[period] = {name: close[name] for name in names}
        return found

    # What bends a closed month.

    def by_exception(self):
        answer = self.enter(
            self.helper, f"2026-03-{self.chance.randint(6, 31):02}", "Motor", "Capital", self.amount()
        )
        self.mine.append(answer["entry"]["id"])
        return answer

    def void_by_exception(self):
        if not self.mine:
            return self.by_exception()
        chosen = self.mine.pop(self.chance.randrange(len(self.mine)))
        body = {"reason": "Twice", "effectiveAt": "2026-03-31"}
        return done(self.helper.post(f"/api/journal-entries/{chosen}/void", json=body))

    def adjust(self):
        return self.enter(self.ada, "2025-12-31", "Motor", "Accruals", self.amount(), isAdjusting=True)

    def unlocked(self, act):
        """Do something while an owner has opened March."""
        done(self.owner.put("/api/locks", json={"ALL": "2026-02-28", "note": "Something is missing"}))
        act()
        self.acted = self.newest()
        done(self.ada.put("/api/locks", json={"ALL": TO}))

    def unlock_and_post(self):
        return self.unlocked(lambda: self.enter(self.ada, "2026-03-15", "Van", "Capital", self.amount()))

    def personal(self):
        """Make a new account, with a figure of March, personal."""
        name = f"Costs {next(self.names)}"
        account = self.bank.account(name)
        self.unlocked(lambda: self.enter(self.ada, "2026-03-02", name, "Capital", self.amount()))
        # What it posted is named by itself; the account is what is looked at here.
        self.before = self.judged()
        return done(
            self.ada.patch(f"/api/accounts/{account}", json={"inScope": False, "note": "It is private"})
        )

    def regroup(self):
        address = f"/api/accounts/{self.books.account_id('Motor')}"
        present = done(self.ada.get(address))["account"]["group"]
        group = self.chance.choice([each for each in GROUPS if each not in (present, "OVERHEADS")])
        return done(self.ada.patch(address, json={"group": group, "note": "It belongs there"}))

    def take_feed(self):
        """Turn the type of a bank account, and so that of its account."""
        address = f"/api/feeds/accounts/{self.feeds[0].fa_id}"
        present = done(self.ada.get(f"/api/accounts/{self.bank.ledger_account(self.feeds[0].fa_id)}"))[
            "account"
        ]
        type_ = "LIABILITY" if present["type"] == "ASSET" else "ASSET"
        return done(self.ada.patch(address, json={"type": type_, "note": "It is a card"}))

    def merge(self):
        """Merge a party into another one, or separate it again."""
        address = f"/api/merchants/{self.halden}"
        if done(self.ada.get(address))["merchant"]["mergedIntoId"] is not None:
            return done(self.ada.post(f"{address}/separate?note=Two"))
        return done(self.ada.post(f"{address}/merge", json={"mergedIntoId": self.mill, "note": "One"}))

    def rate(self):
        rate = {"day": TO, "currency": "USD", "unitsPerBase": f"{next(self.rates) / 1000}"}
        return done(self.ada.put("/api/exchange-rates", json={"rates": [rate], "note": "A slip"}))

    def revalue(self):
        self.rate()
        self.before = self.judged()
        return self.unlocked(lambda: done(self.ada.post("/api/revaluations", json={"asOf": TO})))

    def reopen_proof(self):
        if len(self.feeds) == 1:
            return self.adjust()
        path = f"/api/reconciliations/accounts/{self.feeds.pop().fa_id}/reopen"
        return self.unlocked(lambda: done(self.ada.post(path, json={"reason": "A line was missing"})))

    def break_proof(self):
        if len(self.feeds) == 1:
            return self.by_exception()
        feed = self.feeds.pop()
        (found,) = feed.lines()
        body = {"reason": "Wrong"}
        return done(self.ada.post(f"/api/journal-entries/{found['journalEntryId']}/void", json=body))

    # What is about a closed month, and comes late.

    def confirmed(self, day, amount):
        name = f"L{next(self.names)}"
        done(self.april.push(added=[line(name, amount, day)]))
        found = self.april.lines()
        chosen = next(each["id"] for each in found if each["providerTransactionId"] == name)
        self.ada.patch(f"/api/transactions/{chosen}", json={"accountId": self.books.account_id("Motor")})
        return done(self.ada.post(f"/api/transactions/{chosen}/confirm"))

    def line_of_march(self):
        return self.confirmed(f"2026-03-{self.chance.randint(1, 31):02}", f"-{self.amount()}")

    def bill_of_march(self):
        body = {"documentType": "BILL", "number": f"B{next(self.names)}", "issuedOn": "2026-03-29"}
        document = done(self.ada.post("/api/documents", json=body))["document"]["id"]
        return self.enter(self.ada, "2026-04-03", "Motor", "Capital", self.amount(), documentId=document)

    def void_of_march(self):
        made = self.by_exception()["entry"]["id"]
        self.mine.remove(made)
        self.before = self.judged()
        return done(self.ada.post(f"/api/journal-entries/{made}/void", json={"reason": "Wrong"}))

    # What leaves closed months alone.

    def post(self):
        answer = self.enter(
            self.ada, LATER.format(self.chance.randint(1, 30)), "Motor", "Capital", self.amount()
        )
        self.of_april.append(answer["entry"]["id"])
        return answer

    def line_of_april(self):
        return self.confirmed(LATER.format(self.chance.randint(1, 30)), f"-{self.amount()}")

    def void_of_april(self):
        if not self.of_april:
            return self.post()
        return done(
            self.ada.post(f"/api/journal-entries/{self.of_april.pop()}/void", json={"reason": "Wrong"})
        )

    def draft(self):
        made = self.enter(self.ada, "2026-04-09", "Motor", "Capital", self.amount(), post=False)
        return done(self.ada.delete(f"/api/journal-entries/{made['entry']['id']}"))

    def rename(self):
        address = f"/api/accounts/{self.books.account_id('Orders')}"
        return done(self.ada.patch(address, json={"code": f"O{next(self.names)}"}))

    def watch(self):
        address = f"/api/accounts/{self.books.account_id('Motor')}"
        present = done(self.ada.get(address))["account"]["isWatched"]
        return done(self.ada.patch(address, json={"isWatched": not present}))

    def new_records(self):
        number = next(self.names)
        kind = self.chance.choice(("accounts", "merchants", "projects"))
        return done(
            self.ada.post(
                f"/api/{kind}",
                json={"name": f"New {number}", **({"type": "EXPENSE"} if kind == "accounts" else {})},
            )
        )

    def later_rate(self):
        rate = {
            "day": f"2026-05-{self.chance.randint(1, 9):02}",
            "currency": "USD",
            "unitsPerBase": f"{next(self.rates) / 1000}",
        }
        return done(self.ada.put("/api/exchange-rates", json={"rates": [rate]}))

    def document(self):
        body = {"documentType": "BILL", "number": f"D{next(self.names)}", "issuedOn": "2026-03-30"}
        return done(self.ada.post("/api/documents", json=body))

    def due_day(self):
        chosen = self.chance.choice(items(self.ada))["id"]
        day = f"2026-{self.chance.randint(5, 12):02}-{self.chance.randint(1, 28):02}"
        return done(self.ada.patch(f"/api/items/{chosen}", json={"dueOn": day}))

    def merge_new(self):
        one, other = (self.bank.merchant(f"Party {next(self.names)}") for _ in range(2))
        return done(self.ada.post(f"/api/merchants/{one}/merge", json={"mergedIntoId": other}))

    def schedule(self):
        body = {
            "kind": "RELEASE",
            "name": "Cover",
            "amount": self.amount(),
            "periods": 3,
            "startsOn": "2026-04-01",
        }
        body |= {
            "accountId": self.books.account_id("Van"),
            "counterAccountId": self.books.account_id("Motor"),
        }
        done(self.ada.post("/api/schedules", json=body))
        return done(self.ada.post("/api/schedules/run", json={"until": "2026-04-30"}))

    def lock_further(self):
        done(self.ada.put("/api/locks", json={"ALL": "2026-04-05", "moveDrafts": True}))
        return done(self.owner.put("/api/locks", json={"ALL": TO, "note": "Too early"}))

    def policy(self):
        return done(self.ada.put("/api/close-steps/policy", json={"fluxPercent": self.chance.randint(1, 90)}))

    def reconcile(self):
        path = f"/api/reconciliations/accounts/{self.april.fa_id}"
        done(self.ada.put(f"{path}/draft", json={"statementDate": "2026-04-30", "statementBalance": "1.00"}))
        return done(self.ada.post(f"{path}/abandon"))

    def grant(self, user_id):
        until = (datetime.now(UTC) + timedelta(days=2)).isoformat()
        body = {"userId": user_id, "from": "2026-03-05", "until": until, "note": "A late bill"}
        return done(self.owner.post("/api/lock-exceptions", json=body))["exception"]["id"]

    def exception(self):
        return done(self.ada.delete(f"/api/lock-exceptions/{self.grant(self.ada.user_id)}"))

    def pay(self):
        """Let a party pay before anybody says what for."""
        owe(self.ada, self.books, f"-{self.amount()}", self.halden, day="2026-04-07", dueOn="2026-04-07")


def is_named(before, after, act):
    """Whether an act is named at a close that it changed, with who did it, and the figures or proofs that it moved."""
    for period in PERIODS:
        acts = {each["actionRequestId"]: each for each in after[period]["acts"]}
        found = acts.get(act)
        if found and found["by"] and found["title"] and after[period] != before[period]:
            return after[period]["verdict"] != "HOLDS"
    return False


def is_late(before, after, count):
    """Whether so many entries more are late for March, and nothing else is said."""
    grown = [each["2026-03"]["late"]["count"] for each in (before, after)]
    same = [{of: each[of] | {"late": None} for of in PERIODS} for each in (before, after)]
    return same[0] == same[1] and grown[1] - grown[0] == count


def test_what_bends_a_closed_month_is_named_and_nothing_else_alarms(
    ada, ben, bank, books, rounds, portion, figure
):
    walk, times = Walk(ada, ben, bank, books, rounds(2, 40)), rounds(1, 20)
    # In the short run a quarter of the kinds, others in each turn.
    named, others = (portion(4, kinds) * times for kinds in (BENDING + LATE, OTHER))
    names = [*named, *others]
    walk.chance.shuffle(names)
    wrong, walk.before = [], walk.judged()
    for number, name in enumerate(names):
        act = walk.act(name)
        before, after = walk.before, walk.judged()
        if not (is_named(before, after, act) if name in BENDING else is_late(before, after, name in LATE)):
            wrong.append((number, name, act))
        walk.before = after
    assert wrong == []
    figure("acts after closes", f"{len(named)} named, {len(others)} others without an alarm")
    assert bank.broken() == []
