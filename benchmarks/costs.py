"""What an untrusted file costs, read in a process of its own: seconds of the wall and of the processor, and memory."""

import multiprocessing
import re
import resource
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

MEBIBYTE = 1024 * 1024
Make = Callable[[], bytes]
Read = Callable[[bytes], str]


class Cost(NamedTuple):
    """A file of `size` bytes: seconds, the most MiB above the file itself, and what became of it."""

    size: int
    wall: float
    cpu: float
    memory: float
    outcome: str


def measured(make: Make, read: Read) -> Cost:
    """Make a file and read it; processes that the reader starts count too."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=_read, args=(theirs, make, read))
    process.start()
    theirs.close()
    cost: Cost = ours.recv()
    process.join()
    return cost


def _read(to: Connection, make: Make, read: Read) -> None:
    data = make()
    _reset_peak()
    before, begun = _cpu(), time.perf_counter()
    outcome = read(data)
    wall, cpu = time.perf_counter() - begun, _cpu() - before
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    to.send(Cost(len(data), wall, cpu, max(_peak() - len(data) / MEBIBYTE, child), outcome))


def _reset_peak() -> None:
    """Forget the most memory that the process held while the file was made."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _peak() -> float:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
    return int(found[1]) / 1024 if found else 0.0


def _cpu() -> float:
    used = (resource.getrusage(each) for each in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)
