"""The framing of requests agrees with gunicorn's own, however the bytes are cut, and however they are bent."""

from itertools import pairwise

from gunicorn.config import Config
from gunicorn.http.errors import NoMoreData, ParseException
from gunicorn.http.parser import RequestParser
from hypothesis import example, given
from hypothesis import strategies as st

from webapp.server.incoming import Incoming, parser_for
from webapp.server.limits import Limits
from webapp.server.spools import Budget

CFG = Config()
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
    ]
)


def ours(request: bytes, cuts: list[int]):
    budget = Budget(10**6)
    incoming = Incoming(parser_for(CFG, CLIENT), lambda _request: 10**6, Limits(), budget)
    places = [0, *sorted({cut % (len(request) + 1) for cut in cuts}), len(request)]
    rest = b""
    try:
        for begin, end in pairwise(places):
            if incoming.is_whole:
                rest += request[begin:end]
            elif request[begin:end]:
                incoming.feed(request[begin:end], now=0)
    except ParseException:
        incoming.close()
        return "refused"
    if not incoming.is_whole:
        incoming.close()
        return "not whole"
    found = incoming.body_as_file().read(), incoming.rest + rest
    incoming.close()
    budget.take(10**6)  # all of it was given back
    return found


def gunicorns(request: bytes):
    parser = RequestParser(CFG, iter([request]), CLIENT)
    try:
        message = next(parser)
        return message.body.read(), parser.unreader.take_buffered()
    except (ParseException, NoMoreData) as error:
        return f"refused {type(error).__name__}"


@given(st.lists(PIECES, max_size=8).map(b"".join), st.lists(st.integers(0, 300), max_size=6))
@example(b"5\r\nhello\r\n0\r\n\r\nGET", [])
@example(b"0\r\nA: b\r\n\r\nGET", [90])
def test_a_chunked_body_ends_where_gunicorn_says(body, cuts):
    found, expected = ours(HEAD + body, cuts), gunicorns(HEAD + body)
    if isinstance(expected, tuple):
        assert found == expected
    else:
        # Of bytes that end too early gunicorn says that they are wrong; ours waits for more, until the deadline.
        assert found in {"refused", "not whole"}
        if found == "not whole":
            assert expected in {"refused NoMoreData", "refused ChunkMissingTerminator"}


@given(st.binary(max_size=40), st.lists(st.integers(0, 100), max_size=6))
def test_a_measured_body_ends_where_its_length_says(body, cuts):
    request = b"POST / HTTP/1.1\r\nAuthorization: y\r\nContent-Length: 20\r\n\r\n" + body
    expected = (body[:20], body[20:]) if len(body) >= 20 else "not whole"
    assert ours(request, cuts) == expected
