"""nginx and the server agree where each request ends, and the server believes of a proxy what PROXY_HOPS says."""

import contextlib
import json
import re
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.proxies import ADDING, CARELESS, DOCUMENTED, Nginx
from webapp import behind_proxies

QUIET_SECONDS = 0.25
POST = b"POST /a HTTP/1.1\r\nHost: x\r\nAuthorization: y\r\n"
NEXT = b"GET /next HTTP/1.1\r\nHost: x\r\n\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
CASES = [
    POST + b"Content-Length: 3\r\n\r\nabc" + NEXT,
    POST + b"Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc" + NEXT,
    POST + b"Content-Length: 3\r\nContent-Length: 33\r\n\r\nabc" + NEXT,
    POST + b"Content-Length: 3, 3\r\n\r\nabc" + NEXT,
    POST + b"Content-Length: +3\r\n\r\nabc" + NEXT,
    POST + b"Content-Length: 0003\r\n\r\nabc" + NEXT,
    POST + b"Content-Length : 3\r\n\r\nabc" + NEXT,
    POST + b"Content-Length: 3 \r\n\r\nabc" + NEXT,
    POST + b"Content-Length:\r\n 3\r\n\r\nabc" + NEXT,
    POST + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + NEXT,
    POST + b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n" + NEXT,
    POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + NEXT,
    POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + NEXT,
    POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + NEXT,
    POST + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n" + NEXT,
    POST + b"Transfer-Encoding:\tchunked\r\n\r\n0\r\n\r\n" + NEXT,
    POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + NEXT,
    POST + b"Transfer_Encoding: chunked\r\n\r\n0\r\n\r\n" + NEXT,
    POST + b"Transfer-Encoding: CHUNKED\r\n\r\n3\r\nabc\r\n0\r\n\r\n" + NEXT,
    POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + NEXT,
    POST + b"X: y\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + NEXT,
    POST + b"X: y\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + NEXT,
    POST.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + NEXT,
    POST.replace(b"\r\n", b"\n") + b"Content-Length: 3\n\nabc" + NEXT,
    CHUNKED + b"3\r\nabc\r\n0\r\n\r\n" + NEXT,
    CHUNKED + b"3;x=y\r\nabc\r\n0\r\n\r\n" + NEXT,
    CHUNKED + b"3 ;x\r\nabc\r\n0\r\n\r\n" + NEXT,
    CHUNKED + b"3\nabc\n0\n\n" + NEXT,
    CHUNKED + b"3\r\nabcX\r\n0\r\n\r\n" + NEXT,
    CHUNKED + b"0003\r\nabc\r\n00\r\n\r\n" + NEXT,
    CHUNKED + b"0x3\r\nabc\r\n0\r\n\r\n" + NEXT,
    CHUNKED + b"-3\r\nabc\r\n0\r\n\r\n" + NEXT,
    CHUNKED + b"\r\n3\r\nabc\r\n0\r\n\r\n" + NEXT,
    CHUNKED + b"3\r\nabc\r\n0\r\nX: y\r\n\r\n" + NEXT,
    CHUNKED + b"3\r\nabc\r\n0\r\nContent-Length: 9\r\n\r\n" + NEXT,
    CHUNKED + b"ffffffffffffffff3\r\nabc\r\n0\r\n\r\n" + NEXT,
    b"\r\n\r\n" + NEXT + b"\r\n" + NEXT,
    b"GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc" + NEXT,
    b"GET /a HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n" + NEXT,
    b"GET /a HTTP/1.1\r\n\r\n" + NEXT,
    b"GET /a HTTP/1.1\r\nHost: x\r\n X: y\r\n\r\n" + NEXT,
    b"GET /a HTTP/1.1\r\n Host: x\r\n\r\n" + NEXT,
    b"GET /a HTTP/1.1\r\nHost: x\r\nX\r\n\r\n" + NEXT,
    b"GET /a HTTP/1.1\r\nHost: x\r\nX: \x00\r\n\r\n" + NEXT,
    b"GET http://x/a HTTP/1.1\r\nHost: x\r\n\r\n" + NEXT,
    b"GET /a HTTP/1.2\r\nHost: x\r\n\r\n" + NEXT,
    b"GET /a HTTP/1.10\r\nHost: x\r\n\r\n" + NEXT,
    b"GET /a\r\n\r\n" + NEXT,
    b"GET /a b HTTP/1.1\r\nHost: x\r\n\r\n" + NEXT,
    b"GET\t/a HTTP/1.1\r\nHost: x\r\n\r\n" + NEXT,
    b"HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n" + NEXT,
    b"GET /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n" + NEXT,
    POST + b"Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc" + NEXT,
]
BENT = st.lists(
    st.sampled_from(
        [
            *(b"POST /a HTTP/1.1\r\n", b"GET /a HTTP/1.1\r\n", b"Host: x\r\n", b"Host: x\r\n\r\n", NEXT),
            *(b"Content-Length: 3\r\n", b"Content-Length: 10\r\n\r\n", b"Transfer-Encoding: chunked\r\n"),
            *(
                b"Transfer-Encoding: chunked\r\n\r\n",
                b"Authorization: y\r\n",
                b"Expect: 100-continue\r\n",
                b"X: y\r\n",
                b"\r\n",
                b"\n",
                b"\r",
            ),
            *(b"3\r\nabc\r\n", b"abc", b"0\r\n\r\n", b"0\r\n", b" ", b"\t", b":", b"\x00", b";x\r\n", b"3"),
        ]
    ),
    min_size=1,
    max_size=12,
).map(b"".join)


@pytest.fixture
def pair(toys):
    """A worker, and nginx in front of it that passes on bytes as they come, on connections that stay."""
    toy = toys(threads=4, REQUEST_SECONDS=5, IDLE_SECONDS=5, LAST_SECONDS=1)
    with Nginx(toy.address[1], CARELESS) as proxy:
        yield toy, ("127.0.0.1", proxy.port)


def answers(place: tuple[str, int], request: bytes) -> tuple[list[int], list[list[object]]]:
    """Send bytes; answers the statuses, and the requests that the application says it has answered."""
    found = b""
    with socket.create_connection(place, 5) as sock:
        sock.sendall(request)
        sock.settimeout(QUIET_SECONDS)
        with contextlib.suppress(TimeoutError, ConnectionError):
            while piece := sock.recv(65536):
                found += piece
    heads = re.findall(rb"HTTP/1\.[01] (\d{3})", found)
    echoes = re.findall(rb"(?i)^X-Seen: (.*?)\r$", found, re.MULTILINE)
    return [int(each) for each in heads if each != b"100"], [json.loads(each) for each in echoes]


def agree(pair, request: bytes) -> None:
    """Hold that both read the same requests, as far as both read any."""
    toy, front = pair
    toy.app.seen.clear()
    _, proxied = answers(front, request)
    # Nothing that nginx took for part of another request was one for the server.
    assert toy.app.seen == proxied, request
    toy.app.seen.clear()
    _, direct = answers(toy.address, request)
    common = min(len(direct), len(proxied))
    assert direct[:common] == proxied[:common], request


@pytest.mark.parametrize("request_", CASES, ids=range(len(CASES)))
def test_a_request_ends_where_nginx_says(pair, request_):
    agree(pair, request_)


def test_bent_requests_end_where_nginx_says(pair):
    @given(BENT)
    def bent(request):
        agree(pair, request + NEXT)

    bent()


class Seen:
    """A toy that says what the application would take for the address of a visitor, the scheme and the host."""

    def __init__(self, toys, hops: int) -> None:
        self.toy = toys(threads=2)
        app, names = self.toy.app, ("REMOTE_ADDR", "wsgi.url_scheme", "HTTP_HOST")

        def seen(environ, start_response):
            start_response("200 OK", [])
            return [json.dumps([environ[name] for name in names]).encode()]

        app.wsgi_app = behind_proxies(seen, hops)

    def ask(self, port: int, **fields: str) -> list[str]:
        request = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
        with socket.create_connection(("127.0.0.1", port), 5) as sock:
            sock.sendall(f"GET / HTTP/1.0\r\nHost: outside:8443\r\n{request}\r\n".encode())
            found = b"".join(iter(lambda: sock.recv(65536), b""))
        return json.loads(found[found.rindex(b"[") :])


LIES = {
    "X_Forwarded_For": "192.0.2.66",
    "X_Forwarded_Proto": "https",
    "X_Forwarded_Host": "evil",
    "X_Forwarded_Port": "1",
    "X_Forwarded_Prefix": "/evil",
    "Forwarded": "for=192.0.2.66;host=evil;proto=https",
}


@pytest.mark.parametrize("lies", [{}, LIES], ids=["honest", "lying"])
def test_without_a_proxy_nobody_is_believed(toys, lies):
    seen = Seen(toys, hops=0)
    assert seen.ask(seen.toy.address[1], **lies) == ["127.0.0.1", "http", "outside:8443"]
    with Nginx(seen.toy.address[1], DOCUMENTED) as proxy:
        assert seen.ask(proxy.port, **lies) == ["127.0.0.1", "http", "outside:8443"]


@pytest.mark.parametrize("lies", [{}, LIES], ids=["honest", "lying"])
def test_one_proxy_is_believed_and_what_its_clients_say_is_not(toys, lies):
    seen = Seen(toys, hops=1)
    told = DOCUMENTED.replace("$remote_addr", "192.0.2.1").replace("$scheme", "https")
    with Nginx(seen.toy.address[1], told) as proxy:
        assert seen.ask(proxy.port, **lies) == ["192.0.2.1", "https", "outside:8443"]


@pytest.mark.parametrize("lies", [{}, LIES], ids=["honest", "lying"])
def test_two_proxies_are_believed_and_what_their_clients_say_is_not(toys, lies):
    seen = Seen(toys, hops=2)
    outer = DOCUMENTED.replace("$remote_addr", "192.0.2.1").replace("$scheme", "https")
    with Nginx(seen.toy.address[1], ADDING) as inner, Nginx(inner.port, outer) as proxy:
        assert seen.ask(proxy.port, **lies) == ["192.0.2.1", "https", "outside:8443"]
