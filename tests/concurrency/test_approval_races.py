"""Whoever decides at once, a proposal is decided once, and what is posted is what was looked at."""

import http.client
import json
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

from tests.fixtures.people import address_in

pytestmark = pytest.mark.usefixtures("sound")
WORKERS = 2
MOVED_ON = 303


def sent(address, cookie, barrier, call):
    """Send one request of a signed-in person once everybody is ready."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    headers = {
        "Cookie": f"tieout={cookie}",
        "Content-Type": "application/json",
        "Sec-Fetch-Site": "same-origin",
    }
    connection.connect()
    barrier.wait(30)
    method, path, body = call
    connection.request(method, path, json.dumps(body), headers)
    answer = connection.getresponse()
    said = answer.read()
    told = json.loads(said) if answer.status != MOVED_ON else {}
    connection.close()
    return answer.status, told


def at_once(address, cookies, calls):
    barrier = threading.Barrier(len(calls))
    with ThreadPoolExecutor(len(calls)) as threads:
        asked = [
            threads.submit(sent, address, cookies[place % len(cookies)], barrier, call)
            for place, call in enumerate(calls)
        ]
        return [each.result() for each in asked]


def test_two_approve_one_rejects_the_world_moves_or_the_key_ends_at_once(
    gunicorn, ada, ben, bank, rounds, figure
):
    times = rounds(4, 100)
    address, cookies = gunicorn(WORKERS), [ada.cookie(), ben.cookie()]
    travel, found = bank.account("Travel"), Counter()
    for turn in range(times):
        agent = ben.with_scopes("read", "propose")
        line = bank.send("2026-11-03", "-45.20", f"Turn {turn}")
        request = agent.post(f"/api/transactions/{line}/confirm").json["actionRequest"]
        path = f"/api/action-requests/{request['id']}"
        approval = ("POST", f"{path}/approve", {"digest": request["digest"]})
        rejection = ("POST", f"{path}/reject", {"reason": "No"})
        move = ("PATCH", f"/api/transactions/{line}", {"accountId": travel})
        end = ("POST", address_in(ben.organization_id, f"/settings/keys/{agent.token_id}/revoke"), {})
        calls = [approval, approval, *([], [rejection], [rejection, move], [end])[turn % 4]]
        answers = at_once(address, cookies, calls)
        decisions = [answer for answer, call in zip(answers, calls, strict=True) if call not in (move, end)]
        assert {status for status, _ in answers} <= {200, 409, *([MOVED_ON] if end in calls else [])}
        refusals = {told["code"] for status, told in decisions if status == 409}
        assert refusals <= {"decided", "moved", "proposer_gone"}
        made = [told["actionRequest"]["status"] for status, told in decisions if status == 200]
        assert len(made) <= 1, made
        told = ben.get(path).json["actionRequest"]
        assert told["status"] == (made[0] if made else "EXPIRED" if end in calls else "PENDING")
        line_now = ben.get(f"/api/transactions/{line}").json["transaction"]
        assert line_now["entryStatus"] == ("POSTED" if made == ["EXECUTED"] else "DRAFT")
        found[told["status"]] += 1
    figure("Approvals", f"{times} proposals decided by {WORKERS} workers at once: {dict(found)}")


def test_asked_for_again_with_another_effect_while_it_is_approved(gunicorn, ada, ben, bank, rounds, figure):
    """Whoever comes first: nothing is posted but what the approver looked at."""
    times = rounds(3, 60)
    address, cookies = gunicorn(WORKERS), [ada.cookie(), ben.cookie()]
    travel, found = bank.account("Travel"), Counter()
    agent = ben.with_scopes("read", "propose")
    for turn in range(times):
        line = bank.send("2026-11-03", "-45.20", f"Turn {turn}")
        call = f"/api/transactions/{line}/confirm"
        seen = agent.post(call).json["actionRequest"]
        path, reviewed = f"/api/action-requests/{seen['id']}", {"id": seen["id"], "digest": seen["digest"]}
        calls = [
            ("POST", "/api/action-requests/approve", {"proposals": [reviewed]}),
            ("PATCH", f"/api/transactions/{line}", {"accountId": travel}),
            ("POST", f"{path}/approve", {"digest": seen["digest"]}),
        ]
        with ThreadPoolExecutor(1) as other:
            asked = other.submit(agent.post, call)
            answers = at_once(address, cookies, calls if turn % 2 else calls[:2])
            again = [asked.result(), agent.post(call)]
        made = [told for status, told in (answers[0], *answers[2:]) if status == 200 and is_executed(told)]
        assert len(made) <= 1
        old = ben.get(path).json["actionRequest"]
        if made:
            assert (old["status"], old["digest"]) == ("EXECUTED", seen["digest"])
            (entry_id,) = old["answer"]["answer"]["result"]["journalEntryIds"]
            entry = ben.get(f"/api/journal-entries/{entry_id}").json["entry"]
            assert travel not in {leg["accountId"] for leg in entry["postings"]}
        else:
            assert ben.get(f"/api/transactions/{line}").json["transaction"]["entryStatus"] == "DRAFT"
            waiting = {each.json["actionRequest"]["id"] for each in again if each.status_code == 202}
            assert (old["status"], old["replacedBy"]) == ("PENDING", None) or old["replacedBy"] in waiting
        found["REPLACED" if old["replacedBy"] else old["status"]] += 1
    figure("Approvals", f"{times} proposals approved while they were asked for again: {dict(found)}")


def is_executed(told):
    """Read the answer of one approval, or of several."""
    return (told.get("actionRequest") or told["results"][0])["status"] == "EXECUTED"
