"""A few new lines are written row by row, and many staged and copied: what is written is the same."""

import re
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from tests.fixtures.feeds import line
from tests.fixtures.helpers.marks import on_sqlite
from webapp.database.sessions import db
from webapp.models import FeedAccount, FeedLine, JournalEntry, Posting, RuleSetting, Transaction
from webapp.models.base import table_of
from webapp.schemas.pushes import PushSchema
from webapp.services.feeds import pushes
from webapp.services.ingestion import few_lines
from webapp.services.storage import savepoints

NOW = datetime(2026, 4, 1, 9, tzinfo=UTC)
WRITTEN = (Transaction, JournalEntry, Posting, FeedLine, RuleSetting)
WORDS = "SELECT rowid FROM line_words WHERE line_words MATCH 'coffee' ORDER BY rowid"
ACT_ID = re.compile(r"ar_\w+")


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
    """Lines of each kind: in, out, of nothing, in a locked period, before the books, waiting, with all choices."""
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


@on_sqlite  # where ids that were taken back are given again
@pytest.mark.parametrize("currency", ["EUR", "USD"])
@pytest.mark.usefixtures("chosen")
def test_few_lines_are_written_as_many_are(ada, bank, monkeypatch, currency):
    fa_id = bank.open("Giro", currency)
    bank.lock("2026-02-28")
    opening_day = datetime(2026, 1, 10, tzinfo=UTC).date()
    found = few_lines.new_lines._facts  # noqa: SLF001  (a proof with the opening would refuse the days above)
    monkeypatch.setattr(
        few_lines.new_lines, "_facts", lambda row: found(row)._replace(opening_day=opening_day)
    )
    body = PushSchema().load({"batchId": "one", "added": lines(currency)})

    def written(most):
        monkeypatch.setattr(few_lines, "MOST", most)
        with savepoints.trial():
            feed = db.session.get_one(FeedAccount, (ada.organization_id, fa_id))
            answer = pushes.push(feed, body, actor=ada.actor, now=NOW)
            rows = [repr(row) for each in WRITTEN for row in db.session.execute(sa.select(table_of(each)))]
            words = db.session.execute(sa.text(WORDS)).all()
        return ACT_ID.sub("act", repr((answer, sorted(rows), words)))

    one_by_one, staged = bank.ask(lambda: (written(len(body["added"])), written(0)))
    assert one_by_one == staged
    assert staged.count("SET_ASIDE") == 1
    assert all(kind in staged for kind in ("SET_ACCOUNT", "SET_MERCHANT", "SET_PROJECT"))
    assert ("SET_CURRENCY" in staged) == (currency == "EUR")
