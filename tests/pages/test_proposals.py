"""The page of approvals: what waits, with all that it would change, decided with and without scripts."""

import pytest

ROW = "REWE −45.20 EUR of 3 Nov"


@pytest.fixture
def agent(ben):
    return ben.with_scopes("read", "propose")


@pytest.fixture
def request_(agent, bank):
    line = bank.send("2026-11-03", "-45.20", "REWE")
    return agent.post(f"/api/transactions/{line}/confirm", json={"note": "Groceries"}).json["actionRequest"]


def test_nothing_waits(ben):
    page = ben.browser().get("/proposals")
    assert (page.status_code, "Nothing to approve" in page.text) == (200, True)
    assert ' waiting"' not in page.text


def test_a_proposal_stands_there_with_its_effect_and_a_badge_on_every_page(ben, request_):
    browser = ben.browser()
    page = browser.get("/proposals").text
    for said in (
        f"Confirm {ROW} as Uncategorised expenses",
        "“Groceries”",
        "Main account",
        "Uncategorised expenses",
        "+45.20",
        "−45.20",
    ):
        assert said in page, said
    hub = browser.get("/").text
    assert 'aria-label="1 waiting"' in hub
    assert "1 proposal from agents" in hub


def test_it_is_approved_as_it_was_shown(ben, request_):
    browser = ben.browser()
    answer = browser.post(f"/proposals/{request_['id']}/approve", data={"digest": request_["digest"]})
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/proposals?done={request_['id']}")
    page = browser.get(answer.headers["Location"]).text
    assert f"Approved: Confirm {ROW} as Uncategorised expenses" in page
    assert "Nothing to approve" in page
    assert "Done" in browser.get("/proposals?show=decided").text


def test_a_moved_effect_is_shown_anew_and_nothing_is_done(ben, bank, request_):
    line = request_["target"]["id"]
    moved = ben.patch(f"/api/transactions/{line}", json={"accountId": bank.account("Trips")})
    assert moved.status_code == 200
    path, target = f"/proposals/{request_['id']}/approve", "div#queue"
    unknown = ben.browser().htmx("POST", path, target=target, data={"digest": "0" * 64})
    assert (unknown.status_code, "never had this digest" in unknown.text) == (422, True)
    answer = ben.browser().htmx("POST", path, target=target, data={"digest": request_["digest"]})
    assert answer.status_code == 409
    assert "effect has changed. Here is the new one." in answer.text
    assert "<html" not in answer.text
    assert ben.get(f"/api/action-requests/{request_['id']}").json["actionRequest"]["status"] == "PENDING"


def test_several_are_rejected_with_one_reason(ben, agent, bank, request_):
    other = agent.post("/api/projects", json={"name": "Attic"}).json["actionRequest"]
    browser, ids = ben.browser(), [f"{each['id']}.{each['digest']}" for each in (request_, other)]
    assert "Reject the ticked" in browser.get("/proposals").text
    empty = browser.post("/proposals/reject", data={"ids": ids, "reason": ""})
    assert (empty.status_code, "Why you reject the ticked" in empty.text) == (422, True)
    answer = browser.post("/proposals/reject", data={"ids": ids, "reason": "One at a time"})
    assert answer.status_code == 303
    assert "Rejected: 2 proposals" in browser.get(answer.headers["Location"]).text
    for each in (request_, other):
        told = agent.get(f"/api/action-requests/{each['id']}").json["actionRequest"]
        assert (told["status"], told["reason"]) == ("REJECTED", "One at a time")
    third = agent.post("/api/projects", json={"name": "Cellar"}).json["actionRequest"]
    again = {"ids": [f"{third['id']}.{third['digest']}", ids[0]], "reason": "Again"}
    told = browser.post("/proposals/reject", data=again)
    assert "1 proposal rejected. Not rejected: 1 proposal." in told.text


def test_it_is_rejected_with_a_reason(ben, agent, request_):
    browser = ben.browser()
    assert browser.post(f"/proposals/{request_['id']}/reject", data={"reason": ""}).status_code == 422
    answer = browser.post(f"/proposals/{request_['id']}/reject", data={"reason": "It is private"})
    assert answer.status_code == 303
    told = agent.get(f"/api/action-requests/{request_['id']}").json["actionRequest"]
    assert (told["status"], told["reason"]) == ("REJECTED", "It is private")
    assert "It is private" in browser.get("/proposals?show=decided").text


def test_several_are_approved_at_once_and_what_is_refused_says_why(ben, agent, bank):
    lines = bank.send_many([("2026-11-03", "-1.00", "One"), ("2026-11-04", "-2.00", "Two")])
    made = [agent.post(f"/api/transactions/{line}/confirm").json["actionRequest"] for line in lines]
    ids = [f"{each['id']}.{each['digest']}" for each in made]
    bank.set_state(lines[1], "REMOVED")
    answer = ben.browser().post("/proposals/approve", data={"ids": ids})
    assert answer.status_code == 409
    assert "1 proposal approved. Not approved: 1 proposal." in answer.text
    assert "The bank removed this line." in answer.text


def test_who_may_only_look_sees_no_buttons(cleo, request_):
    browser = cleo.browser()
    page = browser.get("/proposals").text
    assert "An owner of these books can decide." in page
    assert f"/proposals/{request_['id']}/reject" not in page
    answer = browser.post(f"/proposals/{request_['id']}/approve", data={"digest": request_["digest"]})
    assert answer.status_code == 403


def test_a_correction_stands_beside_what_is_in_force(ben, agent, bank):
    line = bank.send("2026-11-03", "-45.20", "REWE")
    ben.post(f"/api/transactions/{line}/confirm")
    changes = {"accountId": bank.account("Groceries")}
    title = agent.patch(f"/api/transactions/{line}", json=changes).json["actionRequest"]["title"]
    assert title == f"Prepare a correction of {ROW} to Groceries"
    page = ben.browser().get("/proposals").text
    now, after = page.split("<b>Now</b>")[1].split("<b>After</b>")
    assert "Uncategorised expenses" in now
    assert "Posted" in now
    assert "Correction of" in after
    assert "Groceries" in after
    assert "Does not exist yet" not in page


def test_several_are_approved_as_they_were_shown(ben, agent, bank, request_):
    """The agent asks again meanwhile, in books that have moved: that is a new proposal, which nobody has looked at."""
    ticked = f"{request_['id']}.{request_['digest']}"
    browser = ben.browser()
    assert f'value="{ticked}"' in browser.get("/proposals").text
    line = int(request_["target"]["id"])
    ben.patch(f"/api/transactions/{line}", json={"accountId": bank.account("Travel")})
    again = agent.post(f"/api/transactions/{line}/confirm", json={"note": "Groceries"}).json["actionRequest"]
    assert again["id"] != request_["id"]
    answer = browser.post("/proposals/approve", data={"ids": ticked})
    assert (answer.status_code, "asked for again, with another effect" in answer.text) == (409, True)
    replaced = browser.get(f"/proposals?show=decided&id={request_['id']}").text
    assert "Replaced" in replaced
    assert f'/proposals?id={again["id"]}">See the one that replaced it' in replaced
    assert "Replaced" in browser.get("/activity").text
    answer = browser.post(
        "/proposals/approve", data={"ids": f"{again['id']}.{again['digest']}", "reason": ""}
    )
    assert answer.status_code == 303


def test_a_bank_line_neither_hides_nor_turns_what_stands_beside_it(ben, agent, bank):
    line = bank.send("2026-11-03", "-9000.00", "BVG −2.90 EUR of 4 Nov\u202e\u2067")
    request = agent.post(f"/api/transactions/{line}/confirm").json["actionRequest"]
    told = "“BVG −2.90 EUR of 4 Nov⟨202E⟩⟨2067⟩” −9,000.00 EUR of 3 Nov"
    assert told in request["title"]
    page = ben.browser().get(f"/proposals?id={request['id']}").text
    assert told in page
    assert not {"\u202e", "\u2067"} & set(page)
