"""Confirming many lines in one act: with few statements for each, and with what each would come to by itself."""

import re
from datetime import UTC, datetime
from functools import partial

import sqlalchemy as sa

from tests.fixtures.helpers.documents import filed
from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.transfers import confirm, send
from webapp.database.sessions import db
from webapp.database.tenancy import has_nodes
from webapp.models import AuditEvent, FeedAccount, Reconciliation
from webapp.queries.transactions import transactions
from webapp.services.audit.results import attempt
from webapp.services.storage import savepoints
from webapp.services.transactions import lifecycle

NOW = datetime(2026, 4, 1, 9, tzinfo=UTC)
ACT_ID = re.compile(r"ar_\w+")
# What an event bound has the id of its act.
DIGEST = re.compile(r'"rows":{"count":(\d+),"digest":"\w+"}')


def test_a_further_line_of_an_act_takes_fifteen_statements(ada, bank, statements):
    """Five that look whether it may be posted, its accounts' names, its documents, and eight that write.

    These are what its key posted today, its entry, its act, the head of the chain, the entry and its legs as they are
    now, what is bound of them, and its event.
    """
    accounts = [bank.account(f"Expense {number}") for number in range(30)]
    lines = bank.send_many([("2026-03-02", "-1.00", f"Line {number}") for number in range(40)])
    for line, account in zip(lines, accounts, strict=False):
        ada.patch(f"/api/transactions/{line}", json={"accountId": account})

    def count(ids):
        with statements() as seen:
            results = ada.post("/api/transactions/confirm", json={"ids": ids}).json["results"]
        assert {each["status"] for each in results} == {"EXECUTED"}
        return len(seen)

    few, many = count(lines[:10]), count(lines[10:])
    # Where there are nodes, what a key posted today is counted by a question of its own.
    assert many - few <= 20 * (16 if bank.ask(lambda: has_nodes(db.session())) else 15)


def begin_books(organization_id, fa_id, day):
    feed = db.session.get_one(FeedAccount, (organization_id, fa_id))
    db.session.add(
        Reconciliation(
            organization_id=feed.organization_id,
            feed_account_id=fa_id,
            status="COMPLETED",
            statement_date=day,
            statement_balance_minor=0,
            currency="EUR",
            keep_as_new=True,
            opening_date=day,
            opening_balance_minor=0,
            opened_at=NOW,
            opened_by={},
            frozen="{}",
            digest="0" * 64,
            left_open={},
            completed_at=NOW,
            completed_by={},
        )
    )


def every_kind_of_line(ada, bank, giro, savings):
    """Send lines that confirming treats differently, and give their ids."""
    plain = send(bank, giro, "2026-03-02", "-1.00")
    paired = [send(bank, giro, "2026-03-03", "-500.00"), send(bank, savings, "2026-03-03", "500.00")]
    other = {"transactionId": paired[1]}
    assert ada.post(f"/api/transactions/{paired[0]}/join", json=other).status_code == 200
    documented = send(bank, giro, "2026-03-04", "-4.00", "Has a bill")
    bill = filed(ada, documentType="BILL", number="1")["id"]
    ada.post(f"/api/documents/{bill}/relations", json={"transactionId": documented})
    archived, fussy = bank.account("Gone"), bank.account("Guests", requires_counterparty=True)
    refused = [
        send(bank, giro, "2026-03-05", "-5.00", name) for name in ("archived", "no merchant", "pending")
    ]
    for line, account in zip(refused, (archived, fussy), strict=False):
        ada.patch(f"/api/transactions/{line}", json={"accountId": account})
    ada.patch(f"/api/accounts/{archived}", json={"isArchived": True})
    bank.set_state(refused[2], "PENDING")
    corrected = send(bank, giro, "2026-03-06", "-6.00", "Corrected")
    confirm(ada, corrected)
    ada.patch(f"/api/transactions/{corrected}", json={"accountId": bank.account("Better")})
    early = send(bank, bank.open("Young"), "2026-02-01", "-7.00", "Before the books begin")
    bank.ask(lambda: begin_books(ada.organization_id, bank.fa_id, NOW.date().replace(month=2, day=28)))
    return [plain, *paired, documented, *refused, corrected, early, plain, 10**15, plain + 10**6]


@on_sqlite  # where ids that were taken back are given again
def test_it_comes_to_what_its_lines_come_to_one_by_one(ada, bank, giro, savings):
    ids = every_kind_of_line(ada, bank, giro, savings)

    def done(confirm_all):
        with savepoints.trial():
            last = db.session.scalar(sa.select(sa.func.max(AuditEvent.sequence)))
            results = confirm_all()
            events = db.session.scalars(
                sa.select(AuditEvent.body).where(AuditEvent.sequence > last).order_by(AuditEvent.sequence)
            )
            written = "\n".join([*map(repr, results), *events])
        acts = dict.fromkeys(ACT_ID.findall(written))
        named = ACT_ID.sub(lambda act: f"act {list(acts).index(act[0])}", written)
        return DIGEST.sub(r"\1 rows", named)

    def confirm_alone(line_id):
        line = transactions.get(ada.organization_id, line_id)
        return lifecycle.confirm(line, actor=ada.actor, now=NOW)

    def one_by_one():
        return [attempt(each, partial(confirm_alone, each)) for each in ids]

    def together():
        return lifecycle.bulk_confirm(ada.organization_id, ids, actor=ada.actor, now=NOW)

    alone, in_one = bank.ask(lambda: (done(one_by_one), done(together)))
    assert in_one == alone
    codes = re.findall(r"code='(\w+)'", in_one)
    assert codes == [
        "archived",
        "counterparty_required",
        "pending",
        "before_opening",
        "not_found",
        "not_found",
    ]
