"""What stands beside an open draft while somebody works on it."""

import pytest

from webapp.queries.accounts import feed_accounts
from webapp.queries.reconciliation import panels


@pytest.fixture
def panel(ben, bank):
    def of_account():
        found = panels.panel(feed_accounts.get(ben.organization_id, bank.fa_id))
        return found and {name: getattr(found, name) for name in panels.Panel.__dataclass_fields__}

    return lambda: bank.ask(of_account)


def test_without_a_draft_there_is_none(bank, panel):
    bank.open()
    assert panel() is None


def test_it_counts_what_is_cleared_and_says_what_is_missing(bank, books, desk, panel):
    lines = bank.send_many(
        [
            ("2026-09-20", "-5.00", "Before"),
            ("2026-10-02", "100.00", "In"),
            ("2026-10-03", "-40.00", "Out"),
            ("2026-10-04", "-7.00", "Also out"),
            ("2026-11-02", "-1.00", "After"),
        ]
    )
    (entry,) = books.post(
        """
        2026-10-20 Cash paid in
            Main account    2.00 EUR
            Petty cash     -2.00 EUR
        """
    )
    desk.confirm(lines[1])
    desk.put("2026-10-31", "1053.00", keepAsNew=True, openingBalance="1000.00", openingDate="2026-09-30")
    desk.clear(cleared=lines[1:3])
    found = panel()
    (other,) = found.pop("other_items")
    assert (other.journal_entry_id, str(other.amount), other.cleared) == (entry, "2.00", False)
    suggestion = found.pop("suggestion")
    assert [line.id for line in suggestion.lines] == [lines[3]]
    assert str(suggestion.sum) == "-7.00"
    assert {key: str(value) for key, value in found.items()} == {
        "opening_on": "2026-09-30",
        "in_count": "1",
        "in_sum": "100.00",
        "out_count": "1",
        "out_sum": "-40.00",
        "item_count": "4",
        "cleared_count": "2",
        "unconfirmed_count": "1",
        "set_aside_count": "1",
        "books_differ": "0.00",
        "is_ready": "False",
        "warnings": "[]",
        "stated_opening": "None",
    }
    desk.confirm(*lines[2:4])
    desk.clear(cleared=[lines[3]])
    assert panel()["is_ready"] is True
