"""Files stay for ever or for some years; older ones of locked periods can be deleted, and the books stay."""

from datetime import UTC, date, datetime, timedelta
from io import BytesIO

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from tests.api.imports.test_imports import MARCH
from tests.fixtures.bank_files.ofx_statements import bank_file
from tests.fixtures.helpers.documents import WEB_PAGE, keep_waiting, pdf, sent
from webapp.cli import main
from webapp.database.sessions import db
from webapp.models import StoredFile
from webapp.queries.checks import stored_files as checks

pytestmark = pytest.mark.usefixtures("sound")
PAGE = "/settings/files"
YEAR = datetime.now(UTC).year


@pytest.fixture
def page(ada):
    return ada.browser()


def imported(person):
    parts = {"file": (BytesIO(bank_file(*MARCH)), "march.ofx")}
    return person.post("/api/feeds/imports", data=parts, content_type="multipart/form-data").json["import"]


def age(person, bank, *, years, name=None):
    """Let the stored files, or one of them, have come in the summer of an earlier year."""

    def move():
        moved = sa.update(StoredFile).where(StoredFile.organization_id == person.organization_id)
        moved = moved if name is None else moved.where(StoredFile.name == name)
        db.session.execute(moved.values(created_at=datetime(YEAR - years, 7, 1, tzinfo=UTC)))
        db.session.commit()

    bank.ask(move)


def lock(person, day):
    answer = person.put("/api/lock-date", json={"lockDate": day, "moveDrafts": True})
    assert answer.status_code == 200, answer.json


def keep_for(page, years):
    answer = page.post(PAGE, data={"retentionYears": years})
    assert answer.status_code == 303, answer.text


def test_files_stay_for_ever_unless_an_owner_chooses_years(ada, ben, bank, page):
    sent(ada, pdf())
    age(ada, bank, years=30)
    lock(ada, f"{YEAR - 1}-12-31")
    assert "Keep files for ever" in page.get(PAGE).text
    page.post(f"{PAGE}/delete")
    keep_for(page, "10")
    assert "Keep files for 10 years" in page.get(PAGE).text
    keep_for(page, "")
    assert "Keep files for ever" in page.get(PAGE).text
    assert ada.get("/api/documents/1/file").status_code == 200
    assert page.post(PAGE, data={"retentionYears": "0"}).status_code == 422
    assert "Only an owner" in ben.browser().get(PAGE).text
    assert ben.browser().post(PAGE, data={"retentionYears": "1"}).status_code == 403
    assert ben.browser().post(f"{PAGE}/delete").status_code == 403


def test_an_old_file_is_deleted_and_everything_that_names_it_says_so(ada, bank, page):
    bill = sent(ada, pdf()).json["document"]
    batch = imported(ada)
    age(ada, bank, years=12)
    sent(ada, pdf("newer"), "newer.pdf")
    lock(ada, f"{YEAR - 1}-12-31")
    keep_for(page, "10")
    assert "2 files are older: received before" in page.get(PAGE).text

    assert page.post(f"{PAGE}/delete").status_code == 303

    assert "No file came before" in page.get(PAGE).text
    gone = ada.get(f"/api/documents/{bill['id']}/file")
    assert (gone.status_code, gone.json["code"]) == (410, "file_thrown_away")
    assert "The file was deleted on" in page.get(f"/documents/{bill['id']}").text
    assert ada.get(f"/api/documents/{bill['id']}").json["document"]["sha256"] == bill["sha256"]
    found = ada.get(f"/api/feeds/imports/{batch['id']}").json["import"]
    assert found["file"]["thrownAwayAt"] is not None
    assert ada.get(f"/api/feeds/imports/{batch['id']}/file").status_code == 410
    assert ada.get("/api/documents/2/file").status_code == 200
    assert bank.ask(lambda: [*checks.files(), *checks.strays()]) == []
    (act,) = [
        each
        for each in ada.get("/api/action-requests?limit=5").json["actionRequests"]
        if each["kind"] == "delete_old_files"
    ]
    assert act["title"] == f"Deleted 2 files that came up to 1 Jul {YEAR - 12}"
    assert bill["sha256"] in {each["sha256"] for each in act["before"]["files"]}


def test_a_file_that_comes_again_after_it_was_deleted_is_kept_again(ada, bank, page):
    bill = sent(ada, pdf()).json["document"]
    age(ada, bank, years=12)
    lock(ada, f"{YEAR - 1}-12-31")
    keep_for(page, "10")
    page.post(f"{PAGE}/delete")
    assert ada.delete(f"/api/documents/{bill['id']}").status_code == 200

    again = sent(ada, pdf()).json["document"]

    assert ada.get(f"/api/documents/{again['id']}/file").data == pdf()
    page.post(f"{PAGE}/delete")
    assert ada.get(f"/api/documents/{again['id']}/file").data == pdf()


def test_files_of_open_periods_stay_however_old_they_are(ada, bank, page):
    sent(ada, pdf(), "old.pdf")
    sent(ada, pdf("newer"), "newer.pdf")
    age(ada, bank, years=12, name="old.pdf")
    age(ada, bank, years=11, name="newer.pdf")
    keep_for(page, "5")
    assert "no period is locked" in page.get(PAGE).text
    page.post(f"{PAGE}/delete")
    lock(ada, f"{YEAR - 12}-12-31")
    assert "Files that came after the lock date stay" in page.get(PAGE).text
    page.post(f"{PAGE}/delete")
    assert [ada.get(f"/api/documents/{each}/file").status_code for each in (1, 2)] == [410, 200]


def test_a_year_is_over_before_the_years_are_counted(ada, bank, page):
    """With financial years from July, what came on the last day of one stays a year less than the next day's."""
    ada.put("/api/financial-year", json={"firstMonth": 7})
    sent(ada, pdf(), "june.pdf")
    sent(ada, pdf("july"), "july.pdf")
    today = datetime.now(UTC).date()
    begun = date(today.year - (today.month < 7), 7, 1)
    came = datetime(begun.year - 3, 7, 1, 12, tzinfo=UTC)

    def move():
        for name, instant in (("june.pdf", came - timedelta(days=1)), ("july.pdf", came)):
            db.session.execute(
                sa.update(StoredFile)
                .where(StoredFile.organization_id == ada.organization_id, StoredFile.name == name)
                .values(created_at=instant)
            )
        db.session.commit()

    bank.ask(move)
    lock(ada, f"{begun.year - 1}-12-31")
    keep_for(page, "3")
    page.post(f"{PAGE}/delete")
    assert [ada.get(f"/api/documents/{each}/file").status_code for each in (1, 2)] == [410, 200]


def test_what_waits_in_the_inbox_stays(ada, bank, page):
    waiting = keep_waiting(ada, ("page.html", WEB_PAGE))
    age(ada, bank, years=12)
    lock(ada, f"{YEAR - 1}-12-31")
    keep_for(page, "1")
    page.post(f"{PAGE}/delete")
    assert ada.get(f"/api/inbox/{waiting['page.html']}/file").data == WEB_PAGE


def test_the_command_counts_old_files_and_deletes_them_in_parts(app, ada, bank, page, monkeypatch):
    def run(*words):
        with app.app_context():
            return CliRunner().invoke(main, words, catch_exceptions=False)

    for number in range(3):
        sent(ada, pdf(f"{number}"), f"{number}.pdf")
    age(ada, bank, years=12)
    lock(ada, f"{YEAR - 1}-12-31")
    monkeypatch.setattr("webapp.services.bookkeeping.retention.MOST_AT_ONCE", 2)
    words = ["delete-old-files", "--organization", ada.organization_id]
    assert run(*words).stdout == "Files of this organization stay for ever.\n"
    keep_for(page, "10")
    assert run(*words).stdout == f"3 files came before 1 Jan {YEAR - 10}; delete with --yes.\n"
    assert run(*words, "--yes").stdout == f"3 files deleted, which came before 1 Jan {YEAR - 10}.\n"
    assert [ada.get(f"/api/documents/{each}/file").status_code for each in (1, 2, 3)] == [410] * 3
