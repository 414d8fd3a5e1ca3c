"""The one way out: which addresses are called, and what an answer may be."""

import socket
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic

import pytest

from webapp.services.operating import outbound
from webapp.services.operating.outbound import (
    Gate,
    OutboundAddressError,
    OutboundClosedError,
    OutboundFailedError,
)

BANK = "bank.example"
LIMITS = {"most_bytes": 1000, "seconds": 5}
# What a name may lead to.
NUMBERS = (
    "0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.254 127.0.0.1 127.9.9.9 169.254.169.254 172.16.0.1 "
    "172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 "
    "224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:9.9.9.9 "
    "64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b:1::1 2002:7f00:1:: 2002:a00:1::1 2001::1 2001:db8::1 fc00::1 "
    "fd12::1 fe80::1 fe80::1%1 fec0::1 ff02::1 ff0e::1 3fff::1 5f00::1 100::1"
)
# What may be written in place of a public name.
SPELLINGS = (
    *(
        f"https://{each}/"
        for each in ("127.0.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::1]")
    ),
    *(
        f"https://{each}/"
        for each in ("localhost", "bank.example.", "bank.example@127.0.0.1", "bänk.example", "a b.c")
    ),
    *(f"{each}://{BANK}/" for each in ("http", "ftp", "file", "HTTPSS")),
    f"https://{BANK}:99999/",
    f"https://{BANK}\\@127.0.0.1/",
    f"https://127.0.0.1#@{BANK}/",
    f"https://{BANK}%2e127.0.0.1/",
    "//bank.example/",
    "https:///",
    "",
)


@pytest.fixture
def connected(monkeypatch):
    """Give the places that were connected to."""
    places = []

    def connect(place, *_):
        places.append(place)
        raise ConnectionRefusedError

    monkeypatch.setattr(outbound.socket, "create_connection", connect)
    return places


def lead(monkeypatch, *numbers):
    def found(_host, port, *_, **__):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in numbers]

    monkeypatch.setattr(outbound.socket, "getaddrinfo", found)


def test_no_spelling_of_an_inner_address_is_called(connected, monkeypatch):
    numbers = NUMBERS.split()
    assert len(numbers) >= 40
    for number in numbers:
        for led in ((number,), ("9.9.9.9", number)):
            lead(monkeypatch, *led)
            with pytest.raises(OutboundAddressError):
                Gate(is_open=True).get(f"https://{BANK}/", {BANK}, **LIMITS)
    lead(monkeypatch, "9.9.9.9")
    for spelling in SPELLINGS:
        with pytest.raises((OutboundAddressError, OutboundClosedError)):
            Gate(is_open=True).get(spelling, {BANK}, **LIMITS)
    assert connected == []
    for number in ("9.9.9.9", "2620:fe::fe"):
        lead(monkeypatch, number)
        with pytest.raises(OutboundFailedError, match="does not answer"):
            Gate(is_open=True).get(f"https://{BANK}/", {BANK}, **LIMITS)
    assert connected == [("9.9.9.9", 443), ("2620:fe::fe", 443)]


@pytest.mark.parametrize(
    ("gate", "wanted"),
    [
        (Gate(is_open=False), {BANK}),
        (Gate(is_open=True), {"other.example"}),
        (Gate(is_open=True), ()),
        (Gate(is_open=True, hosts=frozenset({"other.example"})), {BANK}),
    ],
)
def test_only_what_is_wanted_and_allowed_is_called(connected, monkeypatch, gate, wanted):
    lead(monkeypatch, "9.9.9.9")
    with pytest.raises(OutboundClosedError):
        gate.get(f"https://{BANK}/", wanted, **LIMITS)
    assert connected == []


class Answers(BaseHTTPRequestHandler):
    """A server that misbehaves as its path says."""

    def do_GET(self):
        _, status, length, *rest = self.path.split("/")
        if status == "slow":
            for _ in range(int(length)):
                self.wfile.write(b"X")
                threading.Event().wait(0.1)
            return
        self.send_response(int(status))
        self.send_header("Location", "https://127.0.0.1/")
        self.send_header("Content-Length", rest[0] if rest else length)
        self.end_headers()
        self.wfile.write(self.headers["Host"].encode().ljust(int(length), b"."))

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Serve a bank on this machine; answers its port and the certificate to trust."""
    folder = tmp_path_factory.mktemp("bank")
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={BANK}"]
    words += ["-addext", f"subjectAltName=DNS:{BANK}", "-keyout", "key", "-out", "certificate"]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)  # noqa: S603  (our own words)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "certificate", folder / "key")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server.server_port, folder / "certificate"
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_answer_is_whole_small_and_from_the_machine_of_that_name(served, monkeypatch):
    port, certificate = served
    lead(monkeypatch, "127.0.0.1")
    gate = Gate(is_open=True, inner=frozenset({BANK, "fake.example"}))

    def ask(path, host=BANK):
        return gate.get(f"https://{host}:{port}{path}", {BANK, "fake.example"}, **LIMITS)

    with pytest.raises(OutboundFailedError, match="SSLCertVerificationError"):
        ask("/200/50")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert ask("/200/1000") == f"{BANK}:{port}".encode().ljust(1000, b".")
    for path, sentence in {
        "/200/1001": "more than is read",
        "/200/50/60": "IncompleteRead|too early",
        "/302/50": "answers 302",
        "/500/50": "answers 500",
    }.items():
        with pytest.raises(OutboundFailedError, match=sentence):
            ask(path)
    began = monotonic()
    with pytest.raises(OutboundFailedError, match="does not answer"):
        gate.get(f"https://{BANK}:{port}/slow/40", {BANK}, most_bytes=1000, seconds=0.5)
    assert monotonic() - began < 2
    with pytest.raises(OutboundFailedError, match="SSLCertVerificationError"):
        ask("/200/50", "fake.example")
