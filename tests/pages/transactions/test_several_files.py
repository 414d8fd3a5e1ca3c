"""Several files at once: each is previewed with its own verdict, and imported from the list."""

import io
import re

from tests.api.imports.test_imports import MARCH, imported
from tests.fixtures.bank_files.camt_files import entry, message, statement
from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.pages.imports.test_imports import take, text_of
from tests.pages.transactions.test_after_imports import december


def send(browser, *files):
    parts = [(io.BytesIO(data), name) for name, data in files]
    return browser.post("/imports", data={"file": parts})


def test_each_file_has_its_own_verdict_and_a_refused_one_stops_none(ben):
    browser, _ = take(ben, december())
    january = december("23.06", "13.06", days=("2014-01-03", "2014-01-31"), on="2014-01-31")
    files = ("old.xml", december()), ("noise.xml", b"<html>not a bank file</html>"), ("new.xml", january)
    answer = send(browser, *files)
    assert answer.status_code == 303
    text = text_of(browser, answer.headers["Location"].partition("#")[0])
    assert "Lantern Studio: 0 new, 2 duplicates" in text
    assert "Lantern Studio: 2 new, 0 duplicates" in text
    assert "Refused" in text
    assert "Import 2 lines" in text
    assert len(ben.get("/api/transactions").json["transactions"]) == 2


def test_too_many_files_are_refused_before_one_is_read(ben):
    browser = ben.browser()
    answer = send(browser, *((f"{place}.xml", b"x") for place in range(21)))
    assert answer.status_code == 422
    assert "These are 21 files. Send at most 20 at once." in answer.text
    assert "0.xml" not in browser.get("/imports").text


def test_a_file_of_a_new_account_says_so(ben):
    browser = ben.browser()
    send(
        browser,
        ("a.xml", december()),
        ("b.xml", december("10.00", "5.00", days=("2014-02-01",), on="2014-02-01")),
    )
    assert "(new account): 2 new, 0 duplicates" in text_of(browser, "/imports")


def commit_all(browser):
    """Press the button that imports all files without a question."""
    form = browser.get("/imports").text.partition('action="/imports/commit"')[2].partition("</form>")[0]
    ids = re.findall(r'name="ids" value="(\d+)"', form)
    assert browser.post("/imports/commit", data={"ids": ids}).status_code == 303
    return " ".join(form.split())


def test_files_without_a_question_are_imported_together_from_the_oldest_on(ben):
    browser = ben.browser()
    january = december("23.06", "13.06", days=("2014-01-03", "2014-01-31"), on="2014-01-31")
    wrong = december("13.06", "99.00", days=("2014-02-03",), on="2014-02-28")
    send(browser, ("new.xml", january), ("old.xml", december()), ("wrong.xml", wrong))
    assert "Import both files (4 lines)" in commit_all(browser)
    lines = ben.get("/api/transactions").json["transactions"]
    assert sorted(line["bookedOn"] for line in lines) == [
        "2013-12-27",
        "2013-12-30",
        "2014-01-03",
        "2014-01-31",
    ]
    assert "Look at it first" in browser.get("/imports").text
    listed = ben.get("/api/feeds/imports").json["imports"]
    assert {each["fileName"]: each["status"] for each in listed} == {
        "old.xml": "IMPORTED",
        "new.xml": "IMPORTED",
        "wrong.xml": "PREVIEWED",
    }


def test_a_file_that_the_one_before_made_doubtful_waits_for_a_person(ben):
    imported(ben, bank_file(Line("2026-02-02", "-1.00", "Tea", "F0")))
    same = message(statement(entry("2.50", booked="2026-03-02", reference="B1"), number="4711"))
    browser = ben.browser()
    send(browser, ("march.ofx", bank_file(*MARCH)), ("march.xml", same))
    assert "Import both files (4 lines)" in commit_all(browser)
    assert len(ben.get("/api/transactions").json["transactions"]) == 4
    listed = {each["fileName"]: each["status"] for each in ben.get("/api/feeds/imports").json["imports"]}
    assert (listed["march.ofx"], listed["march.xml"]) == ("IMPORTED", "PREVIEWED")
