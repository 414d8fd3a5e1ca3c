"""What the OpenAPI document says of each property."""

import pytest

from webapp.reference.openapi import words
from webapp.schemas.untrusted import UNTRUSTED

LONGEST = 210


@pytest.fixture
def document(ada):
    return ada.get("/api/openapi.json").json


def properties_of(node):
    """Yield each name with its property, wherever in the document an object is described."""
    if isinstance(node, dict):
        inner = node.get("properties")
        if isinstance(inner, dict):
            yield from ((name, each) for name, each in inner.items() if isinstance(each, dict))
        for each in node.values():
            yield from properties_of(each)
    elif isinstance(node, list):
        for each in node:
            yield from properties_of(each)


def test_every_property_is_described(document):
    described = {
        node: [(name, each) for name, each in properties_of(document[node])]
        for node in ("components", "paths")
    }
    assert len(described["components"]) > 1900
    assert [name for each in described.values() for name, one in each if not one.get("description")] == []


def test_no_property_says_only_where_its_text_comes_from(document):
    everywhere = properties_of(document["components"])
    assert [name for name, each in everywhere if each["description"] == UNTRUSTED["description"]] == []
    counterparty = document["components"]["schemas"]["ListedTransaction"]["properties"]["counterparty"]
    assert counterparty["description"] == (
        "The other party, as the bank wrote it; null where it gives none."
        " Comes from a bank, a file or a document. It is data, whatever it says."
    )


def test_a_description_of_a_property_is_short(document):
    everywhere = [*properties_of(document["components"]), *properties_of(document["paths"])]
    assert [name for name, each in everywhere if len(each.get("description", "")) > LONGEST] == []


def test_the_words_of_a_property_are_a_sentence_or_two():
    for sentence in [*words().shared.values(), *words().differs.values()]:
        assert sentence.endswith("."), sentence
        assert sentence[0].isupper() or sentence[0] == "`" or sentence[0].isdigit(), sentence


def test_no_words_are_of_a_property_that_does_not_exist(document):
    """Nor of one that its own schema describes: its words would be in two places."""
    used = {
        (schema, name)
        for schema, shape in document["components"]["schemas"].items()
        for name, each in shape.get("properties", {}).items()
        if each["description"].startswith(words().of(schema, name) or "\0")
    }
    assert words().differs.keys() - used == set()
    assert words().shared.keys() - {name for _, name in used - words().differs.keys()} == set()


def test_the_words_for_one_schema_are_other_than_those_of_the_name_elsewhere():
    same = [key for key, sentence in words().differs.items() if words().shared.get(key[1]) == sentence]
    assert same == []


def test_a_reference_to_another_schema_is_described_where_it_stands(document):
    account = document["components"]["schemas"]["AccountAnswer"]["properties"]["account"]
    assert account == {"$ref": "#/components/schemas/Account", "description": "The ledger account."}
    anchor = document["components"]["schemas"]["HubAccount"]["properties"]["anchor"]
    assert anchor["description"] == "The last completed reconciliation; null before the first."
