"""Markdown files: their links and paths lead somewhere, and each is as short as what it is for."""

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests import tree

OURS = ("webapp", "tests", "scripts", "docs", "examples", "benchmarks", ".ci")
FILES = [str(path) for path in tree.files()]
FOLDERS = {str(folder) for path in tree.files() for folder in path.parents}
PAGES = [path for path in tree.files() if path.suffix == ".md"]
DECISIONS = [path for path in PAGES if path.parent == Path("docs/decisions")]
SUBJECTS = Path("docs/decisions/README.md")
FOR_USERS = [path for path in PAGES if path.parent == Path() or path.parts[0] in {"docs", "examples"}]
GENERATED = {Path("docs/entities.md"), Path("docs/permissions.md"), Path("THIRD_PARTY.md")}
# Words that join two sentences into one.
STACKED = r"\b(?:whoever|of which|of whom|beside|as such|is asked of)\b"
PICTURES = [path for path in tree.files() if path.parent == Path("docs/pictures")]


def links(page):
    """The local files that a page links to, relative to the top."""
    found = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", tree.text(page))
    return {(tree.ROOT / page.parent / link).resolve() for link in found if "://" not in link}


def paths(page):
    """What a page names in backticks that is a file or a folder of ours; `<noun>` stands for any name."""
    for named in re.findall(r"`([^`\s]+)`", tree.text(page)):
        if named.startswith(OURS) and "/" in named:
            yield re.sub(r"<\w+>", "*", named).rstrip("/")
        elif named.endswith((".py", ".html", ".txt")) and "/" not in named:
            yield f"*/{named}"


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_link_leads_to_a_file(page):
    assert not [str(link) for link in links(page) if not link.exists()]


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "README.md"])
def test_a_path_that_is_named_is_there(page):
    named = list(paths(Path(page)))
    assert named
    assert not [path for path in named if not any(fnmatch(each, path) for each in (*FILES, *FOLDERS))]


def test_the_readme_is_short_and_shows_two_light_pictures():
    readme = tree.text(Path("README.md"))
    assert readme.count("\n") <= 150
    assert {f"docs/pictures/{path.name}" for path in PICTURES} == set(re.findall(r"!\[.*\]\((.*)\)", readme))
    assert len(PICTURES) == 2
    assert sum((tree.ROOT / path).stat().st_size for path in PICTURES) <= 200_000


def test_a_release_takes_at_most_60_lines_of_the_changelog():
    releases = tree.text(Path("CHANGELOG.md")).split("\n## ")[1:]
    assert releases
    assert not [release for release in releases if release.count("\n") > 60 or len(release) > 8_000]


def test_decisions_are_few_and_all_listed():
    assert sum((tree.ROOT / path).stat().st_size for path in DECISIONS) <= 60_000
    listed = set(re.findall(r"\((\S+\.md)\)", tree.text(SUBJECTS)))
    assert listed == {path.name for path in DECISIONS} - {SUBJECTS.name}


def test_the_map_names_every_room():
    rooms = {path.parts[1] for path in tree.modules("webapp") if len(path.parts) > 2}
    named = set(re.findall(r"\bwebapp/(\w+)", tree.text(Path("CONTRIBUTING.md"))))
    assert not rooms - named


@pytest.mark.parametrize("page", sorted({*FOR_USERS} - GENERATED), ids=str)
def test_a_page_is_written_in_plain_english(page):
    assert not re.findall(STACKED, tree.text(page), re.IGNORECASE)
