"""While money moves between accounts, whoever reads sees all of a move or nothing of it (P15)."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from decimal import Decimal
from random import Random

import pytest

from tests.concurrency.crowds import Client

ACCOUNTS, FUNDS = 5, Decimal("1000.00")
WRITERS, READERS, WORKERS = 3, 2, 2
DAY = "2026-03-02"


@pytest.mark.rare
def test_every_read_shows_the_same_total(gunicorn, ada, bank, rounds, figure):
    pots = [bank.account(f"Pot {number}", "ASSET") for number in range(ACCOUNTS)]
    fund(ada, bank, pots)
    chance = Random(15)  # noqa: S311  (the same ones every time)
    lines, banks = [], []
    for number in range(ACCOUNTS):
        bank.open(f"Bank {number}")
        banks.append(bank.ledger_account())
        lines += bank.send_many([(DAY, f"{chance.randint(-900, 900)}.01", "Moving") for _ in range(WRITERS)])
    for line in lines:
        moved = ada.patch(f"/api/transactions/{line}", json={"accountId": chance.choice(pots)})
        assert moved.status_code == 200
    address, done = gunicorn(WORKERS), threading.Event()

    def move(mine: list[int]) -> Counter[int]:
        """Confirm and void lines in turn, as long as anybody reads."""
        statuses: Counter[int] = Counter()
        with closing(Client(address, ada.token)) as client:
            while not done.is_set():
                for line in mine:
                    answer = client.post(f"/api/transactions/{line}/confirm")
                    (entry,) = answer.body["result"]["journalEntryIds"]
                    voided = client.post(f"/api/journal-entries/{entry}/void", {"reason": "Back again"})
                    statuses.update((answer.status, voided.status))
        return statuses

    def read(count: int) -> list[tuple[Decimal, ...]]:
        with closing(Client(address, ada.token)) as client:
            return [balances(client, number, {*pots, *banks}) for number in range(count)]

    with ThreadPoolExecutor(WRITERS + READERS) as threads:
        writing = [threads.submit(move, lines[start::WRITERS]) for start in range(WRITERS)]
        reading = [threads.submit(read, rounds(20, 500)) for _ in range(READERS)]
        try:
            seen = [each for reads in reading for each in reads.result()]
        finally:
            done.set()
        statuses = sum((each.result() for each in writing), Counter())
    totals = Counter(sum(each) for each in seen)
    figure(
        "P15",
        f"{len(seen)} reads while {statuses.total()} moves ran {dict(statuses)}: totals {dict(totals)},"
        f" {len(set(seen))} different states",
    )
    assert totals == {ACCOUNTS * FUNDS: len(seen)}
    assert set(statuses) == {200}
    assert len(set(seen)) > 1


def fund(person, bank, pots):
    equity = bank.account("Funds", "EQUITY")
    postings = [{"accountId": pot, "amount": str(FUNDS)} for pot in pots]
    postings.append({"accountId": equity, "amount": str(-ACCOUNTS * FUNDS)})
    body = {"effectiveAt": DAY, "postings": postings, "post": True}
    assert person.post("/api/journal-entries", json=body).status_code == 201


def balances(client, number, accounts):
    if number % 2:
        answer = client.send("GET", "/api/accounts?limit=200").body["accounts"]
        shown = {each["id"]: Decimal(each["balanceBase"]) for each in answer}
    else:
        answer = client.send("GET", "/api/reports/trial-balance?to=2027-12-31").body["trialBalance"]
        shown = {each["accountId"]: Decimal(each["closing"]) for each in answer["lines"]}
    return tuple(shown.get(account, Decimal(0)) for account in sorted(accounts))
