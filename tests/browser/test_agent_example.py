"""The example of an agent: it may only read and propose, and comes from nothing to a proof by a person's approvals."""

import os
import subprocess
import sys

import pytest

from tests.contract.stories import INJECTED, october
from tests.tree import ROOT

STEPS = 5
PATIENCE_SECONDS = 60


@pytest.fixture
def agent(ada, live_server, tmp_path):
    """Start the agent over the bank's file; answers its process, whose output is read when it has ended."""
    file = tmp_path / "october.ofx"
    file.write_bytes(october())
    token = ada.with_scopes("read", "propose").token
    process = subprocess.Popen(  # noqa: S603  (our own example)
        [sys.executable, "examples/agent.py", str(file), "2026-10-31", "1144.82"],
        cwd=ROOT,
        env={**os.environ, "TIEOUT_URL": live_server, "TIEOUT_TOKEN": token},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    yield process
    process.kill()
    process.communicate()


@pytest.mark.rare
def test_an_agent_reconciles_what_a_person_approves(ada, agent, browse):
    page = browse(ada)
    approve = page.get_by_role("button", name="Approve", exact=False).and_(page.locator("[data-key=a]"))
    for _step in range(STEPS):
        wait_for(page, approve)
        approve.click()
        page.get_by_text("Approved:").first.wait_for()
    told, _ = agent.communicate(timeout=PATIENCE_SECONDS)
    assert agent.returncode == 0, told
    assert "proved: 1144.82 on 2026-10-31" in told
    # What a payer wrote was shown as text, and that is all it was.
    assert f'0.01 "{INJECTED}"' in told
    (account,) = ada.get("/api/reconciliations/accounts").json["accounts"]
    assert (account["status"], account["anchor"]["holds"]) == ("reconciled", True)
    acts = ada.get("/api/action-requests?limit=50").json["actionRequests"]
    decided = [each for each in acts if each["decidedBy"]]
    assert len(decided) == STEPS
    assert {each["decidedBy"]["kind"] for each in decided} == {"PERSON"}


@pytest.mark.rare
def test_an_agent_stops_with_the_reason_when_a_person_says_no(ada, agent, browse):
    page = browse(ada)
    wait_for(page, page.locator("[data-key=a]"))
    (waiting,) = ada.get("/api/action-requests?status=PENDING").json["actionRequests"]
    ada.browser().post(f"/api/action-requests/{waiting['id']}/reject", json={"reason": "Wrong bank"})
    told, _ = agent.communicate(timeout=PATIENCE_SECONDS)
    assert agent.returncode == 1
    assert "REJECTED Wrong bank" in told
    assert ada.get("/api/transactions").json["transactions"] == []


def wait_for(page, button):
    for _look in range(PATIENCE_SECONDS):
        page.goto("/proposals")
        if button.count():
            return
        page.wait_for_timeout(200)
    raise AssertionError("Nothing was proposed.")
