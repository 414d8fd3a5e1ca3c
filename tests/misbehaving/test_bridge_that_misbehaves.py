"""Whatever a provider does, the books hold the true lines of the bank after the last sync, once each."""

import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from tests.api.feeds import bridges, providers
from webapp.services.banks import enablebanking, simplefin

CONNECTIONS = "/api/feeds/connections"
SEEDS = {"quick": 3, "promised": 500}
# After so many, the database is that of a new test again, so that the last seed costs no more than the first.
RENEWED = 20
STEPS = 8
TODAY = datetime.now(UTC).date()
FAULTS = [(500, ""), (429, ""), (402, ""), (200, "half"), (200, "short"), (403, "")]
REFUSALS = [(500, "ASPSP_ERROR"), (429, "ASPSP_RATE_LIMIT_EXCEEDED"), (422, "WRONG_TRANSACTIONS_PERIOD")]


@dataclass
class TrueAccount:
    """A bank's account: its lines, what each is called at the moment, and which are still pending.

    By `ids` each line has an id of its own, shares it with others, or has none.
    """

    chance: random.Random
    name: str
    ids: str = "own"
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

    def shown(self, *, whole):
        """Show its lines in any order, some twice; some times with a wrong balance or, unless `whole`, not all."""
        rows = [(self.id_of(uid), str(day), *rest) for uid, (day, *rest) in self.lines.items()]
        rows += [(self.id_of(uid), None, *rest) for uid, rest in self.waiting.items()]
        if not whole and self.chance.random() < 0.2:
            rows = [row for row in rows if self.chance.random() < 0.7]
        if self.ids == "own":
            rows += [row for row in rows if self.chance.random() < 0.1]
        self.chance.shuffle(rows)
        return rows, "1.00" if self.chance.random() < 0.2 else "0.00"

    def id_of(self, uid):
        return {"own": f"{self.life}-{uid}", "shared": f"{self.life}-{uid % 3}", "none": "0"}[self.ids]

    def truth(self):
        return Counter((day, amount) for day, amount, _ in self.lines.values())


@dataclass
class AtSimpleFin:
    """A bank behind SimpleFIN: it refuses, cuts answers off, and wants a new token."""

    person: object
    bridge: bridges.Bridge
    true: TrueAccount
    tokens: int = 0

    def begin(self):
        """Forget the bank before, and write what connects this one."""
        self.mend()
        return {"provider": "simplefin", "setupToken": self.token()}

    def show(self, *, whole=False):
        rows, balance = self.true.shown(whole=whole)
        name = f"{self.true.name}-{self.true.life}"
        self.bridge.accounts = [bridges.account(name, rows, balance=balance, as_of=str(TODAY))]

    def misbehave(self):
        """Answers whether a person is needed after that."""
        self.bridge.status, self.bridge.fault = self.true.chance.choice(FAULTS)
        return self.bridge.status == 403

    def mend(self):
        self.bridge.status, self.bridge.fault = 200, ""

    def token(self):
        self.tokens += 1
        return self.bridge.token(f"{self.true.name}-{self.tokens}")

    def renew(self, place):
        assert self.person.post(f"{place}/renew", json={"setupToken": self.token()}).status_code == 200


@dataclass
class AtEnableBanking:
    """A bank behind Enable Banking: it refuses, cuts off and ends consents at any call of a sync."""

    person: object
    bank: providers.Bank
    true: TrueAccount

    def begin(self):
        self.bank.__init__(self.bank.port)
        self.true.ids = self.true.chance.choice(("own", "own", "shared", "none"))
        facts = {"country": "FI", "bank": providers.BANK, "psuType": "personal"}
        return {"provider": "enablebanking", **facts}

    def show(self, *, whole=False):
        rows, balance = self.true.shown(whole=whole)
        lines = [providers.line(*row) for row in rows]
        name, iban = f"{self.true.name}-{self.true.life}", iban_of(self.true.name)
        self.bank.accounts = [providers.account(name, lines, iban=iban, balance=balance)]

    def misbehave(self):
        """It goes wrong at the first page, at a later one, or at the balances."""
        fault = self.true.chance.choice((*REFUSALS, "expired", "half"))
        calls = [(200, True)] * self.true.chance.randrange(3)
        if isinstance(fault, tuple):
            self.bank.faults = {"*": [*calls, *[fault] * 9]}
        if fault == "expired":
            self.bank.faults = {"*": [*calls, *[(401, "EXPIRED_SESSION")] * 2]}
        self.bank.half = fault == "half"
        return fault == "expired"

    def mend(self):
        self.bank.faults, self.bank.half = {}, False

    def renew(self, place):
        """Consent at the bank, and bring the code back."""
        assert self.person.post(f"{place}/renew", json={}).status_code == 200
        code = self.bank.consent()["code"]
        assert self.person.post(f"{place}/renew", json={"code": code}).status_code == 200


def lived(person, at, sync):
    """Let a bank misbehave as its chance says; answers its bank account in the books."""
    chance, body = at.true.chance, at.begin()
    at.show()
    place = made(person, {**body, "name": f"Bank {at.true.name}"})
    if body["provider"] == "enablebanking":
        at.renew(place)
    sync(place)
    (account,) = shown(person, place)["accounts"]
    fetched = {"fetchFrom": str(TODAY - timedelta(days=chance.choice((40, 100))))}
    choice = {"externalId": account["externalId"], "opens": True, **fetched}
    assert person.patch(place, json={"accounts": [choice]}).status_code == 200
    sync(place)
    for _ in range(STEPS):
        at.true.live()
        if chance.random() < 0.5:
            needs_person = at.misbehave()
            at.show()
            sync(place)
            at.mend()
            if needs_person:
                # Its bank gives the account and its lines other ids after half of the new consents.
                at.true.life += chance.randrange(2)
                at.show(whole=True)
                at.renew(place)
                sync(place)
                adopt(person, place)
        at.show()
        sync(place)
    at.show(whole=True)
    if shown(person, place)["status"] == "NEEDS_CONSENT":
        at.renew(place)
    sync(place)
    now = shown(person, place)
    (account,) = (each for each in now["accounts"] if not each["isGone"])
    assert (now["status"], account["error"]) == ("ACTIVE", None)
    person.delete(place)
    return account["faId"]


def made(person, body):
    answer = person.post(CONNECTIONS, json=body)
    assert answer.status_code == 201, answer.json
    return f"{CONNECTIONS}/{answer.json['connection']['id']}"


def iban_of(name):
    """Write the IBAN of an account by ISO 13616: the check digits make the number 1 modulo 97."""
    number = f"{int(name[1:]):014}"
    return f"FI{98 - int(f'{number}151800') % 97:02}{number}"


def shown(person, place):
    listed = person.get(CONNECTIONS).json["connections"]
    return next(each for each in listed if str(each["id"]) == place.rpartition("/")[2])


def adopt(person, place):
    """Say yes to the account that another one seems to be."""
    for each in shown(person, place)["accounts"]:
        if each["takesOver"]:
            accounts = shown(person, place)["accounts"]
            old = next(one for one in accounts if one["externalId"] == each["takesOver"])
            choice = {"externalId": each["externalId"], "faId": old["faId"]}
            assert person.patch(place, json={"accounts": [choice]}).status_code == 200


@pytest.mark.rare
@pytest.mark.parametrize(
    ("provider", "name", "placed"),
    [(simplefin, "bridge", AtSimpleFin), (enablebanking, "nordic", AtEnableBanking)],
    ids=["simplefin", "enablebanking"],
)
def test_the_books_hold_the_true_lines_once_each(
    ada, house, sync, kept, rounds, figure, monkeypatch, pytestconfig, request, provider, name, placed
):
    monkeypatch.setattr(provider, "MOST_CALLS", 10**6)
    misbehaving = request.getfixturevalue(name)
    one = pytestconfig.getoption("--seed")
    seeds = range(rounds(SEEDS["quick"], SEEDS["promised"])) if one is None else [one]
    differences, lines = [], 0
    for seed in seeds:
        if seed % RENEWED == RENEWED - 1:
            house.refresh()
        true = TrueAccount(random.Random(seed), f"A{seed}")  # noqa: S311  (a seed)
        found = kept(lived(ada, placed(ada, misbehaving, true), sync))["BOOKED"]
        truth, lines = true.truth(), lines + true.truth().total()
        if found != truth:
            differences.append(f"--seed {seed}: lost {truth - found}, too much {found - truth}")
    figure(name, f"{len(seeds)} seeds, {lines:,} true lines, {len(differences)} differences")
    assert not differences, "\n".join(differences)
