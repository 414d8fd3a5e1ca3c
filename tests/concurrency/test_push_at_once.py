"""However many push overlapping batches at once, each line is in the books once, and nobody meets an error."""

import contextlib
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from tests.concurrency.crowds import PATIENCE_SECONDS, Client, percentile
from tests.fixtures.feeds import line
from tests.fixtures.helpers.replays import everything
from webapp.queries import checks

CLIENTS, WORKERS = 16, 4


def test_sixteen_clients_push_overlapping_batches(gunicorn, ada, ben, bank, feed, rounds, figure):
    count = rounds(40, 1000)
    address = gunicorn(WORKERS)
    lines = [line(f"L{number}", f"-{number + 1}.00") for number in range(count)]
    path = f"/api/feeds/accounts/{feed.fa_id}/transactions"
    barrier = threading.Barrier(CLIENTS)

    def push(number):
        """Push half of all lines, each client from another place, in two batches, one of which all send alike."""
        start = number * count // CLIENTS
        turned = [*lines[start:], *lines[:start]]
        bodies = [
            {"batchId": f"own-{number}", "added": turned[: count // 2], "modified": turned[count // 3 :]},
            {"batchId": "shared", "added": lines},
        ]
        answers = []
        with contextlib.closing(Client(address, (ada, ben)[number % 2].token)) as client:
            for body in bodies:
                barrier.wait(PATIENCE_SECONDS)
                answers.append(client.post(path, body))
        return answers

    with ThreadPoolExecutor(CLIENTS) as threads:
        crowd = list(threads.map(push, range(CLIENTS)))
    statuses = Counter(answer.status for answers in crowd for answer in answers)
    there = Counter(
        each["providerTransactionId"]
        for each in everything(ada, f"transactions?faId={feed.fa_id}", "transactions")
    )
    times = [answer.seconds for answers in crowd for answer in answers]
    figure(
        "Feed",
        f"{CLIENTS} clients push {count} overlapping lines: {sum(each > 1 for each in there.values())} doubles,"
        f" {count - len(there)} losses, answers {dict(statuses)}, p99 {percentile(times, 0.99):.0f} ms",
    )
    assert statuses == {200: 2 * CLIENTS}
    assert there == {each["providerTransactionId"]: 1 for each in lines}
    shared = {str(answers[1].body) for answers in crowd}
    assert len(shared) == 1
    assert bank.ask(lambda: list(checks.violations())) == []
