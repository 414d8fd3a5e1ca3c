"""Replicas in a test: hot standbys of the server that the tests started."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import sqlalchemy as sa

from tests.fixtures.stores import PostgresqlServer

BINARIES = sa.text("SELECT setting FROM pg_config() WHERE name = 'BINDIR'")


def binaries_of(store: PostgresqlServer) -> Path:
    """Give the folder of a server's programs."""
    with sa.create_engine(store.url("template"), poolclass=sa.NullPool).connect() as connection:
        return Path(connection.scalar(BINARIES))


def wait_until(is_so: Callable[[], object], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


class Standby:
    """A hot standby of a server, in a folder of its own beside it."""

    def __init__(self, binaries: Path, primary: Path, folder: Path) -> None:
        self._binaries, self._owner = binaries, pwd.getpwuid(primary.stat().st_uid).pw_name
        self.data = folder
        self._run(
            "pg_basebackup",
            "-h",
            str(primary),
            "-U",
            "postgres",
            "-D",
            str(folder),
            "-R",
            "-c",
            "fast",
            "--no-sync",
        )
        # The copy of a lock of the primary's socket.
        for path in folder.glob(".s.PGSQL.*"):
            path.unlink()
        self.start()

    def start(self) -> None:
        options = f"-h '' -k {self.data} -c hot_standby=on -c fsync=off -c max_connections=300"
        self._run("pg_ctl", "-D", str(self.data), "-l", f"{self.data}/log", "-o", options, "-w", "start")

    def stop(self) -> None:
        """End it at once, as a machine does that loses its power."""
        self._run("pg_ctl", "-D", str(self.data), "-m", "immediate", "-w", "stop")

    def promote(self) -> None:
        """Let it take writes, as the primary that it follows did."""
        self.tell("SELECT pg_promote()")

    def remove(self) -> None:
        """End it where it runs, and delete what it has."""
        if (self.data / "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self.data)

    def tell(self, statement: str) -> None:
        """Tell the server something, past the application."""
        with psycopg.connect(
            host=str(self.data), user="postgres", dbname="postgres", autocommit=True
        ) as connection:
            connection.execute(statement)

    def _run(self, program: str, *words: str) -> None:
        command = [str(self._binaries / program), *words]
        if os.getuid() == 0:
            command = ["runuser", "-u", self._owner, "--", *command]
        # A server that starts keeps what it is given to write to open, so it is no pipe.
        with tempfile.TemporaryFile() as said:
            if subprocess.run(command, check=False, stdout=said, stderr=said, cwd="/").returncode:  # noqa: S603
                said.seek(0)
                raise RuntimeError(said.read().decode())
