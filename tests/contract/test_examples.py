"""The examples of the documentation are what is really asked and answered, and fit the shapes beside them."""

import json
import os
from functools import cache
from urllib.parse import quote

import jsonschema_rs
import pytest
from openapi_spec_validator import validate

from tests.contract.likenesses import Likeness
from tests.contract.stories import Teller, tell
from tests.fixtures.helpers.marks import on_sqlite
from webapp.reference.openapi import FILE, recorded_examples

# What is downloaded, or is this document itself.
UNTOLD = {
    "GET /api/openapi.json",
    "GET /api/docs",
    "GET /api/docs.md",
    "GET /api/docs/{area}",
    "GET /api/docs/{area}.md",
    # A workbook, which is no text.
    "GET /api/closes/{period}/pack",
}
LONGEST_TEXT = 400
DOCUMENT = "urn:openapi"


@pytest.fixture(scope="module")
def told():
    return {}


@pytest.fixture
def exchanges(app, ada, told, database_kind):
    if database_kind not in told:
        teller = Teller(app, ada)
        tell(teller)
        told[database_kind] = teller.exchanges
    return told[database_kind]


@pytest.fixture
def document(ada):
    return ada.get("/api/openapi.json").json


def examples_of(exchanges):
    """Take of each call the first time that it was done, as any other run would tell it; a dry run only at need."""
    likeness, found = Likeness(), {}
    for each in exchanges:
        told = {
            "address": likeness.text(each.address),
            "status": each.status,
            "answer": likeness.of(each.answer),
        }
        if each.body is not None:
            told["body"] = likeness.of(each.body)
        if isinstance(told["answer"], str):
            told["answer"] = told["answer"][:LONGEST_TEXT]
        waits = each.status == 202 and "actionRequest" in each.answer
        if each.status < 400 and "dryRun=true" not in each.address and not waits:
            found.setdefault(each.call, told)
    return dict(sorted(found.items()))


def test_the_story_is_told_without_a_refusal(exchanges):
    assert not [(each.call, each.answer) for each in exchanges if each.status >= 400]


def test_the_examples_are_what_is_really_answered(exchanges):
    """Set RECORD_EXAMPLES=1 to record them anew, and read what has changed."""
    told = examples_of(exchanges)
    if os.environ.get("RECORD_EXAMPLES"):
        FILE.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n")
    assert told == json.loads(FILE.read_text())


@on_sqlite
def test_every_call_has_an_example(document):
    calls = {
        f"{method.upper()} {path}"
        for path, item in document["paths"].items()
        for method in item
        if method != "parameters"
    }
    assert not calls - recorded_examples().keys() - UNTOLD, "Tell of them in tests/contract/stories.py."
    assert not recorded_examples().keys() - calls


@on_sqlite
def test_the_document_is_valid(document):
    validate(document)


@on_sqlite
def test_every_example_fits_the_shapes_beside_it(document):
    shapes, checked = Shapes(document), 0
    for path, item in document["paths"].items():
        for method, each in item.items():
            if method != "parameters":
                places = {("requestBody",): each.get("requestBody", {})} | {
                    ("responses", status): answer for status, answer in each["responses"].items()
                }
                checked += sum(
                    fits(shapes, ("paths", path, method, *words), place) for words, place in places.items()
                )
    assert checked > 100


def fits(shapes, words, place):
    checked = 0
    for kind, content in place.get("content", {}).items():
        for example in content.get("examples", {}).values():
            shapes.at(*words, "content", kind, "schema").validate(example["value"])
            checked += 1
    return checked


def test_a_whole_record_has_every_key_that_its_shape_has(exchanges, document):
    """Without `fields` nothing is left out, and nothing comes that the document does not know."""
    closed = Shapes({**document, "components": strict(document["components"])})
    for each in exchanges:
        path, method = each.call.partition(" ")[2], each.call.partition(" ")[0].lower()
        words = ("paths", path, method, "responses", str(each.status))
        known = document["paths"][path][method]["responses"].get(str(each.status), {})
        if "$ref" in known:
            words = ("components", "responses", known["$ref"].rpartition("/")[2])
            known = document["components"]["responses"][words[-1]]
        shape = known.get("content", {}).get("application/json", {}).get("schema")
        words += ("content", "application/json", "schema")
        if shape is not None and "dryRun=true" not in each.address and "anyOf" in shape:
            words += ("anyOf", "0")
        if shape is not None and "fields=" not in each.address and not isinstance(each.answer, str):
            errors = list(closed.at(*words).iter_errors(each.answer))
            assert not errors, (each.call, errors[0].message, list(errors[0].instance_path))


class Shapes:
    """The shapes of a document, each compiled once, by the words of the place where it stands."""

    def __init__(self, document):
        self._registry = jsonschema_rs.Registry([(DOCUMENT, document)])
        self.at = cache(self._at)

    def _at(self, *words):
        pointer = "/".join(each.replace("~", "~0").replace("/", "~1") for each in words)
        shape = {"$ref": f"{DOCUMENT}#/{quote(pointer, safe='/~')}"}
        return jsonschema_rs.validator_for(shape, validate_formats=True, registry=self._registry)


def strict(components):
    closed = json.loads(json.dumps(components))
    for shape in closed["schemas"].values():
        if shape.get("type") == "object" and "properties" in shape and "additionalProperties" not in shape:
            shape["unevaluatedProperties"] = False
    return closed
