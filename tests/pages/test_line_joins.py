"""What a feed did to a line is said on the line, settled there, and undone there; a paused feed is said on the hub."""

from html import unescape

from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.feeds import line
from tests.fixtures.helpers.marks import on_sqlite


def test_a_tip_is_settled_on_the_line_and_undone_there(ada, feed):
    feed.push(added=[line("P1", pending=True)])
    (result,) = feed.results(added=[line("B1", "-15.00")])
    waiting, line_id = feed.one(status="PENDING"), result["transactionId"]
    browser, path = ada.browser(), f"/feeds/{feed.fa_id}"
    page = unescape(browser.get(path).text)
    assert "Same as the pending line?" in page
    assert "20 % less, as before a tip" in page
    form = {"transactionId": waiting["id"]}
    assert browser.post(f"/transactions/{line_id}/join", data=form).status_code == 303
    page = unescape(browser.get(f"{path}?show=all&line={line_id}").text)
    assert "Undo the join" in page
    assert "Same as the pending line?" not in page
    target = {"target": "lines", "headers": {"HX-Current-URL": path}, "data": form}
    part = browser.htmx("POST", f"/transactions/{line_id}/unjoin", **target)
    assert part.status_code == 200
    assert 'hx-target="#lines"' in part.text
    assert feed.one(status="PENDING")["id"] == waiting["id"]
    # They are apart already, so that doing it again changes nothing.
    assert browser.htmx("POST", f"/transactions/{line_id}/unjoin", **target).status_code == 200
    assert feed.one(status="PENDING")["id"] == waiting["id"]


def test_what_the_bank_changed_and_took_back_is_said_with_the_way_on(ada, feed):
    feed.push(added=[line(), line("A2", "-9.00", description="Bakery")])
    for each in feed.lines():
        ada.post(f"/api/transactions/{each['id']}/confirm")
    feed.push(modified=[line(amount="-13.00")], removed=["A2"])
    page = unescape(ada.browser().get(f"/feeds/{feed.fa_id}?show=all").text)
    assert '<s>-12.50</s> → <span class="changed">-13.00</span>' in page
    assert "Confirming posts the difference." in page
    assert "The bank removed this line." in page
    removed = feed.one(status="REMOVED")
    assert f'href="/journal/{removed["journalEntryId"]}"' in page


def test_a_line_says_which_sources_gave_it(ada, feed):
    feed.import_(bank_file(Line("2026-03-02", "-12.50", "COFFEE BAR", "F1"), account=None))
    (result,) = feed.results(added=[line()])
    page = ada.browser().get(f"/feeds/{feed.fa_id}?show=all&line={result['transactionId']}").text
    assert "<dt>Source</dt><dd>file and feed</dd>" in page
    assert "same day, amount and text" in page


@on_sqlite
def test_a_paused_feed_is_said_on_the_hub_until_an_owner_resumes_it(ada, ben, feed):
    for _ in range(3):
        feed.push(added=[line(day="1970-01-01")])
    for person, says in ((ada, "Resume the connection"), (ben, "An owner can resume it.")):
        page = unescape(person.browser().get("/").text)
        assert "The bank connection has been paused since" in page
        assert "1 Jan 1970 is more than 50 years ago." in page
        assert says in page
    assert "The bank connection has been paused" in ada.browser().get(f"/feeds/{feed.fa_id}").text
    assert ada.browser().post(f"/feeds/{feed.fa_id}/resume").status_code == 303
    assert "The feed has been paused" not in ada.browser().get("/").text
