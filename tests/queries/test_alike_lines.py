"""Many lines that are alike, and books beside an open draft: found by reading few as by reading all."""

import random
import sys
from datetime import date
from unittest import mock

import pytest
import sqlalchemy as sa

from tests.fixtures.feeds import line
from webapp.database.sessions import db
from webapp.ledger.matching.duplicates import pair_duplicates
from webapp.ledger.matching.joins import LineReport
from webapp.models import FeedAccount, Reconciliation, Transaction
from webapp.queries.matching import alike_lines, booked_feed_lines
from webapp.queries.reconciliation import book_balances, draft_entries

TEXTS = {
    "one text": lambda _: "Coffee Bar",
    "a few texts": lambda number: ("Coffee Bar", "Rent March", "Bakery")[number % 3],
    "a number in each text": lambda number: f"Card payment no {number}",
    "no word in common": lambda number: "".join(chr(97 + int(digit)) * 3 for digit in f"{number:03}"),
    "no words": lambda number: str(number % 7),
}


@pytest.mark.parametrize("texts", TEXTS)
@pytest.mark.parametrize("amounts", [1, 3])
def test_few_lines_decide_as_all_do(feed, texts, amounts):
    chance = random.Random(f"{texts} {amounts}")  # noqa: S311  (for a test)
    text = TEXTS[texts]
    there = [line(f"A{n}", amount=f"-{n % amounts + 1}.00", description=text(n)) for n in range(60)]
    feed.results(added=chance.sample(there, len(there)))
    new = [
        LineReport(-place, date(2026, 3, 2), -100 * (number % amounts + 1), text(number), None)
        for place, number in enumerate(chance.choices(range(90), k=12), 1)
    ]
    with feed.person.app.app_context():
        account = db.session.get_one(FeedAccount, (feed.person.organization_id, feed.fa_id))
        rows = db.session.scalars(
            sa.select(Transaction.id).where(Transaction.organization_id == account.organization_id)
        )
        every = list(booked_feed_lines.of_rows(account, set(rows)).values())
        found = booked_feed_lines.found(account, new, brought=(), removed=())
    every, few = (sorted(lines, key=_order) for lines in (every, found))
    assert pair_duplicates(new, few, ()) == pair_duplicates(new, every, ())
    assert len(every) == len(there)


def test_of_many_equal_lines_few_are_read(feed):
    feed.results(added=[line(f"A{number}") for number in range(200)])
    new = [LineReport(-1, date(2026, 3, 2), -1250, "Coffee Bar", None)]
    with feed.person.app.app_context():
        account = db.session.get_one(FeedAccount, (feed.person.organization_id, feed.fa_id))
        assert len(booked_feed_lines.found(account, new, brought=(), removed=())) <= alike_lines.FIRST_PAGE


def _order(report):
    return report.day, report.id


@pytest.fixture
def beside_draft(bank):
    def found():
        draft = db.session.scalars(sa.select(Reconciliation).where(Reconciliation.status == "DRAFT")).one()
        ways = [book_balances.of_statements(draft.organization_id, [draft.id])[draft.id]]
        for count in (0, sys.maxsize):
            with mock.patch.object(draft_entries, "_posted_count", return_value=count):
                ways.append(book_balances.of_draft(draft))
        return [
            (
                each.ledger_balance_minor,
                sorted((str(item.booked_on), item.amount_minor) for item in each.outstanding),
            )
            for each in ways
        ]

    return lambda: bank.ask(found)


def test_a_correction_is_outstanding_with_its_entry_when_both_are_voided_after_the_statement(
    ada, feed, beside_draft
):
    feed.push(added=[line()])
    there = feed.one()
    ada.post(f"/api/transactions/{there['id']}/confirm")
    feed.push(modified=[line(amount="-13.00")])
    ada.post(f"/api/transactions/{there['id']}/confirm")
    draft = {"statementDate": "2026-03-20", "statementBalance": "0.00"}
    ada.put(f"/api/reconciliations/accounts/{feed.fa_id}/draft", json=draft)
    void = {"reason": "Wrong", "effectiveAt": "2026-03-25"}
    assert ada.post(f"/api/journal-entries/{there['journalEntryId']}/void", json=void).status_code == 200
    among_all, by_posted, by_open = beside_draft()
    assert among_all == (-1300, [("2026-03-02", -1250), ("2026-03-02", -50)])
    assert by_posted == among_all
    assert by_open == among_all
