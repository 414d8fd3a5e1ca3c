"""The original and all its corrections are the target, exactly, however often it changed its mind."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.ledger.journal.boxes import BoxAmount
from webapp.ledger.journal.corrections import difference, effective, is_same, reversal
from webapp.ledger.journal.entries import Leg, check_balanced
from webapp.ledger.journal.mirrors import RestAccounts, with_mirrors
from webapp.ledger.journal.splits import NumberOfSplitsError, Split, SplitsDoNotAddUpError, split_legs
from webapp.ledger.money import Money

BANK, ROUNDING, REALISED = 1, 901, 902
RATES = {
    "USD": Decimal("1.0842"),
    "JPY": Decimal("161.2"),
    "BHD": Decimal("0.4087"),
    "HUF": Decimal("391.15"),
}
maybe = st.none() | st.integers(1, 3)


@st.composite
def states(draw, line_minor=-123457, line_currency="USD"):
    """Any state that an entry of one line may be in: split, of other projects, merchants, currencies."""
    parts = draw(st.lists(st.integers(-50000, 50000), max_size=4))
    parts.append(-line_minor - sum(parts))
    bank = Leg(
        BANK,
        line_minor,
        line_currency,
        is_bank_leg=True,
        merchant_id=draw(maybe),
        project_id=draw(maybe),
        transaction_id=77,
    )
    counters = [
        Leg(
            draw(st.integers(2, 4)),
            part,
            line_currency,
            merchant_id=draw(maybe),
            project_id=draw(maybe),
        )
        for part in parts
    ]
    extra = draw(st.sampled_from([None, *sorted(RATES)]))
    if extra is not None:
        counters.append(Leg(5, draw(st.integers(-3, 3)), extra))
        counters.append(Leg(6, draw(st.integers(-3, 3)), "EUR"))
    return with_mirrors([bank, *counters], "EUR", RATES, RestAccounts(ROUNDING, REALISED))


def keyed(legs):
    sums = {}
    for leg in legs:
        key = (leg.account_id, leg.currency, leg.project_id, leg.merchant_id)
        amount, base = sums.get(key, (0, 0))
        sums[key] = (amount + leg.amount_minor, base + leg.amount_base_minor)
    return {key: pair for key, pair in sums.items() if pair != (0, 0)}


@given(states(), st.lists(states(), min_size=1, max_size=10))
def test_original_and_all_corrections_are_the_target_at_any_depth(original, targets):
    entries = [original]
    for target in targets:
        correction = difference(target, effective(*entries))
        if correction:
            check_balanced(correction, "EUR")
            entries.append(correction)
        assert keyed(effective(*entries)) == keyed(target)
        assert difference(target, effective(*entries)) == ()
    bank_sum = sum(leg.amount_minor for leg in effective(*entries) if leg.account_id == BANK)
    assert bank_sum == original[0].amount_minor


@given(states(), states())
def test_a_void_leaves_nothing_of_original_and_corrections(original, target):
    entries = [original, difference(target, original)]
    cancelling = reversal(*entries)
    check_balanced(cancelling, "EUR")
    assert effective(*entries, cancelling) == ()


@given(states())
def test_the_bank_leg_stays_the_bank_leg_and_names_its_line(state):
    (bank,) = [leg for leg in effective(state) if leg.is_bank_leg]
    assert (bank.account_id, bank.transaction_id) == (BANK, 77)


def test_a_new_project_moves_the_amount_between_two_keys_of_one_account():
    standing = [Leg(BANK, -100, "EUR", -100, is_bank_leg=True), Leg(2, 100, "EUR", 100, project_id=1)]
    target = [standing[0], Leg(2, 100, "EUR", 100, project_id=2, merchant_id=5)]
    assert difference(target, standing) == (
        Leg(2, -100, "EUR", -100, project_id=1),
        Leg(2, 100, "EUR", 100, project_id=2, merchant_id=5),
    )
    assert not is_same(target, standing)
    assert is_same(standing, [*target, *difference(standing, target)])


@pytest.mark.parametrize("before", [0, 300])
def test_a_sliver_of_a_small_currency_still_makes_an_entry_of_two_legs(before):
    fixed = [Leg(1, -100, "EUR", -100), Leg(2, 100, "EUR", 100)]
    old = [*fixed, Leg(3, before, "IDR", 2 if before else 0), Leg(4, 0, "EUR", -2 if before else 0)]
    new = [*fixed, Leg(3, before + 1, "IDR", 2 if before else 0), Leg(4, 0, "EUR", -2 if before else 0)]
    correction = difference(new, old)
    check_balanced(correction, "EUR")
    assert keyed(effective(old, correction)) == keyed(new)


def test_a_line_of_nothing_is_voided_by_postings_of_nothing():
    legs = (Leg(BANK, 0, "EUR", 0, is_bank_leg=True, transaction_id=77), Leg(2, 0, "EUR", 0))
    assert reversal(legs) == legs
    assert effective(legs) == ()


@pytest.mark.parametrize("count", [0, 1, 101])
def test_a_line_is_split_into_two_to_a_hundred(count):
    with pytest.raises(NumberOfSplitsError):
        split_legs(Money(count, "EUR"), [Split(1, 1)] * count)


def test_the_rest_of_splits_is_named():
    with pytest.raises(SplitsDoNotAddUpError) as caught:
        split_legs(Money(1000, "JPY"), [Split(1, 600), Split(2, 500)])
    assert caught.value.message == "The splits add up to 1,100 JPY of 1,000 JPY, 100 JPY too much."
    assert caught.value.details == {"rest": "-100", "currency": "JPY"}


@given(st.lists(st.integers(-(10**9), 10**9), min_size=2, max_size=100))
def test_splits_that_add_up_balance_the_line(parts):
    line = Money(sum(parts), "EUR")
    legs = split_legs(line, [Split(2, part, project_id=1, merchant_id=3) for part in parts])
    bank = Leg(BANK, line.minor, "EUR", is_bank_leg=True)
    check_balanced(with_mirrors([bank, *legs], "EUR", {}, RestAccounts(ROUNDING)), "EUR")
    assert all(leg.project_id == 1 and leg.merchant_id == 3 for leg in legs)


def test_a_correction_of_a_code_alone_moves_its_boxes_and_a_void_takes_all_of_them_back():
    spring, summer = date(2026, 3, 30), date(2026, 4, 2)
    sale = Leg(4, -1000, "GBP", -1000, tax_code_id=1, tax_point=spring, boxes=(BoxAmount("f", "6", 1000),))
    bank, tax = Leg(BANK, 1200, "GBP", 1200), Leg(5, -200, "GBP", -200, boxes=(BoxAmount("f", "1", 200),))
    later = replace(sale, tax_point=summer)
    moved = difference([bank, later, tax], [bank, sale, tax])
    assert [(leg.amount_minor, leg.tax_point, leg.boxes[0].amount_minor) for leg in moved] == [
        (1000, spring, -1000),
        (-1000, summer, 1000),
    ]
    voided = reversal([bank, sale, tax], moved)
    assert effective([bank, sale, tax], moved, voided) == ()
    assert {leg.boxes for leg in voided} == {
        (),
        (BoxAmount("f", "6", -1000),),
        (BoxAmount("f", "1", -200),),
    }
