"""The watched accounts: each open item is listed with its age, and nothing else (P7)."""

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.transfers import line, open_items
from webapp.database.sessions import db
from webapp.models import JournalEntry
from webapp.queries.access.organizations import get
from webapp.services.audit.act import Actor
from webapp.services.transactions import lifecycle, transfers

NOW = datetime(2026, 4, 1, 9, tzinfo=UTC)


@pytest.mark.usefixtures("sound")
def test_exactly_what_does_not_clear_is_listed(ben, bank, giro, savings, rounds, figure):
    pairs, open_count = rounds(20, 2475), rounds(5, 50)
    days = [f"2026-03-{1 + number % 28:02d}" for number in range(pairs + open_count)]
    bank.fa_id = giro
    out = bank.send_many([(day, f"-{number + 1}.00", "Out") for number, day in enumerate(days)])
    bank.fa_id = savings
    into = bank.send_many([(day, f"{number + 1}.00", "In") for number, day in enumerate(days[:pairs])])
    transfers_id = bank.role("transfers")
    for each in (out[-1], *out[pairs:-1]):
        ben.patch(f"/api/transactions/{each}", json={"accountId": transfers_id})

    def settle():
        actor = Actor(ben.organization_id, "PERSON", ben.user_id, ben.name, user_id=ben.user_id)
        assert get(ben.organization_id)
        done = transfers.pair_unambiguous(actor=actor, now=NOW)
        assert len(done) == pairs
        ids = [*out, *into]
        for start in range(0, len(ids), lifecycle.MOST_LINES):
            part = ids[start : start + lifecycle.MOST_LINES]
            lifecycle.bulk_confirm(ben.organization_id, part, actor=actor, now=NOW)

    bank.ask(settle)
    found = [each["transactionId"] for each in open_items(ben)]
    figure("P7", f"{open_count} of {len(out) + len(into)} lines do not clear: {len(found)} listed")
    assert sorted(found) == sorted(out[pairs:])
    watched = ben.get("/api/reconciliations/accounts").json["watched"]
    assert [each["openItems"] for each in watched if each["accountId"] == transfers_id] == [open_count]


def test_an_item_has_its_age_and_goes_when_a_correction_moves_it(ben, bank, books):
    paid = bank.send("2026-03-02", "-12.00", "A shop")
    ben.post(f"/api/transactions/{paid}/confirm")
    [item] = open_items(ben)
    assert (item["accountName"], item["amount"], item["journalEntryId"]) == (
        "Uncategorised expenses",
        "12.00",
        line(ben, paid)["journalEntryId"],
    )
    assert item["ageDays"] == (datetime.now(UTC).date() - datetime(2026, 3, 2, tzinfo=UTC).date()).days
    ben.patch(f"/api/transactions/{paid}", json={"accountId": books.account_id("Travel")})
    assert len(open_items(ben)) == 1
    ben.post(f"/api/transactions/{paid}/confirm")
    assert open_items(ben) == []
    assert bank.ask(lambda: db.session.scalar(sa.select(sa.func.count(JournalEntry.id)))) == 2
