"""What a person types finds a text by any part of it, without case, whatever the letters."""

import pytest
import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.queries.common import feed_currencies
from webapp.queries.common.search import contains
from webapp.queries.transactions import line_filters, tab_counts, workspaces
from webapp.queries.transactions.line_filters import WorkspaceFilters

TEXTS = (
    "REWE Markt 17",
    "Straße 50%_off",
    "CAFÉ MÖWE",
    "Café Möwe",
    "İSTANBUL KEBAP",
    "i\u0307stanbul",
    "ΑΘΗΝΑ",
    "東京 ホテル",
    "back\\slash",
    "",
)
TYPED = (
    "rewe",
    "KT 1",
    "0%_O",
    "%",
    "_",
    "möwe",
    "É MÖ",
    "m_we",
    "stanbul",
    "İstanbul",
    "i\u0307s",
    "αθή",
    "αθη",
    "京 ホ",
    "K\\S",
    "ß",
)


def test_a_part_of_a_text_is_found_without_case(bank, database_kind):
    # PostgreSQL has one letter for another in lower case, and so no word for the Turkish capital.
    pairs = [
        (text, typed)
        for text in TEXTS
        for typed in TYPED
        if database_kind == "sqlite" or "İ" not in text + typed
    ]

    def found():
        return [
            pair for pair in pairs if db.session.scalar(sa.select(contains(sa.literal(pair[0]), pair[1])))
        ]

    assert bank.ask(found) == [(text, typed) for text, typed in pairs if typed.lower() in text.lower()]


@pytest.mark.parametrize("few", [0, 500])
def test_a_search_lists_and_counts_the_same_by_ids_and_by_text(ben, bank, monkeypatch, few):
    monkeypatch.setattr(line_filters, "FEW", few)
    ids = bank.send_many([("2026-03-02", f"-{n}.00", f"Möwe {n}") for n in range(1, 6)])
    ben.post(f"/api/transactions/{ids[2]}/confirm")

    def asked(typed):
        filters = line_filters.searched(
            ben.organization_id, bank.fa_id, WorkspaceFilters("unconfirmed", q=typed)
        )
        listed = workspaces.lines(
            ben.organization_id,
            bank.fa_id,
            filters,
            None,
            feed_currencies.of_books(ben.organization_id),
            current_id=None,
            after=None,
            limit=50,
        )
        counts = tab_counts.counted(ben.organization_id, bank.fa_id, filters, None)
        return [line.description for line in listed.items], counts["unconfirmed"], counts["all"]

    assert bank.ask(lambda: asked("MÖWE")) == (["Möwe 5", "Möwe 4", "Möwe 2", "Möwe 1"], 4, 5)
    assert bank.ask(lambda: asked("möwe 3")) == ([], 0, 1)
    assert bank.ask(lambda: asked("Adler")) == ([], 0, 0)
