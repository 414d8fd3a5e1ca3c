"""The first repair of a broken proof: a card that does what it is called, or leads to the button that does."""

import re
from html import unescape

import pytest

from tests.fixtures.helpers.marks import on_sqlite

pytestmark = on_sqlite


@pytest.fixture
def proved(bank, desk):
    """A proof of two lines; answers them."""
    bank.open("Main account")
    lines = bank.send_many([("2026-09-02", "1200.00", "Invoice 17"), ("2026-09-14", "-49.00", "Figma")])
    desk.confirm(*lines)
    desk.prove("2026-09-30", "1151.00")
    return lines


def repair(person):
    hub = person.browser().get("/").text
    address, text = re.search(r'class="repair" href="([^"]*)">(.*?)</a>', hub, re.DOTALL).groups()
    return " ".join(unescape(re.sub("<[^>]*>", " ", text)).split()), unescape(address)


def focused(person, address):
    page = person.browser().get(address).text
    return re.findall(
        r"<(?:button|input)[^>]*\sautofocus[^>]*>([^<]*(?:<svg.*?</svg>)?[^<]*)", page, re.DOTALL
    )


def test_a_voided_entry_of_a_line_is_confirmed_again(ada, desk, proved):
    desk.void(desk.line(proved[1])["journalEntryId"])
    text, address = repair(ada)
    assert text == "Confirm the line again Posts it again; the proof is valid again"
    assert len(focused(ada, address)) == 1
    assert focused(ada, address)[0].startswith("Confirm")


def test_the_page_of_a_voided_entry_asks_the_proof(ada, desk, proved):
    entry = desk.line(proved[1])["journalEntryId"]
    desk.void(entry)
    page = ada.browser().get(f"/journal/{entry}").text
    assert "Confirm the line again to make the proof valid again." in page
    desk.confirm(proved[1])
    page = ada.browser().get(f"/journal/{entry}").text
    assert "holds again once" not in page
    assert "Another entry has replaced it; the proof is valid." in page


def test_the_page_of_a_voided_entry_knows_what_else_breaks_the_proof(ada, desk, proved):
    first, second = (desk.line(each)["journalEntryId"] for each in proved)
    desk.void(first)
    desk.void(second)
    assert (
        "Confirm the line again. More than this line breaks the proof."
        in ada.browser().get(f"/journal/{second}").text
    )
    desk.confirm(proved[1])
    shown = [ada.browser().get(f"/journal/{each}").text for each in (first, second)]
    assert "Confirm the line again to make the proof valid again." in shown[0]
    assert "Another entry has replaced it. Something else breaks the proof." in shown[1]


def test_an_act_that_repairs_a_proof_answers_every_verdict_of_the_workspace(ada, desk, proved, bank):
    def parts(line_id):
        headers = {"HX-Request": "true", "HX-Target": f"tbody#line-{line_id}"}
        return (
            ada.browser()
            .post(f"/transactions/{line_id}/confirm", data={"asUncategorised": "true"}, headers=headers)
            .text
        )

    desk.void(desk.line(proved[1])["journalEntryId"])
    assert 'id="coverage"' in ada.browser().get("/feeds/1").text
    answer = parts(proved[1])
    coverage = answer[answer.index('hx-target="#coverage"') :]
    assert coverage.partition(">")[2].lstrip().startswith('<div id="coverage">'), (
        "one part takes the place of one"
    )
    assert "Broken" not in coverage
    assert "Proved" in coverage
    # The day of a new line is in no proof.
    assert "coverage" not in parts(bank.send("2026-10-09", "-7.00", "Parcel stamps"))


def test_a_line_that_came_late_is_left_out_once_its_entry_is_void(ada, bank, desk, proved):
    late = bank.send("2026-09-20", "-7.00", "Parcel stamps")
    text, address = repair(ada)
    assert text.startswith("Leave the line out of the books")
    assert focused(ada, address)[0].strip().endswith("Leave out of the books")
    desk.confirm(late)
    text, address = repair(ada)
    assert text.startswith("Void entry")
    assert len(focused(ada, address)) == 1
    assert 'name="reason"' in ada.browser().get(address).text


def test_a_viewer_is_only_led_to_the_line(cleo, desk, proved):
    desk.void(desk.line(proved[1])["journalEntryId"])
    text, address = repair(cleo)
    assert text.startswith("Open the line")
    assert focused(cleo, address) == []


def test_an_open_draft_is_no_repair_but_a_sentence(ada, desk, proved):
    desk.void(desk.line(proved[1])["journalEntryId"])
    desk.put("2026-10-31", "1151.00")
    hub = ada.browser().get("/").text
    assert "Reopen from" not in hub
    assert "Complete or cancel it" in hub
