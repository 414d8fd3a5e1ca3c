"""Versions: the ETag of a record, who polls with If-None-Match, and writes on condition of If-Match."""

from __future__ import annotations

import re

import pytest

from tests.contract.stories import Teller, tell
from tests.fixtures.helpers.marks import on_sqlite
from webapp.web.access import versions

DAY = "2026-03-02"


@pytest.fixture
def line(bank):
    return bank.send(DAY, "-12.50", "Tea")


@pytest.fixture
def food(bank):
    return bank.account("Food")


def tag_of(person, path):
    answer = person.get(path)
    assert answer.status_code == 200, answer.text
    return answer.headers["ETag"]


def held(tag):
    return {"headers": {"If-Match": tag}}


def refused(answer):
    return answer.status_code, answer.json["code"]


def test_who_polls_is_told_that_nothing_changed(ada, line, food):
    path = f"/api/transactions/{line}"
    first = ada.get(path)
    again = ada.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    assert again.headers["Cache-Control"] == "no-store"
    ada.patch(path, json={"accountId": food})
    changed = ada.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert changed.status_code == 200
    assert changed.headers["ETag"] != first.headers["ETag"]


def test_a_poll_takes_several_tags_and_weak_ones(ada, line):
    path = f"/api/transactions/{line}"
    tag = tag_of(ada, path)
    assert ada.get(path, headers={"If-None-Match": f'"other", W/{tag}'}).status_code == 304
    assert ada.get(path, headers={"If-None-Match": '"other"'}).status_code == 200


def test_a_representation_has_a_tag_of_its_own_with_the_same_version(ada, line, food):
    path = f"/api/transactions/{line}"
    whole, part, other = (tag_of(ada, f"{path}{query}") for query in ("", "?fields=id", "?fields=id,amount"))
    assert len({whole, part, other}) == 3
    assert len({versions.of_tag(each.strip('"')) for each in (whole, part, other)}) == 1
    assert ada.get(f"{path}?fields=id", headers={"If-None-Match": whole}).status_code == 200
    assert ada.patch(path, json={"accountId": food}, **held(part)).status_code == 200
    assert refused(ada.patch(path, json={"description": "x"}, **held(other))) == (412, "stale_version")


def test_a_part_changes_its_tag_with_the_keys_that_it_leaves_out(ada, line, food):
    path = f"/api/transactions/{line}"
    before = tag_of(ada, f"{path}?fields=id")
    ada.patch(path, json={"accountId": food})
    assert tag_of(ada, f"{path}?fields=id") != before


def test_a_summary_has_the_version_of_the_whole(ada, agent, line):
    waiting = agent.post(f"/api/transactions/{line}/confirm").json["actionRequest"]
    path = f"/api/action-requests/{waiting['id']}"
    whole, short = tag_of(ada, path), tag_of(ada, f"{path}?view=summary")
    assert whole != short
    assert versions.of_tag(whole.strip('"')) == versions.of_tag(short.strip('"'))
    decision = {"digest": waiting["digest"]}
    browser = ada.browser()
    assert refused(browser.post(f"{path}/approve", json=decision, headers={"If-Match": '"old"'})) == (
        412,
        "stale_version",
    )
    assert (
        browser.post(f"{path}/approve", json=decision, headers={"If-Match": short}).json["actionRequest"][
            "status"
        ]
        == "EXECUTED"
    )


def test_a_write_answers_with_the_tag_of_what_it_left(ada, line, food):
    path = f"/api/transactions/{line}"
    written = ada.patch(path, json={"accountId": food})
    assert written.headers["ETag"] == tag_of(ada, path)
    made = ada.post("/api/merchants", json={"name": "REWE"})
    assert made.headers["ETag"] == tag_of(ada, f"/api/merchants/{made.json['merchant']['id']}")


def test_the_second_who_writes_upon_the_same_version_is_refused(ada, ben, line, food, bank):
    path, care = f"/api/transactions/{line}", bank.account("Care")
    tag = tag_of(ada, path)
    assert ada.patch(path, json={"accountId": food}, **held(tag)).status_code == 200
    late = ben.patch(path, json={"accountId": care}, **held(tag))
    assert refused(late) == (412, "stale_version")
    assert "Read it again" in late.json["error"]
    assert ada.get(path).json["transaction"]["accountId"] == food
    assert tag_of(ada, path) == f'"{late.json["details"]["version"]}"'


@pytest.mark.parametrize(
    "change",
    [
        {"accountId": "@food"},
        {"projectId": "@project"},
        {"orgMerchantId": "@merchant"},
        {"description": "Green tea"},
        {"splits": [{"accountId": "@food", "amount": "-10.00"}, {"accountId": "@care", "amount": "-2.50"}]},
    ],
    ids=lambda change: next(iter(change)),
)
def test_all_that_a_write_changes_of_a_line_makes_its_version_stale(ada, bank, line, food, change):
    ids = {
        "@food": food,
        "@care": bank.account("Care"),
        "@project": bank.project("Leipzig"),
        "@merchant": bank.merchant("REWE"),
    }
    path = f"/api/transactions/{line}"
    tag = tag_of(ada, path)
    assert ada.patch(path, json=named(change, ids)).status_code == 200
    assert refused(ada.post(f"{path}/confirm", json={}, **held(tag))) == (412, "stale_version")
    assert ada.get(path).json["transaction"]["entryStatus"] == "DRAFT"


def named(value, ids):
    if isinstance(value, dict):
        return {key: named(inner, ids) for key, inner in value.items()}
    if isinstance(value, list):
        return [named(each, ids) for each in value]
    return ids.get(value, value)


def test_an_act_on_a_record_is_held_to_the_version_of_the_record(ada, line):
    path = f"/api/transactions/{line}"
    assert ada.post(f"{path}/confirm", json={}, **held(tag_of(ada, path))).json["changed"] is True
    entry = ada.get(path).json["transaction"]["journalEntryId"]
    stale = tag_of(ada, f"/api/journal-entries/{entry}")
    assert ada.post(f"/api/journal-entries/{entry}/void", json={"reason": "Wrong"}).status_code == 200
    assert refused(ada.delete(path, **held('"0"'))) == (412, "stale_version")
    again = ada.post(f"/api/journal-entries/{entry}/void", json={"reason": "Wrong"}, **held(stale))
    assert refused(again) == (412, "stale_version")


def test_a_statement_is_held_to_its_account(ada, desk, bank):
    line = bank.send("2026-10-02", "850.00")
    path = f"/api/reconciliations/accounts/{bank.fa_id}"
    tag = tag_of(ada, path)
    draft = {"statementDate": "2026-10-31", "statementBalance": "850.00"}
    opened = ada.put(f"{path}/draft", json=draft, **held(tag))
    assert opened.status_code == 200
    assert refused(ada.put(f"{path}/draft/lines", json={"cleared": [line]}, **held(tag))) == (
        412,
        "stale_version",
    )
    cleared = ada.put(f"{path}/draft/lines", json={"cleared": [line]}, **held(opened.headers["ETag"]))
    assert cleared.status_code == 200


def test_an_etag_and_a_version_in_the_body_both_have_to_hold(ada):
    rule = {"name": "A", "effects": [{"kind": "SET_CURRENCY", "currency": "EUR", "sortOrder": 1}]}
    made = ada.post("/api/automations/rules", json=rule)
    path, tag = f"/api/automations/rules/{made.json['rule']['id']}", made.headers["ETag"]
    assert refused(ada.put(path, json={**rule, "name": "B", "version": 2}, **held(tag)))[0] == 409
    assert refused(ada.put(path, json={**rule, "name": "B", "version": 1}, **held('"x"'))) == (
        412,
        "stale_version",
    )
    assert ada.put(path, json={**rule, "name": "B", "version": 1}, **held(tag)).status_code == 200


def test_what_has_no_version_says_so(ada, line, bank):
    for method, path, body in (
        ("POST", "/api/merchants", {"name": "REWE"}),
        ("PATCH", "/api/transactions", {"changes": [{"id": line, "description": "x"}]}),
        ("POST", "/api/transactions/confirm", {"ids": [line]}),
        ("POST", "/api/plans", {"title": "x", "steps": []}),
        ("POST", "/api/transfers/accept", None),
    ):
        answer = ada.ask(method, path, **({} if body is None else {"json": body}), **held('"x"'))
        assert refused(answer) == (412, "no_version"), path


def test_a_star_means_that_it_exists(ada, line, food):
    assert ada.patch(f"/api/transactions/{line}", json={"accountId": food}, **held("*")).status_code == 200
    assert ada.patch("/api/transactions/999999", json={"accountId": food}, **held("*")).status_code == 404
    assert ada.patch("/api/transactions/999999", json={"accountId": food}, **held('"x"')).status_code == 404


def test_a_weak_tag_matches_no_write(ada, line, food):
    path = f"/api/transactions/{line}"
    weak = f"W/{tag_of(ada, path)}"
    assert refused(ada.patch(path, json={"accountId": food}, **held(weak))) == (412, "stale_version")
    several = f'"other", {tag_of(ada, path)}'
    assert ada.patch(path, json={"accountId": food}, **held(several)).status_code == 200


def test_of_the_interface_document_it_counts_on_the_confirmation_alone(ada, bank, line):
    rule = {"name": "A", "effects": [{"kind": "SET_CURRENCY", "currency": "EUR", "sortOrder": 1}]}
    assert ada.post("/api/automations/rules", json=rule, **held('"x"')).status_code == 201
    assert ada.post("/api/projects/groups", json={"name": "A"}, **held('"x"')).status_code == 201
    abandon = f"/api/reconciliations/accounts/{bank.fa_id}/abandon"
    assert ada.post(abandon, **held('"x"')).json == {"ok": True}
    confirm = f"/api/transactions/{line}/confirm"
    assert refused(ada.post(confirm, json={}, **held('"x"'))) == (412, "stale_version")


def test_a_dry_run_is_held_to_it_as_the_call_is(ada, line, food):
    path = f"/api/transactions/{line}"
    tag = tag_of(ada, path)
    tried = ada.patch(f"{path}?dryRun=true", json={"accountId": food}, **held(tag))
    assert tried.json["dryRun"] is True
    assert "ETag" not in tried.headers
    assert refused(ada.patch(f"{path}?dryRun=true", json={"accountId": food}, **held('"x"')))[0] == 412


def test_the_same_call_again_under_its_key_is_answered_as_before(ada, line, food):
    path = f"/api/transactions/{line}"
    headers = {"If-Match": tag_of(ada, path), "Idempotency-Key": "one"}
    first = ada.patch(path, json={"accountId": food}, headers=headers)
    again = ada.patch(path, json={"accountId": food}, headers=headers)
    assert (again.status_code, again.json) == (200, first.json)
    assert again.headers["Idempotency-Replayed"] == "true"


def test_a_refused_condition_does_not_use_up_the_key(ada, line, food):
    path = f"/api/transactions/{line}"
    stale = ada.patch(path, json={"accountId": food}, headers={"If-Match": '"x"', "Idempotency-Key": "one"})
    assert stale.status_code == 412
    headers = {"If-Match": tag_of(ada, path), "Idempotency-Key": "one"}
    assert ada.patch(path, json={"accountId": food}, headers=headers).status_code == 200


def test_a_proposal_is_asked_again_for_its_condition_when_it_is_approved(ada, agent, line, food):
    path = f"/api/transactions/{line}"
    assert refused(agent.patch(path, json={"accountId": food}, **held('"x"')))[0] == 412
    proposed = agent.patch(path, json={"accountId": food}, **held(tag_of(agent, path)))
    waiting = proposed.json["actionRequest"]
    assert proposed.status_code == 202
    # The document's note changes nothing that the proposal would do, but something that its key had read.
    ada.patch(path, json={"description": "Green tea"})
    approve = f"/api/action-requests/{waiting['id']}/approve"
    blocked = ada.browser().post(approve, json={"digest": waiting["digest"]})
    assert refused(blocked) == (409, "stale_version")
    assert "on condition" in blocked.json["error"]
    assert ada.get(path).json["transaction"]["accountId"] != food
    fresh = agent.patch(path, json={"accountId": food}, **held(tag_of(agent, path))).json["actionRequest"]
    assert (
        ada.browser()
        .post(f"/api/action-requests/{fresh['id']}/approve", json={"digest": fresh["digest"]})
        .status_code
        == 200
    )
    assert ada.get(path).json["transaction"]["accountId"] == food


def test_a_day_of_its_own_is_another_record(ada, food):
    assert "ETag" in ada.get(f"/api/accounts/{food}").headers
    assert "ETag" not in ada.get(f"/api/accounts/{food}?asOf=2026-03-01").headers
    assert "ETag" not in ada.get("/api/accounts").headers


@on_sqlite
def test_a_tag_costs_no_statement(ada, line, statements):
    path = f"/api/transactions/{line}"
    tag = tag_of(ada, path)
    counts = []
    for query, headers in (("", {}), ("?fields=id", {}), ("", {"If-None-Match": tag})):
        with statements() as seen:
            ada.get(f"{path}{query}", headers=headers)
        counts.append(len(seen))
    assert len(set(counts)) == 1, counts


@on_sqlite
def test_the_document_has_a_condition_and_its_refusal_on_each_call(ada):
    """Whatever writes is held to a version or says that there is none, but for what the interface document has."""
    spec = ada.get("/api/openapi.json").json
    counts = {"read": 0, "held": 0, "without": 0}
    for path, item in spec["paths"].items():
        for method, call in item.items():
            if method == "parameters":
                continue
            names = {each["name"] for each in call.get("parameters", []) if each["in"] == "header"}
            codes = codes_of(spec, call["responses"].get("412"))
            if "If-None-Match" in names:
                assert {"304", "200"} <= call["responses"].keys(), path
                assert "ETag" in call["responses"]["200"]["headers"], path
                counts["read"] += 1
            elif "If-Match" in names:
                assert "stale_version" in codes, path
                counts["held"] += 1
            elif "Idempotency-Key" in names and "are ignored" not in call["description"]:
                assert "no_version" in codes, path
                counts["without"] += 1
            else:
                assert not codes, path
    assert all(each > 10 for each in counts.values()), counts


def codes_of(spec, answer):
    if answer is None:
        return set()
    shape = spec["components"]["responses"][answer["$ref"].rpartition("/")[2]] if "$ref" in answer else answer
    return set(shape["content"]["application/json"]["examples"])


class Watch:
    """Asks as a person does, and looks after each write at every record that was read or written until then."""

    def __init__(self, app, person):
        self._app, self._person, self._client = app, person, person
        self.seen, self.counts = {}, {"changed": 0, "unchanged": 0, "written": 0}

    def __getattr__(self, name):
        return getattr(self._person, name)

    def ask(self, method, address, **options):
        answer = self._person.ask(method, address, **options)
        path = address.partition("?")[0]
        self._look_at(self._place(method, path))
        if method != "GET" and "ETag" in answer.headers:
            place = self._place_of_answer(method, path, answer.json)
            self._look_at(place)
            assert answer.headers["ETag"] == self.seen[place][1].partition("-")[0].rstrip('"') + '"', place
            self.counts["written"] += 1
        return answer

    def _place(self, method, path):
        """Where the record is read that a call is about."""
        rule = self._rule(method, path)
        with self._app.app_context():
            found = versions.rule_of_record(rule.rule)
        return found and "/".join(path.split("/")[: len(found.split("/"))])

    def _place_of_answer(self, method, path, body):
        """Where the record is read that a call was answered with."""
        views = self._app.view_functions
        kind = versions.kind_of(views[self._rule(method, path).endpoint])
        (place,) = (
            each.rule
            for each in self._app.url_map.iter_rules()
            if "GET" in each.methods
            and self._is_read(each)
            and versions.kind_of(views[each.endpoint]) == kind
        )
        record = body[kind[0]] if kind[0] else {}
        return re.sub("<.*>", str(record.get("id") or record.get("faId") or record.get("period")), place)

    def _is_read(self, rule):
        with self._app.app_context():
            return versions.rule_of_record(rule.rule) == rule.rule

    def _rule(self, method, path):
        return self._app.url_map.bind("").match(path, method, return_rule=True)[0]

    def _look_at(self, place):
        answer = self._person.get(place) if place else None
        if answer is not None and answer.status_code == 200 and "ETag" in answer.headers:
            self.seen[place] = answer.text, answer.headers["ETag"]

    def compare(self):
        for place, (body, tag) in list(self.seen.items()):
            answer = self._person.get(place)
            if answer.status_code != 200:
                del self.seen[place]
                continue
            is_same = answer.text == body
            assert (answer.headers["ETag"] == tag) == is_same, place
            self.counts["unchanged" if is_same else "changed"] += 1
            self.seen[place] = answer.text, answer.headers["ETag"]


@pytest.mark.rare
@on_sqlite
def test_every_write_of_a_month_changes_the_tags_of_what_it_changes_and_no_other(app, ada, figure):
    """Whatever is answered otherwise after a write has another ETag, what is answered the same has its own."""
    watch = Watch(app, ada)
    teller = Teller(app, watch, after=watch.compare)
    tell(teller)
    figure("Versions", f"{watch.counts} over {len(teller.exchanges)} calls")
    assert watch.counts["changed"] > 20
    assert watch.counts["written"] > 20
