"""What every test may ask for: books on both databases, the same four people, a served address, a browser."""

import gc
import os
import time

import pytest
from hypothesis import HealthCheck, settings
from sqlalchemy.orm.bulk_persistence import _BulkUDCompileState

from tests.fixtures.corpus import CORPUS

# Each after those that it imports, so that pytest sees every one of them first.
pytest_plugins = [
    "tests.fixtures.turns",
    "tests.fixtures.recorders",
    "tests.fixtures.unfiltered.switch",
    "tests.fixtures.people",
    "tests.fixtures.houses",
    "tests.fixtures.demos",
    "tests.fixtures.books",
    "tests.fixtures.banks",
    "tests.fixtures.feeds",
    "tests.fixtures.desks",
    "tests.fixtures.transfers",
    "tests.fixtures.statements",
    "tests.fixtures.servers",
    "tests.fixtures.browsers",
    "tests.fixtures.figures",
    "tests.fixtures.screens",
    "tests.fixtures.languages.pseudo_languages",
]

# A figure of the promises is counted in full by `make test-full`; the shorter counts find the same kinds of mistake.
settings.register_profile(
    "quick", max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.register_profile("full", settings.get_profile("quick"), max_examples=2000)

collect_ignore = [] if CORPUS.is_dir() else ["corpus"]


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="use the counts that the promises name")
    parser.addoption("--seed", type=int, help="replay one seed of the simulated bank, and print what happens")


def pytest_configure(config):
    settings.load_profile("full" if config.getoption("--full") else "quick")
    # Readers of the server's own time zone would show themselves here.
    os.environ["TZ"] = "Pacific/Apia"
    time.tzset()
    # A server of a test starts a worker only where the test is about it.
    os.environ["WORKER"] = "off"
    # Most of what is made stays, or goes by itself: the collector of garbage comes seldom.
    gc.set_threshold(20_000, 20, 50)


def pytest_collection_finish():
    """Let the collector of garbage leave the programs and the tests alone, which are there to the end."""
    gc.collect()
    gc.freeze()


def pytest_report_header():
    state = "present" if CORPUS.is_dir() else "ABSENT: tests/corpus is not collected"
    return f"corpus of bank files beside this folder: {state}"


@pytest.fixture(scope="session", autouse=True)
def refuse_lost_objects():
    """Refuse statements after which objects of the session silently stay as they were: see `models.update_rows`."""
    fetch = _BulkUDCompileState._do_pre_synchronize_fetch.__func__  # noqa: SLF001

    def checked(cls, session, statement, params, execution_options, bind_arguments, update_options):
        mapper = update_options._subject_mapper  # noqa: SLF001
        own_key = tuple(mapper.local_table.primary_key)
        assert mapper.primary_key == own_key, f"use update_rows or delete_rows: {statement}"
        return fetch(cls, session, statement, params, execution_options, bind_arguments, update_options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_BulkUDCompileState, "_do_pre_synchronize_fetch", classmethod(checked))
        yield


@pytest.fixture
def rounds(pytestconfig):
    """Choose a count: a quick one, or under `make test-full` the one that a promise names."""

    def choose(quick, promised):
        return promised if pytestconfig.getoption("--full") else quick

    return choose


def pytest_generate_tests(metafunc):
    """Repeat a walk by chance, in full as often as its module says."""
    if "turn" in metafunc.fixturenames and hasattr(metafunc.module, "TURNS"):
        turns = range(metafunc.module.TURNS if metafunc.config.getoption("--full") else 1)
        metafunc.parametrize("turn", turns, ids=lambda turn: f"turn-{turn}")
