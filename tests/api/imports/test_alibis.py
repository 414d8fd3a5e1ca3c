"""The alibi of lost lines: the first day whose balance the lines do not explain, by how much, and what would."""

import random
import re
from datetime import date, timedelta
from html import unescape

import pytest

from webapp.ledger.money import Money
from webapp.ledger.proofs.alibis import first_disagreement
from webapp.ledger.proofs.covered_months import Stated

FIRST = date(2026, 8, 1)
SEEDS = {"quick": 100, "promised": 500}


def alibi(person, bank):
    found = person.get(f"/api/feeds/accounts/{bank.fa_id}/coverage").json["coverage"]["alibi"]
    return found and (
        found["after"],
        found["day"],
        found["amount"],
        [each["kind"] for each in found["suspects"]],
    )


@pytest.fixture
def push(ada, bank):
    """Push lines, each an id, a day, an amount and whether it is pending, and the balance at the close of a day."""
    bank.open("Giro")
    count = iter(range(100))

    def send(*lines, balance, day, **more):
        added = [
            {
                "providerTransactionId": uid,
                "bookedOn": on,
                "amount": amount,
                "description": f"Line {uid}",
                "pending": bool(rest),
            }
            for uid, on, amount, *rest in lines
        ]
        body = {
            "batchId": f"b{next(count)}",
            "added": added,
            "balance": {"amount": balance, "asOf": day},
            **more,
        }
        answer = ada.post(f"/api/feeds/accounts/{bank.fa_id}/transactions", json=body)
        assert answer.status_code == 200, answer.json

    return send


def test_a_missing_line_is_named_between_two_balances(ada, bank, push):
    push(("a", "2026-08-29", "5.00"), balance="5.00", day="2026-08-29")
    push(("b", "2026-08-30", "-2.00"), balance="3.00", day="2026-08-30")
    assert alibi(ada, bank) is None
    push(("c", "2026-08-31", "2.00"), balance="1011.45", day="2026-08-31")
    assert alibi(ada, bank) == ("2026-08-30", "2026-08-31", "1006.45", ["MISSING"])
    page = ada.browser().get(f"/feeds/{bank.fa_id}").text
    assert "1,006.45 EUR is missing between 30 Aug and 31 Aug 2026." in page
    push(("d", "2026-08-31", "1006.45"), balance="1011.45", day="2026-09-01")
    assert alibi(ada, bank) is None


def test_what_alone_explains_it_is_named(ada, bank, push):
    push(("a", "2026-08-29", "5.00"), balance="5.00", day="2026-08-29")
    push(("b", "2026-08-30", "-2.00", "pending"), balance="3.00", day="2026-08-30")
    assert alibi(ada, bank) == ("2026-08-29", "2026-08-30", "-2.00", ["PENDING", "MISSING"])
    push(("b", "2026-08-30", "-2.00"), balance="3.00", day="2026-08-31")
    assert alibi(ada, bank) is None
    push(("c", "2026-09-01", "-7.00"), balance="-4.00", day="2026-09-01")
    push(balance="-4.00", day="2026-09-02", removed=["c"])
    assert alibi(ada, bank) == ("2026-08-31", "2026-09-01", "-7.00", ["REMOVED", "MISSING"])
    push(
        ("e", "2026-09-01", "-7.00"),
        ("f", "2026-09-03", "3.00"),
        ("g", "2026-09-03", "3.00"),
        balance="-1.00",
        day="2026-09-03",
    )
    assert alibi(ada, bank) == ("2026-09-02", "2026-09-03", "-3.00", ["DOUBLED", "DOUBLED", "MISSING"])


def test_the_page_leads_to_what_mends_it(ada, bank, push):
    push(("a", "2026-08-29", "5.00"), balance="5.00", day="2026-08-29")
    push(("b", "2026-08-30", "-2.00"), ("c", "2026-08-30", "-2.00"), balance="1.00", day="2026-08-30")
    place, page = f"/feeds/{bank.fa_id}", ada.browser()
    two = [each["id"] for each in ada.get("/api/transactions").json["transactions"]]
    kept, joined = sorted(two)[1:]
    assert ada.post(f"/api/transactions/{kept}/join", json={"transactionId": joined}).status_code == 200
    assert alibi(ada, bank) == ("2026-08-29", "2026-08-30", "-2.00", ["JOINED", "MISSING"])
    shown = unescape(page.get(place).text)
    assert f"{place}?show=all&line={kept}#line-{kept}" in shown
    assert f"{place}?show=all&to=2026-08-30&from=2026-08-30" in shown
    assert f"/imports/new?faId={bank.fa_id}" in shown
    ada.post(f"/api/transactions/{kept}/unjoin", json={"transactionId": joined})
    push(balance="1.00", day="2026-08-31", removed=["b"])
    (restore,) = re.findall(r'action="([^"]*/restore)"', page.get(place).text)
    assert page.post(restore).status_code == 303
    assert alibi(ada, bank) is None


def test_one_balance_that_is_wrong_by_itself_is_said(ada, bank, push):
    for day, balance in (("2026-08-29", "5.00"), ("2026-08-30", "50.00"), ("2026-08-31", "5.00")):
        push(("a", "2026-08-29", "5.00"), balance=balance, day=day)
    assert alibi(ada, bank) == ("2026-08-29", "2026-08-30", "45.00", ["BALANCE", "MISSING"])


def test_a_balance_from_before_the_last_lines_of_its_day_is_no_loss(ada, bank, push):
    push(("a", "2026-08-29", "5.00"), balance="5.00", day="2026-08-29")
    push(("b", "2026-08-30", "-2.00"), balance="5.00", day="2026-08-30")
    assert alibi(ada, bank) is None
    push(balance="3.00", day="2026-08-31")
    assert alibi(ada, bank) is None


def test_the_day_and_the_amount_of_one_mistake_are_named(rounds, figure):
    seeds = rounds(SEEDS["quick"], SEEDS["promised"])
    days = amounts = 0
    for seed in range(seeds):
        chance = random.Random(seed)  # noqa: S311  (a seed for each run)
        lines = [
            (
                FIRST + timedelta(days=chance.randrange(1, 28)),
                chance.choice((-1, 1)) * chance.randint(1, 99_999),
            )
            for _ in range(chance.randint(20, 200))
        ]
        stated, balance = [], 0
        for number in range(31):
            day = FIRST + timedelta(days=number)
            balance += sum(minor for on, minor in lines if on == day)
            stated.append(Stated(day, Money(balance, "EUR")))
        wrong = chance.randrange(len(lines))
        day, minor = lines[wrong]
        told, off = {
            "dropped": ([*lines[:wrong], *lines[wrong + 1 :]], minor),
            "doubled": ([*lines, (day, minor)], -minor),
            "altered": ([*lines[:wrong], (day, minor + 9), *lines[wrong + 1 :]], -9),
        }[chance.choice(("dropped", "doubled", "altered"))]
        moved = {}
        for on, each in told:
            moved[on] = moved.get(on, 0) + each
        found = first_disagreement(stated, moved)
        days += found is not None and found.day == day
        amounts += found is not None and found.amount.minor == off
    figure("alibi", f"{seeds} single mistakes, day named {days}, amount {amounts}")
    assert (days, amounts) == (seeds, seeds)
