"""Measure what counting requests costs: reads of the hub with the limit and without, by the same clients in turn.

    python -m benchmarks.rate_limits [ROUNDS]

Two services with two workers are on one set of books of twelve bank accounts; eight clients ask for the hub. What is
compared is the CPU time that the workers spend on a request, which other work on the machine disturbs least. Ends
with 1 where the limit costs more than is promised.
"""

from __future__ import annotations

import http.client
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median

from tests.fixtures.banks import Bank
from tests.fixtures.houses import House
from tests.fixtures.servers import free_port, wait_until_ready
from tests.fixtures.stores import SqliteFiles
from tests.tree import ROOT

ROUNDS, REQUESTS, CLIENTS, WORKERS, ACCOUNTS = 12, 800, 8, 2, 12
MOST_COST = 1.05
HUB = "/api/reconciliations/accounts"


def main(rounds: int) -> bool:
    """Measure; answers whether the bar is held."""
    logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        house = House(SqliteFiles(Path(folder)), Path(folder))
        house.refresh()
        ada = replace(house.people["ada"], app=house.app)
        bank = Bank(house.app, ada)
        for number in range(ACCOUNTS):
            bank.open(f"Account {number}")
            bank.send_many([("2026-03-02", f"-{each}.00", "A line") for each in range(1, 40)])
        house.leave()
        ports = {limit: stack.enter_context(served(house, limit)) for limit in ("0", "1000000")}
        times: dict[str, list[tuple[float, float]]] = {limit: [] for limit in ports}
        for turn in range(rounds + 1):
            for limit, (port, pid) in ports.items():
                found = asked(port, pid, ada.token)
                if turn:
                    times[limit].append(found)
    plain, counted = times.values()
    costs = [counted[at][0] / plain[at][0] for at in range(rounds)]
    for name, found in (("without", plain), ("with", counted)):
        cpu, seconds = (median(each[column] for each in found) for column in (0, 1))
        print(f"{name:<8} {1e6 * cpu:8.0f} µs of CPU a request, {1 / seconds:8.0f} requests/s")
    print(f"the limit costs {median(costs):.3f} times what a read of the hub costs without", flush=True)
    return median(costs) <= MOST_COST


@contextmanager
def served(house: House, limit: str) -> Iterator[tuple[int, int]]:
    """Serve the books with a limit; answers port and process."""
    port = free_port()
    settings = {
        "DATABASE_URL": house.settings.database_url,
        "INSTANCE_PATH": str(house.settings.instance_path),
        "SECRET_KEY": house.settings.secret_key,
        "PORT": str(port),
        "WEB_CONCURRENCY": str(WORKERS),
        "RATE_LIMIT": limit,
    }
    log = house.settings.instance_path / f"{port}.log"
    with log.open("wb") as written:
        process = subprocess.Popen(
            [sys.executable, "-m", "webapp.cli", "serve"],
            cwd=ROOT,
            env={**os.environ, **settings},
            stdout=written,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_until_ready(f"http://127.0.0.1:{port}", process, str(log))
            yield port, process.pid
        finally:
            process.terminate()
            process.wait()


def asked(port: int, pid: int, token: str) -> tuple[float, float]:
    """Let the clients ask; answers the workers' CPU time and the time that passed, in seconds for each request."""
    before, began = cpu_of_workers(pid), time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as threads:
        statuses = {each for found in threads.map(ask, [(port, token)] * CLIENTS) for each in found}
    if statuses != {200}:
        raise RuntimeError(statuses)
    passed = time.perf_counter() - began
    return (cpu_of_workers(pid) - before) / REQUESTS, passed / REQUESTS


def ask(at: tuple[int, str]) -> set[int]:
    """Ask over one connection; answers the statuses."""
    port, token = at
    connection = http.client.HTTPConnection("127.0.0.1", port)
    statuses = set()
    for _ in range(REQUESTS // CLIENTS):
        connection.request("GET", HUB, headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        answer.read()
        statuses.add(answer.status)
    connection.close()
    return statuses


def cpu_of_workers(pid: int) -> float:
    """Add up the CPU time that the children of a process have spent, in seconds."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    stats = [
        Path(f"/proc/{child}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        for child in children
    ]
    return sum(int(each[11]) + int(each[12]) for each in stats) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(not main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
