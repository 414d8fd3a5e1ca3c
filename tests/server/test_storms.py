"""Slow clients of every kind leave others' p99 at or below a second, on the server as it is by default (P48)."""

from pathlib import Path

import pytest

from tests.concurrency.crowds import percentile
from tests.fixtures.servers import Server
from tests.server import storms

MOST_MEBIBYTES = 256


@pytest.fixture
def most_milliseconds(rounds):
    """What others may wait: what is promised, or in the quick run more, for machines that do other things too."""
    return rounds(5000, 1000)


@pytest.fixture
def measured(rounds, figure):
    """Measure others during a storm of a kind, and note it."""

    def measure(address: str, token: str, kind: str, addresses: int, *, proxy: str = "") -> float:
        count, seconds = rounds(16, 200), rounds(0.2, 12)
        with storms.Storm(proxy or address, kind, token, count=count, addresses=addresses):
            took = storms.seconds_of_others(address, token, seconds)
        worst = percentile(took, 0.99)
        by = " by a proxy" if proxy else ""
        figure(
            "P48",
            f"{count} slow {kind} from {addresses} addresses{by}: others' p99 {worst:.0f} ms of {len(took)}",
        )
        return worst

    return measure


def test_others_feel_nothing_of_slow_clients(
    gunicorn, gunicorns, ada, measured, rounds, figure, most_milliseconds
):
    address = gunicorn(1)
    before = peak_mebibytes(gunicorns[-1])
    worst = {
        (kind, addresses): measured(address, ada.token, kind, addresses)
        for kind in storms.KINDS
        for addresses in rounds([1], [1, 200])
    }
    grown = peak_mebibytes(gunicorns[-1]) - before
    figure("P48", f"the worker's memory grew by {grown} MiB at most")
    assert not {place: took for place, took in worst.items() if took > most_milliseconds}
    assert grown <= MOST_MEBIBYTES


@pytest.mark.rare
def test_nor_do_they_behind_a_proxy_that_buffers_nothing(house, ada, measured, rounds, most_milliseconds):
    # The others ask the server itself: the proxy of this test is one thread, which the storm keeps busy.
    house.leave()
    server = Server(house, 1, PROXY_HOPS="1")
    try:
        with storms.Proxy(server.address) as proxy:
            worst = {
                kind: measured(server.address, ada.token, kind, 1, proxy=proxy.address)
                for kind in rounds(["forms to sign in"], [*storms.KINDS])
            }
    finally:
        server.kill()
    assert not {kind: took for kind, took in worst.items() if took > most_milliseconds}


def peak_mebibytes(server: Server) -> int:
    """The largest memory that the server's one worker has had."""
    (worker,) = server.worker_pids()
    (line,) = [
        each for each in Path(f"/proc/{worker}/status").read_text().splitlines() if each.startswith("VmHWM")
    ]
    return int(line.split()[1]) // 1024
