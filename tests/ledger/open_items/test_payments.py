"""Which open items a payment may settle, on what evidence, and how honest that is about what else fits."""

import random
from datetime import date, timedelta
from itertools import combinations

import pytest

from webapp.ledger.money import Money
from webapp.ledger.open_items.payable_items import BankPayment, PayableItem
from webapp.ledger.open_items.payment_sets import SetVerdict
from webapp.ledger.open_items.payments import Basis, identified, payment_evidence

DAY = date(2026, 4, 1)
ADA, BEN = 7, 8


def item(number, minor, *, party=ADA, day=DAY, currency="EUR", **facts):
    place = int("".join(each for each in number if each.isdigit()) or 0)
    facts = {"due_on": day + timedelta(days=14), **facts}
    return PayableItem(place, Money(minor, currency), party, day, number=number, **facts)


def found(items, minor, text="", *, party=ADA, currency="EUR"):
    return payment_evidence(BankPayment(Money(minor, currency), party, DAY, text), items)


def known(items, minor, text, *, party=ADA):
    """Give the id of the item that a rule may settle by itself."""
    only = identified(BankPayment(Money(minor, "EUR"), party, DAY, text), items)
    return only and only.id


def first(*asked, **facts):
    evidence = found(*asked, **facts)
    return evidence.choices[0] if evidence.choices else None


def test_the_number_of_one_document_of_which_exactly_this_is_open_identifies_it():
    owed = [item("RE-1017", 10_000), item("RE-1018", 10_000)]
    evidence = found(owed, 10_000, "Invoice RE 1018")
    assert (known(owed, 10_000, "Invoice RE 1018"), evidence.choices[0].basis) == (1018, Basis.IDENTIFICATION)
    assert evidence.verdict is SetVerdict.UNIQUE


@pytest.mark.parametrize(
    ("text", "minor"),
    [
        ("RE-1018 and RE-1017", 10_000),  # two documents
        ("RE-1018 and RE-1099", 10_000),  # a second one, which is not in the books
        ("RE-1018", 9_900),  # another amount
        ("RE-10180", 10_000),  # another number
        ("RE 101", 10_000),
        ("thank you", 10_000),
    ],
)
def test_nothing_else_is_an_identification(text, minor):
    owed = [item("RE-1017", 10_000), item("RE-1018", 10_000), item("101", 10_000)]
    assert known(owed, minor, text) is None


def test_another_partys_document_is_not_identified_by_its_number():
    owed = [item("2026-001", 5_000, party=BEN)]
    assert found(owed, 5_000, "2026-001", party=ADA).choices == ()
    assert known(owed, 5_000, "2026-001", party=None) == 2026001


def test_a_number_that_two_documents_have_identifies_none():
    twins = [item("2026-001", 5_000), item("2026-001", 5_000, party=BEN)]
    assert known(twins, 5_000, "2026-001", party=None) is None


def test_a_structured_reference_identifies_by_its_check_digits():
    owed = [item("539007547034", 25_000), item("4", 25_000, remittance="RF18 5390 0754 7034")]
    assert known(owed[:1], 25_000, "RF18 5390 0754 7034") == 539007547034
    assert known(owed[1:], 25_000, "/RF18539007547034/") == 4
    assert known(owed[:1], 25_000, "RF19 5390 0754 7034") is None


def test_a_short_number_is_evidence_and_no_identification():
    choice = first([item("101", 700), item("102", 700)], 700, "no 101 of Main Street")
    assert (choice.basis, choice.item_ids) == (Basis.NUMBERS, (101,))


def test_numbers_decide_between_equal_amounts():
    owed = [item(f"RE-{each}", 10_000) for each in range(1010, 1014)]
    evidence = found(owed, 20_000, "RE-1011, RE-1013")
    assert evidence.verdict is SetVerdict.UNIQUE
    assert evidence.choices[0].item_ids == (1011, 1013)
    assert evidence.choices[0].reason == "Its text names RE-1011 and RE-1013, which add up to it."


def test_the_only_item_of_the_amount_comes_first_and_what_else_fits_is_said():
    owed = [item("A-1", 4_000), item("A-2", 6_000), item("A-3", 10_000)]
    evidence = found(owed, 10_000)
    assert [each.item_ids for each in evidence.choices] == [(3,), (1, 2)]
    assert evidence.choices[0].reason == "The only open item of this amount. Others fit as well."
    assert evidence.verdict is SetVerdict.SEVERAL


def test_twin_amounts_are_never_decided():
    evidence = found([item("A-1", 5_000), item("A-2", 5_000)], 5_000)
    assert evidence.verdict is SetVerdict.SEVERAL
    assert [each.item_ids for each in evidence.choices] == [(1,), (2,)]
    assert {each.basis for each in evidence.choices} == {Basis.SUM}


@pytest.mark.parametrize(
    ("last", "minor", "basis", "item_ids", "reason"),
    [
        (700, 1_400, Basis.ALL_OPEN, (1, 2, 4, 5), "All 4 open items add up to it."),
        (500, 500, Basis.ONE_BATCH, (1, 4), "The 2 items of one batch add up to it. Others fit as well."),
        (500, 900, Basis.CONSECUTIVE_NUMBERS, (4, 5), "A-4 to A-5, 2 numbers in a row, add up to it."),
        (500, 300, Basis.CONSECUTIVE_NUMBERS, (1, 2), "A-1 to A-2, 2 numbers in a row, add up to it."),
        (900, 700, Basis.OLDEST_FIRST, (1, 2, 4), "The 3 oldest add up to it."),
    ],
)
def test_structure_comes_before_arithmetic(last, minor, basis, item_ids, reason):
    owed = [item("A-1", 100, batch="x"), item("A-2", 200), item("A-4", 400, batch="x"), item("A-5", last)]
    choice = next(each for each in found(owed, minor).choices if each.basis is not Basis.EXACT_RESIDUAL)
    assert (choice.basis, choice.item_ids, choice.reason) == (basis, item_ids, reason)


def test_a_credit_note_is_taken_off_what_is_paid():
    choice = first([item("R-1", 10_000), item("C-2", -2_000)], 8_000)
    assert choice.basis is Basis.ALL_OPEN
    assert sorted(each.amount.minor for each in choice.parts) == [-2_000, 10_000]
    assert (choice.left_open.minor, choice.unused.minor) == (0, 0)


def test_less_than_the_named_document_leaves_it_open_and_more_is_left_of_the_payment():
    owed = [item("R-1000", 10_000)]
    part, over = first(owed, 4_000, "R-1000"), first(owed, 12_500, "R-1000")
    assert (part.basis, part.left_open.minor, part.unused.minor) == (Basis.NUMBERS_IN_PART, 6_000, 0)
    assert (over.parts[0].amount.minor, over.left_open.minor, over.unused.minor) == (10_000, 0, 2_500)


def test_a_little_less_than_one_item_is_said_to_be_short():
    choice = first([item("R-1", 10_000), item("R-2", 25_000)], 9_800)
    assert (choice.basis, choice.reason, choice.left_open.minor) == (
        Basis.ALMOST,
        "2.00 EUR less than R-1.",
        200,
    )


@pytest.mark.parametrize(
    ("owed", "paid", "order"),
    [
        # The bank's charge is small: what is nearer to the payment, however old the other is.
        ({"R-1": 50_400, "R-2": 50_050}, 50_000, [2, 1]),
        ({"R-1": -50_400, "R-2": -50_050}, -50_000, [2, 1]),
        # Two of a hundred, and three with a rest of a cent, are terms of payment: 0.62 less is a chance.
        ({"R-1": 20_000, "R-2": 19_662}, 19_600, [1, 2]),
        ({"R-1": 33_333, "R-2": 32_400}, 32_333, [1, 2]),
        # Both are terms: the smaller one.
        ({"R-1": 30_000, "R-2": 29_700}, 29_106, [2, 1]),
    ],
)
def test_of_several_items_that_are_almost_the_payment_the_likely_shortfall_is_first(owed, paid, order):
    items = [item(number, minor) for number, minor in owed.items()]
    choices = found(items, paid).choices
    assert {each.basis for each in choices} == {Basis.ALMOST}
    assert [each.item_ids[0] for each in choices] == order


def test_a_part_of_what_a_party_owes_pays_the_oldest_first():
    choice = first([item("R-2", 25_000, day=DAY + timedelta(1)), item("R-1", 10_000)], 15_000)
    assert [(each.item_id, each.amount.minor) for each in choice.parts] == [(1, 10_000), (2, 5_000)]
    assert choice.reason == "The oldest of 2 open items first."


def test_a_document_in_another_currency_is_proposed_by_its_number_only():
    owed = [item("R-1100", 110_000, currency="USD")]
    choice = first(owed, 93_000, "R-1100")
    assert (choice.basis, choice.parts[0].amount, choice.unused) == (
        Basis.NUMBERS_IN_PART,
        Money(110_000, "USD"),
        None,
    )
    assert first(owed, 110_000) is None


def test_of_an_unknown_payer_the_items_of_the_same_side_and_about_the_day_are_candidates():
    owed = [
        item("R-1", 5_000, day=DAY - timedelta(days=55)),
        item("R-2", 5_000, day=DAY - timedelta(days=100)),
        item("R-3", -5_000),
        item("R-4", 5_000, day=DAY + timedelta(days=11), due_on=DAY + timedelta(days=25)),
    ]
    evidence = found(owed, 5_000, party=None)
    assert (evidence.candidates, evidence.verdict) == (1, SetVerdict.UNIQUE)
    assert evidence.choices[0].item_ids == (1,)


def test_too_many_candidates_are_said_to_be_too_many():
    evidence = found([item(f"R-{each}", 100) for each in range(1, 26)], 2_500)
    assert evidence.verdict is SetVerdict.TOO_MANY
    assert evidence.choices[0].basis is Basis.ALL_OPEN
    assert "too many open items to say" in evidence.choices[0].reason


def test_nothing_open_is_nothing_to_choose():
    evidence = found([], 100)
    assert (evidence.verdict, evidence.choices) == (SetVerdict.NONE, ())


def test_no_set_has_a_part_that_is_nothing(rounds):
    """Whatever is proposed for arithmetic or structure could not leave some of its items out and be the same."""
    chance = random.Random(7)  # noqa: S311
    for _ in range(rounds(400, 10_000)):
        amounts = [
            chance.choice((-1, 1, 1)) * chance.randint(1, 12) * 100 for _ in range(chance.randint(2, 12))
        ]
        owed = [item(f"RE-{number}", each, day=DAY) for number, each in enumerate(amounts, 1)]
        paid = sum(chance.sample(amounts, chance.randint(1, len(amounts))))
        if paid <= 0:
            continue
        for choice in found(owed, paid).choices:
            parts = [amounts[each - 1] for each in choice.item_ids]
            if choice.left_open or choice.unused or choice.basis is Basis.ALMOST:
                continue
            nil = [
                some
                for count in range(1, len(parts) + 1)
                for some in combinations(parts, count)
                if not sum(some)
            ]
            assert not nil, (choice, parts)


@pytest.mark.parametrize("count", [3, 30])
def test_an_invoice_and_its_credit_note_are_no_part_of_a_structure(count):
    owed = [item("RE-1", -21_000), item("RE-2", 21_000)]
    owed += [item(f"RE-{number}", 100 * number) for number in range(3, count + 1)]
    whole = sum(each.amount.minor for each in owed)
    assert all(len(each.item_ids) < count for each in found(owed, whole).choices)
