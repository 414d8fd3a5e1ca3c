"""However many confirm a line at once, it is posted once, and everybody gets the same answer (P9, P10)."""

from collections import Counter

from tests.concurrency.crowds import all_at_once, percentile
from tests.fixtures.helpers.replays import everything

CLIENTS, WORKERS = 16, 4
CROWD = 64


def test_sixteen_clients_confirm_the_same_lines(gunicorn, ada, ben, bank, rounds, figure):
    count = rounds(12, 200)
    lines = bank.send_many(
        [("2026-03-02", f"-{number}.00", f"Line {number}") for number in range(1, count + 1)]
    )
    address = gunicorn(WORKERS)
    paths = [f"/api/transactions/{line}/confirm" for line in lines]
    crowd = all_at_once(address, [ada.token, ben.token], [paths] * CLIENTS)

    once = sum(
        sum(answer.body.get("changed", False) for answer in answers) == 1
        for answers in zip(*crowd, strict=True)
    )
    agreed = sum(
        len(
            {
                (tuple(answer.body["result"]["journalEntryIds"]), answer.body["actionRequestId"])
                for answer in answers
            }
        )
        == 1
        for answers in zip(*crowd, strict=True)
    )
    statuses = Counter(answer.status for answers in crowd for answer in answers)
    times = [answer.seconds for answers in crowd for answer in answers]
    figure(
        "P9",
        f"{CLIENTS} clients on each of {count} lines, {WORKERS} workers: changed once {once}/{count}, "
        f"same ids {agreed}/{count}, answers {dict(statuses)}, p99 {percentile(times, 0.99):.0f} ms",
    )
    assert once == agreed == count
    assert statuses == {200: CLIENTS * count}
    entries = [
        entry for entry in everything(ada, "journal-entries", "entries") if entry["status"] == "POSTED"
    ]
    acts = everything(ada, "action-requests?kind=confirm_transaction", "actionRequests")
    assert len(entries) == count
    # Whoever came first, the numbers of what is posted have no gap.
    assert sorted(entry["number"] for entry in entries) == list(range(1, count + 1))
    assert Counter(act["status"] for act in acts) == {"EXECUTED": count}


def test_a_crowd_on_lines_of_its_own_meets_no_error(gunicorn, ada, ben, bank, rounds, figure):
    each = rounds(1, 40)
    lines = bank.send_many([("2026-03-02", "-1.00", f"Line {number}") for number in range(CROWD * each)])
    address = gunicorn(WORKERS)
    paths = [[f"/api/transactions/{line}/confirm" for line in lines[start::CROWD]] for start in range(CROWD)]
    crowd = all_at_once(address, [ada.token, ben.token], paths)
    statuses = Counter(answer.status for answers in crowd for answer in answers)
    times = [answer.seconds for answers in crowd for answer in answers]
    figure(
        "P10",
        f"{CROWD} clients on {CROWD * each} lines: answers {dict(statuses)}, p99 {percentile(times, 0.99):.0f} ms",
    )
    assert statuses == {200: CROWD * each}
    assert all(answer.body["changed"] for answers in crowd for answer in answers)
    # Those who post at once neither share a number nor leave one out.
    entries = everything(ada, "journal-entries", "entries")
    assert sorted(entry["number"] for entry in entries) == list(range(1, CROWD * each + 1))
