"""Measure what counting requests costs: reads of the hub with the limit and without, batch by batch in turn.

    python -m benchmarks.rate_limits [BATCHES]

The hub has twelve bank accounts. What is compared is the CPU time of the process, which other work on the machine
disturbs least; the lower quartiles of the batches, which it disturbs less. Ends with 1 where the limit costs more than
promised.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import quantiles

from flask.testing import FlaskClient

from tests.fixtures.banks import Bank
from tests.fixtures.houses import House
from tests.fixtures.stores import SqliteFiles

BATCHES, BATCH, ACCOUNTS = 100, 10, 12
MOST_COST = 1.05
HUB = "/api/reconciliations/accounts"
LIMITS = {"without": 0, "with": 1_000_000}


def main(batches: int) -> bool:
    """Measure and print; answers whether the bar is held."""
    logging.disable(logging.INFO)
    times: dict[str, list[float]] = {name: [] for name in LIMITS}
    with tempfile.TemporaryDirectory() as folder:
        house = House(SqliteFiles(Path(folder)), Path(folder))
        house.refresh()
        ada = replace(house.people["ada"], app=house.app)
        bank = Bank(house.app, ada)
        for number in range(ACCOUNTS):
            bank.open(f"Account {number}")
            bank.send_many([("2026-03-02", f"-{each}.00", "A line") for each in range(1, 40)])
        client = house.app.test_client(use_cookies=False)
        for turn in range(batches + 1):
            for name, limit in LIMITS.items():
                house.app.config["SETTINGS"] = replace(house.settings, rate_limit=limit)
                found = batch(client, ada.token)
                if turn:
                    times[name].append(found)
        house.leave()
    quick = {name: quantiles(found)[0] for name, found in times.items()}
    for name, found in quick.items():
        print(f"{name:<8} {1e6 * found:8.0f} µs of CPU for a read of the hub")
    ratio = quick["with"] / quick["without"]
    print(f"the limit costs {ratio:.3f} times what a read costs without", flush=True)
    return ratio <= MOST_COST


def batch(client: FlaskClient, token: str) -> float:
    """Read the hub some times; answers the CPU time of one, in seconds."""
    began = time.process_time()
    for _ in range(BATCH):
        answer = client.get(HUB, headers={"Authorization": f"Bearer {token}"})
        if len(answer.json["accounts"]) != ACCOUNTS:
            raise RuntimeError(answer.text)
    return (time.process_time() - began) / BATCH


if __name__ == "__main__":
    sys.exit(not main(int(sys.argv[1]) if len(sys.argv) > 1 else BATCHES))
