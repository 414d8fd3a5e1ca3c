"""References between the steps of a plan: a value of an earlier answer, named by a JSON Pointer."""

import pytest

from webapp.ledger.plan_references import BadReferenceError, check, resolved, resolved_path

ANSWERS = {1: {"id": 7, "a/b": "x", "t~": True, "list": [{"id": 8}], "none": None, "amount": "-1.50"}}


@pytest.mark.parametrize(
    ("text", "value"),
    [("1#/id", 7), ("1#/a~1b", "x"), ("1#/t~0", True), ("1#/list/0/id", 8), ("1#/none", None)],
)
def test_a_reference_is_the_value_with_its_type(text, value):
    found = resolved({"deep": [{"$ref": text}]}, 2, ANSWERS)
    assert found == {"deep": [value]}
    assert type(found["deep"][0]) is type(value)


@pytest.mark.parametrize("text", ["1#/id", "{1#/id}", "$ref", "see {1#/id}"])
def test_text_that_looks_like_a_reference_is_text(text):
    assert resolved({"description": text, "list": [text]}, 2, ANSWERS) == {
        "description": text,
        "list": [text],
    }


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1#/missing", "has no missing; it has id, a/b"),
        ("1#/list/1/id", "has 1 in the list under /list"),
        ("1#/list/-", "has 1 in the list under /list"),
        ("1#/list/00", "has 1 in the list under /list"),
        ("1#/id/more", "has nothing more under /id"),
        ("1#/list", "is a list. Name one value in it."),
        ("1#", "is an object. Name one value in it."),
        ("2#/id", "refers to step 2, which does not come before this one"),
        ("9#/id", "refers to step 9"),
        ("0#/id", "is no reference"),
        ("1#id", "is no reference"),
        ("1#/t~2", "is no reference"),
        ("", "is no reference"),
        (5, "is no reference"),
        (None, "is no reference"),
    ],
)
def test_a_reference_to_nothing_says_what_is_there(text, sentence):
    with pytest.raises(BadReferenceError) as refused:
        resolved({"ids": [{"$ref": text}]}, 2, ANSWERS)
    assert sentence in str(refused.value)


def test_a_reference_stands_alone():
    with pytest.raises(BadReferenceError, match="stands alone"):
        resolved({"$ref": "1#/id", "also": 1}, 2, ANSWERS)


def test_a_path_takes_values_as_one_segment():
    assert resolved_path("/api/things/{1#/id}/do", 2, ANSWERS) == "/api/things/7/do"
    assert resolved_path("/api/things/{1#/a~1b}?on={1#/t~0}", 2, {1: {"a/b": "../x?y", "t~": True}}) == (
        "/api/things/..%2Fx%3Fy?on=true"
    )
    with pytest.raises(BadReferenceError, match="null"):
        resolved_path("/api/things/{1#/none}", 2, ANSWERS)


def test_references_are_checked_before_anything_is_answered():
    assert check("/api/things/{1#/id}", {"ids": [{"$ref": "1#/anything"}]}, 2) == "/api/things/1"
    for path, body in (("/api/{2#/id}", None), ("/api/x", {"id": {"$ref": "3#/id"}}), ("/api/{id}", None)):
        with pytest.raises(BadReferenceError):
            check(path, body, 2)
