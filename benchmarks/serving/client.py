"""The client: wrk for a while, with so many connections, and what it found."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.serving.servers import Served

SCRIPT = Path(__file__).with_name("ask.lua")


@dataclass(frozen=True)
class Sample:
    """Answers in a second, times in milliseconds, what the server computed for one answer, and how many failed.

    `following` is the first number that was not asked for.
    """

    rate: float
    p50: float
    p99: float
    cpu: float
    failed: int
    following: int = 0


def asked(
    served: Served,
    path: str,
    *,
    token: str = "",
    most: int = 1,
    first: int = 1,
    body: str | None = None,
    clients: int,
    seconds: int,
) -> Sample:
    """Ask for a path as often as it is answered; a body is posted.

    In both `{n}` is any number from 1 to `most`, and `{next}` counts up from `first`.
    """
    wrk = shutil.which("wrk")
    if wrk is None:
        raise SystemExit("This asks with wrk: apt-get install wrk")
    began = served.cpu_seconds
    words = [wrk, "-t1", f"-c{clients}", f"-d{seconds}s", "-s", str(SCRIPT), served.address, "--"]
    words += [path, str(most), str(first), token, *([] if body is None else [body])]
    said = subprocess.run(words, check=True, capture_output=True, text=True).stdout  # noqa: S603  (our own words)
    found = json.loads(said.splitlines()[-1])
    return Sample(
        rate=1e6 * found["requests"] / found["microseconds"],
        p50=found["p50"] / 1000,
        p99=found["p99"] / 1000,
        cpu=1000 * (served.cpu_seconds - began) / max(1, found["requests"]),
        failed=found["failed"],
        following=found["following"],
    )
