"""A fault at any step of any use case leaves all of it or nothing (P21)."""

import re

import pytest

from tests.contract.stories import Signed
from tests.fixtures.helpers.trial_calls import Trial, calls, done
from tests.fixtures.people import Pages
from tests.misbehaving.steps import FailingStep, Kept
from tests.misbehaving.test_failed_commits import is_refused

SKIPPED_STEPS = 7
NO_KEY_MAY = {"POST /api/lock-exceptions"}


@pytest.fixture
def use_cases(ada, bank):
    """Every write of the interface, with the person who may do it."""
    signed = Signed(ada)
    made = [(trial, signed if trial.name in NO_KEY_MAY else ada) for trial in calls(ada, bank)]
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
    return [*made, *((each, signed) for each in decisions)]


class Form:
    """A form that a person sends from a page of their own, or a visitor without one."""

    def __init__(self, sends, path: str, **data: str) -> None:
        self.name = path
        self._sends, self._data = sends, data

    def ask(self, _person=None):
        return self._sends(self.name, data=self._data)


@pytest.fixture
def forms(ada, ben):
    """What only pages do: people, keys, books, and signing in and out."""
    browser = ada.browser()
    invited = {"name": "Eve", "email": "eve@example.com", "role": "viewer"}
    link = re.search(r"/join/[\w-]+", browser.post("/settings/members", data=invited).text)[0]
    page = browser.get("/settings/members").text
    (invitation,) = re.findall(r"/settings/invitations/\d+(?=/link)", page)
    member = f"/settings/members/{ben.user_id}"
    key = {"name": "A program", "scopes": "read"}
    listed = browser.post("/settings/keys", data=key).text
    revoked = re.findall(r"/settings/keys/\d+/revoke", listed)[-1]
    made = [
        Form(browser.post, "/settings/keys", **key),
        Form(browser.post, revoked),
        Form(browser.post, "/settings/members", **{**invited, "email": "finn@example.com"}),
        Form(browser.post, f"{member}/role", role="viewer"),
        Form(browser.post, f"{member}/remove"),
        Form(browser.post, f"{invitation}/link"),
        Form(browser.post, f"{invitation}/withdraw"),
        Form(browser.post, "/settings/organization", name="Lantern Works", timeZone="Europe/Berlin"),
        Form(signed_in(ada), "/start", name="Ada's own", baseCurrency="USD"),
        Form(visiting(ada.app), link, password="a long enough one"),
        Form(visiting(ada.app), "/sign-in", email=ada.email, password=ada.password),
        Form(signed_in(ben), "/sign-out"),
    ]
    return [(form, None) for form in made]


def signed_in(person):
    """Send forms that end the session of a person, who has it back for the next one."""
    cookie = person.cookie()

    def post(path, **options):
        return Pages(person.app, cookie, person.organization_id).post(path, **options)

    return post


def visiting(app):
    """Send forms as somebody new each time, who has no cookie yet."""

    def post(path, **options):
        return app.test_client().post(path, headers={"Sec-Fetch-Site": "same-origin"}, **options)

    return post


@pytest.fixture
def all_or_nothing(house, rounds, figure):
    kept = Kept(house)

    def compare(use_cases, failing=None, is_true=is_true):
        failing, before, faults, went_on = failing or FailingStep(house.app), kept.state(), 0, 0
        step = rounds(SKIPPED_STEPS, 1)
        for place, (trial, person) in enumerate(use_cases):
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
                    assert is_true(answer), where
                    # Files stay until it is known whether the books name them.
                    is_unknown = "not known" in answer.text
                    assert kept.state() | ({"files": before["files"]} if is_unknown else {}) == before, where
                    if is_unknown:
                        kept.give_back()
                if trial.name == "/sign-in":
                    # Its tries are counted, and end after some.
                    kept.give_back()
                number += step
            assert answer.status_code < 400, where
            assert kept.state() != before, where
            kept.give_back()
        figure(
            "P21",
            f"{faults} steps of {len(use_cases)} use cases failed, all or nothing each time; "
            f"{went_on} were no part of an act",
        )

    yield compare
    kept.close()


def is_true(answer):
    """Check that an answer says, as JSON or on a page, that nothing was changed, and when to come back."""
    if answer.mimetype == "application/json":
        return is_refused(answer, "busy" if answer.json["code"] == "busy" else "disk_full")
    return (
        answer.status_code == 503 and answer.headers["Retry-After"] and "Nothing was changed" in answer.text
    )


def test_a_fault_at_any_step_of_a_write_of_the_interface_leaves_all_or_nothing(
    use_cases, all_or_nothing, portion
):
    all_or_nothing(portion(20, use_cases))


def test_a_fault_at_any_step_of_a_form_that_only_pages_have_leaves_all_or_nothing(
    forms, all_or_nothing, portion
):
    all_or_nothing(portion(13, forms))
