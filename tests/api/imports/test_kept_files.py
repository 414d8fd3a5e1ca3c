"""The bank's own file stays: kept once, byte for byte, downloadable from its import, gone with the import."""

import gzip
import io
import json
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.feeds import line as pushed
from webapp.models import Import, StoredFile
from webapp.queries import checks
from webapp.services.storage import stored_files

pytestmark = pytest.mark.usefixtures("sound")
IMPORTS = "/api/feeds/imports"
MARCH = bank_file(Line("2026-03-02", "-2.50", "Coffee", "c-1"), Line("2026-03-03", "-7.00", "Lunch", "c-2"))


def take(person, data=MARCH, name="march.ofx"):
    answer = person.post(IMPORTS, data={"file": (io.BytesIO(data), name)}, content_type="multipart/form-data")
    assert answer.status_code == 201, answer.json
    return answer.json["import"]


def test_an_imported_file_is_kept_once_and_comes_back_byte_for_byte(ben, bank, kept_documents):
    first, again = take(ben), take(ben, name="march again.ofx")
    (path,) = kept_documents()
    assert gzip.decompress(path.read_bytes()) == MARCH, "as gzip has it, so that any tool opens it"
    for imported in (first, again):
        answer = ben.get(f"{IMPORTS}/{imported['id']}/file")
        assert (answer.status_code, answer.data) == (200, MARCH)
        assert answer.headers["Content-Disposition"].startswith("attachment")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert first["file"] == {"sha256": path.name[:64], "size": len(MARCH), "fileType": "text/plain"} | {
        "name": "march.ofx",
        "thrownAwayAt": None,
    }


def test_a_file_goes_with_the_last_import_that_has_it(ben, bank, kept_documents):
    first, again = take(ben), take(ben)
    assert ben.delete(f"{IMPORTS}/{first['id']}").status_code == 200
    assert len(kept_documents()) == 1
    assert ben.get(f"{IMPORTS}/{again['id']}/file").data == MARCH
    assert ben.delete(f"{IMPORTS}/{again['id']}").status_code == 200
    assert kept_documents() == set()


def test_the_same_file_comes_back_after_it_was_taken_back(ben, bank, kept_documents):
    assert ben.delete(f"{IMPORTS}/{take(ben)['id']}").status_code == 200
    assert ben.get(f"{IMPORTS}/{take(ben)['id']}/file").data == MARCH
    assert len(kept_documents()) == 1


def test_a_line_names_the_file_that_brought_it(ben, bank):
    imported = take(ben)
    line = imported["transactionIds"][0]
    answer = ben.get(f"/api/transactions/{line}/file")
    assert (answer.status_code, answer.data) == (200, MARCH)


@pytest.mark.parametrize(("most", "files"), [(64 * 1024, 0), (10, 1)], ids=["in its row", "in a file"])
def test_a_pushed_batch_stays_as_its_provider_sent_it(ben, feed, kept_documents, monkeypatch, most, files):
    monkeypatch.setattr(stored_files, "MOST_IN_ROW", most)
    (result,) = feed.results(added=[pushed("A1")])
    assert len(kept_documents()) == files
    answer = ben.get(f"/api/transactions/{result['transactionId']}/file")
    assert answer.status_code == 200
    assert json.loads(answer.data)["added"][0]["providerTransactionId"] == "A1"


def test_check_finds_a_pushed_batch_that_was_changed_in_its_row(feed, bank, session):
    feed.results(added=[pushed("A1")])
    (stored,) = session.scalars(sa.select(StoredFile).where(StoredFile.content.is_not(None))).all()
    whole = stored.content
    stored.content = whole[:-9]
    session.commit()
    (violation,) = bank.ask(lambda: list(checks.violations()))
    assert (violation.code, violation.about["file"]) == ("bank_file_differs", stored.sha256)
    stored.content = whole
    session.commit()


def test_a_line_offers_its_file_only_where_one_is_kept(ben, bank, session, kept_documents):
    line = take(ben)["transactionIds"][0]
    fa_id = ben.get(f"/api/transactions/{line}").json["transaction"]["faId"]
    browser, address = ben.browser(), f"/feeds/{fa_id}?show=all&line={line}"
    assert f'href="/transactions/{line}/file"' in browser.get(address).text
    # As every line from before files were kept.
    session.execute(sa.update(Import).values(file_id=None))
    session.execute(sa.delete(StoredFile))
    session.commit()
    for path in kept_documents():
        path.unlink()
    assert f'href="/transactions/{line}/file"' not in browser.get(address).text


def test_a_refused_file_leaves_nothing(ben, bank, kept_documents):
    data = {"file": (io.BytesIO(b"no statement at all"), "x.txt")}
    assert ben.post(IMPORTS, data=data, content_type="multipart/form-data").status_code == 422
    assert kept_documents() == set()


def test_check_finds_a_bank_file_that_is_gone_changed_or_without_a_row(ben, bank, kept_documents):
    imported = take(ben)
    (path,) = kept_documents()
    whole = path.read_bytes()
    found = []
    for change in (
        Path.unlink,
        lambda path: path.write_bytes(whole[:-9]),
        lambda path: path.write_bytes(b"x"),
    ):
        change(path)
        found += [(each.code, each.about["importId"]) for each in bank.ask(lambda: list(checks.violations()))]
        path.write_bytes(whole)
    assert found == [("bank_file_missing", imported["id"]), *[("bank_file_differs", imported["id"])] * 2]
    stray = path.with_name("0" * 64 + "-00000000")
    stray.write_bytes(b"nobody's")
    assert [each.code for each in bank.ask(lambda: list(checks.violations()))] == ["file_without_row"]
    stray.unlink()


def test_nobody_reads_the_file_of_other_books(ben, dan, bank):
    imported = take(ben)
    assert dan.get(f"{IMPORTS}/{imported['id']}/file").status_code == 404
    assert dan.get(f"/api/transactions/{imported['transactionIds'][0]}/file").status_code == 404
