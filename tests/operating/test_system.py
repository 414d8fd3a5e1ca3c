"""Settings, System, and the hub's sentence about old backups: for owners, and hidden for a week where one says so."""

from datetime import UTC, datetime, timedelta

from webapp.config import version
from webapp.database.sessions import db
from webapp.models import Job, Organization
from webapp.services.backups import records

OLD = datetime.now(UTC) - timedelta(days=8)
SENTENCE = "The newest backup is of"


def test_an_owner_sees_what_will_hurt_and_nobody_else(ada, cleo, never_backed_up):
    page = ada.browser().get("/settings/system")
    assert (page.status_code, f"Tieout {version()}" in page.text) == (200, True)
    assert "No backup was made on this machine yet." in page.text
    assert cleo.browser().get("/settings/system").status_code == 403


def test_an_owner_sees_what_concerns_these_books_and_nothing_of_others(ada, dan, bank, never_backed_up):
    for owner in (ada, dan):
        bank.ask(lambda whose=owner.organization_id: plant(whose))
    for owner, other in ((ada, dan), (dan, ada)):
        page = owner.browser().get("/settings/system").text
        for sentence in ("drop folder /nowhere/{} is not there", "failed: The disk of {} is full"):
            assert sentence.format(owner.organization_id) in page
        assert "a job waits since 1 Jan 2026" in page
        assert other.organization_id not in page


def plant(organization_id):
    organization = db.session.get_one(Organization, organization_id)
    organization.drop_folder = f"/nowhere/{organization_id}"
    at = datetime(2026, 1, 1, tzinfo=UTC)
    rest = {"organization_id": organization_id, "kind": "CHECK", "subject": "", "run_at": at, "attempts": 1}
    for state in ("WAITING", "FAILED"):
        error = f"The disk of {organization_id} is full"
        db.session.add(Job(**rest, occurrence=state, state=state, error=error, created_at=at))


def test_the_hub_says_that_backups_are_old_until_an_owner_hides_it(ada, cleo, never_backed_up):
    browser = ada.browser()
    assert SENTENCE not in browser.get("/").text
    records.note(never_backed_up, made=OLD, verified=OLD)
    assert SENTENCE in browser.get("/").text
    assert SENTENCE not in cleo.browser().get("/").text
    assert browser.post("/settings/system/backups/dismiss").status_code == 303
    assert SENTENCE not in browser.get("/").text
    records.note(never_backed_up, dismissed=OLD)
    assert SENTENCE in browser.get("/").text
