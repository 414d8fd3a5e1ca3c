"""Every call holds what the OpenAPI document says of it, for whatever is sent: by its rules and against them (P45)."""

import logging

import pytest

from tests.contract.conversations import by_session, by_token, talk
from tests.fixtures.turns import whose_turn

pytestmark = pytest.mark.both

EVERY_PHASE = ("examples", "coverage", "fuzzing", "stateful")
# The boundaries of every shape come to thousands of requests; the short run draws one of each kind.
QUICK_PHASES = ("fuzzing",)
PROMISED = 20_000
MOST_ROUNDS = 40
PAIRS = [
    ("sqlite", by_token),
    ("postgresql", by_session),
    ("sqlite", by_session),
    ("postgresql", by_token),
]


@pytest.fixture
def database_kind(request):
    """Ask on the kind of database that stands beside the way to sign in."""
    return request.param


@pytest.fixture
def quiet():
    """Write no line for each of thousands of requests."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def pytest_generate_tests(metafunc):
    asked = whose_turn(metafunc.config, PAIRS)
    metafunc.parametrize(("database_kind", "signed"), asked, indirect=["database_kind"])


@pytest.mark.filterwarnings("default")
def test_whatever_is_sent_the_document_holds(app, ada, bank, signed, quiet, rounds, figure):
    bank.send_many([("2026-10-02", "1200.00", "Invoice"), ("2026-10-05", "-45.20", "REWE")])
    headers, requests, seen = signed(ada), 0, set()
    for seed in range(rounds(1, MOST_ROUNDS)):
        told = talk(
            app,
            headers,
            seed=seed,
            examples=rounds(1, 8),
            phases=rounds(QUICK_PHASES, EVERY_PHASE),
        )
        requests += told.requests
        seen |= told.statuses.keys()
        assert not told.failures, "\n\n".join(f"{name}\n{said}" for name, said in told.failures.items())
        if requests >= rounds(1, PROMISED):
            break
    assert requests >= rounds(100, PROMISED)
    assert not {status for status in seen if status >= 500}
    figure("P45", f"Schemathesis, {signed.__name__}: {requests} requests, 0 failures")
