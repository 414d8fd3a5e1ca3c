"""What roles and tokens may do, and what a token looks like."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.ledger.scopes import (
    CLOSE,
    ROLES,
    SCOPES,
    ApproveAloneError,
    ScopeNotHeldError,
    is_token,
    organization_of,
    scopes_of_role,
    token_scopes,
    token_text,
)

BOOKS = "org_3ybhn7bwcd386ggnjz8f"


@given(st.binary(min_size=32, max_size=32))
def test_every_token_is_recognised_and_none_of_its_misspellings(random):
    text = token_text(random, BOOKS)
    assert len(text) == 73
    assert is_token(text)
    assert organization_of(text) == BOOKS
    for place in (4, 20, 46, 60, 72):
        other = "a" if text[place] != "a" else "b"
        assert not is_token(text[:place] + other + text[place + 1 :])
    assert not is_token(text + "\n")


@given(st.binary(min_size=32, max_size=32), st.binary(min_size=32, max_size=32))
def test_different_randomness_makes_different_tokens(one, other):
    assert (token_text(one, BOOKS) == token_text(other, BOOKS)) == (one == other)


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_token_is_made_of_exactly_32_bytes(length):
    with pytest.raises(ValueError, match=str(length)):
        token_text(bytes(length), BOOKS)


def test_the_table_of_roles_is_the_published_one():
    assert {role: sorted(scopes_of_role(role)) for role in ROLES} == {
        "viewer": ["read"],
        "accountant": ["close", "read"],
        "bookkeeper": ["approve", "confirm", "draft", "propose", "read", "reconcile"],
        "owner": sorted((*SCOPES, CLOSE)),
    }


@pytest.mark.parametrize("wanted", [[], ["admin"], ["read", "write"], [""]])
def test_a_token_has_some_of_its_owners_scopes_and_no_others(wanted):
    with pytest.raises(ScopeNotHeldError):
        token_scopes("bookkeeper", wanted)
    with pytest.raises(ApproveAloneError):
        token_scopes("bookkeeper", ["approve", "read"])
    assert token_scopes("bookkeeper", None) == SCOPES[:4]
    assert token_scopes("owner", None) == SCOPES[:5]
    assert token_scopes("bookkeeper", ["propose", "read"]) == ("read", "propose")


def test_a_viewer_who_may_change_nothing_asks_for_nothing():
    with pytest.raises(ScopeNotHeldError):
        token_scopes("viewer", ["propose"])
