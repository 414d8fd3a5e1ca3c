"""Whatever a provider does, the books hold the true lines of the bank after the last sync, once each."""

import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from tests.api.feeds import providers
from tests.api.feeds.bridges import account
from webapp.database.sessions import begin_read, db
from webapp.models import Transaction
from webapp.services.banks import enablebanking, simplefin

CONNECTIONS = "/api/feeds/connections"
SEEDS = {"quick": 3, "promised": 500}
STEPS = 8
TODAY = datetime.now(UTC).date()
REFUSALS = [
    (500, "ASPSP_ERROR"),
    (429, "ASPSP_RATE_LIMIT_EXCEEDED"),
    (422, "WRONG_TRANSACTIONS_PERIOD"),
    None,
]
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

    def shown_by_enablebanking(self):
        """Show it with another id after each consent; some banks repeat an id, or send none."""
        rows = [
            providers.line(self.reference(uid), str(day), amount, text)
            for uid, (day, amount, text) in self.lines.items()
        ]
        rows += [
            providers.line(self.reference(uid), None, amount, text)
            for uid, (amount, text) in self.waiting.items()
        ]
        self.chance.shuffle(rows)
        wrong = "1.00" if self.chance.random() < 0.2 else "0.00"
        return providers.account(f"{self.name}-{self.life}", rows, iban=iban_of(self.name), balance=wrong)

    def reference(self, uid):
        return f"{self.life}-{uid}"

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


def lived_at_enablebanking(person, bank, work, seed):
    """Let a bank behind Enable Banking misbehave as a seed says; answers its true lines and the bank account."""
    true = TrueAccount(random.Random(seed), f"A{seed}")  # noqa: S311  (a seed)
    bank.__init__(bank.port)
    bank.accounts = [true.shown_by_enablebanking()]
    body = {"provider": "enablebanking", "name": f"Bank {seed}", "country": "FI", "bank": providers.BANK}
    made = person.post(CONNECTIONS, json={**body, "psuType": "personal"}).json["connection"]
    place = f"{CONNECTIONS}/{made['id']}"
    renew(person, bank, work, place)
    (account,) = shown(person, place)["accounts"]
    fetched = {"fetchFrom": str(TODAY - timedelta(days=true.chance.choice((40, 100))))}
    choice = {"externalId": account["externalId"], "opens": True, **fetched}
    assert person.patch(place, json={"accounts": [choice]}).status_code == 200
    work()
    for _ in range(STEPS):
        true.live()
        # It goes wrong at any of the calls: the first page, a later one, or the balances.
        fault = true.chance.choice((*REFUSALS, "expired", "half"))
        calls = [(200, True)] * true.chance.randrange(3)
        if isinstance(fault, tuple):
            bank.faults = {"*": [*calls, *[fault] * 9]}
        bank.half = fault == "half"
        needs_consent = fault == "expired"
        if needs_consent:
            bank.faults = {"*": [*calls, *[(401, "EXPIRED_SESSION")] * 2]}
        bank.accounts = [true.shown_by_enablebanking()]
        person.post(f"{place}/sync")
        work()
        bank.faults, bank.half = {}, False
        if needs_consent:
            true.life += true.chance.randrange(2)
            bank.accounts = [true.shown_by_enablebanking()]
            renew(person, bank, work, place)
    bank.accounts = [true.shown_by_enablebanking()]
    if true.life and shown(person, place)["status"] == "NEEDS_CONSENT":
        renew(person, bank, work, place)
    person.post(f"{place}/sync")
    work()
    (now,) = (each for each in shown(person, place)["accounts"] if not each["isGone"])
    assert (now["error"], shown(person, place)["status"]) == (None, "ACTIVE")
    person.delete(place)
    return true.truth(), now["faId"]


def iban_of(name):
    """Write the IBAN of an account by ISO 13616: the check digits make the number 1 modulo 97."""
    number = f"{int(name[1:]):014}"
    return f"FI{98 - int(f'{number}151800') % 97:02}{number}"


def renew(person, bank, work, place):
    """Consent at the bank, and bring the code back."""
    assert person.post(f"{place}/renew", json={}).status_code == 200
    code = bank.consent()["code"]
    assert person.post(f"{place}/renew", json={"code": code}).status_code == 200
    work()


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


@pytest.mark.rare
@pytest.mark.parametrize(
    ("provider", "name", "living"),
    [(simplefin, "bridge", lived), (enablebanking, "nordic", lived_at_enablebanking)],
    ids=["simplefin", "enablebanking"],
)
def test_the_books_hold_the_true_lines_once_each(
    ada, house, work, kept, rounds, figure, monkeypatch, pytestconfig, request, provider, name, living
):
    monkeypatch.setattr(provider, "MOST_CALLS", 10**6)
    misbehaving = request.getfixturevalue(name)
    one = pytestconfig.getoption("--seed")
    seeds = range(rounds(SEEDS["quick"], SEEDS["promised"])) if one is None else [one]
    differences, lines = [], 0
    for seed in seeds:
        if seed % 20 == 19:
            house.refresh()
        truth, fa_id = living(ada, misbehaving, work, seed)
        found, lines = kept(fa_id), lines + truth.total()
        if found != truth:
            differences.append(f"--seed {seed}: lost {truth - found}, too much {found - truth}")
    figure(name, f"{len(seeds)} seeds, {lines:,} true lines, {len(differences)} differences")
    assert not differences, "\n".join(differences)
