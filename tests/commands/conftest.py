"""Running `tieout`: in the books of a test, or in an installation of its own."""

import os

import pytest
from click.testing import CliRunner

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
        "SECRET_KEY": None,
        "HOST": None,
    }

    def run(*words, **settings):
        return CliRunner(env={**ours, **settings}).invoke(main, words, catch_exceptions=False)

    return run
