"""What tests of the protocol for models share: a whole task is played in one era a turn, with `--full` in each."""

from tests.fixtures.turns import whose_turn
from tests.mcp.clients import ERAS


def pytest_generate_tests(metafunc):
    if "version" in metafunc.fixturenames:
        metafunc.parametrize("version", whose_turn(metafunc.config, ERAS))
