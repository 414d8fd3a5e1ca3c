"""What is owed by age: every item in one place, whatever the day, and nothing lost between ages."""

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from webapp.ledger.open_items.ageing import Age, Owed, age_of, aged

DAY = date(2026, 6, 30)
OWED = st.builds(
    Owed,
    party_id=st.sampled_from((None, 1, 2)),
    currency=st.sampled_from(("EUR", "USD", "JPY")),
    due_on=st.none() | st.integers(-200, 60).map(lambda days: DAY + timedelta(days=days)),
    amount_minor=st.integers(-(10**6), 10**6),
    amount_base_minor=st.integers(-(10**6), 10**6),
)


@given(st.lists(OWED, max_size=20), st.integers(-100, 100).map(lambda days: DAY + timedelta(days=days)))
def test_ages_add_up_to_what_is_owed_of_each_party_and_currency(items, day):
    found = aged(items, day)
    assert len({(each.party_id, each.currency) for each in found}) == len(found)
    for each in found:
        own = [item for item in items if (item.party_id, item.currency) == (each.party_id, each.currency)]
        assert each.total == sum(item.amount_minor for item in own)
        assert each.total_base == sum(item.amount_base_minor for item in own)


def test_an_item_grows_older_and_never_younger():
    ages = list(Age)
    places = [ages.index(age_of(DAY, DAY + timedelta(days=days))) for days in range(-10, 200)]
    assert places == sorted(places)
    assert set(places) == set(range(len(ages)))


def test_nothing_owed_is_no_row():
    assert aged([], DAY) == []
