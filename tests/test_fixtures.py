"""A detector counts once it has been seen to fail; and a fresh database is fresh."""

import socket
import struct
from urllib.parse import urlsplit

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.book_texts import lines
from tests.fixtures.helpers.marks import on_sqlite

RESET_AT_ONCE = struct.pack("ii", 1, 0)


@pytest.mark.operates
def test_too_many_statements_fail(session, at_most):
    def ask_twice():
        with at_most(1):
            session.execute(sa.text("SELECT 1"))
            session.execute(sa.text("SELECT 2"))

    with pytest.raises(AssertionError, match="2 statements, at most 1"):
        ask_twice()


@on_sqlite
def test_rows_that_nobody_asked_to_be_ordered_come_backwards(session, people):
    ids = [row.id for row in session.execute(sa.text("SELECT * FROM users"))]
    assert ids == sorted(ids, reverse=True)
    assert len(ids) == 4


@pytest.mark.parametrize("turn", [1, 2])
def test_every_test_finds_the_books_as_they_were(books, turn):
    assert books.balances() == []
    books.post("""
        account Bank ASSET
        account Sales INCOME

        2026-01-05 A sale
            Bank     100.00 EUR
            Sales

        2026-01-06 ! Perhaps another
            Bank     100.00 EUR
            Sales
    """)
    assert books.balances() == lines("""
        Bank     100.00 EUR
        Sales   -100.00 EUR
    """)
    assert books.entries() == lines("""
        2026-01-05 POSTED A sale
            Bank     100.00 EUR
            Sales   -100.00 EUR
        2026-01-06 DRAFT Perhaps another
            Bank     100.00 EUR
            Sales   -100.00 EUR
    """)


def test_a_foreign_entry_is_mirrored_at_the_rate_of_its_day(books, session):
    books.post("""
        account Dollars ASSET USD
        account Sales INCOME
        price 2026-01-05 USD 1.0825

        2026-01-06 A sale abroad
            Dollars  100.00 USD
            Sales
    """)
    mirrors = session.scalars(sa.text("SELECT amount_base_minor FROM postings ORDER BY position")).all()
    assert mirrors == [9238, -9238]


def test_the_four_people_are_who_they_are(people):
    studio = {people[name].organization_id for name in ("ada", "ben", "cleo")}
    assert len(studio) == 1
    assert people["dan"].organization_id not in studio


def test_a_browser_that_leaves_in_the_middle_of_a_file_leaves_none_open(live_server):
    at = urlsplit(live_server)
    for _ in range(20):
        with socket.create_connection((at.hostname, at.port)) as browser:
            browser.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_AT_ONCE)
            browser.sendall(f"GET /static/favicon.svg HTTP/1.1\r\nHost: {at.netloc}\r\n\r\n".encode())
            assert browser.recv(12) == b"HTTP/1.1 200"
