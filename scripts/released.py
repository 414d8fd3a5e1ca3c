"""Write the demo's books as this release keeps them in SQLite: later versions are tested to upgrade from them.

Run it once for each release, when its last migration is there: `python -m scripts.released`.
"""

import lzma
import os
import tempfile
from contextlib import closing
from pathlib import Path

import pysqlite3
from click.testing import CliRunner

from webapp.cli import main
from webapp.config import version

FOLDER = Path("tests/operating/released")
DAY = "2026-11-21"


def write(path: Path) -> None:
    """Make the demo's books in a folder of their own, and write them as one packed file."""
    with tempfile.TemporaryDirectory() as folder:
        run = CliRunner(env={"INSTANCE_PATH": folder, "DATABASE_URL": None})
        for words in (("migrate",), ("demo", "--day", DAY)):
            result = run.invoke(main, words, catch_exceptions=False)
            if result.exit_code:
                raise SystemExit(result.output)
        whole = Path(folder) / "whole.sqlite"
        with closing(pysqlite3.connect(f"{folder}/tieout.sqlite")) as books:
            books.execute("VACUUM INTO ?", [str(whole)])
        path.write_bytes(lzma.compress(whole.read_bytes(), preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    os.umask(0o022)
    FOLDER.mkdir(parents=True, exist_ok=True)
    write(FOLDER / f"{version()}.sqlite.xz")
