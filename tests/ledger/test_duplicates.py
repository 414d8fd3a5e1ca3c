"""Duplicates of a day and amount: the fast way of pairing gives what comparing each with each gives."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from webapp.ledger.matching.duplicates import AS_OFTEN, ONLY, POSSIBLE, SAME, pair_duplicates
from webapp.ledger.matching.joins import LineReport, Pairing, contradict

DAY = date(2026, 3, 1)
TEXTS = ["", "Coffee", "coffee ", "Rent March", "Rent", "Coffee Rent", "4711", "Bakery", "Bar Coffee"]


def of_each_with_each(new, existing, refused):
    """Pair by the definition, with no regard to time."""

    def may(one, other):
        return (one.id, other.id) not in refused and (other.id, one.id) not in refused

    found, new, existing = [], list(new), list(existing)
    for report in list(new):
        twin = next((each for each in existing if each.text == report.text and may(each, report)), None)
        if twin is not None:
            new.remove(report)
            existing.remove(twin)
            found.append(Pairing(twin.id, report.id, "TWIN", is_certain=True, reason=SAME))
    fits = {
        report.id: [each for each in existing if may(each, report) and not contradict(each, report)]
        for report in new
    }
    if len(new) == len(existing) and all(len(fits[report.id]) == len(existing) for report in new):
        pairs = zip(existing, new, strict=True)
        return found + [Pairing(each.id, report.id, "TWIN", True, AS_OFTEN) for each, report in pairs]  # noqa: FBT003
    for report in list(new):
        if len(fits[report.id]) == 1 and sum(fits[report.id][0] in others for others in fits.values()) == 1:
            new.remove(report)
            existing.remove(fits[report.id][0])
            found.append(Pairing(fits[report.id][0].id, report.id, "TWIN", is_certain=True, reason=ONLY))
    for report in new:
        left = next((each for each in existing if may(each, report)), None)
        if left is not None:
            existing.remove(left)
            found.append(Pairing(left.id, report.id, "TWIN", is_certain=False, reason=POSSIBLE))
    return found


texts = st.lists(st.sampled_from(TEXTS), max_size=7)


@given(texts, texts, st.sets(st.tuples(st.integers(1, 7), st.integers(-7, -1)), max_size=5), st.booleans())
def test_pairs_are_those_of_comparing_each_with_each(new, existing, refused, turned):
    """Whatever the texts are, and whatever a person refused."""
    incoming = [LineReport(-place, DAY, -500, text, None) for place, text in enumerate(new, 1)]
    stored = [LineReport(place, DAY, -500, text, None) for place, text in enumerate(existing, 1)]
    pairs = {(other, one) for one, other in refused} if turned else refused
    assert pair_duplicates(incoming, stored, pairs) == of_each_with_each(incoming, stored, pairs)
