"""No event of the chain can be changed, taken out, put in or moved unseen."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.ledger.chain import first_break, hash_of, link


def chain_of(count):
    links = []
    for number in range(count):
        links.append(link({"n": number, "who": "Ada"}, after=links[-1] if links else None))
    return links


def test_an_untouched_chain_holds():
    links = chain_of(20)
    assert first_break(links, head=links[-1].hash) is None
    assert first_break([]) is None


@given(st.integers(0, 9), st.sampled_from(["edit", "edit and rehash", "delete", "repeat", "swap"]))
def test_the_first_break_is_found_where_it_is(place, tamper):
    links = chain_of(11)
    match tamper:
        case "edit":
            links[place] = replace(links[place], body="{}")
        case "edit and rehash":
            links[place] = replace(links[place], body="{}", hash=hash_of(links[place].previous_hash, "{}"))
        case "delete":
            del links[place]
        case "repeat":
            links.insert(place, links[place])
        case "swap":
            links[place], links[place + 1] = links[place + 1], links[place]
    found = first_break(links)
    assert found is not None
    assert found.sequence == place + 1 + (tamper in {"edit and rehash", "repeat"})


@pytest.mark.parametrize("kept", range(10))
def test_a_cut_tail_shows_against_the_noted_head(kept):
    links = chain_of(10)
    found = first_break(links[:kept], head=links[-1].hash)
    assert (found.sequence, found.kind) == (kept, "head")
