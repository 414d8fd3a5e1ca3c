"""A release has one version everywhere, is dated when its books are kept, and keeps what it wrote."""

import re
import tomllib
from hashlib import sha256
from pathlib import Path

from tests import tree
from tests.operating.releases import RELEASED
from webapp.config import version

HEADING = re.compile(r"^## (\d+\.\d+\.\d+), (unreleased|\d{4}-\d\d-\d\d)$", re.MULTILINE)


def test_the_version_is_the_same_everywhere():
    written = tomllib.loads(tree.text(Path("pyproject.toml")))["project"]["version"]
    label = re.search(r'image\.version="(.*)"', tree.text(Path("Containerfile")))[1]
    newest, _ = HEADING.findall(tree.text(Path("CHANGELOG.md")))[0]
    assert (written, label, newest) == (version(),) * 3


def test_a_release_is_dated_when_its_books_are_kept():
    headings = HEADING.findall(tree.text(Path("CHANGELOG.md")))
    dated = {number for number, day in headings if day != "unreleased"}
    assert dated == {path.name.removesuffix(".sqlite.xz") for path in RELEASED}
    assert [day for _, day in headings[1:] if day == "unreleased"] == []


def test_what_a_release_keeps_is_never_edited():
    """Books in use have been migrated by these files, and are compared by them."""
    listed = [line.split() for line in (RELEASED[0].parent / "SHA256SUMS").read_text().splitlines()]
    assert {path.name for path in RELEASED} <= {Path(name).name for _, name in listed}
    assert [name for digest, name in listed if sha256(Path(name).read_bytes()).hexdigest() != digest] == []
