"""Every balance that the product shows equals a replay of its own public entries, by an oracle of its own (P5)."""

from collections import defaultdict
from datetime import date, timedelta
from decimal import Decimal
from random import Random

import pytest

from webapp.queries import checks

FIRST, DAYS = date(2026, 1, 5), 120
LINES = 40


class Oracle:
    """Balances by adding up the postings of entries as the API tells them, day by day."""

    def __init__(self, person):
        self.moves = defaultdict(list)
        cursor = None
        while cursor is not None or not self.moves:
            query = {"limit": 200, **({"cursor": cursor} if cursor else {})}
            answer = person.get("/api/journal-entries", query_string=query).json
            for entry in answer["entries"]:
                self._replay(entry)
            cursor = answer["nextCursor"]
            if cursor is None:
                return

    def _replay(self, entry):
        if entry["status"] == "DRAFT":
            return
        for leg in entry["postings"]:
            move = (
                entry["effectiveAt"][:10],
                leg["currency"],
                Decimal(leg["amount"]),
                Decimal(leg["amountBase"]),
            )
            self.moves[leg["accountId"]].append(move)

    def balance(self, account_id, day, currency=None):
        moves = [move for move in self.moves[account_id] if move[0] <= day]
        if currency is None:
            return sum((base for *_, base in moves), Decimal(0))
        return sum((amount for _, of, amount, _ in moves if of == currency), Decimal(0))


@pytest.fixture
def chance(rounds):
    del rounds
    return Random(5)  # noqa: S311  (the same ones every time)


@pytest.fixture
def kept(ben, bank, desk, chance):
    """Books of two currencies, with corrections, voids, entries by hand, and drafts that do not count."""
    for day in range(0, DAYS + 1, 5):
        bank.quote((FIRST + timedelta(days=day)).isoformat(), "USD", f"1.{chance.randint(1000, 1999)}")
    lines = []
    for currency in ("EUR", "USD"):
        bank.open(f"Bank {currency}", currency)
        sent = [(_day(chance), _amount(chance), f"Line {number}") for number in range(LINES)]
        lines += bank.send_many(sent)
    confirmed = chance.sample(lines, len(lines) * 3 // 4)
    desk.confirm(*confirmed)
    categories = [bank.account(f"Category {number}") for number in range(3)]
    for line in chance.sample(confirmed, LINES // 4):
        assert (
            ben.patch(f"/api/transactions/{line}", json={"accountId": chance.choice(categories)}).status_code
            == 200
        )
        desk.confirm(line)
    for line in chance.sample(confirmed, LINES // 6):
        desk.void(desk.line(line)["journalEntryId"])
    for _ in range(LINES // 4):
        amount = _amount(chance).removeprefix("-")
        postings = [
            {"accountId": account, "amount": sign + amount, "currency": "EUR"}
            for account, sign in zip(chance.sample(categories, 2), ("", "-"), strict=True)
        ]
        body = {"effectiveAt": _day(chance), "description": "By hand", "postings": postings, "post": True}
        assert ben.post("/api/journal-entries", json=body).status_code == 201


def _day(chance):
    return (FIRST + timedelta(days=chance.randrange(DAYS))).isoformat()


def _amount(chance):
    return f"{chance.choice(('', '-'))}{chance.randint(1, 90_000) / 100:.2f}"


def test_every_balance_is_what_the_public_entries_add_up_to(cleo, bank, kept, chance, rounds, figure):
    oracle = Oracle(cleo)
    accounts = cleo.get("/api/accounts", query_string={"limit": 200}).json["accounts"]
    used = [account for account in accounts if account["id"] in oracle.moves]
    pairs, apart = rounds(30, 1000), 0
    for _ in range(pairs):
        account, day = chance.choice(used), _day(chance)
        shown = cleo.get(f"/api/accounts/{account['id']}", query_string={"asOf": day}).json["account"]
        query = {"to": day, "limit": 1}
        register = cleo.get(f"/api/accounts/{account['id']}/postings", query_string=query).json["postings"]
        own, base = (
            oracle.balance(account["id"], day, account["currency"]),
            oracle.balance(account["id"], day),
        )
        last = register[0] if register else {"balance": "0", "balanceBase": "0"}
        told = [shown["balance"], shown["balanceBase"], last["balance"], last["balanceBase"]]
        apart += [Decimal(each) for each in told] != [own, base, own, base]
    for account in accounts:
        apart += Decimal(account["balanceBase"]) != oracle.balance(account["id"], "9999-12-31")
    figure("P5", f"{pairs} pairs of account and day against a replay: {apart} differ")
    assert apart == 0
    assert len(used) > 6
    assert bank.ask(lambda: list(checks.violations())) == []
