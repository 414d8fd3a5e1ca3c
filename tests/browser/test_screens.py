"""Every page in light, in dark and on a phone, on the demo's books: no sideways scroll, and pictures to look at."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial

import pytest
import sqlalchemy as sa

from tests.fixtures.bank_files.camt_files import balance, entry, message, statement
from tests.fixtures.helpers.documents import pdf
from webapp.db import begin_write, db
from webapp.ledger.journal.entries import Leg
from webapp.ledger.money import Money
from webapp.models import (
    Account,
    FeedAccount,
    JournalEntry,
    Membership,
    Organization,
    RuleSetting,
    Transaction,
    User,
)
from webapp.queries.access import organizations
from webapp.services.access import sessions, tokens
from webapp.services.audit.act import Actor
from webapp.services.bookkeeping import entry_previews, manual_entries
from webapp.services.documents import documents
from webapp.services.documents.documents import SentFile
from webapp.services.imports import runs
from webapp.services.imports.uploads import Upload
from webapp.services.rules import rules

PAGES = {
    "hub": "/",
    "workspace-draft": "/feeds/1",
    "workspace-never": "/feeds/2",
    "workspace-reconciled": "/feeds/3",
    "workspace-line": "/feeds/2?show=unconfirmed&line={line}",
    "workspace-likely": "/feeds/2?show=all&line={unset}",
    "workspace-split": "/feeds/2?show=unconfirmed&line={line}&edit=splits",
    "journal": "/journal",
    "entry": "/journal/1",
    "entry-corrected": "/journal/{corrected}",
    "entry-new": "/journal/new",
    "entry-edit": "/journal/{draft}/edit",
    "entry-draft": "/journal/{draft}",
    "proof": "/reconciliations/proofs/1",
    "documents": "/documents",
    "document": "/documents/{document}",
    "import-new": "/imports/new",
    "import": "/imports/1",
    "import-columns": "/imports/{columns}/columns",
    "import-asks": "/imports/{asks}/columns",
    "import-refused": "/imports/{refused}",
    "rules": "/rules",
    "rule-suggestions": "/rules/suggestions",
    "rule-new": "/rules/new",
    "rule": "/rules/2",
    "rule-tried": "/rules/2/preview",
    "rule-versions": "/rules/1/versions",
    "rule-runs": "/rules/runs",
    "rule-run": "/rules/runs/3",
    "rule-undo": "/rules/runs/2/undo",
    "workspace-why": "/feeds/2?show=all&line={set}&edit=why",
    "workspace-why-not": "/feeds/2?show=unconfirmed&line={unset}&edit=why",
    "approvals": "/proposals",
    "approval": "/proposals?id={proposal}",
    "approval-breaks": "/proposals?id={breaking}",
    "approvals-decided": "/proposals?show=decided",
    "chart": "/accounts",
    "register": "/accounts/{account}/register",
    "merchants": "/merchants",
    "projects": "/projects",
    "activity": "/activity",
    "keys": "/settings/keys",
    "key": "/settings/keys/{key}",
    "members": "/settings/members",
    "organization": "/settings/organization",
    "exchange-rates": "/settings/exchange-rates",
    "financial-year": "/settings/financial-year",
    "lock-date": "/settings/lock-date",
    "sign-in": "/settings/sign-in",
    "transfers": "/transfers",
    "trial-balance": "/reports/trial-balance",
    "profit-and-loss": "/reports/profit-and-loss?from=2026-10-01&to=2026-10-31",
    "balance-sheet": "/reports/balance-sheet",
    "general-ledger": "/reports/general-ledger",
    "start": "/start",
}
# On these the short run looks for what a phone would scroll sideways.
WIDEST = (
    "workspace-split",
    "entry-edit",
    "import-columns",
    "approval-breaks",
    "trial-balance",
    "general-ledger",
)


@dataclass
class Mara:
    """The owner of the demo's books, a line of hers that waits to be confirmed, one that a rule set, and entries."""

    secret: str
    line: int
    set: int
    unset: int
    account: int
    draft: int
    corrected: int
    columns: int
    asks: int
    refused: int
    document: int
    key: int
    proposal: str = ""
    breaking: str = ""

    def cookie(self):
        return self.secret


# A table that reads, one file that asks, and one with a row that does not read.
FILES = {
    "columns": b"Buchungstag;Partnername;Verwendungszweck;Betrag (EUR);Saldo\n"
    + b"".join(
        b"%02d.10.2026;Hetzner Online;Rechnung 08842%02d;-38,56;%d,44\n" % (day, day, 2000 - 39 * day)
        for day in range(1, 16)
    ),
    "asks": b"!Type:Bank\nD03/04/2026\nT-2.50\nPCoffee\n^\nD04/04/2026\nT-7.00\nPBread\n^\n",
    "refused": b"Date;Text;Amount\n2026-10-02;Coffee;-2.50\n2026-10-03;Rent;12.3x4\n",
}


@pytest.fixture
def mara(app, demo_books):
    with app.app_context():
        now = datetime.now(UTC)
        begin_write()
        owner = db.session.scalars(sa.select(User)).one()
        books = db.session.scalars(sa.select(Organization)).one()
        secret = sessions.open_session(owner.id, now=now)
        newest = sa.select(sa.func.max(Transaction.id)).where(
            Transaction.feed_account_id == 2, Transaction.status == "BOOKED"
        )
        marker = sa.select(sa.func.max(JournalEntry.corrects_id)).where(JournalEntry.status == "DRAFT")
        actor = Actor(books.id, "PERSON", owner.id, owner.name, owner.id)
        draft = write_draft(actor, now)
        found = Mara(
            secret,
            line=db.session.scalar(newest),
            set=db.session.scalar(sa.select(sa.func.max(RuleSetting.transaction_id))),
            unset=db.session.scalar(
                newest.where(Transaction.id.not_in(sa.select(RuleSetting.transaction_id)))
            ),
            account=db.session.get_one(FeedAccount, 1).account_id,
            draft=draft,
            corrected=db.session.scalar(marker),
            **previewed(app, actor, now),
            document=file_bills(actor, now),
            key=make_key(actor, now),
        )
        token = agent_of(books.id, owner.id, actor, now)
        db.session.commit()
    found.breaking, found.proposal = proposed(app, token, found)
    return found


def make_key(actor, now):
    """Make an agent's key with caps; answers its id."""
    owner = organizations.membership(actor.organization_id, actor.user_id)
    caps = tokens.Caps(max_entries_a_day=20, max_amount_a_day_minor=5_000_00)
    scopes = ["read", "draft", "confirm", "propose"]
    return tokens.create(owner, actor=actor, now=now, name="Month-end agent", scopes=scopes, caps=caps)[0].id


def agent_of(organization_id, user_id, actor, now):
    """Make a key that proposes; answers its text."""
    membership = db.session.get_one(Membership, (organization_id, user_id))
    scopes = ("read", "propose")
    return tokens.create(membership, actor=actor, now=now, name="Month-end agent", scopes=scopes)[1]


def proposed(app, token, found):
    """Propose to void an entry of a proof, and more; answers the first two."""
    posted = "/api/transactions?faId=1&entryStatus=POSTED&limit=1"
    ask = partial(app.test_client(use_cookies=False).open, headers={"Authorization": f"Bearer {token}"})
    line = ask(posted).json["transactions"][0]["id"]
    accounts = ask("/api/accounts?limit=200").json["accounts"]
    expense = [each["id"] for each in accounts if each["type"] == "EXPENSE"]
    reason = "Same amount, day and merchant as another entry. I take it for a duplicate."
    calls = [
        ("POST", "/api/journal-entries/1/void", {"reason": reason}),
        ("PATCH", f"/api/transactions/{line}", {"accountId": expense[0]}),
        ("POST", f"/api/transactions/{found.line}/confirm", {}),
        ("POST", "/api/merchants", {"name": "Northlight Cafe"}),
        ("PATCH", f"/api/accounts/{expense[-1]}", {"name": "Another name for this account", "emoji": "🧾"}),
    ]
    answers = [ask(path, method=method, json=body) for method, path, body in calls]
    assert [answer.status_code for answer in answers] == [202] * len(calls), [each.json for each in answers]
    return [answer.json["actionRequest"]["id"] for answer in answers[:2]]


def previewed(app, actor, now):
    """Choose the files on the page; answer their imports' ids."""
    db.session.commit()
    folder = app.config["SETTINGS"].instance_path / "previews"
    found = {}
    for name, data in FILES.items():
        imported = runs.preview(Upload(f"{name}.csv", data), folder, actor=actor, now=now)
        found[name] = imported.id
        db.session.commit()
    return found


def file_bills(actor, now):
    """File a receipt without a file, and the bill of a line that is in the books; a rule says where bills go."""
    line = db.session.scalars(
        sa.select(Transaction).where(
            Transaction.organization_id == actor.organization_id, Transaction.counterparty.is_not(None)
        )
    ).first()
    hosting = db.session.scalar(
        sa.select(Account.id).where(
            Account.organization_id == actor.organization_id, Account.type == "EXPENSE"
        )
    )
    rules.create(
        name="Bills of a kind",
        target="RECEIPT",
        trigger="RECEIPT_PARSED",
        conditions={"match": "ALL", "conditions": []},
        effects=[{"kind": "SET_ACCOUNT", "accountId": hosting, "sortOrder": 0}],
        description=None,
        priority=100,
        stop_processing=False,
        actor=actor,
        now=now,
    )
    documents.create({"document_type": "RECEIPT", "sender": "Café Nero"}, None, actor=actor, now=now)
    said = {
        "document_type": "BILL",
        "number": "2026-118",
        "sender": line.counterparty,
        "issued_on": line.booked_on,
        "total": abs(line.amount.decimal),
        "currency": line.currency,
        "text": "As agreed, for the month",
    }
    bill = documents.create(said, SentFile("Bill 118.pdf", pdf("118")), actor=actor, now=now)
    return bill.id


def write_draft(actor, now):
    """Write a draft in two currencies, with a rest."""
    roles = sa.select(Account.role, Account.id).where(Account.organization_id == actor.organization_id)
    ids = dict(db.session.execute(roles).all())
    legs = [
        {"account_id": ids["uncategorised_expenses"], "amount": "100.01", "currency": "USD"},
        {"account_id": ids["uncategorised_expenses"], "amount": "5.00", "currency": "EUR"},
    ]
    organization = organizations.get(actor.organization_id)
    said = [
        Leg(leg["account_id"], Money.of(leg["amount"], leg["currency"]).minor, leg["currency"])
        for leg in legs
    ]
    rest = entry_previews.rest(organization, said, "EUR", date(2026, 11, 20))
    other = {"account_id": ids["opening_balances"], "amount": str(rest + Money(1, "EUR")), "currency": "EUR"}
    facts = {"effective_at": date(2026, 11, 20), "description": "Two currencies", "postings": [*legs, other]}
    return manual_entries.create(**facts, actor=actor, now=now).id


def month(opening, closing, *days):
    stated = balance("OPBD", opening, days[0]), balance("CLBD", closing, on=days[-1])
    lines = [entry(booked=day, reference=day) for day in days]
    pending = entry("7.00", booked=days[-1], reference="P", status="PDNG")
    return message(statement(stated[0], *lines, pending, stated[1]))


def look_at(page, data):
    """Choose a file; answers the address of its preview."""
    page.goto("/imports/new")
    file = {"name": "studio.xml", "mimeType": "text/xml", "buffer": data}
    page.set_input_files("input[type=file]", file)
    page.wait_for_url(re.compile(r"/imports/\d+$"))
    return page.url


def look_at_a_mismatch(page):
    """Import a month, and look at the next one, which neither goes on from it nor adds up."""
    look_at(page, month("100.00", "87.50", "2026-09-30"))
    page.click(".foot button.accent")
    page.get_by_text("1 line was added").wait_for()
    return look_at(page, month("90.00", "58.00", "2026-10-02", "2026-10-30"))


def test_every_page_is_shown_in_light_in_dark_and_on_a_phone(browse, mara, modes, picture, rounds):
    shown = rounds({name: PAGES[name] for name in WIDEST}, PAGES)
    addresses = {**shown, "import-mismatch": look_at_a_mismatch(browse(mara))}
    sideways = []
    for mode, options in modes.items():
        page = browse(mara, **options)
        for name, address in addresses.items():
            answer = page.goto(address.format(**vars(mara)))
            assert answer.status == 200, address
            picture(page, f"{name}-{mode}")
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                sideways.append(f"{name}-{mode}")
        visitor = browse(**options)
        visitor.goto("/sign-in")
        picture(visitor, f"sign-in-{mode}")
    assert not sideways
