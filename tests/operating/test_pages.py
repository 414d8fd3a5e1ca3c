"""The pages for operators: each command that they show is there, with its options."""

import re
import shlex
from pathlib import Path

import click
import pytest

from tests.tree import ROOT
from webapp.cli import main

PAGES = sorted((ROOT / "docs" / "operating").iterdir())
FENCED = re.compile(r"^```\n(.*?)^```", re.MULTILINE | re.DOTALL)
# In a sentence the words behind a command may be a path or a name of the reader's.
NAMED = re.compile(r"`(?:\.venv/bin/)?tieout ([^`]+)`")
SHOWN = re.compile(r"(?:^|\.venv/bin/|tieout )tieout ([a-z][^#\n]*)", re.MULTILINE)
OPTION = re.compile(r"--[a-z-]+")


def commands(page: Path) -> list[str]:
    text = page.read_text(encoding="utf-8")
    shown = [found for block in FENCED.findall(text) for found in SHOWN.findall(block)]
    return [each for each in [*NAMED.findall(text), *shown] if not each.startswith("COMMAND")]


def test_there_are_the_four_pages_of_an_operator():
    assert [page.name for page in PAGES] == ["configure.md", "install.md", "operate.md", "recover.md"]
    assert sum(len(commands(page)) for page in PAGES) > 40


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_command_on_a_page_is_there_with_its_options(page):
    for text in commands(page):
        words = [word for part in shlex.split(text.replace("\n", " ")) for word in part.split("\\|")]
        command: click.Command = main
        while words and isinstance(command, click.Group) and not words[0].startswith("-"):
            name = words.pop(0).rstrip(",")
            assert name in command.commands, text
            command = command.commands[name]
        known = {option for each in command.params for option in (*each.opts, *each.secondary_opts)}
        assert set(OPTION.findall(" ".join(words))) <= known | {"--help", "--version"}, text
