"""Every write of the API can be tried: told whole, and taken back whole (behaviour.md 5)."""

from datetime import UTC, datetime
from html import escape
from pathlib import Path

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.trial_calls import calls
from tests.security.addresses import addresses_of
from webapp.database.sessions import Base, db
from webapp.ledger.references import Kind
from webapp.models import AuditEvent
from webapp.queries import checks
from webapp.schemas.fields import Id
from webapp.schemas.untrusted import nested
from webapp.web.access.selections import answer_schema

# What a bookkeeper reads of each proposal, beside its address.
TITLES = dict(
    line.split(" | ", 1)
    for line in (Path(__file__).parents[2] / "titles.txt").read_text(encoding="utf-8").splitlines()
)
# What waits for a person is told in these; everything else stays as it is.
WAITING = {"action_requests", "proposals", "audit_events"}
SEEN = {"last_used_at", "last_seen_at"}


@pytest.fixture
def trials(ada, bank):
    return calls(ada, bank)


def rows_of(bank, *, without=()):
    """Read every table, but who was seen last and what is left out."""

    def read():
        return {
            table.name: sorted(
                map(repr, db.session.execute(db.select(*(c for c in table.c if c.name not in SEEN))).all())
            )
            for table in Base.metadata.sorted_tables
            if table.name not in without
        }

    return bank.ask(read)


def title_of(trial):
    return TITLES[trial.name].format(today=f"{datetime.now(UTC):%-d %b %Y}")


def files_of(app):
    folder = app.config["SETTINGS"].instance_path / "previews"
    return sorted(each.name for each in folder.iterdir())


def test_every_kind_of_reference_names_one_of_our_tables():
    """A misspelt one would leave new ids in the effect, which moves it each time."""
    assert {kind.table for kind in Kind} <= {*Base.metadata.tables}


def ids_of(schema, path=""):
    """Walk the ids of a shape, each with its path and the kind of what it names."""
    for name, field in schema.dump_fields.items():
        held, inner = getattr(field, "inner", field), nested(field)
        if inner is not None:
            yield from ids_of(inner, f"{path}{name}.")
        elif isinstance(held, Id):
            yield f"{path}{name}", held.of


@on_sqlite
def test_every_id_in_the_answer_of_a_write_says_what_it_names(app):
    """A new row is called by the same name everywhere, of whatever kind; people and keys are not made by acts."""
    writes = [each for each in addresses_of(app) if each.is_api and not each.is_safe]
    schemas = {each.name: answer_schema(app.view_functions[each.endpoint]) for each in writes}
    found = [(name, *each) for name, schema in schemas.items() if schema for each in ids_of(schema)]
    assert len(found) > 100
    unnamed = {path for _, path, kind in found if kind is None}
    assert [
        path
        for path in unnamed
        if not path.endswith(("_by.id", "actor.id", "blockers.id", "member.id", "refused.id"))
    ] == []


@on_sqlite
def test_each_write_of_the_api_is_among_the_calls(app, trials):
    writes = {
        each.name
        for each in addresses_of(app)
        if each.is_api
        and not each.is_safe
        and each.scope != "read"
        and not (each.session_only or each.is_secret)
    }
    assert {each.name for each in trials} == writes


def test_a_dry_run_of_every_write_tells_what_it_does_and_changes_nothing(app, ada, bank, trials, portion):
    before, files = rows_of(bank), files_of(app)
    for trial in portion(11, trials):
        answer = trial.ask(ada, dryRun="true")
        # What only a person does is not tried by a key either.
        if answer.json.get("code") == "person_needed":
            continue
        assert answer.status_code == 200, (trial.name, answer.json)
        assert (answer.json["dryRun"], answer.json["status"] < 300) == (True, True), (trial.name, answer.json)
        assert answer.json["effect"]["acts"], trial.name
    assert (rows_of(bank), files_of(app)) == (before, files)


@pytest.mark.rare
@on_sqlite
def test_every_write_can_be_proposed_and_nothing_is_done(app, ada, bank, trials, portion):
    agent = ada.with_scopes("read", "propose")
    before, files = rows_of(bank, without=WAITING), files_of(app)
    proposed = portion(11, trials)
    for trial in proposed:
        answer = trial.ask(agent)
        assert answer.status_code == 202, (trial.name, answer.json)
        request = answer.json["actionRequest"]
        assert (request["status"], request["actor"]["kind"]) == ("PENDING", "TOKEN")
        assert request["effect"]["acts"], trial.name
        assert request["title"] == title_of(trial), trial.name
        assert request["blockers"] == [], trial.name
        assert trial.ask(agent).json["actionRequest"]["id"] == request["id"], trial.name
    assert (rows_of(bank, without=WAITING), files_of(app)) == (before, files)
    assert bank.ask(lambda: list(checks.violations())) == []
    queue = ada.browser().get("/proposals").text
    assert [each.name for each in proposed if f"{escape(title_of(each))}</b>" not in queue] == []


def test_what_was_proposed_is_done_exactly_so_when_it_is_approved(ada, bank, trials, portion):
    """One after the other in books that move: each is approved as it is shown then, and does just that."""
    agent, browser = ada.with_scopes("read", "propose"), ada.browser()
    done, proposed = 0, portion(11, trials)
    for trial in proposed:
        answer = trial.ask(agent)
        if answer.status_code != 202 or answer.json["actionRequest"]["blockers"]:
            continue
        request = answer.json["actionRequest"]
        path = f"/api/action-requests/{request['id']}/approve"
        approved = browser.post(path, json={"digest": request["digest"]})
        assert approved.status_code == 200, (trial.name, approved.json)
        told = approved.json["actionRequest"]
        assert (told["status"], told["actor"]) == ("EXECUTED", request["actor"]), trial.name
        assert len(told["actionRequestIds"]) == len(request["effect"]["acts"]), trial.name
        done += 1
    assert done >= len(proposed) * 2 // 3
    assert bank.ask(lambda: list(checks.violations())) == []
    kinds = bank.ask(lambda: set(db.session.scalars(db.select(AuditEvent.kind))))
    assert {"propose", "approve_proposal"} <= kinds


@on_sqlite
def test_every_write_is_a_step_of_a_plan_as_it_is_by_itself(ada, trials, portion):
    asked = 0
    for trial in portion(11, trials):
        if "file" in trial.options or "data" in trial.options:
            continue
        step = {"method": trial.name.split()[0], "path": trial.path, "body": trial.options.get("json")}
        answer = ada.post("/api/plans?dryRun=true", json={"title": "A plan", "steps": [step]}).json
        if answer.get("code") == "person_needed":
            continue
        assert answer["status"] == 200, (trial.name, answer)
        (told,) = answer["effect"]["steps"]
        assert told["title"] == title_of(trial)
        alone = trial.ask(ada, dryRun="true").json["effect"]
        for key in ("balances", "proofs", "entryCount"):
            assert told[key] == answer["effect"][key] == alone[key], (trial.name, key)
        assert len(told["entries"]) == len(alone["entries"]), trial.name
        asked += 1
    assert asked > 5


def test_an_id_of_nothing_is_told_as_it_was_sent(ada, bank):
    """It was named as if the call would make it."""
    line = bank.send("2026-10-02", "-5.00", "Tea")
    asked = {"ids": [line, 987654321]}
    tried = ada.post("/api/transactions/confirm?dryRun=true", json=asked).json
    assert [each["id"] for each in tried["answer"]["results"]] == asked["ids"]
    summary = ada.post("/api/transactions/confirm?dryRun=true&view=summary", json=asked).json["summary"]
    assert [(each["id"], each["code"]) for each in summary["blockers"]] == [(987654321, "not_found")]


def test_a_dry_run_tells_the_answer_and_the_entry_before_and_after(ben, bank, line):
    answer = ben.post(f"/api/transactions/{line}/confirm?dryRun=true")
    assert answer.status_code == 200, answer.json
    told = answer.json
    assert (told["dryRun"], told["status"]) == (True, 200)
    assert (told["answer"]["changed"], told["answer"]["actionRequestId"]) == (True, None)
    (entry,) = told["effect"]["entries"]
    assert (entry["before"]["status"], entry["after"]["status"]) == ("DRAFT", "POSTED")
    assert {each["accountName"]: each["change"] for each in told["effect"]["balances"]} == {
        "Main account": "-45.20",
        "Uncategorised expenses": "45.20",
    }
    assert [act["title"] for act in told["effect"]["acts"]] == [
        "Confirm REWE −45.20 EUR of 3 Nov as Uncategorised expenses"
    ]
    assert ben.get(f"/api/transactions/{line}").json["transaction"]["entryStatus"] == "DRAFT"


def test_what_only_asks_for_the_methods_of_an_address_tries_nothing(ben, line):
    answer = ben.ask("OPTIONS", f"/api/transactions/{line}/confirm?dryRun=true")
    assert (answer.status_code, answer.text) == (200, "")
