"""While money moves between accounts, whoever reads sees all of a transfer or nothing of it (P15)."""

import contextlib
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from random import Random

from tests.concurrency.crowds import Client

ACCOUNTS, MOVERS, READERS, WORKERS = 10, 3, 2, 2


def test_every_read_sees_the_same_total_while_transfers_run(gunicorn, ada, bank, rounds, figure):
    reads = rounds(20, 1000)
    accounts = [bank.account(f"Pocket {number}", "ASSET", currency="EUR") for number in range(ACCOUNTS)]
    address = gunicorn(WORKERS)
    is_over = threading.Event()
    with ThreadPoolExecutor(MOVERS + READERS) as threads:
        movers = [threads.submit(move, address, ada.token, accounts, is_over, seed) for seed in range(MOVERS)]
        readers = [
            threads.submit(read, address, ada.token, accounts, reads // READERS) for _ in range(READERS)
        ]
        try:
            totals = sum((reader.result() for reader in readers), Counter())
        finally:
            is_over.set()
        moved = sum(mover.result() for mover in movers)
    constant = totals[Decimal(0), True]
    figure("P15", f"{sum(totals.values())} reads beside {moved} transfers: {constant} saw the same total")
    assert set(totals) == {(Decimal(0), True)}
    assert moved > MOVERS


def move(address, token, accounts, is_over, seed):
    """Move money between two of the accounts, again and again; answers how often."""
    chance = Random(seed)  # noqa: S311  (the same ones every time)
    moved = 0
    with contextlib.closing(Client(address, token)) as client:
        while not is_over.is_set():
            amount = f"{chance.randint(1, 99_999) / 100:.2f}"
            legs = zip(chance.sample(accounts, 2), ("", "-"), strict=True)
            postings = [
                {"accountId": each, "amount": sign + amount, "currency": "EUR"} for each, sign in legs
            ]
            body = {"effectiveAt": "2026-03-10", "description": "A move", "postings": postings, "post": True}
            assert client.post("/api/journal-entries", body).status == 201
            moved += 1
    return moved


def read(address, token, accounts, count):
    """Read all balances and the trial balance; counts the totals, and whether debits equalled credits."""
    seen = Counter()
    with contextlib.closing(Client(address, token)) as client:
        for _ in range(count):
            listed = client.send("GET", "/api/accounts?limit=200").body["accounts"]
            total = sum(Decimal(each["balance"]) for each in listed if each["id"] in accounts)
            trial = client.send("GET", "/api/reports/trial-balance").body["trialBalance"]
            seen[total, abs(Decimal(trial["debit"])) == abs(Decimal(trial["credit"]))] += 1
    return seen
