"""Several files at once: each is previewed with its own verdict, and imported from the list."""

import io

from tests.pages.test_imports import take, text_of
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
    assert "Lantern Studio: 0 new, 2 already there" in text
    assert "Lantern Studio: 2 new, 0 already there" in text
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
    assert "(new account): 2 new, 0 already there" in text_of(browser, "/imports")
