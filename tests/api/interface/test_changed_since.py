"""`updatedSince`: a list leaves out what did not change, and never what did."""

from urllib.parse import quote

import pytest

from tests.fixtures.helpers import transfers
from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.trial_calls import calls
from webapp.database.sessions import db

pytestmark = pytest.mark.both

LINES, ENTRIES, DOCUMENTS = "/api/transactions", "/api/journal-entries", "/api/documents"
DATED = {
    LINES: "transactions",
    ENTRIES: "entries",
    DOCUMENTS: "documents",
    "/api/automations/rules": "rules",
    "/api/projects": "projects",
    "/api/projects/groups": "groups",
    "/api/settlements": "settlements",
}
# What a record says of others beside their ids is no change of its own.
OF_OTHERS = ("origin", "accountName", "accountEmoji", "institutionName", "message")


@pytest.fixture
def lines(bank):
    return bank.send_many(
        [("2026-03-02", "-5.00", "Tea"), ("2026-03-03", "-6.00", "Cake"), ("2026-03-04", "9.00", "Sale")]
    )


def now(ada):
    """Tell the instant of the latest act, as a program that synchronises would keep it."""
    return quote(newest_act(ada))


def changed(ada, instant, key="transactions", path=LINES):
    return [each["id"] for each in ada.get(f"{path}?updatedSince={instant}&fields=id").json[key]]


def test_only_what_changed_since_an_instant(ada, lines):
    ada.patch(f"{LINES}/{lines[0]}", json={"description": "Green tea"})
    instant = now(ada)
    assert changed(ada, instant) == [lines[0]]
    confirmed = ada.post(f"{LINES}/{lines[1]}/confirm").json["result"]["journalEntryIds"]
    assert changed(ada, instant) == [lines[1], lines[0]]
    assert set(confirmed) < set(changed(ada, instant, "entries", "/api/journal-entries"))
    later = now(ada)
    ada.post(f"/api/journal-entries/{confirmed[0]}/void", json={"reason": "Wrong"})
    assert confirmed[0] in changed(ada, later, "entries", "/api/journal-entries")
    assert changed(ada, "2199-01-01T00:00:00Z") == []


@pytest.mark.parametrize(
    "instant", ["yesterday", "2026-03-01", "2026-03-01T09:30:00", "2026-02-30T00:00:00Z", ""]
)
@on_sqlite
def test_an_instant_needs_its_zone(ada, instant):
    answer = ada.get(f"{LINES}?updatedSince={instant}")
    assert answer.json["fields"] == {"updatedSince": ["Write an instant like 2026-03-01T09:30:00Z."]}


@pytest.mark.parametrize("path", [LINES, "/api/journal-entries"])
@on_sqlite
def test_what_hangs_on_records_is_looked_up_once_for_all_of_them(ada, bank, lines, statements, path):
    with statements() as sent:
        ada.get(f"{path}?updatedSince=2026-03-01T09:30:00Z")
    (listing,) = [each for each in sent if "updated_at >=" in each]
    plan = bank.ask(
        lambda: (
            db.session.connection()
            .exec_driver_sql(f"EXPLAIN QUERY PLAN {listing}", (0,) * listing.count("?"))
            .all()
        )
    )
    assert not [row for row in plan if "CORRELATED" in row[-1]]


def draft_of(ada, line):
    return ada.get(f"{LINES}/{line}").json["transaction"]["journalEntryId"]


def test_a_draft_that_a_rate_mirrors_anew_has_changed(ada, bank, lines):
    bank.open("Dollars", "USD")
    sale = bank.send("2026-03-02", "10.00", "Sale")
    ada.patch(f"{LINES}/{lines[0]}", json={"description": "Green tea"})
    instant = now(ada)
    rate = {"day": "2026-03-02", "currency": "USD", "unitsPerBase": "1.25"}
    assert ada.put("/api/exchange-rates", json={"rates": [rate]}).status_code == 200
    assert sale in changed(ada, instant)
    assert draft_of(ada, sale) in changed(ada, instant, "entries", ENTRIES)


def test_a_draft_that_a_lock_moves_has_changed(ada, lines):
    ada.patch(f"{LINES}/{lines[1]}", json={"description": "Green tea"})
    instant = now(ada)
    body = {"lockDate": "2026-03-02", "moveDrafts": True}
    assert ada.put("/api/lock-date", json=body).status_code == 200
    assert lines[0] in changed(ada, instant)
    assert draft_of(ada, lines[0]) in changed(ada, instant, "entries", ENTRIES)


def test_a_line_whose_correction_is_discarded_has_changed(ada, bank, lines):
    ada.post(f"{LINES}/{lines[1]}/confirm")
    ada.patch(f"{LINES}/{lines[1]}", json={"accountId": bank.role("uncategorised_income")})
    ada.patch(f"{LINES}/{lines[0]}", json={"description": "Green tea"})
    instant = now(ada)
    ada.browser().post(f"/journal/{draft_of(ada, lines[1])}/correction/discard")
    assert lines[1] in changed(ada, instant)


def test_a_document_tells_that_it_belongs_to_something_and_no_longer(ada, lines):
    bill = ada.post(DOCUMENTS, json={"documentType": "BILL"}).json["document"]["id"]
    entry = {"journalEntryId": draft_of(ada, lines[0])}
    instant = now(ada)
    for act in (ada.post, ada.delete):
        later = after(ada, lines[1])
        assert changed(ada, later, "documents", DOCUMENTS) == []
        assert act(f"{DOCUMENTS}/{bill}/relations", json=entry).status_code < 300
        assert changed(ada, later, "documents", DOCUMENTS) == [bill]
    ada.post(f"{DOCUMENTS}/{bill}/relations", json=entry)
    later = after(ada, lines[1])
    assert ada.delete(f"{LINES}/{lines[0]}").status_code == 200
    assert ada.get(f"{DOCUMENTS}/{bill}").json["document"]["relations"] == []
    assert changed(ada, later, "documents", DOCUMENTS) == [bill]
    assert instant < later


def test_both_lines_of_one_transfer_change_with_its_draft(ada, bank, lines):
    giro, savings = bank.fa_id, bank.open("Savings")
    out = transfers.send(bank, giro, "2026-03-12", "-500.00")
    back = transfers.send(bank, savings, "2026-03-12", "500.00")
    transfers.join(ada, out, back)
    later = after(ada, lines[0])
    assert ada.patch(f"{LINES}/{out}", json={"description": "To savings"}).status_code == 200
    assert {out, back} <= {*changed(ada, later)}


@pytest.mark.rare
@pytest.mark.parametrize("order", [1, -1], ids=["forwards", "backwards"])
@on_sqlite
def test_no_write_changes_a_record_that_is_not_listed(ada, bank, order):
    missed, count = [], 0
    for trial in calls(ada, bank)[::order]:
        before = records(ada)
        if trial.ask(ada).status_code >= 300:
            continue
        since = records(ada, updatedSince=newest_act(ada))
        differing = [name for name, record in records(ada).items() if record != before.get(name)]
        missed += [(trial.name, name) for name in differing if name not in since]
        count += len(differing)
    assert missed == []
    assert count >= 40


def records(ada, **asked):
    """Read every list that tells changes: what each record says of itself, by list and id."""
    found = {}
    for path, key in DATED.items():
        cursor = {}
        while cursor is not None:
            page = ada.get(path, query_string={"limit": "200", **asked, **cursor}).json
            found |= {(key, each["id"]): own(each) for each in page[key]}
            cursor = {"cursor": page["nextCursor"]} if page["nextCursor"] else None
    return found


def own(record):
    if isinstance(record, dict):
        return {name: own(value) for name, value in record.items() if name not in OF_OTHERS}
    return [own(each) for each in record] if isinstance(record, list) else record


def newest_act(ada):
    return ada.get("/api/action-requests?limit=1").json["actionRequests"][0]["createdAt"]


def after(ada, line):
    """Let something else happen, and tell an instant after all that was before."""
    ada.patch(f"{LINES}/{line}", json={"description": f"Something else after {newest_act(ada)}"})
    return now(ada)
