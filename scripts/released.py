"""Keep the demo's books as this release writes them in SQLite: later versions are tested to upgrade from them.

`python -m scripts.released` writes the books of the release that pyproject.toml names, once, and the digests of what no
later change may edit.
"""

import lzma
import os
import tempfile
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pysqlite3
from click.testing import CliRunner

from webapp.cli import main
from webapp.config import version

FOLDER = Path("tests/operating/released")
DIGESTS = FOLDER / "SHA256SUMS"
KEPT = ("tests/operating/released/*.xz", "webapp/migrations/versions/*.py", "webapp/migrations/facts/*.sql")
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


def digests() -> str:
    """Write the digest of each file that a release keeps, as sha256sum does."""
    found = sorted(path for pattern in KEPT for path in Path().glob(pattern))
    return "".join(f"{sha256(path.read_bytes()).hexdigest()}  {path}\n" for path in found)


if __name__ == "__main__":
    os.umask(0o022)
    books = FOLDER / f"{version()}.sqlite.xz"
    if books.exists():
        raise SystemExit(
            f"The books of {version()} are there. A release is made once: give the next one its version."
        )
    write(books)
    DIGESTS.write_text(digests())
