"""`tieout check` names each row that somebody changed past the application, whatever sums were changed with it."""

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.queries.checks import bound_rows

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
OWNER = {"postings": "journal_entry_id", "reconciliation_items": "reconciliation_id"}
OWNER |= {"settlement_parts": "settlement_id", "memberships": "user_id", "organizations": "0"}
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
    (LEGS, "org_merchant_id", "(SELECT max(id) FROM merchants) + 1"),
    (LEGS, "due_on", "'2020-02-29'"),
    (LEGS, "reference", "'471102'"),
    (LEGS, "transaction_id", "NULL"),
    (LEGS, "has_own_base", "NOT has_own_base"),
    (LEGS, "tax_code_id", "1"),
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


def test_a_change_past_the_application_is_named_at_its_row_though_nothing_else_is(copy, subtests, portion):
    copy.refresh()
    assert copy.ask(lambda: [*bound_rows.rows(), *bound_rows.rows_of_events()]) == []
    for (kind, table, condition), column, value in portion(32, CHANGES, 0 if copy.is_sqlite else 16):
        with subtests.test(table=table, column=column):
            copy.refresh()
            row_id, owner_id = chosen(copy, table, condition)
            key = "user_id" if table == "memberships" else "id"
            copy.damage(f"UPDATE {table} SET {column} = {value} WHERE {key} = '{row_id}'")  # noqa: S608
            assert copy.ask(lambda: [each.about for each in bound_rows.rows()]) == [about(kind, owner_id)]


def chosen(copy, table, condition):
    """Give the id of the first row, and that of the row which it belongs to."""
    key = "user_id" if table == "memberships" else "id"
    question = f"SELECT {key}, {OWNER.get(table, 'id')} FROM {table} WHERE {condition} ORDER BY 1 LIMIT 1"  # noqa: S608
    return copy.ask(lambda: tuple(db.session.execute(sa.text(question)).one()))


def about(kind, row_id):
    return {} if kind == "organization" else {bound_rows.NAMES[kind][1]: row_id}
