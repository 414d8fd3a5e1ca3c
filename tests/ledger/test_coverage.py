"""Which days statements cover and what is missing between them; and the bank's balance of any day."""

from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from webapp.ledger.money import Money
from webapp.ledger.proofs.coverage import Covered, Days, findings, merged
from webapp.ledger.proofs.covered_months import CoveringProof, Evidence, Stated, by_month, in_one_word
from webapp.ledger.proofs.provider_balances import Snapshot, balance_on, last_of_day

FIRST = date(2026, 1, 1)
RECEIVED = datetime(2026, 12, 1, tzinfo=UTC)
days = st.dates(FIRST, FIRST + timedelta(days=40))


def day(text):
    return date.fromisoformat(f"2026-{text}")


def statement(first, last, opening=None, closing=None):
    balances = [None if each is None else Money(each, "EUR") for each in (opening, closing)]
    return Covered(day(first), day(last), *balances)


JANUARY = statement("01-01", "01-31", 0, 100)


MARCH = statement("03-01", "03-31", 250, 300)


def test_a_statement_that_goes_on_leaves_nothing_to_say():
    found = findings(statement("02-01", "02-28", 100, 250), [JANUARY, MARCH])
    assert (found.before, found.after) == (JANUARY, MARCH)
    assert [found.gap_before, found.gap_after, found.off_before, found.off_after, found.overlap] == [None] * 5


def test_a_missing_month_is_named_with_its_days_and_its_money():
    found = findings(MARCH, [JANUARY])
    assert found.gap_before == Days(day("02-01"), day("02-28"))
    assert found.off_before == Money(150, "EUR")


def test_a_statement_that_is_put_into_a_gap_is_measured_on_both_sides():
    found = findings(statement("02-10", "02-20", 120, 240), [JANUARY, MARCH])
    assert found.gap_before == Days(day("02-01"), day("02-09"))
    assert found.gap_after == Days(day("02-21"), day("02-28"))
    assert (found.off_before, found.off_after) == (Money(20, "EUR"), Money(10, "EUR"))


def test_quiet_days_are_no_gap_where_the_balances_agree():
    found = findings(statement("02-16", "02-20", 100, 120), [JANUARY])
    assert (found.gap_before, found.off_before) == (None, None)


def test_two_statements_may_part_a_day():
    found = findings(statement("01-31", "02-03", 100, 90), [JANUARY])
    assert (found.overlap, found.before) == (None, JANUARY)


def test_days_that_another_statement_has_too_are_an_overlap_and_no_gap():
    found = findings(statement("01-20", "02-28"), [JANUARY, statement("01-01", "01-10")])
    assert found.overlap == Days(day("01-20"), day("01-31"))
    assert found.gap_before is None


def test_statements_merge_into_runs_whatever_their_order():
    there = [MARCH, statement("01-15", "02-10"), JANUARY, statement("02-11", "02-12")]
    assert merged(there) == [Days(day("01-01"), day("02-12")), Days(day("03-01"), day("03-31"))]


def months_of(*files, stated=(), moved=None, proofs=()):
    balances = [Stated(day(on), Money(amount, "EUR")) for on, amount in stated]
    days = {day(on): amount for on, amount in (moved or {}).items()}
    standing = [CoveringProof(1, None, day(each), holds=True) for each in proofs]
    found = by_month(Evidence("EUR", files, stated=balances, moved=days, proofs=standing))
    return found[::-1]


def test_days_between_files_are_a_gap_only_where_money_can_have_moved():
    files = [statement("01-03", "01-28"), statement("02-02", "02-27"), statement("03-02", "03-30")]
    moved = {"01-03": 50, "01-28": 50, "02-02": 30, "02-27": 10, "03-30": 5}
    unknown = months_of(*files, moved=moved)
    assert [each.status for each in unknown] == ["GAP", "GAP", "GAP"]
    quiet = months_of(*files, moved=moved, stated=[("01-28", 100), ("02-27", 140), ("03-30", 145)])
    assert [each.gaps for each in quiet] == [(), (), ()]
    missing = months_of(*files, moved=moved, stated=[("01-28", 100), ("02-27", 150), ("03-30", 155)])
    assert [len(each.gaps) for each in missing] == [1, 1, 0]
    assert in_one_word(missing) == "OFF"


def test_months_between_two_balances_that_add_up_agree_without_one_of_their_own():
    file = statement("01-04", "03-20", 0, 90)
    moved = {"01-04": 30, "02-10": 30, "03-20": 30}
    assert [each.status for each in months_of(file, moved=moved, stated=[("03-20", 90)])] == ["AGREES"] * 3
    assert [each.status for each in months_of(file, moved=moved)] == ["UNSTATED"] * 3


def test_the_last_month_is_proved_by_a_proof_of_its_last_day_with_anything():
    file = statement("01-04", "01-27", 0, 90)
    (month,) = months_of(file, moved={"01-04": 90}, stated=[("01-27", 90)], proofs=["01-27"])
    assert month.status == "PROVED"


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
