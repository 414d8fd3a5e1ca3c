"""The page on connecting clients: what it tells to paste can be read by them, and starts what there is."""

import json
import re
import shlex
import tomllib

from click.testing import CliRunner

from tests.tree import ROOT
from webapp.cli import main

PAGE = (ROOT / "examples" / "connecting.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", PAGE, re.DOTALL)


def written_in(language):
    return [text for kind, text in BLOCKS if kind == language]


def test_what_is_pasted_is_what_clients_read():
    over_http, over_lines = (json.loads(text)["mcpServers"]["tieout"] for text in written_in("json"))
    assert over_http["url"].endswith("/mcp")
    assert over_http["headers"]["Authorization"].startswith("Bearer tie_")
    (codex,) = (tomllib.loads(text)["mcp_servers"]["tieout"] for text in written_in("toml"))
    assert codex == over_lines
    (line,) = written_in("")
    words = shlex.split(line)
    assert words[:6] == ["claude", "mcp", "add", "--transport", "http", "tieout"]
    assert words[6:] == [
        over_http["url"],
        "--header",
        f"Authorization: {over_http['headers']['Authorization']}",
    ]


def test_what_a_client_starts_is_there():
    started = json.loads(written_in("json")[1])["mcpServers"]["tieout"]
    assert CliRunner().invoke(main, [*started["args"], "--help"]).exit_code == 0
    assert set(started["env"]) == {"TIEOUT_URL", "TIEOUT_TOKEN"}
