"""A worker for each test that wants one, which ends with it."""

import contextlib

import pytest

from tests.server.toys import Toy, shorten


@pytest.fixture
def toys(monkeypatch):
    with contextlib.ExitStack() as stack:

        def started(threads=2, **limits):
            most_bytes = limits.pop("most_bytes", 1_000_000)
            shorten(monkeypatch, **limits)
            toy = Toy(threads, most_bytes=most_bytes).start()
            stack.callback(toy.join)
            stack.callback(toy.leave)
            stack.callback(toy.stop)
            return toy

        yield started


@pytest.fixture
def toy(toys):
    """A worker with two threads and the short limits."""
    return toys()
