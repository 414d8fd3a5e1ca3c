"""A long import says on a terminal how far it is, and never where a program reads."""

import json
import os
import pty
import subprocess
import sys

from tests.api.imports.test_imports import MARCH
from tests.fixtures.bank_files.ofx_statements import bank_file
from tests.tree import ROOT


def test_a_terminal_hears_how_far_an_import_is_and_standard_output_does_not(house, ada, tmp_path):
    path = tmp_path / "march.ofx"
    path.write_bytes(bank_file(*MARCH))
    ours, theirs = pty.openpty()
    ended = subprocess.run(  # noqa: S603  (our own program)
        [
            sys.executable,
            "-m",
            "webapp.cli",
            "import",
            str(path),
            "--organization",
            ada.organization_id,
            "--json",
        ],
        cwd=ROOT,
        env={
            **os.environ,
            "DATABASE_URL": house.settings.database_url,
            "INSTANCE_PATH": str(house.settings.instance_path),
        },
        stdout=subprocess.PIPE,
        stderr=theirs,
        check=True,
    )
    heard = os.read(ours, 65536).decode()
    os.close(ours)
    os.close(theirs)
    assert "march.ofx: reading the file" in heard
    assert "march.ofx: comparing 3 lines with the books" in heard
    assert "march.ofx: writing 3 of 3 lines" in heard
    assert json.loads(ended.stdout)[0]["accounts"][0]["added"] == 3
