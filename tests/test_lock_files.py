"""What is installed is pinned by hash, and the files that pin it name no address."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests import tree

PROJECT = tomllib.loads((tree.ROOT / "pyproject.toml").read_text())
RUNTIME = PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["build"]
DEVELOPMENT = RUNTIME + PROJECT["dependency-groups"]["dev"]


def pins(name: str) -> dict[str, str]:
    """Package -> version of a requirements file."""
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", (tree.ROOT / name).read_text(), re.MULTILINE))


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_file_is_all_hashes_and_no_address(name):
    lock = (tree.ROOT / name).read_text()
    assert "://" not in lock
    assert not re.search(
        r"^\s*-", re.sub(r"^\s*--hash=sha256:[0-9a-f]{64}", "", lock, flags=re.MULTILINE), re.MULTILINE
    )
    blocks = re.split(r"\n(?=\S)", lock.strip())
    assert all("--hash=sha256:" in block for block in blocks)


@pytest.mark.parametrize(
    ("name", "wanted"), [("requirements.lock", RUNTIME), ("requirements-dev.lock", DEVELOPMENT)]
)
def test_a_lock_file_pins_what_the_project_asks_for(name, wanted):
    pinned = pins(name)
    for requirement in map(Requirement, wanted):
        assert Version(pinned[requirement.name]) in requirement.specifier


def test_both_lock_files_pin_the_same_versions():
    assert pins("requirements.lock").items() <= pins("requirements-dev.lock").items()


def test_the_readme_says_why_each_dependency_is_there():
    readme = (tree.ROOT / "README.md").read_text()
    unexplained = [name for text in RUNTIME if f"`{(name := Requirement(text).name)}`" not in readme]
    assert not unexplained
