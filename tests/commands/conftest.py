"""Running `tieout`: in the books of a test, or in an installation of its own."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from tests.tree import ROOT
from webapp.cli import main


@pytest.fixture(autouse=True)
def _umask():
    """A command closes its files to everybody else; the test process goes on as before."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def command(app):
    """Run a command in the books of the test, on both databases; answers its result."""

    def run(*words, typed=""):
        with app.app_context():
            return CliRunner().invoke(main, words, input=typed, catch_exceptions=False)

    return run


@pytest.fixture
def installation(tmp_path):
    """Run a command as an operator does, with settings from the environment only; answers its result."""
    ours = {
        "INSTANCE_PATH": str(tmp_path / "instance"),
        "DATABASE_URL": None,
        "HOST": None,
    }

    def run(*words, **settings):
        return CliRunner(env={**ours, **settings}).invoke(main, words, catch_exceptions=False)

    return run


@pytest.fixture
def restored(tmp_path):
    """Run a command in books of their own, as an operator does; answers its result."""

    def run(*words, database_url=None, folder="restored"):
        ours = {"INSTANCE_PATH": str(tmp_path / folder), "DATABASE_URL": database_url}
        if database_url is None:
            return CliRunner(env=ours).invoke(main, words, catch_exceptions=False)
        # A server's connections end with the process that opened them.
        done = subprocess.run(  # noqa: S603  (our own words)
            [sys.executable, "-m", "webapp.cli", *words],
            cwd=ROOT,
            env={**os.environ, **{name: value for name, value in ours.items() if value}},
            capture_output=True,
            text=True,
            check=False,
        )
        return SimpleNamespace(
            exit_code=done.returncode,
            stdout=done.stdout,
            stderr=done.stderr,
            output=f"{done.stdout}{done.stderr}",
        )

    return run
