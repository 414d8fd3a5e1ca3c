"""The books beside an open draft, found by its open lines or by what was posted, are those found among all lines."""

import sys
from unittest import mock

import pytest
import sqlalchemy as sa

from tests.fixtures.feeds import line
from webapp.database.sessions import db
from webapp.models import Reconciliation
from webapp.queries.reconciliation import book_balances, draft_entries


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
