"""Which lines are proposed as a transfer: by amount and day, ranked by evidence, in bounded work."""

import sys
from dataclasses import replace
from datetime import date, timedelta

import pytest

from webapp.ledger.journal.transfer_sides import OwnAccount, TransferSide
from webapp.ledger.journal.transfers import transfer_matches

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


def test_a_name_within_another_word_names_no_account():
    sides = [side(1, 1, -500), side(2, 2, 500), side(3, 2, 500, 1, text="of the girocentre")]
    assert [into for _, into, _ in pairs(sides)] == [2, 3]


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


def dollars(id_, amount, base, days=0, **facts):
    return side(id_, 2, amount, days, currency="USD", base_minor=base, **facts)


def test_of_several_that_fit_at_the_rate_only_one_that_names_the_account_is_proposed():
    out = side(1, 1, -50000, base_minor=-50000)
    alone, near, named = (
        dollars(2, 54000, 49900),
        dollars(3, 54100, 50100, 1),
        dollars(4, 53900, 49800, 2, text="From Giro"),
    )
    assert pairs([out, alone]) == [(1, 2, True)]
    assert pairs([out, alone, near]) == []
    assert pairs([out, alone, near], {(1, 3)}) == [(1, 2, True)]
    assert pairs([out, alone, near, named]) == [(1, 4, True)]
    naming = replace(out, text="To Savings")
    assert pairs([naming, alone, near]) == [(1, 2, False), (1, 3, False)]


def test_a_line_that_two_would_fit_at_the_rate_is_no_side_of_either():
    one, other = side(1, 1, -50000, base_minor=-50000), side(2, 1, -50100, 1, base_minor=-50100)
    assert pairs([one, other, dollars(3, 54000, 49900)]) == []


def test_the_reason_says_what_speaks_for_it():
    found = transfer_matches([side(1, 1, -500, text="To SAVINGS"), side(2, 2, 500, 1)], OWN)
    assert found[0].reason == "Same amount, 1 day apart, names Savings"


class TestFees:
    def test_what_arrives_is_less_by_five_percent_at_most(self):
        for arrived, fits in ((9500, True), (9499, False), (10001, False)):
            found = transfer_matches([side(1, 1, -10000, text="To savings"), side(2, 2, arrived, 2)], OWN)
            assert [bool(each.fee) for each in found] == [True] * fits, arrived

    def test_either_line_has_to_name_the_other_account(self):
        out, into = side(1, 1, -10000, text="Payout"), side(2, 2, 9850, 2, text="Credit")
        assert pairs([out, into]) == []
        assert pairs([replace(out, iban=IBAN), into]) == [(1, 2, True)]
        assert pairs([out, replace(into, text="GIRO payout")]) == [(1, 2, True)]
        assert pairs([replace(out, text="giro"), into]) == [], "Its own account is none that it is sent to."

    def test_an_equal_amount_is_better_evidence_than_a_name(self):
        out, into = side(1, 1, -10000, text="To savings"), side(2, 2, 9850, 1)
        assert pairs([out, into, side(3, 2, 10000, 4)]) == [(1, 3, True)]
        assert pairs([out, into, side(3, 1, -9850, 5)]) == [(3, 2, True)]
        assert pairs([out, into, side(3, 2, 10000, 4)], {(1, 3)}) == [(1, 2, True)]

    def test_two_that_fit_are_ambiguous_the_smaller_fee_of_one_day_first(self):
        sides = [side(1, 1, -10000, text="To savings"), side(2, 2, 9850), side(3, 2, 9900)]
        assert pairs(sides) == [(1, 3, False), (1, 2, False)]

    def test_a_fee_in_another_currency_is_none(self):
        assert pairs([side(1, 1, -10000, text="To savings"), side(2, 2, 9850, currency="USD")]) == []

    def test_the_reason_names_the_fee(self):
        found = transfer_matches([side(1, 1, -10000, text="To savings"), side(2, 2, 9850, 2)], OWN)
        assert found[0].reason == "1.50 EUR less arrived, 2 days apart, names Savings"


@pytest.mark.parametrize("arrived", [500, 490])
def test_lines_that_are_all_alike_take_no_square_of_the_time(arrived):
    def steps(count):
        """Count the instructions that it takes, which no other process makes more of."""
        sides = [
            side(n, 1 + n % 2, arrived if n % 2 else -500, (n // 50) % 700, text="From Giro to Savings")
            for n in range(count)
        ]
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
