"""Files that overlap, in any order and as often as anybody likes, give the lines that the bank has, each once."""

import itertools
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.api.imports.test_imports import imported
from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.helpers.examples import examples

NUMBERS = itertools.count()
DAYS = [f"2026-03-{day:02}" for day in range(1, 11)]
line = st.builds(
    Line,
    day=st.sampled_from(DAYS),
    amount=st.sampled_from(["-2.50", "-2.5", "0.00", "7.00"]),
    name=st.sampled_from(["Coffee", "COFFEE", "Tea"]),
    reference=st.sampled_from([None, "NONREF", "F1", "F2"]),
)
window = st.tuples(st.sampled_from(DAYS), st.sampled_from(DAYS)).map(sorted)


def known(person, fa_id):
    asked = {"limit": 200, "faId": fa_id}
    listed = person.get("/api/transactions", query_string=asked).json["transactions"]
    return Counter(
        (each["bookedOn"], float(each["amount"]), each["providerTransactionId"]) for each in listed
    )


@examples(12, 2000)
@given(lines=st.lists(line, max_size=12), windows=st.lists(window, min_size=1, max_size=4), data=st.data())
def test_overlapping_windows_in_any_order_give_the_union(ben, lines, windows, data):
    # A number of its own for each example is cheaper than a fresh database, and as empty.
    number = f"example-{next(NUMBERS)}"
    for first, last in [*windows, *data.draw(st.lists(st.sampled_from(windows), max_size=2))]:
        shown = data.draw(st.permutations([each for each in lines if first <= each.day <= last]))
        answer = imported(ben, bank_file(*shown, account=number))
    expected = Counter(
        (each.day, float(each.amount), each.reference)
        for each in lines
        if any(first <= each.day <= last for first, last in windows)
    )
    assert known(ben, answer["accounts"][0]["faId"]) == expected
