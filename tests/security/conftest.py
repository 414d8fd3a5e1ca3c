"""What the tests of safety share: books full of canaries."""

from base64 import b64encode
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256

import pytest

from tests.fixtures.banks import AT
from tests.security.addresses import SETUP_TOKEN
from webapp.database.sessions import db
from webapp.models import (
    ActionRequest,
    ColumnMapping,
    Document,
    DocumentFile,
    Import,
    InboxFile,
    OwedItem,
    ProjectGroup,
    Reconciliation,
    Rule,
    RuleRun,
    RuleVersion,
    Schedule,
    Settlement,
    Transaction,
    WebhookDelivery,
    WebhookEndpoint,
)
from webapp.services.access import invitations
from webapp.services.storage import stored_files
from webapp.web.access.books import HEADER

CANARY = "CANARY-7f3a"
CANARY_AMOUNT = "77777.31"


@pytest.fixture
def ids(ada, bank, books):
    """Ids of everything in Ada's books, by the names that addresses call them; every text is a canary."""
    return everything(ada, bank)


def everything(ada, bank, mark=CANARY, amount=CANARY_AMOUNT):
    """Fill somebody's books with one of everything, of which each text is the mark, and give the ids."""
    fa_id = bank.open(f"{mark} bank")
    words = {"counterparty": mark, "reference": mark, "iban": mark, "provider_transaction_id": mark}
    posted, drafted = bank.send_many([("2026-03-02", f"-{amount}", mark)] * 2, **words)
    merchant = bank.merchant(mark, website=f"https://{mark}.example")
    project = bank.project(mark)
    account = bank.account(mark, code="C4N4RY")
    ada.patch(f"/api/transactions/{drafted}", json={"orgMerchantId": merchant, "projectId": project})
    act = ada.post(f"/api/transactions/{posted}/confirm", json={"note": mark}).json
    step = {"method": "POST", "path": "/api/merchants", "body": {"name": f"{mark} of a plan"}}
    plan = ada.post("/api/plans", json={"title": mark, "steps": [step]}).json["plan"]
    bank.quote("2026-03-02", "USD", amount)
    more = bank.ask(lambda: rest_of(ada.organization_id, fa_id, account, drafted, mark, amount))
    invitation_id, secret = bank.ask(lambda: newcomer(ada))
    return {
        "transaction_id": drafted,
        "period": "2026-03",
        "code": "lines",
        "own_step_id": ada.post("/api/close-steps", json={"name": mark}).json["closeStep"]["id"],
        "entry_id": act["result"]["journalEntryIds"][0],
        "request_id": act["actionRequestId"],
        "plan_id": plan["id"],
        "fa_id": fa_id,
        "account_id": account,
        "merchant_id": merchant,
        "project_id": project,
        "token_id": ada.token_id,
        "connection_id": connection(ada, mark),
        "user_id": ada.user_id,
        "invitation_id": invitation_id,
        "secret": secret,
        **more,
        **taxes(ada, mark),
        **webhook(ada, bank),
        "exception_id": let_in(ada, mark),
        "owner_id": owner(ada, mark),
        "schedule_id": schedule(ada, account, mark, amount),
        "table_id": moved_in(ada, mark),
        "note_id": explained(ada, mark, amount),
    }


def connection(ada, mark):
    """Make a connection to a bank, which no worker asks."""
    body = {"provider": "simplefin", "name": mark, "setupToken": SETUP_TOKEN}
    return ada.post("/api/feeds/connections", json=body).json["connection"]["id"]


def webhook(ada, bank):
    """Add a webhook, and what was sent to it."""

    def added():
        endpoint = WebhookEndpoint(
            organization_id=ada.organization_id,
            uid="u",
            url="https://hooks.example/",
            types=["*"],
            view="THIN",
            status="ACTIVE",
            after_sequence=0,
            enabled_at=AT,
            created_at=AT,
        )
        db.session.add(endpoint)
        db.session.flush()
        delivery = WebhookDelivery(
            organization_id=ada.organization_id,
            endpoint_id=endpoint.id,
            message_id="msg_1",
            type="transaction.executed",
            body="{}",
            state="DONE",
            attempts=1,
            answer="",
            created_at=AT,
        )
        db.session.add(delivery)
        db.session.flush()
        return {"webhook_id": endpoint.id, "delivery_id": delivery.id}

    return bank.ask(added)


def taxes(ada, mark):
    """Make a tax code and file a return without figures."""
    ada.post("/api/tax/packs/generic-vat/install", json={"from": "2026-01-01"})
    shares = [{"of": "BASE", "factor": "1"}, {"of": "TAX", "factor": "1", "role": "output"}]
    code = {"code": mark, "name": mark, "side": "SALE", "rate": "15", "shares": shares}
    code_id = ada.post("/api/tax/codes", json=code).json["taxCode"]["id"]
    asked = {"form": "generic-vat", "to": "2026-03-31"}
    digest = ada.get("/api/tax/returns/open", query_string=asked).json["taxReturn"]["digest"]
    filed = ada.post("/api/tax/returns", json={**asked, "digest": digest, "reference": mark, "note": mark})
    return {"code_id": code_id, "return_id": filed.json["taxReturn"]["id"]}


def moved_in(ada, mark):
    """Move a chart in."""
    chart = b64encode(f"Name,Type\n{mark} moved in,Asset\n".encode()).decode()
    table = {"fileName": f"{mark}.csv", "content": chart, "kind": "ACCOUNTS"}
    return ada.post("/api/tables", json=table).json["movedTable"]["id"]


def schedule(ada, account_id, mark, amount):
    """Spread an amount over two years to come."""
    accounts = {"accountId": account_id, "counterAccountId": account_id}
    parts = {"kind": "RELEASE", "startsOn": "2036-01-31", "every": "YEAR", "periods": 2, "amount": amount}
    return ada.post("/api/schedules", json={"name": mark, **parts, **accounts}).json["schedule"]["id"]


def let_in(ada, mark):
    """Let the owner date entries on locked days for an hour."""
    until = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    body = {"userId": ada.user_id, "from": "2026-01-01", "until": until, "note": mark}
    headers = {HEADER: ada.organization_id}
    return ada.browser().post("/api/lock-exceptions", json=body, headers=headers).json["exception"]["id"]


def owner(ada, mark):
    """Write an owner with a capital account."""
    capital = ada.post("/api/accounts", json={"name": f"{mark} capital", "type": "EQUITY"}).json["account"][
        "id"
    ]
    body = {"name": mark, "capitalAccountId": capital, "share": "1"}
    return ada.post("/api/owners", json=body).json["owner"]["id"]


def explained(ada, mark, amount):
    """Explain what stands on an account."""
    (proof, *_) = ada.get("/api/balance-proofs?asOf=2026-03-31").json["balanceProofs"]["accounts"]
    note = {
        "accountId": proof["accountId"],
        "asOf": "2026-03-31",
        "kind": "OTHER",
        "amount": amount,
        "text": mark,
    }
    answer = ada.post("/api/balance-proofs/notes", json={**note, "owner": mark, "reversesBy": "2026-04-30"})
    found = answer.json["balanceProofs"]["accounts"]
    return next(each["id"] for account in found for each in account["notes"])


def newcomer(owner):
    invitation, secret = invitations.invite(
        owner.organization_id,
        "newcomer@example.com",
        "viewer",
        name="Newcomer",
        actor=owner.actor,
        now=datetime.now(UTC),
    )
    return invitation.id, secret


def rest_of(organization_id, fa_id, account_id, line_id, mark, amount):
    """Write what no other fixture writes; the line came with the import."""
    stored, facts = kept_file(organization_id, mark)
    rows = {
        "group_id": ProjectGroup(name=mark, emoji=mark, created_at=AT, updated_at=AT),
        "schedule_id": Schedule(
            name=mark,
            kind="RELEASE",
            starts_on=date(2026, 3, 31),
            every="MONTH",
            day_rule="LAST_DAY",
            created_at=AT,
        ),
        "run_id": RuleRun(
            action_request_id="ar_run", trigger="MANUAL_APPLY", rules=[], skipped=[], created_at=AT
        ),
        "rule_id": Rule(
            name=mark,
            description=mark,
            target="TRANSACTION",
            trigger="MANUAL_APPLY",
            conditions={
                "match": "ALL",
                "conditions": [{"field": "ANY_TEXT", "operator": "CONTAINS", "value": mark}],
            },
            effects=[{"kind": "SET_CURRENCY", "currency": "EUR", "sortOrder": 1}],
            created_at=AT,
            updated_at=AT,
        ),
        "version_id": RuleVersion(
            name=mark,
            target="TRANSACTION",
            trigger="MANUAL_APPLY",
            conditions={"match": "ALL", "conditions": []},
            effects=[{"kind": "SET_CURRENCY", "currency": "EUR", "sortOrder": 1}],
            created_at=AT,
        ),
        "import_id": Import(
            file_name=mark,
            format="ofx",
            status="REFUSED",
            error=mark,
            sha256=stored.sha256,
            file_id=stored.id,
            created_at=AT,
        ),
        "settlement_id": Settlement(
            account_id=account_id,
            currency="EUR",
            base_currency="EUR",
            settled_on=AT.date(),
            actor={"kind": "PERSON", "id": 1, "name": mark},
            reason=mark,
            created_at=AT,
        ),
        "item_id": OwedItem(
            id=1,
            account_id=account_id,
            currency="EUR",
            reference=mark,
            amount_minor=0,
            amount_base_minor=0,
        ),
        "mapping_id": ColumnMapping(
            feed_account_id=fa_id,
            layout="0" * 64,
            mapping={"date": mark},
            names=[mark],
            created_at=AT,
            updated_at=AT,
        ),
        "document_id": Document(
            document_type="BILL",
            number=mark,
            sender=mark,
            text=mark,
            **facts,
            created_at=AT,
            updated_at=AT,
        ),
        "reconciliation_id": Reconciliation(
            feed_account_id=fa_id,
            status="DRAFT",
            statement_date=AT.date(),
            statement_balance_minor=int(amount.replace(".", "")),
            currency="EUR",
            opened_at=AT,
            opened_by={"kind": "PERSON", "id": 1, "name": mark},
        ),
    }
    for row in rows.values():
        row.organization_id = organization_id
        if isinstance(row, RuleVersion):
            row.rule_id = rows["rule_id"].id
        db.session.add(row)
        db.session.flush()
    db.session.get(Transaction, (organization_id, line_id)).import_id = rows["import_id"].id
    ids = {name: row.id for name, row in rows.items()}
    _, further = kept_file(organization_id, f"{mark} as pages")
    document_id = ids["document_id"]
    _, waiting = kept_file(organization_id, f"{mark} that waits")
    inbox_file = InboxFile(
        organization_id=organization_id, code="bank_file", question=mark, **waiting, created_at=AT
    )
    db.session.add(inbox_file)
    db.session.flush()
    db.session.add(
        DocumentFile(organization_id=organization_id, document_id=document_id, **further, created_at=AT)
    )
    return {**ids, "digest": further["sha256"], "inbox_file_id": inbox_file.id}


def kept_file(organization_id, text):
    data = text.encode()
    stored = stored_files.keep(organization_id, stored_files.pack(data), f"{text}.txt", "text/plain", now=AT)
    facts = {
        "file_name": f"{text}.txt",
        "file_type": "text/plain",
        "file_size": len(data),
        "sha256": sha256(data).hexdigest(),
    }
    return stored, facts


@pytest.fixture
def refused_acts():
    """Name the tables that grow when an act is refused."""
    return (ActionRequest.__tablename__, "audit_events")
