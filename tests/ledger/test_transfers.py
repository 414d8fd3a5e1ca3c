"""Which lines are proposed as a transfer: by amount and day, ranked by evidence, in bounded work."""

import sys
from datetime import date, timedelta

from webapp.ledger.journal.transfers import OwnAccount, TransferSide, transfer_matches

DAY = date(2026, 3, 2)
IBAN, OTHER_IBAN = "DE89370400440532013000", "FR7630006000011234567890189"
OWN = {1: OwnAccount("DE02120300000000202051", ("Giro",)), 2: OwnAccount(IBAN, ("Savings",))}


def side(id_, fa_id, amount, days=0, **facts):
    return TransferSide(id_, fa_id, DAY + timedelta(days=days), amount, facts.pop("currency", "EUR"), **facts)


def pairs(sides, refused=()):
    return [(each.out_id, each.in_id, each.is_only) for each in transfer_matches(sides, OWN, refused)]


def test_opposite_amounts_of_two_accounts_within_five_days_fit():
    assert pairs([side(1, 1, -500), side(2, 2, 500, 5)]) == [(1, 2, True)]
    assert pairs([side(1, 1, -500), side(2, 2, 500, 6)]) == []
    assert pairs([side(1, 1, -500), side(2, 2, -500)]) == []
    assert pairs([side(1, 1, -500), side(2, 1, 500)]) == []
    assert pairs([side(1, 1, 0), side(2, 2, 0)]) == []


def test_a_number_counts_more_than_a_name_and_a_name_more_than_days():
    sides = [
        side(1, 1, -500),
        side(2, 2, 500),
        side(3, 2, 500, 1, text="from my giro"),
        side(4, 2, 500, 4, iban="DE02 1203 0000 0000 2020 51"),
    ]
    assert [into for _, into, _ in pairs(sides)] == [4, 3, 2]


def test_a_line_that_names_another_account_is_no_side():
    assert pairs([side(1, 1, -500, iban=OTHER_IBAN), side(2, 2, 500)]) == []
    assert pairs([side(1, 1, -500, iban=IBAN), side(2, 2, 500)]) == [(1, 2, True)]


def test_what_was_refused_rivals_nothing():
    sides = [side(1, 1, -500), side(2, 2, 500), side(3, 2, 500, 1)]
    assert pairs(sides) == [(1, 2, False), (1, 3, False)]
    assert pairs(sides, {(1, 3), (3, 1)}) == [(1, 2, True)]


def test_two_currencies_fit_within_three_percent_of_the_days_rate():
    out = side(1, 1, -50000, base_minor=-50000)
    for base, fits in ((48500, True), (48499, False), (51546, True), (51547, False)):
        into = side(2, 2, 54000, 1, currency="USD", base_minor=base)
        assert bool(pairs([out, into])) == fits, base


def test_the_reason_says_what_speaks_for_it():
    found = transfer_matches([side(1, 1, -500, text="To SAVINGS"), side(2, 2, 500, 1)], OWN)
    assert found[0].reason == "Same amount, 1 day apart, names Savings"


def test_lines_that_are_all_alike_take_no_square_of_the_time():
    def steps(count):
        """Count the instructions that it takes, which no other process makes more of."""
        sides = [side(n, 1 + n % 2, -500 if n % 2 else 500, (n // 50) % 700) for n in range(count)]
        taken = 0

        def trace(frame, event, _value):
            nonlocal taken
            frame.f_trace_lines, frame.f_trace_opcodes = False, True
            taken += event == "opcode"
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            found = transfer_matches(sides, OWN)
        finally:
            sys.settrace(before)
        assert found
        return taken

    assert steps(800) < 6 * steps(200)
