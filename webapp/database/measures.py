"""What this server measures of itself for /metrics: nothing until `start`, and without the library before that.

A label is a word of the program (a route, a kind of act), never a name of an organization, a person or an account.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import prometheus_client
    from sqlalchemy import Engine

#: prometheus-client looks for it while it is imported: then each process writes into files of this folder.
FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
IN_MEMORY: Final = "/dev/shm"  # noqa: S108  (a new folder of our own within)
METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
OTHER: Final = "other"
_REQUEST_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_WAIT_SECONDS: Final = (0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


@dataclass(frozen=True, slots=True)
class Families:
    """The families that this process counts in."""

    registry: prometheus_client.CollectorRegistry
    requests: prometheus_client.Counter
    request_seconds: prometheus_client.Histogram
    acts: prometheus_client.Counter
    lines: prometheus_client.Counter
    wait_seconds: prometheus_client.Histogram
    connections: prometheus_client.Gauge


@dataclass(slots=True)
class _Process:
    families: Families | None = None
    is_shared: bool = False
    folder: str = ""
    pid: int = field(default_factory=os.getpid)


_process: Final = _Process()


def share() -> None:
    """Let several processes count together, if anything is measured; said before the application is made."""
    _process.is_shared, _process.pid = True, os.getpid()


def start() -> None:
    """Measure from now on."""
    if _process.families is not None:
        return
    if _process.is_shared and FOLDER not in os.environ:
        place = IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None
        os.environ[FOLDER] = _process.folder = tempfile.mkdtemp(prefix="tieout-metrics-", dir=place)
    from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram  # noqa: PLC0415  (see FOLDER)

    registry = CollectorRegistry()
    _process.families = Families(
        registry,
        Counter(
            "tieout_requests",
            "Requests answered.",
            ("method", "route", "status"),
            registry=registry,
        ),
        Histogram(
            "tieout_request_seconds",
            "Seconds until a request was answered.",
            ("method", "route"),
            buckets=_REQUEST_SECONDS,
            registry=registry,
        ),
        Counter("tieout_acts", "Acts committed, by kind and status.", ("kind", "status"), registry=registry),
        Counter("tieout_lines_ingested", "Bank lines that came into the books.", registry=registry),
        Histogram(
            "tieout_writer_wait_seconds",
            "Seconds that a write waited for its turn.",
            buckets=_WAIT_SECONDS,
            registry=registry,
        ),
        Gauge(
            "tieout_database_connections",
            "Connections to the database in use.",
            multiprocess_mode="livesum",
            registry=registry,
        ),
    )


def is_on() -> bool:
    """Return whether anything is measured."""
    return _process.families is not None


def ended(pid: int) -> None:
    """Forget what a worker had in use."""
    if is_on():
        from prometheus_client.multiprocess import mark_process_dead  # noqa: PLC0415  (see FOLDER)

        mark_process_dead(pid)  # type: ignore[no-untyped-call]


def end() -> None:
    """Delete the folder that `start` made."""
    if _process.folder and os.getpid() == _process.pid:
        shutil.rmtree(_process.folder, ignore_errors=True)


def watch(engine: Engine) -> None:
    """Count the connections of an engine that are in use."""
    from sqlalchemy import event  # noqa: PLC0415  (needed where it is measured only)

    if (families := _process.families) is not None:
        event.listen(engine, "checkout", lambda *_: families.connections.inc())
        event.listen(engine, "checkin", lambda *_: families.connections.dec())


def count_request(method: str, route: str | None, status: int, seconds: float) -> None:
    """Count a request that was answered, under its route; strangers choose neither labels nor their number."""
    if (families := _process.families) is not None:
        method, route = method if method in METHODS else OTHER, route or OTHER
        families.requests.labels(method, route, str(status)).inc()
        families.request_seconds.labels(method, route).observe(seconds)


def count_acts(acts: Iterable[tuple[str, str]]) -> None:
    """Count acts, each a kind and a status."""
    if (families := _process.families) is not None:
        for kind, status in acts:
            families.acts.labels(kind, status).inc()


def count_lines(count: int) -> None:
    """Count bank lines that came into the books."""
    if (families := _process.families) is not None:
        families.lines.inc(count)


@contextmanager
def waiting_to_write() -> Iterator[None]:
    """Measure how long a write waits for its turn, also where it gets none."""
    families, began = _process.families, time.perf_counter()
    try:
        yield
    finally:
        if families is not None:
            families.wait_seconds.observe(time.perf_counter() - began)


def exposition(asked: Iterable[tuple[str, str, float]]) -> bytes:
    """Write all that is measured, of all processes, and gauges that were asked for: each a name, its words, a value."""
    from prometheus_client import CollectorRegistry, generate_latest  # noqa: PLC0415  (see FOLDER)
    from prometheus_client.metrics_core import GaugeMetricFamily  # noqa: PLC0415
    from prometheus_client.multiprocess import MultiProcessCollector  # noqa: PLC0415
    from prometheus_client.registry import Collector  # noqa: PLC0415

    class DatabaseCollector(Collector):
        def collect(self) -> Iterator[GaugeMetricFamily]:
            for name, words, value in asked:
                yield GaugeMetricFamily(name, words, value=value)

    registry = CollectorRegistry()
    registry.register(DatabaseCollector())
    if (families := _process.families) is None:
        return generate_latest(registry)
    counted = families.registry
    if FOLDER in os.environ:
        counted = CollectorRegistry()
        MultiProcessCollector(counted)  # type: ignore[no-untyped-call]
    return generate_latest(counted) + generate_latest(registry)
