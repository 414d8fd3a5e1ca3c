"""The pages for operators: each command that they show is there with its options, and runs as it is written."""

import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest

from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.tree import ROOT
from webapp.cli import main

PAGES = sorted((ROOT / "docs" / "operating").iterdir())
FENCED = re.compile(r"^```\n(.*?)^```", re.MULTILINE | re.DOTALL)
# In a sentence the words behind a command may be a path or a name of the reader's.
NAMED = re.compile(r"`(?:\.venv/bin/)?tieout ([^`]+)`")
SHOWN = re.compile(r"(?:^|\.venv/bin/|tieout )tieout ([a-z][^#\n]*)", re.MULTILINE)
OPTION = re.compile(r"--[a-z-]+")
# Whoever stays until a signal ends it, or needs more than books and a folder: the test that runs it.
ELSEWHERE = {
    "serve": "operating/test_wheel.py",
    "migrate": "operating/test_wheel.py",
    "upgrade": "operating/test_upgrade.py",
    "health": "operating/test_containers.py",
    "doctor": "operating/test_doctor.py",
    "watch": "commands/imports/test_watch.py",
    "worker": "misbehaving/test_killed_worker.py",
    "mcp": "commands/test_mcp.py",
    "demo": "commands/test_demo.py",
    "push": "commands/test_push.py",
    "vault": "services/test_vault.py",
    "feeds": "api/feeds/test_bank_connections.py",
    "fetch-rates": "commands/test_rates.py",
    "oauth-client": "commands/test_oauth_clients.py",
    "verify-proof": "commands/test_verify_proof.py",
    "distribute": "distribution/test_needs.py",
    "make": "operating/test_wheel.py",
    "python3": "operating/test_wheel.py",
    "docker": "operating/test_containers.py",
    "systemctl": "operating/test_units.py",
    **dict.fromkeys(("createuser", "createdb", "psql"), "commands/test_database_roles.py"),
}
# What the reader adds to a command that a sentence or the table names.
ADDED = {
    "create-organization NAME": "--base-currency EUR --email ada@example.com",
    "create-token": "--organization ID --email ada@example.com --name Scripts",
    "tokens list": "--organization ID",
    "tokens revoke TOKEN": "--organization ID",
    "set-password": "--email ada@example.com --password-stdin",
    "import FILE": "--organization ID",
    "drop-folder DIR": "--organization ID",
    "delete-old-files": "--organization ID",
    "revalue --as-of DAY": "--organization ID",
    **dict.fromkeys(("export beancount", "export hledger", "export csv"), "--organization ID"),
}

# As sentences and the table name them, with one word for each of the reader's.
IN_SENTENCES = [
    *("create-organization NAME", "organizations", "create-token", "tokens list", "set-password", "whoami"),
    *("import FILE", "drop-folder DIR", "watch DIR --organization ID --once", "delete-old-files"),
    *("delete-old-files --organization ID --yes", "revalue --as-of DAY", "backup copy.zip", "check"),
    *("export beancount", "export hledger", "export csv", "tokens revoke TOKEN"),
]


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
            command = command.get_command(None, name)
            assert command is not None, text
        known = {option for each in command.params for option in (*each.opts, *each.secondary_opts)}
        assert set(OPTION.findall(" ".join(words))) <= known | {"--help", "--version"}, text


def shown_lines() -> list[str]:
    """List the commands of the examples, less settings before them and what stands behind a #."""
    blocks = [block for page in PAGES for block in FENCED.findall(page.read_text(encoding="utf-8"))]
    lines = [line for block in blocks if not block.startswith("server {") for line in block.splitlines()]
    bare = [re.sub(r"^(?:[A-Z_]+=\S+ )+|\s+#.*", "", line).removeprefix(".venv/bin/") for line in lines]
    return [line for line in bare if re.match(r"[a-z]", line)]


def test_each_command_on_the_pages_runs(command, restored, ada, tmp_path, monkeypatch):
    """As the reader types it, with the reader's ids and folders; what stays or needs more, another test runs."""
    monkeypatch.chdir(tmp_path)
    for folder in ("DIR", "backups", "units"):
        Path(folder).mkdir(mode=0o700)
    Path("FILE").write_bytes(bank_file(Line("2026-03-02", "5.00")))
    Path("packaging").symlink_to(ROOT / "packaging")
    here = {"3f…": ada.organization_id, "ID": ada.organization_id, "TOKEN": str(ada.token_id)}
    here |= {"/srv/scans": "DIR", "/srv/backups": "backups", "DAY": "2026-03-31"}
    ran = set()
    for text in [*shown_lines(), *(f"tieout {each}" for each in IN_SENTENCES)]:
        program, *words = shlex.split(text)
        name = words[0] if program == "tieout" else program
        if name in ELSEWHERE and "--once" not in words:
            continue
        if program != "tieout":
            subprocess.run(text.replace("/etc/systemd/system", "units"), shell=True, check=True)  # noqa: S602
            continue
        words = [here.get(word, word) for word in [*words, *ADDED.get(" ".join(words), "").split()]]
        done = restored(*words) if name == "restore" else command(*words, typed="a long enough phrase")
        assert done.exit_code == 0, (text, done.output)
        ran.add(name)
    named = {text.split()[0] for page in PAGES for text in commands(page) if text[0] != "-"}
    assert named - ran <= ELSEWHERE.keys()
    for name in named - ran:
        assert f'"{name}"' in (ROOT / "tests" / ELSEWHERE[name]).read_text(encoding="utf-8")
    assert len(list(Path("units").iterdir())) == len(list(Path("packaging").iterdir()))
