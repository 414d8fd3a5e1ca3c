"""What the documents claim names the test that holds it: promises, threats, and the requirements of ASVS 5."""

import re
from itertools import pairwise

from tests import tree

PAGE, PROMISES, THREATS = (
    tree.ROOT / name for name in ("docs/security.md", "docs/promises.md", "SECURITY.md")
)
# Needs no test: it is not there, it is the operator's, or the page says that it is not met.
UNTESTED = re.compile(r"\*\*not met\*\*|\*\*partly met\*\*|there are none|the operator's|does not ask for it")
LINT, NONE = "`make lint`", "\N{EN DASH}"
HEAD = ["Requirement", "How", "Test"]
# A further table of a chapter, of which a row without more than bold words says what the rows after it are of.
ATTACKS = ["Attack", "What stands against it", "Test"]


def chapters():
    for part in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        title, _, rest = part.partition("\n")
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in rest.splitlines()]
        rows = [row for row in cells if len(row) == len(HEAD) and not row[0].startswith("---")]
        yield title, [row for row in rows if row != ATTACKS and not is_of_a_group(row)]


def is_of_a_group(row):
    return bool(re.fullmatch(r"\*\*[^*]+\*\*", row[0])) and row[1:] == ["", ""]


def named_in(cell):
    for link in re.findall(r"\]\((?:\.\./)?(tests/[^)#]+)\)", cell):
        path = tree.ROOT / link
        yield from path.rglob("test_*.py") if path.is_dir() else [path]


def test_every_chapter_of_the_standard_is_there_and_says_what_holds_it():
    found = list(chapters())
    assert [title.split()[0] for title, _ in found] == [f"V{number}" for number in range(1, 18)]
    for title, rows in found:
        assert (not rows and title in {"V10 OAuth and OIDC", "V17 WebRTC"}) or rows[0] == HEAD, title
        for asked, held, _ in rows[1:]:
            assert asked, title
            assert held, asked


def test_every_row_names_a_test_or_says_why_there_is_none():
    for _, rows in chapters():
        for asked, held, test in rows[1:]:
            named = list(named_in(test))
            assert named or LINT in test or (test == NONE and UNTESTED.search(held)), asked
            assert all(re.search(r"^def test_", path.read_text(), re.MULTILINE) for path in named), asked


def rows_of(page):
    """Read the rows of a page's tables, without their heads."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return [line for line, after in pairwise(lines) if line.startswith("| ") and not after.startswith("|---")]


def test_every_promise_names_a_test_that_there_is():
    for row in rows_of(PROMISES):
        name, link = re.search(r"\| \[(\w+)\]\(\.\./(\S+)\) \|$", row).groups()
        assert f"def {name}(" in (tree.ROOT / link).read_text(), row


def test_every_threat_names_tests_that_there_are():
    for row in rows_of(THREATS):
        named = list(named_in(row))
        assert named, row
        assert all(re.search(r"^def test_", path.read_text(), re.MULTILINE) for path in named), row
