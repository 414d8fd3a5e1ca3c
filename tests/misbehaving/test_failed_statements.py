"""A fault at any step of any use case leaves all of it or nothing (P21)."""

import pytest

from tests.contract.stories import Signed
from tests.fixtures.helpers.trial_calls import Trial, calls, done
from tests.misbehaving.steps import FailingStep, Kept
from tests.misbehaving.test_failed_commits import is_refused

SKIPPED_STEPS = 7


@pytest.fixture
def use_cases(ada, bank):
    """Every write of the interface, with the person who may do it."""
    made = [(trial, ada) for trial in calls(ada, bank)]
    agent = ada.with_scopes("read", "propose")
    proposed = [
        done(agent.post("/api/merchants", json={"name": f"Proposed {number}"}))["actionRequest"]
        for number in range(3)
    ]
    path, one = "/api/action-requests", "/api/action-requests/<act:request_id>"
    first, second, third = ((each["id"], {"digest": each["digest"]}) for each in proposed)
    decisions = [
        Trial(f"POST {one}/approve", f"{path}/{first[0]}/approve", {"json": first[1]}),
        Trial(f"POST {one}/reject", f"{path}/{second[0]}/reject", {"json": {"reason": "A test"}}),
        Trial(
            f"POST {path}/approve", f"{path}/approve", {"json": {"proposals": [{"id": third[0], **third[1]}]}}
        ),
    ]
    return [*made, *((each, Signed(ada)) for each in decisions)]


@pytest.fixture
def kept(house, use_cases):
    """The books of the use cases, to be given back after each."""
    del use_cases
    kept = Kept(house)
    yield kept
    kept.close()


def test_a_fault_at_any_step_of_a_write_leaves_all_or_nothing(
    house, kept, use_cases, rounds, portion, figure
):
    failing, before, faults, went_on = FailingStep(house.app), kept.state(), 0, 0
    step = rounds(SKIPPED_STEPS, 1)
    chosen = portion(20, use_cases)
    for place, (trial, person) in enumerate(chosen):
        number = rounds(1 + place % SKIPPED_STEPS, 1)
        while True:
            with failing.armed(number):
                answer = trial.ask(person)
            where = (trial.name, number, answer.status_code, answer.text[:300])
            if not failing.has_failed:
                break
            faults += 1
            if answer.status_code < 400:
                # What failed is not part of the act, such as the note of a last use.
                went_on += 1
                assert kept.state() != before, where
                kept.give_back()
            else:
                assert is_refused(answer, "busy" if answer.json["code"] == "busy" else "disk_full"), where
                assert kept.state() == before, where
            number += step
        assert answer.status_code < 300, where
        assert kept.state() != before, where
        kept.give_back()
    figure(
        "P21",
        f"{faults} steps of {len(chosen)} use cases failed, all or nothing each time; {went_on} were no part of an act",
    )
