"""Many agents pair the same lines at once: a line is in one pair at most, and an entry consumed once (P12, P13)."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
import sqlalchemy as sa

from tests.concurrency.crowds import Client, all_at_once
from webapp.database.sessions import db
from webapp.models import TransferPair
from webapp.queries import checks

pytestmark = pytest.mark.usefixtures("sound")


def double_matches():
    standing = sa.select(TransferPair.transaction_id).where(TransferPair.status == "STANDING")
    counted = Counter(db.session.scalars(standing))
    return [line_id for line_id, count in counted.items() if count > 1]


def test_sixteen_agents_that_match_by_themselves_match_nothing_twice(
    gunicorn, ada, bank, giro, savings, rounds, figure
):
    count = rounds(12, 250)
    bank.fa_id = giro
    bank.send_many([("2026-03-02", f"-{number + 1}.00", "Out") for number in range(count)])
    bank.fa_id = savings
    bank.send_many([("2026-03-02", f"{number + 1}.00", "In") for number in range(count)])
    address = gunicorn(4)
    answers = [answer for [answer] in all_at_once(address, [ada.token], [["/api/transfers/accept"]] * 16)]
    statuses = Counter(answer.status for answer in answers)
    done = [answer for answer in answers if answer.status == 200]
    made = [each for answer in done for each in answer.body["results"] if each["status"] == "EXECUTED"]
    doubles = bank.ask(double_matches)
    figure(
        "P13",
        f"16 agents match {2 * count} lines: {len(made)} pairs, {len(doubles)} double, {dict(statuses)}",
    )
    assert doubles == []
    # Whoever waits for the writer longer than it may is told so, and nothing of his is done.
    assert {answer.body["code"] for answer in answers if answer.status != 200} <= {"busy"}
    assert statuses[200] > 0
    assert len({each["transactionId"] for each in made}) == count


def test_of_two_matches_of_one_line_one_wins(gunicorn, ada, bank, giro, savings, rounds, figure):
    count = rounds(3, 200)
    bank.fa_id = giro
    out = bank.send_many([("2026-03-02", f"-{number + 1}.00", "Out") for number in range(count)])
    bank.fa_id = savings
    twins = [
        bank.send_many([("2026-03-02", f"{number + 1}.00", "In") for number in range(count)]) for _ in "AB"
    ]
    address = gunicorn(4)

    def join(number, other):
        with closing(Client(address, ada.token)) as client:
            return client.post(f"/api/transactions/{out[number]}/join", {"transactionId": other})

    results = Counter()
    with ThreadPoolExecutor(3) as threads:
        for number in range(count):
            asked = [threads.submit(join, number, twin[number]) for twin in twins]
            confirming = threads.submit(confirm, address, ada.token, out[number])
            results[tuple(sorted(each.result().status for each in asked))] += 1
            assert confirming.result().status == 200
    figure(
        "P12", f"match A against match B of one line while it is confirmed, {count} rounds: {dict(results)}"
    )
    assert results == {(200, 409): count}
    assert bank.ask(double_matches) == []
    assert bank.ask(lambda: list(checks.violations())) == []


def confirm(address, token, line_id):
    with closing(Client(address, token)) as client:
        return client.post(f"/api/transactions/{line_id}/confirm")
