"""Importing a file on approval: read once, and of a length that keeps nobody waiting."""

from tests.api.audit.test_proposals import approve_many
from tests.api.imports.test_imports import MARCH, imported, lines_of, send
from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.helpers.marks import on_sqlite
from webapp.services.imports.planning import plans
from webapp.web import uploads
from webapp.web.proposals import approvals

APRIL = tuple(Line(f"2026-04-{day:02}", "-1.00", f"Coffee {day}", f"G{day}") for day in range(1, 7))

MAY = (Line("2026-05-02", "-3.00", "Tea", "H1"), Line("2026-05-03", "-3.00", "Tea", "H2"))


def proposed(agent, lines, name="march.ofx"):
    answer = send(agent, bank_file(*lines, closing="200.10"), name)
    assert answer.status_code == 202, answer.json
    return answer.json["actionRequest"]


@on_sqlite
def test_a_file_is_read_once_for_its_approval(ben, agent, monkeypatch):
    request, read, noted = proposed(agent, MARCH), plans.read, []
    monkeypatch.setattr(plans, "read", lambda *file: noted.append(file) or read(*file))
    path = f"/api/action-requests/{request['id']}/approve"
    answer = ben.browser().post(path, json={"digest": request["digest"]})
    assert (answer.status_code, len(noted)) == (200, 1)
    assert len(lines_of(ben)) == len(MARCH)


def test_one_file_among_proposals_is_approved_by_itself_too(ben, agent):
    (result,) = approve_many(ben, proposed(agent, MARCH)).json["results"]
    assert (result["status"], len(lines_of(ben))) == ("EXECUTED", len(MARCH))


def test_a_file_too_long_for_an_approval_is_refused_when_it_is_proposed(ben, agent, monkeypatch):
    monkeypatch.setattr(uploads, "MOST_LINES_AT_ONCE", 2)
    refused = send(agent, bank_file(*MARCH, closing="200.10"))
    assert (refused.status_code, refused.json["code"]) == (422, "too_large")
    assert refused.json["error"] == (
        "3 lines are more than the 2 that can be imported on approval at once. Propose it in parts, or ask a person to"
        " import it."
    )
    assert refused.json["details"] == {"count": 3, "most": 2}
    waiting = ben.get("/api/action-requests?status=PENDING").json["actionRequests"]
    assert waiting == []
    assert imported(ben, bank_file(*MARCH, closing="200.10"))["accounts"][0]["added"] == 3


def test_several_files_are_approved_together_as_far_as_they_are_short(ben, agent, monkeypatch):
    monkeypatch.setattr(approvals, "MOST_AT_ONCE", 3)
    monkeypatch.setattr(approvals, "LINES_LIKE_A_CALL", 3)
    imported(ben, bank_file(*MARCH, closing="200.10"))
    requests = [proposed(agent, APRIL[:3], "first.ofx"), proposed(agent, APRIL[3:], "second.ofx")]
    assert [each["status"] for each in approve_many(ben, *requests).json["results"]] == ["EXECUTED"] * 2
    requests = [proposed(agent, [line], f"{line.reference}.ofx") for line in MAY]
    monkeypatch.setattr(approvals, "BYTES_LIKE_A_CALL", 100)
    refused = approve_many(ben, *requests)
    assert (refused.status_code, refused.json["code"]) == (422, "too_large")
    assert "a file by its length" in refused.json["error"]
