"""The servers: the books, a greeting on plain gunicorn, and the same greeting on our own server."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.serving.books import KEPT, Books
from tests.tree import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

HERE = Path(__file__).parent
THREADS = 8
PATIENCE_SECONDS = 60


@contextlib.contextmanager
def books_served(books: Books, workers: int, *, anew: bool = False) -> Iterator[Served]:
    """Serve books, with the address of nothing beside them; `anew` without answers that are kept."""
    port = _free_port()
    settings = {
        **books.environment,
        "PORT": str(port),
        "WEB_CONCURRENCY": str(workers),
        "THREADS": str(THREADS),
    }
    words = [sys.executable, "-m", "benchmarks.serving.behind", *(["--anew"] if anew else [])]
    with _running(words, port, "/readyz", settings) as served:
        yield served


@contextlib.contextmanager
def hello_served() -> Iterator[Served]:
    """Serve a greeting by plain Flask on plain gunicorn, one worker of eight threads, in an environment of its own."""
    port = _free_port()
    python = _environment()
    words = [
        python,
        "-m",
        "gunicorn",
        "--worker-class",
        "gthread",
        "--workers",
        "1",
        "--threads",
        str(THREADS),
    ]
    words += ["--bind", f"127.0.0.1:{port}", "--no-control-socket", "--chdir", str(HERE), "hello:app"]
    with _running(words, port, "/", {}) as served:
        yield served


@contextlib.contextmanager
def own_hello_served() -> Iterator[Served]:
    """Serve the same greeting on our own server."""
    port = _free_port()
    settings = {"PORT": str(port), "INSTANCE_PATH": str(KEPT / "greeting"), "THREADS": str(THREADS)}
    words = [sys.executable, "-m", "benchmarks.serving.own_hello"]
    with _running(words, port, "/", settings) as served:
        yield served


class Served:
    """A server that runs, at its address."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, seconds: float) -> None:
        self._process = process
        self.address = f"http://127.0.0.1:{port}"
        self.seconds = seconds

    @property
    def mebibytes(self) -> float:
        """The memory of its processes, what they share counted once."""
        return sum(_kibibytes(pid) for pid in self._pids()) / 1024

    @property
    def cpu_seconds(self) -> float:
        """What its processes have computed until now: unlike a time it hardly grows where others work beside it."""
        ticks = [
            Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13] for pid in self._pids()
        ]
        return sum(int(each) for pair in ticks for each in pair) / os.sysconf("SC_CLK_TCK")

    def _pids(self) -> list[str]:
        master = self._process.pid
        return [str(master), *Path(f"/proc/{master}/task/{master}/children").read_text().split()]


def first_answer(books: Books) -> float:
    """Give how many seconds the hub takes to come from the start of `tieout serve`."""
    port = _free_port()
    settings = {**books.environment, "PORT": str(port), "THREADS": str(THREADS)}
    words = [str(Path(sys.executable).with_name("tieout")), "serve"]
    with _running(words, port, "/api/reconciliations/accounts", settings, books.token) as served:
        return served.seconds


@contextlib.contextmanager
def _running(
    words: Sequence[str], port: int, path: str, settings: Mapping[str, str], token: str = ""
) -> Iterator[Served]:
    began = time.monotonic()
    log = KEPT / f"{port}.log"
    KEPT.mkdir(mode=0o700, exist_ok=True)
    with log.open("wb") as written:
        # Python keeps what it compiled, or each start would compile everything again.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        process = subprocess.Popen(  # noqa: S603  (our own words)
            words, cwd=ROOT, env={**environment, **settings}, stdout=written, stderr=written, umask=0o077
        )
    try:
        _wait(process, f"http://127.0.0.1:{port}{path}", token, log)
        yield Served(process, port, time.monotonic() - began)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_SECONDS)
        log.unlink()


def _wait(process: subprocess.Popen[bytes], url: str, token: str, log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"} if token else {})  # noqa: S310
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
            answer.read()
            return
        time.sleep(0.01)
    raise SystemExit(f"A server did not start:\n{log.read_text()}")


def _environment() -> str:
    """Give the Python of the greeting's environment, which is made the first time."""
    lock = HERE / "hello.lock"
    folder = KEPT / f"hello-{lock.stat().st_mtime_ns}"
    python = folder / "bin/python"
    if not (folder / "made").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)  # noqa: S603
        words = [python, "-m", "pip", "install", "--quiet", "--require-hashes", "--requirement", lock]
        subprocess.run(words, check=True)  # noqa: S603
        (folder / "made").touch()
    return str(python)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _kibibytes(pid: str) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
