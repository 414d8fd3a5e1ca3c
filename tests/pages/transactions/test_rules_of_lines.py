"""Making a rule from lines: the form is filled with what they have in common, and leads back to the same list."""

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.fixtures.helpers.marks import on_sqlite

pytestmark = on_sqlite
START = "/rules/of-lines"


@pytest.fixture
def meals(bank, ada):
    """Three lines of one shop, two of them on Travel, and a refund of another shop."""
    rows = [
        ("2026-03-02", "-4.10", "HOFER DANKT 0527 K2 19.10. 17:36"),
        ("2026-03-03", "-7.20", "HOFER DANKT 0812 K1 21.10. 09:12"),
        ("2026-03-04", "-3.00", "HOFER DANKT 1101"),
        ("2026-03-05", "9.00", "SPAR 4711"),
    ]
    ids = bank.send_many(rows)
    travel = bank.account("Travel")
    for line in ids[:2]:
        assert ada.patch(f"/api/transactions/{line}", json={"accountId": travel}).status_code == 200
    return ids, travel


def started(person, bank, *ids, list_query="show=unconfirmed&q=HOFER", **form):
    headers = {"Referer": f"http://localhost/feeds/{bank.fa_id}?{list_query}"}
    data = {"faId": str(bank.fa_id), "ids": [str(each) for each in ids], **form}
    answer = person.browser().post(START, data=data, headers=headers)
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]


def query_of(address):
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}


def test_a_line_fills_the_form_with_its_stable_text_its_direction_feed_and_account(ada, bank, meals):
    ids, travel = meals
    address = started(ada, bank, ids[0])
    assert query_of(address) | {"back": ""} == {
        "name": "HOFER DANKT", "field": "DESCRIPTION", "operator": "CONTAINS", "value": "HOFER DANKT",
        "direction": "OUT", "ofFaId": str(bank.fa_id), "accountId": str(travel), "back": "",
    }  # fmt: skip
    page = ada.browser().get(address).text
    assert 'value="HOFER DANKT"' in page
    assert f'<option value="{travel}" selected' in page
    assert 'value="DIRECTION" selected' in page
    assert 'value="FEED_ACCOUNT" selected' in page
    assert "<dd>3</dd> <dt>lines match</dt>" in page


def test_a_selection_that_has_not_one_account_leaves_it_open(ada, bank, meals):
    ids, travel = meals
    assert query_of(started(ada, bank, *ids[:2]))["accountId"] == str(travel)
    assert "accountId" not in query_of(started(ada, bank, *ids[:3]))
    mixed = query_of(started(ada, bank, ids[0], ids[3]))
    assert "direction" not in mixed
    assert "value" not in mixed


def test_all_lines_of_the_list_are_meant_where_that_is_chosen(ada, bank, meals):
    found = query_of(started(ada, bank, every="true", list_query="show=all&q=SPAR"))
    assert (found["value"], found["direction"]) == ("SPAR", "IN")


def test_saving_and_applying_lead_back_to_the_same_list_with_the_same_selection(ada, bank, meals):
    ids, travel = meals
    address = started(ada, bank, *ids[:2])
    back = query_of(address)["back"]
    lines = f"/feeds/{bank.fa_id}?show=unconfirmed&q=HOFER&selected={ids[0]}.{ids[1]}"
    browser = ada.browser()
    form = {
        "name": "Hofer", "target": "TRANSACTION", "trigger": "MANUAL_APPLY", "priority": "100", "isActive": "true",
        "conditions.match": "ALL", "conditions.conditions.0.field": "DESCRIPTION",
        "conditions.conditions.0.operator": "CONTAINS", "conditions.conditions.0.value": "HOFER DANKT",
        "effects.0.kind": "SET_ACCOUNT", "effects.0.accountId": str(travel), "back": back,
    }  # fmt: skip
    saved = browser.post("/rules/new", data=form)
    assert saved.headers["Location"] == lines
    page = browser.get(lines).text
    boxes = [part.partition(">")[0] for part in page.split('class="box"')[1:]]
    assert sorted(
        box.partition('value="')[2].partition('"')[0] for box in boxes if " checked" in box
    ) == sorted(str(each) for each in ids[:2])
    preview = browser.get(
        browser.post("/rules/new", data={**form, "applies": "true"}).headers["Location"]
    ).text
    digest = preview.partition('name="digest" value="')[2].partition('"')[0]
    applied = browser.post("/rules/2/apply", data={"digest": digest, "back": back})
    assert applied.status_code == 303, applied.text
    run = browser.get(applied.headers["Location"]).text
    assert f'href="{lines.replace("&", "&amp;")}">' in run


def test_the_way_back_never_leads_elsewhere(ada, bank, meals):
    for back in ("https://evil.example/", "//evil.example", f"{bank.fa_id}", "x?show=all"):
        page = ada.browser().get("/rules/new", query_string={"back": back}).text
        assert "evil.example" not in page.partition('<form id="rule"')[2].partition("editor-found")[
            0
        ].replace('name="back"', "")


def test_who_may_not_draft_makes_no_rule(cleo, bank, meals):
    ids, _ = meals
    data = {"faId": str(bank.fa_id), "ids": [str(ids[0])]}
    assert cleo.browser().post(START, data=data).status_code == 403
