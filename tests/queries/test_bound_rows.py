"""`tieout check` names each row that somebody changed past the application, whatever sums were changed with it."""

import re
from datetime import UTC, datetime

import sqlalchemy as sa

from tests.tree import ROOT
from webapp.database.sessions import Base, db
from webapp.database.tenancy import maintenance
from webapp.ledger.bound_rows import FIELDS
from webapp.migrations.revisions import head_revision
from webapp.models import BoundRow
from webapp.queries.audit.bound_rows import SOURCES
from webapp.queries.checks import bound_rows
from webapp.services.backups import backups

# A row of a table, by its kind and a condition, one column of it or of what belongs to it, and another value.
ENTRY = ("entry", "journal_entries", "status = 'POSTED'")
LEGS = ("entry", "postings", "journal_entry_id IN (SELECT id FROM journal_entries WHERE status = 'POSTED')")
LINE = ("line", "transactions", "status = 'BOOKED'")
DOCUMENT = ("document", "documents", "number IS NOT NULL")
PROOF = ("proof", "reconciliations", "status = 'COMPLETED'")
CLEARED = ("proof", "reconciliation_items", "frozen_on IS NOT NULL")
SETTLEMENT = ("settlement", "settlements", "status = 'STANDING'")
PARTS = ("settlement", "settlement_parts", "1 = 1")
ACCOUNT = ("account", "accounts", "role IS NULL")
BANK = ("bank_account", "feed_accounts", "1 = 1")
BOOKS = ("organization", "organizations", "1 = 1")
MEMBER = ("member", "memberships", "1 = 1")
KEY = ("key", "api_tokens", "1 = 1")
RATE = ("rate", "exchange_rates", "1 = 1")
KEYS = {"memberships": "user_id"}
OWNER = {"postings": "journal_entry_id", "reconciliation_items": "reconciliation_id"}
OWNER |= {
    "settlement_parts": "settlement_id",
    "tax_stamps": "return_id",
    "schedule_parts": "schedule_id",
    "connected_accounts": "connection_id",
    "memberships": "user_id",
    "organizations": "0",
}
CHANGES = [
    (ENTRY, "description", "'Office chairs'"),
    (ENTRY, "effective_on", "'2020-02-29'"),
    (ENTRY, "posted_at", "'2020-02-29 10:00:00.000000'"),
    (ENTRY, "created_at", "'2020-02-29 10:00:00.000000'"),
    (ENTRY, "number", "number + 1000000"),
    (ENTRY, "source", "CASE source WHEN 'manual' THEN 'bank_feed' ELSE 'manual' END"),
    (ENTRY, "action_request_id", "NULL"),
    (ENTRY, "document_id", "(SELECT max(id) FROM documents)"),
    (ENTRY, "fact_on", "'2020-02-29'"),
    (ENTRY, "is_moved", "NOT is_moved"),
    (ENTRY, "is_closing", "NOT is_closing"),
    (ENTRY, "base_currency", "'CHF'"),
    (LEGS, "account_id", "(SELECT max(id) FROM accounts)"),
    (LEGS, "amount_minor", "amount_minor + 1"),
    (LEGS, "amount_base_minor", "amount_base_minor - 1"),
    (LEGS, "currency", "'CHF'"),
    (LEGS, "project_id", "(SELECT max(id) FROM projects)"),
    (LEGS, "org_merchant_id", "(SELECT max(id) FROM merchants)"),
    (LEGS, "due_on", "'2020-02-29'"),
    (LEGS, "reference", "'471102'"),
    (LEGS, "transaction_id", "NULL"),
    (LEGS, "has_own_base", "NOT has_own_base"),
    (LEGS, "tax_point", "'2020-02-29'"),
    (LEGS, "boxes", """'[["uk-vat100", "1", 2000]]'"""),
    (LINE, "description", "'Rent'"),
    (LINE, "counterparty", "'Somebody else'"),
    (LINE, "reference", "'RF18'"),
    (LINE, "iban", "'DE02120300000000202051'"),
    (LINE, "amount_minor", "amount_minor + 1"),
    (LINE, "booked_on", "'2020-02-29'"),
    (LINE, "value_on", "'2020-02-29'"),
    (LINE, "provider_transaction_id", "'x-1'"),
    (LINE, "status", "'REMOVED'"),
    (LINE, "details", """'{"fee": "1.00"}'"""),
    (DOCUMENT, "total_minor", "total_minor + 1"),
    (DOCUMENT, "sender", "'Somebody else'"),
    (DOCUMENT, "number", "'471102'"),
    (DOCUMENT, "issued_on", "'2020-02-29'"),
    (DOCUMENT, "received_on", "'2020-02-29'"),
    (DOCUMENT, "iban", "'DE02120300000000202051'"),
    (PROOF, "completed_by", """'{"id": 99, "kind": "PERSON", "name": "Eve"}'"""),
    (PROOF, "completed_at", "'2020-02-29 10:00:00.000000'"),
    (PROOF, "statement_balance_minor", "statement_balance_minor + 1"),
    (PROOF, "statement_date", "'2020-02-29'"),
    (PROOF, "digest", "'0'"),
    (CLEARED, "frozen_minor", "frozen_minor + 1"),
    (CLEARED, "is_standing", "NOT is_standing"),
    (SETTLEMENT, "settled_on", "'2020-02-29'"),
    (SETTLEMENT, "reason", "'As agreed'"),
    (PARTS, "amount_minor", "amount_minor + 1"),
    (ACCOUNT, "type", "CASE type WHEN 'EXPENSE' THEN 'ASSET' ELSE 'EXPENSE' END"),
    (ACCOUNT, "name", "'Other'"),
    (ACCOUNT, "keeps_items", "NOT keeps_items"),
    (ACCOUNT, "is_revalued", "NOT is_revalued"),
    (BANK, "account_id", "(SELECT max(id) FROM accounts WHERE role IS NOT NULL)"),
    (BANK, "currency", "'RUE'"),
    (BOOKS, "base_currency", "'RUE'"),
    (BOOKS, "lock_date", "'2020-02-29'"),
    (MEMBER, "role", "CASE role WHEN 'owner' THEN 'viewer' ELSE 'owner' END"),
    (KEY, "scopes", """'["read", "admin"]'"""),
    (KEY, "expires_at", "'2099-01-01 00:00:00.000000'"),
    (KEY, "revoked_at", "'2099-01-01 00:00:00.000000'"),
    (RATE, "units_per_base", "'7.77'"),
]
TRIGGERS = {
    "sqlite": "SELECT tbl_name, sql FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT tgrelid::regclass::text, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
}
# What no act changes: when a row was made, and which program a key was made for. Parts of taxes are only added.
FIXED, NEVER_CHANGED = {"created_at", "client_id"}, {"tax_part"}
# The audit trail itself, which checks compare with its events.
TRAIL = {"action_requests", "audit_events", "bound_rows", "written_rows"}
# By the words of docs/format.md, the tables of which nothing is bound.
NOT_BOUND = {
    "rules with their runs": "rules rule_versions rule_runs rule_settings document_settings suggestion_dismissals",
    "merchants": "merchants institutions",
    "projects": "projects project_groups",
    "owners": "owners",
    "transfers": "transfer_pairs",
    "joined lines": "line_joins line_changes",
    "the documents that belong to a line": "document_relations declined_relations statement_documents",
    "parts of payments before they are settled": "payments payment_parts",
    "days on which open items are due": "items due_changes",
    "notes on balances": "balance_notes",
    "steps and marks of closes": "own_steps close_marks",
    "what its closes ask for": "close_policies",
    "exceptions from locks": "lock_exceptions",
    "files that were imported or pushed with the answers": "imports import_lines column_mappings inbox_files"
    " feed_pushes feed_lines provider_balances bulk_turns idempotency_keys",
    "proposals": "proposals",
    "webhooks": "webhook_endpoints webhook_deliveries",
    "invitations": "invitations",
    "jobs": "jobs",
    "saved views": "saved_views",
    "kept sums": "day_sums month_sums line_day_sums line_month_sums register_lines token_days touched_proofs",
    "recorded verdicts": "proof_breaks",
    "bytes of stored files": "stored_files",
    "codes and tokens of connected programs": "connection_secrets secrets",
    "how people sign in": "users sessions sign_in_counters sign_in_steps familiar_browsers authenticators passkeys"
    " passkey_challenges recovery_codes identities",
}
# What no database restores, since it names no row.
NAMELESS = [(LEGS, "tax_code_id", "1"), (LINE, "feed_account_id", "0")]


def test_every_kind_of_row_has_a_name():
    assert bound_rows.NAMES.keys() == FIELDS.keys()


def test_the_format_says_which_tables_are_not_bound():
    _, _, text = (ROOT / "docs/format.md").read_text(encoding="utf-8").partition("Not bound are ")
    said = " ".join(text.partition("A restore lists")[0].split())
    assert [phrase for phrase in NOT_BOUND if phrase not in said] == []
    bound = {part.table for source in SOURCES.values() for part in (source, *source.parts)}
    left = {each.name for each in Base.metadata.sorted_tables if each not in bound} - TRAIL
    assert left == {name for names in NOT_BOUND.values() for name in names.split()}


def test_every_field_of_a_row_is_bound_again_when_it_changes(house):
    """Whichever act writes it alone, also a field that a later version added."""
    with house.app.app_context():
        triggers = db.session.execute(sa.text(TRIGGERS[db.engine.dialect.name])).all()
    for kind, source in SOURCES.items():
        of_table = [text for table, text in triggers if table == source.table.name and "_noted" in text]
        own = {name for name in FIELDS[kind] if isinstance(name, str)} - FIXED
        missing = {name for name in own if not any(notes(text, name) for text in of_table)}
        assert not missing or kind in NEVER_CHANGED, (kind, missing)


def notes(text, name):
    """Return whether a trigger notes a change of a column: it names it, or is of all of them."""
    event = text.partition(" ON ")[0]
    return "UPDATE" in event and (" OF " not in event or bool(re.search(rf"\b{name}\b", event)))


def test_each_change_past_the_application_is_named_at_its_row_and_no_other_row_is(
    copy, figure, backups_by_turn
):
    """Also where a backup was rebuilt with it, whose sums and trial balance agree."""
    named_at_their_rows(copy, CHANGES, backups_by_turn)
    copy.refresh()
    rows, _ = changed(copy, NAMELESS)
    assert found(copy) == rows
    copy.refresh()
    newest = sa.select(sa.func.max(BoundRow.row_id)).where(BoundRow.kind == "account")
    account_id = copy.ask(lambda: db.session.scalar(newest))
    copy.damage(f"UPDATE bound_rows SET format = 2 WHERE kind = 'account' AND row_id = {account_id}")  # noqa: S608
    assert found(copy) == [("accountId", account_id)]
    figure("E3", f"{len(CHANGES + NAMELESS)} kinds of change named at their rows, and no other row")


def test_no_act_binds_what_was_changed_past_the_application(app, ada):
    """Where the triggers stay, they note the change, and the next act finds the note."""

    def change(table, change, key="id"):
        of_ada = f"{'id' if table == 'organizations' else 'organization_id'} = '{ada.organization_id}'"
        newest = f"{key} = (SELECT max({key}) FROM {table} WHERE {of_ada})"  # noqa: S608
        with app.app_context(), maintenance():
            db.session.execute(sa.text(f"{change} WHERE {of_ada} AND {newest}"))
            db.session.commit()

    def named():
        with app.app_context(), maintenance():
            return sorted(each.message.split(" is not")[0] for each in bound_rows.rows())

    account = ada.post("/api/accounts", json={"name": "Travel", "type": "EXPENSE"}).json["account"]["id"]
    rate = {"day": "2026-10-01", "currency": "USD", "unitsPerBase": "1.10"}
    assert ada.put("/api/exchange-rates", json={"rates": [rate]}).status_code == 200
    assert named() == []
    change("accounts", "UPDATE accounts SET type = 'EQUITY'")
    change("organizations", "UPDATE organizations SET lock_date = '2020-02-29'")
    change("memberships", "UPDATE memberships SET role = 'accountant'", "user_id")
    change("exchange_rates", "DELETE FROM exchange_rates")
    ada.post("/api/merchants", json={"name": "Acme"})
    noted = ["Account", "Exchange rate", "The membership of person", "The organization's own row"]
    assert [each.rstrip(" 0123456789") for each in named()] == noted
    ada.patch(f"/api/accounts/{account}", json={"name": "Trips"})
    assert [each.rstrip(" 0123456789") for each in named()] == noted[1:]


def named_at_their_rows(copy, changes, backups_by_turn):
    """Change rows, look for their names, and look again after a backup was rebuilt with these changes."""
    copy.refresh()
    assert copy.ask(lambda: [*bound_rows.rows(), *bound_rows.rows_of_events()]) == []
    left, now = changes, datetime.now(UTC)
    while left:
        copy.refresh()
        rows, left = changed(copy, left)
        assert rows, left
        assert found(copy) == rows
        if backup := next(backups_by_turn):
            copy.ask(lambda to=backup: backups.write(db.session(), to, revision=head_revision(), now=now))
            copy.restore(backup)
            assert found(copy) == rows


def found(copy):
    return copy.ask(lambda: sorted(next(iter(each.about.items()), ()) for each in bound_rows.rows()))


def changed(copy, changes):
    """Make each change at the first row where it is one and that belongs to no row of another change.

    Answers how these rows are named, and the changes that no row was left for.
    """
    taken, left = {}, []
    for change in changes:
        (kind, table, condition), column, value = change
        done = taken.setdefault(kind, {})
        others = "".join(f" AND {OWNER.get(table, 'id')} <> {each}" for each in done)
        differs = f"CAST({column} AS TEXT) IS DISTINCT FROM CAST({value} AS TEXT)"
        row = chosen(copy, table, f"{condition}{others} AND {differs}")
        if row is None:
            left.append(change)
            continue
        copy.damage(f"UPDATE {table} SET {column} = {value} WHERE {KEYS.get(table, 'id')} = '{row[0]}'")  # noqa: S608
        done[row[1]] = about(kind, row[1])
    names = [each for rows in taken.values() for each in rows.values()]
    return sorted(next(iter(each.items()), ()) for each in names), left


def chosen(copy, table, condition):
    """Give the id of the first row, and that of the row which it belongs to."""
    key = KEYS.get(table, "id")
    question = f"SELECT {key}, {OWNER.get(table, 'id')} FROM {table} WHERE {condition} ORDER BY 1 LIMIT 1"  # noqa: S608
    return copy.ask(lambda: db.session.execute(sa.text(question)).first())


def about(kind, row_id):
    return {} if kind == "organization" else {bound_rows.NAMES[kind][1]: row_id}
