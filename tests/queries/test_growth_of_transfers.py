"""What the list of transfers takes of Python, in calls of functions: few for each open line.

All lines are of one day and two amounts that are the same at the day's rate, and each names the account of the others,
so that each fits as many as any can.
"""

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.steps import calls_of

LINES = 100
MOST_CALLS_FOR_A_LINE = 150


@pytest.fixture
def send(bank):
    """Send so many more lines in two currencies, half of them out of one account, half into the other."""
    bank.quote("2026-03-02", "USD", "1.08")
    amounts = {bank.open("Euro bank", "EUR"): "-100.00", bank.open("Dollar bank", "USD"): "108.00"}

    def send_more(count):
        for bank.fa_id, amount in amounts.items():
            bank.send_many([("2026-03-02", amount, "From Euro bank to Dollar bank")] * (count // 2))

    return send_more


@on_sqlite
def test_a_line_that_fits_many_takes_few_calls(ada, send):
    def calls():
        answer, made = calls_of(lambda: ada.get("/api/transfers"))
        # As many as the list has at most.
        assert len(answer.json["transfers"]) == 250
        return made

    send(LINES)
    # The first call also makes the statements.
    _, few = calls(), calls()
    send(2 * LINES)
    more = calls() - few
    assert more < MOST_CALLS_FOR_A_LINE * 2 * LINES, more / (2 * LINES)
