"""The wheel: built from what is committed, installed without a network, and served from an empty folder."""

import json
import shutil
import stat
import subprocess
import sys
import venv
from hashlib import sha256
from pathlib import Path

import pytest

from tests import tree
from tests.operating.newcomers import BOOKS, PASSWORD, Newcomer, started

WHEELHOUSE = Path(sys.prefix) / "wheelhouse"
BUILD = "from setuptools import build_meta; print(build_meta.build_wheel('dist'))"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel as `make wheel` does, in a copy of the tree."""
    copy = tmp_path_factory.mktemp("tree")
    for path in tree.files():
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(tree.ROOT / path, copy / path)
    done = subprocess.run([sys.executable, "-c", BUILD], cwd=copy, capture_output=True, text=True, check=True)  # noqa: S603
    return copy / "dist" / done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Install the wheel into an empty environment, each package by its hash and from the wheelhouse alone."""
    assert WHEELHOUSE.is_dir(), (
        f"There are no wheels in {WHEELHOUSE}: run `make .venv/.development`, which puts them there."
    )
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    requirements = environment / "requirements.txt"
    digest = sha256(wheel.read_bytes()).hexdigest()
    lock = (tree.ROOT / "requirements.lock").read_text()
    requirements.write_text(f"{lock}\n{wheel} --hash=sha256:{digest}\n")
    words = ("--no-index", "--find-links", str(WHEELHOUSE), "--require-hashes", "--no-compile", "--quiet")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--isolated", "install"]
    subprocess.run([*pip, *words, "--requirement", str(requirements)], check=True)  # noqa: S603
    return str(environment / "bin" / "tieout")


@pytest.fixture
def newcomer(installed, tmp_path):
    """Begin in an empty folder."""
    return Newcomer((installed,), tmp_path)


def test_only_migrate_makes_the_folder_of_books(newcomer):
    assert newcomer.told("--version") == "tieout 0.1.0\n"
    for words in (
        ("serve",),
        ("check",),
        ("whoami",),
        ("create-organization", "A", "--base-currency", "EUR"),
    ):
        refused = newcomer.run(*words)
        assert refused.returncode > 0
        assert list(newcomer.folder.iterdir()) == [], words
    missing = newcomer.folder / "instance" / "tieout.sqlite"
    assert f"There are no books in {missing} yet. Run: tieout migrate" in newcomer.run("serve").stderr


def test_migrate_and_serve_lead_to_the_hub_of_own_books(newcomer):
    newcomer.told("migrate")
    with newcomer.served() as address:
        link = newcomer.first_link()
        assert "Lantern Studio" in started(address, link)
    assert "Lantern Studio" in newcomer.hub(BOOKS["email"], PASSWORD)
    assert "/start/" not in newcomer.log
    assert newcomer.told("check") == "The books are sound.\n"


def test_the_wheel_serves_the_demo_from_an_empty_folder(newcomer):
    instance = newcomer.folder / "instance"
    newcomer.told("migrate")
    assert stat.S_IMODE(instance.stat().st_mode) == 0o700
    demo = json.loads(newcomer.run("demo", "--json").stdout)
    assert "Northlight" in newcomer.hub(demo["email"], demo["password"])
    assert f"The books are in {instance}" in newcomer.log
    assert list(newcomer.folder.iterdir()) == [instance]
    assert newcomer.told("check") == "The books are sound.\n"
    examples = Path(newcomer.tieout[0]).parents[1] / "share/tieout/examples"
    assert {path.name for path in examples.iterdir()} == {
        path.name for path in (tree.ROOT / "examples").iterdir() if path.is_file()
    }
