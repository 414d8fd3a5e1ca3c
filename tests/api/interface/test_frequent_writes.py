"""What programs write again and again: how much each write asks of the database."""

from __future__ import annotations

import pytest

from webapp.db import db
from webapp.tenancy import has_nodes

# Who asks, the line with all that it consists of, the proofs that are touched, what the key posted today, the entry,
# the act, the end of the chain and the event.
CONFIRM = 8


@pytest.fixture
def extra(bank):
    """What is asked besides: PostgreSQL locks the books, and on nodes the caps of a key are asked for alone."""

    def asked():
        is_locking = db.engine.dialect.name == "postgresql"
        return int(is_locking) + int(has_nodes(db.session()))

    return bank.ask(asked)


def test_confirming_a_line_asks_little(ada, bank, statements, extra):
    lines = bank.send_many([(f"2026-03-0{day}", f"-{day}.50", f"Shop {day}") for day in range(1, 4)])
    ada.post(f"/api/transactions/{lines[0]}/confirm")
    for line in lines[1:]:
        with statements() as seen:
            assert ada.post(f"/api/transactions/{line}/confirm").json["changed"]
        assert len(seen) <= CONFIRM + extra, "\n".join(seen)
