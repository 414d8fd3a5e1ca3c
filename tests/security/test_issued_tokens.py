"""Tokens are recognisable, unguessable, and written down nowhere (P41)."""

import re
import zlib
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from webapp.cli import main
from webapp.database.sessions import Base, db
from webapp.models import Membership
from webapp.services.access import tokens

TOKEN = re.compile(r"tie_(?P<body>(?P<random>[0-9A-Za-z]{43})[0-9a-z]{20})(?P<checksum>[0-9A-Za-z]{6})")
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
BITS = 256
ADDRESSES = (
    "/api/projects",
    "/api/no-such-place",
    "/no-such-place",
    "/settings/keys",
    "/api/transactions?limit=x",
)


def number_of(digits):
    value = 0
    for digit in digits:
        value = value * len(DIGITS) + DIGITS.index(digit)
    return value


@pytest.fixture
def issued(ada, bank, rounds):
    def make():
        membership = db.session.get_one(Membership, (ada.organization_id, ada.user_id))
        now = datetime.now(UTC)
        return [
            tokens.create(membership, actor=ada.actor, now=now, name="One of many", scopes=["read"])[1]
            for _ in range(rounds(100, 1000))
        ]

    return bank.ask(make)


@pytest.mark.rare
def test_a_thousand_tokens_are_recognisable_unguessable_and_written_nowhere(
    app, house, ada, issued, figure, monkeypatch, capsys, tmp_path, database_kind
):
    bodies = [number_of(TOKEN.fullmatch(text)["random"]) for text in issued]
    for text in issued:
        found = TOKEN.fullmatch(text)
        assert number_of(found["checksum"]) == zlib.crc32(found["body"].encode())
    assert len(set(bodies)) == len(issued)
    assert all(body < 2**BITS for body in bodies)
    # Each bit is set in about half of them: of 256 coins, none falls so far off in a lifetime.
    deviation = 7 * (len(issued) ** 0.5) / 2
    for bit in range(BITS):
        assert abs(sum(body >> bit & 1 for body in bodies) - len(issued) / 2) < deviation, bit

    told = told_to(app, issued, monkeypatch)
    said = capsys.readouterr()
    backup = tmp_path / "books.zip"
    with app.app_context():
        assert CliRunner().invoke(main, ["backup", str(backup)]).exit_code == 0
    kept = b"".join(
        [*stored(house, database_kind), *unpacked(backup), said.out.encode(), said.err.encode(), told]
    )
    assert b"One of many" in kept
    hits = [text for text in issued if text[12:].encode() in kept]
    assert hits == []
    figure(
        "P41",
        f"{len(issued)} of {len(issued)} tokens valid, {BITS} bits each, {len(hits)} found in {len(kept):,} bytes",
    )


def told_to(app, issued, monkeypatch):
    """Ask with each token, well and badly, also where the answer breaks down; answers all that was said."""

    def break_down(*_args, **_kwargs):
        raise RuntimeError(issued[:20])

    told = []
    monkeypatch.setattr("webapp.queries.accounts.projects.listed_groups", break_down)
    for number, text in enumerate(issued):
        path = (*ADDRESSES, "/api/projects/groups")[number % 6]
        for header in (f"Bearer {text}", f"Basic {text}", f"Bearer {text}{text}"):
            answer = app.test_client().get(path, headers={"Authorization": header})
            told.append(f"{answer.headers}{answer.text}")
        answer = app.test_client().get(f"/api/projects?access_token={text}")
        told.append(f"{answer.headers}{answer.text}")
    return "".join(told).encode()


def stored(house, database_kind):
    """Read what the database has on disk, the file and its journals; of a server, every row of every table."""
    if database_kind == "sqlite":
        path = Path(house.settings.database_url.removeprefix("sqlite:///"))
        return [each.read_bytes() for each in path.parent.glob("books.sqlite*")]
    with house.app.app_context():
        rows = [db.session.execute(sa.select(table)).all() for table in Base.metadata.sorted_tables]
        db.session.rollback()
    return [repr(rows).encode()]


def unpacked(backup):
    import zipfile  # noqa: PLC0415

    with zipfile.ZipFile(backup) as archive:
        return [archive.read(name) for name in archive.namelist()]


def test_the_page_shows_a_token_once(ada):
    browser = ada.browser()
    made = browser.post("/settings/keys", data={"name": "Shown once", "preset": "look"})
    text = TOKEN.search(made.text)[0]
    assert made.text.count(text) == 1
    assert made.headers["Cache-Control"] == "no-store"
    for path in ("/settings/keys", "/settings/keys", "/activity", "/settings/keys/" + newest(browser)):
        assert text[12:] not in browser.get(path).text
    again = browser.post("/settings/keys", data={"name": "Shown once", "preset": "look"})
    assert text[12:] not in again.text


def newest(browser):
    return max(re.findall(r"/settings/keys/(\d+)/revoke", browser.get("/settings/keys").text), key=int)
