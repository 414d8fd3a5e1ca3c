"""`tieout migrate` and `tieout serve`: settings from the environment, hints where something is not ready."""

import json
import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tree import ROOT
from webapp.commands import demo
from webapp.commands.demo import SignIn
from webapp.commands.serving import greeting
from webapp.config import Settings


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_migrate_makes_the_instance_and_speaks_on_standard_error(installation, tmp_path):
    result = installation("migrate")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "The books are at revision" in result.stderr
    instance = tmp_path / "instance"
    assert (mode(instance), mode(instance / "tieout.sqlite")) == (0o700, 0o600)


def test_migrate_twice_changes_nothing(installation):
    assert installation("migrate").stderr == installation("migrate").stderr


@pytest.mark.parametrize(
    "words", [["serve"], ["check"], ["demo"], ["set-password", "--email", "a@b.c", "--password-stdin"]]
)
def test_without_books_a_command_says_how_to_make_them(installation, words):
    result = installation(*words)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "Run: tieout migrate" in result.stderr


def test_a_setting_may_stand_in_a_file(installation, tmp_path):
    (tmp_path / "url").write_text(f"sqlite:///{tmp_path}/elsewhere.sqlite\n")
    files = {"DATABASE_URL_FILE": str(tmp_path / "url")}
    assert installation("migrate", **files).exit_code == 0
    assert (tmp_path / "elsewhere.sqlite").exists()
    assert json.loads(installation("check", "--json", **files).stdout)["ok"]


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"DATABASE_URL_FILE": "/nowhere"}, "DATABASE_URL_FILE names a file that cannot be read"),
        ({"PORT": "http"}, "PORT is 'http'"),
        ({"DATABASE_URL": "mysql://books"}, "DATABASE_URL must begin with"),
        ({"TRUSTED_HOSTS": "*"}, "TRUSTED_HOSTS"),
        ({"FLASK_DEBUG": "1"}, "FLASK_DEBUG is on"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_an_unsafe_setting_stops_the_start_with_a_hint(installation, setting, said):
    result = installation("serve", **setting)
    assert (result.exit_code, result.stdout) == (1, "")
    assert said in result.stderr


def test_an_unknown_command_is_wrong_use(installation):
    assert installation("balance").exit_code == 2


def test_flask_knows_the_same_commands(tmp_path):
    environment = {**os.environ, "INSTANCE_PATH": str(tmp_path / "instance"), "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "flask", "--app", "wsgi", "check", "--json"]
    result = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)  # noqa: S603  (our own words)
    assert (result.returncode, result.stdout) == (1, "")
    assert "Run: tieout migrate" in result.stderr


@pytest.fixture
def settings(tmp_path):
    """Settings of an installation, with another host where one is given."""

    def made(host: str = "127.0.0.1") -> Settings:
        return Settings("sqlite:///books", Path(tmp_path), host=host)

    return made


def test_who_serves_is_told_where_and_how_to_sign_in_to_the_demo(settings, tmp_path):
    demo.keep(tmp_path, SignIn("mara@northlight.example", "four words"))
    assert greeting(settings()).splitlines() == [
        "Tieout serves http://127.0.0.1:8000",
        f"The books are in {tmp_path}",
        "The demo: sign in as mara@northlight.example with four words",
    ]
    assert greeting(settings("::1")).startswith("Tieout serves http://[::1]:8000\n")


def test_the_demo_is_not_named_to_other_machines_nor_where_there_is_none(settings, tmp_path):
    assert len(greeting(settings()).splitlines()) == 2
    demo.keep(tmp_path, SignIn("mara@northlight.example", "four words"))
    told = greeting(settings("0.0.0.0"))  # noqa: S104  (the point of it)
    assert "mara" not in told
    assert len(told.splitlines()) == 3  # and that nobody can sign in from there


@pytest.mark.parametrize(
    ("facts", "address"),
    [
        ({}, "http://127.0.0.1:8000"),
        ({"host": "0.0.0.0"}, "http://127.0.0.1:8000"),  # noqa: S104  (the point of it)
        ({"host": "::"}, "http://[::1]:8000"),
        ({"proxy_hops": 1, "trusted_hosts": ("localhost", "books.example.org")}, "https://books.example.org"),
        ({"proxy_hops": 1}, "http://127.0.0.1:8000"),
        ({"public_url": "https://tieout.example.org"}, "https://tieout.example.org"),
    ],
    ids=str,
)
def test_the_link_of_the_first_books_names_where_a_browser_finds_them(settings, facts, address):
    told = greeting(replace(settings(), **facts), "secret").splitlines()[-1]
    assert told == f"Nobody has books here yet. Start them, once, at {address}/start/secret"
