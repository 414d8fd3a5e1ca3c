"""Whatever snapshot it is rolled from, the bank's balance of a day is the same sum of lines."""

from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from webapp.ledger.proofs.provider_balances import Snapshot, balance_on, last_of_day

FIRST = date(2026, 1, 1)
RECEIVED = datetime(2026, 12, 1, tzinfo=UTC)
days = st.dates(FIRST, FIRST + timedelta(days=40))


@given(st.lists(st.tuples(days, st.integers(-9999, 9999))), st.lists(days, min_size=1), days)
def test_every_day_is_the_sum_of_its_lines_whichever_snapshots_there_are(lines, stated, day):
    def close(of):
        return sum(amount for booked_on, amount in lines if booked_on <= of)

    found = balance_on(day, [Snapshot(at, close(at), None, RECEIVED) for at in stated], lines)
    assert found.amount_minor == close(day)
    later = [at for at in stated if at >= day]
    assert found.snapshot_date == (min(later) if later else max(stated))
    assert found.basis == ("snapshot" if day in stated else "rolled_back" if later else "rolled_forward")


def test_without_a_snapshot_the_balance_is_unknown_and_never_zero():
    found = balance_on(FIRST, [], [(FIRST, 100)])
    assert (found.amount_minor, found.snapshot_date, found.basis) == (None, None, "unavailable")


def test_of_several_snapshots_of_a_day_the_last_the_bank_states_counts():
    def stated(minor, hour, received=0):
        at = datetime(2026, 1, 1, hour, tzinfo=UTC) if hour is not None else None
        return Snapshot(FIRST, minor, at, RECEIVED + timedelta(minutes=received))

    assert last_of_day([stated(1, 18), stated(2, 9, received=5)]).amount_minor == 1
    assert last_of_day([stated(1, 18), stated(2, None, received=5)]).amount_minor == 1
    assert last_of_day([stated(1, None, received=5), stated(2, None)]).amount_minor == 1
    assert last_of_day([stated(1, 18), stated(2, 18)]).amount_minor == 2
