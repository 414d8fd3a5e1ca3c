"""`tieout check` names each schedule, bank connection and program that was changed past the application."""

from tests.api.feeds.bridges import account
from tests.api.journal.test_schedules import Desk
from tests.queries.conftest import copy_of
from tests.queries.test_bound_rows import named_at_their_rows
from tests.security.connections.conftest import claude, public  # noqa: F401  (fixtures)

SCHEDULE = ("schedule", "schedules", "1 = 1")
PARTS = ("schedule", "schedule_parts", "1 = 1")
CONNECTION = ("bank_connection", "bank_connections", "1 = 1")
CONNECTED = ("bank_connection", "connected_accounts", "feed_account_id IS NOT NULL")
LEFT = ("bank_connection", "connected_accounts", "is_left")
PROGRAM = ("key", "api_tokens", "client_id IS NOT NULL")
# The kind of the row that is named, its table, a column of it or of what belongs to it, and another value.
CHANGES = [
    (SCHEDULE, "name", "'Other'"),
    (SCHEDULE, "status", "'STOPPED'"),
    (SCHEDULE, "amount_minor", "amount_minor + 1"),
    (SCHEDULE, "amount_base_minor", "amount_base_minor + 1"),
    (SCHEDULE, "counter_account_id", "(SELECT max(id) FROM accounts)"),
    (SCHEDULE, "starts_on", "'2020-02-29'"),
    (SCHEDULE, "legs", "'[]'"),
    (PARTS, "due_on", "'2020-02-29'"),
    (PARTS, "amount_minor", "amount_minor + 1"),
    (PARTS, "amount_base_minor", "amount_base_minor + 1"),
    (PARTS, "state", "'SKIPPED'"),
    (PARTS, "journal_entry_id", "(SELECT min(id) FROM journal_entries)"),
    (PARTS, "number", "number + 100"),
    (CONNECTION, "name", "'Other bank'"),
    (CONNECTION, "provider", "'enablebanking'"),
    (CONNECTION, "uid", "'0'"),
    (CONNECTION, "status", "'PAUSED'"),
    (CONNECTION, "created_at", "'2020-02-29 10:00:00.000000'"),
    (CONNECTED, "feed_account_id", "NULL"),
    (CONNECTED, "fetch_from", "'2020-02-29'"),
    (CONNECTED, "is_left", "NOT is_left"),
    (CONNECTED, "id", "id + 1000"),
    (LEFT, "is_left", "NOT is_left"),
    (PROGRAM, "client_id", "'https://else.example/client'"),
    (PROGRAM, "client_id", "NULL"),
    (PROGRAM, "scopes", """'["read", "admin"]'"""),
    (PROGRAM, "expires_at", "'2099-01-01 00:00:00.000000'"),
    (PROGRAM, "revoked_at", "'2099-01-01 00:00:00.000000'"),
    (PROGRAM, "max_entries_a_day", "1000000"),
]


def test_a_change_of_a_schedule_or_a_connection_past_the_application_is_named_at_its_row(
    house,
    ada,
    bank,
    bridge,
    work,
    claude,  # noqa: F811
    backups_by_turn,
    figure,
):
    desk = Desk(ada, bank)
    desk.release(periods=12)
    desk.recur([desk.leg("Insurance", "90.00"), desk.leg("Rounding", "-90.00")], periods=5)
    closed = desk.release(periods=12, counterAccountId=bank.account("Closed"))
    assert (
        ada.patch(
            f"/api/accounts/{desk.read(closed)['counterAccountId']}", json={"isArchived": True}
        ).status_code
        == 200
    )
    assert {each["status"] for each in desk.run()} == {"EXECUTED", "FAILED"}
    for name in ("Checking", "Savings"):
        bridge.accounts.append(
            account(name, [("t1", "2026-01-15", "-45.20", "Grocer")], balance="954.80", as_of="2026-01-31")
        )
    body = {"provider": "simplefin", "name": "Our bank", "setupToken": bridge.token()}
    assert ada.post("/api/feeds/connections", json=body).status_code == 201
    work()
    (shown,) = ada.get("/api/feeds/connections").json["connections"]
    choices = [
        {"externalId": "Checking", "opens": True, "fetchFrom": "2026-01-01"},
        {"externalId": "Savings", "isLeft": True},
    ]
    place = f"/api/feeds/connections/{shown['id']}"
    assert ada.patch(place, json={"accounts": choices}).status_code == 200
    work()
    claude.refresh(claude.connect()["refresh_token"])
    named_at_their_rows(copy_of(house), CHANGES, backups_by_turn)
    figure("E3", f"{len(CHANGES)} kinds of change of schedules and connections named at their rows")
