"""The files of this repository, as the tests of the project's style read them."""

import ast
import functools
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
# What no page says to people: names and ids of the API, and words that bookkeepers do not use for a thing.
UNPLAIN = re.compile(
    r"\b(?-i:[a-z]+(?:[A-Z][a-z]+)*(?:Id|Ids|At)|ar_\w+)\b"
    r"|\((?:faId|ar_|(?:document|import|item|line|proof)s? )[^)]*\d\)"
    r"|(?<![\w-])(?:merchants?|feeds?|feed account|cleared|uncleared|unclear(?= )|legs?|scopes?"
    r"|ties out|tie out yet|in force|what became of|proof holds|no longer holds?|would be posted as such"
    r"|all the same|abandon(?:ed)?|set aside|whoever|of which|of whom|beside|at nil|present password)\b",
    re.IGNORECASE,
)


@functools.cache
def files() -> tuple[Path, ...]:
    """Every file that is committed or about to be, relative to the top."""
    # Whoever runs the tests may be another user than the one who owns the folder.
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return tuple(path for name in listing.split("\0") if name and (ROOT / (path := Path(name))).is_file())


def modules(folder: str) -> tuple[Path, ...]:
    """The Python modules below a folder, migrations apart: those are Alembic's."""
    return tuple(
        path
        for path in files()
        if path.suffix == ".py" and path.parts[0] == folder and "migrations" not in path.parts
    )


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), filename=str(path))


def text(path: Path) -> str | None:
    try:
        return (ROOT / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None
