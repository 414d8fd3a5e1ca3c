"""A worker for each test that wants one, which ends with it."""

import contextlib

import pytest

from tests.server.toys import Toy


@pytest.fixture
def toys():
    """Start workers with limits of one's own."""
    with contextlib.ExitStack() as stack:

        def started(**limits):
            toy = Toy(**limits).start()
            stack.callback(toy.join)
            stack.callback(toy.leave)
            stack.callback(toy.stop)
            return toy

        yield started


@pytest.fixture
def toy(toys):
    """A worker with two threads and the short limits."""
    return toys()
