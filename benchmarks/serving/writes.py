"""The rows of acts, which change the books that they are measured on: one line pushed, and a line confirmed.

Both stand in books of their own, a copy of the kept ones, so that the next run reads the same.
"""

from __future__ import annotations

import json
import time
import urllib.request
from typing import TYPE_CHECKING, Any, Final

from benchmarks.serving.rows import Row

if TYPE_CHECKING:
    from benchmarks.serving.books import Books
    from benchmarks.serving.servers import Served

PUSH: Final = "/api/feeds/accounts/{fa}/transactions"
LINE: Final[dict[str, Any]] = {
    "providerTransactionId": "served-{next}",
    "bookedOn": "2026-10-30",
    "amount": "-{next}.34",
    "currency": "EUR",
    "description": "Card payment {next}",
}
WRITES: Final = (
    Row("G4 one line pushed", PUSH, "p50", 4, 3, body=json.dumps({"batchId": "one-{next}", "added": [LINE]})),
    Row("G9 a line confirmed", "/api/transactions/{next}/confirm", "p50", 3.5, 3, body="{}", confirms=True),
    Row(
        "G8 lines confirmed, 8 at once",
        "/api/transactions/{next}/confirm",
        "rate",
        0.18,
        0.22,
        p99=4,
        body="{}",
        confirms=True,
    ),
)
# Confirmed in the seconds that a row is measured, with as many again.
WAITING, BATCH = 20_000, 1_000


def first_waiting(books: Books, served: Served) -> int:
    """Push lines that wait to be confirmed, which get ids in a row; answers the first."""
    found = 0
    path = served.address + PUSH.format(fa=books.fa_id)
    headers = {"Authorization": f"Bearer {books.token}", "Content-Type": "application/json"}
    run = time.time_ns()
    for start in range(0, WAITING, BATCH):
        lines = [
            {
                **LINE,
                "providerTransactionId": f"{run}-{each}",
                "amount": f"-{each}.43",
                "description": f"Card payment {each}",
            }
            for each in range(start, start + BATCH)
        ]
        body = json.dumps({"batchId": f"{run}-{start}", "added": lines}).encode()
        request = urllib.request.Request(path, body, headers)  # noqa: S310  (an address of ours)
        with urllib.request.urlopen(request, timeout=300) as answer:  # noqa: S310
            results = json.load(answer)["results"]
        found = found or results[0]["transactionId"]
    return int(found)
