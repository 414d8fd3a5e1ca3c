"""Whatever a bridge of SimpleFIN does, the books hold the true lines of the bank after the last sync, once each."""

import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from tests.api.feeds.bridges import account
from webapp.database.sessions import begin_read, db
from webapp.models import Transaction
from webapp.services.banks import simplefin

CONNECTIONS = "/api/feeds/connections"
SEEDS = {"quick": 3, "promised": 500}
STEPS = 8
TODAY = datetime.now(UTC).date()
FAULTS = [(500, ""), (429, ""), (402, ""), (200, "half"), (200, "short"), (403, "")]


@dataclass
class TrueAccount:
    """A bank's account: its lines, what each is called at the moment, and which are still pending."""

    chance: random.Random
    name: str
    number: int = 0
    lines: dict = field(default_factory=dict)
    waiting: dict = field(default_factory=dict)
    life: int = 0

    def live(self):
        """Book some lines, some of them days late and some that were pending before, and begin others."""
        for uid in [uid for uid in self.waiting if self.chance.random() < 0.6]:
            amount, text = self.waiting.pop(uid)
            self.lines[uid] = (TODAY - timedelta(days=self.chance.randrange(3)), amount, text)
        for _ in range(self.chance.randrange(5)):
            self.number += 1
            amount = self.chance.choice(
                ("-2.50", "-2.50", "-19.99", "700.00", f"-{self.chance.randint(1, 999)}.01")
            )
            text = self.chance.choice(("Coffee Corner", "Grocer", "Salary"))
            day = TODAY - timedelta(days=self.chance.choice((0, 1, 2, 30)))
            if self.chance.random() < 0.3:
                self.waiting[self.number] = (amount, f"{text} {self.number}")
            else:
                self.lines[self.number] = (day, amount, text)

    def shown(self):
        """Show it in any order, some lines twice, and sometimes with a wrong balance."""
        rows = [
            (f"{self.life}-{uid}", str(day), amount, text) for uid, (day, amount, text) in self.lines.items()
        ]
        rows += [(f"{self.life}-{uid}", None, amount, text) for uid, (amount, text) in self.waiting.items()]
        rows += [row for row in rows if self.chance.random() < 0.1]
        self.chance.shuffle(rows)
        wrong = "1.00" if self.chance.random() < 0.2 else "0.00"
        return account(f"{self.name}-{self.life}", rows, balance=wrong, as_of=str(TODAY))

    def truth(self):
        return Counter((day, amount) for day, amount, _ in self.lines.values())


def lived(person, bridge, work, seed):
    """Let a bank misbehave as a seed says; answers its true lines and the bank account."""
    bank = TrueAccount(random.Random(seed), f"A{seed}")  # noqa: S311  (a seed)
    bridge.status, bridge.fault, bridge.accounts = 200, "", [bank.shown()]
    body = {"provider": "simplefin", "name": f"Bank {seed}", "setupToken": bridge.token(f"s{seed}")}
    place = f"{CONNECTIONS}/{person.post(CONNECTIONS, json=body).json['connection']['id']}"
    work()
    fetched = {"fetchFrom": str(TODAY - timedelta(days=bank.chance.choice((40, 100))))}
    person.patch(place, json={"accounts": [{"externalId": f"A{seed}-0", "opens": True, **fetched}]})
    work()
    for step in range(STEPS):
        bank.live()
        needs_consent = False
        if bank.chance.random() < 0.5:
            bridge.status, bridge.fault = bank.chance.choice(FAULTS)
            needs_consent = bridge.status == 403
            bridge.accounts = [bank.shown()]
            person.post(f"{place}/sync")
            work()
            bridge.status, bridge.fault = 200, ""
        if needs_consent:
            # Its bank gives the account and its lines other ids after half of the new consents.
            bank.life += bank.chance.randrange(2)
            bridge.accounts = [bank.shown()]
            token = {"setupToken": bridge.token(f"s{seed}-{step}")}
            assert person.post(f"{place}/renew", json=token).status_code == 200
            work()
            adopt(person, place)
        else:
            bridge.accounts = [bank.shown()]
            person.post(f"{place}/sync")
        work()
    bridge.accounts = [bank.shown()]
    person.post(f"{place}/sync")
    work()
    (now,) = (each for each in shown(person, place)["accounts"] if not each["isGone"])
    assert now["error"] is None
    person.delete(place)
    return bank.truth(), now["faId"]


def shown(person, place):
    listed = person.get(CONNECTIONS).json["connections"]
    return next(each for each in listed if str(each["id"]) == place.rpartition("/")[2])


def adopt(person, place):
    """Say yes to the account that another one seems to be."""
    accounts = shown(person, place)["accounts"]
    for each in accounts:
        if each["takesOver"]:
            old = next(one for one in accounts if one["externalId"] == each["takesOver"])
            choice = {"externalId": each["externalId"], "faId": old["faId"]}
            assert person.patch(place, json={"accounts": [choice]}).status_code == 200


@pytest.fixture
def kept(app, ada):
    """The booked lines of a bank account, by day and amount."""

    def found(fa_id):
        with app.app_context():
            begin_read(ada.organization_id)
            rows = db.session.execute(
                sa.select(Transaction.booked_on, Transaction.amount_minor).where(
                    Transaction.organization_id == ada.organization_id,
                    Transaction.feed_account_id == fa_id,
                    Transaction.status == "BOOKED",
                )
            ).all()
            db.session.remove()
        return Counter((day, f"{minor / 100:.2f}") for day, minor in rows)

    return found


def test_the_books_hold_the_true_lines_once_each(
    ada, house, bridge, work, kept, rounds, figure, monkeypatch, pytestconfig
):
    monkeypatch.setattr(simplefin, "MOST_CALLS", 10**6)
    one = pytestconfig.getoption("--seed")
    seeds = range(rounds(SEEDS["quick"], SEEDS["promised"])) if one is None else [one]
    differences, lines = [], 0
    for seed in seeds:
        if seed % 20 == 19:
            house.refresh()
        truth, fa_id = lived(ada, bridge, work, seed)
        found, lines = kept(fa_id), lines + truth.total()
        if found != truth:
            differences.append(f"--seed {seed}: lost {truth - found}, too much {found - truth}")
    figure("bridge", f"{len(seeds)} seeds, {lines:,} true lines, {len(differences)} differences")
    assert not differences, "\n".join(differences)
