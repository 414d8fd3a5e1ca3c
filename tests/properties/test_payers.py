"""Parties that pay in twelve ways: nothing is settled wrongly, the first proposal is mostly right, doubt is said."""

from collections import Counter
from random import Random

from tests.fixtures.payers.payers import WAYS, Payers, ways_to_add_up
from webapp.ledger.open_items.payment_sets import SetVerdict
from webapp.ledger.open_items.payments import Basis, identified, payment_evidence

IN_PART = {Basis.NUMBERS_IN_PART, Basis.ALMOST, Basis.IN_PART}


def test_payments_are_settled_rightly_proposed_well_and_doubted_honestly(rounds, remark):
    payers, right, asked, machine = Payers(Random(2026)), Counter(), Counter(), 0  # noqa: S311
    for number in range(rounds(600, 5_000)):
        month = payers.month(WAYS[number % len(WAYS)])
        evidence = payment_evidence(month.payment, month.items)
        if (item := identified(month.payment, month.items)) is not None:
            machine += 1
            assert ({item.id}, item.amount) == (month.truth, month.payment.amount), month
        first = evidence.choices[0] if evidence.choices else None
        asked[month.way] += 1
        right[month.way] += (frozenset(first.item_ids) if first else frozenset()) == month.truth
        is_decided = first is not None and first.basis in {Basis.IDENTIFICATION, Basis.NUMBERS}
        if not is_decided:
            several = ways_to_add_up(month) > 1
            assert (evidence.verdict is SetVerdict.SEVERAL) == several, month
            assert several or not month.is_ambiguous, month
        assert first is None or first.basis in IN_PART or not first.unused
    share = 100 * sum(right.values()) / sum(asked.values())
    remark(f"{machine} settled by the machine, none wrongly; {share:.1f} % right at the first place")
    assert machine > sum(asked.values()) // 10
    assert share >= 85, {way: f"{right[way]} of {asked[way]}" for way in WAYS}
