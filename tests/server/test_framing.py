"""Requests end at one place for us, for waitress behind us and for gunicorn's parser, however they are cut or bent."""

import contextlib
from itertools import pairwise

from gunicorn.config import Config
from gunicorn.http.errors import NoMoreData, ParseException
from gunicorn.http.parser import RequestParser
from hypothesis import example, given
from hypothesis import strategies as st
from waitress.adjustments import Adjustments
from waitress.parser import HTTPRequestParser

from webapp.server.framing import Incoming, RefusedError

CFG, ADJUSTMENTS = Config(), Adjustments()
CLIENT = ("192.0.2.1", 50000)
HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nAuthorization: y\r\nTransfer-Encoding: chunked\r\n\r\n"
PIECES = st.sampled_from(
    [
        b"\r\n",
        b"\n",
        b"\r",
        b"0",
        b"3",
        b"3\r\nabc\r\n",
        b"a;b=c\r\n0123456789\r\n",
        b"0\r\n\r\n",
        b"0\r\nA: b\r\n\r\n",
        b"0\r\nHost: b\r\n\r\n",
        b";",
        b' ;x="y z"',
        b" ",
        b"abc",
        b"+1",
        b"0x1",
        b"g",
        b"\x00",
        b"GET / HTTP/1.1",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    ]
)


def ours(request: bytes, cuts: list[int]):
    """The bodies of whole requests as waitress reads them from what we hand on, and how it ended."""
    places = [0, *sorted({cut % (len(request) + 1) for cut in cuts}), len(request)]
    incoming, bodies = Incoming(lambda *_head: (10**6, "too_large", 0), lambda _count: None), []
    behind = HTTPRequestParser(ADJUSTMENTS)
    try:
        for begin, end in pairwise(places):
            for piece in incoming.feed(request[begin:end]):
                assert behind.received(piece) == len(piece)
                if behind.completed:
                    assert behind.error is None
                    bodies.append(behind.get_body_stream().read())
                    behind = HTTPRequestParser(ADJUSTMENTS)
    except RefusedError:
        return bodies, "refused"
    assert len(bodies) == incoming.count
    return bodies, "not whole" if incoming.size else "whole"


def gunicorns(request: bytes):
    parser, bodies = RequestParser(CFG, iter([request]), CLIENT), []
    with contextlib.suppress(ParseException, NoMoreData):
        bodies.extend(message.body.read() for message in parser)
    return bodies


@given(st.lists(PIECES, max_size=8).map(b"".join), st.lists(st.integers(0, 300), max_size=6))
@example(b"5\r\nhello\r\n0\r\n\r\nGET", [])
@example(b"0\r\nA: b\r\n\r\nGET", [90])
def test_a_chunked_body_ends_where_all_three_say(body, cuts):
    (bodies, _), expected = ours(HEAD + body, cuts), gunicorns(HEAD + body)
    # gunicorn also refuses some trailers, which nobody reads here.
    common = min(len(bodies), len(expected))
    assert bodies[:common] == expected[:common]


@given(st.lists(PIECES, max_size=8).map(b"".join), st.lists(st.integers(0, 300), max_size=6))
def test_where_it_is_cut_makes_no_difference(body, cuts):
    assert ours(HEAD + body, cuts) == ours(HEAD + body, [])


@given(st.binary(max_size=40), st.lists(st.integers(0, 100), max_size=6))
def test_a_measured_body_ends_where_its_length_says(body, cuts):
    bodies, _ = ours(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n" + body, cuts)
    assert bodies[:1] == ([body[:20]] if len(body) >= 20 else [])


def test_the_first_bytes_of_many_do_not_make_the_others_dear():
    """A line that does not end is given up, and a body in chunks of a byte is one piece after the other."""
    incoming = Incoming(lambda *_head: (10**6, "too_large", 0), lambda _count: None)
    pieces = list(incoming.feed(HEAD + b"1\r\nx\r\n" * 1000 + b"0\r\n\r\n"))
    assert (len(pieces), incoming.count) == (1002, 1)
