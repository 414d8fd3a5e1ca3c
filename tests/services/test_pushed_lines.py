"""Each kind of pushed line: with its status, what its draft books, and what rules set of it."""

from collections import defaultdict
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from tests.fixtures.feeds import line
from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.models import Account, FeedAccount, JournalEntry, Posting, RuleSetting, Transaction, refers_to
from webapp.schemas.pushes import PushSchema
from webapp.services.feeds import pushes

NOW = datetime(2026, 4, 1, 9, tzinfo=UTC)
STATUSES = sa.select(Transaction.status).order_by(Transaction.id)
LEGS = (
    sa.select(
        Transaction.id,
        Transaction.provider_transaction_id,
        JournalEntry.effective_on,
        Account.name,
        Posting.amount_minor,
        Posting.currency,
        Posting.amount_base_minor,
    )
    .select_from(Posting)
    .join(Account, refers_to(Posting.account_id, Account))
    .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
    .join(Transaction, refers_to(Transaction.journal_entry_id, JournalEntry))
    .where(~Posting.is_bank_leg)
    .order_by(Transaction.id)
)
SETTINGS = sa.select(RuleSetting.transaction_id, RuleSetting.kind).order_by(RuleSetting.id)


@pytest.fixture
def chosen(ada, bank):
    """Rules that choose something of each kind for lines of these texts, and rates for some days."""
    of_kinds = {
        "coffee": {"kind": "SET_ACCOUNT", "accountId": bank.account("Food")},
        "nero": {"kind": "SET_MERCHANT", "orgMerchantId": bank.merchant("Nero")},
        "berlin": {"kind": "SET_PROJECT", "projectId": bank.project("Berlin")},
        "dollars": {"kind": "SET_CURRENCY", "currency": "USD"},
    }
    for text, effect in of_kinds.items():
        conditions = {"conditions": [{"value": text}]}
        body = {"name": f"On {text}", "conditions": conditions, "effects": [effect]}
        assert ada.post("/api/automations/rules", json=body).status_code == 201
    bank.quote("2026-03-02", "USD", "1.25")


def lines(currency):
    asked = [
        ("-12.50", "2026-03-02", "Coffee"),
        ("12.50", "2026-03-02", "Coffee back", "Nero"),
        ("0.00", "2026-03-02", "Nothing"),
        ("-3.00", "2026-02-27", "Locked"),
        ("-4.00", "2026-01-05", "Before the books"),
        ("-5.00", "2026-03-20", "Coffee in Berlin, dollars", "Nero", "no rate of its day"),
        ("-6.00", "2026-03-02", "Coffee in Berlin, dollars", "Nero", "all"),
    ]
    made = [
        line(f"A{number}", amount, day, " ".join(texts), currency=currency)
        for number, (amount, day, *texts) in enumerate(asked)
    ]
    return [*made, line("P1", "-7.00", pending=True, currency=currency)]


IN_EUROS = [
    "A0 2026-03-02 Food 12.50 EUR 12.50 SET_ACCOUNT",
    "A1 2026-03-02 Food -12.50 EUR -12.50 SET_ACCOUNT SET_MERCHANT",
    "A2 2026-03-02 Uncategorised expenses 0.00 EUR 0.00",
    "A3 2026-03-01 Uncategorised expenses 3.00 EUR 3.00",
    "A4 2026-03-01 Uncategorised expenses 4.00 EUR 4.00",
    "A5 2026-03-20 Food 5.00 EUR 5.00 SET_ACCOUNT SET_MERCHANT SET_PROJECT",
    "A6 2026-03-02 Food 7.50 USD 6.00 SET_ACCOUNT SET_MERCHANT SET_PROJECT SET_CURRENCY",
]
IN_DOLLARS = [
    "A0 2026-03-02 Food 12.50 USD 10.00 SET_ACCOUNT",
    "A1 2026-03-02 Food -12.50 USD -10.00 SET_ACCOUNT SET_MERCHANT",
    "A2 2026-03-02 Uncategorised expenses 0.00 USD 0.00",
    "A3 2026-03-01 Uncategorised expenses 3.00 USD none",
    "A4 2026-03-01 Uncategorised expenses 4.00 USD none",
    "A5 2026-03-20 Food 5.00 USD none SET_ACCOUNT SET_MERCHANT SET_PROJECT",
    "A6 2026-03-02 Food 6.00 USD 4.80 SET_ACCOUNT SET_MERCHANT SET_PROJECT",
]


@pytest.mark.parametrize(("currency", "booked"), [("EUR", IN_EUROS), ("USD", IN_DOLLARS)])
@pytest.mark.usefixtures("chosen")
def test_lines_of_each_kind(ada, bank, currency, booked):
    fa_id = bank.open("Giro", currency)
    bank.lock("2026-02-28")
    body = PushSchema().load({"batchId": "one", "added": lines(currency)})

    def pushed():
        feed = db.session.get_one(FeedAccount, (ada.organization_id, fa_id))
        pushes.push(feed, body, actor=ada.actor, now=NOW)
        db.session.commit()
        kinds = defaultdict(list)
        for line_id, kind in db.session.execute(SETTINGS):
            kinds[line_id].append(kind)
        legs = [
            " ".join(
                [
                    *(name, str(day), account, str(Money(minor, its_currency)), its_currency),
                    "none" if base is None else str(Money(base, "EUR")),
                    *kinds[line_id],
                ]
            )
            for line_id, name, day, account, minor, its_currency, base in db.session.execute(LEGS)
        ]
        return legs, db.session.scalars(STATUSES).all()

    assert bank.ask(pushed) == (booked, ["BOOKED"] * len(booked) + ["PENDING"])
