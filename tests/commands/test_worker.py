"""`tieout worker`: what each job does, how it fails, and what waits for its next time."""

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from threading import Event

import pytest
import sqlalchemy as sa

from tests.importers.test_reference_rates import DAILY_XML
from tests.tree import ROOT
from webapp.commands import worker
from webapp.commands.worker import JobRunner
from webapp.database.failures import UnavailableError
from webapp.database.sessions import begin_read, begin_write, db
from webapp.models import Job
from webapp.queries.checks.violations import Violation
from webapp.services.operating import diagnosis, jobs

NOW = datetime.now(UTC)
PAGE = "/settings/automatic"
# What serves pages, calls and workbooks, and the other commands: some 20 MiB in all.
OF_OTHERS = {
    *("re2", "segno", "webauthn", "xlsxwriter", "apispec", "jinja2_fragments"),
    *("webapp.api", "webapp.pages", "webapp.mcp", "webapp.web.access.auth", "webapp.commands.backups"),
}
SENTENCE = "1 thing that Tieout does by itself failed"


@pytest.fixture
def page(ada):
    return ada.browser()


@pytest.fixture
def at_work(app, monkeypatch):
    """Let a worker do what is due, with the central bank's file of a test."""
    monkeypatch.setattr(worker, "fetched", lambda _settings, _name: DAILY_XML)
    monkeypatch.setattr(jobs, "FIRST_PAUSE", 0)

    def work():
        with app.app_context():
            one = JobRunner(app, Event())
            one.plan()
            count = 0
            while one.work():
                count += 1
            db.session.remove()
        return count

    return work


def found(app, organization_id, *columns):
    with app.app_context():
        begin_read(organization_id)
        rows = db.session.execute(
            sa.select(*columns).where(Job.organization_id == organization_id).order_by(Job.kind, Job.run_at)
        ).all()
        db.session.remove()
    return [tuple(row) for row in rows]


def want(app, organization_id, kind):
    with app.app_context():
        begin_write(organization_id)
        jobs.want(organization_id, kind, "test", at=NOW, now=NOW)
        db.session.commit()
        db.session.remove()


def test_rates_are_fetched_once_they_are_switched_on_and_each_banking_day_after(app, ada, page, at_work):
    assert "never" in page.get(PAGE).text
    at_work()
    assert ada.get("/api/exchange-rates").json["rates"] == []
    assert page.post(PAGE, data={"kind": "RATES", "isOn": "true"}).status_code == 303
    assert at_work() == 1
    assert len(ada.get("/api/exchange-rates").json["rates"]) > 1
    acts = ada.get("/api/action-requests").json["actionRequests"]
    by_kind = {each["kind"]: each for each in acts}
    assert by_kind["take_reference_rates"]["actor"] == {"kind": "SYSTEM", "id": None, "name": "Tieout"}
    assert by_kind["switch_job"]["title"] == "Switched the daily exchange rates on"
    states = found(app, ada.organization_id, Job.kind, Job.state)
    assert states == [("CHECK", "WAITING"), ("RATES", "DONE"), ("RATES", "WAITING")]
    page.post(PAGE, data={"kind": "RATES", "isOn": "false"})
    assert found(app, ada.organization_id, Job.kind, Job.state) == states[:2]
    assert at_work() == 0


def test_what_waits_is_done_now_where_an_owner_says_so(app, ada, ben, dan, page, at_work):
    at_work()
    ((job_id, at),) = found(app, ada.organization_id, Job.id, Job.run_at)
    assert NOW < at < NOW + timedelta(days=8)
    assert ben.browser().post(f"{PAGE}/{job_id}/run").status_code == 403
    assert dan.browser().post(f"{PAGE}/{job_id}/run").status_code == 404
    assert page.post(f"{PAGE}/{job_id}/run").status_code == 303
    assert at_work() == 1
    assert found(app, ada.organization_id, Job.state)[0] == ("DONE",)
    assert page.post(f"{PAGE}/{job_id}/run").status_code == 409
    assert page.post(f"{PAGE}/999999/run").status_code == 404
    assert page.post(PAGE, data={"kind": "PAY", "isOn": "true"}).status_code == 422


def test_only_schedules_that_a_person_lets_post_themselves_do(app, ada, bank, at_work):
    body = {"kind": "RELEASE", "startsOn": "2026-01-31", "periods": 2, "amount": "10.00"}
    body |= {"accountId": bank.account("Prepaid", "ASSET"), "counterAccountId": bank.account("Costs")}
    made = ada.post("/api/schedules", json={**body, "name": "By hand"}).json["schedule"]["id"]
    refused = ada.patch(f"/api/schedules/{made}", json={"postsItself": True})
    assert (refused.status_code, refused.json["code"]) == (403, "person_needed")
    typed = {**body, "name": "By itself", "every": "MONTH", "postsItself": "true"}
    assert ada.browser().post("/schedules", data=typed).status_code == 303
    want(app, ada.organization_id, "SCHEDULES")
    at_work()
    listed = ada.get("/api/schedules").json["schedules"]
    assert [(each["name"], {part["state"] for part in each["parts"]}) for each in listed] == [
        ("By itself", {"POSTED"}), ("By hand", {"DUE"}),
    ]  # fmt: skip
    assert ada.get("/api/action-requests").json["actionRequests"][0]["actor"]["kind"] == "SYSTEM"
    assert ("SCHEDULES", "WAITING") in found(app, ada.organization_id, Job.kind, Job.state)


def test_broken_books_show_as_a_failed_check_until_one_goes_well(app, ada, ben, page, at_work, monkeypatch):
    broken = [Violation("unsound", "A proof is wrong.", ada.organization_id)]
    with monkeypatch.context() as patch:
        patch.setattr(worker.checks, "of_organization", lambda: broken)
        want(app, ada.organization_id, "CHECK")
        at_work()
    assert "A proof is wrong. Violations in all: 1." in page.get(PAGE).text
    assert [SENTENCE in each.browser().get("/").text for each in (ada, ben)] == [True, False]
    with app.app_context():
        begin_read()
        of_all = diagnosis._books_of(None)  # noqa: SLF001
        assert [each.code for each in diagnosis._of_jobs(NOW, of_all)] == ["job_failed"]  # noqa: SLF001
        late = [each.code for each in diagnosis._of_jobs(NOW + timedelta(days=9), of_all)]  # noqa: SLF001
        assert late == ["jobs_wait", "job_failed"]
        db.session.remove()
    (job_id,) = (row[0] for row in found(app, ada.organization_id, Job.id, Job.state) if row[1] == "FAILED")
    page.post(f"{PAGE}/{job_id}/run")
    assert at_work() == 1
    assert "A proof is wrong" not in page.get(PAGE).text
    assert SENTENCE not in page.get("/").text


def test_what_fails_is_tried_again_and_given_up_in_the_end(app, ada, page, at_work, monkeypatch):
    tries = []

    def fail(work):
        tries.append(work.claimed.failures)
        begin_write(work.claimed.organization_id)
        jobs.want(work.claimed.organization_id, "GHOST", "never", at=NOW, now=NOW)
        raise UnavailableError if len(tries) < 3 else RuntimeError

    monkeypatch.setitem(worker.HANDLERS, "RATES", fail)
    want(app, ada.organization_id, "RATES")
    assert at_work() == jobs.MOST_ATTEMPTS
    assert tries == [*range(jobs.MOST_ATTEMPTS)]
    assert found(app, ada.organization_id, Job.kind, Job.state, Job.error)[1:] == [
        ("RATES", "FAILED", "RuntimeError: look at the log.")
    ]
    assert "Exchange rates failed" in page.get(PAGE).text


def test_a_lost_lease_stores_nothing_and_an_ending_worker_gives_its_job_back(app, ada, at_work, monkeypatch):
    def steal(work):
        begin_write(work.claimed.organization_id)
        jobs.want(work.claimed.organization_id, "GHOST", "never", at=NOW, now=NOW)
        db.session.execute(sa.update(jobs.JOBS).values(leased_by="another", leased_until=NOW + timedelta(1)))

    def end(work):
        begin_write(work.claimed.organization_id)
        jobs.want(work.claimed.organization_id, "STEP", "first", at=NOW + timedelta(1), now=NOW)
        work.end.set()
        work.commit()

    for handler, states in (
        (steal, [("RATES", "RUNNING", 0)]),
        (end, [("RATES", "WAITING", 0), ("STEP", "WAITING", 0)]),
    ):
        monkeypatch.setitem(worker.HANDLERS, "RATES", handler)
        want(app, ada.organization_id, "RATES")
        with app.app_context():
            JobRunner(app, Event()).work()
            db.session.remove()
        assert found(app, ada.organization_id, Job.kind, Job.state, Job.attempts) == states
        with app.app_context():
            begin_write(ada.organization_id)
            db.session.execute(sa.delete(jobs.JOBS))
            db.session.commit()
            db.session.remove()


def test_what_a_dead_worker_held_goes_on_at_once_and_has_not_failed(app, ada, tmp_path, monkeypatch):
    def fail(_work):
        raise UnavailableError

    monkeypatch.setitem(worker.HANDLERS, "RATES", fail)
    want(app, ada.organization_id, "RATES")
    lock = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    for _ in range(jobs.MOST_ATTEMPTS):
        end = Event()
        dead = JobRunner(app, end)
        # It takes the job, and is killed before anything comes of it.
        monkeypatch.setattr(dead, "_do", lambda _claimed, end=end: end.set())
        with app.app_context():
            dead.run(lock)
        assert found(app, ada.organization_id, Job.state, Job.leased_by)[1] == ("RUNNING", dead.name)
    end = Event()
    last = JobRunner(app, end)
    monkeypatch.setattr(last, "_free", lambda name, free=last._free: free(name) and last.work() and end.set())  # noqa: SLF001
    with app.app_context():
        last.run(lock)
    os.close(lock)
    ((_, at, attempts),) = [
        row
        for row in found(app, ada.organization_id, Job.kind, Job.run_at, Job.attempts)
        if row[0] == "RATES"
    ]
    assert attempts == 1
    assert at < datetime.now(UTC) + timedelta(seconds=2 * jobs.FIRST_PAUSE)


def test_what_killed_a_worker_comes_after_what_else_is_due(session, ada):
    """One job that kills each worker would keep all others waiting."""
    for kind in ("RATES", "STEP"):
        jobs.want(ada.organization_id, kind, "test", at=NOW, now=NOW)
    (_, killer), (_, other) = jobs.due("first")
    assert jobs.claim(ada.organization_id, killer, "first", NOW)
    session.commit()
    jobs.free("first")
    assert [job_id for _, job_id in jobs.due("second")] == [other, killer]


def test_a_worker_imports_nothing_of_what_others_need():
    """It runs for months, in at most 120 MiB after it has sent letters and messages."""
    asked = "import sys; from webapp.cli import main; main.get_command(None, 'worker'); print(*sys.modules)"
    words = [sys.executable, "-c", asked]
    imported = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S603
    names = set(imported.split())
    assert ("webapp.commands.worker" in names, names & OF_OTHERS) == (True, set())


def test_what_kills_each_worker_has_failed_in_the_end_and_shows(app, session, ada, page, at_work):
    """It is given up as late as that: some deaths have nothing to do with what was done."""
    jobs.want(ada.organization_id, "RATES", "test", at=NOW, now=NOW)
    session.commit()
    for number in range(jobs.MOST_DEATHS):
        ((_, killer),) = jobs.due(f"worker {number}")
        assert jobs.claim(ada.organization_id, killer, f"worker {number}", NOW)
        # A worker that takes its own job again did not die.
        assert jobs.claim(ada.organization_id, killer, f"worker {number}", NOW)
        jobs.free(f"worker {number}")
        session.commit()
    assert at_work() == 0
    assert jobs.DEADLY in page.get(PAGE).text
    assert SENTENCE in page.get("/").text
    page.post(f"{PAGE}/{killer}/run")
    assert at_work() == 1
    assert jobs.DEADLY not in page.get(PAGE).text
