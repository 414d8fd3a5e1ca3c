"""Trials that take long run on a copy of the books: with the same result, while others write on (SQLite)."""

import os
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.trial_calls import calls
from webapp.services.storage import trial_copies

pytestmark = on_sqlite


@pytest.fixture
def impatient(monkeypatch):
    """Give trials no time in the transaction that writes."""
    monkeypatch.setattr(trial_copies, "BUDGET_SECONDS", -1)


@pytest.fixture
def line(bank):
    return bank.send("2026-11-03", "-45.20", "REWE")


def timeless(text):
    """Blank the instants of an answer, and the digests that cover them."""
    without = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "then", text)
    return re.sub(r'"digest":"[0-9a-f]{64}"', '"digest":"of then"', without)


def left_in(app):
    """List the files of copies that are left."""
    folder = trial_copies.Path(app.instance_path) / trial_copies.FOLDER
    return [each.name for each in folder.iterdir() if each.name != "gate"]


def test_a_dry_run_on_a_copy_tells_the_same(app, ada, bank, monkeypatch, portion):
    trials = portion(20, calls(ada, bank))
    in_writer = [each.ask(ada, dryRun="true") for each in trials]
    monkeypatch.setattr(trial_copies, "BUDGET_SECONDS", -1)
    for trial, before in zip(trials, in_writer, strict=True):
        again = trial.ask(ada, dryRun="true")
        assert (again.status_code, timeless(again.text)) == (200, timeless(before.text)), trial.name
    assert left_in(app) == []


@pytest.mark.usefixtures("impatient")
def test_others_write_while_a_trial_runs_on_its_copy(ben, ada, line, monkeypatch):
    statuses, write_copy = [], trial_copies._write_copy  # noqa: SLF001  (the moment between copy and trial)

    def write_meanwhile(*arguments):
        write_copy(*arguments)
        with ThreadPoolExecutor(1) as elsewhere:
            asked = elsewhere.submit(ada.post, "/api/projects", json={"name": "Meanwhile"})
            statuses.append(asked.result(timeout=5).status_code)

    monkeypatch.setattr(trial_copies, "_write_copy", write_meanwhile)
    answer = ben.post(f"/api/transactions/{line}/confirm?dryRun=true")
    assert (answer.json["status"], statuses) == (200, [201])
    assert ben.get(f"/api/transactions/{line}").json["transaction"]["entryStatus"] == "DRAFT"
    assert [each["name"] for each in ada.get("/api/projects").json["projects"]] == ["Meanwhile"]


@pytest.mark.usefixtures("impatient")
def test_a_proposal_that_was_tried_on_a_copy_is_what_is_approved(ben, line):
    agent = ben.with_scopes("read", "propose")
    answer = agent.post(f"/api/transactions/{line}/confirm")
    assert answer.status_code == 202, answer.json
    waiting = answer.json["actionRequest"]
    address = f"/api/action-requests/{waiting['id']}/approve"
    approved = ben.browser().post(address, json={"digest": waiting["digest"]})
    assert approved.json["actionRequest"]["status"] == "EXECUTED", approved.json
    assert ben.get(f"/api/transactions/{line}").json["transaction"]["entryStatus"] == "POSTED"


@pytest.mark.usefixtures("impatient")
def test_the_preview_of_an_undo_moves_to_a_copy_too(app, ben, line, monkeypatch):
    agent = ben.with_scopes("read", "confirm")
    assert agent.post(f"/api/transactions/{line}/confirm").status_code == 200
    copied, write_copy = [], trial_copies._write_copy  # noqa: SLF001  (to see that it was called)
    monkeypatch.setattr(
        trial_copies, "_write_copy", lambda *paths: (copied.append(paths), write_copy(*paths))
    )
    body = {"tokenId": agent.token_id, "since": "2026-01-01T00:00:00Z"}
    shown = ben.browser().post("/api/action-requests/undo/preview", json=body)
    assert (shown.status_code, len(copied)) == (200, 1), shown.json
    undone = ben.browser().post("/api/action-requests/undo", json={**body, "digest": shown.json["digest"]})
    assert undone.status_code == 200, undone.json
    assert left_in(app) == []


@pytest.mark.usefixtures("impatient")
def test_a_trial_that_turns_out_long_takes_a_slot(app, ben, line):
    slots = app.extensions["heavy_calls"]
    held = [slots.take(f"token {1000 + number}") for number in range(4)]
    refused = ben.post(f"/api/transactions/{line}/confirm?dryRun=true")
    for each in held:
        os.close(each)
    assert (refused.status_code, refused.json["code"]) == (429, "too_many_at_once")
    assert ben.post(f"/api/transactions/{line}/confirm?dryRun=true").status_code == 200


@pytest.mark.usefixtures("impatient")
def test_what_a_killed_trial_left_behind_is_removed(app, ben, line):
    left = trial_copies.Path(app.instance_path) / trial_copies.FOLDER / "trial-of-the-dead"
    left.mkdir(parents=True)
    (left / "books.sqlite").write_text("half a copy")
    assert ben.post(f"/api/transactions/{line}/confirm?dryRun=true").status_code == 200
    assert left_in(app) == []


class Clock:
    """A clock by which a trial is over its budget at one of its statements."""

    def __init__(self, at):
        self.at, self.asked = at, 0

    def monotonic(self):
        self.asked += 1
        # The first question is when the budget begins.
        return 1000.0 if self.asked > self.at + 1 else 0.0


def test_a_trial_may_be_given_up_at_any_statement(ben, monkeypatch):
    """Also at one that a flush sends, behind which a session answers nothing but a rollback."""
    statement, is_given_up = 0, True
    while is_given_up:
        statement += 1
        clock, copied = Clock(statement), []
        monkeypatch.setattr(trial_copies.time, "monotonic", clock.monotonic)
        on_copy = trial_copies.on_copy
        with monkeypatch.context() as patch:
            patch.setattr(
                trial_copies, "on_copy", lambda run, go=on_copy, seen=copied: seen.append(1) or go(run)
            )
            answer = ben.post("/api/projects?dryRun=true", json={"name": "Website"})
        assert (answer.status_code, answer.json["status"]) == (200, 201), (statement, answer.text)
        is_given_up = bool(copied)
    assert statement > 5
