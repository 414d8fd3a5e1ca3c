"""Bodies as they come over the wire: measured or not, and in one encoding."""

import io
import json

import pytest

from tests.fixtures.helpers.marks import on_sqlite

PATH = "/api/projects/groups"
MEBIBYTE = 1024 * 1024


def unmeasured(person, body):
    """Send a body in chunks, which does not say how long it is."""
    return person.post(
        PATH,
        input_stream=io.BytesIO(body),
        content_type="application/json",
        environ_overrides={"wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"},
    )


def group_of(size):
    body = json.dumps({"name": "Clients", "ignored": ""}).encode()
    return body.replace(b'""', b'"' + b"x" * (size - len(body)) + b'"')


def test_a_body_that_does_not_say_its_length_is_read_up_to_the_limit(ada):
    assert unmeasured(ada, group_of(100)).status_code == 201
    assert unmeasured(ada, group_of(MEBIBYTE)).status_code == 201


@pytest.mark.parametrize("size", [MEBIBYTE + 1, 2 * MEBIBYTE])
def test_a_body_that_does_not_say_its_length_is_refused_above_it(ada, size):
    answer = unmeasured(ada, group_of(size))
    assert (answer.status_code, answer.json["code"]) == (413, "too_large")


def test_what_is_left_of_a_long_body_is_not_quietly_dropped(ada):
    assert unmeasured(ada, b'{"name": "Clients"}' + b" " * MEBIBYTE).status_code == 413


@on_sqlite
@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "latin-1"])
def test_json_is_utf_8(ada, encoding):
    body = '{"name": "Café"}'.encode(encoding)
    answer = ada.post(PATH, data=body, content_type="application/json")
    assert (answer.status_code, set(answer.json)) == (400, {"error", "code"})


def test_a_number_beyond_all_numbers_is_none(ada):
    answer = ada.post(PATH, data=b'{"name": "Clients", "ignored": -1e400}', content_type="application/json")
    assert (answer.status_code, answer.json["code"]) == (400, "bad_request")


def test_a_call_that_waits_is_kept_whole_so_it_holds_whole_characters_only(ada):
    """What nobody reads is ignored where a call is made at once; a proposal tells all of it."""
    body = rb'{"name": "Clients", "ignored": "\ud800"}'
    answer = ada.with_scopes("propose").post(PATH, data=body, content_type="application/json")
    assert (answer.status_code, answer.json["code"]) == (422, "validation")
    assert ada.post(PATH, data=body, content_type="application/json").status_code == 201
