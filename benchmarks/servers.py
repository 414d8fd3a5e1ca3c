"""Run what is measured: `tieout serve` of any checkout, a greeting on plain gunicorn, and PgBouncer."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from benchmarks.client import REFUSED, Client

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

HERE: Final = Path(__file__).resolve().parent.parent
PATIENCE_SECONDS: Final = 60
HUB: Final = "/api/reconciliations/accounts"
POOLED: Final = """
[databases]
* = host={host} port=5432 user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
max_client_conn = 200
server_reset_query =
"""


class Processor:
    """Counts what processes compute, with all that they have started."""

    def __init__(self, *roots: int) -> None:
        """Take the processes."""
        self.roots = roots

    def read(self) -> dict[str, int]:
        """Return the nanoseconds of each thread until now."""
        found = {}
        for pid in self.pids():
            for task in Path(f"/proc/{pid}/task").iterdir():
                with contextlib.suppress(OSError):
                    found[str(task)] = int((task / "schedstat").read_text().split()[0])
        return found

    def seconds_since(self, before: dict[str, int]) -> float:
        """Return what was computed since a reading, but for threads that have ended meanwhile."""
        return sum(now - before.get(task, 0) for task, now in self.read().items()) / 1e9

    def pids(self) -> list[int]:
        """List the processes, and all that they have started."""
        found = list(self.roots)
        for pid in found:
            with contextlib.suppress(OSError):
                for task in Path(f"/proc/{pid}/task").iterdir():
                    found += [int(each) for each in (task / "children").read_text().split()]
        return found


class Served:
    """A server that runs, on a port of this machine, and the seconds until its first answer."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, seconds: float) -> None:
        """Take what was started."""
        self.processor = Processor(process.pid)
        self.port, self.seconds = port, seconds

    @property
    def mebibytes(self) -> tuple[float, float]:
        """Return the memory of what serves, and of the worker at its side; what processes share is counted once."""
        found = [0.0, 0.0]
        for pid in self.processor.pids():
            is_worker = b"worker" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            found[is_worker] += next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
        return found[0], found[1]


@contextlib.contextmanager
def tieout(checkout: Path, settings: Mapping[str, str], token: str = "") -> Iterator[Served]:
    """Serve books with the `tieout serve` of a checkout; with a token its first answer is the hub."""
    port = free_port()
    words = [str(checkout / ".venv/bin/tieout"), "serve"]
    own = {"PORT": str(port), "RATE_LIMIT": "1000000", **settings}
    with _running(words, checkout, port, own, HUB if token else "/readyz", token=token) as served:
        yield served


@contextlib.contextmanager
def hello() -> Iterator[Served]:
    """Serve a greeting of plain Flask by plain gunicorn: one worker of eight threads."""
    port = free_port()
    words = [sys.executable, "-m", "gunicorn", "--worker-class", "gthread", "--threads", "8"]
    words += ["--bind", f"127.0.0.1:{port}", "--chdir", str(HERE), "benchmarks.hello:app"]
    with _running(words, HERE, port, {}, "/") as served:
        yield served


def run(checkout: Path, settings: Mapping[str, str], *words: str, given: str = "") -> str:
    """Run a command of a checkout's tieout; return what it printed."""
    done = subprocess.run(  # noqa: S603  (our own words)
        [str(checkout / ".venv/bin/tieout"), *words],
        cwd=checkout,
        env={**os.environ, **settings},
        input=given,
        capture_output=True,
        text=True,
        check=False,
        umask=0o077,
    )
    if done.returncode:
        raise SystemExit(f"tieout {' '.join(words)}: {done.stdout}{done.stderr}"[:2000])
    return done.stdout


@contextlib.contextmanager
def pooled(url: str) -> Iterator[str]:
    """Run PgBouncer in transaction mode in front of a database on a socket; give its address there."""
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        raise SystemExit("This needs PgBouncer: apt-get install pgbouncer")
    direct, port = sa.make_url(url), free_port()
    host = str(direct.query["host"])
    command = [program, "-q", "/dev/stdin"]
    if os.getuid() == 0:
        owner = pwd.getpwuid(Path(host).stat().st_uid).pw_name
        command = ["runuser", "-u", owner, "--", *command]
    with tempfile.NamedTemporaryFile("w+") as configuration:
        # The owner of the server's socket reads it.
        Path(configuration.name).chmod(0o644)
        configuration.write(POOLED.format(host=host, port=port))
        configuration.flush()
        with Path(configuration.name).open() as read:
            process = subprocess.Popen(command, stdin=read, stderr=subprocess.DEVNULL)  # noqa: S603
        _await(process, port)
    try:
        yield sa.URL.create(
            direct.drivername, "postgres", None, "127.0.0.1", port, direct.database
        ).render_as_string()
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


@contextlib.contextmanager
def _running(
    words: Sequence[str], folder: Path, port: int, settings: Mapping[str, str], path: str, *, token: str = ""
) -> Iterator[Served]:
    # Python keeps what it compiled, or each start would compile everything again.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile() as log:
        began = time.monotonic()
        process = subprocess.Popen(  # noqa: S603  (our own words)
            words, cwd=folder, env={**environment, **settings}, stdout=log, stderr=log, umask=0o077
        )
        try:
            if not _answers(process, port, path, token):
                log.seek(0)
                raise SystemExit(f"A server did not start:\n{log.read().decode()[-3000:]}")
            yield Served(process, port, time.monotonic() - began)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_SECONDS)


def _answers(process: subprocess.Popen[bytes], port: int, path: str, token: str) -> bool:
    """Wait for the first answer."""
    client = Client.with_token(port, token) if token else Client(port)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError):
            if client.get(path).status < REFUSED:
                client.close()
                return True
        client.close()
        time.sleep(0.01)
    return False


def _await(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.02)
    raise SystemExit("PgBouncer did not start.")


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
