"""What SQLite needs: safe pragmas on every connection, and WAL only where the library does not damage it."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy.dialects.sqlite.base import SQLiteCompiler

from webapp.config import UnsafeSettingError

# Older ones have the WAL-reset bug: https://sqlite.org/wal.html
FIRST_SAFE_WAL_VERSION: Final = (3, 51, 3)
PATIENCE_MILLISECONDS: Final = 5000
# For commands, which read or write whole books in one transaction: with the usual 2 MiB most pages are read again and
# again. In KiB; only what is read takes memory.
LARGE_CACHE: Final = "PRAGMA cache_size=-262144"
_PRAGMAS: Final = (
    "synchronous=FULL",
    "foreign_keys=ON",
    "recursive_triggers=ON",
    "trusted_schema=OFF",
    "cell_size_check=ON",
)


class Compiler(SQLiteCompiler):
    """Write the hints of a statement, which SQLAlchemy leaves out for SQLite.

    `INDEXED BY` names the only index that may be used: https://sqlite.org/lang_indexedby.html
    """

    def get_from_hint_text(self, _table: Any, text: str | None) -> str | None:
        """Write a hint behind its table."""
        return text


def prepare(connection: Any) -> None:
    """Run the pragmas; raises UnsafeSettingError where an affected library finds the books kept in WAL mode."""
    connection.execute(f"PRAGMA busy_timeout={PATIENCE_MILLISECONDS}")
    version = connection.execute("SELECT sqlite_version()").fetchone()[0]
    if _is_safe(version):
        connection.execute("PRAGMA journal_mode=WAL")
    elif not _leaves_wal(connection):
        raise UnsafeSettingError(
            f"SQLite {version} can damage books in WAL mode, and another program keeps them in it. "
            "Stop that program, or bring this one up to date: .ci/environment requirements.lock"
        )
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _is_safe(version: str) -> bool:
    return tuple(map(int, version.split("."))) >= FIRST_SAFE_WAL_VERSION


def _leaves_wal(connection: Any) -> bool:
    """Leave WAL mode, and return whether that was possible: not while another program has the books open in it."""
    import pysqlite3  # noqa: PLC0415  (needed for SQLite only)

    try:
        (mode,) = connection.execute("PRAGMA journal_mode=DELETE").fetchone()
    except pysqlite3.OperationalError:
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    return bool(mode != "wal")
