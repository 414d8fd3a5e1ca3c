"""A fault at any statement that reaches the database, past SQLAlchemy too, leaves all of an act or nothing of it."""

from contextlib import closing

import pytest

from tests.misbehaving.steps import FailingBelow
from tests.misbehaving.test_failed_statements import all_or_nothing, forms, is_true, use_cases  # noqa: F401  (fixtures)


@pytest.fixture(params=["use_cases", "forms"], ids=["the interface", "pages"])
def cases(request, portion):
    """Some writes, made before the books are kept that they are compared with."""
    found = request.getfixturevalue(request.param)
    return portion(60 if request.param == "use_cases" else 25, found)


@pytest.fixture
def compared(cases, all_or_nothing):  # noqa: F811
    return all_or_nothing


def is_true_of_lost_connections(answer):
    """A COMMIT that got lost with its connection may have been done, for all that the program knows."""
    if answer.mimetype == "application/json" and answer.json["code"] == "unknown_outcome":
        return answer.status_code == 503
    return answer.status_code == 503 and ("not known" in answer.text or is_true(answer))


def test_a_fault_below_the_application_leaves_all_or_nothing(house, cases, compared):
    with closing(FailingBelow(house.app)) as failing:
        compared(cases, failing, is_true_of_lost_connections)
