"""`tieout demo`: an organization to look around in, made once, for this machine only."""

import json
import stat

import sqlalchemy as sa

from tests.fixtures.helpers import witnesses
from webapp import create_app
from webapp.config import Settings
from webapp.database.sessions import db
from webapp.exporters.names import account_names
from webapp.models import (
    ActionRequest,
    Document,
    DocumentRelation,
    Organization,
    RuleRun,
    TransferPair,
    User,
)
from webapp.queries.items import items
from webapp.queries.journal import entry_records
from webapp.queries.reconciliation import hub
from webapp.queries.reports import exports
from webapp.queries.tax import returns
from webapp.schemas.bookkeeping.journal_entries import JournalEntrySchema
from webapp.services.access.users import verify_password


def ask(instance, question):
    """Look into the books of an installation."""
    settings = Settings.from_environment({"INSTANCE_PATH": str(instance)})
    with create_app(settings).app_context():
        return question()


def test_it_has_an_account_of_each_status_and_passes_every_check(demo_installation, tmp_path):
    answer, instance = json.loads(demo_installation.told.read_text()), demo_installation.instance
    assert json.loads(demo_installation.run("check", "--json").stdout) == {"ok": True, "violations": []}

    shown = ask(
        instance, lambda: {each.account_name: each for each in hub.accounts(answer["organizationId"])}
    )
    assert {name: each.status for name, each in shown.items()} == {
        "Current account": "needs",
        "Company card": "never",
        "USD account": "needs",
        "Savings account": "reconciled",
    }
    broken = shown["USD account"].broken
    assert broken is not None
    assert broken.off_by.minor
    assert shown["Current account"].draft.difference.minor != 0
    assert shown["Current account"].draft.cleared_count > 0

    counted = {
        what: ask(instance, lambda statement=statement: db.session.scalar(statement))
        for what, statement in {
            "waiting": sa.select(sa.func.count()).where(ActionRequest.status == "PENDING"),
            "documents": sa.select(sa.func.count(Document.id)),
            "attached": sa.select(sa.func.count(DocumentRelation.id)),
        }.items()
    }
    assert counted == {"waiting": 1, "documents": 2, "attached": 1}
    assert ask(instance, lambda: db.session.scalar(sa.select(sa.func.count(TransferPair.id)))) > 0

    runs = ask(instance, lambda: db.session.scalars(sa.select(RuleRun).order_by(RuleRun.id)).all())
    assert {run.trigger for run in runs} == {"MANUAL_APPLY", "TRANSACTION_INGESTED"}
    assert all(run.changed for run in runs)

    assert ask(instance, lambda: taxes_of(answer["organizationId"])) == (3, 0, ["ERROR"], ["D", "G"])

    kept = instance / "demo_sign_in"
    assert kept.read_text() == f"{answer['email']}\n{answer['password']}\n"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    stored = ask(instance, lambda: db.session.scalar(sa.select(User.password_hash)))
    assert verify_password(stored, answer["password"])

    agree(demo_installation, tmp_path, answer["organizationId"])


def taxes_of(organization_id):
    """Count the filed returns and their open items; say how the next one is late, and which boxes came after filing."""
    filed = returns.listed(organization_id, after=None, limit=10).items
    organization = db.session.get_one(Organization, organization_id)
    (late,) = returns.open_return(organization, "generic-vat").record.late
    since = returns.with_later(returns.get(organization_id, filed[0].id)).since_filing
    owed = [
        item
        for each in filed
        for item in items.of_entry(organization_id, each.journal_entry_id)
        if item.settled_minor != item.amount_minor
    ]
    return len(filed), len(owed), [late.late_as], sorted(each.box for each in since)


def agree(installation, tmp_path, organization):
    """Let Beancount and hledger check the whole book, the balances of its proofs among it."""
    ours = ask(installation.instance, lambda: balances(organization))
    for format_, witness in (
        ("beancount", witnesses.of_beancount),
        ("hledger", lambda text: witnesses.of_hledger(text, tmp_path)),
    ):
        written = installation.run("export", format_, "--organization", organization).stdout
        assert written.count("digest: ") > 10
        assert witness(written) == ours


def balances(organization_id):
    """Add up the postings of the demo's entries, as the API says them."""
    schema, after, said = JournalEntrySchema(), None, []
    while True:
        page = entry_records.listed(organization_id, entry_records.EntryFilters(), after=after, limit=200)
        said += schema.dump(page.items, many=True)
        after = page.next_key
        if after is None:
            return witnesses.of_entries(said, account_names(exports.book(organization_id).accounts))


def test_if_empty_leaves_books_alone(installation, tmp_path):
    installation("migrate")
    words = ["create-organization", "Lighthouse", "--base-currency", "EUR", "--email", "eve@example.com"]
    installation(*words)
    result = installation("demo", "--if-empty")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "There are books already" in result.stderr
    assert ask(tmp_path / "instance", lambda: db.session.scalars(sa.select(Organization.name)).all()) == [
        "Lighthouse"
    ]
    assert not (tmp_path / "instance/demo_sign_in").exists()


def test_it_is_refused_where_other_machines_could_sign_in(installation, tmp_path):
    installation("migrate")
    result = installation("demo", HOST="0.0.0.0")  # noqa: S104  (the point of it)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "Unset HOST" in result.stderr
    assert ask(tmp_path / "instance", lambda: db.session.scalar(sa.select(Organization.id))) is None


def test_a_day_that_is_none_is_wrong_use(installation):
    assert installation("demo", "--day", "yesterday").exit_code == 2
