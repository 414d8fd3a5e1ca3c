"""Measure whether the time of an answer tells another organization's id from one that was never issued (P34).

    python -m benchmarks.foreign_ids [SAMPLES]

Every address of the API that names something is asked for both ids in turn, by somebody who may see neither. Prints the
medians in milliseconds for each address, and ends with 1 where a difference is above what is promised.
"""

import logging
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

from tests.fixtures.banks import Bank
from tests.fixtures.houses import House
from tests.fixtures.people import Person
from tests.fixtures.stores import SqliteFiles
from tests.security.addresses import Address, addresses_of
from tests.security.conftest import everything

SAMPLES = 200
PROMISED_MS = 5.0
WARMING_UP = 5
NOT_FOUND = 404


def main(samples: int) -> float:
    """Measure and print each address; answers the largest difference of two medians in milliseconds."""
    logging.disable(logging.INFO)
    largest = 0.0
    print(f"{'':<62} {'foreign':>8} {'never':>8} {'apart':>8}   ms, medians of {samples}")
    with tempfile.TemporaryDirectory() as folder:
        for address, foreign, never in measured(Path(folder), samples):
            apart = abs(foreign - never)
            largest = max(largest, apart)
            print(f"{address.name:<62} {foreign:8.2f} {never:8.2f} {apart:8.2f}", flush=True)
    print(f"The largest difference is {largest:.2f} ms; promised are {PROMISED_MS:.0f} ms at most.")
    return largest


def measured(folder: Path, samples: int) -> Iterator[tuple[Address, float, float]]:
    """Give each address with both medians in milliseconds."""
    store = SqliteFiles(folder)
    house = House(store, folder)
    house.refresh()
    ada, dan = (replace(house.people[name], app=house.app) for name in ("ada", "dan"))
    ids = everything(ada, Bank(house.app, ada))
    # An id that is text keeps its shape, or it would be refused before anybody looks for it.
    unknown = {name: each[:-8] + "0" * 8 for name, each in ids.items() if isinstance(each, str)}
    for address in addresses_of(house.app):
        if address.is_api and address.parameters:
            times = [
                (seconds(dan, address, address.path(ids)), seconds(dan, address, address.path(unknown)))
                for _ in range(WARMING_UP + samples)
            ][WARMING_UP:]
            foreign, never = (median(each) * 1000 for each in zip(*times, strict=True))
            yield address, foreign, never
    house.leave()


def seconds(person: Person, address: Address, path: str) -> float:
    """Ask once, and give how long the answer took."""
    options = address.options()
    begun = time.perf_counter()
    answer = person.ask(address.method, path, **options)
    taken = time.perf_counter() - begun
    if answer.status_code != NOT_FOUND:
        raise SystemExit(f"{address.name} answers {answer.status_code}: {answer.text}")
    return taken


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES) > PROMISED_MS)
