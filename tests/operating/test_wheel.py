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
from playwright.sync_api import expect

from tests import tree
from tests.operating.newcomers import BOOKS, PASSWORD, Newcomer
from webapp.config import version

pytestmark = pytest.mark.rare
TYPED = {
    "Name of the books": BOOKS["name"],
    "Your name": BOOKS["ownName"],
    "Your email": BOOKS["email"],
    "Password": PASSWORD,
}
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
    assert newcomer.told("--version") == f"tieout {version()}\n"
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


def test_a_browser_starts_the_first_books_by_the_link_of_the_server(newcomer, chromium, faults):
    newcomer.told("migrate")
    with newcomer.served() as address:
        page = chromium.new_page(base_url=address, timezone_id="Asia/Tokyo")
        faults.watch(page, address)
        page.goto("/")
        expect(page.get_by_text("Nobody has books here yet")).to_be_visible()
        page.goto(newcomer.first_link())
        expect(page.get_by_label("Time zone")).to_have_value("Asia/Tokyo")
        for label, typed in TYPED.items():
            page.get_by_label(label, exact=True).fill(typed)
        page.get_by_label("Chart of accounts").select_option("de_skr03")
        page.get_by_role("button", name="Start the books").click()
        expect(page.get_by_role("link", name="Choose a file", exact=True)).to_be_visible()
        expect(page.get_by_text("Every bank account of Lantern Studio is listed here")).to_be_visible()
        page.close()
    assert faults == []
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
