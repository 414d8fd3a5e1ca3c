"""The units of systemd are valid, and leave little open."""

import subprocess

import pytest

from tests.tree import ROOT

UNITS = sorted((ROOT / "packaging").iterdir())
# What is left is the network and what docs/operating/install.md names; systemd calls this "OK" up to 4.9.
MOST_EXPOSED = 1.5


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_a_unit_is_valid_and_closed(unit, tmp_path):
    program = tmp_path / "tieout"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for each in UNITS:
        (tmp_path / each.name).write_text(each.read_text().replace("/opt/tieout/bin/tieout", str(program)))
    copy = str(tmp_path / unit.name)
    verified = analyzed("verify", "--man=no", copy)
    assert (verified.returncode, verified.stderr) == (0, "")
    if unit.suffix == ".service":
        exposed = analyzed(
            "security", "--offline=true", f"--threshold={MOST_EXPOSED * 10:.0f}", "--no-pager", copy
        )
        assert exposed.returncode == 0, exposed.stdout[-400:]


def analyzed(*words):
    return subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, check=False)  # noqa: S603, S607
