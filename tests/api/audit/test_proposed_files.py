"""Files of proposals: they wait beside the books, follow the transaction, and are looked at by `tieout check`."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.documents import PDF, sent
from tests.fixtures.helpers.marks import on_sqlite
from webapp.database.sessions import db
from webapp.models import Proposal
from webapp.queries import checks

pytestmark = on_sqlite


@pytest.fixture
def kept(app):
    """Read the files of this test that wait for a decision."""
    folder = Path(app.instance_path) / "proposals"

    def read():
        return {each for each in folder.iterdir() if each.is_file()} if folder.is_dir() else set()

    before = read()
    return lambda: sorted(read() - before)


@pytest.fixture
def waiting(agent, kept):
    return sent(agent).json["actionRequest"]["id"]


def decide(person, request_id, verb, **body):
    if verb == "approve":
        shown = person.get(f"/api/action-requests/{request_id}").json["actionRequest"]
        body = {"digest": shown["digest"], **body}
    return person.browser().post(f"/api/action-requests/{request_id}/{verb}", json=body)


def codes(bank):
    return bank.ask(lambda: [each.code for each in checks.violations()])


def test_a_file_waits_with_its_proposal_and_goes_with_the_decision(ada, agent, bank, waiting, kept):
    (file,) = kept()
    assert (file.read_bytes(), file.stat().st_mode & 0o777, codes(bank)) == (PDF, 0o600, [])
    assert decide(ada, waiting, "approve").json["actionRequest"]["status"] == "EXECUTED"
    assert (kept(), codes(bank)) == ([], [])
    other = sent(agent, data=PDF + b"%").json["actionRequest"]["id"]
    assert decide(ada, other, "reject", reason="Twice").status_code == 200
    assert kept() == []


def test_another_file_of_the_same_name_is_another_proposal(agent, waiting, kept):
    other = sent(agent, data=PDF + b"%").json["actionRequest"]
    assert (other["id"] != waiting, len(kept())) == (True, 2)
    assert sent(agent, data=PDF + b"%").json["actionRequest"]["id"] == other["id"]
    assert len(kept()) == 2


def test_a_decision_that_is_taken_back_leaves_the_file(ada, waiting, kept):
    assert decide(ada, waiting, "approve", digest="0" * 64).status_code == 422
    assert len(kept()) == 1
    assert decide(ada, waiting, "approve").status_code == 200


def test_a_lost_or_changed_file_is_told_and_may_be_sent_again(ada, agent, bank, waiting, kept):
    (file,) = kept()
    file.write_bytes(b"another")
    assert codes(bank) == ["proposal_file_differs"]
    file.unlink()
    assert codes(bank) == ["proposal_file_missing"]
    gone = decide(ada, waiting, "approve")
    assert (gone.status_code, gone.json["code"]) == (409, "file_gone")
    again = sent(agent).json["actionRequest"]["id"]
    assert decide(ada, waiting, "approve").json["details"]["replacedBy"] == again
    assert codes(bank) == []
    assert decide(ada, again, "approve").status_code == 200


def test_an_old_file_stays_as_long_as_a_proposal_waits_with_it(ada, agent, bank, waiting, kept):
    (file,) = kept()
    old = (datetime.now(UTC) - timedelta(days=30)).timestamp()
    os.utime(file, (old, old))
    other = sent(agent, data=PDF + b"%").json["actionRequest"]["id"]
    assert file in kept()
    bank.ask(
        lambda: db.session.execute(sa.update(Proposal).values(expires_at=datetime.fromtimestamp(old, UTC)))
    )
    assert decide(ada, other, "approve").json["code"] == "decided"
    decide(ada, waiting, "approve")
    assert file not in kept()
