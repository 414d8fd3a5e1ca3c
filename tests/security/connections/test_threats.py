"""Each threat that docs/security.md names has its tests, and they are there."""

import ast
import re

from tests.tree import ROOT

TEST = re.compile(r"\[(test_\w+)\]\(\.\./(tests/[\w/]+\.py)\)")


def threats():
    """List the rows of attacks."""
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    section = text.partition("### Threats to these doors")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
    return [line for line in rows if not line.startswith("| **")]


def test_each_threat_names_tests_that_there_are():
    assert len(threats()) >= 25
    for row in threats():
        named = TEST.findall(row)
        assert named, row
        for name, path in named:
            module = ast.parse((ROOT / path).read_text(encoding="utf-8"))
            there = {each.name for each in ast.walk(module) if isinstance(each, ast.FunctionDef)}
            assert name in there, row
