"""`tieout mcp`: messages by the line, to a service at an address or to the books of this installation."""

import json
import os
import ssl
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.fixtures.helpers.planning import OCTOBER
from tests.fixtures.programs import Program
from tests.mcp.clients import envelope
from webapp.mcp.messages import LARGEST_MESSAGE
from webapp.web.access.buckets import Buckets

PATIENCE_SECONDS = 60


@pytest.fixture
def talk(house, ada, tmp_path):
    """Send lines to the command until their end; answers its messages by id, and its whole output."""
    # Once, before a server of the test has connections of its own.
    house.leave()

    def run(*lines, token=ada.token, url="", **settings):
        typed = tmp_path / "typed"
        typed.write_bytes(
            b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
        )
        program = Program(house, "mcp", typed=typed, TIEOUT_TOKEN=token, TIEOUT_URL=url, **settings)
        status = program.wait(PATIENCE_SECONDS)
        out, err = program.communicate()
        assert not token or token not in (out + err).decode()
        messages = [json.loads(line) for line in out.splitlines()]
        return status, {each.get("id"): each for each in messages}, err.decode()

    return run


def request(number, method, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def modern(number, method, **params):
    return request(number, method, _meta=envelope(), **params)


HANDSHAKE = [
    request(
        1,
        "initialize",
        protocolVersion="2025-11-25",
        capabilities={},
        clientInfo={"name": "t", "version": "1"},
    ),
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


@pytest.mark.both
def test_the_local_books_answer_both_eras_and_nothing_else_is_written(talk):
    status, answers, _ = talk(
        *HANDSHAKE,
        b"",
        request(2, "tools/call", name="get_context", arguments={}),
        modern("a", "server/discover"),
        modern("é", "tools/call", name="get_context", arguments={}),
        modern(3, "tools/call", name="Zürich", arguments={}),
        {"jsonrpc": "2.0", "id": 9, "result": {}},
        b"{",
        PROXY_HOPS="1",
        TRUSTED_HOSTS="books.example.org",
    )
    assert status == 0
    assert set(answers) == {1, 2, 3, "a", "é", None}
    assert answers[1]["result"]["protocolVersion"] == "2025-11-25"
    assert (
        answers[2]["result"]["structuredContent"]
        == (answers["é"]["result"]["structuredContent"])
        != answers["a"]
    )
    assert answers[2]["result"]["structuredContent"]["books"]["name"] == "Lantern Studio"
    assert answers["a"]["result"]["resultType"] == "complete"
    assert "Zürich" in answers[3]["error"]["message"]
    assert answers[None]["error"]["code"] == -32700


def test_a_service_at_an_address_is_asked(talk, live_server, ben):
    for url in (live_server, f"{live_server}/", f"{live_server}/mcp"):
        _, answers, _ = talk(
            modern(1, "tools/call", name="get_context"),
            token=ben.token,
            url=url,
            http_proxy="http://127.0.0.1:9",
        )
        assert answers[1]["result"]["structuredContent"]["books"]["name"] == "Lantern Studio"


def test_a_key_that_is_refused_becomes_an_error_that_says_what_to_do(
    app, talk, live_server, ada, tmp_path, monkeypatch
):
    monkeypatch.setitem(app.extensions, "rate_limits", Buckets(tmp_path / "full"))
    gone = f"{ada.token[:-1]}{'x' if ada.token[-1] != 'x' else 'y'}"
    for url in (live_server, ""):
        status, answers, _ = talk(*HANDSHAKE, token=gone, url=url)
        error = answers[1]["error"]
        assert (status, error["code"], error["data"]["status"]) == (0, -32603, 401)
        assert "Set TIEOUT_TOKEN" in error["message"]
    limited = ada.with_scopes("read", max_requests_a_minute=1).token
    _, answers, _ = talk(*(modern(number, "tools/list") for number in (1, 2)), token=limited, url=live_server)
    (refused,) = (each["error"] for each in answers.values() if "error" in each)
    assert (refused["data"]["status"], refused["data"]["code"]) == (429, "rate_limited")
    assert "then send it again" in refused["message"]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"token": ""}, "Set TIEOUT_TOKEN to an API key"),
        ({"token": "tie_a b"}, "no complete API key"),
        ({"url": "ftp://books.example"}, "TIEOUT_URL is no address"),
        ({"url": "books.example"}, "TIEOUT_URL is no address"),
        ({"url": "http://a:b@books.example"}, "TIEOUT_URL is no address"),
        ({"url": "http://[::1"}, "TIEOUT_URL is no address"),
        ({"url": "http://books.example:http"}, "TIEOUT_URL is no address"),
    ],
)
def test_what_is_set_wrongly_ends_the_command_with_a_sentence(installation, settings, sentence):
    settings = {"token": "tie_x", "url": None} | settings
    result = installation("mcp", TIEOUT_TOKEN=settings["token"], TIEOUT_URL=settings["url"])
    assert (result.exit_code, result.stdout) == (1, "")
    assert sentence in result.stderr
    assert "tie_" not in result.stderr


def refusal(message, sentence):
    """What the service refuses before it reads a message."""
    return json.dumps(
        {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32603, "message": sentence}}
    ).encode()


class Elsewhere(BaseHTTPRequestHandler):
    """A server that is not Tieout, or not well: it answers what its address says."""

    waits = threading.Event()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        message = json.loads(body)
        kind = message["params"].get("kind", self.path.split("/")[1])
        if kind == "waits":
            self.waits.wait(PATIENCE_SECONDS)
        answers = {
            "html": (502, b"<html>Bad gateway</html>"),
            "moved": (301, b""),
            "busy": (503, refusal(message, "The database is away.")),
            "nobody": (403, refusal(message, "No.")),
        }
        ok = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"kind": kind}}).encode()
        status, data = answers.get(kind, (200, ok))
        if kind == "cut":
            self.close_connection = True
            return
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_args):
        pass


@contextmanager
def served(handler, context=None):
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def elsewhere():
    Elsewhere.waits.clear()
    with served(Elsewhere) as address:
        yield address
        Elsewhere.waits.set()


def test_a_service_that_is_away_or_none_becomes_an_error(talk, elsewhere):
    kinds = {
        "html": (502, "answers 502, and no message"),
        "moved": (301, "answers 301, and no message"),
        "busy": (503, "The database is away."),
        "nobody": (403, "Set TIEOUT_TOKEN to an API key that may do this"),
        "cut": (None, "The connection to http://127.0.0.1"),
    }
    _, answers, _ = talk(*(request(kind, "x", kind=kind) for kind in kinds), url=elsewhere)
    for kind, (status, sentence) in kinds.items():
        assert sentence in answers[kind]["error"]["message"]
        assert answers[kind]["error"].get("data", {}).get("status") == status
    free = elsewhere.rsplit(":", 1)[0] + ":9"
    _, answers, _ = talk(request(1, "x"), url=free)
    assert f"Nothing answers at {free}" in answers[1]["error"]["message"]
    _, answers, _ = talk(request(1, "x"), url=elsewhere.replace("http:", "https:"))
    assert "does not answer over HTTPS" in answers[1]["error"]["message"]


def test_a_call_that_waits_holds_up_no_other_and_a_cancelled_one_has_no_answer(house, elsewhere, tmp_path):
    typed = tmp_path / "typed"
    os.mkfifo(typed)
    program = Program(house, "mcp", typed=typed, TIEOUT_TOKEN="tie_x", TIEOUT_URL=elsewhere)
    waiting = [request(number, "x", kind="waits") for number in (1, "1")]
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    with typed.open("wb") as lines:
        for line in (*waiting, cancel, request(2, "ping")):
            lines.write(json.dumps(line).encode() + b"\n")
    # The end of the input does not end what is under way.
    assert wait_until(lambda: ids_of(program)) == [2]
    assert program.returncode is None
    Elsewhere.waits.set()
    assert program.wait(PATIENCE_SECONDS) == 0
    assert ids_of(program) == [2, "1"]


def ids_of(program):
    return (
        [json.loads(line)["id"] for line in program.out.read_bytes().splitlines()]
        if program.out.exists()
        else []
    )


def wait_until(found):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not found() and time.monotonic() < deadline:
        time.sleep(0.02)
    return found()


def test_more_messages_than_can_wait_are_all_answered(talk, elsewhere):
    _, answers, _ = talk(*(request(number, "x", kind="ok") for number in range(100)), url=elsewhere)
    assert set(answers) == set(range(100))


def test_a_line_that_is_too_long_is_refused_and_the_next_one_answered(talk, elsewhere):
    longest = json.dumps(request(1, "x", kind="ok")).encode()
    longest = longest + b" " * (LARGEST_MESSAGE - len(longest))
    _, answers, _ = talk(longest, longest + b" ", longest * 3, request(2, "x", kind="ok"), url=elsewhere)
    assert set(answers) == {1, 2, None}
    assert answers[None]["error"]["code"] == -32600
    assert "2,097,152 bytes" in answers[None]["error"]["message"]


@pytest.fixture
def own_certificate(tmp_path):
    """Make a certificate for localhost that nobody vouches for; answers the files of it and of its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    files = tmp_path / "certificate.pem", tmp_path / "key.pem"
    files[0].write_bytes(certificate.public_bytes(pem))
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    files[1].write_bytes(key.private_bytes(pem, *plain))
    return files


def test_a_certificate_that_nobody_vouches_for_is_refused(talk, own_certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*own_certificate)
    with served(Elsewhere, context) as address:
        url = address.replace("http://127.0.0.1", "https://localhost")
        _, answers, _ = talk(request(1, "x", kind="ok"), url=url)
        assert f"The certificate of {url} is not valid" in answers[1]["error"]["message"]
        _, answers, _ = talk(request(1, "x", kind="ok"), url=url, SSL_CERT_FILE=str(own_certificate[0]))
        assert answers[1]["result"] == {"kind": "ok"}


def test_the_key_may_be_in_a_file(talk, ada, tmp_path):
    (tmp_path / "key").write_text(f"{ada.token}\n")
    _, answers, _ = talk(modern(1, "tools/list"), token="", TIEOUT_TOKEN_FILE=str(tmp_path / "key"))
    assert answers[1]["result"]["tools"][0]["name"] == "get_context"


def test_a_tool_takes_a_file_of_this_machine_by_its_path(talk, tmp_path):
    folder = tmp_path / "bank"
    (folder / ".keys").mkdir(parents=True)
    for name in ("bank/october.ofx", "bank/.keys/october.ofx", "other.ofx"):
        (tmp_path / name).write_bytes(OCTOBER)
    (folder / "link.ofx").symlink_to(tmp_path / "other.ofx")
    paths = (
        "october.ofx",
        str(folder / "october.ofx"),
        "../other.ofx",
        "link.ofx",
        ".keys/october.ofx",
        "x.ofx",
    )
    calls = [
        request(number, "tools/call", name="import_statement", arguments={"path": path})
        for number, path in enumerate(paths, 1)
    ]
    both = {"path": "october.ofx", "text": "x"}
    calls.append(request(7, "tools/call", name="import_statement", arguments=both))
    calls.append(request(8, "tools/list"))
    _, answers, _ = talk(*calls, TIEOUT_FILES=str(folder))
    results = {number: each["result"] for number, each in answers.items()}
    for number in (1, 2):
        (account,) = results[number]["structuredContent"]["accounts"]
        assert account["new"] == 3
    refusals = {number: results[number]["content"][0]["text"] for number in range(3, 8)}
    assert all(results[number]["isError"] for number in refusals)
    assert "Only files below" in refusals[3]
    assert "Only files below" in refusals[4]
    assert refusals[5] == "path: Hidden files are never sent."
    assert refusals[6] == "path: There is no file 'x.ofx'."
    assert refusals[7] == "Send path, or the file itself; not both."
    taking = {
        each["name"] for each in results[8]["tools"] if "path" in each["inputSchema"].get("properties", ())
    }
    assert taking == {"import_statement", "attach_document"}


def test_a_key_is_sent_to_another_machine_only_over_https(talk):
    status, answers, told = talk(request(1, "ping"), url="http://books.example.org")
    assert (status, answers) == (1, {})
    assert "http://books.example.org is no HTTPS" in told
