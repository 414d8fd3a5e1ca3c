"""The pages of rules: the list and its order, the form with its preview, applying, runs, undoing and versions."""

import json
import re
from html import unescape

import pytest

from tests.fixtures.feeds import line
from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.owed import keep_items, owe
from webapp.database.sessions import db
from webapp.pages.rules import previews
from webapp.services.rules import runs

RULES = "/api/automations/rules"


def said(answer):
    return " ".join(re.sub(r"<[^>]+>", " ", unescape(answer.text)).split())


def form(**more):
    return {
        "name": "Coffee",
        "target": "TRANSACTION",
        "trigger": "MANUAL_APPLY",
        "priority": "100",
        "isActive": "true",
        "conditions.match": "ALL",
        "conditions.conditions.0.field": "DESCRIPTION",
        "conditions.conditions.0.operator": "CONTAINS",
        "conditions.conditions.0.value": "coffee",
        "effects.0.kind": "SET_ACCOUNT",
        **more,
    }


def make(person, name="Coffee", text="coffee", **more):
    answer = person.post(
        RULES,
        json={
            "name": name,
            "conditions": {"conditions": [{"field": "DESCRIPTION", "value": text}]},
            "effects": [{"kind": "SET_CURRENCY", "currency": "EUR"}],
            "trigger": "MANUAL_APPLY",
            **more,
        },
    )
    assert answer.status_code == 201, answer.json
    return answer.json["rule"]["id"]


def order(person):
    return [rule["name"] for rule in person.get(RULES).json["rules"]]


@pytest.fixture
def pages(ada):
    return ada.browser()


@pytest.fixture
def food(bank):
    return bank.account("Food")


def test_the_list_says_each_rule_in_a_sentence_and_in_their_order(ada, pages, food):
    assert "No rule yet" in said(pages.get("/rules"))
    make(ada, "Second", priority=200, effects=[{"kind": "SET_ACCOUNT", "accountId": food}])
    make(ada, "Everything", conditions={"conditions": []})
    page = said(pages.get("/rules"))
    assert "If description contains “coffee”, set account Food." in page
    assert "Matches everything: set currency EUR." in page
    assert page.index("Everything") < page.index("Second")


def test_a_rule_moves_in_one_act_and_whoever_looks_sees_the_order_that_runs(ada, pages):
    first, second, third = (make(ada, name) for name in ("First", "Second", "Third"))
    assert pages.post(f"/rules/{third}/move", data={"beforeId": first}).status_code == 303
    assert order(ada) == ["Third", "First", "Second"]
    answer = pages.htmx("POST", f"/rules/{third}/move", target="section#rules", data={"beforeId": ""})
    assert answer.text.lstrip().startswith('<section id="rules"')
    assert order(ada) == ["First", "Second", "Third"]
    acts = ada.get("/api/action-requests?kind=move_rule").json["actionRequests"]
    assert len(acts) == 2
    assert [each["name"] for each in acts[1]["after"]["priorities"]]
    pages.post(f"/rules/{second}/move", data={"beforeId": third})
    assert len(ada.get("/api/action-requests?kind=move_rule").json["actionRequests"]) == 2


def test_a_rule_is_switched_off_and_on_and_each_is_a_version(ada, pages):
    rule = make(ada)
    pages.post(f"/rules/{rule}/switch", data={"isActive": "false"})
    assert ada.get(f"{RULES}/{rule}").json["rule"]["isActive"] is False
    pages.post(f"/rules/{rule}/switch", data={"isActive": "true"})
    versions = ada.get(f"{RULES}/{rule}/versions").json["versions"]
    assert [(each["version"], each["isActive"]) for each in versions] == [(3, True), (2, False), (1, True)]


def test_the_form_makes_a_rule_as_the_api_would(ada, pages, food, bank):
    data = form(
        **{
            "effects.0.accountId": str(food),
            "conditions.conditions.1.field": "AMOUNT",
            "conditions.conditions.1.operator": "BETWEEN",
            "conditions.conditions.1.value": "−1,250.00",
            "conditions.conditions.1.last": "-5",
            "conditions.conditions.2.field": "FEED_ACCOUNT",
            "conditions.conditions.2.operator": "IN",
            "conditions.conditions.2.value": [str(bank.open("One")), str(bank.open("Two"))],
            "effects.1.kind": "SET_CURRENCY",
            "effects.1.currency": "usd",
        }
    )
    answer = pages.post("/rules/new", data=data)
    assert (answer.status_code, answer.location) == (303, "/rules")
    (rule,) = ada.get(RULES).json["rules"]
    assert [each["value"] for each in rule["conditions"]["conditions"]] == ["coffee", "-1250.00..-5", "1,2"]
    assert rule["effects"] == [
        {"kind": "SET_ACCOUNT", "accountId": food, "sortOrder": 0},
        {"kind": "SET_CURRENCY", "currency": "USD", "sortOrder": 1},
    ]
    page = pages.get(f"/rules/{rule['id']}").text
    assert 'value="−1,250.00"' in page
    assert "bank account is one of One, Two" in said(pages.get("/rules"))


@on_sqlite
@pytest.mark.parametrize(
    ("more", "place", "sentence"),
    [
        ({"name": ""}, "field-name", "Give the rule a name."),
        ({"priority": "soon"}, "field-priority", "Enter a whole number."),
        (
            {"conditions.conditions.0.value": ""},
            "note-conditions-conditions-0",
            "Give a value to compare with.",
        ),
        (
            {"conditions.conditions.0.operator": "MATCHES", "conditions.conditions.0.value": "(a"},
            "note-conditions-conditions-0",
            "is not a regular expression",
        ),
        (
            {
                "conditions.conditions.0.field": "AMOUNT",
                "conditions.conditions.0.operator": "BETWEEN",
                "conditions.conditions.0.value": "10.00",
            },
            "note-conditions-conditions-0",
            '"Between" needs two ends, like 10.00..250.00.',
        ),
        ({"effects.0.accountId": ""}, "note-effects-0", "Choose an account."),
        ({"effects.0.accountId": "999999"}, "note-effects-0", "There is nothing under this id."),
        (
            {"effects.0.kind": "SET_CURRENCY", "effects.0.currency": "XXQ"},
            "note-effects-0",
            "not an ISO 4217",
        ),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_beside_it_and_what_was_typed_stays(ada, pages, food, more, place, sentence):
    answer = pages.post("/rules/new", data=form(**{"effects.0.accountId": str(food), **more}))
    assert answer.status_code == 422
    _, _, behind = unescape(answer.text).partition(f'id="{place}')
    assert sentence in behind[:700]
    assert ada.get(RULES).json["rules"] == []
    for name, value in more.items():
        if value and name.endswith((".value", ".currency")):
            assert f'name="{name}"' in answer.text
            assert f'value="{value}"' in answer.text


def test_the_preview_follows_what_is_typed_and_writes_nothing(ada, pages, food, three):
    data = form(**{"effects.0.accountId": str(food)})
    answer = pages.htmx("POST", "/rules/try", target="div#found", data=data)
    assert answer.status_code == 200
    assert 'hx-target="#found"' in answer.text
    page = said(answer)
    assert "2 lines match" in page
    assert "Coffee Bar" in page
    assert "Uncategorised expenses → Food" in page
    assert "Rent" not in page
    assert ada.get(RULES).json["rules"] == []
    assert ada.get("/api/action-requests?kind=create_rule").json["actionRequests"] == []


def test_a_wrong_condition_is_left_out_of_the_preview_and_said_beside_it(pages, food, three):
    data = form(
        **{
            "effects.0.accountId": str(food),
            "conditions.conditions.1.field": "AMOUNT",
            "conditions.conditions.1.operator": "LESS_THAN",
            "conditions.conditions.1.value": "ten",
        }
    )
    answer = pages.htmx("POST", "/rules/try", target="div#found", data=data)
    assert "2 lines match" in said(answer)
    _, _, behind = unescape(answer.text).partition('id="note-conditions-conditions-1"')
    assert 'An amount is written like -12.50; "ten" is not.' in behind[:500]


def test_rows_come_and_go_and_fit_their_field_without_scripts(pages, food):
    data = form(**{"effects.0.accountId": str(food)})
    page = pages.post("/rules/try?add=condition", data=data).text
    assert 'name="conditions.conditions.1.field"' in page
    assert 'name="effects.1.kind"' in pages.post("/rules/try?add=effect", data=data).text
    assert (
        'name="conditions.conditions.0.field"'
        not in pages.post("/rules/try?remove=conditions.0", data=data).text
    )
    amount = data | {"conditions.conditions.0.field": "AMOUNT", "conditions.conditions.0.operator": "MATCHES"}
    page = pages.post("/rules/try?fit=1", data=amount).text
    row = page.partition('name="conditions.conditions.0.operator"')[2].partition("</select>")[0]
    assert re.findall(r'value="(\w+)" selected', row) == ["EQUALS"]
    assert "MATCHES" not in row


def test_a_rule_is_applied_as_previewed_and_its_run_shows_each_field(ada, pages, food, three):
    rule = make(ada, effects=[{"kind": "SET_ACCOUNT", "accountId": food}])
    page = pages.get(f"/rules/{rule}/preview").text
    digest = re.search(r'name="digest" value="(\w+)"', page)[1]
    assert "Apply to 2 lines" in page
    answer = pages.post(f"/rules/{rule}/apply", data={"digest": digest})
    assert (answer.status_code, answer.location) == (303, "/rules/runs/1")
    page = said(pages.get("/rules/runs/1"))
    assert "2 lines matched, 2 changed." in page
    assert page.count("Uncategorised expenses → Food") == 2
    assert page.count("In effect") == 2
    assert "Coffee v1" in said(pages.get("/rules/runs"))


def test_a_refused_run_is_shown_while_others_write(ada, pages, food, three, monkeypatch):
    """What the page reads once more of a large book takes seconds."""
    reads, shown = [], previews.shown_preview

    def watched(*arguments):
        reads.append(db.session.connection().get_execution_options().get("read_only"))
        return shown(*arguments)

    monkeypatch.setattr(previews, "shown_preview", watched)
    rule = make(ada, effects=[{"kind": "SET_ACCOUNT", "accountId": food}])
    assert pages.post(f"/rules/{rule}/apply", data={"digest": "0" * 64}).status_code == 409
    assert reads == [True]


def test_a_preview_that_has_moved_is_shown_anew(ada, pages, food, three, feed):
    rule = make(ada, effects=[{"kind": "SET_ACCOUNT", "accountId": food}])
    page = pages.get(f"/rules/{rule}/preview").text
    digest = re.search(r'name="digest" value="(\w+)"', page)[1]
    feed.push(added=[line("A4")])
    answer = pages.post(f"/rules/{rule}/apply", data={"digest": digest})
    assert answer.status_code == 409
    assert "The books have changed since this was shown." in said(answer)
    assert "Apply to 3 lines" in said(answer)
    assert digest not in answer.text


def test_undoing_asks_first_and_names_what_stays(ada, pages, food, three, bank):
    rule = make(ada, effects=[{"kind": "SET_ACCOUNT", "accountId": food}])
    digest = re.search(r'name="digest" value="(\w+)"', pages.get(f"/rules/{rule}/preview").text)[1]
    pages.post(f"/rules/{rule}/apply", data={"digest": digest})
    ada.patch(f"/api/transactions/{three[0]}", json={"accountId": bank.account("Travel")})
    page = said(pages.get("/rules/runs/1/undo"))
    assert "1 field stays unchanged, because somebody changed it since." in page
    assert "It was changed since." in page
    assert ada.get(f"/api/transactions/{three[1]}").json["transaction"]["accountId"] == food
    assert pages.post("/rules/runs/1/undo").location == "/rules/runs/1"
    assert ada.get(f"/api/transactions/{three[1]}").json["transaction"]["accountId"] != food
    page = said(pages.get("/rules/runs/1"))
    assert ("Undone" in page, "Changed since" in page) == (True, True)
    again = pages.post("/rules/runs/1/undo")
    assert (again.status_code, "This run was undone already" in said(again)) == (409, True)


def test_two_who_change_a_rule_are_told_and_both_versions_are_there(ada, ben, pages, food):
    rule = make(ada, effects=[{"kind": "SET_ACCOUNT", "accountId": food}])
    assert 'name="version" value="1"' in pages.get(f"/rules/{rule}").text
    data = form(**{"effects.0.accountId": str(food), "version": "1"})
    theirs = data | {"conditions.conditions.0.value": "tea"}
    assert ben.browser().post(f"/rules/{rule}", data=theirs).status_code == 303
    stale = pages.post(f"/rules/{rule}", data=data | {"conditions.conditions.0.value": "cocoa"})
    assert stale.status_code == 409
    assert "Ben changed this rule after you opened it." in said(stale)
    assert "If description contains “tea”, set account Food." in said(stale)
    assert 'value="cocoa"' in stale.text
    mine = re.search(r'name="version" value="(\d+)">Overwrite it with mine', stale.text)[1]
    assert pages.post(f"/rules/{rule}", data=data | {"version": mine}).status_code == 303
    assert ada.get(f"{RULES}/{rule}").json["rule"]["version"] == 3


def test_what_a_rule_said_is_kept_for_good_also_after_it_is_deleted(ada, pages, bank):
    rule = make(ada)
    body = ada.get(f"{RULES}/{rule}").json["rule"]
    ada.put(f"{RULES}/{rule}", json={"name": "Tea", "effects": body["effects"]})
    page = said(pages.get(f"/rules/{rule}/versions"))
    assert "If description contains “coffee”, set currency EUR." in page
    assert "Matches everything: set currency EUR." in page
    assert pages.post(f"/rules/{rule}/delete").location == "/rules"
    assert "This rule was deleted." in said(pages.get(f"/rules/{rule}/versions"))
    versions = ada.get(f"{RULES}/{rule}/versions").json["versions"]
    assert [(each["version"], each["name"]) for each in versions] == [(2, "Tea"), (1, "Coffee")]
    assert ada.get(f"{RULES}/999999/versions").status_code == 404


@on_sqlite
def test_a_viewer_looks_and_changes_nothing(ada, cleo):
    rule = make(ada)
    pages = cleo.browser()
    page = pages.get("/rules").text
    assert "Coffee" in page
    assert not re.search(r"/(move|switch|delete)", page)
    assert pages.get(f"/rules/{rule}").location == f"/rules/{rule}/preview"
    assert "Apply to" not in pages.get(f"/rules/{rule}/preview").text
    for path in (f"/rules/{rule}", f"/rules/{rule}/move", "/rules/new", "/rules/try"):
        assert pages.post(path, data=form()).status_code == 403


@on_sqlite
def test_a_new_form_is_filled_from_its_address_or_from_another_rule(ada, pages, food):
    page = pages.get(f"/rules/new?name=Travel&value=uber&accountId={food}&field=COUNTERPARTY").text
    assert 'value="uber"' in page
    assert f'<option value="{food}" selected' in page
    assert 'value="COUNTERPARTY" selected' in page
    rule = make(ada, "Tea", "tea")
    page = pages.get(f"/rules/new?copy={rule}").text
    assert 'value="Tea (copy)"' in page
    assert 'name="version"' not in page


def test_a_line_tells_which_rule_set_it_when_and_condition_by_condition_why(ada, pages, food, feed, three):
    rule = make(ada, effects=[{"kind": "SET_ACCOUNT", "accountId": food}], trigger="TRANSACTION_INGESTED")
    make(ada, "Large", conditions={"conditions": [
        {"field": "DIRECTION", "operator": "EQUALS", "value": "OUT"},
        {"field": "AMOUNT_ABS", "operator": "GREATER_THAN", "value": "100"},
    ]}, trigger="TRANSACTION_INGESTED")  # fmt: skip
    (came,) = feed.results(added=[line("A4", description="Coffee Cart")])
    ada.put(f"{RULES}/{rule}", json={"name": "Tea", "conditions": {"conditions": [{"value": "tea"}]},
                                     "effects": [{"kind": "SET_ACCOUNT", "accountId": food}]})  # fmt: skip
    address = f"/feeds/{feed.fa_id}?show=all&line={came['transactionId']}"
    assert 'class="by-rule"' in pages.get(f"/feeds/{feed.fa_id}?show=all").text
    page = said(pages.get(f"{address}&edit=why"))
    assert "Uncategorised expenses → Food by Coffee, version 1" in page
    assert "True: description contains “coffee”" in page
    part = pages.htmx("GET", f"{address}&edit=why", target=f"tbody#line-{came['transactionId']}")
    assert "Large does not match. True: it is money out Not true: amount (+/−)" in said(part)
    assert "No rule changed this line." in said(
        pages.get(f"/feeds/{feed.fa_id}?show=all&line={three[2]}&edit=why")
    )


def test_a_page_that_waits_is_told_how_far_a_rule_is(ada, cleo, pages, food, three, house, monkeypatch):
    rule = make(ada, effects=[{"kind": "SET_ACCOUNT", "accountId": food}])
    digest = re.search(r'name="digest" value="(\w+)"', pages.get(f"/rules/{rule}/preview").text)[1]
    folder = house.settings.instance_path / "progress"
    told, whole = [], runs.apply

    def watched(*args, progress, **facts):
        def tell(done, total):
            progress(done, total)
            (file,) = folder.iterdir()
            told.append((file.name, json.loads(file.read_text())))

        return whole(*args, progress=tell, **facts)

    monkeypatch.setattr(runs, "apply", watched)
    assert pages.post(f"/rules/{rule}/apply", data={"digest": digest}).status_code == 303
    assert [sentence for _, sentence in told] == ["3 of 3 lines done"]
    assert list(folder.iterdir()) == []
    running = folder / told[0][0]
    running.write_text(json.dumps(told[0][1]))
    waiting = cleo.browser().get(f"/rules/{rule}/progress").text
    running.unlink()
    assert "Applying: 3 of 3 lines done." in waiting
    assert f'hx-get="/rules/{rule}/progress"' in waiting


def test_a_rule_on_receipts_is_tried_applied_and_undone_on_documents(ada, pages, food, bank):
    bill = {"documentType": "BILL", "sender": "Hetzner", "total": "12.00", "currency": "EUR"}
    document = ada.post("/api/documents", json=bill).json["document"]["id"]
    rule = make(
        ada, "Servers", target="RECEIPT", trigger="MANUAL_APPLY",
        conditions={"conditions": [{"field": "SENDER", "value": "hetzner"}]},
        effects=[{"kind": "SET_ACCOUNT", "accountId": food}],
    )  # fmt: skip
    page = pages.get(f"/rules/{rule}/preview")
    assert "1 document matches" in said(page)
    assert "Apply to 1 document" in said(page)
    digest = re.search(r'name="digest" value="(\w+)"', page.text)[1]
    assert pages.post(f"/rules/{rule}/apply", data={"digest": digest}).location == "/rules/runs/1"
    page = pages.get("/rules/runs/1")
    assert "1 document matched, 1 changed." in said(page)
    assert f'href="/documents/{document}"' in page.text
    assert "none → Food" in said(page)
    ada.patch(f"/api/documents/{document}", json={"accountId": bank.account("Travel")})
    assert "1 field stays unchanged" in said(pages.get("/rules/runs/1/undo"))


def test_a_rule_that_settles_by_reference_is_made_without_a_value_and_shows_what_each_line_pays(
    ada, pages, books, bank, feed
):
    keep_items(ada, books.account_id("Trade receivables"))
    owe(ada, books, "400.00", bank.merchant("Acme"), reference="RE-2026-17")
    feed.push(added=[line("P1", "400.00", description="Thanks for RE 2026-17")])
    data = form(**{"conditions.conditions.0.value": "thanks", "effects.0.kind": "SETTLE_BY_REFERENCE"})
    assert pages.post("/rules/new", data=data).status_code == 303
    (rule,) = ada.get(RULES).json["rules"]
    assert rule["effects"] == [{"kind": "SETTLE_BY_REFERENCE", "sortOrder": 0}]
    assert "If description contains “thanks”, pay the open item in its text." in said(pages.get("/rules"))
    assert 'value="SETTLE_BY_REFERENCE" selected' in pages.get(f"/rules/{rule['id']}").text
    page = pages.get(f"/rules/{rule['id']}/preview").text
    assert "RE-2026-17" in page
    digest = re.search(r'name="digest" value="(\w+)"', page)[1]
    assert pages.post(f"/rules/{rule['id']}/apply", data={"digest": digest}).status_code == 303
    assert "Payment none → RE-2026-17" in said(pages.get("/rules/runs/1"))
    there = feed.one()
    why = said(pages.get(f"/feeds/{feed.fa_id}?show=all&line={there['id']}&edit=why"))
    assert "Payment RE-2026-17 by Coffee, version 1" in why
